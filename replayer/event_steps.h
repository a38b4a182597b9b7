/* event_steps.h - the events of one rank as steps: what both engines must know of an event before
 * they give it its time.
 *
 * Here is decided, once for both engines, which events take no time, which numbers the requests
 * have, which blocking receives have a known partner, which collectives run beside the program, and
 * where the marks are. */
#ifndef TLR_EVENT_STEPS_H
#define TLR_EVENT_STEPS_H

#include "open_receives.h"
#include "plan.h"
#include "request_slots.h"

#include <stdbool.h>

typedef enum tlr_step_kind {
    TLR_STEP_NOTHING, /* the next event is entered, and has the time of both */
    TLR_STEP_LOCAL,   /* takes no time; the computation before it continues up to the next event */
    TLR_STEP_REQUEST, /* takes no time either: makes, cancels or frees a request */
    TLR_STEP_CALL
} tlr_step_kind;

#define TLR_NO_MARK SIZE_MAX

typedef struct tlr_step {
    const tl_call_info *info;
    tlr_step_kind kind;
    uint32_t entered; /* request of the collective, which an Enter event began; 0: none */
    size_t mark;      /* index of the mark that the rank passes, or TLR_NO_MARK */
} tlr_step;

/* The state of a rank between two events. The engine sets the first members; the rest begins as
 * zero. */
typedef struct tlr_walk {
    tlr_plan *plan;
    tl_reader *trace;
    uint32_t rank;
    bool is_free;       /* receives from any source take whatever arrives first */
    double *measured_s; /* gets the times of the marks: [mark][rank]; or NULL */

    tlr_renumbering renumbering; /* unused if the rank's requests keep their numbers */
    uint32_t entered;
    bool has_match; /* the outcome of the blocking receive that follows */
    int32_t match_source, match_tag;
    uint64_t *n_passed; /* marks, by the call sites of the plan; NULL: none yet */
    tlr_open_receives *ahead;
} tlr_walk;

/* Takes the next event of the rank. Its requests are renumbered where the plan wants it; its list
 * is then valid until the next step. A blocking receive whose match is known gets its source and
 * its tag. TL_ERR_MEMORY. */
tl_status tlr_walk_step(tlr_walk *w, tl_event *event, tlr_step *out, tl_error *err);
/* Source and tag that the next open receive (open_receives.h) had in the run. */
tl_status tlr_walk_outcome(tlr_walk *w, int32_t *source, int32_t *tag, tl_error *err);
void tlr_walk_close(tlr_walk *w);

/* Whether blocking collectives on this communicator run beside the program, as nonblocking ones,
 * because threads enter some of them by Enter events, and blocking and nonblocking collectives do
 * not match. */
bool tlr_walk_is_entered(const tlr_walk *w, uint32_t comm);

#endif
