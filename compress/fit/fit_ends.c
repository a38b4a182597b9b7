/* fit_ends.c - whether all ranks of a skeleton come to their end. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "draw.h"

#include <stdlib.h>

/* A rank on its way: a send waits for nothing, a receive for its message, a collective for all
 * members. A wait for a nonblocking collective ends at once. */
typedef struct walker {
    void *walk;
    tl_event e;
    bool has_event, is_begun, is_wrong;
    uint64_t turn; /* of a collective */
    fit_numbers numbers;
    skel_array awaited; /* uint64_t: the message of a request, by its number; 0: none */
} walker;

typedef struct progress {
    const skeleton *s;
    tl_map n; /* of messages that are under way, of members in a collective, of a rank's turns */
    bool lacks_memory;
} progress;

static void add_one(progress *p, uint64_t key)
{
    uint64_t *n = tl_map_at(&p->n, key);
    p->lacks_memory |= !n;
    if (n)
        ++*n;
}

static bool receives(progress *p, uint64_t key)
{
    uint64_t *n = tl_map_find(&p->n, key);
    if (!n || !*n)
        return false;
    --*n;
    return true;
}

static uint64_t *awaited_by(progress *p, walker *w, int64_t number)
{
    uint64_t *awaited = fit_by_id(&w->awaited, number, sizeof *awaited);
    p->lacks_memory |= number > 0 && number <= FIT_MAX_ID && !awaited;
    return awaited;
}

static bool completes(progress *p, walker *w, int64_t number)
{
    uint64_t *key = awaited_by(p, w, number);
    if (key && *key && !receives(p, *key))
        return false;
    if (key)
        *key = 0;
    return true;
}

static bool all_are_in(progress *p, walker *w, uint32_t rank, bool is_first)
{
    const skel_comm *c = skel_comm_at(p->s, w->e.comm);
    const uint64_t first_member = c ? (uint64_t)c->members[c->first[rank]] : 0;
    const uint64_t comm = tl_draw(~(uint64_t)w->e.comm, first_member), own = tl_draw(comm, rank);
    if (w->e.comm == SKEL_SELF)
        return true;
    if (is_first) {
        add_one(p, own);
        const uint64_t *turn = tl_map_find(&p->n, own);
        w->turn = tl_draw(~comm, turn ? *turn : 0);
        add_one(p, w->turn);
    }
    const uint64_t *n = tl_map_find(&p->n, w->turn);
    return n && *n >= (c ? c->size[rank] : (uint64_t)p->s->n_ranks);
}

/* Whether the call ends; one that waits is tried again. */
static bool ends(progress *p, walker *w, uint32_t rank)
{
    const tl_event *e = &w->e;
    const tl_call_info *row = tl_call_by_code(e->call);
    const int kind = tl_meaning_of(row->action)->kind;
    const bool is_first = !w->is_begun, has_two = kind == TL_KIND_SENDRECV;
    const int32_t from = has_two ? e->recv_peer : e->peer, tag = has_two ? e->recv_tag : e->tag;
    w->is_begun = true;
    if ((kind == TL_KIND_SEND || has_two) && is_first && e->peer >= 0)
        add_one(p, fit_message_key(p->s, e->comm, rank, e->peer, e->tag, true));
    if ((kind == TL_KIND_RECEIVE || has_two) && from >= 0) {
        const uint64_t key = fit_message_key(p->s, e->comm, rank, from, tag, false);
        uint64_t *later = row->traits & TL_TRAIT_NB ? awaited_by(p, w, e->request) : NULL;
        if (!later)
            return receives(p, key);
        *later = key;
    }
    if (row->action == TL_ACTION_WAIT) {
        for (uint32_t i = 0; i < e->list_len; i++)
            if (!completes(p, w, e->list[i]))
                return false;
        return e->list_len || completes(p, w, e->request);
    }
    if (row->code == TL_MPI_Comm_create_group) /* not all members of e->comm call it */
        return true;
    if (tl_is_collective(row->action) || kind == TL_KIND_CONSTRUCTOR)
        return all_are_in(p, w, rank, is_first) || row->traits & TL_TRAIT_NB;
    return true;
}

/* Goes on until the rank waits. True: it has come further. */
static bool go_on(progress *p, walker *w, uint32_t rank)
{
    bool has_moved = false;
    while (w->walk && !w->is_wrong && !p->lacks_memory) {
        if (!w->has_event) {
            const tl_status status = fit_next_event(w->walk, p->s, rank, &w->e);
            const tl_call_info *row = status == TL_OK ? tl_call_by_code(w->e.call) : NULL;
            if (status == TL_END) {
                skel_stop(w->walk);
                w->walk = NULL;
                return true;
            }
            w->is_wrong = !row || !fit_number(&w->numbers, row, &w->e);
            w->is_begun = false;
        }
        w->has_event = !w->is_wrong && !ends(p, w, rank);
        if (w->has_event)
            break;
        has_moved = true;
    }
    return has_moved;
}

bool fit_comes_to_end(fitting *f, const char *text, uint32_t n_ranks, size_t capture)
{
    skeleton s;
    tl_error err;
    progress p = {.s = &s};
    bool ok = fit_read_for(f, &s, text, n_ranks, capture, &err) == TL_OK, has_moved = ok;
    walker *all = calloc(n_ranks, sizeof *all);
    for (uint32_t rank = 0; ok && all && rank < n_ranks; rank++)
        ok = skel_start(&s, rank, &all[rank].walk) == TL_OK;
    while (ok && all && has_moved) {
        has_moved = false;
        for (uint32_t rank = 0; rank < n_ranks; rank++)
            has_moved |= go_on(&p, &all[rank], rank);
    }
    for (uint32_t rank = 0; all && rank < n_ranks; rank++) {
        ok &= !all[rank].walk;
        skel_stop(all[rank].walk);
        fit_numbers_free(&all[rank].numbers);
        free(all[rank].awaited.items);
    }
    if (!all || p.lacks_memory)
        fit_out_of_memory(f);
    free(all);
    tl_map_free(&p.n);
    s.path = NULL;
    skel_clear(&s);
    return ok;
}
