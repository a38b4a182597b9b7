/* simulate.h - the state of a LogGOPS simulation (the model is in loggops.h).
 *
 * Words of this header:
 *   window   The simulation advances in windows of time, not longer than the smallest latency. What
 *            arrives in a window was sent in an earlier one, so within a window each rank runs by
 *            itself. simulate.c explains this.
 *   block    ranks with neighbouring numbers, which one thread runs in a window
 *   step     the next operation of a rank, or the next step of its collective
 *   fiber    a nonblocking collective, which advances beside the program of its rank
 *   arrival  a message that has reached its receiver's block; the rank has not handled it yet
 *
 * Only simulate.c and the files that it is made of include this header: access, fiber, goal, nodes,
 * order, pool, queue, rank, record, retransmit, sharing, stretch, team, transfer, wheel. */
#ifndef TLR_LOGGOPS_SIMULATE_H
#define TLR_LOGGOPS_SIMULATE_H

#include "loggops.h"

#include <pthread.h>
#include <stdbool.h>

enum { WHEEL_BITS = 6, WHEEL_SLOTS = 1 << WHEEL_BITS, WHEEL_LEVELS = 11 };
/* A rank may send for so many later windows; block.ahead_filled has a bit for each. */
enum { AHEAD_WINDOWS = 64 };
/* block.failures: nothing to allocate, no operations from the feed, a moment that is too late. */
enum { NO_MEMORY = 1, NO_FEED = 2, TOO_LATE = 4 };
enum { APART_BYTES = 128 }; /* two cache lines, which are fetched together */

#define NONE UINT32_MAX
#define NEVER UINT64_MAX

static inline uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}
static inline uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Values of message.context for messages of the engine itself. They have the bit CLEARED, which no
 * context of a communicator has. A rendezvous uses them in this order:
 *   MATCHED   a receive has taken the message, and the transfer begins at message.time_ps
 *   HELD      the same, but the transfer begins when the receiver is in a call (answers_in_calls)
 *   ANSWERED  the answer to the sender, which starts the data when it is in a call (the same)
 *   CLEARED   tells the adapter of the sender that the data may leave
 *   DATA      the data
 *   REPLY     tells the sender that its request is done
 * In MATCHED and HELD messages, the tag is the request of the receive. All but REPLY may have the
 * bit COMBINES: the receive is a reduction. */
#define REPLY UINT32_MAX
#define CLEARED (UINT32_C(1) << 31)
#define DATA (CLEARED | 1)
#define COMBINES UINT32_C(2)
#define MATCHED (CLEARED | 4)
#define HELD (CLEARED | 8)
#define ANSWERED (CLEARED | 16)
/* Tells a node that a message which shares the adapter of its sender begins to come; if the request
 * is NONE, that the message has come. */
#define TRAFFIC (CLEARED | 32)
#define ACTS UINT32_C(28) /* the bits of MATCHED, HELD and ANSWERED, on which the engine acts */

/* Values of `request` for what is not a request of the program. */
#define OF_CALL UINT32_MAX             /* a blocking call */
#define OF_COLLECTIVE (UINT32_MAX - 1) /* the blocking collective that the rank executes */
#define EAGER (UINT32_MAX - 2)         /* none: the sender does not wait */
#define OF_BUFFERED (UINT32_MAX - 3)   /* a blocking send that ends when its rest is buffered */
#define UNAWAITED (UINT32_MAX - 4)     /* none: the sender of a long message does not wait */
#define OF_FIBER (UINT32_C(1) << 31)   /* OF_FIBER + i: fiber number i */

/* What the program of a rank does. */
enum { RUNNING = 0, IN_CALL, IN_WAIT, IN_COLLECTIVE, FINISHED };

/* The state of a request. It has no time: an event that completes a request also occupies the CPU
 * until then, so the program cannot see a request that is done too early. */
enum { REQUEST_FREE = 0, REQUEST_PENDING, REQUEST_AWAITED, REQUEST_DONE };

