/* usage.h - the traffic of the platform's links, and the energy of links and hosts.
 *
 * The engine writes it in a process of its own (sandbox.h). Afterwards this process reads it. */
#ifndef TLR_USAGE_H
#define TLR_USAGE_H

#include "replayer.h"

#include <jansson.h>
#include <stdbool.h>

/* A link, or a host whose power the platform gives. */
typedef struct tlr_resource {
    char name[256];
    bool is_link;
    uint64_t id;        /* of a link, as in tlr_link; TLR_NO_LINK: unknown */
    double bandwidth;   /* bytes per second */
    double bytes;       /* with what SMPI's model adds to messages */
    double sent_bytes;  /* of the messages alone; -1: unknown */
    double saturated_s; /* in which TLR_SATURATED of the bandwidth or more was in use */
    double energy_j;
    bool is_at_least; /* the energy; the engine does not know all of it */
    bool has_ranks;   /* set by tlr_usage_read, of hosts */
} tlr_resource;

#define TLR_SATURATED 0.95
#define TLR_NO_LINK UINT64_MAX

struct tlr_usage {
    bool has_links, has_energy; /* what is asked for */
    FILE *file;
    double took_s; /* of the replay */
    double hosts_j, links_j;
    double job_j;     /* of the hosts with ranks */
    size_t n_of_job;  /* these hosts */
    bool is_at_least; /* one of the hosts' energies */
    bool has_price;   /* of a kWh and of an hour of a host, in any currency */
    double per_kwh, per_host_hour;
    size_t n_links, n_hosts;
    tlr_resource *links; /* that carried something; the one saturated longest first, then by use */
    tlr_resource *hosts; /* by energy, the most first; only with energy */
};

tl_status tlr_usage_create(int links, int energy, tlr_usage **out, tl_error *err);
void tlr_usage_free(tlr_usage *usage);
/* To be called in the process of the engine. */
tl_status tlr_usage_put(tlr_usage *usage, double took_s, const tlr_resource *resources, size_t n,
                        tl_error *err);
/* Adds energies to those of *sum, which has *n elements (NULL, 0 at first) and is the caller's:
 * those that a replay on the same platform has put, `times` as much. */
tl_status tlr_usage_add(tlr_usage *part, double times, tlr_resource **sum, size_t *n,
                        tl_error *err);
/* Reads "0.30/kWh", "2/host-hour", or both with a comma between them. Returns 0 if it is neither.
 */
int tlr_usage_set_price(tlr_usage *usage, const char *text);
/* To be called afterwards; the prediction has the hosts of the ranks. */
tl_status tlr_usage_read(tlr_usage *usage, const tlr_prediction *prediction, tl_error *err);
/* Of the job: its energy and the hours of its hosts, if there is a price. */
double tlr_usage_cost(const tlr_usage *usage);
void tlr_usage_print(const tlr_usage *usage, FILE *out);
/* The members `links` and `energy` of the prediction. */
void tlr_usage_json(const tlr_usage *usage, json_t *prediction);
/* The topology, and the mean use of its links by the boxes that they join (cluster.h); only the
 * first ones of `links` if they are very many. NULL: the platform is no torus, fat tree or
 * dragonfly. */
json_t *tlr_usage_map(const tlr_usage *usage, const char *xml_path);

#endif
