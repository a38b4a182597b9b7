/* oracle_nbc.c - the nonblocking collectives of the oracle's programs: begun, computation, waited
 * for. */
#include "oracle_run.h"

static void begin_rooted(oracle_rank *self, const oracle_step *step, int me, oracle_shares *s,
                         MPI_Request *request)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int count = (int)step->count, root = step->from;
    int at_root = me == root;
    int in_place = at_root && step->flags & FLAG_IN_PLACE;
    oracle_fill_row(self, step, s);
    switch (step->kind) {
    case STEP_BCAST: MPI_Ibcast(self->in, count, type, root, comm, request); break;
    case STEP_REDUCE:
        MPI_Ireduce(in_place ? MPI_IN_PLACE : self->out, at_root ? self->in : NULL, count, type,
                    self->ops[step->op], root, comm, request);
        break;
    case STEP_GATHER:
        MPI_Igather(in_place ? MPI_IN_PLACE : self->out, count, type, at_root ? self->in : NULL,
                    count, type, root, comm, request);
        break;
    case STEP_GATHERV:
        MPI_Igatherv(in_place ? MPI_IN_PLACE : self->out, s->counts[me], type,
                     at_root ? self->in : NULL, at_root ? s->counts : NULL,
                     at_root ? s->displs : NULL, type, root, comm, request);
        break;
    case STEP_SCATTER:
        MPI_Iscatter(at_root ? self->out : NULL, count, type, in_place ? MPI_IN_PLACE : self->in,
                     count, type, root, comm, request);
        break;
    default:
        MPI_Iscatterv(at_root ? self->out : NULL, at_root ? s->counts : NULL,
                      at_root ? s->displs : NULL, type, in_place ? MPI_IN_PLACE : self->in,
                      s->counts[me], type, root, comm, request);
        break;
    }
}

static void begin_exchange(oracle_rank *self, const oracle_step *step, int me, oracle_shares *s,
                           oracle_shares *r, MPI_Request *request)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int count = (int)step->count;
    void *out = step->flags & FLAG_IN_PLACE ? MPI_IN_PLACE : self->out;
    if (step->kind == STEP_ALLGATHERV) {
        oracle_fill_row(self, step, r);
    } else if (step->kind >= STEP_ALLTOALLV) {
        oracle_fill_shares(self, step, me, 1, s);
        oracle_fill_shares(self, step, me, 0, r);
    }
    switch (step->kind) {
    case STEP_ALLGATHER:
        MPI_Iallgather(out, count, type, self->in, count, type, comm, request);
        break;
    case STEP_ALLGATHERV:
        MPI_Iallgatherv(out, r->counts[me], type, self->in, r->counts, r->displs, type, comm,
                        request);
        break;
    case STEP_ALLTOALL:
        MPI_Ialltoall(out, count, type, self->in, count, type, comm, request);
        break;
    case STEP_ALLTOALLV:
        MPI_Ialltoallv(out, s->counts, s->displs, type, self->in, r->counts, r->displs, type, comm,
                       request);
        break;
    default:
        MPI_Ialltoallw(out, s->counts, s->displs, s->types, self->in, r->counts, r->displs,
                       r->types, comm, request);
        break;
    }
}

static void begin_reduction(oracle_rank *self, const oracle_step *step, oracle_shares *r,
                            MPI_Request *request)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    MPI_Op op = self->ops[step->op];
    int count = (int)step->count;
    void *out = step->flags & FLAG_IN_PLACE ? MPI_IN_PLACE : self->out;
    switch (step->kind) {
    case STEP_ALLREDUCE: MPI_Iallreduce(out, self->in, count, type, op, comm, request); break;
    case STEP_REDUCE_SCATTER:
        oracle_fill_row(self, step, r);
        MPI_Ireduce_scatter(out, self->in, r->counts, type, op, comm, request);
        break;
    case STEP_REDUCE_SCATTER_BLOCK:
        MPI_Ireduce_scatter_block(out, self->in, count, type, op, comm, request);
        break;
    case STEP_SCAN: MPI_Iscan(out, self->in, count, type, op, comm, request); break;
    default: MPI_Iexscan(out, self->in, count, type, op, comm, request); break;
    }
}

void oracle_run_nonblocking(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Request request = MPI_REQUEST_NULL;
    oracle_shares s = {0}, r = {0}; /* stay until the wait */
    if (step->kind == STEP_BARRIER)
        MPI_Ibarrier(self->comms[step->comm], &request);
    else if (step->kind <= STEP_SCATTERV)
        begin_rooted(self, step, me, &s, &request);
    else if (step->kind <= STEP_ALLTOALLW)
        begin_exchange(self, step, me, &s, &r, &request);
    else
        begin_reduction(self, step, &r, &request);
    oracle_compute(step, me, ORACLE_UNITS / 4);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
