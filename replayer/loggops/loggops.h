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
 *            the message has arrived and both are free. It does not wait for the program
 *   s >= S   rendezvous: the receive starts only after the program has posted it, and the send
 *            ends o + L after the receive has started
 *
 * After a receive, a reduction takes the CPU for R per byte to combine the message with the data of
 * the rank (R is 0 unless it is given; LogGOPSim has no R).
 *
 * The order of work: A CPU does its work in the order in which the work became possible. If a
 * message and the program become possible at the same time, the message is first. Messages that
 * arrive at the same time are ordered by their sending rank.  So the result depends only on
 * programs and parameters.
 *
 * Nodes: Several ranks may share a node (loggops_nodes). Messages within a node and messages
 * between nodes have separate costs, which may depend on the size. A message between nodes also
 * passes the adapters of both nodes, one after the other; each adapter is busy for g + kG.
 *
 * Adapters that move the bytes (loggops_nodes.move_bytes): They do so if the network has separate
 * parameters for the overhead of a receive, named "or" and "Or" in its text. CPUs and interfaces of
 * ranks are then not busy with the bytes:
 *   - The last byte of a message arrives L + kB after the end of the send's overhead o + kO.
 *   - When the program waits for the receive, the receive takes the CPU for or + kOr, but not
 * before the last byte has arrived. A collective first sends all that it has to send before the
 * wait.
 *   - A long message (S bytes or more) begins to move when both sides have called. It shares the
 *     adapter of the sending node with other long messages. The request to the receiver and its
 *     answer are part of the latency L.
 *   - The send of a long message ends when the last byte would arrive at a free adapter. The wait
 * for the receiving adapter is not included, because it is known too late. A blocking send to
 * another node ends earlier: when at most send_buffer_bytes are left.
 *   - Long messages do not delay short ones, but short ones delay long ones.
 *   - A short message of turns_bytes or more has many packets, which take turns with the packets of
 *     other messages: it shares the adapter, too. Such messages from one rank to another go one
 * after the other.
 *
 * Progress of long messages: By default, a long message begins to move whatever its ranks do
 * (off-load to the adapter).  With answers_in_calls, the MPI library moves it: the receiver answers
 * the request when it is in a call, and then the sender begins when it is in a call; within a node,
 * only the receiver has to be in a call.  A rank is in a call from the begin to the end of an
 * operation that is not a computation. A message that has begun to move continues.  (Hoefler,
 * Lumsdaine, "Message Progression in Parallel Computing - To Thread or not to Thread?", Cluster
 * 2008, compare such libraries.)
 *
 * Matching: If one receive fits several messages of one rank on one communicator, they match in the
 * order in which they were sent (MPI's rule).  A message that arrives before an earlier one with
 * the same tag waits: it counts as arriving together with the earlier one.
 *
 * An access to the memory of another rank (PUT, GET) is a message that takes only the CPU of its
 * origin: the overhead of a nonblocking send when it begins, and the overhead of a receive when the
 * origin waits for it.  Its bytes leave at once, as those of a long message whose receive is
 * posted.
 *
 * Times are integer picoseconds.
 */
#ifndef TLR_LOGGOPS_H
#define TLR_LOGGOPS_H

#include <stdbool.h>
#include <stdint.h>

#include <timeless.h>

#include "collectives/collective.h"
#include "machine/network_noise.h"
#include "machine/noise.h"
#include "machine/rank_model.h"
#include "machine/segments.h"

typedef struct loggops_params {
    uint64_t L_ps, o_ps, g_ps;   /* L + o > 0 */
    double G_ps_byte, O_ps_byte; /* per byte */
    uint64_t S_bytes;            /* messages of S and more are sent by rendezvous */
    double R_ps_byte;            /* to combine a byte in a reduction */
} loggops_params;

/* The costs of messages of from_bytes and more. */
typedef struct loggops_costs {
    uint64_t from_bytes;
    uint64_t L_ps, g_ps;
    uint64_t late_ps; /* the part of the latency after the receiving adapter */
    /* Overheads of a blocking send, a nonblocking send, and, if the adapters move the bytes, a
     * receive. */
    uint64_t o_ps, o_start_ps, o_receive_ps;
    double G_ps_byte, B_ps_byte; /* per byte in an adapter; on the way */
    double O_ps_byte, O_start_ps_byte, O_receive_ps_byte;
} loggops_costs;

enum { LOGGOPS_MAX_SIZES = 68 }; /* two options with the largest number of segments, and S */

/* Costs by size, from 0 bytes on.  With charges_as_smpi, overheads are charged as SMPI does:
 *   - a blocking send of S bytes or more, if it is neither synchronous nor buffered, has no
 * overhead
 *   - the receive of a message whose sender waits for it has no overhead
 *   - the start of a persistent send costs the same as a blocking send
 *   - a send of a collective costs the same as the MPI call that SMPI makes for it
 *   - the latency of a long message begins when both sides are ready
 * Without charges_as_smpi, the request of a long message leaves when the send begins. If the
 * receive is posted later, this part of the latency has passed already. */
typedef struct loggops_path {
    unsigned n;
    int charges_as_smpi;
    int charges_long; /* nevertheless, messages of S bytes or more have overheads */
    loggops_costs sizes[LOGGOPS_MAX_SIZES];
} loggops_path;

/* The costs of a message of this size. */
static inline const loggops_costs *loggops_costs_on(const loggops_path *path, uint64_t bytes)
{
    unsigned i = 0; /* most messages are short */
    while (i + 1 < path->n && bytes >= path->sizes[i + 1].from_bytes)
        i++;
    return &path->sizes[i];
}

/* Losses of packets that TCP repairs only after a timeout.  A flow is a pair of ranks whose bytes
 * pass the receiving adapter of a node. If n flows pass at the same time, a message of k packets
 * loses at least one packet with the probability 1 - (1 - loss)^(k (n - first_flows + 1)); below
 * first_flows flows, it loses none.  A message with a loss arrives later by the timeout. Later
 * messages from the same rank to the same rank arrive after it; the request of a rendezvous is
 * delayed only if it has the same tag.  The sender does not notice the loss.  Degomme et al.,
 * "Simulating MPI applications: the SMPI approach", section 7.4, describe these stalls; the law is
 * ours. */
typedef struct loggops_retransmission {
    double loss; /* 0: none */
    uint64_t timeout_ps;
    uint32_t first_flows; /* at least 1 */
    uint64_t seed;
} loggops_retransmission;

/* The costs between nodes with different routes (ways.h). */
typedef struct loggops_ways loggops_ways;
/* The number of the way from one node to another, or within a node. If there is no route, returns
 * 0; loggops_ways_status then returns the error. */
uint16_t loggops_way_between(loggops_ways *ways, uint32_t from_node, uint32_t to_node);
/* The costs of a message on a way; of way 0, `fallback`. */
const loggops_path *loggops_way(const loggops_ways *ways, uint32_t way,
                                const loggops_path *fallback);

/* Counts how many bytes the messages of a run move through links and memories that they share, in
 * slots of time (demand.h). */
typedef struct loggops_demand loggops_demand;
void loggops_demand_begin(loggops_demand *demand, double slot_s);
/* Counts a message. `thread` is the number of the calling thread; all threads may count at the same
 * time. */
void loggops_demand_count(loggops_demand *demand, unsigned thread, uint32_t from_rank,
                          uint32_t to_rank, uint64_t bytes, uint64_t at_ps);
/* Assigns everything that was counted to this slot of time. No thread may count meanwhile. */
void loggops_demand_end_slot(loggops_demand *demand, uint64_t slot);

/* The links that several nodes use, which long messages share (links.h). */
typedef struct loggops_links loggops_links;

/* Which ranks share an adapter.  Nodes are numbered in the order of their first ranks. */
typedef struct loggops_nodes {
    uint32_t n_nodes;
    uint32_t *node_of;            /* by rank */
    loggops_path between, within; /* with `ways`: no message is faster than these */
    int move_bytes;               /* the adapters move the bytes; 0: the CPUs do */
    /* Only if move_bytes; see the head of this file: */
    int answers_in_calls;
    uint64_t send_buffer_bytes; /* of long messages between nodes */
    uint64_t turns_bytes;       /* smallest message that takes turns; 0: only long ones do */
    double memory_Bps;          /* what the memory of a node reads and writes; 0: not shared */
    double limiter; /* bandwidth of a node in both directions together, relative to the bandwidth in
                       one direction; 0: no limiter */
    uint64_t limiter_bytes; /* it holds for messages of so many bytes that share the adapter */
    loggops_retransmission retransmission;
    /* In all cases: */
    tlr_message_noise messages; /* noise of their latency, and of their bytes on the way */
    const double *limiters;     /* by node; NULL: all nodes have `limiter` */
    loggops_ways *ways;         /* NULL: all pairs of nodes have the same costs */
    loggops_demand *demand;     /* NULL: not counted */
    loggops_links *links;       /* NULL: messages share adapters only */
} loggops_nodes;

/* The size of the smallest message for which the limiter of a node holds. */
static inline uint64_t loggops_limited_from(const loggops_nodes *nodes, uint64_t S_bytes)
{
    const uint64_t turns = nodes->turns_bytes, shared = turns && turns < S_bytes ? turns : S_bytes;
    return nodes->limiter_bytes > shared ? nodes->limiter_bytes : shared;
}

/* A network as a text describes it; the first group of the text is `params`. */
typedef struct loggops_network {
    loggops_params params;
    loggops_path between, within;
    bool has_within; /* the text has a group for messages within a node */
    /* As in loggops_nodes: */
    int move_bytes;
    uint64_t send_buffer_bytes, turns_bytes, limiter_bytes;
    double memory_Bps;
    int limits_nodes;     /* the limiters of the hosts hold */
    loggops_ways *ways;   /* NULL: all pairs of nodes have the same costs */
    tlr_segments factors; /* of the bandwidth of links that nodes share, by size on the link */
} loggops_network;
/* What SMPI sends beside a message's bytes. It counts for the network and its factors, and not for
 * overheads and thresholds. */
enum { LOGGOPS_ENVELOPE_BYTES = 16 };

/* Reads "L=5.3us,o=2.3us,g=2us,G=2.5ns,O=1ns,S=65536,R=0.1ns". Only S and R may be missing. Times
 * are in s, ms, us, ns or ps. */
tl_status loggops_parse_params(const char *text, loggops_params *out, tl_error *err);
/* Reads groups of such parameters, separated by ';'. A group that begins with "local:" is for
 * messages within a node; a group with "from=BYTES" is for messages of BYTES and more.  A parameter
 * that a group does not state is taken from the group before; for the first local group, from the
 * first group. */
tl_status loggops_parse_network(const char *text, loggops_network *out, tl_error *err);
/* The same for the loggops_params of the options, with their changes. */
tl_status loggops_read_params(const tlr_options *options, loggops_network *out, tl_error *err);
/* Sets the params but S and R from the costs of the shortest messages between nodes. */
void loggops_set_params(loggops_network *n);
/* The smallest L + o of all sizes; 0 if it is 0 for some size. */
uint64_t loggops_least_latency_ps(const loggops_path *path, uint64_t S_bytes);

/* A simulation stops before this moment, which is after 53 days: a sum of two times below it does
 * not overflow. */
#define LOGGOPS_MOST_PS (UINT64_C(1) << 62)

/* ---- programs ---- */

/* A list, in order; UINT32_MAX if empty. */
typedef struct queue {
    uint32_t first, last;
} queue;

/* What an operation does; the first kinds are those of the steps of a collective. */
typedef enum loggops_kind {
    LOGGOPS_END = TLR_MESSAGE_END,
    LOGGOPS_SEND = TLR_MESSAGE_SEND, /* blocking unless it has a request */
    LOGGOPS_RECV = TLR_MESSAGE_RECEIVE,
    LOGGOPS_WAIT = TLR_MESSAGE_WAIT, /* list: requests */
    LOGGOPS_COMPUTE,                 /* amount: picoseconds */
    LOGGOPS_EXCHANGE,   /* three operations in one, of feeds only: a receive with a request, a
                           blocking send (same rank and tag), and a wait for the request */
    LOGGOPS_COLLECTIVE, /* blocking unless it has a request */
    LOGGOPS_PUT,        /* bytes to the memory of the partner, which does nothing; has a request */
    LOGGOPS_GET,        /* bytes from the memory of the partner; has a request */
    LOGGOPS_TIMER,      /* its request is done `amount` picoseconds later */
    LOGGOPS_MARK,       /* amount: index of the mark */
    LOGGOPS_POLL,       /* asks whether the message with this comm, peer and tag has arrived */
    LOGGOPS_MORE        /* the next operations come from the loggops_feed */
} loggops_kind;

enum { LOGGOPS_ANY = INT32_MIN, LOGGOPS_NOBODY = TLR_NOBODY };

/* One operation of a program. */
typedef struct loggops_op {
    uint8_t kind;
    uint8_t algorithm;          /* of a collective: tlr_algorithm */
    uint8_t is_synchronous : 1; /* a send by rendezvous, also of a short message */
    uint8_t is_buffered : 1; /* a send that does not wait for its receive, also of a long message */
    uint8_t is_persistent : 1; /* the start of a persistent request */
    uint8_t is_blocking : 1;   /* tlr_collective.is_blocking */
    uint8_t is_on_file : 1;    /* a computation that is the time of a file, not of the CPU */
    uint32_t comm;             /* index of a communicator */
    /* Of a message: the distance to the partner, which is its rank in the communicator minus the
     * own rank, modulo the size; so ranks that do the same with their own neighbours share one
     * program. Of a collective: the root; of TLR_ALLREDUCE_LR: the bytes of an element. */
    int32_t peer;
    int32_t tag;      /* or LOGGOPS_ANY */
    uint64_t amount;  /* bytes; of a collective: bytes of the block of one rank */
    uint32_t request; /* 1 or more; 0: blocking */
    /* Offset in loggops_program.lists of its list, which begins with its length: the requests of a
     * wait, or the bytes of each block of a collective. 0: no list; all blocks have `amount`. */
    uint32_t list;
} loggops_op;

/* The operations of one or more ranks. */
typedef struct loggops_program {
    loggops_op *ops; /* ended by LOGGOPS_END */
    int64_t *lists;
    uint64_t n_ops, n_list;
    uint32_t n_requests; /* largest request + 1 */
} loggops_program;

/* The description of an event for a timeline. An event may have several operations. */
typedef struct loggops_label {
    double share_s; /* of computation: the event gets a part of the time of the operation, in
                       proportion to this */
    int64_t bytes;
    uint32_t op;                  /* last operation of the event, or the next one */
    uint32_t site, before, after; /* as in tlr_state */
    uint32_t plan_comm;           /* tlr_state.comm */
    uint32_t own_comm;            /* id of the communicator in the trace of the rank */
    uint32_t comm;                /* index in loggops_run.comms */
    int32_t peer;                 /* as in loggops_op, or LOGGOPS_NOBODY */
    int32_t tag;
    uint16_t call; /* 0: computation between calls */
    uint8_t kind;  /* tlr_state_kind */
    uint8_t flags; /* LOGGOPS_TAKES_TIME, ... */
} loggops_label;
_Static_assert(sizeof(loggops_label) == 56, "labels without gaps can be compared as bytes");

enum {
    LOGGOPS_TAKES_TIME = 1, /* the event has operations, and takes their time */
    LOGGOPS_TO_ROOT = 2,    /* `peer` is a root: a rank in the communicator */
    LOGGOPS_IS_CERTAIN = 4  /* tlr_needs_certainly */
};

/* The labels of one program, ordered by operation. */
typedef struct loggops_labels {
    loggops_label *of;
    size_t n;
} loggops_labels;

/* A communicator.  An intercommunicator has the members of its first group, then those of the
 * second group, as in the plan. */
typedef struct loggops_comm {
    uint32_t n_members;
    const int32_t *members; /* ranks in the run; NULL: all ranks in order */
    int32_t *order;         /* positions in `members`, sorted by member; NULL: members are sorted */
    uint32_t n_first;       /* members of the first group of an intercommunicator, otherwise 0 */
    uint32_t n_on_host;     /* members of each host; 0: not as many on each */
    bool is_in_blocks;      /* those of a host follow each other */
} loggops_comm;

/* Makes the programs of all ranks while they are simulated.  Several threads may call it at the
 * same time for different ranks. */
typedef struct loggops_feed {
    void *context;
    /* Replaces the operations of the rank by the next ones, which end with LOGGOPS_MORE or
     * LOGGOPS_END.  The operations after a LOGGOPS_POLL (computation and further polls) are
     * executed if the answer is no. If the answer is yes, the rank continues at LOGGOPS_MORE.
     * Returns 0 if it fails. */
    int (*more)(void *context, uint32_t rank, loggops_program *program);
    /* The answer to a LOGGOPS_POLL. */
    void (*answer)(void *context, uint32_t rank, bool is_there);
    /* Why `more` failed. */
    tl_status (*status)(void *context, tl_error *err);
    /* The rank will continue at this operation soon: the feed may prefetch what `more` reads. NULL:
     * it prefetches nothing. */
    void (*expect)(void *context, uint32_t rank, uint32_t position);
} loggops_feed;

/* Sums over what a rank computes, in seconds of its host. */
typedef struct loggops_sums {
    double kernel_s;         /* in kernels */
    double slept_s;          /* asleep; part of loggops_rank_result.compute_ps */
    tlr_model_sums of_model; /* estimated_s: part of kernel_s */
} loggops_sums;

/* Everything that a simulation needs. The caller owns it. */
typedef struct loggops_run {
    uint32_t n_ranks;
    uint32_t n_programs;
    loggops_program *programs;
    uint32_t *program_of; /* by rank */
    uint32_t n_comms;
    loggops_comm *comms;
    uint64_t n_marks;
    loggops_sums *sums;                /* by rank */
    const loggops_nodes *nodes;        /* NULL: each rank has a node of its own */
    const loggops_feed *feed;          /* NULL: the programs are complete */
    uint64_t *compute_ps;              /* with a feed or graph, by rank: computation so far */
    loggops_labels *labels;            /* by program; NULL: not wanted */
    struct loggops_recorder *recorder; /* receives the states of each rank; NULL: not wanted */
    uint64_t *io_ps;                   /* with a feed, by rank: time of files; NULL: no files */
    /* With a feed: all messages are shorter than S; there may be short synchronous messages, or
     * accesses. */
    bool is_short, is_synchronous;
    struct goal_run *graph; /* the operations of all ranks (goal.h); NULL: the programs */
} loggops_run;

/* The rank in a communicator of a rank in the run, which must be a member. */
uint32_t loggops_rank_in(const loggops_comm *comm, uint32_t rank);
/* The rank in the run for loggops_op.peer of this rank; LOGGOPS_ANY and LOGGOPS_NOBODY stay. */
int32_t loggops_partner(const loggops_comm *comm, uint32_t rank, int32_t peer);

/* ---- simulation: simulate.c ---- */

typedef struct loggops_rank_result {
    uint64_t end_ps;
    uint64_t compute_ps; /* in LOGGOPS_COMPUTE, without the time of files */
    uint64_t p2p_ps;     /* in sends, and in blocking receives */
    uint64_t wait_ps;    /* in waits for requests */
    uint64_t collective_ps;
    uint64_t io_ps;    /* in LOGGOPS_COMPUTE that is the time of files */
    uint64_t noise_ps; /* time that detours took from its CPU */
} loggops_rank_result;

typedef struct loggops_result {
    uint64_t n_operations; /* sends, receives and computations that were executed */
    uint64_t n_messages;
    uint64_t n_retransmitted; /* messages that waited for a timeout */
    uint64_t makespan_ps;
    loggops_rank_result *ranks; /* [n_ranks], owned by the caller */
    uint64_t *marks_ps;         /* [mark][rank], owned by the caller, or NULL */
} loggops_result;

/* Simulates a run.  `noise` may be NULL.  The result is the same for any number of threads.
 * TLR_ERR_DEADLOCK: some ranks wait for ever. */
tl_status loggops_simulate(const loggops_run *run, const loggops_params *params,
                           const tlr_noise *noise, unsigned n_threads, loggops_result *result,
                           tl_error *err);

#endif