/* A message from its send to its receive. It fills one cache line. */
typedef struct message {
    uint64_t time_ps; /* of arrival */
    uint64_t bytes;
    uint32_t context; /* communicator, and whether it belongs to a collective; or REPLY, ... */
    int32_t tag;
    int32_t source, to;   /* ranks in the run */
    uint32_t request;     /* of the sender, if it is a rendezvous; otherwise EAGER */
    uint32_t next;        /* in its list */
    uint32_t sent;        /* number of the message among those of its sender; may wrap around */
    uint8_t may_overtake; /* an earlier message of its sender may still be under way: order.c */
    uint8_t takes_turns;  /* NO_TURN, ... */
    uint16_t way;         /* loggops_way_between its nodes; 0: it was not looked up */
    uint64_t left_ps;     /* of DATA and of messages that take turns: when the first byte left */
    uint32_t flow;        /* its flow through links (links.c) + 1; HAS_PASSED, ...; 0: none */
    uint32_t operation;   /* of a graph: that sent it; otherwise 0 */
} message;
_Static_assert(sizeof(message) == 64, "a message fills one cache line");

/* message.takes_turns: whether an eager message shares the adapter that it leaves (sharing.c).
 * IS_KNOWN: the receiving adapter has the message already; this copy stays until the message has
 * left. */
enum { NO_TURN = 0, TAKES_TURNS, IS_KNOWN };
/* Values of message.flow: its flow has ended, and its adapters decide when it arrives, or links. */
#define HAS_PASSED UINT32_MAX
#define HAS_SHARED (UINT32_MAX - 1)

/* A posted receive. */
typedef struct receive {
    uint32_t context;
    int32_t tag, source;
    uint32_t request;
    uint32_t next;     /* in its list */
    uint32_t combines; /* a reduction combines the message with the data of the rank */
} receive;

/* A nonblocking collective. */
typedef struct fiber {
    loggops_op op;
    const int64_t *list; /* of the operation; NULL: none */
    int64_t *own_list;   /* a copy, if the list of the program may be freed earlier */
    uint64_t ready_ps;   /* when its next step may start if the CPU is free */
    uint32_t step;
    uint32_t n_open; /* number of messages for which it waits */
    uint32_t is_waiting;
    uint32_t next; /* in the list of the rank, or of free fibers */
} fiber;

/* A rank.  There may be millions, so it fills exactly two cache lines; the members that most steps
 * need are first. */
typedef struct sim_rank {
    uint64_t cpu_free_ps;
    uint64_t next_send_ps;
    union {
        uint64_t next_recv_ps;
        uint64_t owed_ps; /* if the adapters move the bytes: overheads of complete receives */
    };
    uint64_t ready_ps;          /* when the next step of the program may start if the CPU is free;
                                   FINISHED: the end of the program */
    uint32_t program, position; /* index of its program; index of the operation */
    uint32_t step;              /* of the collective at `position` */
    uint32_t n_open;            /* number of messages and requests for which it waits */
    uint32_t arrivals, fresh;   /* arrivals in order; arrivals that are not sorted yet */
    queue posted;               /* receives without a message */
    queue unexpected;           /* messages without a receive */
    uint32_t fibers;
    uint8_t state;            /* RUNNING, ... */
    uint8_t owes : 1;         /* simulation.debts of this rank is not 0 */
    uint8_t is_asleep : 1;    /* it is in the wheel */
    uint8_t passes_polls : 1; /* RUNNING and asleep: several polls follow, and no message has come
                                 for the next one; the rank sleeps until the last of them */
    uint16_t wake_place;      /* level and slot in the wheel */
    uint32_t wake_before, wake_next;
    uint64_t wake_window;
    uint64_t requests; /* index of its first request in simulation.requests */
    /* As in loggops_rank_result, up to now. While the rank is in a call, the begin of this call has
     * been subtracted. */
    uint64_t p2p_ps, wait_ps, collective_ps;
} sim_rank;
_Static_assert(sizeof(sim_rank) == APART_BYTES, "a rank fills what is fetched at once");

/* A timing wheel: sleeping ranks, by the window in which they continue. */
typedef struct wheel {
    uint64_t now;
    uint64_t next; /* if has_next: no rank wakes up before this window; NEVER: no rank sleeps */
    bool has_next;
    uint64_t filled[WHEEL_LEVELS]; /* a bit for each slot that is not empty */
    uint32_t heads[WHEEL_LEVELS][WHEEL_SLOTS];
} wheel;

