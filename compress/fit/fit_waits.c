/* fit_waits.c - waits for some of several requests that share a name, in the order of the starts.
 *
 * MPI_Waitall of a skeleton completes all requests of a name. If a captured one completes a part of
 * them, those of the name become a wait for each request. MPI_Wait of a skeleton completes the
 * oldest request of a name, and a captured one may complete any. Then the two requests change
 * places: receives are started in the order in which they are completed. A send that is completed
 * earlier or later changes nothing. */
#include "config.h"

#include "fit.h"

#include "actions.h"

#include <stdlib.h>
#include <string.h>

/* By number of a request. */
typedef struct started {
    fit_event *event;
    uint32_t own, whose; /* the request that is completed instead of this one, and the reverse */
    uint32_t next;       /* of the same name */
    bool is_completed;
} started;

/* Requests of a name. */
typedef struct named {
    uint32_t oldest, newest; /* those before the oldest are completed; 0: none was started */
} named;

typedef struct waits {
    fitting *f;
    skel_array requests; /* started; number 0 is none */
    named *names;
} waits;

static started *at(const waits *w, int64_t number)
{
    return (started *)w->requests.items + number;
}

static const fit_symbol *symbol_of(const waits *w, uint32_t number)
{
    return &w->f->symbols[at(w, number)->event->symbol];
}

static int kind_of(const waits *w, uint32_t number)
{
    return tl_meaning_of(symbol_of(w, number)->row->action)->kind;
}

/* The oldest request of the name; 0: this one, or another kind of call started the oldest one. */
static uint32_t find_older(waits *w, uint32_t number)
{
    uint32_t *oldest = &w->names[symbol_of(w, number)->request].oldest;
    const int kind = kind_of(w, number);
    while (*oldest < number && at(w, *oldest)->is_completed)
        *oldest = at(w, *oldest)->next;
    const bool may = kind == TL_KIND_SEND || kind == TL_KIND_RECEIVE;
    return *oldest < number && may && kind_of(w, *oldest) == kind ? *oldest : 0;
}

void fit_swap_message(tl_event *a, tl_event *b)
{
    const tl_event kept = *a;
    a->peer = b->peer;
    a->tag = b->tag;
    a->count = b->count;
    a->type_bytes = b->type_bytes;
    b->peer = kept.peer;
    b->tag = kept.tag;
    b->count = kept.count;
    b->type_bytes = kept.type_bytes;
}

static uint32_t order_wait(waits *w, uint32_t given)
{
    const uint32_t number = at(w, given)->own, older = find_older(w, number);
    if (!older)
        return number;
    tl_event *a = &at(w, older)->event->e, *b = &at(w, number)->event->e;
    const uint32_t other = at(w, older)->whose;
    at(w, given)->own = older;
    at(w, older)->whose = given;
    at(w, other)->own = number;
    at(w, number)->whose = other;
    if (kind_of(w, number) == TL_KIND_RECEIVE && (a->peer != b->peer || a->tag != b->tag))
        fit_swap_message(a, b);
    fit_count_change(w->f, &w->f->reordered, "waits for another request than the oldest", 1);
    return older;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void add(waits *w, started *made, fit_event *event)
{
    const uint32_t number = (uint32_t)w->requests.n - 1;
    named *n = &w->names[w->f->symbols[event->symbol].request];
    *made = (started){.event = event, .own = number, .whose = number};
    if (n->newest)
        at(w, n->newest)->next = number;
    else
        n->oldest = number;
    n->newest = number;
}

static void take(waits *w, fit_event *event)
{
    tl_event *e = &event->e;
    const tl_call_info *row = w->f->symbols[event->symbol].row;
    int64_t *list = (int64_t *)e->list;
    if (row->code == TL_MPI_Wait) {
        e->request = order_wait(w, e->request);
        at(w, e->request)->is_completed = true;
    } else if (row->code == TL_MPI_Waitall && e->list_len) {
        for (uint32_t i = 0; i < e->list_len; i++) {
            list[i] = at(w, list[i])->own;
            at(w, list[i])->is_completed = true;
        }
        qsort(list, e->list_len, sizeof *list, by_number);
    } else if (row->slots & TL_SLOT_REQUEST) {
        started *made = skel_push(&w->requests, sizeof *made);
        if (made)
            add(w, made, event);
        else
            fit_out_of_memory(w->f);
    }
}

static void order_rank(fitting *f, const fit_capture *c, uint32_t rank)
{
    waits w = {.f = f, .names = calloc(f->n_symbols + 1, sizeof *w.names)};
    const bool ok = skel_push(&w.requests, sizeof(started)) && w.names;
    if (!ok)
        fit_out_of_memory(f);
    for (size_t i = c->first[rank]; ok && i < c->first[rank + 1] && f->status == TL_OK; i++)
        take(&w, &c->events[i]);
    free(w.requests.items);
    free(w.names);
}

/* ---- MPI_Waitall of a part ---- */

static bool is_waitall(const fitting *f, const fit_event *event)
{
    return f->symbols[event->symbol].row->code == TL_MPI_Waitall;
}

/* Notes the names of which MPI_Waitall completes a part. `under_way`: by name. */
static bool find_partial(fitting *f, const fit_capture *c, uint32_t rank, uint32_t *under_way)
{
    bool found = false;
    memset(under_way, 0, f->n_symbols * sizeof *under_way);
    for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
        const fit_symbol *s = &f->symbols[c->events[i].symbol];
        if (s->row->code == TL_MPI_Wait) {
            under_way[s->request]--;
        } else if (s->row->code == TL_MPI_Waitall) {
            f->symbols[s->request].is_partial |= under_way[s->request] != c->events[i].e.list_len;
            found |= f->symbols[s->request].is_partial;
            under_way[s->request] -= c->events[i].e.list_len;
        } else if (s->row->slots & TL_SLOT_REQUEST) {
            under_way[s->request]++;
        }
    }
    return found;
}

