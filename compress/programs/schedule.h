/* schedule.h - an algorithm of a collective as a text: rounds of sends and receives
 * (doc/SCHEDULE.md).
 *
 * The text is parsed for one number of ranks and one root. Its expressions, let, for and if are
 * those of skeletons. Each rank's list of sends, receives and waits follows from it without a
 * simulation. The data flow is then checked: each rank must have what it sends, and must end with
 * what the collective promises. */
#ifndef TL_SCHEDULE_H
#define TL_SCHEDULE_H

#include "skeleton.h"

#include <stdbool.h>

typedef enum sched_operation {
    SCHED_ALLGATHER, /* in the order of sched_operations */
    SCHED_ALLREDUCE,
    SCHED_ALLTOALL,
    SCHED_BARRIER,
    SCHED_BCAST,
    SCHED_GATHER,
    SCHED_REDUCE,
    SCHED_REDUCE_SCATTER,
    SCHED_SCATTER,
    SCHED_N_OPERATIONS
} sched_operation;

extern const char *const sched_operations[SCHED_N_OPERATIONS];

/* A step of one rank. */
typedef struct sched_step {
    skel_kind kind; /* SCHED_SEND, SCHED_RECV, SCHED_COMBINE, SCHED_WAIT */
    bool all;
    uint32_t line;
    uint32_t peer;
    uint32_t blocks, n_blocks; /* in schedule.blocks; of a receive: those of its send */
    size_t partner;            /* the step at the other side */
} sched_step;

typedef struct schedule {
    skeleton s; /* path, statements, values of constants */
    sched_operation operation;
    uint32_t n_ranks, root, n_parts;
    int64_t bytes;     /* of the buffer or a rank's block; 0 if the text does not depend on it */
    skel_array steps;  /* sched_step */
    skel_array blocks; /* uint32_t */
    size_t *starts;    /* [n_ranks + 1] first step of each rank */
} schedule;

/* How many different blocks there are; each has a number below. */
static inline uint64_t sched_n_blocks(const schedule *s)
{
    switch (s->operation) {
    case SCHED_ALLTOALL: return (uint64_t)s->n_ranks * s->n_ranks;
    case SCHED_BARRIER: return 1;
    case SCHED_ALLGATHER:
    case SCHED_GATHER:
    case SCHED_SCATTER:
    case SCHED_REDUCE_SCATTER: return s->n_ranks;
    default: return s->n_parts;
    }
}

/* A block is a value to which ranks contribute, not a copy of what one rank has. */
static inline bool sched_is_combined(sched_operation operation)
{
    return operation == SCHED_ALLREDUCE || operation == SCHED_REDUCE ||
           operation == SCHED_REDUCE_SCATTER || operation == SCHED_BARRIER;
}

/* ---- schedule_read.c ---- */
tl_status sched_read(schedule *s, const char *source, tl_error *err);
/* ---- schedule_walk.c: the steps of all ranks ---- */
tl_status sched_walk(schedule *s, tl_error *err);
/* ---- schedule_flow.c: partners and data ---- */
tl_status sched_check(schedule *s, tl_error *err);

#endif
