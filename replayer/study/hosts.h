/* hosts.h - a study of slow hosts: how many of them to leave out of a run.
 *
 * Cornebize, thesis, chapter 6 (spatial variability). */
#ifndef TLR_STUDY_HOSTS_H
#define TLR_STUDY_HOSTS_H

#include "study/sweep.h"

#include <stdio.h>
#include <timeless_convert.h>

/* The axes of its sweep. */
enum { TLR_HOSTS_REMOVE, TLR_HOSTS_SEED, TLR_HOSTS_N_AXES };

/* A host, and how long dgemm takes on the slowest of its cores with ranks. */
typedef struct tlr_timed_host {
    char *name;
    size_t place;   /* among the hosts of the platform */
    double dgemm_s; /* of 256 x 256 x 256, the mean of a few calls */
} tlr_timed_host;

/* All hosts of the platform, the slowest first, as the compute model draws them for the seed
 * (`trace`: its units). ranks_per_host 0: a rank on each core. The caller frees them.
 * TL_ERR_INPUT: the model does not know dgemm. */
tl_status tlr_hosts_by_speed(const tlr_platform *platform, const tlr_model *model,
                             const tl_reader *trace, uint64_t seed, unsigned ranks_per_host,
                             tlr_timed_host **out, size_t *n, tl_error *err);
void tlr_timed_hosts_free(tlr_timed_host *hosts, size_t n);

typedef struct tlr_host_study {
    const tlr_sweep *sweep;
    const char *program, *place; /* for people */
    size_t n_hosts;
    unsigned ranks_per_host;
    const tl_hpl *grids;         /* P and Q for each number of hosts that are left out */
    const tlr_timed_host *hosts; /* [n_hosts] of the first seed, the slowest first */
} tlr_host_study;

/* A number of hosts left out: over the seeds that have a result. */
typedef struct tlr_left_out {
    size_t n_seeds; /* 0: no seed has a result, and the rest means nothing */
    double mean_s, least_s, most_s;
} tlr_left_out;

void tlr_hosts_print(const tlr_host_study *study, FILE *out);
tl_status tlr_hosts_write_json(const tlr_host_study *study, FILE *out, tl_error *err);

#endif
