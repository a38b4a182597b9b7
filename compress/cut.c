/* cut.c - writes a part of a trace as a new trace. */
#include "config.h"

#include "core/bytes.h"
#include "core/error.h"
#include "index.h"
#include "past.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The state of one rank while its part is copied. */
typedef struct passage {
    tl_past state;
    uint64_t first, past;
    tl_writer *writer;
    const char *out_path;
    tl_map sites;     /* defined so far */
    uint64_t base_ns; /* clock at which the part begins */
    uint64_t last_ns; /* last clock written, relative */
    uint64_t volume;  /* of events that were left out */
    uint32_t polls;
    tl_buffer list;
    const uint64_t *marks; /* the events before which marks are, in order */
    size_t n_marks, next_mark;
    int64_t delay_ns;
    tl_error *err;
} passage;

/* ---- checks ---- */

static tl_status check_open(const passage *p, const char *where)
{
    if (!p->state.n_open)
        return TL_OK;
    return tl_fail(p->err, TL_ERR_UNSUPPORTED,
                   "%s: rank %" PRIu32 " has a lock, an access or exposure epoch or a split file "
                   "operation open where the part %s; cut where none is",
                   p->state.r->path, p->state.rank, where);
}

/* Receives from any source that begin in the part and are not completed there. */
static tl_status check_open_receives(const passage *p)
{
    for (size_t i = 0; i < p->state.requests.n; i++) {
        const tl_request *request = &p->state.requests.items[i];
        if (!request->live || !request->open || request->before)
            continue;
        if (request->begun.peer == TL_ANY_SOURCE)
            return tl_fail(p->err, TL_ERR_UNSUPPORTED,
                           "%s: a receive of rank %" PRIu32
                           " from any rank is not finished in the part; cut where none is under "
                           "way (--section)",
                           p->state.r->path, p->state.rank);
        TL_TRY(tl_balance_message(p->state.balance, TL_WITHIN, false, request->begun.comm,
                                  request->begun.peer, TL_ANY_TAG, 1, p->err));
    }
    return TL_OK;
}

/* ---- events ---- */

static bool begun_before(const passage *p, uint32_t id)
{
    const tl_request *request = tl_requests_find(&p->state.requests, id);
    return request && request->active && request->before;
}

/* Removes completions of requests that began before the part from an event. False if nothing of the
 * event remains. */
static bool keep_own(passage *p, tl_event *e, const tl_call_info *row)
{
    switch (row->action) {
    case TL_ACTION_WAIT:
    case TL_ACTION_MATCH:
    case TL_ACTION_CANCEL:
        if (e->request)
            return !begun_before(p, e->request);
        break;
    case TL_ACTION_REQUEST_FREE: {
        const tl_request *request = tl_requests_find(&p->state.requests, e->request);
        return !request || request->persistent || !begun_before(p, e->request);
    }
    default: break;
    }
    if (row->action != TL_ACTION_WAIT || !e->list_len)
        return true;
    int64_t *kept = (int64_t *)(void *)p->list.data; /* reserved by the caller */
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->list_len; i++)
        if (!begun_before(p, (uint32_t)e->list[i]))
            kept[n++] = e->list[i];
    bool anything = n > 0;
    e->list = kept;
    e->list_len = n;
    return anything;
}

/* Call sites are defined with their callers when they are first used, because a part may use few of
 * them. */
static tl_status define_site(passage *p, uint32_t id)
{
    const tl_site *path[TL_MAX_CALLERS + 1];
    size_t n = 0;
    for (; n <= TL_MAX_CALLERS; n++) {
        const tl_site *site = tl_reader_site(p->state.r, p->state.rank, id);
        uint64_t *known = site ? tl_map_at(&p->sites, id) : NULL;
        if (site && !known)
            return TL_ERR_MEMORY;
        if (!site || *known)
            break;
        *known = 1;
        path[n] = site;
        id = site->caller;
    }
    tl_status status = TL_OK;
    while (n-- > 0 && !status)
        status = tl_writer_define_site(p->writer, path[n]);
    return status;
}

static tl_status write_event(passage *p, const tl_event *e)
{
    tl_status status = define_site(p, e->site);
    if (!status)
        status = tl_writer_put(p->writer, e);
    return status ? tl_fail_write(p->err, p->out_path, status) : TL_OK;
}

