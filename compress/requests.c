/* requests.c - the requests of one rank while its events are read. */
#include "requests.h"

#include "core/bytes.h"

#include <stdlib.h>

tl_request *tl_requests_find(const tl_requests *all, uint32_t id)
{
    const uint64_t *position = id ? tl_map_find(&all->index, id) : NULL;
    if (!position || !*position || !all->items[*position - 1].live)
        return NULL;
    return &all->items[*position - 1];
}

void tl_requests_free(tl_requests *all)
{
    tl_map_free(&all->index);
    free(all->items);
    *all = (tl_requests){0};
}

static bool make_request(tl_requests *all, const tl_event *e, bool persistent, bool before)
{
    tl_request *r = tl_map_item(&all->index, e->request, &all->items, &all->n, &all->capacity,
                                sizeof *all->items);
    if (!r)
        return false;
    *r = (tl_request){.begun = *e,
                      .serial = all->next_serial++,
                      .live = true,
                      .persistent = persistent,
                      .active = !persistent,
                      .before = before};
    r->begun.list = NULL;
    r->begun.list_len = 0;
    return true;
}

static void start_request(const tl_requests *all, uint32_t id, bool before)
{
    tl_request *r = tl_requests_find(all, id);
    if (r) {
        r->active = true;
        r->before = before;
    }
}

static void complete(const tl_requests *all, uint32_t id)
{
    tl_request *r = tl_requests_find(all, id);
    if (!r)
        return;
    r->active = r->before = false;
    r->live = r->persistent;
}

bool tl_requests_follow(tl_requests *all, const tl_event *e, const tl_call_info *row, bool before)
{
    bool persistent = row->traits & TL_TRAIT_PERSISTENT;
    if ((row->traits & TL_TRAIT_NB) && e->request)
        return make_request(all, e, persistent, before);
    switch (row->action) {
    case TL_ACTION_START:
        start_request(all, e->request, before);
        for (uint32_t i = 0; i < e->list_len; i++)
            start_request(all, (uint32_t)e->list[i], before);
        break;
    case TL_ACTION_WAIT:
        complete(all, e->request);
        for (uint32_t i = 0; i < e->list_len; i++)
            complete(all, (uint32_t)e->list[i]);
        break;
    case TL_ACTION_REQUEST_FREE: {
        tl_request *r = tl_requests_find(all, e->request);
        if (r)
            r->live = false;
        break;
    }
    default: break;
    }
    return true;
}
