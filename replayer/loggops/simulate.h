/* simulate.h - the state of a LogGOPS simulation.
 *
 * For simulate.c, team.c, rank.c, stretch.c, transfer.c, fiber.c, access.c, nodes.c, sharing.c,
 * order.c, retransmit.c, wheel.c, queue.c, pool.c and record.c alone. */
#ifndef TLR_LOGGOPS_SIMULATE_H
#define TLR_LOGGOPS_SIMULATE_H

#include "loggops.h"

#include <pthread.h>

enum { WHEEL_BITS = 6, WHEEL_SLOTS = 1 << WHEEL_BITS, WHEEL_LEVELS = 11 };
/* How many windows ahead a rank may send: one bit for each. */
enum { AHEAD_WINDOWS = 64 };
enum { APART_BYTES = 128 }; /* two lines of a cache: they are fetched in pairs */

#define NONE UINT32_MAX
#define NEVER UINT64_MAX
/* Contexts of what is no message of the program, beside which no communicator has that bit: a
 * rendezvous' reply; its data, and the word to the sender's adapter that they may go, perhaps with
 * COMBINES. */
#define REPLY UINT32_MAX
#define CLEARED (UINT32_C(1) << 31)
#define DATA (CLEARED | 1)
#define COMBINES UINT32_C(2)
/* Of a message by rendezvous that a receive has taken, whose request is in its tag: the transfer
 * begins at the message's time. */
#define MATCHED (CLEARED | 4)
/* With loggops_nodes.answers_in_calls: the same, once the receiver is in a call; and the answer, on
 * which its sender, once it is in a call, lets the data go. */
#define HELD (CLEARED | 8)
#define ANSWERED (CLEARED | 16)
/* To a node: a message that shares the adapter of the other one begins to come, or, if its request
 * is NONE, has come. */
#define TRAFFIC (CLEARED | 32)
#define ACTS UINT32_C(28)  /* of these three: the engine does something at that moment */
#define OF_CALL UINT32_MAX /* request of a call that blocks */
#define OF_COLLECTIVE (UINT32_MAX - 1) /* request of the collective at hand */
#define EAGER (UINT32_MAX - 2)         /* no request: the sender of the message does not wait */
#define OF_BUFFERED (UINT32_MAX - 3)   /* as OF_CALL: a send until the rest is in its buffer */
#define UNAWAITED (UINT32_MAX - 4)   /* no request: the sender of the long message does not wait */
#define OF_FIBER (UINT32_C(1) << 31) /* and more: request of a collective that does not block */

/* What a rank's program does. */
enum { RUNNING = 0, IN_CALL, IN_WAIT, IN_COLLECTIVE, FINISHED };

/* A request that is done is free for a wait at any later time: whatever completes it also holds the
 * CPU, without which the program cannot go on. */
enum { REQUEST_FREE = 0, REQUEST_PENDING, REQUEST_AWAITED, REQUEST_DONE };

/* A message from its sending on until it is received. */
typedef struct message {
    uint64_t time_ps; /* of arrival */
    uint64_t bytes;
    uint32_t context; /* communicator, and whether it belongs to a collective */
    int32_t tag;
    int32_t source, to; /* ranks in the run */
    uint32_t request;   /* of the sender by rendezvous, otherwise EAGER */
    uint32_t next;      /* in its list */
    uint32_t sent; /* its number among those that were sent, of one sender; it may wrap around */
    uint16_t may_overtake; /* an earlier one of its sender may be under way: order.c */
    uint16_t takes_turns;  /* an eager one that shares the adapter that it leaves: turn */
    uint64_t left_ps;      /* of both and of data in adapters: when the first byte left the node */
} message;

/* message.takes_turns: sharing.c.  What is known at the other adapter leaves a copy here until it
 * has left. */
enum { NO_TURN = 0, TAKES_TURNS, IS_KNOWN };

/* A receive that is posted. */
typedef struct receive {
    uint32_t context;
    int32_t tag, source;
    uint32_t request;
    uint32_t next;
    uint32_t combines; /* what it brings with what the rank has */
} receive;

/* A list of messages or receives, in order. */
typedef struct queue {
    uint32_t first, last;
} queue;

/* A collective that goes on beside the program. */
typedef struct fiber {
    loggops_op op;
    const int64_t *list; /* of the operation; NULL: none */
    int64_t *own_list;   /* the same, if the program's may be gone before the end */
    uint64_t ready_ps;   /* when its next step could start, were the CPU free */
    uint32_t step;
    uint32_t n_open; /* what it waits for */
    uint32_t is_waiting;
    uint32_t next; /* of the rank */
} fiber;

