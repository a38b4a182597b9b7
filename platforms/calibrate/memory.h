/* memory.h - measures what cores get that work at the same time: arithmetic, bandwidth and latency
 * of caches and memory, and the start and end of parallel regions of OpenMP.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_MEMORY_H
#define TLP_MEMORY_H

#include <stdbool.h>
#include <stdio.h>

#include <timeless.h>

#include "machine.h"
#include "raw.h"
#include "repetitions.h"

typedef enum tlp_loop {
    TLP_ARITHMETIC,    /* multiplications and additions in registers; operations/s of all cores */
    TLP_TRIAD,         /* a = b + s c (STREAM); bytes/s of all cores, 24 for each element */
    TLP_CHASE,         /* loads that depend on each other, a cache line each; s for a load */
    TLP_REGION,        /* empty parallel region, with a core for each thread; s */
    TLP_SHARED_REGION, /* the same with all threads on one core, where they sleep; s */
    TLP_N_LOOPS
} tlp_loop;

typedef struct tlp_memory_sample {
    tlp_loop loop;
    unsigned cores; /* that worked at the same time; of a region: threads */
    size_t bytes;   /* working set of each core; 0: none */
    double value;
    double lost; /* share of the time in which one of the cores did something else */
} tlp_memory_sample;

typedef struct tlp_cache {
    unsigned level;
    size_t bytes;
    unsigned cores; /* that share it */
} tlp_cache;

/* Working sets are powers of two from TLP_LEAST_BYTES on. */
enum { TLP_MAX_CACHES = 3, TLP_MAX_CORE_COUNTS = 32, TLP_MAX_SIZES = 32, TLP_LEAST_BYTES = 4096 };

typedef struct tlp_memory_result {
    unsigned long seed;
    char moment[TLP_MOMENT_BYTES];  /* of the measurement; "" unknown */
    char processor[128], nodes[64]; /* numbers of the memory nodes, "0-1"; "?" unknown */
    char caches_from[32];           /* "/sys", "sysconf"; "nowhere" */
    size_t n_caches;
    tlp_cache caches[TLP_MAX_CACHES];
    unsigned n_cores;
    char runtime[64]; /* of OpenMP; "" none */
    double other,
        stolen;   /* shares of the time of all cores: of other programs, of other machines */
    bool is_busy; /* the machine was busy, and all repetitions count */
    size_t n, room;
    tlp_memory_sample *samples;
} tlp_memory_result;

typedef struct tlp_memory_options {
    double max_seconds; /* a round begins only before this; at least three rounds are measured */
    size_t max_bytes;   /* of the largest working set; 0: four times the largest cache */
    unsigned long seed;
    const char *runtime; /* library of OpenMP with GOMP_parallel */
} tlp_memory_options;

/* Measures on 1, 2, ... all cores that this process may use. Each round measures everything once,
 * in random order. A missing runtime is no error: regions are left out. */
tl_status tlp_memory_measure(const tlp_memory_options *options, tlp_memory_result **out,
                             tl_error *err);
void tlp_memory_free(void *result);

/* ---- memory_machine.c ---- */

/* The processors that this process may use; those that share a core with one before are last.
 * *n_apart is the number before them. Returns how many there are. */
unsigned tlp_list_processors(int *processors, unsigned room, unsigned *n_apart);
/* Seconds of all processors since the system started: of programs, of all, and taken by other
 * machines; and those of this process and its children. */
typedef struct tlp_processor_times {
    double busy_s, all_s, stolen_s, own_s;
} tlp_processor_times;
void tlp_processors_now(tlp_processor_times *out);
/* Shares of the time of all processors: of other programs, of other machines. 0: unknown. */
void tlp_processors_since(const tlp_processor_times *before, double *other, double *stolen);
/* Caches, memory nodes and the name of the processor. */
void tlp_find_caches(tlp_memory_result *result);
/* Numbers of cores to be measured: 1, 2, 3, 4, 6, 8, ... n. Returns how many. */
unsigned tlp_core_counts(unsigned n_cores, unsigned counts[TLP_MAX_CORE_COUNTS]);
/* The working set that fits a cache (level 1 to 3) or is far too large for all (level 0); 0: there
 * is none between this cache and the one before. */
size_t tlp_level_bytes(const tlp_memory_result *result, unsigned level);

/* ---- memory_regions.c ---- */

/* Seconds of an empty parallel region, in a process of its own; a negative number if the runtime
 * cannot be used. processors: of the process; sleeps: threads sleep while they wait. */
double tlp_region_s(const char *runtime, unsigned n_threads, const int *processors, unsigned n,
                    int sleeps);

/* ---- memory_fit.c ---- */

/* The median of the repetitions; those in which a core lost time do not count, unless all is set.
 * Negative: there are fewer than three. */
double tlp_memory_median(const tlp_memory_result *result, tlp_loop loop, unsigned cores,
                         size_t bytes, int all);
/* Refuses measurements of a busy machine. */
tl_status tlp_memory_check(const tlp_memory_result *result, tl_error *err);
/* The measurements, a tlp_memory_result, as CSV. */
extern const tlp_raw tlp_raw_memory;
tl_status tlp_memory_add(tlp_memory_result *result, const tlp_memory_sample *sample);
tl_status tlp_memory_repetitions(const tlp_memory_result *result, tlp_repetition_list *list);

/* ---- memory_write.c ---- */

/* Writes the model at `base` with the group `parallel` of these measurements to `path`. */
tl_status tlp_memory_write(const tlp_memory_result *result, const char *base, const char *path,
                           tl_error *err);
/* The result in a few lines for people. */
void tlp_memory_report(const tlp_memory_result *result, FILE *out);

#endif
