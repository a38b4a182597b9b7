/* fit_canonical.c - the calls of a rank in an order that does not depend on what came first.
 *
 * Captures of one program differ in what is no structure: looks at the clock, probes and tests, the
 * order in which messages arrive and requests complete. This file drops it, or brings it into one
 * order. Computation before a dropped call is added to the next call. The head of the skeleton has
 * the number of all changes.
 *
 * Wildcard receives get the source and tag of their message. Receives of one call site that are
 * under way together, or directly follow each other, are sorted by source. The start of a
 * persistent request becomes a nonblocking call. A wait for any of several requests completes the
 * oldest one that was started at the same call site; several such waits in a row become one.
 *
 * A library may look now and then whether its sends are complete (BLACS). Where this succeeds
 * depends on time. If the captures have no skeleton otherwise, the sends of such call sites are
 * completed at the end: a test waits for nothing. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "parallel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_UNDER_WAY = 4096 };

/* By id of a request. */
typedef struct named_request {
    tl_event init; /* of a persistent request; call 0: it is not persistent */
    uint32_t number;
    bool is_left_out; /* the call that started it is left out */
} named_request;

/* By number of a request. */
typedef struct started_request {
    size_t event; /* index in `calls` */
    uint32_t id;
    bool is_completed;
    bool is_late; /* completed at the end */
} started_request;

struct fit_canonical {
    fitting *f;
    uint32_t capture, rank;
    skel_array calls;   /* fit_call */
    skel_array ids;     /* named_request */
    skel_array started; /* started_request; number 0 is none */
    size_t oldest;      /* no number before is under way */
    uint64_t volume;    /* before dropped calls */
    tl_event match;     /* of the next blocking receive; call 0: none */
};

void fit_count_change(fitting *f, skel_array *counts, const char *name, uint64_t n)
{
    fit_count *all = counts->items;
    for (size_t i = 0; i < counts->n; i++)
        if (all[i].name == name) {
            all[i].n += n;
            return;
        }
    fit_count *made = n ? fit_new(f, counts, sizeof *made) : NULL;
    if (made)
        *made = (fit_count){name, n};
}

static fit_call *call_at(const fit_canonical *k, size_t i)
{
    return (fit_call *)k->calls.items + i;
}

static started_request *started_at(const fit_canonical *k, uint32_t number)
{
    return (started_request *)k->started.items + number;
}

/* NULL if the id is out of range. */
static named_request *named(fit_canonical *k, int64_t id)
{
    named_request *name = fit_by_id(&k->ids, id, sizeof *name);
    if (!name && id > 0 && id <= FIT_MAX_ID)
        fit_out_of_memory(k->f);
    return name;
}

/* Appends a call, with a copy of its list. */
static fit_call *append(fit_canonical *k, const tl_event *e, uint32_t init_site)
{
    fit_call *made = skel_push(&k->calls, sizeof *made);
    int64_t *list = made && e->list_len ? calloc(e->list_len, sizeof *list) : NULL;
    if (!made || (e->list_len && !list)) {
        fit_out_of_memory(k->f);
        return NULL;
    }
    for (uint32_t i = 0; list && i < e->list_len; i++)
        list[i] = e->list[i];
    *made = (fit_call){.e = *e, .init_site = init_site};
    made->e.list = list;
    made->e.volume += k->volume;
    made->e.polls = 0;
    k->volume = 0;
    return made;
}

static bool is_open(const tl_event *e)
{
    return e->peer == TL_ANY_SOURCE || (e->peer != TL_PROC_NULL && e->tag == TL_ANY_TAG);
}

/* ---- requests ---- */

static bool is_send(const fit_call *call)
{
    return tl_meaning_of(tl_call_by_code(call->e.call)->action)->kind == TL_KIND_SEND;
}

/* A call site of sends. */
static uint64_t late_key(const fit_canonical *k, const fit_call *call)
{
    return fit_site_hash(k->f, k->capture, k->rank, call->e.site) + call->init_site;
}

