/* poll.c - probes that succeed where the message is on this platform, not where it was in the
 * run (--polls adaptive).
 *
 * A program that looks for a message between its kernels, and passes it on when it is there, as
 * HPL's ring broadcasts do, shows in the trace as: kernels with failed polls before them, a probe
 * with success, the receive, the sends that pass the message on, and further kernels.  Probe,
 * receive and sends are one block.  It is played
 *   - before a kernel that had failed polls before it, once the message is there;
 *   - otherwise at its own place, if the message is there by then;
 *   - otherwise before one of the kernels that follow it directly, once the message is there;
 *   - at the latest before the next event that is no computation, where it waits.
 * Nothing else changes its place. */
#include "config.h"

#include "rank.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 4096, MAX_BLOCK = 16 };

/* Events that have been read and not been played, with lists of their own. */
struct smpi_window {
    tl_event *events;
    uint64_t first_index; /* number of the first in the rank's trace */
    size_t n, room;
    tl_status status; /* of the last one read */
};

static void append(smpi_window *w, const tl_event *e)
{
    if (w->n == w->room) {
        w->room = w->room ? 2 * w->room : 64;
        w->events = realloc(w->events, w->room * sizeof *w->events);
        if (!w->events)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for events");
    }
    int64_t *list = NULL;
    if (e->list_len) {
        list = smpi_alloc(e->list_len, sizeof *list);
        memcpy(list, e->list, e->list_len * sizeof *list);
    }
    w->events[w->n] = *e;
    w->events[w->n++].list = list;
}

/* The i-th event that has not been played; NULL at the end of the trace. */
static const tl_event *peek(smpi_rank *r, size_t i)
{
    smpi_window *w = r->window;
    tl_event event;
    while (w->n <= i && w->status == TL_OK)
        if ((w->status = tlr_streams_next(r->job->streams, r->rank, &event)) == TL_OK)
            append(w, &event);
    return i < w->n ? &w->events[i] : NULL;
}

/* Plays events [from, past) of the window. */
static void play(smpi_rank *r, size_t from, size_t past)
{
    for (size_t i = from; i < past; i++) {
        r->event = r->window->events[i];
        smpi_play(r, r->window->first_index + i);
    }
}

static void drop(smpi_window *w, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free((int64_t *)w->events[i].list);
    memmove(w->events, w->events + n, (w->n - n) * sizeof *w->events);
    w->n -= n;
    w->first_index += n;
}

static tl_action action_of(const tl_event *e)
{
    return tl_call_by_code(e->call)->action;
}

/* Past the kernels from i on. */
static size_t past_kernels(smpi_rank *r, size_t i)
{
    const tl_event *e;
    while (i < MAX_WINDOW && (e = peek(r, i)) && action_of(e) == TL_ACTION_KERNEL)
        i++;
    return i;
}

/* Past the block that the probe at i begins; i itself if it begins none. */
static size_t past_block(smpi_rank *r, size_t i)
{
    const tl_event *e = peek(r, i);
    if (!e || action_of(e) != TL_ACTION_PROBE || e->call == TL_MPI_Probe ||
        e->call == TL_MPI_Mprobe || r->comms[e->comm] == MPI_COMM_NULL)
        return i;
    const tl_event probe = *e;
    e = peek(r, i + 1);
    if (!e || e->peer != probe.peer || e->tag != probe.tag || e->comm != probe.comm ||
        (action_of(e) != TL_ACTION_RECV && action_of(e) != TL_ACTION_IRECV))
        return i;
    size_t past = i + 2;
    while (past < i + MAX_BLOCK && (e = peek(r, past)) &&
           (action_of(e) == TL_ACTION_SEND || action_of(e) == TL_ACTION_ISEND))
        past++;
    return past;
}

int smpi_has_arrived(void *rank, const tl_event *probe)
{
    smpi_rank *r = rank;
    int flag = 0;
    smpi_compute(r);
    if (probe->peer < 0)
        return 1;
    MPI_Iprobe(probe->peer + (int)r->peer_offset[probe->comm], probe->tag, r->comms[probe->comm],
               &flag, MPI_STATUS_IGNORE);
    return flag;
}

static int has_arrived(smpi_rank *r, size_t probe)
{
    return smpi_has_arrived(r, &r->window->events[probe]);
}

/* Plays kernels with a block among them. */
static void play_block(smpi_rank *r, size_t probe, size_t past)
{
    int done = 0;
    for (size_t i = 0; i < probe; i++) {
        if (!done && r->window->events[i].polls && has_arrived(r, probe)) {
            play(r, probe, past);
            done = 1;
        }
        play(r, i, i + 1);
    }
    /* Failed polls stand before the probe, too; and it may be there now. */
    size_t next = past;
    if (!done && has_arrived(r, probe)) {
        play(r, probe, past);
        done = 1;
    }
    const size_t end = past_kernels(r, past);
    for (; !done && next < end; next++) {
        play(r, next, next + 1);
        if (next + 1 < end && has_arrived(r, probe)) {
            play(r, probe, past);
            done = 1;
        }
    }
    if (!done)
        play(r, probe, past);
    drop(r->window, next);
}

tl_status smpi_play_adaptively(smpi_rank *r)
{
    r->window = smpi_alloc(1, sizeof *r->window);
    while (peek(r, 0)) {
        const size_t probe = past_kernels(r, 0), past = past_block(r, probe);
        if (past > probe) {
            play_block(r, probe, past);
        } else {
            const size_t n = probe ? probe : 1;
            play(r, 0, n);
            drop(r->window, n);
        }
    }
    const tl_status status = r->window->status;
    free(r->window->events);
    free(r->window);
    r->window = NULL;
    return status;
}
