/* smpi_halves.h - the two sides of each message, and the parts of each collective, as they find one
 * another; only while a timeline is kept. */
#ifndef TLR_SMPI_HALVES_H
#define TLR_SMPI_HALVES_H

#include "smpi_rank.h"

/* What a rank that takes part in a collective cannot leave without. */
typedef enum smpi_needs {
    NEEDS_NOTHING,
    NEEDS_ALL,
    NEEDS_ROOT,        /* but the root itself nothing */
    NEEDS_ALL_AT_ROOT, /* the root all, the others nothing */
    NEEDS_LOWER,       /* the ranks below */
    NEEDS_NEIGHBOURS   /* its sources in the topology */
} smpi_needs;

/* A collective that some of its members have entered. */
typedef struct smpi_meeting {
    struct smpi_slot *slot;
    const tlr_plan_comm *comm;
    uint32_t n_entered, n_left;
    int32_t last, root; /* world ranks; -1: nobody yet */
    double last_s, root_s;
    double *entered_s; /* by member, negative: not yet; NULL where nobody asks */
} smpi_meeting;

/* A rank's side of a message, or its part in a collective, from its start until it was waited for.
 */
typedef struct smpi_half {
    double at_s; /* when its call was entered */
    int64_t bytes;
    struct smpi_half *next; /* in the queue */
    struct smpi_slot *slot; /* of the queue; NULL: met, or a collective */
    uint32_t rank;
    int is_send;
    int is_bound; /* a send that ends with its receive */
    int is_eager; /* its data does not wait for the receive */
    int is_held;  /* by a request, or by the call at hand */
    int is_met;   /* other_s, other, and other_is_eager are known */
    double other_s;
    int32_t other; /* world rank; in a collective: of the root */
    int other_is_eager;
    smpi_meeting *meeting;   /* NULL: a message */
    const tl_comm *topology; /* of a collective among neighbours */
    smpi_needs needs;
} smpi_half;

/* A side of a message on communicator `comm` (of the plan), of which `what` says is_send, is_bound,
 * is_eager and bytes.  It meets the first one of the other side that waits, or waits itself. */
smpi_half *smpi_post_half(const smpi_rank *r, const smpi_half *what, int32_t comm, int32_t peer,
                          int32_t tag);
/* It was taken back. */
void smpi_unpost_half(smpi_half *half);
/* Nobody waits for it any more. */
void smpi_release_half(smpi_half *half);

/* The rank's part in the collective with this number on the communicator; `root` is a world rank,
 * or -1. */
smpi_half *smpi_enter_meeting(const smpi_rank *r, int32_t comm, uint64_t number, smpi_needs needs,
                              int32_t root, const tl_comm *topology);
/* World rank of the one that came last of those that this one needs, among those that came, and
 * when; -1: none. */
int32_t smpi_last_needed(const smpi_half *half, double *entered_s);

#endif
