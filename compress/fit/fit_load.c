/* fit_load.c - the events of the captures, in memory. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "core/error.h"
#include "core/frame.h"
#include "extrapolate/extrapolate.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_EVENTS = 20000000, MAX_SYMBOLS = 5000 };

/* ---- requests ---- */

void *fit_new(fitting *f, skel_array *array, size_t size)
{
    void *made = skel_push(array, size);
    if (!made)
        fit_out_of_memory(f);
    return made;
}

void *fit_by_id(skel_array *array, int64_t id, size_t size)
{
    if (id < 1 || id > FIT_MAX_ID)
        return NULL;
    while (array->n <= (size_t)id)
        if (!skel_push(array, size))
            return NULL;
    return (char *)array->items + (size_t)id * size;
}

static bool number_list(fit_numbers *n, tl_event *e)
{
    n->list.n = 0;
    for (uint32_t i = 0; i < e->list_len; i++) {
        const uint32_t *number = fit_by_id(&n->of_id, e->list[i], sizeof *number);
        int64_t *kept = skel_push(&n->list, sizeof *kept);
        if (!number || !kept || !*number)
            return false;
        *kept = *number;
    }
    e->list = n->list.items;
    return true;
}

bool fit_number(fit_numbers *n, const tl_call_info *row, tl_event *e)
{
    if (row->code == TL_MPI_Waitall)
        return number_list(n, e);
    if (!(row->slots & TL_SLOT_REQUEST))
        return true;
    uint32_t *number = fit_by_id(&n->of_id, e->request, sizeof *number);
    if (!number)
        return false;
    if (row->code != TL_MPI_Wait)
        *number = ++n->n;
    e->request = *number;
    return *number > 0;
}

void fit_numbers_free(fit_numbers *n)
{
    free(n->of_id.items);
    free(n->list.items);
}

/* ---- call sites ---- */

static uint64_t hash_place(const tl_site *site, uint64_t hash)
{
    hash = tl_hash_of(site->object, strlen(site->object), hash);
    return tl_hash_of(&site->offset, sizeof site->offset, hash);
}

/* The source lines of a call, with those of the calls of inlined functions. A compiler makes
 * several calls out of one of the source, as for the first iteration of a loop and the others. */
static uint64_t hash_lines(const tl_site *site, uint64_t hash)
{
    for (uint32_t i = 0; i < site->n_sources; i++) {
        const tl_source *source = &site->sources[i];
        if (!source->line || !*source->file)
            return hash_place(site, hash);
        hash = tl_hash_of(source->function, strlen(source->function), hash);
        hash = tl_hash_of(source->file, strlen(source->file), hash);
        hash = tl_hash_of(&source->line, sizeof source->line, hash);
    }
    return site->n_sources ? hash : hash_place(site, hash);
}

static uint64_t site_hash(const tl_reader *r, uint32_t rank, uint32_t id, bool by_line)
{
    uint64_t hash = 0;
    for (const tl_site *site; id && (site = tl_reader_site(r, rank, id)); id = site->caller)
        hash = by_line ? hash_lines(site, hash) : hash_place(site, hash);
    return hash;
}

uint64_t fit_site_hash(const fitting *f, uint32_t capture, uint32_t rank, uint32_t id)
{
    return site_hash(f->captures[capture].reader, rank, id, f->by_line);
}

/* The source line, with those of the callers; without them, the place in the program. */
static void site_text(const tl_reader *r, uint32_t rank, uint32_t id, char *text, size_t size)
{
    size_t used = 0;
    for (const tl_site *site; id && (site = tl_reader_site(r, rank, id)); id = site->caller) {
        const tl_source *source = site->n_sources ? &site->sources[0] : NULL;
        if (!source || !source->line || !*source->file)
            break;
        const int n = snprintf(text + used, size - used, "%s%s:%" PRIu32, used ? " < " : "",
                               source->file, source->line);
        used += n > 0 ? (size_t)n : 0;
        if (used >= size)
            return;
    }
    if (!used)
        tl_site_text(r, rank, id, text, size);
}

const char *fit_call_text(const fitting *f, uint32_t symbol, char text[300])
{
    char site[200] = "";
    const fit_symbol *s = &f->symbols[symbol];
    if (s->site_id)
        site_text(f->captures[s->capture].reader, s->rank, s->site_id, site, sizeof site);
    snprintf(text, 300, "%s%s%s", s->row->name, *site ? " at " : "", site);
    return text;
}