/* Memory for items of one size, which have an index. */
typedef struct pool {
    char *memory;
    size_t item_bytes;
    uint64_t n_items, n_taken; /* number of items with addresses; number that were ever used */
    uint32_t batches;          /* list of full batches of unused items; NONE: empty */
    pthread_mutex_t lock;      /* for `batches` */
} pool;

/* The content of an unused item. */
typedef struct unused_item {
    uint32_t next, next_batch;
} unused_item;

/* The items of a pool that one thread has in reserve. */
typedef struct stock {
    uint32_t unused; /* list of n_unused items */
    uint32_t n_unused;
    uint32_t batch;     /* a full batch, or NONE */
    uint32_t next, end; /* items from `next` to `end` - 1 were never used */
} stock;

/* The latest times of a rank's messages, if messages can overtake one another: order.c. */
typedef struct sim_order {
    uint64_t reaches_ps; /* the latest time at which a message that it sent reaches an adapter */
    uint64_t arrives_ps; /* the latest time of the known messages to it */
    uint32_t n_turns; /* number of eager messages that it sent and that have to share an adapter */
} sim_order;

/* Neighbouring ranks. In each window, one thread runs a block. */
typedef struct block {
    struct worker *worker; /* the thread that runs it in this window */
    wheel wheel;
    uint64_t *active;       /* a bit for each rank that continues in this window */
    uint64_t *active_words; /* a bit for each word of `active` that is not 0 */
    fiber *fibers;
    size_t fibers_room;
    uint32_t n_fibers, free_fiber;
    uint32_t n_finished;
    uint64_t n_operations, n_messages, n_letters; /* letters: items that were posted to blocks */
    unsigned failures;                            /* why it had to stop: NO_MEMORY, ... */
    uint32_t first_node, n_nodes;
    uint64_t *sending, *receiving; /* a bit for each node with messages in this direction */
    uint64_t *sharing;       /* a bit for each node that long messages leave, or that holds some */
    uint64_t *arrives_ps;    /* by node: arrival of its first message; NEVER: none */
    uint64_t adapters_at_ps; /* the first arrival at any adapter; NEVER: none */
    uint64_t shared_at_ps;   /* the next time at which a long message has left an adapter, or a held
                                message may leave; NEVER: none */
    queue ahead[AHEAD_WINDOWS]; /* messages that leave a node in a later window, by window */
    uint64_t ahead_filled;      /* a bit for each list of `ahead` that is not empty */
    uint64_t taken_in;          /* 1 + the last window in which a thread took the block */
} block;

/* The costs of a message that the adapters move. They are calculated once for a path and size. */
typedef struct message_work {
    uint64_t bytes;
    const loggops_path *path;
    uint64_t send_ps, busy_ps;        /* CPU of a blocking send; one adapter */
    uint64_t L_ps, late_ps, moved_ps; /* on the way: latency (loggops_costs), bytes */
    uint64_t receive_ps;              /* CPU of the receive */
} message_work;
enum { WORK_BITS = 8 };

/* A thread.  It puts the messages of a block into its boxes, in the order in which the block sends
 * them. So the result does not depend on which thread runs a block. */
typedef struct worker {
    _Alignas(APART_BYTES) queue *boxes[2]; /* by the block of the receiver: of this window, and of
                                              the previous one */
    stock messages, receives;
    uint64_t n_letters; /* number of items posted in this window */
    uint64_t n_steps;   /* number of steps done in this window */
    uint64_t wakes_at;  /* the earliest window in which a rank of its blocks continues */
    message_work works[1 << WORK_BITS];
} worker;

/* CPU time that a rank owes for receives of its blocking collective that are complete before the
 * collective waits. Only if the adapters move the bytes. */
typedef struct sim_debt {
    uint64_t overheads_ps, reductions_ps;
} sim_debt;

