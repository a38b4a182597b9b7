/* swaps.c - MPI_Compare_and_swap, and the events that wait for its outcome. */
#include "config.h"

#include "swaps.h"

#include <string.h>

#include "call.h"

/* The longest type that MPI lets a program compare and swap: INTEGER*16. */
enum { MAX_ELEMENT = 16, NONE = -1 };

/* An access that is not complete. */
typedef struct swap {
    const void *result;
    unsigned char expected[MAX_ELEMENT];
    size_t bytes;
} swap;

bool tlt_swaps_hold;

static struct {
    tl_event events[TLT_HELD_EVENTS];
    int swap_of[TLT_HELD_EVENTS]; /* index in swaps; NONE: the event waits only for others */
    swap swaps[TLT_HELD_EVENTS];
    int64_t elements[TLT_HELD_ELEMENTS]; /* of the events' lists */
    int n_events, n_swaps, n_open;       /* n_open: swaps whose outcome is not known */
    size_t n_elements;
    const swap *next; /* that of next_event, when this is written */
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
        const swap *s = &held.swaps[held.swap_of[i]];
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

static void hold(const tl_event *e, const swap *access)
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
    const swap *access = event == held.next_event ? held.next : NULL;
    settle(event);
    if ((!held.n_open && !access) || !has_room(event))
        tlt_swaps_release();
    if (!held.n_events && !access)
        return false;
    hold(event, access);
    return true;
}

/* ---- the call ---- */

/* Its outcome is still to come.  Nothing is held back if the event is not written: it is excluded,
 * or another thread has written it before. */
static void put_access(tl_event *event, const swap *access)
{
    held.next = access;
    held.next_event = event;
    tlt_swaps_hold = true;
    tlt_put(event);
    held.next_event = NULL;
    tlt_swaps_hold = held.n_events > 0;
}

TLT_API int MPI_Compare_and_swap(const void *origin_addr, const void *compare_addr,
                                 void *result_addr, MPI_Datatype datatype, int target_rank,
                                 MPI_Aint target_disp, MPI_Win win)
{
    if (!tlt_enter())
        return tlt_real()->Compare_and_swap(origin_addr, compare_addr, result_addr, datatype,
                                            target_rank, target_disp, win);
    enum { has = HAS_COUNT | HAS_TYPE | HAS_RCOUNT | HAS_RTYPE | HAS_PEER };
    call_args args = {.count = 2,
                      .rcount = 1,
                      .type = datatype,
                      .rtype = datatype,
                      .peer = target_rank,
                      .on = win};
    tl_event event = {.call = TL_MPI_Compare_and_swap, .site = TLT_SITE()};
    describe(&event, &args, has, TL_ACTION_GET_ACCUMULATE);
    swap access = {.result = result_addr};
    if (event.peer >= 0 && event.type_bytes > 0 && event.type_bytes <= MAX_ELEMENT) {
        access.bytes = (size_t)event.type_bytes;
        memcpy(access.expected, compare_addr, access.bytes);
    }
    int result = TLT_OUTSIDE(BEGUN(&event),
                             tlt_pmpi.Compare_and_swap(origin_addr, compare_addr, result_addr,
                                                       datatype, target_rank, target_disp, win));
    if (result == MPI_SUCCESS && access.bytes)
        put_access(&event, &access);
    else if (took_part(result))
        tlt_put(&event);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Compare_and_swap)
