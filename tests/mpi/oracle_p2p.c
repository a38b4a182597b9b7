/* oracle_p2p.c - the point-to-point steps of the oracle's programs. */
#include <stdlib.h>

#include "oracle_run.h"

static void keep(oracle_rank *self, MPI_Request request, char *landing)
{
    self->pending[self->n_pending] = request;
    self->landing[self->n_pending++] = landing;
}

static void forget(oracle_rank *self, int index)
{
    free(self->landing[index]);
    self->landing[index] = NULL;
    self->pending[index] = MPI_REQUEST_NULL;
}

static void compact(oracle_rank *self)
{
    int n = 0;
    for (int i = 0; i < self->n_pending; i++) {
        if (self->pending[i] == MPI_REQUEST_NULL)
            continue;
        self->pending[n] = self->pending[i];
        self->landing[n++] = self->landing[i];
    }
    self->n_pending = n;
}

static void wait_all(oracle_rank *self)
{
    MPI_Waitall(self->n_pending, self->pending, self->statuses);
    for (int i = 0; i < self->n_pending; i++)
        forget(self, i);
    self->n_pending = 0;
}

static void run_send(oracle_rank *self, const oracle_step *step, int dest)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int count = (int)step->count;
    if (step->flags & FLAG_SEND_NB) {
        MPI_Request request;
        if (step->mode == SEND_SYNCHRONOUS)
            MPI_Issend(self->out, count, type, dest, step->tag, comm, &request);
        else if (step->mode == SEND_BUFFERED)
            MPI_Ibsend(self->out, count, type, dest, step->tag, comm, &request);
        else
            MPI_Isend(self->out, count, type, dest, step->tag, comm, &request);
        keep(self, request, NULL);
    } else if (step->mode == SEND_SYNCHRONOUS) {
        MPI_Ssend(self->out, count, type, dest, step->tag, comm);
    } else if (step->mode == SEND_BUFFERED) {
        MPI_Bsend(self->out, count, type, dest, step->tag, comm);
    } else {
        MPI_Send(self->out, count, type, dest, step->tag, comm);
    }
}

static void run_recv(oracle_rank *self, const oracle_step *step, int source, int nonblocking)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int64_t count = step->count + step->slack;
    size_t bytes = (size_t)(count * oracle_type_bytes[step->type]) + 1;
    if (step->flags & FLAG_FLAT_RECV) {
        type = step->type == TYPE_7_INTS ? MPI_INT : MPI_SIGNED_CHAR;
        count *= step->type == TYPE_7_INTS ? 7 : oracle_type_bytes[step->type];
    }
    if (step->flags & FLAG_ANY_SOURCE)
        source = MPI_ANY_SOURCE;
    if (nonblocking) {
        MPI_Request request;
        char *landing = malloc(bytes);
        MPI_Irecv(landing, (int)count, type, source, step->tag, comm, &request);
        keep(self, request, landing);
    } else {
        MPI_Recv(self->in, (int)count, type, source, step->tag, comm, MPI_STATUS_IGNORE);
    }
}

static void run_ready(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Comm comm = self->comms[step->comm];
    if (me == step->to) {
        run_recv(self, step, step->from, 1);
        MPI_Send(NULL, 0, MPI_INT, step->from, step->tag, comm);
    } else if (me == step->from) {
        MPI_Recv(NULL, 0, MPI_INT, step->to, step->tag, comm, MPI_STATUS_IGNORE);
        if (step->flags & FLAG_SEND_NB) {
            MPI_Request request;
            MPI_Irsend(self->out, (int)step->count, self->types[step->type], step->to, step->tag,
                       comm, &request);
            keep(self, request, NULL);
        } else {
            MPI_Rsend(self->out, (int)step->count, self->types[step->type], step->to, step->tag,
                      comm);
        }
    }
}

static void run_shift(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int n = self->schedule->comms[step->comm].n;
    int count = (int)step->count;
    int dest = me + step->to, source = me - step->to;
    if (step->flags & FLAG_PERIODIC) {
        dest %= n;
        source = (source + n) % n;
    } else {
        dest = dest < n ? dest : MPI_PROC_NULL;
        source = source >= 0 ? source : MPI_PROC_NULL;
    }
    if (step->flags & FLAG_REPLACE)
        MPI_Sendrecv_replace(self->in, count, type, dest, step->tag, source, step->tag, comm,
                             MPI_STATUS_IGNORE);
    else
        MPI_Sendrecv(self->out, count, type, dest, step->tag, self->in, count, type, source,
                     step->tag, comm, MPI_STATUS_IGNORE);
}