/* The next step of a rank, with absolute ranks and sizes. */
typedef struct sim_step {
    const loggops_op *op;
    uint8_t kind; /* loggops_kind; of a collective, the kind of its step */
    uint32_t context;
    int32_t tag;
    int32_t partner; /* rank in the run, LOGGOPS_ANY or LOGGOPS_NOBODY */
    uint32_t request;
    uint64_t amount;
    int starts;         /* a nonblocking send */
    bool is_rendezvous; /* a send whose bytes wait for the receive; its sender waits, too, unless
                          the send is buffered */
    int combines;       /* a receive of a reduction */
    int32_t then_to;    /* tlr_message.then_to, as a rank in the run */
} sim_step;

typedef struct simulation {
    const loggops_run *run;
    loggops_params params;
    loggops_costs costs;               /* of all messages, if there are no nodes */
    struct sim_node *nodes;            /* NULL: no nodes */
    int moves_bytes;                   /* loggops_nodes.move_bytes */
    int answers_in_calls;              /* loggops_nodes.answers_in_calls, if moves_bytes */
    sim_debt *debts;                   /* by rank, if moves_bytes */
    uint64_t *copied_ps;               /* by rank: when its core has copied its long messages */
    sim_order *orders;                 /* by rank; NULL: no message can overtake another one */
    uint32_t *n_sent;                  /* by rank: messages so far; NULL: messages have no noise */
    bool has_stretches;                /* loggops_run_stretch may be used */
    const tlr_noise *noise;            /* NULL: none */
    struct loggops_recorder *recorder; /* NULL: none */
    uint64_t window_ps;                /* length of a window */
    uint64_t quiet_window_ps; /* the same without the noise of messages, which shortens windows */
    uint64_t ahead_ps; /* how long after the end of a window a message sent in it may leave */
    loggops_result *result;
    unsigned block_bits; /* a block has 2^block_bits ranks */
    uint32_t block_ranks;
    uint32_t n_blocks;
    block *blocks;
    sim_rank *ranks;
    uint8_t *requests; /* of all ranks: REQUEST_FREE, ... */
    uint64_t *owed_ps; /* by request: CPU time owed for a complete receive; NULL: none */
    pool message_pool, receive_pool, posted_pool;
    message *messages;   /* message_pool.memory */
    receive *receives;   /* receive_pool.memory */
    uint64_t *posted_ps; /* by receive: when it was posted; only if moves_bytes */
    unsigned n_threads;
    worker *workers;
    uint64_t window; /* number of the current window */
} simulation;

/* ---- team.c ---- */

/* Threads that execute the same task at the same time, each with its own number. */
typedef struct team team;
typedef void (*team_task)(void *context, unsigned number);

/* Starts a team. If the system gives fewer threads, the team has fewer, at least the caller; NULL
 * without memory. */
team *loggops_team_start(unsigned n_threads, team_task task, void *context);
/* Lets every thread execute the task, the caller as number 0, and returns when all are done. */
void loggops_team_run(team *t);
void loggops_team_end(team *t);

/* ---- simulate.c ---- */

/* Adds message i to the arrivals of its receiver, a rank of the block. */
void loggops_give(simulation *s, block *b, uint32_t i);
/* Whether a message needs no action before its receiver continues by itself. */
static inline bool loggops_can_lie(const simulation *s, const message *m)
{
    return s->moves_bytes &&
           (m->request == EAGER ||
            ((m->context & CLEARED) && (m->context == REPLY || !(m->context & ACTS))));
}

/* ---- order.c ---- */

/* Prepares simulation.orders. 0 without memory. */
int loggops_order_open(simulation *s);
/* Compares the time of a message with the latest time of earlier ones, and updates this *last_ps.
 * Call it when the message is known at its receiver, or at the adapter of the receiver. */
static inline void loggops_order_note(message *m, uint64_t *last_ps)
{
    if (m->time_ps < *last_ps)
        m->may_overtake = 1;
    else
        *last_ps = m->time_ps;
}
/* Call it when a message is given to its receiver. */
static inline void loggops_order_arrival(simulation *s, message *m)
{
    if (m->context & CLEARED)
        return;
    if (!s->moves_bytes)
        m->may_overtake = 1;
    if (m->request == EAGER || !s->moves_bytes)
        loggops_order_note(m, &s->orders[m->to].arrives_ps);
}
/* Whether the receive, which fits message m, also fits an earlier message of the same sender that
 * has not arrived or was not received. The receive must then take the earlier one. All earlier
 * messages are known at this time. */
