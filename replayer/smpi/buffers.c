/* buffers.c - the send and the receive buffer that the messages of all ranks share. */
#include "config.h"

#include "hosts.h"

#include <sys/mman.h>
#include <sys/resource.h>

/* The size of each buffer. From PLENTY on, sizes of messages are not checked. */
static const size_t MOST = (size_t)1 << 42, PLENTY = (size_t)1 << 32, LEAST = (size_t)1 << 26;

/* Each of the two buffers may use an eighth of the limit on address space ('ulimit -v'). The rest
 * is for the stacks of the ranks. */
static size_t most_bytes(void)
{
    struct rlimit limit;
    size_t bytes = MOST;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        while (bytes > LEAST && bytes > limit.rlim_cur / 8)
            bytes >>= 1;
    return bytes;
}

/* Reserves addresses only: pages that are never touched take no memory. NULL if there are not
 * enough addresses. */
static char *reserve(size_t bytes)
{
    void *buffer = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return buffer == MAP_FAILED ? NULL : buffer;
}

void smpi_reserve_buffers(void)
{
    for (size_t bytes = most_bytes(); bytes >= LEAST; bytes >>= 1) {
        replay.send_buffer = reserve(bytes);
        replay.recv_buffer = replay.send_buffer ? reserve(bytes) : NULL;
        replay.buffer_bytes = bytes;
        if (replay.recv_buffer)
            return;
        if (replay.send_buffer)
            munmap(replay.send_buffer, bytes);
    }
    smpi_give_up(TL_ERR_MEMORY, "no address space for the message buffers; raise 'ulimit -v'");
}

/* How many blocks of the event's size a buffer must hold: one for each rank, or one. */
static double n_blocks(const smpi_rank *r, tl_action action)
{
    switch (action) {
    case TL_ACTION_BCAST:
    case TL_ACTION_IBCAST:
    case TL_ACTION_REDUCE:
    case TL_ACTION_IREDUCE:
    case TL_ACTION_ALLREDUCE:
    case TL_ACTION_IALLREDUCE:
    case TL_ACTION_SCAN:
    case TL_ACTION_ISCAN:
    case TL_ACTION_EXSCAN:
    case TL_ACTION_IEXSCAN: return 1;
    case TL_ACTION_PUT:
    case TL_ACTION_GET:
    case TL_ACTION_ACCUMULATE:
    case TL_ACTION_GET_ACCUMULATE: return 2; /* halves of a buffer */
    default:
        return action >= TL_ACTION_BARRIER && action <= TL_ACTION_INEIGHBOR_ALLTOALLW
                   ? (double)r->job->plan->n_ranks
                   : 1;
    }
}

void smpi_check_room(const smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_action action = r->info->action;
    const bool is_message = action >= TL_ACTION_SEND && action <= TL_ACTION_INEIGHBOR_ALLTOALLW;
    const bool is_access = action >= TL_ACTION_PUT && action <= TL_ACTION_GET_ACCUMULATE;
    if (replay.buffer_bytes >= PLENTY || (!is_message && !is_access))
        return;
    double elements =
        (double)e->count > (double)e->recv_count ? (double)e->count : (double)e->recv_count;
    elements *= n_blocks(r, action);
    for (uint32_t i = 0; i < e->list_len; i++)
        elements += (double)e->list[i];
    const double bytes =
        elements *
        (double)(e->type_bytes > e->recv_type_bytes ? e->type_bytes : e->recv_type_bytes);
    if (bytes > (double)replay.buffer_bytes)
        smpi_give_up_at(r, TL_ERR_MEMORY,
                        "%.4g MB of message buffers are needed, but 'ulimit -v' leaves room for "
                        "%.4g MB; raise it",
                        1e-6 * bytes, 1e-6 * (double)replay.buffer_bytes);
}
