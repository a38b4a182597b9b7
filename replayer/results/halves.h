/* halves.h - matches the two sides of each message, and the parts of each collective, to find which
 * rank waits for which.
 *
 * Only replays with a timeline use it. A half is one side of a message, or the part of one rank in
 * a collective. A call releases its halves when the rank has waited for them. */
#ifndef TLR_HALVES_H
#define TLR_HALVES_H

#include "actions.h"
#include "chosen.h"
#include "plan.h"

#include <stdbool.h>

/* The time of a rank on alternative machines, in simulated seconds since the start of its job. */
enum {
    CLOCK_NETWORK, /* lower bound for any network */
    CLOCK_BALANCE, /* if every rank computes for the mean of all ranks in each phase (phases.h) */
    CLOCK_CPU,     /* if every rank computes twice as fast */
    N_CLOCKS
};
typedef struct tlr_clocks {
    double s[N_CLOCKS];
} tlr_clocks;

/* A collective that some of its members have entered. */
typedef struct tlr_meeting {
    struct tlr_slot *slot;
    const tlr_plan_comm *comm;
    uint32_t n_left;       /* number of halves that are not released */
    int32_t last, root;    /* world ranks: the last rank that entered, the root; -1: none yet */
    double last_s, root_s; /* when they entered */
    tlr_clocks all_clocks, root_clocks;
    tlr_walked last_walked, root_walked;
    struct tlr_entry {
        double at_s; /* when the member entered; negative: not yet */
        tlr_clocks clocks;
        tlr_walked walked;
    } * entries; /* by member; NULL: not needed */
} tlr_meeting;

/* One side of a message, or the part of a rank in a collective. It exists from its start until the
 * rank has waited for it. */
typedef struct tlr_half {
    double at_s; /* when its call began */
    uint32_t job;
    int64_t bytes;         /* of a receive: known when it has met its send */
    struct tlr_half *next; /* in the queue */
    struct tlr_slot *slot; /* of the queue; NULL: it met its other side, or is a collective */
    uint32_t rank;
    bool is_send;
    bool is_bound;   /* a send that ends with its receive */
    bool is_eager;   /* its data does not wait for the receive */
    bool is_held;    /* a request, or the current call, refers to it */
    bool is_certain; /* on any network, it cannot end without the other side */
    tlr_clocks clocks;
    tlr_walked walked; /* the critical path to at_s; 0: not wanted */
    bool is_met;       /* other_s, other, other_is_eager, other_clocks and other_walked are known */
    double other_s;    /* when the call of the other side began */
    tlr_clocks other_clocks;
    tlr_walked other_walked;
    int32_t other; /* world rank; in a collective: of the root, or -1 */
    bool other_is_eager;
    tlr_meeting *meeting;    /* of a collective; NULL: a message */
    const tl_comm *topology; /* of a collective among neighbours */
    tl_needs needs;          /* of a collective: for which ranks this one waits */
} tlr_half;

/* The halves that have not met, and the collectives under way. Initialise it as
 * { .allocate = ... }. */
typedef struct tlr_halves {
    size_t n, n_buckets; /* a power of two */
    struct tlr_slot **buckets;
    void *(*allocate)(size_t n, size_t size); /* as calloc */
} tlr_halves;

/* ---- halves.c ---- */

/* Adds one side of a message on the communicator `comm` of the plan. The caller sets job, rank,
 * at_s, is_send, is_bound, is_eager, bytes and clocks of `what`. The new half meets the first
 * waiting half that fits it; otherwise it waits. NULL without memory. */
tlr_half *tlr_post_half(tlr_halves *halves, const tlr_half *what, int32_t comm, int32_t peer,
                        int32_t tag);
/* Removes a half whose call was cancelled. */
void tlr_unpost_half(tlr_halves *halves, tlr_half *half);
/* Releases a half for which its rank no longer waits. */
void tlr_release_half(tlr_halves *halves, tlr_half *half);

/* Adds the part of a rank in a collective: number `number` on the communicator `comm` of the plan.
 * The caller sets job, rank, at_s, needs, other (the root), topology, is_certain and clocks of
 * `what`. NULL without memory. */
tlr_half *tlr_enter_meeting(tlr_halves *halves, const tlr_half *what, const tlr_plan *plan,
                            int32_t comm, uint64_t number);
/* Of the ranks that this one needs and that have entered the collective, returns the world rank of
 * the last one; -1 if there is none. *entered_s is when it entered, *walked the critical path to
 * that time, and *clocks the latest of the clocks of these ranks. */
int32_t tlr_last_needed(const tlr_half *half, double *entered_s, tlr_clocks *clocks,
                        tlr_walked *walked);
/* Frees everything. */
void tlr_halves_close(tlr_halves *halves);

/* ---- waits.c ---- */

/* The costs of a message. If a call waits for several messages, message_s decides which ended it.
 */
typedef struct tlr_message_times {
    /* seconds on a network without other messages */
    double (*message_s)(const void *context, const tlr_half *half);
    /* CPU seconds of this side */
    double (*overhead_s)(const void *context, const tlr_half *half);
    const void *context;
} tlr_message_times;

/* Describes a call that ends. The caller sets job, rank, begin_s and end_s of *state, and `now` to
 * the halves that the call completes. The function fills in for which rank the call waited and what
 * ended it. It advances the clocks of the rank and, unless it is NULL, its critical path *walked.
 * on_any_network: the call takes the same time on any network. 0 without memory. */
int tlr_end_waits(tlr_half *const *now, size_t n, const tlr_message_times *times,
                  int on_any_network, tlr_clocks *clocks, tlr_walked *walked, tlr_state *state);
/* Extends the critical path of a rank by a state in which it waited for no other rank. */
void tlr_walk_on(tlr_walked *walked, const tlr_state *state);
/* Advances the clocks to at least the clocks `other` of a rank that entered the same collective. */
void tlr_clock_join(tlr_clocks *clocks, const tlr_clocks *other);

#endif