bool loggops_has_earlier(const simulation *s, const message *m, const receive *wanted);
/* Call it before the first arrival of a rank is handled, if it may overtake. If it must wait for
 * earlier messages that match first, delays it and returns 1. */
int loggops_order_first(simulation *s, sim_rank *rank);

/* ---- stretch.c ---- */

/* Runs a rank until the window ends, as long as its steps are computation and short exchanges.
 * Returns whether the rank has nothing more to do until a message comes. */
int loggops_run_stretch(simulation *s, block *b, uint32_t r, uint64_t end_ps);

/* ---- rank.c ---- */

/* Gets the next operations of a rank from the feed. */
const loggops_op *loggops_get_more(simulation *s, block *b, uint32_t r);
static inline int32_t loggops_partner_of(const loggops_comm *comm, uint32_t rank, int32_t peer)
{
    if (comm->members || peer < 0)
        return loggops_partner(comm, rank, peer);
    const uint32_t at = rank + (uint32_t)peer; /* both are less than 2^31 */
    return (int32_t)(at < comm->n_members ? at : at - comm->n_members);
}

/* Runs a rank: executes all steps that can start before the window ends. */
void loggops_run_rank(simulation *s, block *b, uint32_t r, uint64_t end_ps);
/* The rank has nothing to do before at_ps, which is after this window. */
void loggops_sleep_until(simulation *s, block *b, uint32_t r, uint64_t at_ps);

/* ---- goal.c: the same for a rank of loggops_run.graph ---- */

void loggops_run_graph(simulation *s, block *b, uint32_t r, uint64_t end_ps);
/* A send or a receive whose bytes the adapters have moved is complete. */
void loggops_graph_complete(simulation *s, block *b, uint32_t r, uint32_t operation,
                            uint64_t at_ps);

/* ---- record.c: only for simulations with a recorder ---- */

/* Call them when the next operation of the rank may begin or continue; when an operation of the
 * rank may have ended; when the feed has replaced the operations of the rank. */
void loggops_record_begin(simulation *s, uint32_t r, const sim_step *step);
void loggops_record_end(simulation *s, uint32_t r);
void loggops_record_more(simulation *s, uint32_t r);
/* Of a graph: operation i begins; operation step->request, a message, is posted; operation i ends;
 * the end, or else the begin, of the operation i at hand lets operation `to` begin; all operations
 * of a rank are done. */
void loggops_record_start(simulation *s, uint32_t i);
void loggops_record_post(simulation *s, uint32_t r, const sim_step *step, uint64_t at_ps);
void loggops_record_operation(simulation *s, uint32_t r, uint32_t i, uint64_t end_ps);
void loggops_record_release(simulation *s, uint32_t i, uint32_t to, bool is_end);
void loggops_record_graph_end(simulation *s, uint32_t r);

/* ---- transfer.c ---- */

static inline const loggops_path *loggops_path_of(const simulation *s, uint32_t from, uint32_t to)
{
    const loggops_nodes *nodes = s->run->nodes;
    const uint32_t a = nodes->node_of[from], b = nodes->node_of[to];
    const loggops_path *path = a == b ? &nodes->within : &nodes->between;
    return nodes->ways ? loggops_way(nodes->ways, loggops_way_between(nodes->ways, a, b), path)
                       : path;
}
/* The same for a message, which remembers its way. */
static inline const loggops_path *loggops_path_for(const simulation *s, uint32_t from, uint32_t to,
                                                   const message *m)
{
    return m->way ? loggops_way(s->run->nodes->ways, m->way, NULL) : loggops_path_of(s, from, to);
}
/* The costs of a message. */
static inline const loggops_costs *loggops_costs_of(const simulation *s, uint32_t from, uint32_t to,
                                                    uint64_t bytes)
{
    if (!s->nodes)
        return &s->costs;
    return loggops_costs_on(loggops_path_of(s, from, to), bytes);
}
/* Rounds to picoseconds, at most LOGGOPS_MOST_PS, which ends the simulation. */
static inline uint64_t loggops_rounded_ps(double ps)
{
    return ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
}

