/* inputs.h - the inputs of a prediction, and the options of a replay with other values. */
#ifndef CLI_BUDGET_INPUTS_H
#define CLI_BUDGET_INPUTS_H

#include "cli.h"

#include <calibrate/cpu.h>
#include <scenario.h>
#include <stdbool.h>
#include <study/budget.h>

enum {
    BUDGET_MOST_KERNELS = 256,
    BUDGET_MOST_INPUTS = BUDGET_MOST_KERNELS + 32,
    BUDGET_MOST_NOTES = 12,
    BUDGET_MOST_RECORDINGS = 64
};
/* A factor must stay above 0. */
#define BUDGET_MOST_UNCERTAIN 0.99

typedef enum input_kind {
    INPUT_FACTOR,    /* position: the factor */
    INPUT_PARAMETER, /* of --params; position: the factor */
    INPUT_ORDER,     /* position: 0 as asked for, 1 the other order */
    INPUT_BOUND,     /* position: 0 as asked for, otherwise 1 + a tlr_limit */
    INPUT_NOISE,     /* position: what is added to the seed */
    INPUT_FIXED      /* no replay changes it */
} input_kind;

/* How a replay has another value of an input. */
typedef struct input_change {
    input_kind kind;
    tlr_change change; /* INPUT_FACTOR, with another value */
    char parameter;    /* L, o, g, G or O */
    unsigned limits;   /* INPUT_BOUND: a bit for each tlr_limit but the assumed one */
    unsigned sides;    /* a bit for each prediction that depends on it; budget_add sets it */
} input_change;

typedef struct budget_given {
    const char *name;
    double uncertainty;
    bool is_used;
} budget_given;

typedef struct budget_inputs {
    cli_texts traces;                 /* one, or several recordings of one program */
    const char *trace;                /* that which is replayed */
    tlp_spread *spread;               /* NULL: one trace */
    size_t n_sides;                   /* 2: the budget is that of a difference */
    tlr_scenario sides[2];            /* the replays as asked for */
    unsigned side;                    /* whose inputs are being found */
    int shares_model, shares_network; /* both sides have the same one */
    int shares_cpu;                   /* CPU time of the recording takes as long on both */
    size_t n_given;
    budget_given given[BUDGET_MOST_INPUTS]; /* --uncertain */
    size_t n;
    tlr_budget_input inputs[BUDGET_MOST_INPUTS];
    input_change changes[BUDGET_MOST_INPUTS];
    size_t n_notes;
    tlr_budget_note notes[BUDGET_MOST_NOTES];
    /* Commands to type next: of the extrapolation, of bursts, of kernels without a measurement. */
    char next_capture[640], next_bursts[2048], next_kernels[320];
} budget_inputs;

/* Adds an input, of which no makespan is known yet (low and high are negative). There is room for
 * 32 besides BUDGET_MOST_KERNELS kernels. If the other side has it too, it is the same one. */
tlr_budget_input *budget_add(budget_inputs *b, const char *name, tlr_budget_source source,
                             const input_change *change, double uncertainty, const char *remedy);
/* "bandwidth", or "B:bandwidth" of a side that has another one than the other side. */
const char *budget_name(const budget_inputs *b, const char *name, bool is_shared, char *text,
                        size_t size);
/* Whether the user states the uncertainty of the input, or of its group; *uncertainty is kept
 * otherwise. */
int budget_find_given(budget_inputs *b, const char *name, const char *group, double *uncertainty);
/* Adds a line, at most BUDGET_MOST_NOTES of them. */
void budget_note(budget_inputs *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Finds the inputs of the prediction and their uncertainties. */
tl_status budget_find_inputs(budget_inputs *b, tl_error *err);
/* The position of an input as asked for. */
double budget_usual(const budget_inputs *b, size_t input);
/* The position of the k-th of the other bounds, from 0 on; 0 if there are fewer. */
double budget_other_bound(const input_change *change, unsigned k);
/* Gives the scenario of a side the inputs at these positions. */
tl_status budget_change(const budget_inputs *b, const double *positions, unsigned side,
                        tlr_scenario *s, tl_error *err);
/* Leaves out the inputs of which no replay ended. */
void budget_drop_unknown(budget_inputs *b);

/* extrapolation.c: adds the input "extrapolation" if the trace is a skeleton or has been
 * extrapolated, and the lines that say what nobody states. Without computation, there are only the
 * lines on calls. */
tl_status budget_add_extrapolation(budget_inputs *b, tl_error *err);

/* recordings.c: makes the recording with the median computation the trace of the budget. If there
 * are several, also measures how much their bursts differ. */
tl_status budget_read_recordings(budget_inputs *b, tl_error *err);
/* Gives the input "bursts" what the recordings tell of it. is_timed: they are in CPU time. */
void budget_use_recordings(budget_inputs *b, tlr_budget_input *bursts, bool is_timed);
/* The spread of each class of bursts, for the JSON; NULL: there is one recording. */
json_t *budget_classes_json(const tlp_spread *spread);

#endif
