/* swaps.c - MPI_Compare_and_swap, and the events that wait for its outcome. */
#include "config.h"

#include "swaps.h"

#include <string.h>

#include "runtime.h"

enum { NONE = -1 };

bool tlt_swaps_hold;

static struct {
    tl_event events[TLT_HELD_EVENTS];
    int swap_of[TLT_HELD_EVENTS]; /* index in swaps; NONE: the event waits only for others */
    tlt_swap swaps[TLT_HELD_EVENTS];
    int64_t elements[TLT_HELD_ELEMENTS]; /* of the events' lists */
    int n_events, n_swaps, n_open;       /* n_open: swaps whose outcome is not known */
    size_t n_elements;
    const tlt_swap *next; /* that of next_event, when this is written */
    const tl_event *next_event;
} held;

void tlt_swaps_reset(void)
{
    held.n_events = held.n_swaps = held.n_open = 0;
    held.n_elements = 0;
    tlt_swaps_hold = false;
}

void tlt_swaps_release(void)
{
    const int n = held.n_events;
    tlt_swaps_reset();
    for (int i = 0; i < n; i++)
        tlt_write(&held.events[i]);
}

/* ---- outcomes ---- */

enum scope { COMPLETES_NOTHING, COMPLETES_PEER, COMPLETES_ALL };

static enum scope scope_of(const tl_event *e)
{
    switch (tl_call_by_code(e->call)->action) {
    case TL_ACTION_WIN_FENCE:
    case TL_ACTION_WIN_COMPLETE:
    case TL_ACTION_WIN_UNLOCK_ALL:
    case TL_ACTION_WIN_FLUSH_ALL:
    case TL_ACTION_WIN_FLUSH_LOCAL_ALL: return COMPLETES_ALL;
    case TL_ACTION_WIN_UNLOCK:
    case TL_ACTION_WIN_FLUSH:
    case TL_ACTION_WIN_FLUSH_LOCAL: return COMPLETES_PEER;
    default: return COMPLETES_NOTHING;
    }
}

/* The call of `e` has returned: what it has completed has its outcome. */
static void settle(const tl_event *e)
{
    const enum scope scope = scope_of(e);
    for (int i = 0; scope != COMPLETES_NOTHING && i < held.n_events; i++) {
        tl_event *access = &held.events[i];
        if (held.swap_of[i] == NONE || access->comm != e->comm ||
            (scope == COMPLETES_PEER && access->peer != e->peer))
            continue;
        const tlt_swap *s = &held.swaps[held.swap_of[i]];
        access->flags |=
            memcmp(s->result, s->expected, s->bytes) == 0 ? TL_SWAPPED : TL_NOT_SWAPPED;
        held.swap_of[i] = NONE;
        held.n_open--;
    }
}

/* ---- what is held back ---- */

static bool has_room(const tl_event *e)
{
    return held.n_events < TLT_HELD_EVENTS && e->list_len <= TLT_HELD_ELEMENTS - held.n_elements;
}

static void hold(const tl_event *e, const tlt_swap *access)
{
    tl_event *kept = &held.events[held.n_events];
    *kept = *e;
    if (e->list_len) {
        kept->list =
            memcpy(held.elements + held.n_elements, e->list, e->list_len * sizeof *held.elements);
        held.n_elements += e->list_len;
    }
    held.swap_of[held.n_events] = NONE;
    if (access) {
        held.swaps[held.n_swaps] = *access;
        held.swap_of[held.n_events] = held.n_swaps++;
        held.n_open++;
    }
    held.n_events++;
    tlt_swaps_hold = true;
}

bool tlt_swaps_take(const tl_event *event)
{
    const tlt_swap *access = event == held.next_event ? held.next : NULL;
    settle(event);
    if ((!held.n_open && !access) || !has_room(event))
        tlt_swaps_release();
    if (!held.n_events && !access)
        return false;
    hold(event, access);
    return true;
}

/* ---- the call ---- */

tlt_swap tlt_swaps_expect(const tl_event *event, const void *result, const void *expected)
{
    tlt_swap access = {.result = result};
    if (event->peer >= 0 && event->type_bytes > 0 &&
        event->type_bytes <= (int64_t)sizeof access.expected) {
        access.bytes = (size_t)event->type_bytes;
        memcpy(access.expected, expected, access.bytes);
    }
    return access;
}

void tlt_swaps_put(tl_event *event, const tlt_swap *access)
{
    held.next = access;
    held.next_event = event;
    tlt_swaps_hold = true;
    tlt_put(event);
    held.next_event = NULL;
    tlt_swaps_hold = held.n_events > 0;
}