static inline uint64_t loggops_per_bytes(double ps_byte, uint64_t bytes)
{
    return bytes > 1 ? loggops_rounded_ps(ps_byte * (double)(bytes - 1)) : 0;
}
/* Those of a message that exists. */
static inline const loggops_costs *loggops_costs_for(const simulation *s, uint32_t from,
                                                     uint32_t to, const message *m)
{
    if (!s->nodes)
        return &s->costs;
    return loggops_costs_on(loggops_path_for(s, from, to, m), m->bytes);
}
/* Counts a message for loggops_demand: within a node when the block sends it, between nodes when
 * the block receives it. */
static inline void loggops_count_demand(const simulation *s, const block *b, uint32_t from,
                                        uint32_t to, uint64_t bytes, uint64_t at_ps)
{
    if (s->run->nodes && s->run->nodes->demand && bytes)
        loggops_demand_count(s->run->nodes->demand, (unsigned)(b->worker - s->workers), from, to,
                             bytes, at_ps);
}
/* Calculates the costs of a message that the adapters move. */
void loggops_work_out(message_work *w, const loggops_path *path, uint64_t bytes);
/* These costs from the thread's table, where they are calculated if they are missing. */
static inline const message_work *loggops_work_on(worker *k, const loggops_path *path,
                                                  uint64_t bytes)
{
    message_work *w = &k->works[((uintptr_t)path / 16 + bytes) * UINT64_C(0x9e3779b97f4a7c15) >>
                                (64 - WORK_BITS)];
    if (w->bytes != bytes || w->path != path)
        loggops_work_out(w, path, bytes);
    return w;
}
static inline const message_work *loggops_work_for(const simulation *s, worker *k, uint32_t from,
                                                   uint32_t to, const message *m)
{
    return loggops_work_on(k, loggops_path_for(s, from, to, m), m->bytes);
}
/* The factor by which noise changes the time of a message in the network. */
double loggops_draw_factor(const simulation *s, uint32_t from, uint32_t to, const message *m);
static inline double loggops_factor(const simulation *s, uint32_t from, uint32_t to,
                                    const message *m)
{
    return s->n_sent ? loggops_draw_factor(s, from, to, m) : 1;
}
/* Multiplies a time in the network by this factor. */
static inline uint64_t loggops_times(uint64_t ps, double factor)
{
    return factor == 1 ? ps : loggops_rounded_ps((double)ps * factor);
}
/* Applies the factor to network_ps, which is a part of ps. */
static inline uint64_t loggops_with_noise(uint64_t ps, uint64_t network_ps, double factor)
{
    const uint64_t sum_ps = ps + loggops_times(network_ps, factor);
    return sum_ps > network_ps ? sum_ps - network_ps : 0;
}
/* Posts a message to the block of its receiver, which gets it in the next window: a copy of *m, or
 * item i of the pool. */
void loggops_post(simulation *s, block *b, const message *m);
void loggops_post_item(simulation *s, block *b, uint32_t i);
/* If the adapters move the bytes, the CPU pays the overhead of a receive when the program waits for
 * it. loggops_owe adds the overhead of a complete receive to sim_rank.owed_ps; loggops_pay occupies
 * the CPU for this time and returns the end. */
uint64_t loggops_pay(simulation *s, uint32_t r, uint64_t at_ps);
void loggops_owe(const simulation *s, sim_rank *rank, uint32_t request);
/* The same for the receives of a blocking collective (sim_debt), when it waits. */
uint64_t loggops_pay_debt(simulation *s, uint32_t r, uint64_t at_ps);
/* Occupies the CPU for work_ps; returns the end. */
uint64_t loggops_occupy_with_noise(simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                                   uint64_t work_ps);
static inline uint64_t loggops_occupy(simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                                      uint64_t work_ps)
{
    if (s->noise)
        return loggops_occupy_with_noise(s, r, work, from_ps, work_ps);
    return s->ranks[r].cpu_free_ps = from_ps + work_ps;
}
void loggops_drop_message(simulation *s, const block *b, uint32_t i);
/* The CPU, which moves the bytes, receives a message; returns the end. */
uint64_t loggops_take_in(simulation *s, block *b, uint32_t r, const message *m, uint64_t at_ps);
/* Completes a request (or OF_CALL, ...) of the rank. */
void loggops_complete(simulation *s, block *b, uint32_t r, uint32_t request, uint64_t at_ps);
void loggops_start_send(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps);
/* Starts a receive; returns whether it is complete at once. */
int loggops_start_receive(simulation *s, block *b, uint32_t r, const sim_step *step,
                          uint64_t at_ps);
