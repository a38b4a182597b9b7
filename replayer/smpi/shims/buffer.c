/* buffer.c - a blocking send of a long message ends when its last bytes are in the buffers on the
 * way.
 *
 * In SMPI 3.32, a send above the detached threshold lasts until the receiver has all of the
 * message. On TCP, the sender continues when the rest fits into the buffers of the connection, a
 * few hundred kilobytes. For example, HPL computes while its panel is still on the way. The option
 * timeless/send-buffer:BYTES gives the size of these buffers. The part that is sent first, with the
 * question whether the receiver is ready, must arrive in any case; it has the size of an eager
 * message.
 *
 * The messages themselves do not change, nor do sends within a host. The sender checks the rest at
 * the moment when it would be small enough at full speed, and again until it is small enough. */
#include "config.h"

#include "shims.h"
#include "smpi/calls.h"
#include "smpi/hash.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <xbt/config.h>

/* A long message, from its send to its end. */
typedef struct transfer {
    smpi_entry of_comm, of_request;
    void *action;    /* its flow, once it has begun */
    double rate_Bps; /* of the flow, at most; 0: unknown */
    sg_sem_t begun;  /* who waits for that, or NULL */
    bool is_held, is_done;
} transfer;

/* A send that has ended for its rank while its message is on the way. */
struct smpi_unfinished {
    smpi_unfinished *next;
    MPI_Request request;
    transfer *message;
};

/* A rest that exceeds the limit by less than this is small enough; a wait shorter than this is
 * skipped. */
#define TOLERANCE 0.001
#define LEAST_WAIT_S 1e-6

static int64_t eager_bytes; /* who sends more waits for its receiver */
static bool is_known;       /* SimGrid is the one whose functions these are */
static smpi_table by_comm, by_request;
static transfer *starting; /* whose flow SimGrid is about to make */

void smpi_buffer_prepare(void)
{
    is_known = smpi_own.send_buffer > 0 && smpi_shim_holds(SMPI_SHIM_BUFFER);
    eager_bytes = sg_cfg_get_int("smpi/send-is-detached-thresh");
}

static transfer *find_comm(const void *comm)
{
    return smpi_find(&by_comm, (uintptr_t)comm, 0);
}

static transfer *add(const void *comm, const void *request)
{
    transfer *t = smpi_alloc(1, sizeof *t);
    smpi_add(&by_comm, &t->of_comm, (uintptr_t)comm, 0, t);
    smpi_add(&by_request, &t->of_request, (uintptr_t)request, 0, t);
    return t;
}

/* ---- what SimGrid calls ---- */

void *start_comm(void *comm) SMPI_REPLACES(SG_COMM_START);
void set_bound(void *system, void *variable, double bound) SMPI_REPLACES(SG_SET_BOUND);

/* Called for each send, and again when its receive comes. */
void *start_comm(void *comm)
{
    static void *(*theirs)(void *);
    SMPI_BEHIND(theirs, SG_COMM_START);
    smpi_noise_begin(comm);
    const void *request = is_known ? smpi_order_sending() : NULL;
    starting = request ? add(comm, request) : is_known ? find_comm(comm) : NULL;
    void *same = theirs(comm);
    smpi_noise_end(comm);
    if (starting && starting->action && starting->begun)
        sg_sem_release(starting->begun);
    starting = NULL;
    return same;
}

void smpi_buffer_flow(void *action)
{
    if (starting)
        starting->action = action;
}

void set_bound(void *system, void *variable, double bound)
{
    static void (*theirs)(void *, void *, double);
    SMPI_BEHIND(theirs, SG_SET_BOUND);
    bound = smpi_loopback_bound(bound);
    theirs(system, variable, bound);
    if (starting && !(starting->rate_Bps > 0)) /* others' may follow */
        starting->rate_Bps = bound;
}

void smpi_buffer_finish(const void *comm)
{
    transfer *t = is_known ? find_comm(comm) : NULL;
    if (!t)
        return;
    smpi_remove(&by_comm, &t->of_comm);
    smpi_remove(&by_request, &t->of_request);
    t->is_done = 1;
    if (t == starting) /* a link is down */
        starting = NULL;
    if (t->begun)
        sg_sem_release(t->begun);
    if (!t->is_held)
        free(t);
}

static double remaining_bytes(void *action)
{
    static double (*theirs)(void *);
    SMPI_BEHIND(theirs, SG_REMAINS);
    return theirs(action);
}

/* ---- the sender ---- */

static void wait_for_buffer(transfer *t, double least_bytes)
{
    while (!t->is_done) {
        if (!t->action) {
            t->begun = sg_sem_init(0);
            sg_sem_acquire(t->begun);
            sg_sem_destroy(t->begun);
            t->begun = NULL;
            continue;
        }
        if (!(t->rate_Bps > 0))
            smpi_give_up(
                TL_ERR_INPUT,
                "option timeless/send-buffer has no effect on a route without latency, or "
                "with network/TCP-gamma:0; set network/TCP-gamma:1e15 and give the links a "
                "latency, or leave the option out");
        const double more = remaining_bytes(t->action) - least_bytes;
        if (more <= fmax(TOLERANCE * least_bytes, LEAST_WAIT_S * t->rate_Bps))
            return;
        sg_actor_sleep_for(more / t->rate_Bps);
    }
}

/* Frees SMPI's requests of messages that have arrived, or waits for all. */
static void tidy_up(smpi_rank *r, int all)
{
    smpi_unfinished **at = &r->unfinished;
    while (*at) {
        smpi_unfinished *u = *at;
        if (!all && !u->message->is_done) {
            at = &u->next;
            continue;
        }
        MPI_Wait(&u->request, MPI_STATUS_IGNORE);
        *at = u->next;
        free(u->message);
        free(u);
    }
}

void smpi_close_sends(smpi_rank *r)
{
    tidy_up(r, 1);
}

bool smpi_send_is_buffered(int64_t bytes)
{
    return is_known && bytes > eager_bytes;
}

/* Like MPI_Send, which has no overhead if it waits for its receiver. */
int smpi_send_buffered(smpi_rank *r, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm, int64_t bytes)
{
    MPI_Request request;
    bool is_local = 0;
    tidy_up(r, 0);
    smpi_overheads_skip(&is_local);
    int rc = MPI_Isend(buffer, count, type, to, tag, comm, &request);
    smpi_overheads_skip(NULL);
    transfer *t =
        rc == MPI_SUCCESS && !is_local ? smpi_find(&by_request, (uintptr_t)request, 0) : NULL;
    if (!t)
        return rc == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : rc;
    t->is_held = 1;
    wait_for_buffer(t, fmin(smpi_own.send_buffer, (double)(bytes - eager_bytes)));
    smpi_unfinished *u = smpi_alloc(1, sizeof *u);
    *u = (smpi_unfinished){r->unfinished, request, t};
    r->unfinished = u;
    return MPI_SUCCESS;
}