/* What most steps need comes first.  There may be millions: it fills two lines of a cache. */
typedef struct sim_rank {
    uint64_t cpu_free_ps;
    uint64_t next_send_ps;
    union {
        uint64_t next_recv_ps;
        uint64_t owed_ps; /* of receives that are complete, if the adapters move the bytes */
    };
    uint64_t ready_ps;          /* when the program's next step could start, were the CPU free;
                                   FINISHED: when it ended */
    uint32_t program, position; /* in it */
    uint32_t step;              /* of the collective at `position` */
    uint32_t n_open;            /* what it waits for */
    uint32_t arrivals, fresh;   /* messages that the CPU has not handled: in order; as they came */
    queue posted;
    queue unexpected;
    uint32_t fibers;
    uint8_t state;
    uint8_t owes : 1;         /* simulation.debts has something of it */
    uint8_t is_asleep : 1;    /* in the wheel */
    uint8_t passes_polls : 1; /* RUNNING, asleep: up to the last of some polls, for the next of
                                 which no message has come */
    uint16_t wake_place;      /* level and slot there */
    uint32_t wake_before, wake_next;
    uint64_t wake_window;
    uint64_t requests; /* first of its own in simulation.requests */
    /* So far, as in its result; of the one that it is in, less the moment when that began. */
    uint64_t p2p_ps, wait_ps, collective_ps;
} sim_rank;
_Static_assert(sizeof(sim_rank) == APART_BYTES, "a rank fills what is fetched at once");

/* Ranks by the window in which they go on. */
typedef struct wheel {
    uint64_t now;
    uint64_t next; /* if has_next: no rank wakes up before that window; NEVER: none does */
    int has_next;
    uint64_t filled[WHEEL_LEVELS]; /* one bit a slot */
    uint32_t heads[WHEEL_LEVELS][WHEEL_SLOTS];
} wheel;

/* Items of one size by index. */
typedef struct pool {
    char *memory;
    size_t item_bytes;
    uint64_t n_items, n_taken; /* for which there are addresses; that anybody ever had */
    uint32_t batches;          /* of unused items, linked; NONE: there is none */
    pthread_mutex_t lock;      /* of `batches` */
} pool;

/* What an item holds while it is unused. */
typedef struct unused_item {
    uint32_t next, next_batch;
} unused_item;

/* What one thread has of a pool. */
typedef struct stock {
    uint32_t unused; /* linked, and their number */
    uint32_t n_unused;
    uint32_t batch;     /* a full one, or NONE */
    uint32_t next, end; /* items that nobody had yet */
} stock;

/* What a rank has had, if messages can overtake one another: order.c. */
typedef struct sim_order {
    uint64_t reaches_ps; /* when the last one of those that it sent reaches an adapter */
    uint64_t arrives_ps; /* when the last one of those arrives that are known */
    uint32_t n_turns;    /* of those that it sent, eager ones that have to share an adapter */
} sim_order;

/* The ranks that one thread at a time runs. */
typedef struct block {
    struct worker *worker; /* that runs it */
    wheel wheel;
    uint64_t *active;       /* a bit for each rank that goes on in this window */
    uint64_t *active_words; /* a bit for each word of these that is not 0 */
    fiber *fibers;
    uint32_t n_fibers, fibers_room, free_fiber;
    uint32_t n_finished;
    uint64_t n_operations, n_messages, n_letters;
    int out_of_memory, is_too_late, has_no_feed; /* why it cannot go on */
    uint32_t first_node, n_nodes;
    uint64_t *sending, *receiving; /* a bit for each node that has messages on that side */
    uint64_t *sharing;       /* and for each from which long messages leave, or that holds some */
    uint64_t *arrives_ps;    /* by node: when the first of its messages arrives; NEVER */
    uint64_t adapters_at_ps; /* when the first message arrives at an adapter; NEVER */
    uint64_t shared_at_ps;   /* when a long message has left one, or a message that one holds
                                may leave it; NEVER */
    queue ahead[AHEAD_WINDOWS]; /* messages that leave a node in later windows, by window */
    uint64_t ahead_filled;      /* a bit for each of these lists that is not empty */
    uint64_t taken_in;          /* 1 + the window in which a thread has taken it last */
} block;