/* An event of the part. The computation before the first event of the part is left out. */
static tl_status pass_event(passage *p, const tl_event *original, bool opens)
{
    tl_event e = *original;
    const tl_call_info *row = tl_call_by_code(e.call);
    p->list.size = 0;
    if (!tl_buffer_reserve(&p->list, (e.list_len + 1) * sizeof *e.list))
        return tl_no_memory(p->err, p->state.r->path);
    bool keep = keep_own(p, &e, row);
    TL_TRY(tl_past_follow(&p->state, original));
    if (opens) {
        e.volume = 0;
        e.polls = 0;
    }
    e.volume += p->volume;
    uint64_t polls = (uint64_t)e.polls + p->polls;
    e.polls = polls > UINT32_MAX ? UINT32_MAX : (uint32_t)polls;
    if (!keep) {
        p->volume = e.volume;
        p->polls = e.polls;
        return TL_OK;
    }
    p->volume = p->polls = 0;
    if (row->slots & TL_SLOT_CLOCK) {
        e.clock_ns = e.clock_ns > p->base_ns ? e.clock_ns - p->base_ns : 0;
        p->last_ns = e.clock_ns;
    }
    return write_event(p, &e);
}

static int by_serial(const void *a, const void *b)
{
    const tl_request *x = *(tl_request *const *)a, *y = *(tl_request *const *)b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* Persistent requests that exist where the part begins are created again at its start. */
static tl_status carry_persistent(passage *p)
{
    size_t n = 0;
    tl_request **alive = malloc((p->state.requests.n + 1) * sizeof(tl_request *));
    if (!alive)
        return tl_no_memory(p->err, p->state.r->path);
    for (size_t i = 0; i < p->state.requests.n; i++)
        if (p->state.requests.items[i].live && p->state.requests.items[i].persistent)
            alive[n++] = &p->state.requests.items[i];
    qsort(alive, n, sizeof *alive, by_serial);
    tl_status status = TL_OK;
    for (size_t i = 0; i < n && !status; i++) {
        tl_event e = alive[i]->begun;
        e.volume = 0;
        e.polls = 0;
        status = write_event(p, &e);
    }
    free(alive);
    return status;
}

static tl_status carry_thread(passage *p)
{
    const tl_event e = {.call = TL_MPI_Thread, .tag = p->state.thread};
    return p->state.thread ? write_event(p, &e) : TL_OK;
}

static tl_status carry_delay(passage *p)
{
    const tl_event e = {.call = TL_MPI_Sleep, .count = p->delay_ns};
    return p->delay_ns > 0 ? write_event(p, &e) : TL_OK;
}

/* Writes the marks in front of an event. The computation before the event comes after the marks. */
static tl_status put_marks(passage *p, uint64_t number)
{
    const tl_event e = {.call = TL_MPI_Pcontrol, .clock_ns = p->last_ns};
    tl_status status = TL_OK;
    for (; p->next_mark < p->n_marks && p->marks[p->next_mark] <= number && !status; p->next_mark++)
        status = write_event(p, &e);
    return status;
}

/* An event, whose number is known. */
static tl_status pass(passage *p, uint64_t number, const tl_event *e)
{
    p->state.account = number < p->first ? TL_BEFORE : TL_WITHIN;
    p->state.requests.next_serial = number;
    if (number < p->first)
        return tl_past_follow(&p->state, e);
    if (number == p->first) {
        if (p->first)
            p->base_ns =
                tl_call_by_code(e->call)->slots & TL_SLOT_CLOCK ? e->clock_ns : p->state.clock_ns;
        p->state.match.call = 0; /* it is not part of the part */
        TL_TRY(check_open(p, "begins"));
        TL_TRY(carry_thread(p));
        TL_TRY(carry_persistent(p));
        TL_TRY(carry_delay(p));
    }
    TL_TRY(put_marks(p, number));
    return pass_event(p, e, number == p->first && p->first > 0);
}

static tl_status pass_events(passage *p, tl_cursor *c)
{
    tl_event e;
    tl_status status = TL_OK;
    while (!status && tl_cursor_position(c) < p->past && !(status = tl_cursor_next(c, &e)))
        status = pass(p, tl_cursor_position(c) - 1, &e);
    TL_TRY(tl_cursor_end(c, status, p->err));
    return put_marks(p, p->past);
}

/* All communicators are carried over, because equal ones are distinguished by their order. */
static tl_status carry_definitions(passage *p)
{
    const tl_reader *r = p->state.r;
    const tl_comm *comms;
    const tl_object *objects;
    const tl_user_kernel *kernels;
    tl_status status = TL_OK;
    for (size_t i = 0, n = tl_reader_comms(r, p->state.rank, &comms); i < n && !status; i++)
        status = tl_writer_define_comm(p->writer, &comms[i]);
    for (size_t i = 0, n = tl_reader_objects(r, p->state.rank, &objects); i < n && !status; i++)
        status = tl_writer_define_object(p->writer, &objects[i]);
    for (size_t i = 0, n = tl_reader_kernels(r, p->state.rank, &kernels); i < n && !status; i++)
        status = tl_writer_define_kernel(p->writer, &kernels[i]);
    return status ? tl_fail_write(p->err, p->out_path, status) : TL_OK;
}

/* Begins behind events that the index knows. */
static tl_status jump(passage *p, tl_cursor *c)
{
    tl_index index;
    tl_status status = tl_index_open(p->state.r, p->state.rank, &index);
    if (status)
        return tl_fail(p->err, status, "%s: the index cannot be read", p->state.r->path);
    const tl_index_place *place = tl_index_before(&index, p->first);
    if (place) {
        tl_input in = {.p = place->state, .end = place->state + place->size};
        status = tl_past_load(&p->state, &in);
        if (!status)
            status = tl_cursor_seek(c, place->number);
        if (status)
            tl_error_set(p->err, status, "%s: the index contradicts the trace", p->state.r->path);
    }
    tl_index_close(&index);
    return status;
}

/* Opens the writer and the cursor, which the caller closes. */
static tl_status write_rank(passage *p, tl_cursor **c)
{
    tl_rank_summary summary = {.host = "", .clock = ""};
    tl_reader_rank(p->state.r, p->state.rank, &summary);
    TL_TRY(tl_writer_open(p->out_path, p->state.rank, summary.host, &p->writer, p->err));
    tl_writer_keep_times(p->writer);
    TL_TRY(tl_balance_begin_rank(p->state.balance, p->state.rank, p->err));
    TL_TRY(carry_definitions(p));
    const tl_status status = *summary.clock ? tl_writer_clock(p->writer, summary.clock) : TL_OK;
    if (status)
        return tl_fail_write(p->err, p->out_path, status);
    TL_TRY(tl_cursor_open(p->state.r, p->state.rank, c, p->err));
    if (p->state.balance->is_summed)
        TL_TRY(jump(p, *c));
    TL_TRY(pass_events(p, *c));
    TL_TRY(check_open(p, "ends"));
    TL_TRY(check_open_receives(p));
    return tl_balance_end_rank(p->state.balance, p->err);
}

static tl_status cut_rank(passage *p)
{
    tl_cursor *c = NULL;
    tl_status status = write_rank(p, &c);
    if (!status) {
        status = tl_writer_close(p->writer, TL_END_CUT, p->last_ns);
        p->writer = NULL;
        if (status)
            tl_fail_write(p->err, p->out_path, status);
    }
    tl_writer_abandon(p->writer);
    tl_cursor_close(c);
    tl_past_free(&p->state);
    tl_map_free(&p->sites);
    tl_buffer_free(&p->list);
    return status;
}

static bool same_file(const tl_reader *r, const char *path)
{
    struct stat a, b;
    return !fstat(r->fd, &a) && !stat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

tl_status tl_cut(tl_reader *r, const tl_span *span, const char *origin, const char *out_path,
                 tl_error *err)
{
    static const tl_cut_marks none;
    return tl_cut_marked(r, span, &none, origin, out_path, err);
}

/* Writes the part under this name. `is_summed`: messages before the part are summed, which begins
 * at places of the index; it does not find out which ranks they belong to. */
static tl_status write_part(tl_reader *r, const tl_span *span, const tl_cut_marks *marks,
                            const char *origin, const char *path, bool is_summed, tl_error *err)
{
    char writer[64];
    snprintf(writer, sizeof writer, "timeless %s", tl_version());
    tl_run run = r->header.run;
    run.writer = writer;
    run.origin = origin;
    tl_balance balance = {.r = r, .is_summed = is_summed};
    tl_status status = tl_trace_create(path, &run, err);
    for (uint32_t rank = 0; rank < span->n_ranks && !status; rank++) {
        passage p = {.state = {.r = r, .rank = rank, .balance = &balance, .err = err},
                     .first = span->first[rank],
                     .past = span->past[rank],
                     .out_path = path,
                     .marks = marks->n ? marks->before + rank * marks->stride : NULL,
                     .n_marks = marks->n,
                     .delay_ns = marks->delays_ns ? marks->delays_ns[rank] : 0,
                     .err = err};
        status = cut_rank(&p);
    }
    if (!status)
        status = tl_balance_check(&balance, err);
    tl_balance_free(&balance);
    return status;
}

tl_status tl_cut_marked(tl_reader *r, const tl_span *span, const tl_cut_marks *marks,
                        const char *origin, const char *out_path, tl_error *err)
{
    if (span->n_ranks != r->header.run.n_ranks)
        return tl_fail(err, TL_ERR_USAGE, "%s: the part is of another trace", r->path);
    if (same_file(r, out_path))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: the part cannot replace its own trace; give another name", out_path);
    if (r->kind)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: is a program, which cannot be cut; write its trace by 'timeless make', "
                       "and cut the trace",
                       r->path);
    tl_replacement file;
    TL_TRY(tl_replace_begin(out_path, &file, err));
    tl_status status = write_part(r, span, marks, origin, file.part, true, err);
    /* Again with all events, for a message that names the ranks. */
    if (status && status != TL_ERR_SYSTEM && status != TL_ERR_MEMORY)
        status = write_part(r, span, marks, origin, file.part, false, err);
    return tl_replace_end(&file, status, err);
}