/* A request is started by a call that is appended. */
static void start(fit_canonical *k, const tl_event *e, uint32_t init_site)
{
    named_request *name = named(k, e->request);
    started_request *made = NULL;
    if (!k->started.n)
        skel_push(&k->started, sizeof *made);
    made = name ? skel_push(&k->started, sizeof *made) : NULL;
    fit_call *call = made ? append(k, e, init_site) : NULL;
    if (!call) {
        fit_out_of_memory(k->f);
        return;
    }
    *made = (started_request){.event = k->calls.n - 1, .id = e->request};
    name->number = call->e.request = (uint32_t)k->started.n - 1;
    name->init.call = init_site ? name->init.call : 0;
    name->is_left_out = false;
    made->is_late = tl_map_find(&k->f->late, late_key(k, call)) && is_send(call);
    call->is_open = tl_call_by_code(e->call)->action == TL_ACTION_IRECV && is_open(e);
}

/* The nonblocking call that a persistent one starts. */
static uint16_t started_call(uint16_t init)
{
    switch (init) {
    case TL_MPI_Send_init: return TL_MPI_Isend;
    case TL_MPI_Bsend_init: return TL_MPI_Ibsend;
    case TL_MPI_Ssend_init: return TL_MPI_Issend;
    case TL_MPI_Rsend_init: return TL_MPI_Irsend;
    default: return TL_MPI_Irecv;
    }
}

static bool start_persistent(fit_canonical *k, const tl_event *e, int64_t id)
{
    const named_request *name = named(k, id);
    if (!name || !name->init.call)
        return false;
    tl_event begun = name->init;
    begun.call = started_call(begun.call);
    begun.site = e->site;
    start(k, &begun, name->init.site ? name->init.site : UINT32_MAX);
    return true;
}

/* False: one of them is not a message. */
static bool start_all(fit_canonical *k, const tl_event *e)
{
    const int64_t one = e->request;
    const int64_t *ids = e->list_len ? e->list : &one;
    const uint32_t n = e->list_len ? e->list_len : one != 0;
    bool ok = true;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = named(k, ids[i]) && named(k, ids[i])->init.call;
    k->volume += ok ? e->volume : 0;
    for (uint32_t i = 0; i < n && ok; i++)
        ok = start_persistent(k, e, ids[i]);
    return ok;
}

/* The message of a wildcard receive. */
static void match(fit_canonical *k, const tl_event *e)
{
    const named_request *name = named(k, e->request);
    if (!e->request)
        k->match = *e;
    if (!name || !name->number)
        return;
    fit_call *receive = call_at(k, started_at(k, name->number)->event);
    receive->e.peer = e->peer;
    receive->e.tag = e->peer == TL_PROC_NULL ? 0 : e->tag;
}

static bool are_alike(const fit_call *a, const fit_call *b)
{
    return a->e.call == b->e.call && a->e.site == b->e.site && a->init_site == b->init_site &&
           a->e.comm == b->e.comm && a->is_open == b->is_open;
}

/* Gives this id the oldest number under way that was started at the same call site. */
static void take_oldest(fit_canonical *k, uint32_t id)
{
    named_request *own = named(k, id);
    if (!own || !own->number)
        return;
    const uint32_t number = own->number;
    fit_call *call = call_at(k, started_at(k, number)->event);
    while (k->oldest < number && started_at(k, (uint32_t)k->oldest)->is_completed)
        k->oldest++;
    for (uint32_t i = (uint32_t)k->oldest; i < number && number - i < MAX_UNDER_WAY; i++) {
        started_request *other = started_at(k, i), *this = started_at(k, number);
        fit_call *older = call_at(k, other->event);
        if (other->is_completed || !are_alike(older, call))
            continue;
        if (call->is_open)
            fit_swap_message(&older->e, &call->e);
        named(k, other->id)->number = number;
        own->number = i;
        this->id = other->id;
        other->id = id;
        return;
    }
}

/* The number of a completed request; 0: no call started it. */
static uint32_t complete(fit_canonical *k, int64_t id, bool any)
{
    if (any)
        take_oldest(k, (uint32_t)id);
    const named_request *name = named(k, id);
    if (name && name->number)
        started_at(k, name->number)->is_completed = true;
    return name ? name->number : 0;
}

/* ---- sends that are completed at the end ---- */

static void note_late(fit_canonical *k, int64_t id)
{
    const named_request *name = named(k, id);
    const fit_call *call =
        name && name->number ? call_at(k, started_at(k, name->number)->event) : NULL;
    if (call && is_send(call) && !tl_map_at(&k->f->late, late_key(k, call)))
        fit_out_of_memory(k->f);
}