/* What a message costs that the adapters move, by its size: worked out once for many alike. */
typedef struct message_work {
    uint64_t bytes;
    const loggops_path *path;
    uint64_t send_ps, busy_ps;        /* for the CPU of a send that blocks; for an adapter */
    uint64_t L_ps, late_ps, moved_ps; /* of the way: latency (loggops_costs), bytes */
    uint64_t receive_ps;              /* for the CPU that receives */
} message_work;
enum { WORK_BITS = 8 };

/* One of the threads.  A block's messages of one window lie in the boxes of the thread that ran it,
 * in the order in which they were sent; so it does not matter which thread that was. */
typedef struct worker {
    _Alignas(APART_BYTES) queue *boxes[2]; /* by the receiver's block: of this window, of the one
                                              before */
    stock messages, receives;
    uint64_t n_letters; /* sent in this window */
    uint64_t n_steps;   /* done in it */
    uint64_t wakes_at;  /* the earliest window in which a rank of the blocks that it ran goes on */
    message_work works[1 << WORK_BITS];
} worker;

/* What a rank's CPU has to do for receives of the collective at hand that are complete before the
 * collective waits, if the adapters move the bytes. */
typedef struct sim_debt {
    uint64_t overheads_ps, reductions_ps;
} sim_debt;

/* The program's next step, with all that depends on the rank worked out. */
typedef struct sim_step {
    const loggops_op *op;
    uint8_t kind; /* loggops_kind; of a collective, that of its step */
    uint32_t context;
    int32_t tag;
    int32_t partner; /* rank in the run, LOGGOPS_ANY or LOGGOPS_NOBODY */
    uint32_t request;
    uint64_t amount;
    int starts;        /* a send that has a request: it does not block */
    int is_rendezvous; /* a send whose bytes wait for the receive, and so does its sender unless it
                          is buffered */
    int combines;      /* a receive, what it brings with what the rank has */
    int32_t then_to;   /* loggops_step.then_to, as a rank in the run */
} sim_step;

typedef struct simulation {
    const loggops_run *run;
    loggops_params params;
    loggops_costs costs;               /* of all messages, if there are no nodes */
    struct sim_node *nodes;            /* NULL: none */
    int moves_bytes;                   /* loggops_nodes.move_bytes */
    int answers_in_calls;              /* loggops_nodes.answers_in_calls, if moves_bytes */
    sim_debt *debts;                   /* by rank, if moves_bytes */
    sim_order *orders;                 /* by rank; NULL: no message can overtake another one */
    uint32_t *n_sent;                  /* by rank: its messages; NULL: messages have no noise */
    int has_stretches;                 /* loggops_run_stretch can be used */
    const tlr_noise *noise;            /* NULL: none */
    struct loggops_recorder *recorder; /* NULL: none */
    uint64_t window_ps;
    uint64_t quiet_window_ps; /* without the noise of messages, which shortens it */
    uint64_t ahead_ps; /* how much later than its end a message may leave that was sent in it */
    loggops_result *result;
    unsigned block_bits; /* 2^block_bits ranks in a block */
    uint32_t block_ranks;
    uint32_t n_blocks;
    block *blocks;
    sim_rank *ranks;
    uint8_t *requests;
    uint64_t *owed_ps; /* likewise: what the CPU owes receives that are complete; or NULL */
    pool message_pool, receive_pool, posted_pool;
    message *messages; /* all of the pool */
    receive *receives;
    uint64_t *posted_ps; /* by receive: when, if moves_bytes; apart, as receives are many */
    unsigned n_threads;
    worker *workers;
    uint64_t window; /* that is run */
} simulation;

/* ---- team.c ---- */

/* Threads that do the same at the same time, each with its own number. */
typedef struct team team;
typedef void (*team_task)(void *context, unsigned number);

/* Fewer threads than wanted, down to the caller alone, where the system has no more; NULL without
 * memory. */
team *loggops_team_start(unsigned n_threads, team_task task, void *context);
/* Lets every thread, the caller as number 0, do the task, and returns when all have. */
void loggops_team_run(team *t);
void loggops_team_end(team *t);

/* ---- simulate.c ---- */

/* Gives a rank of the block a message. */
void loggops_give(simulation *s, block *b, uint32_t i);
/* Whether a message may lie until its receiver goes on by itself. */
static inline int loggops_can_lie(const simulation *s, const message *m)
{
    return s->moves_bytes &&
           (m->request == EAGER ||
            ((m->context & CLEARED) && (m->context == REPLY || !(m->context & ACTS))));
}

/* ---- order.c ---- */

