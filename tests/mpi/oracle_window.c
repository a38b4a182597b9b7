/* oracle_window.c - one-sided communication: a window that lives for one step. */
#include <string.h>

#include "oracle_run.h"

/* Where each rank's window has what Compare_and_swap and Fetch_and_op change, behind the rest. */
#define ATOMIC_BYTES ((MPI_Aint)ORACLE_BUFFER_BYTES + 1024)
#define WINDOW_BYTES (ATOMIC_BYTES + 64)

/* One element: always as the caller expects it, or never, whatever else happens. */
static void compare_and_swap(const oracle_rank *self, MPI_Datatype type, int target, int expects,
                             MPI_Win window)
{
    if (type == MPI_DOUBLE) /* MPI swaps integers only */
        type = MPI_LONG_LONG;
    static char zeros[8], ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}; /* SMPI's are not const */
    MPI_Compare_and_swap(zeros, expects ? zeros : ones, self->in, type, target, ATOMIC_BYTES,
                         window);
}

/* The accesses that may be completed by a request. */
static void access_with_request(const oracle_rank *self, MPI_Datatype type, int count, int target,
                                unsigned kind, MPI_Win window)
{
    MPI_Request request = MPI_REQUEST_NULL;
    switch (kind) {
    case 0: MPI_Rput(self->out, count, type, target, 0, count, type, window, &request); break;
    case 1: MPI_Rget(self->in, count, type, target, 0, count, type, window, &request); break;
    case 2:
        MPI_Raccumulate(self->out, count + 1, type, target, 0, count + 1, type, MPI_SUM, window,
                        &request);
        break;
    default:
        MPI_Rget_accumulate(self->out, count + 1, type, self->in, count + 1, type, target, 0,
                            count + 1, type, MPI_SUM, window, &request);
        break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Accesses from `me` to `target`, as many and of the kinds that the salt says.  An accumulate
 * without data is left out by Open MPI, not by SMPI. */
static void access_window(oracle_rank *self, const oracle_step *step, int me, int target,
                          MPI_Win window, int is_passive)
{
    enum { N_KINDS = 7, N_REQUEST_KINDS = 4 };
    const MPI_Datatype type = self->types[step->type];
    const unsigned n = (unsigned)(oracle_draw(step->salt, (unsigned)me, 100) % 4);
    for (unsigned i = 0; i < n; i++) {
        const uint64_t draw = oracle_draw(step->salt, (unsigned)me, 200 + i);
        const int count = (int)(draw / 16 % (uint64_t)(step->count + 1));
        const unsigned kind = (unsigned)(draw % (is_passive ? N_KINDS + N_REQUEST_KINDS : N_KINDS));
        switch (kind) {
        case 0: MPI_Put(self->out, count, type, target, 0, count, type, window); break;
        case 1: MPI_Get(self->in, count, type, target, 0, count, type, window); break;
        case 2:
            MPI_Accumulate(self->out, count + 1, type, target, 0, count + 1, type, MPI_SUM, window);
            break;
        case 3:
            MPI_Get_accumulate(self->out, count + 1, type, self->in, count + 1, type, target, 0,
                               count + 1, type, draw & 8 ? MPI_SUM : MPI_NO_OP, window);
            break;
        case 4:
        case 5:
            if (step->flags & FLAG_SWAPS) {
                compare_and_swap(self, type, target, kind == 4, window);
                break;
            } /* fall through */
        case 6:
            MPI_Fetch_and_op(self->out, self->in, type, target, ATOMIC_BYTES + 16, MPI_SUM, window);
            break;
        default: access_with_request(self, type, count, target, kind - N_KINDS, window); break;
        }
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

static void run_lock_all(oracle_rank *self, const oracle_step *step, int me, int n, MPI_Win window)
{
    const int target = (me + step->to) % n;
    MPI_Win_lock_all(0, window);
    access_window(self, step, me, target, window, 1);
    switch (step->salt % 4) {
    case 0: MPI_Win_flush_all(window); break;
    case 1: MPI_Win_flush_local_all(window); break;
    case 2: MPI_Win_flush_local(target, window); break;
    default: MPI_Win_sync(window); break;
    }
    access_window(self, step, me, me, window, 1);
    MPI_Win_unlock_all(window);
}

void oracle_run_window(oracle_rank *self, const oracle_step *step, int me)
{
    const MPI_Comm comm = self->comms[step->comm];
    const int n = self->schedule->comms[step->comm].n;
    MPI_Win window;
    void *memory;
    /* Open MPI 4.1 makes windows of memory that the program has only where the network can. */
    if (step->flags & FLAG_SHARED)
        MPI_Win_allocate_shared(WINDOW_BYTES, 1, MPI_INFO_NULL, comm, &memory, &window);
    else
        MPI_Win_allocate(WINDOW_BYTES, 1, MPI_INFO_NULL, comm, &memory, &window);
    memset((char *)memory + ATOMIC_BYTES, 0, 64);
    MPI_Barrier(comm);
    switch (step->mode) {
    case WINDOW_FENCE: run_fences(self, step, me, n, window); break;
    case WINDOW_EXPOSURE: run_exposure(self, step, me, window); break;
    case WINDOW_LOCK: run_lock(self, step, me, n, window); break;
    default: run_lock_all(self, step, me, n, window); break;
    }
    MPI_Win_free(&window);
}