/* Appends a wait for each request. What is computed before none is computed before the next call.
 */
static void split(fitting *f, fit_event *event, skel_array *to, int64_t *volume)
{
    const uint32_t name = f->symbols[event->symbol].request;
    fit_symbol like = f->symbols[event->symbol];
    like.row = tl_call_by_code(TL_MPI_Wait);
    like.variant = 1; /* the program may have MPI_Wait on the same line, for other requests */
    const uint32_t symbol = fit_find_symbol(f, &like);
    f->symbols[symbol].request = name;
    *volume += event->e.volume;
    for (uint32_t i = 0; i < event->e.list_len; i++) {
        fit_event *made = skel_push(to, sizeof *made);
        if (!made) {
            fit_out_of_memory(f);
            break;
        }
        *made = (fit_event){event->e, symbol};
        made->e.call = TL_MPI_Wait;
        made->e.request = (uint32_t)event->e.list[i];
        made->e.list = NULL;
        made->e.list_len = 0;
        made->e.volume = *volume;
        *volume = 0;
    }
    free((int64_t *)event->e.list);
}

static void split_all(fitting *f, fit_capture *c)
{
    skel_array events = {0};
    for (uint32_t rank = 0; rank < c->n_ranks; rank++) {
        const size_t first = events.n;
        int64_t volume = 0;
        for (size_t i = c->first[rank]; i < c->first[rank + 1]; i++) {
            fit_event *event = &c->events[i];
            if (is_waitall(f, event) && f->symbols[f->symbols[event->symbol].request].is_partial) {
                split(f, event, &events, &volume);
                continue;
            }
            fit_event *kept = skel_push(&events, sizeof *kept);
            if (!kept) {
                fit_out_of_memory(f);
                free((int64_t *)event->e.list);
                continue;
            }
            *kept = *event;
            kept->e.volume += volume;
            volume = 0;
        }
        c->first[rank] = first;
    }
    c->first[c->n_ranks] = events.n;
    free(c->events);
    c->events = events.items;
    c->n_events = events.n;
}

void fit_order_waits(fitting *f)
{
    uint32_t *under_way = calloc(f->n_symbols + 1, sizeof *under_way);
    bool any = false;
    for (size_t i = 0; under_way && i < f->n_captures; i++)
        for (uint32_t rank = 0; rank < f->captures[i].n_ranks; rank++)
            any |= find_partial(f, &f->captures[i], rank, under_way);
    if (!under_way)
        fit_out_of_memory(f);
    free(under_way);
    for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++) {
        if (any)
            split_all(f, &f->captures[i]);
        for (uint32_t rank = 0; rank < f->captures[i].n_ranks && f->status == TL_OK; rank++)
            order_rank(f, &f->captures[i], rank);
    }
}
