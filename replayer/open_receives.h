/* open_receives.h - the message that a receive from any source, or with any tag, took in the
 * recorded run.
 *
 * The trace contains the match when the receive completes, which is later than it is posted. A
 * second cursor therefore reads ahead of the rank. It follows the open receives in the order in
 * which they are posted, up to the match of the receive that the rank posts now. */
#ifndef TLR_OPEN_RECEIVES_H
#define TLR_OPEN_RECEIVES_H

#include <stdbool.h>
#include <timeless.h>

typedef struct tlr_open_receives tlr_open_receives;

/* Nonzero if a nonblocking or persistent receive does not name its source or tag, so that the
 * outcome of the run decides. The caller excludes receives on communicators that it does not have.
 */
bool tlr_receive_is_open(const tl_event *receive);

/* `is_sparse`: the caller numbers requests anew (request_slots.h); every number is a number of the
 * trace otherwise. `has_comm` is nonzero for the communicators that the caller has. */
tl_status tlr_open_receives_make(tl_reader *trace, uint32_t rank, bool is_sparse,
                                 bool (*has_comm)(const void *arg, uint32_t comm), const void *arg,
                                 tlr_open_receives **out, tl_error *err);
/* Source and tag of the message that the next open receive took, in the order in which they are
 * posted or started. The values stay as they are if it took none, except that the source becomes
 * TL_PROC_NULL. */
tl_status tlr_open_receives_next(tlr_open_receives *r, int32_t *source, int32_t *tag,
                                 tl_error *err);
void tlr_open_receives_free(tlr_open_receives *r);

#endif
