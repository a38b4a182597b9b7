/* loggops.h - the LogGOPS engine: ranks that only exchange messages, on a network without
 * contention.
 *
 * The model (Hoefler, Schneider, Lumsdaine, "LogGOPSim", LSAP 2010; talk in the papers).  Each rank
 * has one CPU and one network interface that sends and receives at the same time.  For a message of
 * s bytes, k = s - 1 (0 for s = 0):
 *
 *   send     takes the CPU for o + kO and the sending side of the interface for g + kG; it starts
 *            when both are free
 *   network  the first byte arrives o + L after the send started
 *   receive  takes the CPU for o + k max(O, G) and the receiving side for g + kG; it starts when
 *            the message has arrived and both are free, whether the program waits for it or not
 *   s >= S   rendezvous: the receive starts only when the program has posted it, too, and the send
 *            completes o + L after the receive has started
 *
 * A reduction takes the CPU for R per byte that it combines with what the rank has, once the
 * receive is over (LogGOPSim leaves it out; 0 unless it is given).
 *
 * What a rank's CPU has to do is done in the order in which it became possible, messages before the
 * program where both became possible at once, messages that arrive at once by the rank that sent
 * them.  So the outcome depends on nothing but program and parameters.
 *
 * Ranks may share nodes (loggops_nodes): messages within a node and between nodes have costs of
 * their own, which may depend on the size, and those between nodes also pass the adapters of both
 * nodes, one after the other, as they pass the interfaces of the ranks: g + kG in each.
 * If the adapters move the bytes (they do where a receive has an overhead of its own, or or Or), no
 * CPU and no rank's interface is busy with them: the last byte of a message arrives L + kB after
 * the send's overhead, o + kO, and the receive takes the CPU for or + kOr from then on, once the
 * program waits for it; a collective does once it has sent what it sends before.  A long message
 * begins to move once it is sent and received, shares the adapter that it leaves with others of its
 * kind. Its question to the receiver and the answer are parts of its L. Its send ends when the last
 * byte has arrived, were the receiving adapter free: how long the message waits for that adapter is
 * known too late. A call that blocks (MPI_Send) to another node ends when no more is left than
 * send_buffer_bytes. Messages below S are not delayed by those of S and more, but delay them.
 * A message below S of turns_bytes and more has many packets, which take turns with those of other
 * ones: it shares the adapter, too, but those from one rank to another go one after the other.
 *
 * By default a long message begins to move whatever its ranks do (off-load to the adapter).  With
 * answers_in_calls the library moves it: its receiver answers the request when it is in a call, its
 * sender begins when it is in a call after that; within a node the receiver alone has to be.  A
 * rank is in a call from the beginning of an operation other than computation until that ends. What
 * has begun goes on.  (Hoefler, Lumsdaine, "Message Progression in Parallel Computing - To Thread
 * or not to Thread?", Cluster 2008, compare such libraries.)
 *
 * Messages of one rank to another on one communicator match in the order in which they were sent,
 * where one receive fits both (MPI's rule).  A message that arrives before an earlier one with the
 * same tag waits for it: as if it arrived then.
 *
 * An access to the memory of another rank (PUT, GET) is a message that takes no CPU but its
 * origin's: an overhead to begin it, as of a send that does not block, and that of a receive when
 * it is waited for.  Its bytes leave at once, as those of a long message whose receive is posted.
 *
 * Times are integer picoseconds.
 */
#ifndef TLR_LOGGOPS_H
#define TLR_LOGGOPS_H

#include <stdint.h>

#include <timeless.h>

#include "machine/network_noise.h"
#include "machine/noise.h"

typedef struct loggops_params {
    uint64_t L_ps, o_ps, g_ps;   /* L + o > 0 */
    double G_ps_byte, O_ps_byte; /* per byte */
    uint64_t S_bytes;            /* messages of S and more are sent by rendezvous */
    double R_ps_byte;            /* to combine a byte in a reduction */
} loggops_params;

