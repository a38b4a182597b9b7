/* halves.h - the two sides of each message, and the parts of each collective, as they meet. They
 * are kept only if there is a timeline. */
#ifndef TLR_HALVES_H
#define TLR_HALVES_H

#include "actions.h"
#include "chosen.h"
#include "plan.h"

/* The position of a rank on alternative machines, in simulated seconds since the start of its
 * job. */
enum {
    CLOCK_NETWORK, /* on whatever network: at least */
    CLOCK_BALANCE, /* if every rank computed for the mean of all */
    CLOCK_CPU,     /* if it computed twice as fast */
    N_CLOCKS
};
typedef struct tlr_clocks {
    double s[N_CLOCKS];
} tlr_clocks;

/* A collective that some of its members have entered. */
typedef struct tlr_meeting {
    struct tlr_slot *slot;
    const tlr_plan_comm *comm;
    uint32_t n_left;
    int32_t last, root; /* world ranks; -1: nobody yet */
    double last_s, root_s;
    tlr_clocks all_clocks, root_clocks;
    tlr_walked last_walked, root_walked;
    struct tlr_entry {
        double at_s; /* negative: not yet */
        tlr_clocks clocks;
        tlr_walked walked;
    } * entries; /* by member; NULL where nobody asks */
} tlr_meeting;

/* A rank's side of a message, or its part in a collective, from its start until the rank has waited
 * for it. */
typedef struct tlr_half {
    double at_s; /* when its call was entered */
    uint32_t job;
    int64_t bytes;
    struct tlr_half *next; /* in the queue */
    struct tlr_slot *slot; /* of the queue; NULL: met, or a collective */
    uint32_t rank;
    int is_send;
    int is_bound;   /* a send that ends with its receive */
    int is_eager;   /* its data does not wait for the receive */
    int is_held;    /* by a request, or by the call at hand */
    int is_certain; /* it cannot end without the other side, on whatever network */
    tlr_clocks clocks;
    tlr_walked walked; /* what leads to at_s; 0 if nobody asks */
    int is_met;        /* other_s, other, other_is_eager, other_clocks and other_walked are known */
    double other_s;
    tlr_clocks other_clocks;
    tlr_walked other_walked;
    int32_t other; /* world rank; in a collective: of the root, or -1 */
    int other_is_eager;
    tlr_meeting *meeting;    /* NULL: a message */
    const tl_comm *topology; /* of a collective among neighbours */
    tl_needs needs;
} tlr_half;

/* The sides that have not met, and the collectives under way. Begins as { .allocate = ... }. */
typedef struct tlr_halves {
    size_t n, n_buckets; /* a power of two */
    struct tlr_slot **buckets;
    void *(*allocate)(size_t n, size_t size); /* as calloc */
} tlr_halves;

/* ---- halves.c ---- */

/* Adds a side of a message on communicator `comm` (of the plan). `what` has job, rank, at_s,
 * is_send, is_bound, is_eager, bytes and clocks. The side meets the first waiting one of the other
 * side, or waits itself. NULL without memory. */
tlr_half *tlr_post_half(tlr_halves *halves, const tlr_half *what, int32_t comm, int32_t peer,
                        int32_t tag);
/* The side was cancelled. */
void tlr_unpost_half(tlr_halves *halves, tlr_half *half);
/* No rank waits for the side any more. */
void tlr_release_half(tlr_halves *halves, tlr_half *half);

/* Adds the rank's part in the collective with this number on the communicator `comm` of the plan.
 * `what` has job, rank, at_s, needs, other (the root), topology, is_certain and clocks. NULL
 * without memory. */
tlr_half *tlr_enter_meeting(tlr_halves *halves, const tlr_half *what, const tlr_plan *plan,
                            int32_t comm, uint64_t number);
/* The world rank that came last among the ranks that this one needs and that have come, and the
 * moment when it came, and what led there; -1: none. `clocks` get the latest of their clocks. */
int32_t tlr_last_needed(const tlr_half *half, double *entered_s, tlr_clocks *clocks,
                        tlr_walked *walked);
/* Frees all that is left. */
void tlr_halves_close(tlr_halves *halves);

/* ---- waits.c ---- */

/* What a message costs: the time of one that uses the network alone, which decides between messages
 * that are waited for together; the overhead that the processor of this side pays for it. */
typedef struct tlr_message_times {
    double (*message_s)(const void *context, const tlr_half *half);
    double (*overhead_s)(const void *context, const tlr_half *half);
    const void *context;
} tlr_message_times;

/* A call ends, whose job, rank, begin and end `state` has: fills in for whom it waited and what
 * ended it, and advances the rank's clocks and, unless it is NULL, what leads to its end. `now` are
 * the sides that it completes; on_any_network: the call takes its time on whatever network. 0
 * without memory. */
int tlr_end_waits(tlr_half *const *now, size_t n, const tlr_message_times *times,
                  int on_any_network, tlr_clocks *clocks, tlr_walked *walked, tlr_state *state);
/* The rank went on by a state for which it needed nobody else. */
void tlr_walk_on(tlr_walked *walked, const tlr_state *state);
/* Advances the clocks: a call took its time without other ranks; a part of a collective came. */
void tlr_clock_call(tlr_clocks *clocks, double took_s, int on_any_network);
void tlr_clock_join(tlr_clocks *clocks, const tlr_clocks *other);

#endif
