/* measured.h - the repetitions of an MPI operation that 'timeless measure' has timed, and what the
 * slow ones have in common.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_MEASURED_H
#define TLP_MEASURED_H

#include <stdint.h>

#include "machine.h"
#include "raw.h"
#include "repetitions.h"

#define TLP_MEASURED_MAGIC "# timeless-measure 1"
/* The columns that timeless-perform writes, and those before them. Times begin_s and end_s are on
 * the clock of rank 0. late: the rank began after the announced time; switches: involuntary;
 * faults: of pages; without_cpu_s: time in which the rank was ready but had no CPU, or slept. */
#define TLP_MEASURED_CELLS                                                                         \
    "bytes,repetition,rank,host,cpu,cpu_end,start,late,begin_s,end_s,uncertainty_s,switches,"      \
    "faults,without_cpu_s,clock_hz,instructions,cycles,celsius,counters"
#define TLP_MEASURED_HEADER "launch,algorithm," TLP_MEASURED_CELLS

enum { TLP_MOST_COUNTERS = 4 };

/* A rank in a repetition. clock_hz, instructions and celsius are 0 if the machine does not tell. */
typedef struct tlp_measured_row {
    unsigned launch, algorithm, rank, host; /* algorithm, host: indices of the names */
    unsigned alone;                         /* the rank, if its calls are not those of all */
    int cpu, cpu_end, is_last;              /* is_last: no rank ended later */
    int64_t bytes, repetition;
    size_t first_stack, n_stacks; /* its samples of the stack */
    double is_late, begin_s, end_s, uncertainty_s, switches, faults, without_cpu_s, clock_hz,
        instructions, cycles, celsius, counters[TLP_MOST_COUNTERS];
} tlp_measured_row;

/* A size with an algorithm. Its repetitions follow each other launch by launch. */
typedef struct tlp_measured_case {
    const char *algorithm;
    int64_t bytes;
    size_t first, n; /* repetitions */
    size_t n_of[TLP_N_CATEGORIES];
    size_t n_late;                  /* begun after the announced time; left out, unless all are */
    double median_s, low_s, high_s; /* 50, 5 and 95 %, without the first ones and the warm-up */
} tlp_measured_case;

/* Samples of the stack that were taken in a row, with the same functions: "OUTER|...|INNER". */
typedef struct tlp_measured_stack {
    uint32_t weight;
    char *functions;
} tlp_measured_stack;

typedef struct tlp_measured {
    char operation[64], mpi[128], moment[TLP_MOMENT_BYTES], start[16]; /* start: "window" */
    char counters[256];                                                /* "mpit:NAME,mpit:NAME" */
    unsigned long seed;
    double tick_s; /* of the kernel of rank 0; 0: unknown */
    unsigned n_ranks, n_launches;
    unsigned n_together; /* rows of a repetition: n_ranks, or 1 if the calls of a trace are timed */
    size_t n_algorithms, n_hosts;
    char **algorithms, **hosts;
    unsigned inside_hz; /* of the samples; 0: there are none */
    size_t n_stacks, stacks_room;
    tlp_measured_stack *stacks;
    size_t n_rows, room;
    tlp_measured_row *rows; /* repetition by repetition, n_together each */
    size_t n_cases;
    tlp_measured_case *cases; /* by bytes, then by algorithm */
    double *seconds;          /* of each repetition: from the latest begin to the latest end */
    tlp_repetition_list
        repetitions;      /* of each case, a group for each launch (and rank, of calls) */
    double uncertainty_s; /* the largest one of all ranks */
} tlp_measured;

extern const tlp_raw tlp_raw_measured;
void tlp_measured_free(void *measured);

/* Medians of one launch, in the order of the cases, without the first ones and the warm-up. */
void tlp_measured_medians(const tlp_measured *m, unsigned launch, double *out);
size_t tlp_measured_repetitions(const tlp_measured *m);
tlp_category tlp_measured_category(const tlp_measured *m, size_t repetition);

/* ---- measured_causes.c ---- */

/* Something that the outliers have more of (or less) than the good repetitions. */
typedef struct tlp_cause {
    char name[192];
    const char *unit;      /* "s", "%", "Hz", "": a number */
    double outliers, good; /* means */
    double p;              /* after Holm's correction */
    double superiority;    /* share of pairs in which the outlier has more; 0.5: no difference */
} tlp_cause;

typedef struct tlp_causes {
    size_t n_outliers, n_good, n_tested, n;
    tlp_cause *causes; /* the significant ones, the strongest first */
} tlp_causes;

/* If fewer repetitions are outliers, nothing is tested. */
enum { TLP_LEAST_OUTLIERS = 5 };
/* The largest corrected p of a cause, and the least distance of its superiority from 0.5: weaker
 * effects are negligible (Vargha and Delaney, 2000). */
#define TLP_CAUSE_P 0.01
#define TLP_CAUSE_STRENGTH 0.06

tl_status tlp_find_causes(const tlp_measured *m, tlp_causes *out, tl_error *err);
void tlp_clear_causes(tlp_causes *causes);

/* Whether the used outliers come at a fixed rate; the cause, not yet corrected. */
bool tlp_find_period(const tlp_measured *m, const unsigned char *is_outlier,
                     const unsigned char *is_used, tlp_cause *out);

/* ---- measured_inside.c ---- */

/* Of the samples in outliers and in good repetitions, the share that has the function. */
typedef struct tlp_function {
    const char *name; /* in the measurements */
    double outliers, good;
} tlp_function;

typedef struct tlp_functions {
    size_t n_outliers, n_good, n; /* rows with samples; functions */
    tlp_function *functions; /* with a larger share in outliers, the largest difference first */
} tlp_functions;

/* Least difference, and how many standard errors it must be. */
#define TLP_FUNCTION_SHARE 0.05
#define TLP_FUNCTION_ERRORS 4

/* A line of the file; others than samples are left alone. */
tl_status tlp_measured_take_line(void *measured, const char *line, tl_error *err);
/* Cuts the texts of the samples. The list is the caller's (free). */
tl_status tlp_find_functions(tlp_measured *m, tlp_functions *out, tl_error *err);

#endif
