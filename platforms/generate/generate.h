/* generate.h - makes a platform folder from a short description, timeless-platform(5).
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_GENERATE_H
#define TLP_GENERATE_H

#include <stdbool.h>
#include <stdio.h>

#include <timeless.h>

enum { TLP_MAX_LEVELS = 8, TLP_MAX_CABINETS = 128, TLP_MAX_NODES = 1 << 22 };

/* Bandwidth in bytes/s each way, latency in seconds. limiter_Bps: the bandwidth that both
 * directions share, 0: no such limit. */
typedef struct tlp_wire {
    bool is_set;
    double bandwidth_Bps, latency_s, limiter_Bps;
} tlp_wire;

/* A list of small positive numbers: sizes of cabinets, of tree levels, of dimensions. */
typedef struct tlp_counts {
    int n;
    int32_t at[TLP_MAX_CABINETS];
} tlp_counts;

typedef struct tlp_topology tlp_topology;

/* The content of a description. Strings are valid until tlp_description_free. */
typedef struct tlp_description {
    const char *path;
    const tlp_topology *topology;
    const char *title, *prefix, *suffix;
    int32_t first;   /* number of the first node */
    int64_t n_nodes; /* as it follows from the topology */
    int32_t cores;
    double speed_flops;
    int n_watts; /* 0; 2: idle, all cores; 3: idle, one core, all cores */
    double watts[3];
    tlp_wire link, loopback, uplink, backbone;
    tlp_counts cabinets, children, parents, parallel, ports, dimensions;
    int32_t groups, chassis, blades, blade_nodes;
    int32_t group_links, chassis_links, blade_links;
    const char **options;
    size_t n_options;
    const char *model; /* file to copy as model.conf, relative to the description; or NULL */
} tlp_description;

/* ---- generate_read.c ---- */

/* Reads and checks a description. Sizes that cannot be built are refused with file and line. */
tl_status tlp_description_read(const char *path, tlp_description **out, tl_error *err);
void tlp_description_free(tlp_description *d);

/* ---- generate_topology.c ---- */

/* The setting that a description cannot have, and the reason. */
typedef struct tlp_refusal {
    const char *setting;
    char text[200];
} tlp_refusal;

/* One kind of network. */
struct tlp_topology {
    const char *name;
    const char *const *settings; /* those that this kind alone has, NULL at the end */
    /* Counts the nodes. Zero: it cannot be built, as *why says. */
    int (*check)(tlp_description *d, tlp_refusal *why);
    void (*write_xml)(const tlp_description *d, FILE *out);
};

/* The topology with this name, or NULL. */
const tlp_topology *tlp_topology_find(const char *name);
/* The names of all topologies, "a, b, c". */
const char *tlp_topology_names(void);

/* ---- generate.c ---- */

/* Write platform.xml, options.conf. */
void tlp_write_xml(const tlp_description *d, FILE *out);
void tlp_write_options(const tlp_description *d, FILE *out);

/* Writes platform.xml, options.conf if there are options, and model.conf if one is named, into the
 * folder. Creates the folder if it does not exist. */
tl_status tlp_generate_folder(const tlp_description *d, const char *folder, tl_error *err);

/* Prints the platforms in a folder, a line each: name and title (first line of README.md). */
tl_status tlp_list_platforms(const char *folder, FILE *out, tl_error *err);

#endif