uint32_t fit_find_symbol(fitting *f, const fit_symbol *like)
{
    fit_symbol *all = f->symbol_array.items;
    for (size_t i = 0; i < f->symbol_array.n; i++)
        if (all[i].row == like->row && all[i].site == like->site && all[i].comm == like->comm &&
            all[i].variant == like->variant) {
            f->has_joined |= all[i].place != like->place;
            return (uint32_t)i;
        }
    fit_symbol *made =
        f->symbol_array.n < MAX_SYMBOLS ? skel_push(&f->symbol_array, sizeof *made) : NULL;
    if (!made) {
        fit_out_of_memory(f);
        return 0;
    }
    *made = *like;
    made->request = (uint32_t)f->symbol_array.n - 1;
    f->symbols = f->symbol_array.items;
    f->n_symbols = f->symbol_array.n;
    return made->request;
}

/* ---- what the language lacks ---- */

static const char *lacks(const tl_call_info *row, const tl_event *e)
{
    if (row->action == TL_ACTION_FINALIZE)
        return NULL;
    if (row->action == TL_ACTION_THREAD || row->action == TL_ACTION_ENTER)
        return "shows that several threads call MPI, which the language lacks";
    if (!skel_knows(row))
        return "is not in the language of skeletons";
    if (tl_is_on_window(row->action))
        return "is on a window, and fit finds no windows";
    if (row->action == TL_ACTION_KERNEL && e->list_len != tl_text_n_dimensions(row))
        return "has another number of sizes";
    if (e->flags & (uint16_t) ~(TL_IN_PLACE | TL_NONCOMMUTATIVE))
        return "has a flag that the language lacks";
    if (((row->slots & TL_SLOT_PEER) && e->peer < TL_PROC_NULL) ||
        ((row->slots & TL_SLOT_RECV_PEER) && e->recv_peer < TL_PROC_NULL))
        return "receives from any source, and the capture does not have the message; or has a root "
               "of an intercommunicator, which the language lacks";
    if (((row->slots & TL_SLOT_TAG) && row->action != TL_ACTION_REGION && e->tag < 0) ||
        ((row->slots & TL_SLOT_RECV_TAG) && e->recv_tag < 0))
        return "receives with any tag, and the capture does not have the message";
    return NULL;
}

/* What the user can do about such a call. */
static const char *advice(const tl_call_info *row)
{
    if (row->action == TL_ACTION_THREAD || row->action == TL_ACTION_ENTER)
        return "record a run of the program in which one thread calls MPI";
    if (fit_may_leave_out(row))
        return tl_refusal_of(row) ? "leave such calls out (--holes nearest), or write a skeleton"
                                  : "leave such calls out (--holes nearest), or use extrapolate";
    if (tl_refusal_of(row))
        return "extrapolate refuses it, too: record a run without this call, or write a skeleton "
               "without it";
    return skel_knows(row) ? "use extrapolate, or write a skeleton"
                           : "use extrapolate, or write a skeleton without this call";
}

/* ---- reading ---- */

static uint32_t group_of(const fitting *f, uint32_t symbol)
{
    while (f->symbols[symbol].request != symbol)
        symbol = f->symbols[symbol].request;
    return symbol;
}

/* Requests that are completed by one call have one name. */
static void join_groups(fitting *f, uint32_t a, uint32_t b)
{
    a = group_of(f, a);
    b = group_of(f, b);
    if (a != b)
        f->symbols[a > b ? a : b].request = a > b ? b : a;
}

/* By number of a request, the symbol that started it. */
static void note_requests(fitting *f, skel_array *starts, const fit_event *event)
{
    const tl_call_info *row = f->symbols[event->symbol].row;
    const bool completes = row->code == TL_MPI_Waitall || row->code == TL_MPI_Wait;
    if (completes && !starts->items)
        return;
    if (row->code == TL_MPI_Waitall) {
        for (uint32_t i = 0; i < event->e.list_len; i++)
            join_groups(f, event->symbol, ((uint32_t *)starts->items)[event->e.list[i] - 1]);
    } else if (row->code == TL_MPI_Wait) {
        join_groups(f, event->symbol, ((uint32_t *)starts->items)[event->e.request - 1]);
    } else if (row->slots & TL_SLOT_REQUEST) {
        uint32_t *start = fit_new(f, starts, sizeof *start);
        if (start)
            *start = event->symbol;
    }
}

/* ---- communicators ---- */

/* The number of a communicator of a rank; UINT32_MAX: no call so far has made it. */
static uint32_t comm_number(const fit_capture *c, uint32_t rank, uint32_t id)
{
    const fit_made *all = c->made.items;
    if (id == TL_COMM_WORLD || id == TL_COMM_SELF)
        return id == TL_COMM_SELF ? SKEL_SELF : SKEL_WORLD;
    for (size_t i = c->made.n; id && i-- > 0 && all[i].rank == rank;)
        if (all[i].id == id)
            return SKEL_FIRST_COMM + all[i].index;
    return UINT32_MAX;
}

