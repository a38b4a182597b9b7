/* oracle.h - random MPI programs for the differential oracle.
 *
 * A seed gives a schedule: a sequence of steps in which some or all ranks take part.  Every rank
 * makes the same schedule from the seed and carries out its part of each step in order.  A step
 * never waits for a later one, hence no schedule can deadlock; no two messages race for a wildcard,
 * and no completion is observed whose order depends on the speed of the platform, hence a schedule
 * has one makespan on a platform.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdint.h>

enum {
    ORACLE_MAX_RANKS = 64,
    ORACLE_MAX_COMMS = 24,
    ORACLE_MAX_STEPS = 96,
    ORACLE_MAX_PENDING = 256
};

/* Bytes that one buffer of one rank holds at most, and all ranks together in one collective. */
#define ORACLE_BUFFER_BYTES (INT64_C(8) << 20)
#define ORACLE_COLLECTIVE_BYTES (INT64_C(64) << 20)
#define ORACLE_BSEND_BYTES (INT64_C(256) << 10)
#define ORACLE_BSEND_MESSAGES 16
#define ORACLE_UNIT_FLOPS 1024.0
#define ORACLE_UNITS 4096

typedef enum oracle_kind {
    STEP_MESSAGE,    /* from -> to */
    STEP_SELF,       /* from -> from, through a posted receive */
    STEP_READY,      /* Rsend once the receiver has said that its receive is posted */
    STEP_NULL,       /* a call with MPI_PROC_NULL */
    STEP_SHIFT,      /* Sendrecv over a distance, ends open or not */
    STEP_BURST,      /* receives posted, sends, a pattern of messages over the communicator */
    STEP_PERSISTENT, /* two ranks exchange a few times by persistent requests */
    STEP_WAIT,       /* complete pending requests */
    STEP_BARRIER,
    STEP_BCAST,
    STEP_REDUCE,
    STEP_ALLREDUCE,
    STEP_GATHER,
    STEP_GATHERV,
    STEP_SCATTER,
    STEP_SCATTERV,
    STEP_ALLGATHER,
    STEP_ALLGATHERV,
    STEP_ALLTOALL,
    STEP_ALLTOALLV,
    STEP_ALLTOALLW,
    STEP_REDUCE_SCATTER,
    STEP_REDUCE_SCATTER_BLOCK,
    STEP_SCAN,
    STEP_EXSCAN,
    STEP_SPLIT,
    STEP_DUP,
    STEP_CREATE,
    STEP_CART,
    STEP_FREE,
    STEP_WINDOW,
    STEP_COMPUTE,
    STEP_KINDS
} oracle_kind;

enum { SEND_STANDARD, SEND_SYNCHRONOUS, SEND_BUFFERED, SEND_MODES };
/* TYPE_EMPTY has no bytes: in collectives with a count or a type for each rank only. */
enum {
    TYPE_CHAR,
    TYPE_INT,
    TYPE_DOUBLE,
    TYPE_3_CHARS,
    TYPE_7_INTS,
    TYPE_1023_CHARS,
    TYPES,
    TYPE_EMPTY = TYPES
};
enum { OP_SUM, OP_MAX, OP_COMMUTATIVE, OP_NONCOMMUTATIVE, OPS };
enum { BURST_RING, BURST_TO_ROOT, BURST_FROM_ROOT, BURST_PAIRS, BURST_ALL, BURSTS };
enum { WINDOW_FENCE, WINDOW_EXPOSURE, WINDOW_LOCK, WINDOW_LOCK_ALL, WINDOWS };
/* One dimension; one that leaves ranks out; none at all; two, of which `op` tells which to keep. */
enum { CART_LINE, CART_PART, CART_POINT, CART_SUB, CARTS };
enum { CART_KEEPS = 4 };
enum { WAIT_ONE, WAIT_ANY, WAIT_SOME, WAIT_PART, WAIT_ALL, WAITS };

enum {
    FLAG_SEND_NB = 1 << 0,
    FLAG_RECV_NB = 1 << 1,
    FLAG_ANY_SOURCE = 1 << 2,
    FLAG_IN_PLACE = 1 << 4,
    FLAG_REPLACE = 1 << 5, /* Sendrecv_replace */
    FLAG_PERIODIC = 1 << 6,
    FLAG_LEAVE = 1 << 7,     /* a burst's requests stay pending */
    FLAG_FLAT_RECV = 1 << 8, /* a derived type is received as its elements */
    FLAG_EVEN = 1 << 9,      /* a v-variant whose counts are all equal */
    FLAG_COLL_NB = 1 << 10,  /* a nonblocking collective, computation, MPI_Wait */
    FLAG_SHARED = 1 << 11,   /* a window of shared memory */
    FLAG_SWAPS = 1 << 12     /* accesses of a window may be compare-and-swap */
};

typedef struct oracle_step {
    oracle_kind kind;
    int comm; /* index of the communicator */
    int from,
        to; /* ranks in it; `from` is the root of collectives, the distance of shifts is `to` */
    int tag;
    int mode; /* SEND_*, BURST_*, WAIT_*, WINDOW_*, CART_* */
    int type, op;
    unsigned flags;
    int64_t count;          /* elements; the largest for v-variants and bursts */
    int64_t slack;          /* elements by which a receive is larger than the message */
    uint64_t salt;          /* for oracle_draw */
    int first_made, n_made; /* communicators that this step makes */
    int color[ORACLE_MAX_RANKS], key[ORACLE_MAX_RANKS]; /* by rank in comm; color < 0: undefined */
} oracle_step;

typedef struct oracle_comm {
    int n;
    int members[ORACLE_MAX_RANKS]; /* ranks in MPI_COMM_WORLD */
    int alive;
} oracle_comm;

typedef struct oracle_schedule {
    int n_ranks;
    int n_steps;
    int n_comms;
    oracle_comm comms[ORACLE_MAX_COMMS];
    oracle_step steps[ORACLE_MAX_STEPS];
} oracle_schedule;

extern const int oracle_type_bytes[TYPES + 1];
extern const char *const oracle_kind_names[STEP_KINDS];

/* Number of ranks of the program of a seed: 2..max_ranks, small ones more often. */
int oracle_ranks(unsigned long seed, int max_ranks);
/* Makes the schedule of a seed. */
void oracle_make(unsigned long seed, int n_ranks, oracle_schedule *out);
/* Makes the schedule of every collective that SMPI has several algorithms for, with so many bytes
 * for each rank or pair of ranks. */
void oracle_make_collectives(int64_t bytes, int n_ranks, oracle_schedule *out);
/* A number that depends on the arguments alone. */
uint64_t oracle_draw(uint64_t salt, unsigned i, unsigned j);
/* Elements that i sends to j in a v-variant or a burst: 0..step->count; symmetric in i and j for
 * exchanges in place. */
int64_t oracle_share(const oracle_step *step, int i, int j);

#endif
