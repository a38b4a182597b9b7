/* goal.h - a run as a graph of operations, for goal.c, goal_load.c and goal_replay.c alone. */
#ifndef TLR_LOGGOPS_GOAL_H
#define TLR_LOGGOPS_GOAL_H

#include "loggops.h"

#include <timeless_convert.h>

#define GOAL_NONE UINT32_MAX
enum { GOAL_SEND, GOAL_RECV, GOAL_CALC, GOAL_KINDS };
enum {
    GOAL_DONE = 1,
    GOAL_IS_BOUND = 2, /* a message: `n_open` is the receive that takes it */
    GOAL_IS_TAKEN = 4, /* a message without a receive: the CPU has taken it in; in LogGOPSim's
                          order any message, and a computation that has begun */
    GOAL_IS_SENT = 8,  /* LogGOPSim's order: it is a message now */
    GOAL_WAITS = 16    /* LogGOPSim's order: in the queue of its group */
};

/* An operation. A send becomes its message when it is done. */
typedef struct goal_op {
    uint64_t amount; /* bytes of a message, picoseconds of a computation */
    union {
        uint64_t ready_ps; /* when all operations that it requires are done */
        uint64_t number;   /* in LogGOPSim's order: number of operations inserted earlier */
    };
    uint32_t n_open; /* number of required operations that are not done */
    uint32_t next;   /* in its list */
    uint32_t slot;   /* of a message */
    uint32_t group;  /* of the operation */
    union {
        uint32_t message_group; /* of the message that a receive takes; in LogGOPSim's order, of the
                                   message that a send becomes */
        uint32_t behind;        /* of a message: the next message without a receive */
    };
    uint8_t kind, state;
} goal_op;

typedef struct goal_list {
    uint32_t first, last;
} goal_list;

/* A CPU of a rank. */
typedef struct goal_stream {
    uint64_t free_ps, wake_ps; /* when the CPU is free; when the next event looks at its groups, or
                                  UINT64_MAX: no event */
    uint32_t rank, first_group, n_waiting;
} goal_stream;

/* A queue of work that waits for the same CPU and, if the work is to send or to receive messages,
 * for the same side of an interface. An element is 2 * operation, or 2 * operation + 1 for the
 * message of this operation. The elements are in the order in which they could start if
 * CPU and interface were free. */
typedef struct goal_group {
    uint32_t stream, side; /* side GOAL_NONE: the work needs no interface */
    goal_list queue;
    uint32_t next; /* of the stream */
} goal_group;

/* The messages from one rank to another with one tag, and their receives. For receives from any
 * source, `from` is GOAL_NONE; for receives of any tag, `tag` is UINT64_MAX. */
typedef struct goal_slot {
    uint32_t from, to;
    uint64_t tag;
    uint32_t n_sends, n_receives, first_op;
    /* The slot whose lists this slot uses. If the rank has a receive from any source or of any tag,
     * all its slots use the lists of one slot; otherwise each slot uses its own. */
    uint32_t lists;
    /* The first message that arrives matches the first receive that is posted. What comes first
     * waits here: receives in `posted`, messages in `unexpected`. A message waits also if the CPU
     * has handled it already. */
    goal_list posted, unexpected;
    uint32_t group; /* of the messages of all receives; GOAL_NONE: they differ */
} goal_slot;

typedef struct goal_event {
    uint64_t time_ps;
    uint32_t id, kind;
} goal_event;

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
    int is_loggopsim;        /* LogGOPSim's order: goal_loggopsim.c */
    uint32_t n_cpus, n_nics; /* the most of any rank; in LogGOPSim's order all ranks have as many */
    goal_slot *slots;
    uint32_t n_slots;
    uint32_t *first_op; /* by rank, and the end */
    /* The simulation. */
    const loggops_params *params;
    const tlr_noise *noise; /* NULL: none */
    goal_event *heap;
    size_t n_events, room;
    int out_of_memory;
    uint32_t *ready, n_ready; /* operations that require nothing; LogGOPSim's order: nothing more */
    uint32_t n_numbers;       /* LogGOPSim's order */
    uint64_t n_done;
    loggops_rank_result *ranks; /* end, computation, p2p: overheads, noise */
    uint64_t makespan_ps;
} goal_run;

tl_status goal_load(const char *path, int no_compute, int is_loggopsim, goal_run *run,
                    tl_error *err);
void goal_free(goal_run *run);
/* Simulates a run that has just been loaded. */
tl_status goal_simulate(goal_run *run, const loggops_params *params, const tlr_noise *noise,
                        tl_error *err);

/* ---- of goal.c, for both orders ---- */

void goal_push(goal_run *run, uint64_t time_ps, uint32_t kind, uint32_t id);
uint64_t goal_per_bytes(double ps_byte, uint64_t bytes);
/* A CPU works; returns when it ends. */
uint64_t goal_occupy(goal_run *run, goal_stream *cpu, tlr_work kind, uint64_t from_ps,
                     uint64_t work_ps);
/* Takes the message for a receive, or the receive for a message. GOAL_NONE: it waits for one. */
uint32_t goal_take_message(goal_run *run, uint32_t receive);
uint32_t goal_take_receive(goal_run *run, uint32_t message);
static inline goal_stream *goal_stream_of(const goal_run *run, uint32_t group)
{
    return &run->streams[run->groups[group].stream];
}

/* ---- goal_loggopsim.c ---- */

void goal_loggopsim_begin(goal_run *run);
void goal_loggopsim_step(goal_run *run, const goal_event *e);
void goal_loggopsim_end(goal_run *run);

#endif