/* What messages of so many bytes, and more, cost. */
typedef struct loggops_costs {
    uint64_t from_bytes;
    uint64_t L_ps, g_ps;
    uint64_t late_ps; /* of the latency, what passes after the adapter that receives */
    uint64_t o_ps, o_start_ps, o_receive_ps; /* of a send that blocks, of one that does not; of a
                                                receive, if the adapters move the bytes */
    double G_ps_byte, B_ps_byte;             /* in an adapter; on the way, likewise */
    double O_ps_byte, O_start_ps_byte, O_receive_ps_byte;
} loggops_costs;

enum { LOGGOPS_MAX_SIZES = 68 }; /* of two options with the most segments, and S */

/* Costs by size, from 0 bytes on.  `charges_as_smpi`: a blocking send of S bytes and more that is
 * neither synchronous nor buffered has no overhead, and the receive of a message whose sender waits
 * for it has none.  The start of a persistent send costs as much as a blocking send, a send of a
 * collective as the call that SMPI makes for it.  The latency of a long message begins when both
 * sides are ready.  Without charges_as_smpi, the question has left before, and a receive that is
 * posted later saves this part of the latency. */
typedef struct loggops_path {
    unsigned n;
    int charges_as_smpi;
    loggops_costs sizes[LOGGOPS_MAX_SIZES];
} loggops_path;

/* What messages of so many bytes cost. */
static inline const loggops_costs *loggops_costs_on(const loggops_path *path, uint64_t bytes)
{
    unsigned i = 0; /* short ones are many */
    while (i + 1 < path->n && bytes >= path->sizes[i + 1].from_bytes)
        i++;
    return &path->sizes[i];
}

/* Losses that TCP repairs after a timeout only.  If n flows (pairs of ranks) have bytes that pass a
 * node's receiving adapter, each packet of a message that arrives is lost with the probability
 * `loss` for each flow from the first_flows-th on: at least one of k packets with
 * 1 - (1 - loss)^(k (n - first_flows + 1)).  The message then arrives later by the timeout, and the
 * bytes of what follows it from that rank to that rank arrive behind it; the request of a
 * rendezvous does so only where both have the same tag.  Its sender does not notice.  The stalls
 * are those that Degomme et al., "Simulating MPI applications: the SMPI approach", section 7.4,
 * describe; this law is ours. */
typedef struct loggops_retransmission {
    double loss; /* 0: none */
    uint64_t timeout_ps;
    uint32_t first_flows; /* at least 1 */
    uint64_t seed;
} loggops_retransmission;

/* The ways between nodes whose routes differ (ways.h). */
typedef struct loggops_ways loggops_ways;
/* What a message costs from a node to a node, or within one; `fallback` if there is no way, which
 * loggops_ways_status tells afterwards. */
const loggops_path *loggops_way(loggops_ways *ways, uint32_t from_node, uint32_t to_node,
                                const loggops_path *fallback);

/* What the messages of a run ask of links and memories that they share (demand.h). */
typedef struct loggops_demand loggops_demand;
void loggops_demand_begin(loggops_demand *demand, double slot_s);
/* The thread of this number lets a message pass; all threads at once may. */
void loggops_demand_count(loggops_demand *demand, unsigned thread, uint32_t from_rank,
                          uint32_t to_rank, uint64_t bytes, uint64_t at_ps);
/* What has been counted belongs to this slot of time; no thread counts. */
void loggops_demand_end_slot(loggops_demand *demand, uint64_t slot);

/* Which ranks share an adapter.  Nodes are numbered in the order of their first ranks. */
typedef struct loggops_nodes {
    uint32_t n_nodes;
    uint32_t *node_of;            /* by rank */
    loggops_path between, within; /* with `ways`: no message is quicker */
    int move_bytes;               /* the adapters, not the CPUs */
    int answers_in_calls;         /* if move_bytes: rendezvous, see above */
    uint64_t send_buffer_bytes;   /* if move_bytes: of long messages between nodes */
    uint64_t turns_bytes; /* if move_bytes: messages of so many bytes take turns; 0: long ones do */
    double limiter; /* if move_bytes: bandwidth of a node in both directions together, in that of
                       one; 0: none. Of messages that share the adapter and have so many bytes: */
    uint64_t limiter_bytes;
    loggops_retransmission retransmission; /* if move_bytes */
    tlr_message_noise messages;            /* of their latency, and of their bytes on the way */
    const double *limiters;                /* by node; NULL: all nodes have the limiter above */
    loggops_ways *ways;                    /* NULL: all pairs of nodes are alike */
    loggops_demand *demand;                /* NULL: not counted */
} loggops_nodes;

