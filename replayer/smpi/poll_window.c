/* poll_window.c - reads events ahead and finds blocks among them. */
#include "config.h"

#include "poll.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_WINDOW = 4096 };

/* Makes room for n more events in front of the first one or behind the last. */
static void make_room(smpi_window *w, size_t in_front, size_t behind)
{
    if (w->first >= in_front && w->first + w->n + behind <= w->room)
        return;
    const size_t room = 2 * (w->n + in_front + behind) + 64;
    smpi_waiting *items = smpi_alloc(room, sizeof *items);
    const size_t first = in_front + w->n / 4;
    if (w->n)
        memcpy(items + first, w->items + w->first, w->n * sizeof *items);
    free(w->items);
    w->items = items;
    w->room = room;
    w->first = first;
}

static int64_t *copy_of_list(const tl_event *e)
{
    if (!e->list_len)
        return NULL;
    int64_t *list = smpi_alloc(e->list_len, sizeof *list);
    memcpy(list, e->list, e->list_len * sizeof *list);
    return list;
}

static void append(smpi_window *w, const tl_event *e)
{
    const smpi_polls *p = w->polls;
    make_room(w, 0, 1);
    smpi_waiting *item = &w->items[w->first + w->n++];
    *item = (smpi_waiting){.event = *e, .index = w->n_read};
    item->site = e->site < p->n_ids[w->rank] ? p->site_of[w->rank][e->site] : 0;
    item->event.list = copy_of_list(e);
    item->event.polls += w->n_polls;
    item->event.volume += w->volume;
    w->n_polls = 0;
    w->volume = 0;
}

void smpi_repeat(smpi_window *w, size_t n)
{
    make_room(w, n, 0);
    w->first -= n;
    w->n += n;
    for (size_t i = 0; i < n; i++) {
        smpi_waiting *copy = &w->items[w->first + i];
        *copy = copy[n];
        copy->event.list = copy_of_list(&copy->event);
    }
}

/* A kernel with a size of 0 is a poll: its polls count for the next event. */
static int is_empty(const tl_event *e)
{
    if (tl_call_by_code(e->call)->action != TL_ACTION_KERNEL)
        return 0;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i] == 0)
            return 1;
    return 0;
}

static void read_event(smpi_window *w)
{
    tl_event event;
    w->status = w->next(w->arg, &event);
    if (w->status != TL_OK)
        return;
    if (tl_call_by_code(event.call)->action == TL_ACTION_CLOCK)
        event.polls = 0; /* they are further looks at the clock */
    if (is_empty(&event)) {
        w->n_polls += event.polls;
        w->volume += event.volume;
    } else {
        append(w, &event);
    }
    w->n_read++;
}

smpi_waiting *smpi_peek(smpi_window *w, size_t i)
{
    while (w->n <= i && w->status == TL_OK)
        read_event(w);
    return i < w->n ? &w->items[w->first + i] : NULL;
}

void smpi_drop(smpi_window *w, size_t from, size_t n)
{
    smpi_waiting *items = w->items + w->first;
    for (size_t i = from; i < from + n; i++)
        free((int64_t *)items[i].event.list);
    if (!from && n)
        w->before = items[n - 1].site;
    if (from)
        memmove(items + from, items + from + n, (w->n - from - n) * sizeof *items);
    else
        w->first += n;
    w->n -= n;
}

tl_action smpi_action_at(smpi_window *w, size_t i)
{
    const smpi_waiting *item = smpi_peek(w, i);
    return item ? (tl_action)tl_call_by_code(item->event.call)->action : TL_ACTION_NONE;
}

/* Whether the event at i sends the message on that the probe found. */
static int passes_on(smpi_window *w, size_t i, const tl_event *probe)
{
    const tl_action action = smpi_action_at(w, i);
    if (action != TL_ACTION_SEND && action != TL_ACTION_ISEND)
        return 0;
    const tl_event *send = &smpi_peek(w, i)->event;
    return send->comm == probe->comm && send->tag == probe->tag && !send->polls;
}

/* The number of events of the block that begins at i; 0 if no block begins there. */
static size_t block_length(smpi_window *w, size_t i)
{
    const smpi_waiting *item = smpi_peek(w, i);
    if (!item || smpi_action_at(w, i) != TL_ACTION_PROBE || item->event.call == TL_MPI_Probe ||
        item->event.call == TL_MPI_Mprobe || !item->event.comm)
        return 0;
    const tl_event probe = item->event;
    item = smpi_peek(w, i + 1);
    if (!item || item->event.peer != probe.peer || item->event.tag != probe.tag ||
        item->event.comm != probe.comm)
        return 0;
    const tl_action action = smpi_action_at(w, i + 1);
    if (action != TL_ACTION_RECV && action != TL_ACTION_IRECV)
        return 0;
    size_t n = 2;
    while (n < SMPI_MAX_BLOCK && passes_on(w, i + n, &probe))
        n++;
    return n;
}

/* Whether the event at i may be between a poll and its block. */
static int is_passable(smpi_window *w, size_t i)
{
    switch (smpi_action_at(w, i)) {
    case TL_ACTION_KERNEL:
    case TL_ACTION_SEND:
    case TL_ACTION_ISEND:
    case TL_ACTION_RECV:
    case TL_ACTION_IRECV:
    case TL_ACTION_SENDRECV: return 1;
    case TL_ACTION_WAIT: return smpi_peek(w, i)->event.call == TL_MPI_Wait;
    default: return 0;
    }
}

void smpi_find_block(smpi_window *w)
{
    const smpi_waiting *item = smpi_peek(w, 0);
    if (w->block != SMPI_NO_BLOCK || w->n_unasked || !item ||
        (!item->event.polls && smpi_action_at(w, 0) != TL_ACTION_PROBE))
        return;
    size_t i = 0;
    while (i < MAX_WINDOW && smpi_peek(w, i) && is_passable(w, i))
        i++;
    w->block_n = i < MAX_WINDOW ? block_length(w, i) : 0;
    w->block = w->block_n ? i : SMPI_NO_BLOCK;
    w->n_unasked = w->block_n ? 0 : i;
}

void smpi_advance(smpi_window *w)
{
    smpi_drop(w, 0, 1);
    if (w->block != SMPI_NO_BLOCK)
        w->block--;
    if (w->n_unasked)
        w->n_unasked--;
}
