/* goal.h - a run as a graph of operations, with several CPUs and network interfaces in a rank.
 *
 * goal_load.c reads it, and goal.c lets the ranks of a simulation (simulate.h) execute it. */
#ifndef TLR_LOGGOPS_GOAL_H
#define TLR_LOGGOPS_GOAL_H

#include "loggops.h"

#include <timeless_convert.h>

#define GOAL_NONE UINT32_MAX
enum { GOAL_SEND, GOAL_RECV, GOAL_CALC, GOAL_KINDS };
typedef struct goal_op {
    uint64_t amount;   /* bytes of a message, picoseconds of a computation */
    uint64_t ready_ps; /* when all operations that it requires are done */
    union {
        uint32_t n_open; /* number of required operations that are not done */
        uint32_t child;  /* of an operation in the heap of its rank */
    };
    uint32_t next; /* in its list or heap */
    uint32_t slot; /* of a message */
    uint32_t group;
    uint32_t message_group; /* of the message that a receive takes */
    uint8_t kind, is_done;
} goal_op;

/* A CPU of a rank. */
typedef struct goal_stream {
    uint64_t free_ps, wake_ps; /* when the CPU is free; when it looks at its groups next, or
                                  UINT64_MAX: not before it gets work */
    uint32_t rank, first_group, n_waiting;
} goal_stream;

/* A queue of work that waits for the same CPU and, if the work is to send or to receive messages,
 * for the same side of an interface. The elements are in the order in which they could start if
 * CPU and interface were free: messages of the simulation, or 2 * operation, or 2 * operation + 1
 * for the end of a receive. */
typedef struct goal_group {
    uint32_t stream;
    uint32_t side; /* even: it sends; odd: it receives; GOAL_NONE: the work needs no interface */
    queue queue;
    uint32_t next; /* of the stream */
} goal_group;

/* The messages from one rank to another with one tag, and their receives. For receives from any
 * source, `from` is GOAL_NONE; for receives of any tag, `tag` is UINT64_MAX. */
typedef struct goal_slot {
    uint32_t from, to;
    uint64_t tag;
    uint32_t n_sends, n_receives, first_op;
    /* If the rank has a receive from any source or of any tag, all its slots match as one slot;
     * otherwise each slot is alone. */
    uint32_t lists;
    int32_t number; /* the tag in the simulation */
    uint32_t group; /* of the messages of all receives of `lists`; GOAL_NONE: they differ */
    /* The first message that arrives matches the first receive that is posted. What comes first
     * waits here: items of the simulation. */
    queue posted, unexpected;
} goal_slot;

/* A rank in a simulation. */
typedef struct goal_rank {
    uint64_t end_ps;
    uint32_t pending; /* heap of the operations that require nothing more, by ready_ps */
    uint32_t n_open;  /* number of operations that are not done */
    uint32_t first_stream, first_side;
    uint32_t lists; /* goal_slot.lists of all its slots; GOAL_NONE: they are alone */
} goal_rank;

typedef struct goal_run {
    const char *path;
    uint32_t n_ranks, n_ops;
    goal_op *ops;
    uint64_t *places;     /* in the file */
    uint64_t *first_edge; /* by operation, and the end */
    uint32_t *edges;      /* 2 * operation that requires it, or that and 1: that requires its end */
    goal_stream *streams;
    goal_group *groups;
    uint64_t *side_free_ps; /* of the sending and the receiving side of each interface */
    uint32_t n_streams, n_sides, n_groups;
    goal_slot *slots;
    uint32_t n_slots;
    uint32_t *first_op; /* by rank, and the end */
    goal_rank *ranks;   /* and the end */
} goal_run;

tl_status goal_load(const char *path, goal_run *run, tl_error *err);
void goal_free(goal_run *run);
/* Refuses a run that has been simulated if some operations are not done. */
tl_status goal_check_end(const goal_run *run, tl_error *err);
static inline goal_stream *goal_stream_of(const goal_run *run, uint32_t group)
{
    return &run->streams[run->groups[group].stream];
}

/* A run of the simulation that executes a graph that has just been loaded. NULL without memory. */
loggops_run *goal_make_run(goal_run *graph);
#endif