/* The least message that the limiter of a node holds for, if it has one. */
static inline uint64_t loggops_limited_from(const loggops_nodes *nodes, uint64_t S_bytes)
{
    const uint64_t turns = nodes->turns_bytes, shared = turns && turns < S_bytes ? turns : S_bytes;
    return nodes->limiter_bytes > shared ? nodes->limiter_bytes : shared;
}

/* A network in words: the first group is `params`. */
typedef struct loggops_network {
    loggops_params params;
    loggops_path between, within;
    int has_within; /* some group is of messages within a node */
    int move_bytes;
    uint64_t send_buffer_bytes, turns_bytes, limiter_bytes; /* as in loggops_nodes */
    int limits_nodes;                                       /* the limiters of the hosts hold */
    loggops_ways *ways;                                     /* NULL: all pairs of nodes are alike */
} loggops_network;

/* "L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns,S=65536,R=0.1ns": all but S and R must be there; times in s,
 * ms, us, ns or ps. */
tl_status loggops_parse_params(const char *text, loggops_params *out, tl_error *err);
/* Groups of these, separated by ';': those that begin with "local:" are of messages within a node;
 * "from=BYTES" of messages of so many bytes and more.  Each takes what it does not state from the
 * one before (the first local one: from the first). */
tl_status loggops_parse_network(const char *text, loggops_network *out, tl_error *err);
/* L + o of the messages that arrive soonest, 0 if those of some size have none. */
uint64_t loggops_least_latency_ps(const loggops_path *path, uint64_t S_bytes);

/* A simulation ends where it would pass this moment, after 53 days: no sum of times that are below
 * it can wrap. */
#define LOGGOPS_MOST_PS (UINT64_C(1) << 62)

/* ---- programs ---- */

typedef enum loggops_kind {
    LOGGOPS_END = 0,
    LOGGOPS_COMPUTE, /* amount: picoseconds */
    LOGGOPS_SEND,    /* blocking unless it has a request */
    LOGGOPS_RECV,
    LOGGOPS_EXCHANGE,   /* a receive with a request, a send to the same rank with the same tag that
                           blocks, and a wait for the request; for feeds */
    LOGGOPS_WAIT,       /* list: requests */
    LOGGOPS_COLLECTIVE, /* blocking unless it has a request */
    LOGGOPS_PUT,        /* bytes to the partner's memory, which takes no part; with a request */
    LOGGOPS_GET,        /* bytes from it */
    LOGGOPS_TIMER,      /* its request is done `amount` picoseconds later */
    LOGGOPS_MARK,       /* amount: index of the mark */
    LOGGOPS_POLL,       /* whether the message that comm, peer and tag mean has arrived */
    LOGGOPS_MORE        /* the program goes on: loggops_feed */
} loggops_kind;

enum { LOGGOPS_ANY = INT32_MIN, LOGGOPS_NOBODY = INT32_MIN + 1 };

/* One operation of a program. */
typedef struct loggops_op {
    uint8_t kind;
    uint8_t algorithm;          /* of a collective: loggops_algorithm */
    uint8_t is_synchronous : 1; /* a send by rendezvous, however short */
    uint8_t is_buffered : 1;    /* a send that does not wait for its receive, however long */
    uint8_t is_persistent : 1;  /* the start of a persistent request */
    uint8_t is_blocking : 1;    /* a collective that calls MPI_Irecv, MPI_Send and MPI_Wait instead
                                   of MPI_Sendrecv, or waits for each message by itself */
    uint8_t is_on_file : 1;     /* a computation: the time that a file takes, not the CPU */
    uint32_t comm;              /* index of a communicator */
    /* The partner's rank in the communicator less one's own, modulo its size, so that ranks which
     * do the same with their own neighbours share one program; the root of a collective as it is;
     * of LOGGOPS_ALLREDUCE_LR the bytes of an element. */
    int32_t peer;
    int32_t tag;      /* or LOGGOPS_ANY */
    uint64_t amount;  /* bytes (of a collective: of one rank's block) */
    uint32_t request; /* 1 or more; 0: blocking */
    uint32_t list;    /* offset of its list in the program's; list[0] is the length; the requests of
                         a wait, the blocks' bytes of a collective (0: all are `amount`) */
} loggops_op;