/* 0 without memory. */
int loggops_order_open(simulation *s);
/* A message is known at its receiver, or at the adapter before it, with the moment that it has;
 * what is known of those before is in *last_ps. */
static inline void loggops_order_note(message *m, uint64_t *last_ps)
{
    if (m->time_ps < *last_ps)
        m->may_overtake = 1;
    else
        *last_ps = m->time_ps;
}
/* A message is given to its receiver. */
static inline void loggops_order_arrival(simulation *s, message *m)
{
    if (m->context & CLEARED)
        return;
    if (!s->moves_bytes)
        m->may_overtake = 1;
    if (m->request == EAGER || !s->moves_bytes)
        loggops_order_note(m, &s->orders[m->to].arrives_ps);
}
/* Whether a receive that fits a message has to take one of the same sender that was sent before it:
 * all these are known, and it has not arrived, or not been received. */
int loggops_has_earlier(const simulation *s, const message *m, const receive *wanted);
/* The first arrival, which may overtake, is to be handled: lets it wait for those that were sent
 * before it and match first.  Returns whether it has to. */
int loggops_order_first(simulation *s, sim_rank *rank);

/* ---- stretch.c ---- */

/* Lets a rank do what it can start before the window ends, as long as that is computation and short
 * exchanges.  Returns whether nothing is left until a message comes. */
int loggops_run_stretch(simulation *s, block *b, uint32_t r, uint64_t end_ps);

/* ---- rank.c ---- */

/* Gets the next operations of a program that is made while it runs. */
const loggops_op *loggops_get_more(simulation *s, block *b, uint32_t r);
static inline int32_t loggops_partner_of(const loggops_comm *comm, uint32_t rank, int32_t peer)
{
    if (comm->members || peer < 0)
        return loggops_partner(comm, rank, peer);
    const uint32_t at = rank + (uint32_t)peer; /* both are less than 2^31 */
    return (int32_t)(at < comm->n_members ? at : at - comm->n_members);
}

/* Lets a rank do all that it can start before the window ends. */
void loggops_run_rank(simulation *s, block *b, uint32_t r, uint64_t end_ps);

/* ---- record.c: of simulations with a recorder only ---- */

/* The program's next operation may begin, or go on; something of the rank may have ended; the
 * rank's program has been replaced by the next operations. */
void loggops_record_begin(simulation *s, uint32_t r, const sim_step *step);
void loggops_record_end(simulation *s, uint32_t r);
void loggops_record_more(simulation *s, uint32_t r);

/* ---- transfer.c ---- */

static inline const loggops_path *loggops_path_of(const simulation *s, uint32_t from, uint32_t to)
{
    const loggops_nodes *nodes = s->run->nodes;
    const uint32_t a = nodes->node_of[from], b = nodes->node_of[to];
    const loggops_path *path = a == b ? &nodes->within : &nodes->between;
    return nodes->ways ? loggops_way(nodes->ways, a, b, path) : path;
}
/* What a message costs. */
static inline const loggops_costs *loggops_costs_of(const simulation *s, uint32_t from, uint32_t to,
                                                    uint64_t bytes)
{
    if (!s->nodes)
        return &s->costs;
    return loggops_costs_on(loggops_path_of(s, from, to), bytes);
}
/* At most as much as ends the simulation. */
static inline uint64_t loggops_rounded_ps(double ps)
{
    return ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
}

