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
    const char *bytes, *algorithms, *start, *output, *program;
    unsigned repetitions, launches;
    uint64_t seed;
    char **launcher;
    int n_launcher;
} measure_campaign;

/* Whether the operation can be measured. */
int measure_has(const char *operation);
/* Launches the measuring program for each algorithm and launch, in random order, and writes the
 * output. */
tl_status measure_run(const measure_campaign *c, tl_error *err);

/* ---- predicted.c: the times of an engine ---- */

/* Of each case of the measurements, in seconds; NAN: the engine has no such algorithm. */
typedef struct measure_predicted {
    char place[256]; /* for people */
    double *seconds; /* NULL: nothing was predicted */
} measure_predicted;

tl_status measure_predict(grid *g, const tlp_measured *m, measure_predicted *out, tl_error *err);

/* ---- results.c ---- */

typedef struct measure_results {
    const tlp_measured *measured, *later; /* later: of a second file; NULL: there is none */
    tlp_causes causes;
    measure_predicted predicted;
} measure_results;

void measure_print(const measure_results *r, FILE *out);
/* Whether the second file differs; *changed is set. */
tl_status measure_compare(const measure_results *r, int *changed, FILE *out, tl_error *err);
tl_status measure_write_json(const void *results, FILE *out, tl_error *err);
tl_status measure_draw(const measure_results *r, const char *path, tl_error *err);

#endif