/* Whether rank i sends to rank j in a burst of this pattern. */
static int burst_sends(const oracle_step *step, int n, int i, int j)
{
    switch (step->mode) {
    case BURST_RING: return j == (i + 1) % n;
    case BURST_TO_ROOT: return j == step->from && i != j;
    case BURST_FROM_ROOT: return i == step->from && i != j;
    case BURST_PAIRS: return i != j && i / 2 == j / 2;
    default: return i != j;
    }
}

static void run_burst(oracle_rank *self, const oracle_step *step, int me)
{
    int n = self->schedule->comms[step->comm].n;
    oracle_step message = *step;
    message.mode = SEND_STANDARD;
    for (int i = 0; i < n; i++) {
        message.count = oracle_share(step, i, me);
        if (burst_sends(step, n, i, me))
            run_recv(self, &message, i, 1);
    }
    for (int i = 0; i < n; i++) {
        message.count = oracle_share(step, me, i);
        if (burst_sends(step, n, me, i))
            run_send(self, &message, i);
    }
    if (!(step->flags & FLAG_LEAVE))
        wait_all(self);
}

static void run_persistent(oracle_rank *self, const oracle_step *step, int me)
{
    enum { REPETITIONS = 3 };
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    MPI_Request requests[2];
    int count = (int)step->count;
    if (step->from == step->to || (me != step->from && me != step->to))
        return;
    int other = me == step->from ? step->to : step->from;
    MPI_Recv_init(self->in, count, type, other, step->tag, comm, &requests[0]);
    if (step->mode == SEND_SYNCHRONOUS)
        MPI_Ssend_init(self->out, count, type, other, step->tag, comm, &requests[1]);
    else
        MPI_Send_init(self->out, count, type, other, step->tag, comm, &requests[1]);
    for (int i = 0; i < REPETITIONS; i++) {
        if (i % 2) {
            MPI_Start(&requests[0]);
            MPI_Start(&requests[1]);
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
            MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        } else {
            MPI_Startall(2, requests);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Waitany and Waitsome get one request that is active among null ones: what they return does not
 * depend on the platform then. */
static void run_wait(oracle_rank *self, const oracle_step *step, int me)
{
    if (self->n_pending == 0)
        return;
    int which = (int)(oracle_draw(step->salt, (unsigned)me, 0) % (unsigned)self->n_pending);
    MPI_Request three[3] = {MPI_REQUEST_NULL, self->pending[which], MPI_REQUEST_NULL};
    int index = 0, indices[3];
    switch (step->mode) {
    case WAIT_ONE:
        MPI_Wait(&self->pending[which], MPI_STATUS_IGNORE);
        forget(self, which);
        break;
    case WAIT_ANY:
        MPI_Waitany(3, three, &index, MPI_STATUS_IGNORE);
        forget(self, which);
        break;
    case WAIT_SOME:
        MPI_Waitsome(3, three, &index, indices, self->statuses);
        forget(self, which);
        break;
    case WAIT_PART:
        MPI_Waitall(which + 1, self->pending, MPI_STATUSES_IGNORE);
        for (int i = 0; i <= which; i++)
            forget(self, i);
        break;
    default: wait_all(self); break;
    }
    compact(self);
}

static void run_null(oracle_rank *self, const oracle_step *step, int me)
{
    if (me != step->from)
        return;
    if (step->salt & 1)
        run_send(self, step, MPI_PROC_NULL);
    else
        run_recv(self, step, MPI_PROC_NULL, step->flags & FLAG_RECV_NB);
}

void oracle_run_p2p(oracle_rank *self, const oracle_step *step, int me)
{
    switch (step->kind) {
    case STEP_MESSAGE:
        if (me == step->from)
            run_send(self, step, step->to);
        else if (me == step->to)
            run_recv(self, step, step->from, step->flags & FLAG_RECV_NB);
        break;
    case STEP_SELF:
        if (me == step->from) {
            run_recv(self, step, me, 1);
            run_send(self, step, me);
        }
        break;
    case STEP_READY: run_ready(self, step, me); break;
    case STEP_NULL: run_null(self, step, me); break;
    case STEP_SHIFT: run_shift(self, step, me); break;
    case STEP_BURST: run_burst(self, step, me); break;
    case STEP_PERSISTENT: run_persistent(self, step, me); break;
    default: run_wait(self, step, me); break;
    }
}