/* A communicator that is made again is the same variable of the skeleton. */
static bool same_members(const fit_capture *c, const fit_made *made, uint32_t id)
{
    const tl_comm *a = made->id ? tl_reader_comm(c->reader, made->rank, made->id) : NULL;
    const tl_comm *b = id ? tl_reader_comm(c->reader, made->rank, id) : NULL;
    return !a || !b ? !a && !b
                    : a->n_members == b->n_members &&
                          !memcmp(a->members, b->members, a->n_members * sizeof *a->members);
}

/* A call site that makes communicators with other members, as a library in a recursion, is a call
 * site for each of them. */
enum { MAX_VARIANTS = 64 };

/* Notes what the call makes. Returns NULL or what the language lacks. */
static const char *note_comm(fitting *f, uint32_t capture, uint32_t rank, uint32_t symbol,
                             tl_event *e)
{
    fit_capture *c = &f->captures[capture];
    fit_symbol *s = &f->symbols[symbol];
    if (!(s->row->slots & TL_SLOT_NEW_COMM))
        return NULL;
    if (!s->new_comm) {
        fit_comm *made = fit_new(f, &f->comms, sizeof *made);
        if (!made)
            return NULL;
        made->symbol = symbol;
        s->new_comm = SKEL_FIRST_COMM + (uint32_t)f->comms.n - 1;
    }
    const uint32_t index = s->new_comm - SKEL_FIRST_COMM;
    const fit_made *all = c->made.items;
    for (size_t i = c->made.n; i-- > 0 && all[i].rank == rank;)
        if (all[i].index == index && same_members(c, &all[i], e->new_comm))
            break;
        else if (all[i].index == index)
            return "makes too many communicators with different members; record with --call-paths "
                   "2 if "
                   "the function has several callers";
    fit_made *made = fit_new(f, &c->made, sizeof *made);
    if (!made)
        return NULL;
    *made = (fit_made){rank, e->new_comm, index};
    e->new_comm = e->new_comm ? s->new_comm : 0;
    return NULL;
}

/* By rank and number, when all numbers are known. */
static void list_comms(fitting *f, fit_capture *c)
{
    const fit_made *all = c->made.items;
    c->comms = calloc((size_t)c->n_ranks * f->comms.n + 1, sizeof *c->comms);
    for (size_t i = 0; c->comms && i < c->made.n; i++)
        if (all[i].id)
            c->comms[(size_t)all[i].rank * f->comms.n + all[i].index] =
                tl_reader_comm(c->reader, all[i].rank, all[i].id);
    if (!c->comms)
        fit_out_of_memory(f);
}

/* Whether the calls that started the requests are in the language. */
static bool has_requests(const tl_call_info *row, const tl_event *e)
{
    bool ok = !(row->slots & TL_SLOT_REQUEST) || e->request;
    for (uint32_t i = 0; row->code == TL_MPI_Waitall && i < e->list_len; i++)
        ok &= e->list[i] > 0;
    return ok;
}

/* Takes over the list of the call. */
static void load_call(fitting *f, uint32_t capture, uint32_t rank, skel_array *events,
                      skel_array *starts, fit_call *call)
{
    tl_event *e = &call->e;
    const tl_call_info *row = tl_call_by_code(e->call);
    const tl_reader *r = f->captures[capture].reader;
    const uint32_t comm =
        row->slots & TL_SLOT_COMM ? comm_number(&f->captures[capture], rank, e->comm) : SKEL_WORLD;
    const uint64_t init = call->init_site ? site_hash(r, rank, call->init_site, f->by_line) : 0;
    fit_symbol like = {.row = row,
                       .site = site_hash(r, rank, e->site, f->by_line) + init,
                       .place = site_hash(r, rank, e->site, false) + init,
                       .comm = comm,
                       .capture = capture,
                       .rank = rank,
                       .site_id = e->site};
    uint32_t symbol = fit_find_symbol(f, &like);
    const tl_site *site = tl_reader_site(r, rank, e->site);
    char text[300];
    const char *missing = lacks(row, e);
    f->has_callers |= site && site->caller;
    if (f->status == TL_OK && !missing && comm == UINT32_MAX)
        missing = "is on a communicator that no call of the language has made";
    if (f->status == TL_OK && !missing)
        while ((missing = note_comm(f, capture, rank, symbol, e)) && ++like.variant < MAX_VARIANTS)
            symbol = fit_find_symbol(f, &like);
    e->comm = comm;
    if (f->status == TL_OK && !missing && !has_requests(row, e))
        missing = "has a request that no call of the language started";
    if (f->status == TL_OK && missing)
        f->status =
            tl_fail(f->err, TL_ERR_UNSUPPORTED, "%s: rank %" PRIu32 ": %s %s; %s",
                    tl_reader_path(r), rank, fit_call_text(f, symbol, text), missing, advice(row));
    fit_event *kept = f->status == TL_OK ? fit_new(f, events, sizeof *kept) : NULL;
    if (!kept)
        return;
    *kept = (fit_event){*e, symbol};
    e->list = NULL;
    f->has_volumes |= kept->e.volume != 0;
    note_requests(f, starts, kept);
}

