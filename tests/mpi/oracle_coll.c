/* oracle_coll.c - the collective steps and the communicators of the oracle's programs. */
#include "oracle_run.h"

void oracle_fill_shares(const oracle_rank *self, const oracle_step *step, int me, int sends,
                        oracle_shares *s)
{
    int n = self->schedule->comms[step->comm].n, at = 0;
    for (int i = 0; i < n; i++) {
        int from = sends ? me : i, to = sends ? i : me;
        int type = step->type;
        int64_t count = oracle_share(step, from, to);
        if (step->kind == STEP_ALLTOALLW && type != TYPE_EMPTY) {
            int64_t bytes = count * oracle_type_bytes[type];
            type = (int)(oracle_draw(step->salt + 1, (unsigned)from, (unsigned)to) % TYPES);
            count = bytes / oracle_type_bytes[type];
        }
        s->counts[i] = (int)count;
        s->types[i] = self->types[type];
        s->displs[i] = at;
        at += step->kind == STEP_ALLTOALLW ? (int)count * oracle_type_bytes[type] : (int)count;
    }
}

void oracle_fill_row(const oracle_rank *self, const oracle_step *step, oracle_shares *s)
{
    int n = self->schedule->comms[step->comm].n, at = 0;
    for (int i = 0; i < n; i++) {
        s->counts[i] = (int)oracle_share(step, i, i);
        s->displs[i] = at;
        at += s->counts[i];
    }
}

/* What MPI ignores, SMPI's algorithms of two levels read: the root's count is given by all ranks,
 * as programs do. */
static void run_rooted(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int count = (int)step->count, root = step->from;
    int at_root = me == root;
    int in_place = at_root && step->flags & FLAG_IN_PLACE;
    oracle_shares s = {0};
    oracle_fill_row(self, step, &s);
    int mine = s.counts[me];
    switch (step->kind) {
    case STEP_BCAST: MPI_Bcast(self->in, count, type, root, comm); break;
    case STEP_REDUCE:
        MPI_Reduce(in_place ? MPI_IN_PLACE : self->out, at_root ? self->in : NULL, count, type,
                   self->ops[step->op], root, comm);
        break;
    case STEP_GATHER:
        MPI_Gather(in_place ? MPI_IN_PLACE : self->out, count, type, at_root ? self->in : NULL,
                   count, type, root, comm);
        break;
    case STEP_GATHERV:
        MPI_Gatherv(in_place ? MPI_IN_PLACE : self->out, mine, type, at_root ? self->in : NULL,
                    at_root ? s.counts : NULL, at_root ? s.displs : NULL, type, root, comm);
        break;
    case STEP_SCATTER:
        MPI_Scatter(at_root ? self->out : NULL, count, type, in_place ? MPI_IN_PLACE : self->in,
                    count, type, root, comm);
        break;
    default:
        MPI_Scatterv(at_root ? self->out : NULL, at_root ? s.counts : NULL,
                     at_root ? s.displs : NULL, type, in_place ? MPI_IN_PLACE : self->in, mine,
                     type, root, comm);
        break;
    }
}

static void run_exchange(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    int count = (int)step->count;
    void *out = step->flags & FLAG_IN_PLACE ? MPI_IN_PLACE : self->out;
    oracle_shares s = {0}, r = {0};
    switch (step->kind) {
    case STEP_ALLGATHER: MPI_Allgather(out, count, type, self->in, count, type, comm); break;
    case STEP_ALLGATHERV:
        oracle_fill_row(self, step, &r);
        MPI_Allgatherv(out, r.counts[me], type, self->in, r.counts, r.displs, type, comm);
        break;
    case STEP_ALLTOALL: MPI_Alltoall(out, count, type, self->in, count, type, comm); break;
    case STEP_ALLTOALLV:
        oracle_fill_shares(self, step, me, 1, &s);
        oracle_fill_shares(self, step, me, 0, &r);
        MPI_Alltoallv(out, s.counts, s.displs, type, self->in, r.counts, r.displs, type, comm);
        break;
    default:
        oracle_fill_shares(self, step, me, 1, &s);
        oracle_fill_shares(self, step, me, 0, &r);
        MPI_Alltoallw(out, s.counts, s.displs, s.types, self->in, r.counts, r.displs, r.types,
                      comm);
        break;
    }
}

