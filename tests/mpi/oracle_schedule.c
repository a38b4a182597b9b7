/* oracle_schedule.c - makes a random schedule from a seed (see oracle.h). */
#include "oracle.h"

#include <math.h>
#include <string.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

const int oracle_type_bytes[TYPES + 1] = {1, 4, 8, 3, 28, 1023, 0};

const char *const oracle_kind_names[STEP_KINDS] = {"message",
                                                   "self",
                                                   "ready",
                                                   "null",
                                                   "shift",
                                                   "burst",
                                                   "persistent",
                                                   "wait",
                                                   "barrier",
                                                   "bcast",
                                                   "reduce",
                                                   "allreduce",
                                                   "gather",
                                                   "gatherv",
                                                   "scatter",
                                                   "scatterv",
                                                   "allgather",
                                                   "allgatherv",
                                                   "alltoall",
                                                   "alltoallv",
                                                   "alltoallw",
                                                   "reduce_scatter",
                                                   "reduce_scatter_block",
                                                   "scan",
                                                   "exscan",
                                                   "split",
                                                   "dup",
                                                   "create",
                                                   "cart",
                                                   "free",
                                                   "window",
                                                   "compute"};

/* Sizes where SMPI, its collective selectors or the options in tests/mpi/oracle change behaviour.
 */
static const int64_t thresholds_bytes[] = {16,    64,     256,    512,    1024,   1420,   2048,
                                           3000,  4096,   8192,   9000,   16384,  32768,  33000,
                                           65536, 131072, 262144, 327680, 524288, 1048576};

/* An Alltoall of so many bytes per pair fails in SMPI 3.32 when the communicator has 3, 5, 6 or 7
 * ranks
 * ("alltoall pair algorithm can't be used with non power of two number of processes"). */
#define PAIR_BYTES (INT64_C(262144) - 1)
#define LONG_BYTES 65536

typedef struct maker {
    gsl_rng *rng;
    oracle_schedule *schedule;
    int bsends[ORACLE_MAX_RANKS];  /* messages that the attached buffer of a rank holds so far */
    int pending[ORACLE_MAX_RANKS]; /* requests that a rank has at most */
    int has_corners;               /* types without bytes, compare-and-swap */
} maker;

