/* check.h - which events can be performed, and the memory that they need. Without MPI, so that
 * 'timeless perform' can name what is not possible before anything is started. */
#ifndef PERFORM_CHECK_H
#define PERFORM_CHECK_H

#include <stdint.h>
#include <timeless.h>

typedef struct perform_needs {
    int64_t message_bytes;  /* of the largest buffer of a call */
    int64_t window_bytes;   /* of the largest access to a window */
    int64_t buffered_bytes; /* of all buffered sends */
    uint32_t n_ids;         /* 1 + the greatest id of a communicator, window or file */
    uint8_t *is_made;       /* by this id: an event makes it, it is not from before a cut */
    uint64_t n_refused;     /* events that cannot be performed */
    uint64_t refused[TL_CALL_LIMIT]; /* by their call */
} perform_needs;

/* Adds the needs of a rank; is_made is that of the last rank. The trace is valid (tlr_plan_make).
 */
tl_status perform_check(tl_reader *trace, uint32_t rank, perform_needs *needs, tl_error *err);
void perform_forget(perform_needs *needs); /* its memory */
/* The error that lists the refused calls. */
tl_status perform_refuse(const tl_reader *trace, const perform_needs *needs, tl_error *err);

#endif