/* Reads the events; *last is the last call. */
static void read_rank(fitting *f, const fit_capture *c, uint32_t rank, size_t n_before,
                      fit_canonical *k, uint16_t *last)
{
    tl_cursor *cursor;
    tl_event e = {0};
    tl_status status = tl_cursor_open(c->reader, rank, &cursor, f->err);
    if (status != TL_OK) {
        f->status = status;
        return;
    }
    while (f->status == TL_OK && (status = tl_cursor_next(cursor, &e)) == TL_OK) {
        if (n_before++ > MAX_EVENTS)
            f->status = tl_fail(f->err, TL_ERR_LIMIT,
                                "%s: has more than %d calls; capture fewer steps or ranks",
                                tl_reader_path(c->reader), MAX_EVENTS);
        else if (e.call != TL_MPI_Init && e.call != TL_MPI_Init_thread)
            fit_canonical_take(k, &e);
        *last = e.call;
    }
    if (f->status == TL_OK && status != TL_END)
        f->status = tl_fail(f->err, status, "%s", tl_cursor_error(cursor)->text);
    tl_cursor_close(cursor);
}

static void load_rank(fitting *f, uint32_t capture, uint32_t rank, skel_array *events)
{
    fit_canonical *k = fit_canonical_make(f, capture, rank);
    skel_array starts = {0};
    uint16_t last = 0;
    size_t n = 0;
    if (k)
        read_rank(f, &f->captures[capture], rank, events->n, k, &last);
    fit_call *calls = f->status == TL_OK ? fit_canonical_end(k, &n) : NULL;
    for (size_t i = 0; i < n && f->status == TL_OK; i++)
        load_call(f, capture, rank, events, &starts, &calls[i]);
    if (f->status == TL_OK && last != TL_MPI_Finalize)
        f->status = tl_fail(f->err, TL_ERR_UNSUPPORTED,
                            "%s: rank %" PRIu32 " does not end by MPI_Finalize; capture a run "
                            "that ends",
                            tl_reader_path(f->captures[capture].reader), rank);
    fit_canonical_free(k);
    free(starts.items);
}

static void load_capture(fitting *f, uint32_t capture)
{
    fit_capture *c = &f->captures[capture];
    skel_array events = {0};
    c->first = calloc((size_t)c->n_ranks + 1, sizeof *c->first);
    if (!c->first) {
        fit_out_of_memory(f);
        return;
    }
    for (uint32_t rank = 0; rank < c->n_ranks && f->status == TL_OK; rank++) {
        c->first[rank] = events.n;
        load_rank(f, capture, rank, &events);
        c->first[rank + 1] = events.n;
    }
    c->events = events.items;
    c->n_events = events.n;
}

/* Finds the call sites of sends that tests complete. False: there are none. */
static bool find_late(fitting *f)
{
    f->finds_late = true;
    for (uint32_t c = 0; c < f->n_captures; c++)
        for (uint32_t rank = 0; rank < f->captures[c].n_ranks && f->status == TL_OK; rank++) {
            fit_canonical *k = fit_canonical_make(f, c, rank);
            uint16_t last;
            if (k)
                read_rank(f, &f->captures[c], rank, 0, k, &last);
            fit_canonical_free(k);
        }
    f->finds_late = false;
    f->dropped.n = f->reordered.n = f->lacking.n = 0;
    f->lacking_bytes = 0;
    return f->late.n > 0;
}

void fit_load(fitting *f)
{
    if (f->ends_late && !find_late(f) && f->status == TL_OK)
        f->status = tl_fail(f->err, TL_ERR_UNSUPPORTED, "no test completes a send");
    for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++)
        load_capture(f, (uint32_t)i);
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->symbols[i].request = group_of(f, i);
    if (f->status == TL_OK)
        fit_order_waits(f);
    for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++)
        list_comms(f, &f->captures[i]);
}

void fit_unload(fitting *f)
{
    for (size_t i = 0; f->captures && i < f->n_captures; i++) {
        fit_capture *c = &f->captures[i];
        for (size_t k = 0; k < c->n_events; k++)
            free((int64_t *)c->events[k].e.list);
        free(c->events);
        free(c->first);
        free(c->made.items);
        free(c->comms);
    }
    free(f->comms.items);
    free(f->dropped.items);
    free(f->reordered.items);
    free(f->lacking.items);
    free(f->symbol_array.items);
    free(f->captures);
}