uint64_t oracle_draw(uint64_t salt, unsigned i, unsigned j)
{
    /* The finalizer of splitmix64 over a counter made of the arguments. */
    uint64_t x = salt + (((uint64_t)i << 32) | (j + 1)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

int64_t oracle_share(const oracle_step *step, int i, int j)
{
    if (step->flags & FLAG_EVEN || step->count == 0)
        return step->count;
    if (step->kind == STEP_ALLGATHERV && i == 0)
        return step->count;
    if (step->flags & FLAG_IN_PLACE && i > j) {
        int other = i;
        i = j;
        j = other;
    }
    uint64_t number = oracle_draw(step->salt, (unsigned)i, (unsigned)j);
    if (number % 4 == 0)
        return 0;
    return (int64_t)((number >> 8) % (uint64_t)(step->count + 1));
}

static int below(maker *m, int limit)
{
    return (int)gsl_rng_uniform_int(m->rng, (unsigned long)limit);
}

static int chance(maker *m, double probability)
{
    return gsl_rng_uniform(m->rng) < probability;
}

static int64_t draw_bytes(maker *m, int64_t limit)
{
    int64_t bytes = 0;
    double kind = gsl_rng_uniform(m->rng);
    if (kind < 0.1) {
        bytes = 0;
    } else if (kind < 0.5) {
        size_t n = sizeof thresholds_bytes / sizeof *thresholds_bytes;
        static const int offsets[] = {-17, -16, -15, -1, 0, 1};
        bytes = thresholds_bytes[below(m, (int)n)] + offsets[below(m, 6)];
    } else {
        bytes = (int64_t)exp(gsl_ran_flat(m->rng, 0, log((double)ORACLE_BUFFER_BYTES)));
    }
    if (bytes < 0)
        bytes = 0;
    return bytes < limit ? bytes : limit;
}

/* Type and count of about so many bytes. */
static void draw_data(maker *m, oracle_step *step, int64_t limit_bytes)
{
    int64_t bytes = draw_bytes(m, limit_bytes);
    step->type = below(m, TYPES);
    step->count = bytes / oracle_type_bytes[step->type];
}

static int draw_comm(maker *m)
{
    oracle_schedule *s = m->schedule;
    if (chance(m, 0.3))
        return 0;
    for (;;) {
        int comm = below(m, s->n_comms);
        if (s->comms[comm].alive)
            return comm;
    }
}

static int pending_fits(maker *m, const oracle_step *step, int more)
{
    const oracle_comm *comm = &m->schedule->comms[step->comm];
    for (int i = 0; i < comm->n; i++)
        if (m->pending[comm->members[i]] + more > ORACLE_MAX_PENDING)
            return 0;
    for (int i = 0; i < comm->n; i++)
        m->pending[comm->members[i]] += more;
    return 1;
}

static void draw_message(maker *m, oracle_step *step)
{
    const oracle_comm *comm = &m->schedule->comms[step->comm];
    step->from = below(m, comm->n);
    step->to = below(m, comm->n);
    draw_data(m, step, ORACLE_BUFFER_BYTES);
    step->tag = below(m, 3);
    if (step->kind == STEP_NULL)
        step->to = 0;
    else if (step->to == step->from)
        step->kind = STEP_SELF;
    step->mode = below(m, SEND_MODES);
    if (step->kind == STEP_SELF || step->kind == STEP_READY)
        step->mode = SEND_STANDARD;
    if (step->mode == SEND_BUFFERED) {
        int *bsends = &m->bsends[comm->members[step->from]];
        if (step->count * oracle_type_bytes[step->type] > ORACLE_BSEND_BYTES ||
            *bsends == ORACLE_BSEND_MESSAGES)
            step->mode = SEND_STANDARD;
        else
            ++*bsends;
    }
    if (chance(m, 0.5) && pending_fits(m, step, 1))
        step->flags |= FLAG_SEND_NB;
    if (chance(m, 0.5) && pending_fits(m, step, 1))
        step->flags |= FLAG_RECV_NB;
    if (step->kind != STEP_NULL && chance(m, 0.2))
        step->flags |= FLAG_ANY_SOURCE;
    /* A tag of its own for wildcards: no other message can match.  Also for posted receives:
     * SMPI 3.32 with an asynchronous threshold lets a message overtake another of the same tag when
     * one of two posted receives is below the threshold and the other is not. */
    if (step->flags & (FLAG_ANY_SOURCE | FLAG_RECV_NB) || step->kind != STEP_MESSAGE)
        step->tag = 1000 + m->schedule->n_steps;
    if (step->type >= TYPE_3_CHARS && chance(m, 0.5))
        step->flags |= FLAG_FLAT_RECV;
    else if (chance(m, 0.2) && step->count < 100000)
        step->slack = 1 + below(m, 5000);
}

static void draw_burst(maker *m, oracle_step *step)
{
    int n = m->schedule->comms[step->comm].n;
    step->mode = below(m, BURSTS);
    step->from = below(m, n);
    draw_data(m, step, ORACLE_BUFFER_BYTES / n);
    step->tag = 2000 + m->schedule->n_steps;
    if (chance(m, 0.5))
        step->flags |= FLAG_SEND_NB;
    if (chance(m, 0.3))
        step->flags |= FLAG_EVEN;
    if (chance(m, 0.4) && pending_fits(m, step, 2 * n))
        step->flags |= FLAG_LEAVE;
}

static void draw_collective(maker *m, oracle_step *step)
{
    int n = m->schedule->comms[step->comm].n;
    /* SMPI 3.32 with the selector of Open MPI sends to a rank that does not exist here. */
    if (n == 1 && (step->kind == STEP_REDUCE || step->kind == STEP_ALLREDUCE ||
                   step->kind == STEP_ALLGATHERV))
        step->kind = STEP_SCAN;
    int64_t limit = ORACLE_COLLECTIVE_BYTES / n;
    if (step->kind >= STEP_ALLGATHER && step->kind <= STEP_REDUCE_SCATTER_BLOCK)
        limit /= n;
    if (step->kind >= STEP_GATHER && step->kind <= STEP_REDUCE_SCATTER_BLOCK &&
        limit > ORACLE_BUFFER_BYTES / n)
        limit = ORACLE_BUFFER_BYTES / n;
    if (limit > ORACLE_BUFFER_BYTES)
        limit = ORACLE_BUFFER_BYTES;
    /* SMPI 3.32's selectors take an algorithm for powers of two only here. */
    if (step->kind == STEP_ALLTOALL && n < 8 && (n & (n - 1)) && limit > PAIR_BYTES)
        limit = PAIR_BYTES;
    draw_data(m, step, limit);
    /* SMPI 3.32 with the selector of Open MPI divides by zero when there is nothing to send. */
    if ((step->kind == STEP_BCAST || step->kind == STEP_REDUCE || step->kind == STEP_ALLREDUCE) &&
        step->count == 0)
        step->count = 1;
    if (step->kind == STEP_ALLGATHERV)
        step->count++;
    step->from = below(m, n);
    step->op = below(m, OPS);
    if (step->type >= TYPE_3_CHARS && step->op < OP_COMMUTATIVE)
        step->op += OP_COMMUTATIVE;
    if (chance(m, 0.25) && step->kind != STEP_ALLTOALLW)
        step->flags |= FLAG_IN_PLACE;
    /* SMPI 3.32 with the selector of Open MPI divides by zero in an empty Allgatherv. */
    if (m->has_corners && chance(m, 0.3) &&
        (step->kind == STEP_GATHERV || step->kind == STEP_SCATTERV ||
         step->kind == STEP_ALLTOALLV || step->kind == STEP_ALLTOALLW))
        step->type = TYPE_EMPTY;
    if (chance(m, 0.2))
        step->flags |= FLAG_EVEN;
    /* Open MPI 4.1.4 crashes now and then in a long MPI_Iallreduce. */
    if (chance(m, 0.25) &&
        (step->kind != STEP_ALLREDUCE || step->count * oracle_type_bytes[step->type] < LONG_BYTES))
        step->flags |= FLAG_COLL_NB;
    /* SMPI 3.32 sends from memory that it has freed in nonblocking collectives in place, and reads
     * behind the buffer of a reduce-scatter. */
    if (step->flags & FLAG_COLL_NB)
        step->flags &= ~(unsigned)FLAG_IN_PLACE;
}

static oracle_comm *new_comm(maker *m, oracle_step *step)
{
    oracle_schedule *s = m->schedule;
    oracle_comm *comm = &s->comms[s->n_comms++];
    memset(comm, 0, sizeof *comm);
    comm->alive = 1;
    step->n_made++;
    return comm;
}

static void draw_split(maker *m, oracle_step *step)
{
    oracle_schedule *s = m->schedule;
    const oracle_comm *parent = &s->comms[step->comm];
    int n_colors = 1 + below(m, 3);
    int used[3] = {0};
    for (int i = 0; i < parent->n; i++) {
        step->color[i] = chance(m, 0.15) ? -1 : below(m, n_colors);
        step->key[i] = chance(m, 0.5) ? i : below(m, parent->n);
        if (step->color[i] >= 0)
            used[step->color[i]] = 1;
    }
    for (int color = 0; color < 3; color++) {
        if (!used[color])
            continue;
        oracle_comm *comm = new_comm(m, step);
        for (int key = 0; key < parent->n; key++)
            for (int i = 0; i < parent->n; i++)
                if (step->color[i] == color && step->key[i] == key)
                    comm->members[comm->n++] = parent->members[i];
    }
}

/* The group of MPI_Comm_create, in `key`: ranks of the parent in a random order. */
static void draw_create(maker *m, oracle_step *step)
{
    const oracle_comm *parent = &m->schedule->comms[step->comm];
    for (int i = 0; i < parent->n; i++)
        step->key[i] = i;
    gsl_ran_shuffle(m->rng, step->key, (size_t)parent->n, sizeof *step->key);
    oracle_comm *comm = new_comm(m, step);
    comm->n = 1 + below(m, parent->n);
    for (int i = 0; i < comm->n; i++)
        comm->members[i] = parent->members[step->key[i]];
}

/* Of CART_SUB both communicators are gone when the step is over. */
static void draw_cart(maker *m, oracle_step *step)
{
    const oracle_comm *parent = &m->schedule->comms[step->comm];
    step->mode = below(m, CARTS);
    step->op = below(m, CART_KEEPS);
    if (step->mode == CART_SUB) {
        do
            step->from = 1 + below(m, parent->n);
        while (parent->n % step->from);
        return;
    }
    oracle_comm *comm = new_comm(m, step);
    *comm = *parent;
    if (step->mode == CART_PART)
        comm->n = 1 + below(m, parent->n);
    if (step->mode == CART_POINT)
        comm->n = 1;
}

static void draw_communicator(maker *m, oracle_step *step)
{
    oracle_schedule *s = m->schedule;
    if (s->n_comms + 3 > ORACLE_MAX_COMMS)
        step->kind = step->comm ? STEP_FREE : STEP_BARRIER;
    step->first_made = s->n_comms;
    if (step->kind == STEP_SPLIT) {
        draw_split(m, step);
    } else if (step->kind == STEP_CREATE) {
        draw_create(m, step);
    } else if (step->kind == STEP_DUP) {
        oracle_comm *comm = new_comm(m, step);
        *comm = s->comms[step->comm];
    } else if (step->kind == STEP_CART) {
        draw_cart(m, step);
    } else if (step->kind == STEP_FREE) {
        if (step->comm == 0)
            step->kind = STEP_BARRIER;
        else
            s->comms[step->comm].alive = 0;
    }
}

static void draw_window(maker *m, oracle_step *step)
{
    const int n = m->schedule->comms[step->comm].n;
    draw_data(m, step, ORACLE_BUFFER_BYTES / n);
    step->type %= TYPE_3_CHARS; /* those that MPI can accumulate */
    step->count = step->count * 3 / 4;
    step->mode = below(m, n > 1 ? WINDOWS : 1);
    step->op = below(m, OPS);
    step->from = below(m, n);
    step->to = (step->from + 1) % n;
    step->flags |= chance(m, 0.5) ? FLAG_EVEN : 0;
    step->flags |= chance(m, 0.5) ? FLAG_PERIODIC : 0;
    step->flags |= chance(m, 0.3) ? FLAG_SHARED : 0;
    step->flags |= m->has_corners ? FLAG_SWAPS : 0;
}

static oracle_kind draw_kind(maker *m)
{
    double kind = gsl_rng_uniform(m->rng);
    if (kind < 0.38)
        return (oracle_kind)below(m, STEP_WAIT);
    if (kind < 0.45)
        return STEP_WAIT;
    if (kind < 0.52)
        return STEP_COMPUTE;
    if (kind < 0.88)
        return (oracle_kind)(STEP_BARRIER + below(m, STEP_SPLIT - STEP_BARRIER));
    if (kind < 0.92)
        return STEP_WINDOW;
    return (oracle_kind)(STEP_SPLIT + below(m, STEP_WINDOW - STEP_SPLIT));
}

static void draw_step(maker *m, oracle_step *step)
{
    memset(step, 0, sizeof *step);
    step->kind = draw_kind(m);
    step->comm = draw_comm(m);
    step->salt = gsl_rng_get(m->rng);
    int n = m->schedule->comms[step->comm].n;
    if (step->kind <= STEP_NULL) {
        draw_message(m, step);
    } else if (step->kind == STEP_SHIFT) {
        draw_data(m, step, ORACLE_BUFFER_BYTES);
        step->tag = below(m, 3);
        step->to = below(m, n);
        step->flags |= chance(m, 0.5) ? FLAG_PERIODIC : 0;
        /* SMPI 3.32 stops at an empty Sendrecv_replace. */
        step->flags |= chance(m, 0.3) && step->count > 0 ? FLAG_REPLACE : 0;
    } else if (step->kind == STEP_BURST) {
        draw_burst(m, step);
    } else if (step->kind == STEP_PERSISTENT) {
        draw_data(m, step, ORACLE_BUFFER_BYTES);
        step->from = below(m, n);
        step->to = (step->from + 1) % n;
        step->tag = 3000 + m->schedule->n_steps;
        step->mode = below(m, SEND_BUFFERED);
    } else if (step->kind == STEP_WAIT) {
        step->mode = below(m, WAITS);
    } else if (step->kind == STEP_WINDOW) {
        draw_window(m, step);
    } else if (step->kind == STEP_COMPUTE) {
        step->count = 1 + below(m, ORACLE_UNITS);
    } else if (step->kind < STEP_SPLIT) {
        draw_collective(m, step);
    } else {
        draw_communicator(m, step);
    }
}

static void begin_schedule(int n_ranks, oracle_schedule *out)
{
    memset(out, 0, sizeof *out);
    out->n_ranks = n_ranks;
    out->n_comms = 1;
    out->comms[0].n = n_ranks;
    out->comms[0].alive = 1;
    for (int i = 0; i < n_ranks; i++)
        out->comms[0].members[i] = i;
}

void oracle_make_collectives(int64_t bytes, int n_ranks, oracle_schedule *out)
{
    static const oracle_kind kinds[] = {STEP_BARRIER,   STEP_BCAST,         STEP_REDUCE,
                                        STEP_ALLREDUCE, STEP_GATHER,        STEP_SCATTER,
                                        STEP_ALLGATHER, STEP_ALLGATHERV,    STEP_ALLTOALL,
                                        STEP_ALLTOALLV, STEP_REDUCE_SCATTER};
    begin_schedule(n_ranks, out);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const oracle_step work = {
            .kind = STEP_COMPUTE, .count = ORACLE_UNITS / 64, .salt = 2 * i + 1};
        oracle_step step = {.kind = kinds[i], .salt = 2 * i, .type = TYPE_DOUBLE, .from = 1};
        step.count = bytes / oracle_type_bytes[TYPE_DOUBLE];
        if (kinds[i] == STEP_ALLGATHERV || kinds[i] == STEP_REDUCE_SCATTER)
            step.flags = FLAG_EVEN;
        out->steps[out->n_steps++] = work;
        out->steps[out->n_steps++] = step;
    }
}

int oracle_ranks(unsigned long seed, int max_ranks)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(rng, seed * 2 + 1);
    int n = (int)exp(gsl_ran_flat(rng, log(2.0), log(max_ranks + 1.0)));
    gsl_rng_free(rng);
    return n > max_ranks ? max_ranks : n;
}

void oracle_make(unsigned long seed, int n_ranks, oracle_schedule *out)
{
    maker m = {.schedule = out, .has_corners = seed % 4 == 0};
    m.rng = gsl_rng_alloc(gsl_rng_taus2);
    gsl_rng_set(m.rng, seed * 2 + 2);
    begin_schedule(n_ranks, out);
    int n_steps = 10 + below(&m, ORACLE_MAX_STEPS - 10);
    while (out->n_steps < n_steps) {
        draw_step(&m, &out->steps[out->n_steps]);
        out->n_steps++;
    }
    gsl_rng_free(m.rng);
}