/* What one or more ranks do. */
typedef struct loggops_program {
    loggops_op *ops; /* ended by LOGGOPS_END */
    int64_t *lists;
    uint64_t n_ops, n_list;
    uint32_t n_requests; /* the largest request and 1 */
} loggops_program;

/* What a timeline shows of an operation, or of an event that ends with it. */
typedef struct loggops_label {
    double share_s; /* of computation: its part of the operation's time is in proportion to this */
    int64_t bytes;
    uint32_t op;                  /* the event's last operation, otherwise the one that follows */
    uint32_t site, before, after; /* as in tlr_state */
    uint32_t plan_comm;           /* tlr_state.comm */
    uint32_t own_comm;            /* the rank's id of the communicator */
    uint32_t comm;                /* of the run */
    int32_t peer;                 /* as in loggops_op, or LOGGOPS_NOBODY */
    int32_t tag;
    uint16_t call; /* 0: computation between calls */
    uint8_t kind;  /* tlr_state_kind */
    uint8_t flags; /* LOGGOPS_TAKES_TIME, ... */
} loggops_label;
_Static_assert(sizeof(loggops_label) == 56, "labels without gaps can be compared as bytes");

enum {
    LOGGOPS_TAKES_TIME = 1, /* the event has operations; their time is its own */
    LOGGOPS_TO_ROOT = 2,    /* `peer` is the rank in the communicator, of a root */
    LOGGOPS_IS_CERTAIN = 4  /* tlr_needs_certainly */
};

/* Of one program, ordered by operation. */
typedef struct loggops_labels {
    loggops_label *of;
    size_t n;
} loggops_labels;

/* A communicator: members NULL is all ranks in order.  Of an intercommunicator, one group follows
 * the other, as in the plan. */
typedef struct loggops_comm {
    uint32_t n_members;
    const int32_t *members;
    int32_t *order;   /* positions by member, NULL if the members ascend */
    uint32_t n_first; /* members of an intercommunicator's first group, otherwise 0 */
} loggops_comm;

/* Programs that are made while they are simulated, one for each rank.  Ranks may be asked for by
 * several threads at a time, each rank by one. */
typedef struct loggops_feed {
    void *context;
    /* Replaces the rank's operations by the next ones, ended by LOGGOPS_MORE or LOGGOPS_END.  What
     * follows a LOGGOPS_POLL, computation and further polls, is for the answer no; after the answer
     * yes, the rank goes on at LOGGOPS_MORE.  0 if it fails. */
    int (*more)(void *context, uint32_t rank, loggops_program *program);
    void (*answer)(void *context, uint32_t rank, int is_there);
    /* Why `more` failed. */
    tl_status (*status)(void *context, tl_error *err);
    /* The rank is about to go on at that operation: what `more` reads first may be fetched.  NULL:
     * nothing is. */
    void (*expect)(void *context, uint32_t rank, uint32_t position);
} loggops_feed;

/* All that happens in a run. */
typedef struct loggops_run {
    uint32_t n_ranks;
    uint32_t n_programs;
    loggops_program *programs;
    uint32_t *program_of; /* by rank */
    uint32_t n_comms;
    loggops_comm *comms;
    uint64_t n_marks;
    double *kernel_s;                  /* by rank: seconds of its computation in kernels */
    const loggops_nodes *nodes;        /* NULL: each rank has one to itself */
    const loggops_feed *feed;          /* NULL: the programs are whole */
    uint64_t *compute_ps;              /* by rank, of a feed: computation so far */
    loggops_labels *labels;            /* by program; NULL: nobody asks for them */
    struct loggops_recorder *recorder; /* gets what each rank does when; NULL: nobody */
    uint64_t *io_ps;                   /* by rank, of a feed: on files; NULL: nothing */
    int is_short, is_synchronous;      /* of a feed: no message has S bytes; some may wait for their
                                          receives however short, or be accesses */
    double (*estimated_s)[TLR_N_ESTIMATES]; /* by rank: of kernel_s, without a measurement */
} loggops_run;