static inline uint64_t loggops_per_bytes(double ps_byte, uint64_t bytes)
{
    return bytes > 1 ? loggops_rounded_ps(ps_byte * (double)(bytes - 1)) : 0;
}
/* A message within a node that the block sends, or one between nodes that it receives. */
static inline void loggops_count_demand(const simulation *s, const block *b, uint32_t from,
                                        uint32_t to, uint64_t bytes, uint64_t at_ps)
{
    if (s->run->nodes && s->run->nodes->demand && bytes)
        loggops_demand_count(s->run->nodes->demand, (unsigned)(b->worker - s->workers), from, to,
                             bytes, at_ps);
}
void loggops_work_out(message_work *w, const loggops_path *path, uint64_t bytes);
/* The same, if the adapters move the bytes. */
static inline const message_work *loggops_work_of(const simulation *s, worker *k, uint32_t from,
                                                  uint32_t to, uint64_t bytes)
{
    const loggops_path *path = loggops_path_of(s, from, to);
    message_work *w = &k->works[((uintptr_t)path / 16 + bytes) * UINT64_C(0x9e3779b97f4a7c15) >>
                                (64 - WORK_BITS)];
    if (w->bytes != bytes || w->path != path)
        loggops_work_out(w, path, bytes);
    return w;
}
/* The factor of the time that a message of this rank takes in the network. */
double loggops_draw_factor(const simulation *s, uint32_t from, uint32_t to, const message *m);
static inline double loggops_factor(const simulation *s, uint32_t from, uint32_t to,
                                    const message *m)
{
    return s->n_sent ? loggops_draw_factor(s, from, to, m) : 1;
}
/* A time that a message takes in the network, with this factor. */
static inline uint64_t loggops_times(uint64_t ps, double factor)
{
    return factor == 1 ? ps : loggops_rounded_ps((double)ps * factor);
}
/* A time of which a part is that of a message in the network. */
static inline uint64_t loggops_with_noise(uint64_t ps, uint64_t network_ps, double factor)
{
    const uint64_t sum_ps = ps + loggops_times(network_ps, factor);
    return sum_ps > network_ps ? sum_ps - network_ps : 0;
}
/* Hands a message to its receiver's block, for the next window: a copy, or one of the pool. */
void loggops_post(simulation *s, block *b, const message *m);
void loggops_post_item(simulation *s, block *b, uint32_t i);
/* The CPU does what receives have left to do until the program waits for them. */
uint64_t loggops_pay(simulation *s, uint32_t r, uint64_t at_ps);
void loggops_owe(const simulation *s, sim_rank *rank, uint32_t request);
/* The same for receives of the collective at hand, which waits now. */
uint64_t loggops_pay_debt(simulation *s, uint32_t r, uint64_t at_ps);
/* The CPU is taken for so much work; returns its end. */
uint64_t loggops_occupy_with_noise(simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                                   uint64_t work_ps);
static inline uint64_t loggops_occupy(simulation *s, uint32_t r, tlr_work work, uint64_t from_ps,
                                      uint64_t work_ps)
{
    if (s->noise)
        return loggops_occupy_with_noise(s, r, work, from_ps, work_ps);
    return s->ranks[r].cpu_free_ps = from_ps + work_ps;
}
/* Something that the rank started is done. */
void loggops_complete(simulation *s, block *b, uint32_t r, uint32_t request, uint64_t at_ps);
void loggops_start_send(simulation *s, block *b, uint32_t r, const sim_step *step, uint64_t at_ps);
/* Posts a receive; returns whether it is complete at once. */
int loggops_start_receive(simulation *s, block *b, uint32_t r, const sim_step *step,
                          uint64_t at_ps);
/* Posts a receive for which no message is there. */
void loggops_post_receive(simulation *s, block *b, sim_rank *rank, const sim_step *step,
                          uint64_t at_ps);
/* Handles it, at that moment. */
void loggops_take_arrival(simulation *s, block *b, uint32_t r, uint64_t at_ps);

/* ---- fiber.c ---- */

void loggops_start_fiber(simulation *s, block *b, sim_rank *rank, const loggops_op *op,
                         uint64_t at_ps);
void loggops_end_fiber(block *b, sim_rank *rank, uint32_t i);

/* ---- access.c ---- */

/* LOGGOPS_PUT, LOGGOPS_GET, LOGGOPS_TIMER. */
void loggops_start_access(simulation *s, block *b, uint32_t r, const sim_step *step,
                          uint64_t at_ps);

/* ---- nodes.c ---- */

/* 0 without memory. */
int loggops_nodes_open(simulation *s);
/* Whether every node's ranks are in one block of 2^bits ranks. */
int loggops_nodes_fit(const loggops_run *run, unsigned bits);
/* Whether messages from one rank to another wait for the first one's adapter, together with those
 * of other ranks. */
int loggops_shares_adapter(const simulation *s, uint32_t from, uint32_t to);
/* A message that is sent at a moment leaves its node: it waits until the others of that window are
 * known. */
void loggops_adapter_queue(simulation *s, block *b, const message *m, uint64_t at_ps);
/* The data of a long message, which waited for its sender, may leave the node: in this window. */
void loggops_adapter_clear(simulation *s, block *b, const message *answered, uint64_t at_ps);
/* Queues what ranks have sent ahead of time for this window. */
void loggops_adapters_queue_ahead(simulation *s, block *b);
/* The earliest window for which ranks have sent ahead of time; NEVER if there is none. */
uint64_t loggops_adapters_next_ahead(const simulation *s, const block *b);
/* Whether a message for a rank of the block first has to pass the adapter, which then has it. */
int loggops_adapter_takes(simulation *s, block *b, uint32_t i);
/* Gives ranks what passes the adapters in this window, before they run. */
void loggops_adapters_receive(simulation *s, block *b, uint64_t end_ps);
/* Sends what the ranks have sent in it, after that. */
void loggops_adapters_send(simulation *s, block *b, uint64_t end_ps);

