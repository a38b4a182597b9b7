/* window.c - one-sided communication of the simulated ranks, by SMPI's own windows.
 *
 * Creating a window exchanges real addresses. Every window is therefore made before the trace
 * begins, and the constructor of the trace only simulates its cost. SimGrid 3.32 gathers one
 * pointer from each rank at all ranks; for a shared window, a broadcast of one pointer and a
 * barrier precede. */
#include "config.h"

#include "calls.h"
#include "smpi/shims/shims.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

void smpi_build_window(smpi_rank *r, uint32_t id)
{
    /* The size of the window is that of the addresses behind it. Accesses have offset 0, whatever
     * their real offset was. */
    if (MPI_Win_create(replay.recv_buffer, (MPI_Aint)replay.buffer_bytes, 1, MPI_INFO_NULL,
                       r->comms[id], &r->windows[id]) != MPI_SUCCESS)
        smpi_give_up(TL_ERR_SYSTEM, "SimGrid cannot build a window");
    MPI_Win_set_errhandler(r->windows[id], MPI_ERRORS_RETURN);
    smpi_windows_hide(r->comms[id], r->windows[id]);
}

static int create(smpi_rank *r)
{
    const MPI_Comm comm = r->comms[r->event.new_comm];
    const int pointer = (int)sizeof(void *);
    int rc = MPI_SUCCESS;
    if (r->event.call == TL_MPI_Win_allocate_shared) {
        rc = MPI_Bcast(replay.recv_buffer, pointer, MPI_BYTE, 0, comm);
        if (rc == MPI_SUCCESS)
            rc = smpi_windows_barrier(comm);
    }
    smpi_windows_show(comm, r->windows[r->event.new_comm]);
    if (rc == MPI_SUCCESS)
        rc = MPI_Allgather(replay.send_buffer, pointer, MPI_BYTE, replay.recv_buffer, pointer,
                           MPI_BYTE, comm);
    return rc;
}

/* Post and Start name their partners. */
static int with_group(smpi_rank *r, MPI_Win window, int (*function)(MPI_Group, int, MPI_Win))
{
    const tl_event *e = &r->event;
    MPI_Group all, some;
    MPI_Win_get_group(window, &all);
    int *ranks = smpi_alloc(e->list_len, sizeof *ranks);
    for (uint32_t i = 0; i < e->list_len; i++)
        ranks[i] = smpi_count(r, e->list[i]);
    int rc = MPI_Group_incl(all, (int)e->list_len, ranks, &some);
    free(ranks);
    if (rc == MPI_SUCCESS)
        rc = function(some, 0, window);
    return rc;
}

/* SMPI gets the element, and puts the new one if the element has the expected value. The messages
 * of a replay carry no data, so the result does not change. It is the expected value if the access
 * of the program swapped. */
static int compare_and_swap(const smpi_rank *r, MPI_Win w)
{
    const tl_event *e = &r->event;
    const MPI_Datatype type = smpi_type(smpi_count(r, e->recv_type_bytes));
    char *result = replay.recv_buffer, *unlike = replay.send_buffer + replay.buffer_bytes / 2;
    *unlike = (char)~*result;
    return MPI_Compare_and_swap(result, e->flags & TL_NOT_SWAPPED ? unlike : result, result, type,
                                e->peer, 0, w);
}

/* The two sides of an access in bytes, if their number fits. */
static int access_window(smpi_rank *r, MPI_Win w)
{
    const tl_event *e = &r->event;
    MPI_Datatype type, back;
    const int n = smpi_message_count(r, e->count, e->type_bytes, &type);
    const int n_back = smpi_message_count(r, e->recv_count, e->recv_type_bytes, &back);
    const int waits = !(r->info->traits & TL_TRAIT_NB);
    MPI_Request *request = waits ? NULL : smpi_request(r, e->request);
    const char *out = replay.send_buffer;
    char *in = replay.recv_buffer;
    if (e->peer < 0) /* MPI_PROC_NULL */
        return MPI_SUCCESS;
    switch (r->info->action) {
    case TL_ACTION_PUT:
        return waits ? MPI_Put(out, n, type, e->peer, 0, n, type, w)
                     : MPI_Rput(out, n, type, e->peer, 0, n, type, w, request);
    case TL_ACTION_GET:
        return waits ? MPI_Get(in, n, type, e->peer, 0, n, type, w)
                     : MPI_Rget(in, n, type, e->peer, 0, n, type, w, request);
    case TL_ACTION_ACCUMULATE:
        return waits ? MPI_Accumulate(out, n, type, e->peer, 0, n, type, replay.commutative, w)
                     : MPI_Raccumulate(out, n, type, e->peer, 0, n, type, replay.commutative, w,
                                       request);
    default: break;
    }
    if (e->call == TL_MPI_Compare_and_swap)
        return compare_and_swap(r, w);
    /* In SMPI the access is complete when the call returns, with or without a request. */
    return MPI_Get_accumulate(out, n, type, in, n_back, back, e->peer, 0, n_back, back,
                              n ? replay.commutative : MPI_NO_OP, w);
}

int smpi_window_event(smpi_rank *r)
{
    const tl_event *e = &r->event;
    if (r->info->action == TL_ACTION_WIN_CREATE)
        return create(r);
    const MPI_Win w = r->windows[e->comm];
    switch (r->info->action) {
    case TL_ACTION_WIN_FREE: return MPI_Win_free(&r->windows[e->comm]);
    case TL_ACTION_WIN_FENCE:
        return MPI_Win_fence((e->tag & TL_MODE_NOPRECEDE ? MPI_MODE_NOPRECEDE : 0) |
                                 (e->tag & TL_MODE_NOSUCCEED ? MPI_MODE_NOSUCCEED : 0),
                             w);
    case TL_ACTION_WIN_POST: return with_group(r, w, MPI_Win_post);
    case TL_ACTION_WIN_START: return with_group(r, w, MPI_Win_start);
    case TL_ACTION_WIN_COMPLETE: return MPI_Win_complete(w);
    case TL_ACTION_WIN_WAIT: return MPI_Win_wait(w);
    case TL_ACTION_WIN_LOCK:
        return e->peer < 0
                   ? MPI_SUCCESS
                   : MPI_Win_lock(e->flags & TL_EXCLUSIVE ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED,
                                  e->peer, 0, w);
    case TL_ACTION_WIN_LOCK_ALL: return MPI_Win_lock_all(0, w);
    case TL_ACTION_WIN_UNLOCK: return e->peer < 0 ? MPI_SUCCESS : MPI_Win_unlock(e->peer, w);
    case TL_ACTION_WIN_UNLOCK_ALL: return MPI_Win_unlock_all(w);
    case TL_ACTION_WIN_FLUSH: return e->peer < 0 ? MPI_SUCCESS : MPI_Win_flush(e->peer, w);
    case TL_ACTION_WIN_FLUSH_ALL: return MPI_Win_flush_all(w);
    case TL_ACTION_WIN_FLUSH_LOCAL:
        return e->peer < 0 ? MPI_SUCCESS : MPI_Win_flush_local(e->peer, w);
    case TL_ACTION_WIN_FLUSH_LOCAL_ALL: return MPI_Win_flush_local_all(w);
    case TL_ACTION_WIN_SYNC: return MPI_SUCCESS;
    default: return access_window(r, w);
    }
}
