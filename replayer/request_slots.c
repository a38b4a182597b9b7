/* request_slots.c - the requests of one rank while its events are read. */
#include "request_slots.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64 };

uint32_t tlr_requests_find(const tlr_requests *all, uint32_t id)
{
    if (!all->n_buckets)
        return 0;
    uint32_t slot = all->buckets[id & (all->n_buckets - 1)];
    while (slot && all->slots[slot].id != id)
        slot = all->slots[slot].next;
    return slot;
}

static void link_slot(tlr_requests *all, uint32_t slot)
{
    uint32_t *first = &all->buckets[all->slots[slot].id & (all->n_buckets - 1)];
    all->slots[slot].next = *first;
    *first = slot;
}

/* Doubles the room if all slots are in use. */
static int grow(tlr_requests *all)
{
    const uint32_t room = all->room ? 2 * all->room : LEAST_ROOM;
    if (room < all->room)
        return 0;
    tlr_request *slots = realloc(all->slots, ((size_t)room + 1) * sizeof *slots);
    if (slots)
        all->slots = slots;
    uint32_t *buckets = calloc(room, sizeof *buckets);
    if (!slots || !buckets) {
        free(buckets);
        return 0;
    }
    free(all->buckets);
    all->buckets = buckets;
    all->n_buckets = all->room = room;
    for (uint32_t slot = 1; slot <= all->n_slots; slot++)
        link_slot(all, slot);
    return 1;
}

uint32_t tlr_requests_add(tlr_requests *all, uint32_t id)
{
    uint32_t slot = all->unused;
    if (slot)
        all->unused = all->slots[slot].next;
    else if (all->n_slots < all->room || grow(all))
        slot = ++all->n_slots;
    else
        return 0;
    all->slots[slot] = (tlr_request){.id = id};
    link_slot(all, slot);
    return slot;
}

void tlr_requests_drop(tlr_requests *all, uint32_t slot)
{
    uint32_t *link = &all->buckets[all->slots[slot].id & (all->n_buckets - 1)];
    while (*link != slot)
        link = &all->slots[*link].next;
    *link = all->slots[slot].next;
    all->slots[slot].next = all->unused;
    all->unused = slot;
}

void tlr_requests_free(tlr_requests *all)
{
    free(all->slots);
    free(all->buckets);
    *all = (tlr_requests){0};
}

/* ---- numbers ---- */

/* The slot of a request that the event names. If the event ends the request, the slot is then free.
 */
static uint32_t number_of(tlr_requests *all, int64_t id, int ends)
{
    const uint32_t slot = id > 0 ? tlr_requests_find(all, (uint32_t)id) : 0;
    if (slot && ends)
        tlr_requests_drop(all, slot);
    return slot;
}

static int renumber_list(tlr_renumbering *n, tl_event *event, int completes)
{
    if (event->list_len > n->list_room) {
        free(n->list);
        n->list_room = event->list_len;
        n->list = malloc(n->list_room * sizeof *n->list);
        if (!n->list) {
            n->list_room = 0;
            return 0;
        }
    }
    for (uint32_t i = 0; i < event->list_len; i++) {
        const uint32_t slot = number_of(&n->requests, event->list[i], 0);
        n->list[i] = number_of(&n->requests, event->list[i],
                               completes && slot && !n->requests.slots[slot].is_persistent);
    }
    event->list = n->list;
    return 1;
}

int tlr_renumber(tlr_renumbering *n, tl_event *event)
{
    const tl_call_info *info = tl_call_by_code(event->call);
    tlr_requests *all = &n->requests;
    if ((info->traits & TL_TRAIT_NB) && event->request) {
        const uint32_t slot = tlr_requests_add(all, event->request);
        if (slot)
            all->slots[slot].is_persistent = (info->traits & TL_TRAIT_PERSISTENT) != 0;
        event->request = slot;
        return slot != 0;
    }
    const int completes = info->action == TL_ACTION_WAIT;
    if (event->request) {
        const uint32_t slot = number_of(all, event->request, 0);
        const int ends = info->action == TL_ACTION_REQUEST_FREE ||
                         (completes && slot && !all->slots[slot].is_persistent);
        event->request = number_of(all, event->request, ends);
    }
    if (event->list_len && (completes || info->action == TL_ACTION_START))
        return renumber_list(n, event, completes);
    return 1;
}

void tlr_renumbering_free(tlr_renumbering *n)
{
    tlr_requests_free(&n->requests);
    free(n->list);
    *n = (tlr_renumbering){0};
}