/* A rank's position in a communicator that it belongs to. */
uint32_t loggops_rank_in(const loggops_comm *comm, uint32_t rank);
/* The rank in the run that an operation's `peer` means; LOGGOPS_ANY and LOGGOPS_NOBODY stay. */
int32_t loggops_partner(const loggops_comm *comm, uint32_t rank, int32_t peer);

/* ---- collectives: collective.c ---- */

typedef enum loggops_algorithm {
    LOGGOPS_NONE = 0,
#define LOGGOPS_ALGORITHM(id, action, name) LOGGOPS_##id,
#include "algorithms.def"
    LOGGOPS_N_ALGORITHMS,
    LOGGOPS_EXCHANGE_ALL = LOGGOPS_N_ALGORITHMS /* no choice: the messages of its list */
} loggops_algorithm;

/* The default algorithm of a collective; LOGGOPS_NONE if it has none. */
uint8_t loggops_algorithm_for(tl_action action);

/* The calls of SMPI by which algorithms of collectives send. */
enum loggops_call { LOGGOPS_BLOCKING = 0, LOGGOPS_ISEND, LOGGOPS_SENDRECV };

/* One step of one rank in a collective: what it starts, or LOGGOPS_WAIT until all that it started
 * is done.  `peer` is a rank of the communicator, or LOGGOPS_NOBODY: no message. */
typedef struct loggops_step {
    uint8_t kind; /* LOGGOPS_SEND, LOGGOPS_RECV, LOGGOPS_WAIT, LOGGOPS_END */
    int32_t peer;
    uint64_t bytes;
    int32_t then_to; /* after a receive: the next two steps are a send of as many bytes to that rank
                        and a wait; otherwise LOGGOPS_NOBODY */
    int32_t from;    /* of the send of LOGGOPS_SENDRECV: of whom the step before receives */
    uint8_t call;    /* loggops_call */
} loggops_step;

/* The `number`-th step of rank `me` of `size`; `list` is NULL if all blocks are equal.  A function
 * of its arguments alone: nothing of a schedule is stored. */
loggops_step loggops_collective_step(const loggops_op *op, const int64_t *list, uint32_t me,
                                     uint32_t size, uint32_t number);

/* Whether what this step, a receive, brings is combined with what the rank has. */
int loggops_combines(const loggops_op *op, uint32_t me, uint32_t size, uint32_t number);

/* ---- simulation: simulate.c ---- */

typedef struct loggops_rank_result {
    uint64_t end_ps;
    uint64_t compute_ps; /* LOGGOPS_COMPUTE */
    uint64_t p2p_ps;     /* in sends and receives that block */
    uint64_t wait_ps;    /* in waits for requests */
    uint64_t collective_ps;
    uint64_t io_ps;    /* on files, of LOGGOPS_COMPUTE */
    uint64_t noise_ps; /* by which detours held up its CPU */
} loggops_rank_result;

typedef struct loggops_result {
    uint64_t n_operations; /* sends, receives and computations that were executed */
    uint64_t n_messages;
    uint64_t n_retransmitted; /* messages that waited for a timeout */
    uint64_t makespan_ps;
    loggops_rank_result *ranks; /* [n_ranks]: the caller's */
    uint64_t *marks_ps;         /* [mark][rank]: the caller's, or NULL */
} loggops_result;

/* TLR_ERR_DEADLOCK when some ranks wait for ever.  `noise` may be NULL.  The result is the same for
 * any number of threads. */
tl_status loggops_simulate(const loggops_run *run, const loggops_params *params,
                           const tlr_noise *noise, unsigned n_threads, loggops_result *result,
                           tl_error *err);

#endif
