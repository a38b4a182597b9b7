/* versus.h - several predictions, of one trace or of versions of a program: by what their makespans
 * differ. Ownership and errors
 * follow timeless.h. */
#ifndef TLR_VERSUS_H
#define TLR_VERSUS_H

#include "replayer.h"

#include <jansson.h>
#include <stdbool.h>

enum { TLR_VERSUS_MOST = 26 };

/* One of the predictions, as JSON (tlr_prediction_json, or a file of `timeless replay --json`). */
typedef struct tlr_versus_side {
    json_t *prediction; /* owned by the tlr_versus */
    char *name;         /* by what it differs from the others: "star-1g, host.speed=2x" */
    double makespan_s;
} tlr_versus_side;

typedef struct tlr_versus_row {
    char *name;
    double *s;           /* [n] seconds, by prediction */
    double difference_s; /* the largest one from the first prediction */
} tlr_versus_row;

/* In each prediction, the rows add up to the makespan. */
typedef struct tlr_versus_table {
    size_t n_rows;
    tlr_versus_row *rows; /* parts: in a fixed order; otherwise: the largest difference first */
} tlr_versus_table;

typedef enum tlr_versus_view {
    /* The critical path: a chain of computation and messages as long as the makespan. */
    TLR_VERSUS_PATH_PARTS,
    TLR_VERSUS_PATH_REGIONS,
    TLR_VERSUS_PATH_SITES,
    TLR_VERSUS_PATH_RANKS,
    /* The mean of all ranks, and the time between the mean of their ends and the makespan. */
    TLR_VERSUS_MEAN_PARTS,
    TLR_VERSUS_MEAN_REGIONS,
    TLR_VERSUS_MEAN_CALLS,
    TLR_VERSUS_MEAN_SITES,
    TLR_VERSUS_N_VIEWS
} tlr_versus_view;

typedef struct tlr_versus {
    size_t n;
    tlr_versus_side *sides;
    uint32_t n_ranks;
    bool has_details; /* all predictions have them; otherwise only the mean has rows, by part */
    tlr_versus_table tables[TLR_VERSUS_N_VIEWS]; /* without rows: not known */
} tlr_versus;

/* Takes over the references to the n predictions, also if it fails. sources[i] names prediction i
 * in messages. TL_ERR_INPUT if their numbers of ranks differ. */
tl_status tlr_versus_make(json_t *const *predictions, const char *const *sources, size_t n,
                          tlr_versus **out, tl_error *err);
void tlr_versus_free(tlr_versus *versus);
void tlr_versus_free_rows(tlr_versus_table *table);

/* Makes one row of those that are the same place in all versions of a program, by functions and
 * their order (replayer/study/versus_match.c). Each row had seconds by side. 0 without memory. */
int tlr_versus_match(tlr_versus_table *table, size_t n_sides);

/* Seconds that a rank neither waits for other ranks nor has ended; without details: that it
 * computes. */
double tlr_versus_busy_s(const tlr_versus *versus, size_t side, uint32_t rank);

/* ---- output: replayer/study/versus_write.c ---- */

/* The tables for people are integers: multiples of a quantum, which is a power of ten. The shortest
 * makespan has at least four digits, and so has the smallest difference of makespans, unless it is
 * below 0.1 %. */
typedef struct tlr_versus_scale {
    double quantum_s;
    const char *unit; /* "ms" */
    double unit_s;
    int decimals; /* of the unit, that show a quantum */
} tlr_versus_scale;

/* Seconds with 17 digits; for a page (is_page), also as people read them. NULL without memory. */
json_t *tlr_versus_json(const tlr_versus *versus, bool is_page);
void tlr_versus_print(const tlr_versus *versus, FILE *out);

#endif
