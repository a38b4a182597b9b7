/* steps.h - a run as a sequence of steps. A range of steps can be replayed without the others. */
#ifndef TLR_SAMPLE_STEPS_H
#define TLR_SAMPLE_STEPS_H

#include "sample/fit.h"

typedef struct tlr_steps tlr_steps;
struct tlr_steps {
    tlr_step_sums known; /* also the number of steps */
    size_t first_cut;    /* a window begins at step 0, or here, or later */
    size_t period;       /* steps after which the roles of the ranks repeat */
    const char *site;    /* of the marks (MPI_Pcontrol) where a step begins, as in tlr_mark */
    tl_reader *trace;    /* of the run */
    struct tlr_trace_steps *own; /* trace_steps.c's */
    /* A trace of the steps [from, past). Its ranks begin with these delays. The array must exist as
     * long as the trace. */
    tl_status (*open_window)(const tlr_steps *steps, size_t from, size_t past,
                             const int64_t *delays_ns, tl_reader **out, tl_error *err);
};

/* Finds the steps of a trace: HPL's panels, or the steps between passes of a repeated call.
 * TL_ERR_UNSUPPORTED if there are none. Call tlr_steps_close in any case. */
tl_status tlr_steps_open(tl_reader *trace, tlr_steps *out, tl_error *err);
void tlr_steps_close(tlr_steps *steps);

/* The steps of a recorded trace, `steps->trace` (trace_steps.c). */
tl_status tlr_trace_steps_open(tlr_steps *steps, tl_error *err);
void tlr_trace_steps_free(struct tlr_trace_steps *own);

#endif
