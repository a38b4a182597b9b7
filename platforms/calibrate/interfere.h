/* interfere.h - how much longer the bursts of a program take while other cores of the host are
 * busy, and how much the program slows those.
 *
 * A program runs alone, and beside loops ("hogs") of four kinds on other cores. Its bursts beside a
 * hog, relative to those alone, are its sensitivity; the hog's rate during the bursts, relative to
 * its rate alone, is the program's pressure. Bursts have classes, as in cpu.h.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_INTERFERE_H
#define TLP_INTERFERE_H

#include <stdint.h>
#include <stdio.h>

#include <timeless.h>

#include "cpu.h"
#include "raw.h"

typedef enum tlp_hog {
    TLP_HOG_ARITHMETIC, /* in registers */
    TLP_HOG_CACHE,      /* triad in half of the largest cache */
    TLP_HOG_STREAM,     /* triad in memory */
    TLP_HOG_CHASE,      /* loads from memory that depend on each other */
    TLP_N_HOGS,
    TLP_NO_HOG = TLP_N_HOGS /* alone */
} tlp_hog;
const char *tlp_hog_name(tlp_hog hog); /* "arithmetic", ...; "none" */

typedef enum tlp_probe {
    TLP_PROBE_HOG,    /* a hog beside hogs; the class's sites are its name and "" */
    TLP_PROBE_TIMED,  /* a class of the program beside hogs: its CPU time */
    TLP_PROBE_PRESSED /* a hog during the bursts of a class: its CPU time and its work */
} tlp_probe;

typedef struct tlp_interfere_sample {
    tlp_probe probe;
    tlp_hog hog; /* beside; of a pressed sample: the one that is pressed */
    unsigned cores, repetition;
    char *from, *to;
    double seconds, work;
    double stolen; /* share of the time of all cores that other machines took */
} tlp_interfere_sample;

typedef struct tlp_interfere_result {
    unsigned long seed;
    unsigned n_ranks, n_repetitions;
    char processor[128];
    char program[256];
    size_t cache_bytes, memory_bytes; /* working sets of the hogs */
    double other, stolen;             /* of the whole measurement, as in memory.h */
    size_t n, room;
    tlp_interfere_sample *samples;
} tlp_interfere_result;

tl_status tlp_interfere_add(tlp_interfere_result *result, const tlp_interfere_sample *sample);
void tlp_interfere_free(void *result);

/* ---- interfere_hogs.c ---- */

typedef struct tlp_hogs tlp_hogs;

/* max_bytes: of a working set; 0: four times the largest cache. Needs two processors. */
tl_status tlp_hogs_open(size_t max_bytes, unsigned long seed, tlp_interfere_result *result,
                        tlp_hogs **out, tl_error *err);
void tlp_hogs_close(tlp_hogs *hogs);
unsigned tlp_hogs_most(const tlp_hogs *hogs); /* how many can run beside a program */
/* The processor of the program, on which no hog runs. */
int tlp_hogs_free_processor(const tlp_hogs *hogs);
/* Starts hogs on so many other cores, and returns when they are at work. count: NULL, or what the
 * first one adds to: its CPU time in ns times TLP_PACKED_NS, and its parts of work. */
tl_status tlp_hogs_start(tlp_hogs *hogs, tlp_hog hog, unsigned cores, volatile uint64_t *count,
                         tl_error *err);
void tlp_hogs_stop(tlp_hogs *hogs);
/* Hogs alone, and beside each other, once. */
tl_status tlp_hogs_probe(tlp_hogs *hogs, unsigned repetition, tlp_interfere_result *result,
                         tl_error *err);

/* ---- interfere_raw.c ---- */

/* The measurements, a tlp_interfere_result, as CSV. */
extern const tlp_raw tlp_raw_interference;

/* ---- interfere_fit.c ---- */

enum { TLP_MAX_BESIDE = 32 };

/* A class; both sites NULL: the whole program. */
typedef struct tlp_bent_class {
    const char *from, *to;
    double alone_s;
    double slowdown[TLP_MAX_BESIDE][TLP_N_HOGS]; /* by the rows of tlp_interference */
    double suffered[TLP_N_HOGS];                 /* how many times slower each hog is */
    double suffered_noise[TLP_N_HOGS];           /* its standard error */
    double acts_as[TLP_N_HOGS];
} tlp_bent_class;

typedef struct tlp_interference {
    unsigned n_rows, cores[TLP_MAX_BESIDE];
    double between[TLP_N_HOGS][TLP_N_HOGS];       /* [hog][beside]: how many times slower */
    double between_noise[TLP_N_HOGS][TLP_N_HOGS]; /* its standard error */
    int is_noise_unknown; /* there is one repetition of a hog; the noise is the least one */
    size_t n;
    tlp_bent_class *classes; /* the whole program first, then by time */
} tlp_interference;

/* The names belong to the result. */
tl_status tlp_interfere_fit(const tlp_interfere_result *result, tlp_interference **out,
                            tl_error *err);
/* The standard error of the slowdowns of this hog beside others; the root of their mean square. */
double tlp_interference_noise(const tlp_interference *fit, tlp_hog hog);
void tlp_interference_free(tlp_interference *fit);

/* ---- interfere_weigh.c ---- */

/* The variance of the logarithm of one of n repetitions, which are above 0; the values are lost.
 * 0: fewer than two. */
double tlp_interfere_scatter(double *values, size_t n);
/* The variance of the logarithm of the median of n repetitions with this scatter. pooled: the
 * scatter of all rates of the hog. n < 2: that of one repetition with the pooled scatter. */
double tlp_interfere_variance(double scatter, double pooled, size_t n);
/* The standard error of a slowdown, out of these variances of what was measured beside and alone;
 * above 0. */
double tlp_interfere_noise(double slowdown, double beside, double alone);
/* The weights w that explain `suffered` by `between`; the noises, above 0, are standard errors. */
void tlp_interfere_weigh(const double between[TLP_N_HOGS][TLP_N_HOGS],
                         const double between_noise[TLP_N_HOGS][TLP_N_HOGS],
                         const double suffered[TLP_N_HOGS], const double suffered_noise[TLP_N_HOGS],
                         double w[TLP_N_HOGS]);

/* ---- interfere_write.c ---- */

/* Writes the model at `base` with these classes to `path`; other classes of its group stay. */
tl_status tlp_interference_write(const tlp_interfere_result *result, const tlp_interference *fit,
                                 const char *base, const char *path, tl_error *err);

#endif
