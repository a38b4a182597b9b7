/* halves.h - the two sides of each message, and the parts of each collective, as they meet. They
 * are kept only if there is a timeline. */
#ifndef TLR_SMPI_HALVES_H
#define TLR_SMPI_HALVES_H

#include "actions.h"
#include "smpi/rank.h"

/* The position of a rank on alternative machines, in simulated seconds since the start of its job
 * (clocks.c). */
enum {
    CLOCK_NETWORK, /* on whatever network: at least */
    CLOCK_BALANCE, /* if every rank computed for the mean of all */
    CLOCK_CPU,     /* if it computed twice as fast */
    N_CLOCKS
};
typedef struct smpi_clocks {
    double s[N_CLOCKS];
} smpi_clocks;

/* A collective that some of its members have entered. */
typedef struct smpi_meeting {
    struct smpi_slot *slot;
    const tlr_plan_comm *comm;
    uint32_t n_left;
    int32_t last, root; /* world ranks; -1: nobody yet */
    double last_s, root_s;
    smpi_clocks all_clocks, root_clocks;
    struct smpi_entry {
        double at_s; /* negative: not yet */
        smpi_clocks clocks;
    } * entries; /* by member; NULL where nobody asks */
} smpi_meeting;

/* A rank's side of a message, or its part in a collective, from its start until the rank has waited
 * for it. */
typedef struct smpi_half {
    double at_s; /* when its call was entered */
    int64_t bytes;
    struct smpi_half *next; /* in the queue */
    struct smpi_slot *slot; /* of the queue; NULL: met, or a collective */
    uint32_t rank;
    int is_send;
    int is_bound;   /* a send that ends with its receive */
    int is_eager;   /* its data does not wait for the receive */
    int is_held;    /* by a request, or by the call at hand */
    int is_certain; /* it cannot end without the other side, on whatever network */
    smpi_clocks clocks;
    int is_met; /* other_s, other, other_is_eager and other_clocks are known */
    double other_s;
    smpi_clocks other_clocks;
    int32_t other; /* world rank; in a collective: of the root, or -1 */
    int other_is_eager;
    smpi_meeting *meeting;   /* NULL: a message */
    const tl_comm *topology; /* of a collective among neighbours */
    tl_needs needs;
} smpi_half;

/* ---- needs.c ---- */

tl_needs smpi_needs_of(const tl_event *e, const tl_call_info *info);
/* Nonzero if this holds for every algorithm, independently of the network. */
int smpi_needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info);

/* ---- halves.c ---- */

/* Adds a side of a message on communicator `comm` (of the plan). `what` has is_send, is_bound,
 * is_eager, bytes and clocks. The side meets the first waiting one of the other side, or waits
 * itself. */
smpi_half *smpi_post_half(const smpi_rank *r, const smpi_half *what, int32_t comm, int32_t peer,
                          int32_t tag);
/* The side was cancelled. */
void smpi_unpost_half(smpi_half *half);
/* No rank waits for the side any more. */
void smpi_release_half(smpi_half *half);

/* Adds the rank's part in the collective with this number on the communicator. `what` has needs,
 * other (the root), topology, is_certain and clocks. */
smpi_half *smpi_enter_meeting(const smpi_rank *r, const smpi_half *what, int32_t comm,
                              uint64_t number);
/* The world rank that came last among the ranks that this one needs and that have come, and the
 * moment when it came; -1: none. `clocks` get the latest of their clocks. */
int32_t smpi_last_needed(const smpi_half *half, double *entered_s, smpi_clocks *clocks);

/* ---- clocks.c ---- */

/* To be called before the first event of the rank. */
void smpi_clocks_open(const smpi_rank *r);
/* Advances the clocks: a rank computed; a call took its time without other ranks; a part of a
 * collective came. */
void smpi_clock_computation(const smpi_rank *r, smpi_clocks *clocks, double took_s,
                            double reference_s);
void smpi_clock_call(smpi_clocks *clocks, double took_s, int on_any_network);
void smpi_clock_join(smpi_clocks *clocks, const smpi_clocks *other);
/* Advances the clocks: a message or a collective ended, which took this time since both sides had
 * come. */
void smpi_clock_message(smpi_clocks *clocks, const smpi_half *half, const smpi_clocks *other,
                        double took_s);

#endif
