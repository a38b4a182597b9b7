/* measure.h - the parts of timeless measure. */
#ifndef CLI_MEASURE_H
#define CLI_MEASURE_H

#include "cli.h"
#include "grid.h"

#include <calibrate/measured.h>

/* An algorithm that a library can be told to use; "default": its own choice. */
typedef struct measure_algorithm {
    const char *operation, *name;
    int id;                             /* of Open MPI */
    const char *mpich, *smpi, *loggops; /* "": there is none */
} measure_algorithm;

/* The i-th algorithm of an operation, 0: its own choice. NULL: there is none. */
const measure_algorithm *measure_algorithm_of(const char *operation, size_t i);

/* ---- campaign.c: measures ---- */

typedef struct measure_campaign {
    const char *operation, *trace; /* trace: its calls are measured; NULL: an operation is */
    const char *bytes, *algorithms, *start, *output, *program, *counters, *inside;
    unsigned repetitions, launches;
    uint64_t seed;
    char **launcher;
    int n_launcher;
} measure_campaign;

/* What is possible with an operation; 0: there is none of this name. */
enum {
    MEASURE_TIMES = 1,
    MEASURE_PREDICTION = 2,
    MEASURE_LOOP = 4 /* it is one call, which a loop can repeat */
};
unsigned measure_can(const char *operation);
/* Writes the repetitions of a size, in the language of skeletons. */
void measure_write_block(const char *operation, unsigned long long bytes, unsigned repetitions,
                         FILE *out);
/* Launches the measuring program for each algorithm and launch, in random order, and writes the
 * output. */
tl_status measure_run(const measure_campaign *c, tl_error *err);

/* ---- predicted.c: the times of an engine ---- */

/* Of each case of the measurements, in seconds: NAN if the engine has no such algorithm. */
typedef struct measure_predicted {
    char place[256]; /* for people */
    size_t n_seeds;
    double (*cases)[3]; /* 5, 50 and 95 % of the seeds; NULL: nothing was predicted */
    double *values;     /* n_seeds for each case, ascending */
} measure_predicted;
enum { MEASURE_LOW, MEASURE_MEDIAN, MEASURE_HIGH };

tl_status measure_predict(grid *g, const tlp_measured *m, unsigned seeds, measure_predicted *out,
                          tl_error *err);
void measure_predicted_free(measure_predicted *p);
/* Whether the case was predicted. */
static inline bool measure_is_predicted(const measure_predicted *p, size_t k)
{
    return p->cases && p->cases[k][MEASURE_MEDIAN] >= 0;
}

/* ---- results.c ---- */

typedef struct measure_results {
    const tlp_measured *measured, *later; /* later: of a second file; NULL: there is none */
    tlp_causes causes;
    tlp_functions functions;
    measure_predicted predicted;
} measure_results;

void measure_print(const measure_results *r, FILE *out);
/* The functions of the outliers; nothing if no samples were taken. */
void measure_print_functions(const measure_results *r, FILE *out);
/* Whether the second file differs; *changed is set. */
tl_status measure_compare(const measure_results *r, int *changed, FILE *out, tl_error *err);
tl_status measure_write_json(const void *results, FILE *out, tl_error *err);
tl_status measure_draw(const measure_results *r, const char *path, tl_error *err);

#endif