static void run_reduction(oracle_rank *self, const oracle_step *step)
{
    MPI_Comm comm = self->comms[step->comm];
    MPI_Datatype type = self->types[step->type];
    MPI_Op op = self->ops[step->op];
    int count = (int)step->count;
    void *out = step->flags & FLAG_IN_PLACE ? MPI_IN_PLACE : self->out;
    oracle_shares r = {0};
    switch (step->kind) {
    case STEP_ALLREDUCE: MPI_Allreduce(out, self->in, count, type, op, comm); break;
    case STEP_REDUCE_SCATTER:
        oracle_fill_row(self, step, &r);
        MPI_Reduce_scatter(out, self->in, r.counts, type, op, comm);
        break;
    case STEP_REDUCE_SCATTER_BLOCK:
        MPI_Reduce_scatter_block(out, self->in, count, type, op, comm);
        break;
    case STEP_SCAN: MPI_Scan(out, self->in, count, type, op, comm); break;
    default: MPI_Exscan(out, self->in, count, type, op, comm); break;
    }
}

void oracle_run_collective(oracle_rank *self, const oracle_step *step, int me)
{
    if (step->flags & FLAG_COLL_NB) {
        oracle_run_nonblocking(self, step, me);
        return;
    }
    switch (step->kind) {
    case STEP_BARRIER: MPI_Barrier(self->comms[step->comm]); break;
    case STEP_BCAST:
    case STEP_REDUCE:
    case STEP_GATHER:
    case STEP_GATHERV:
    case STEP_SCATTER:
    case STEP_SCATTERV: run_rooted(self, step, me); break;
    case STEP_ALLGATHER:
    case STEP_ALLGATHERV:
    case STEP_ALLTOALL:
    case STEP_ALLTOALLV:
    case STEP_ALLTOALLW: run_exchange(self, step, me); break;
    default: run_reduction(self, step); break;
    }
}

/* Keeps some dimensions of a grid, uses what is left, and frees both. */
static void make_cart_sub(const oracle_rank *self, const oracle_step *step)
{
    const int dims[2] = {step->from, self->schedule->comms[step->comm].n / step->from};
    const int open_ends[2] = {0, 0}, keeps[2] = {step->op & 1, step->op / 2};
    MPI_Comm grid, part;
    MPI_Cart_create(self->comms[step->comm], 2, dims, open_ends, 0, &grid);
    MPI_Cart_sub(grid, keeps, &part);
    if (step->op)
        MPI_Barrier(part);
    /* SMPI 3.32 gives ranks other than the first none where no dimension is kept. */
    if (part != MPI_COMM_NULL)
        MPI_Comm_free(&part);
    MPI_Comm_free(&grid);
}

static void make_cart(const oracle_rank *self, const oracle_step *step, MPI_Comm *made)
{
    const int open_end = 0, size = self->schedule->comms[step->first_made].n;
    if (step->mode == CART_SUB)
        make_cart_sub(self, step);
    else
        MPI_Cart_create(self->comms[step->comm], step->mode != CART_POINT, &size, &open_end, 0,
                        made);
}

void oracle_run_communicator(oracle_rank *self, const oracle_step *step, int me)
{
    MPI_Comm comm = self->comms[step->comm], made = MPI_COMM_NULL;
    MPI_Group all, some;
    switch (step->kind) {
    case STEP_SPLIT:
        MPI_Comm_split(comm, step->color[me] < 0 ? MPI_UNDEFINED : step->color[me], step->key[me],
                       &made);
        break;
    case STEP_DUP: MPI_Comm_dup(comm, &made); break;
    case STEP_CART: make_cart(self, step, &made); break;
    case STEP_CREATE:
        MPI_Comm_group(comm, &all);
        MPI_Group_incl(all, self->schedule->comms[step->first_made].n, step->key, &some);
        MPI_Comm_create(comm, some, &made);
        MPI_Group_free(&some);
        MPI_Group_free(&all);
        break;
    default: MPI_Comm_free(&self->comms[step->comm]); return;
    }
    /* Which of the communicators made is this one?  The one that has this rank. */
    for (int c = step->first_made; c < step->first_made + step->n_made; c++)
        for (int i = 0; i < self->schedule->comms[c].n; i++)
            if (self->schedule->comms[c].members[i] == self->rank)
                self->comms[c] = made;
}