/* Moves the requests that this wait completes in the skeleton to the front; their number. */
static uint32_t completed_here(fit_canonical *k, int64_t *ids, uint32_t n)
{
    uint32_t kept = 0, n_late = 0;
    for (uint32_t i = 0; i < n; i++) {
        const named_request *name = named(k, ids[i]);
        const bool is_late = name && name->number && started_at(k, name->number)->is_late;
        n_late += is_late;
        if (!is_late && !(name && name->is_left_out))
            ids[kept++] = ids[i];
    }
    fit_count_change(k->f, &k->f->reordered, "sends that are completed at the end", n_late);
    return kept;
}

static void complete_late(fit_canonical *k)
{
    tl_event wait = {.call = TL_MPI_Waitall};
    int64_t *list = calloc(k->started.n + 1, sizeof *list);
    for (uint32_t i = 1; list && i < k->started.n; i++)
        if (started_at(k, i)->is_late) {
            started_at(k, i)->is_completed = true;
            list[wait.list_len++] = i;
        }
    wait.list = list;
    if (!list)
        fit_out_of_memory(k->f);
    else if (wait.list_len)
        append(k, &wait, 0);
    free(list);
}

/* ---- completions ---- */

static bool waits_for_any(uint16_t call)
{
    return call == TL_MPI_Waitany || call == TL_MPI_Waitsome || call == TL_MPI_Testany ||
           call == TL_MPI_Testsome;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Whether the call can be added to the last one. */
static bool continues(const fit_canonical *k, const tl_event *e)
{
    const fit_call *last = k->calls.n ? call_at(k, k->calls.n - 1) : NULL;
    return last && last->is_any && last->e.site == e->site;
}

/* Adds the numbers of completed requests to a call. */
static void add_numbers(fit_canonical *k, fit_call *to, const int64_t *ids, uint32_t n, bool any)
{
    const uint32_t n_before = to->e.list_len;
    int64_t *list = realloc((int64_t *)to->e.list, ((size_t)n_before + n + 1) * sizeof *list);
    if (!list) {
        fit_out_of_memory(k->f);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        list[n_before + i] = complete(k, ids[i], any);
    qsort(list, n_before + n, sizeof *list, by_number);
    to->e.list = list;
    to->e.list_len = n_before + n;
}

/* Becomes MPI_Wait, or MPI_Waitall; fit_canonical_end decides about those for any request. */
static void wait_for_some(fit_canonical *k, const tl_event *e, const tl_call_info *row,
                          const int64_t *ids, uint32_t n)
{
    const bool any = waits_for_any(e->call), joins = any || e->call == TL_MPI_Test;
    for (uint32_t i = 0; i < n && k->f->finds_late && (joins || e->call == TL_MPI_Testall); i++)
        note_late(k, ids[i]);
    const bool is_all = e->call == TL_MPI_Waitall || e->call == TL_MPI_Testall;
    fit_call *to = joins && continues(k, e) ? call_at(k, k->calls.n - 1) : NULL;
    if (any)
        fit_count_change(k->f, &k->f->reordered, row->name, 1);
    if (to || (!n && !is_all)) {
        k->volume += e->volume;
    } else {
        const tl_event wait = {.call = is_all || joins ? TL_MPI_Waitall : TL_MPI_Wait,
                               .site = e->site,
                               .volume = e->volume};
        to = append(k, &wait, 0);
    }
    if (to && to->e.call == TL_MPI_Wait)
        to->e.request = complete(k, ids[0], false);
    else if (to)
        add_numbers(k, to, ids, n, any);
    if (to)
        to->is_any = joins;
}

static void wait_for(fit_canonical *k, const tl_event *e, const tl_call_info *row)
{
    const uint32_t n = e->list_len ? e->list_len : e->request != 0;
    int64_t *ids = calloc((size_t)n + 1, sizeof *ids);
    if (!ids) {
        fit_out_of_memory(k->f);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        ids[i] = e->list_len ? e->list[i] : e->request;
    const uint32_t n_here = completed_here(k, ids, n);
    if (n && !n_here)
        k->volume += e->volume;
    else
        wait_for_some(k, e, row, ids, n_here);
    free(ids);
}

/* ---- calls ---- */

/* A blocking receive, or the receiving side of MPI_Sendrecv. */
static void receive(fit_canonical *k, const tl_event *e, bool is_side)
{
    tl_event own = *e;
    int32_t *peer = is_side ? &own.recv_peer : &own.peer, *tag = is_side ? &own.recv_tag : &own.tag;
    const bool open = *peer == TL_ANY_SOURCE || (*peer != TL_PROC_NULL && *tag == TL_ANY_TAG);
    if (!is_side)
        own.call = TL_MPI_Recv;
    if (open && k->match.call) {
        *peer = k->match.peer;
        *tag = k->match.tag;
    }
    k->match.call = 0;
    fit_call *made = append(k, &own, 0);
    if (made)
        made->is_open = open && !is_side;
}

static bool is_of_left_out(fit_canonical *k, const tl_event *e)
{
    const named_request *name = named(k, e->request);
    return name && name->is_left_out;
}

static bool is_persistent(fit_canonical *k, const tl_event *e)
{
    const named_request *name = named(k, e->request);
    return name && name->init.call && (!name->number || started_at(k, name->number)->is_completed);
}

static void keep_init(fit_canonical *k, const tl_event *e)
{
    named_request *name = named(k, e->request);
    if (name)
        *name = (named_request){.init = *e};
    if (name)
        name->init.volume = name->init.polls = 0;
}

/* Whether the call is no structure. */
static bool is_dropped(fit_canonical *k, const tl_event *e, const tl_call_info *row)
{
    switch (row->action) {
    case TL_ACTION_CLOCK:
    case TL_ACTION_PROBE:
    case TL_ACTION_MATCH: return true;
    case TL_ACTION_NONE: return row->code == TL_MPI_Parallel;
    case TL_ACTION_SEND_INIT:
    case TL_ACTION_RECV_INIT: return true;
    case TL_ACTION_REQUEST_FREE: return is_persistent(k, e) || is_of_left_out(k, e);
    case TL_ACTION_CANCEL: return is_of_left_out(k, e);
    default: return false;
    }
}

bool fit_may_leave_out(const tl_call_info *row)
{
    if (row->traits & TL_TRAIT_PERSISTENT)
        return false;
    return tl_is_on_window(row->action) || tl_is_on_file(row->action) ||
           tl_meaning_of(row->action)->kind == TL_KIND_NEIGHBORHOOD;
}

static void leave_out(fit_canonical *k, const tl_event *e, const tl_call_info *row)
{
    named_request *name = row->slots & TL_SLOT_REQUEST ? named(k, e->request) : NULL;
    if (name)
        *name = (named_request){.is_left_out = true};
    k->volume += e->volume;
    k->f->lacking_bytes += tl_moves_data(row->action) ? fit_bytes(e) : 0;
    fit_count_change(k->f, &k->f->lacking, row->name, 1);
}

static void drop(fit_canonical *k, const tl_event *e, const tl_call_info *row)
{
    k->volume += e->volume;
    if (row->code == TL_MPI_Parallel && e->volume &&
        e->list_len > TL_PARALLEL_THREADS + k->f->n_threads)
        k->f->n_threads = e->list_len - TL_PARALLEL_THREADS;
    if (row->action == TL_ACTION_MATCH)
        match(k, e);
    else
        fit_count_change(k->f, &k->f->dropped, row->name,
                         1 + (row->action == TL_ACTION_CLOCK ? e->polls : 0));
    if (row->action == TL_ACTION_SEND_INIT || row->action == TL_ACTION_RECV_INIT)
        keep_init(k, e);
}

/* A tag does not matter where no message is. */
static void set_tags_of_nobody(tl_event *e, const tl_call_info *row)
{
    if (row->slots & TL_SLOT_TAG && row->slots & TL_SLOT_PEER && e->peer == TL_PROC_NULL)
        e->tag = e->tag < 0 ? 0 : e->tag;
    if (row->slots & TL_SLOT_RECV_TAG && e->recv_peer == TL_PROC_NULL)
        e->recv_tag = e->recv_tag < 0 ? 0 : e->recv_tag;
}

void fit_canonical_take(fit_canonical *k, const tl_event *given)
{
    const tl_call_info *row = tl_call_by_code(given->call);
    tl_event own = *given, *e = &own;
    set_tags_of_nobody(e, row);
    if (row->action != TL_ACTION_CLOCK)
        fit_count_change(k->f, &k->f->dropped, "failed tests and probes", e->polls);
    if (is_dropped(k, e, row)) {
        drop(k, e, row);
        return;
    }
    if (k->f->may_draw && fit_may_leave_out(row)) {
        leave_out(k, e, row);
        return;
    }
    switch (row->action) {
    case TL_ACTION_START:
        if (!start_all(k, e))
            append(k, e, 0);
        return;
    case TL_ACTION_WAIT:
        if (e->call == TL_MPI_Return)
            append(k, e, 0);
        else
            wait_for(k, e, row);
        return;
    case TL_ACTION_RECV: receive(k, e, false); return;
    case TL_ACTION_SENDRECV: receive(k, e, true); return;
    case TL_ACTION_REQUEST_FREE:
    case TL_ACTION_CANCEL:
    case TL_ACTION_ENTER: append(k, e, 0); return;
    case TL_ACTION_FINALIZE: complete_late(k); break;
    default: break;
    }
    if (e->call == TL_MPI_Imrecv)
        e->call = TL_MPI_Irecv;
    if (row->slots & TL_SLOT_REQUEST && e->request)
        start(k, e, 0);
    else
        append(k, e, 0);
}

/* ---- receives from anyone ---- */

static int by_message(const void *left, const void *right)
{
    const tl_event *a = &((const fit_call *)left)->e, *b = &((const fit_call *)right)->e;
    if (a->peer != b->peer)
        return a->peer < b->peer ? -1 : 1;
    if (a->tag != b->tag)
        return a->tag < b->tag ? -1 : 1;
    return a->count < b->count ? -1 : a->count > b->count;
}

/* Sorts the messages of some receives; the calls stay where they are. */
static void sort_messages(fit_canonical *k, const size_t *at, size_t n)
{
    fit_call *sorted = n > 1 ? calloc(n, sizeof *sorted) : NULL;
    for (size_t i = 0; sorted && i < n; i++)
        sorted[i] = *call_at(k, at[i]);
    if (sorted)
        qsort(sorted, n, sizeof *sorted, by_message);
    for (size_t i = 0; sorted && i < n; i++) {
        tl_event rest = sorted[i].e;
        fit_swap_message(&call_at(k, at[i])->e, &rest);
    }
    free(sorted);
}

static bool ends_group(const fit_call *first, const fit_call *call)
{
    const tl_call_info *row = tl_call_by_code(call->e.call);
    return first->e.call == TL_MPI_Recv ? !are_alike(first, call) : row->action == TL_ACTION_WAIT;
}

/* From the first receive of a group on, those that may be sorted together. */
static void sort_group(fit_canonical *k, size_t from, bool *done)
{
    size_t *at = calloc(k->calls.n - from, sizeof *at), n = 0;
    const fit_call *first = call_at(k, from);
    for (size_t i = from; at && i < k->calls.n && !ends_group(first, call_at(k, i)); i++)
        if (are_alike(first, call_at(k, i))) {
            at[n++] = i;
            done[i] = true;
        }
    if (at)
        sort_messages(k, at, n);
    else
        fit_out_of_memory(k->f);
    free(at);
}

/* A wait for one request. */
static void make_single(fit_call *wait)
{
    if (!wait->is_any || wait->e.list_len != 1)
        return;
    wait->e.call = TL_MPI_Wait;
    wait->e.request = (uint32_t)wait->e.list[0];
    wait->e.list_len = 0;
}

fit_call *fit_canonical_end(fit_canonical *k, size_t *n)
{
    bool *done = calloc(k->calls.n + 1, sizeof *done);
    for (size_t i = 0; done && i < k->calls.n; i++) {
        make_single(call_at(k, i));
        if (!call_at(k, i)->is_open)
            continue;
        fit_count_change(k->f, &k->f->reordered, "receives from any source", 1);
        if (!done[i])
            sort_group(k, i, done);
    }
    if (!done)
        fit_out_of_memory(k->f);
    free(done);
    *n = k->calls.n;
    return k->calls.items;
}

fit_canonical *fit_canonical_make(fitting *f, uint32_t capture, uint32_t rank)
{
    fit_canonical *k = calloc(1, sizeof *k);
    if (k)
        *k = (fit_canonical){.f = f, .capture = capture, .rank = rank, .oldest = 1};
    else
        fit_out_of_memory(f);
    return k;
}

void fit_canonical_free(fit_canonical *k)
{
    if (!k)
        return;
    for (size_t i = 0; i < k->calls.n; i++)
        free((int64_t *)call_at(k, i)->e.list);
    free(k->calls.items);
    free(k->ids.items);
    free(k->started.items);
    free(k);
}
