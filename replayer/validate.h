/* validate.h - what an engine may rely on, checked once, as the plan reads the trace.
 *
 * Of every event that is modelled:
 *   - it fills no slot that its row does not have;
 *   - counts and sizes are not negative, and all bytes that a call moves fit into 63 bits;
 *   - its communicator is one, or a window or a file where the call wants that;
 *   - a peer or root is a rank there, or one of the constants that the call takes;
 *   - the list has one element for each rank or neighbour that the call names.
 * Of every event:
 *   - a request is made before it is started, started before it is completed, completed once, and
 *     no other has its number meanwhile;
 *   - a match belongs to a receive, and its source is a rank of that receive's communicator.
 * Programs that make events themselves (compress/programs/) keep to this by construction.
 */
#ifndef TLR_VALIDATE_H
#define TLR_VALIDATE_H

#include "plan.h"
#include "request_slots.h"

#include <stdbool.h>

/* A communicator as the event's rank sees it. */
typedef struct tlr_party {
    const tl_comm *definition; /* NULL: MPI_COMM_WORLD or MPI_COMM_SELF */
    uint32_t id;
    tlr_kind kind;
    uint32_t n_own, n_peers; /* ranks of the own group; those that a peer can be */
    uint32_t n_all;          /* of both groups */
    bool is_inter;
    uint32_t n_sources, n_destinations; /* neighbours */
} tlr_party;

/* The state of a rank while its events are read. Ranks with the same events are checked by the
 * first of them. */
typedef struct tlr_validation {
    tl_reader *trace;
    const tlr_plan *plan;
    tl_error *err;
    uint32_t rank;
    uint64_t index;  /* of the event at hand */
    tlr_party party; /* of the last event that has a communicator: most have the same */
    tlr_requests requests;
    uint32_t max_id;
    uint64_t n_loose; /* as in tlr_plan */
    bool has_match;   /* the outcome of the blocking receive that follows is known */
    int32_t match_peer;
    uint8_t *windows;  /* what is open or freed, by the rank's id */
    uint8_t *is_named; /* ranks in the list at hand; all zero otherwise */
} tlr_validation;

/* The communicators must have been set. */
tl_status tlr_validation_open(tlr_validation *v, tl_reader *trace, const tlr_plan *plan,
                              uint32_t rank, tl_error *err);
/* Checks the next event of the rank. */
tl_status tlr_validate(tlr_validation *v, const tl_event *event, const tl_call_info *info,
                       bool is_modelled);
/* Sets the numbers of the rank's requests: sparse if they are much greater than the number of
 * requests in use at the same time. */
void tlr_validation_close(tlr_validation *v, tlr_plan_rank *rank);

#endif