/* Appends a receive to a list, if no message fits it yet. */
void loggops_post_receive(simulation *s, block *b, queue *posted, const sim_step *step,
                          uint64_t at_ps);
/* Handles the first arrival of the rank, at this time. */
void loggops_take_arrival(simulation *s, block *b, uint32_t r, uint64_t at_ps);

/* ---- fiber.c ---- */

void loggops_start_fiber(simulation *s, block *b, sim_rank *rank, const loggops_op *op,
                         uint64_t at_ps);
void loggops_end_fiber(block *b, sim_rank *rank, uint32_t i);

/* ---- access.c ---- */

/* Starts LOGGOPS_PUT, LOGGOPS_GET or LOGGOPS_TIMER. */
void loggops_start_access(simulation *s, block *b, uint32_t r, const sim_step *step,
                          uint64_t at_ps);

/* ---- nodes.c ---- */

/* Prepares simulation.nodes. 0 without memory. */
int loggops_nodes_open(simulation *s);
/* Whether the ranks of each node lie in one block of 2^bits ranks. */
int loggops_nodes_fit(const loggops_run *run, unsigned bits);
/* Whether messages from one rank to the other wait for an adapter that the sender shares with other
 * ranks. */
int loggops_shares_adapter(const simulation *s, uint32_t from, uint32_t to);
/* Whether a message stays within a node whose memory the messages share. */
int loggops_shares_memory(const simulation *s, uint32_t from, uint32_t to);
/* Queues a message that leaves its node, or is copied within it, at at_ps. It waits until all
 * messages of this window are known. */
void loggops_adapter_queue(simulation *s, block *b, const message *m, uint64_t at_ps);
/* Lets the data of a long message leave the node in this window: its sender has answered. */
void loggops_adapter_clear(simulation *s, block *b, const message *answered, uint64_t at_ps);
/* Queues the messages of block.ahead for this window. */
void loggops_adapters_queue_ahead(simulation *s, block *b);
/* The earliest window of block.ahead with messages; NEVER if there is none. */
uint64_t loggops_adapters_next_ahead(const simulation *s, const block *b);
/* Whether message i, to a rank of the block, has to pass the receiving adapter. If so, the adapter
 * takes it. */
int loggops_adapter_takes(simulation *s, block *b, uint32_t i);
/* Before the ranks run: gives them the messages that pass the receiving adapters in this window. */
void loggops_adapters_receive(simulation *s, block *b, uint64_t end_ps);
/* After the ranks have run: lets their messages pass the sending adapters. */
void loggops_adapters_send(simulation *s, block *b, uint64_t end_ps);

/* ---- wheel.c ---- */

/* Puts a rank into the wheel; it wakes up in this window. */
void loggops_wheel_insert(simulation *s, block *b, uint32_t r, uint64_t window);
void loggops_wheel_remove(simulation *s, block *b, uint32_t r);
/* The earliest window in which a rank of the block may wake up; NEVER if none sleeps. */
uint64_t loggops_wheel_find(const simulation *s, wheel *w);
static inline uint64_t loggops_wheel_next(const simulation *s, wheel *w)
{
    return w->has_next ? w->next : loggops_wheel_find(s, w);
}
/* Turns the wheel to a window, which is not later than loggops_wheel_next. Returns the list of
 * ranks that wake up in it, linked by wake_next. */
uint32_t loggops_wheel_turn(simulation *s, block *b, uint64_t window);

/* ---- pool.c ---- */

