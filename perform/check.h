/* check.h - which events can be performed, and the memory that they need. Without MPI, so that
 * 'timeless perform' can name what is not possible before anything is started. */
#ifndef PERFORM_CHECK_H
#define PERFORM_CHECK_H

#include "kernels.h"

#include <replayer.h>
#include <stdint.h>
#include <timeless.h>

/* A kernel for which there is no routine. */
typedef struct perform_uncalled {
    const char *user; /* the name that the program gave; NULL: of a library */
    tl_event event;
    uint32_t rank;
    uint64_t count;
} perform_uncalled;

typedef struct perform_needs {
    int64_t message_bytes;  /* of the largest buffer of a call */
    int64_t window_bytes;   /* of the largest access to a window */
    int64_t buffered_bytes; /* of all buffered sends */
    uint32_t n_ids;         /* 1 + the greatest id of a communicator, window or file */
    uint8_t *is_made;       /* by this id: an event makes it, it is not from before a cut */
    uint64_t n_refused;     /* events that cannot be performed */
    uint64_t refused[TL_CALL_LIMIT]; /* by their call */

    int calls_kernels; /* set before: kernels are to be called */
    uint64_t n_bursts; /* computation that is no kernel */
    perform_kernel_needs kernels;
    size_t n_uncalled;
    perform_uncalled *uncalled;
} perform_needs;

/* Adds the needs of a rank; is_made is that of the last rank. The trace is valid (tlr_plan_make).
 */
tl_status perform_check(tl_reader *trace, uint32_t rank, perform_needs *needs, tl_error *err);
void perform_forget(perform_needs *needs); /* its memory */
/* The error that lists the refused calls. */
tl_status perform_refuse(const tl_reader *trace, const perform_needs *needs, tl_error *err);
/* If kernels are called: whether the model (NULL: none) has the time of all other computation. */
tl_status perform_check_model(const tl_reader *trace, const perform_needs *needs,
                              const tlr_model *model, tl_error *err);
/* The kernels without a routine, as "dgetrf 2x, user:sort 3x"; all, or those that the model does
 * not have. The result is their number. */
size_t perform_list_uncalled(const tl_reader *trace, const perform_needs *needs,
                             const tlr_model *model, char *text, size_t size);

#endif