/* ---- wheel.c ---- */

/* Puts a rank into the wheel, to wake up in that window. */
void loggops_wheel_insert(simulation *s, block *b, uint32_t r, uint64_t window);
void loggops_wheel_remove(simulation *s, block *b, uint32_t r);
/* The earliest window in which a rank of the block may wake up; NEVER if none sleeps. */
uint64_t loggops_wheel_find(const simulation *s, wheel *w);
static inline uint64_t loggops_wheel_next(const simulation *s, wheel *w)
{
    return w->has_next ? w->next : loggops_wheel_find(s, w);
}
/* Turns the wheel to a window, which is at most loggops_wheel_next; returns the ranks that wake up
 * in it, linked by wake_next. */
uint32_t loggops_wheel_turn(simulation *s, block *b, uint64_t window);

/* ---- pool.c ---- */

/* 0 without memory. */
int loggops_pool_open(pool *p, size_t item_bytes, uint32_t n_ranks);
void loggops_pool_close(pool *p);
static inline unused_item *loggops_pool_at(const pool *p, uint32_t i)
{
    return (unused_item *)(void *)(p->memory + i * p->item_bytes);
}
/* Index of an item; NONE without memory. */
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
/* Makes room among the unused items of a stock that is full. */
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

/* ---- queue.c ---- */

/* Merges two lists of arrivals in order; where they are equal, `a` stays ahead. */
uint32_t loggops_merge_two(message *messages, uint32_t a, uint32_t b);
static inline uint32_t loggops_merge(message *messages, uint32_t a, uint32_t b)
{
    return a == NONE ? b : loggops_merge_two(messages, a, b);
}
/* A list as the messages came, the last one first, in order of arrival.  Most have one message. */
uint32_t loggops_sort_some(message *messages, uint32_t list);
static inline uint32_t loggops_sort(message *messages, uint32_t list)
{
    return list == NONE || messages[list].next == NONE ? list : loggops_sort_some(messages, list);
}
/* Puts what has come in since into the order of arrival. */
static inline void loggops_sort_arrivals(message *messages, sim_rank *rank)
{
    if (rank->fresh == NONE)
        return;
    rank->arrivals = loggops_merge(messages, rank->arrivals, loggops_sort(messages, rank->fresh));
    rank->fresh = NONE;
}
void loggops_append_message(message *messages, queue *q, uint32_t i);
void loggops_append_receive(receive *receives, queue *q, uint32_t i);
/* Takes the first one out that fits; NONE if there is none. */
uint32_t loggops_match_message(message *messages, queue *unexpected, const receive *wanted);
/* The same for a receive of any tag: none that overtakes another one. */
uint32_t loggops_match_in_order(const simulation *s, queue *unexpected, const receive *wanted);
uint32_t loggops_match_receive(receive *receives, queue *posted, const message *arrived);
/* Whether a message that fits has arrived by then, and no receive has taken it. */
int loggops_has_arrived(const simulation *s, const sim_rank *rank, const receive *wanted,
                        uint64_t at_ps);
static inline int loggops_fits(const receive *r, const message *m)
{
    return (r->source == m->source || r->source == LOGGOPS_ANY) &&
           (r->tag == m->tag || r->tag == LOGGOPS_ANY) && r->context == m->context;
}
int loggops_has_receive(const receive *receives, const queue *posted, const message *arrived);

/* When the earliest arrival can be handled.  Only what is received needs the CPU. */
static inline uint64_t loggops_arrival_ready(const simulation *s, const sim_rank *rank,
                                             int *needs_cpu)
{
    *needs_cpu = 0;
    if (rank->arrivals == NONE)
        return NEVER;
    const message *m = &s->messages[rank->arrivals];
    if (m->context == REPLY || s->moves_bytes ||
        (m->request != EAGER && !(m->context & CLEARED) &&
         !loggops_has_receive(s->receives, &rank->posted, m)))
        return m->time_ps;
    *needs_cpu = 1;
    return m->time_ps > rank->next_recv_ps ? m->time_ps : rank->next_recv_ps;
}

#endif