/* Prepares a pool. 0 without memory. */
int loggops_pool_open(pool *p, size_t item_bytes, uint32_t n_ranks);
void loggops_pool_close(pool *p);
static inline unused_item *loggops_pool_at(const pool *p, uint32_t i)
{
    return (unused_item *)(void *)(p->memory + i * p->item_bytes);
}
/* Takes an item; returns its index, NONE without memory. */
uint32_t loggops_pool_take_more(pool *p, stock *k);
static inline uint32_t loggops_pool_take(pool *p, stock *k)
{
    const uint32_t i = k->unused;
    if (i == NONE)
        return loggops_pool_take_more(p, k);
    k->unused = loggops_pool_at(p, i)->next;
    k->n_unused--;
    return i;
}
/* Moves the unused items of a full stock to a batch. */
void loggops_pool_set_aside(pool *p, stock *k);
enum { BATCH_ITEMS = 4096 };
static inline void loggops_pool_drop(pool *p, stock *k, uint32_t i)
{
    if (k->n_unused == BATCH_ITEMS)
        loggops_pool_set_aside(p, k);
    loggops_pool_at(p, i)->next = k->unused;
    k->unused = i;
    k->n_unused++;
}

/* Takes an item for a copy of a message. NONE without memory, which the block remembers. */
static inline uint32_t loggops_copy_message(simulation *s, block *b, const message *m)
{
    const uint32_t i = loggops_pool_take(&s->message_pool, &b->worker->messages);
    if (i == NONE)
        b->failures |= NO_MEMORY;
    else
        s->messages[i] = *m;
    return i;
}

/* ---- queue.c ---- */

/* Merges two sorted lists of arrivals; of equal arrivals, those of `a` are first. */
uint32_t loggops_merge_two(message *messages, uint32_t a, uint32_t b);
static inline uint32_t loggops_merge(message *messages, uint32_t a, uint32_t b)
{
    return a == NONE ? b : loggops_merge_two(messages, a, b);
}
/* Sorts a list of fresh arrivals, whose last message is first.  Most lists have one message. */
uint32_t loggops_sort_some(message *messages, uint32_t list);
static inline uint32_t loggops_sort(message *messages, uint32_t list)
{
    return list == NONE || messages[list].next == NONE ? list : loggops_sort_some(messages, list);
}
/* Sorts the fresh arrivals into the arrivals of the rank. */
static inline void loggops_sort_arrivals(message *messages, sim_rank *rank)
{
    if (rank->fresh == NONE)
        return;
    rank->arrivals = loggops_merge(messages, rank->arrivals, loggops_sort(messages, rank->fresh));
    rank->fresh = NONE;
}
void loggops_append_message(message *messages, queue *q, uint32_t i);
void loggops_append_receive(receive *receives, queue *q, uint32_t i);
/* Removes and returns the first message that fits the receive; NONE if there is none. A receive of
 * any tag takes no message that would overtake another one. */
uint32_t loggops_match_message(const simulation *s, queue *unexpected, const receive *wanted);
uint32_t loggops_match_receive(receive *receives, queue *posted, const message *arrived);
/* Whether a message that fits has arrived at at_ps, and no receive has taken it. */
bool loggops_has_arrived(const simulation *s, const sim_rank *rank, const receive *wanted,
                         uint64_t at_ps);
static inline int loggops_fits(const receive *r, const message *m)
{
    return (r->source == m->source || r->source == LOGGOPS_ANY) &&
           (r->tag == m->tag || r->tag == LOGGOPS_ANY) && r->context == m->context;
}
/* The receive that a message would match; NULL: none. */
const receive *loggops_find_receive(const receive *receives, const queue *posted,
                                    const message *arrived);

/* The time at which the first arrival can be handled; NEVER if there is none.  *needs_cpu: it also
 * needs the CPU, because it is received. */
static inline uint64_t loggops_arrival_ready(const simulation *s, const sim_rank *rank,
                                             bool *needs_cpu)
{
    *needs_cpu = 0;
    if (rank->arrivals == NONE)
        return NEVER;
    const message *m = &s->messages[rank->arrivals];
    if (m->context == REPLY || s->moves_bytes ||
        (m->request != EAGER && !(m->context & CLEARED) &&
         !loggops_find_receive(s->receives, &rank->posted, m)))
        return m->time_ps;
    *needs_cpu = 1;
    return m->time_ps > rank->next_recv_ps ? m->time_ps : rank->next_recv_ps;
}

#endif
