/* budget.h - how wrong a makespan may be, or the ratio of two, and which input makes it so.
 *
 * One input at a time is at its bounds. The inputs count as independent: the parts of the interval
 * are added as squares, above the makespan and below it. */
#ifndef TLR_BUDGET_H
#define TLR_BUDGET_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <timeless.h>

/* Half of the interval in which 90 % of a normal distribution lie, in standard deviations: its
 * quantile 0.95. */
#define TLR_DEVIATIONS_90 1.6448536269514722
/* And in medians of the absolute error, which is its quantile 0.75. */
#define TLR_MEDIANS_90 (TLR_DEVIATIONS_90 / 0.6744897501960817)

/* Where the uncertainty of an input comes from. */
typedef enum tlr_budget_source {
    TLR_BUDGET_STATED,   /* by the model file, or by the skeleton */
    TLR_BUDGET_GIVEN,    /* by the user */
    TLR_BUDGET_ASSUMED,  /* by nobody */
    TLR_BUDGET_REPLAYED, /* the replays tell it: seeds, another order, sampling */
    TLR_BUDGET_MEASURED  /* by several recordings, which are replayed */
} tlr_budget_source;

typedef struct tlr_budget_input {
    char name[160];     /* "kernel:dgemm", "bandwidth", "noise" */
    double uncertainty; /* half of its 90 % interval, relative; not if it is replayed */
    tlr_budget_source source;
    size_t n_runs;       /* TLR_BUDGET_MEASURED: the recordings */
    double low, high;    /* the value at its bounds, in any order */
    double below, above; /* tlr_budget_finish: what it adds to the interval */
    const char *remedy;  /* the command that measures it */
} tlr_budget_input;

/* A line about what the interval contains, or does not. */
typedef struct tlr_budget_note {
    char text[400];
} tlr_budget_note;

/* A prediction: A or B. */
typedef struct tlr_budget_side {
    const char *options; /* of its replay: " --NAME=VALUE ..."; the caller's */
    double makespan_s;
} tlr_budget_side;

typedef struct tlr_budget {
    size_t n_sides; /* 2: the budget of the ratio of their makespans, B / A */
    tlr_budget_side sides[2];
    double value;        /* the makespan in seconds, or the ratio */
    double below, above; /* tlr_budget_finish: of the 90 % interval */
    size_t n;
    tlr_budget_input *inputs; /* the caller's; the widest first after tlr_budget_finish */
    size_t n_notes;
    const tlr_budget_note *notes; /* the caller's */
    json_t *classes; /* the caller's: the spread of the classes of bursts; NULL: not measured */
} tlr_budget;

/* Fills the parts and the interval, and orders the inputs. */
void tlr_budget_finish(tlr_budget *b);
/* The bounds of a value that varies with the seed: the 90 % interval of a normal distribution
 * with the mean and standard deviation of these values; 2 or more. */
void tlr_budget_spread(const double *values, size_t n, double *low, double *high);
/* The same of a value that varies from recording to recording: the 90 % interval of one more
 * run, by Student's distribution. */
void tlr_budget_predict(const double *values, size_t n, double *low, double *high);
void tlr_budget_print(const tlr_budget *b, FILE *out);
json_t *tlr_budget_json(const tlr_budget *b);

#endif
