/* oracle_window.c - one-sided communication: a window that lives for one step. */
#include "oracle_run.h"

/* Accesses from `me` to `target`, as many and of the kinds that the salt says. */
static void access_window(oracle_rank *self, const oracle_step *step, int me, int target,
                          MPI_Win window, int with_requests)
{
    const MPI_Datatype type = self->types[step->type];
    const unsigned n = (unsigned)(oracle_draw(step->salt, (unsigned)me, 100) % 4);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t draw = oracle_draw(step->salt, (unsigned)me, 200 + i);
        const int count = (int)(draw / 7 % (uint64_t)(step->count + 1));
        MPI_Request request = MPI_REQUEST_NULL;
        switch (draw % (with_requests ? 7 : 4)) {
        case 0: MPI_Put(self->out, count, type, target, 0, count, type, window); break;
        case 1: MPI_Get(self->out, count, type, target, 0, count, type, window); break;
        case 2:
            MPI_Accumulate(self->out, count, type, target, 0, count, type, MPI_SUM, window);
            break;
        case 3: /* an accumulate without data is left out by Open MPI, not by SMPI */
            MPI_Put(self->out, count + 1, type, target, 0, count + 1, type, window);
            break;
        case 4: MPI_Rput(self->out, count, type, target, 0, count, type, window, &request); break;
        case 5: MPI_Rget(self->out, count, type, target, 0, count, type, window, &request); break;
        default:
            MPI_Fetch_and_op(self->out, self->out + 64, type, target, 0, MPI_SUM, window);
            MPI_Win_flush(target, window);
            break;
        }
        if (with_requests)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

static void run_fences(oracle_rank *self, const oracle_step *step, int me, int n, MPI_Win window)
{
    MPI_Win_fence(step->flags & FLAG_EVEN ? MPI_MODE_NOPRECEDE : 0, window);
    for (int round = 0; round < 1 + (int)(step->salt % 2); round++) {
        const uint64_t draw = oracle_draw(step->salt, (unsigned)me, 300 + (unsigned)round);
        access_window(self, step, me, (int)(draw % (uint64_t)n), window, 0);
        MPI_Win_fence(0, window);
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
}

/* One rank exposes its window to one other. */
static void run_exposure(oracle_rank *self, const oracle_step *step, int me, MPI_Win window)
{
    MPI_Group all, partner;
    MPI_Win_get_group(window, &all);
    if (me == step->to) {
        MPI_Group_incl(all, 1, &step->from, &partner);
        MPI_Win_post(partner, 0, window);
        MPI_Win_wait(window);
        MPI_Group_free(&partner);
    } else if (me == step->from) {
        MPI_Group_incl(all, 1, &step->to, &partner);
        MPI_Win_start(partner, 0, window);
        access_window(self, step, me, step->to, window, 0);
        MPI_Win_complete(window);
        MPI_Group_free(&partner);
    }
    MPI_Group_free(&all);
}

/* Every window has one rank at most that locks it. */
static void run_lock(oracle_rank *self, const oracle_step *step, int me, int n, MPI_Win window)
{
    const int target = (me + step->to) % n;
    MPI_Win_lock(step->flags & FLAG_EVEN ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, target, 0, window);
    access_window(self, step, me, target, window, 1);
    if (step->flags & FLAG_PERIODIC)
        MPI_Win_flush(target, window);
    access_window(self, step, me, target, window, 1);
    MPI_Win_unlock(target, window);
}

void oracle_run_window(oracle_rank *self, const oracle_step *step, int me)
{
    const MPI_Comm comm = self->comms[step->comm];
    const int n = self->schedule->comms[step->comm].n;
    MPI_Win window;
    void *memory;
    /* Open MPI 4.1 makes windows of memory that the program has only where the network can. */
    MPI_Win_allocate((MPI_Aint)ORACLE_BUFFER_BYTES + 1024, 1, MPI_INFO_NULL, comm, &memory,
                     &window);
    switch (step->mode) {
    case WINDOW_FENCE: run_fences(self, step, me, n, window); break;
    case WINDOW_EXPOSURE: run_exposure(self, step, me, window); break;
    default: run_lock(self, step, me, n, window); break;
    }
    MPI_Win_free(&window);
}
