/* schedule.c - opens a schedule, and writes traces whose collectives are replaced by schedules. */
#include "config.h"

#include "schedule.h"

#include "actions.h"
#include "core/error.h"
#include "timeless_convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads, walks and checks the schedule `source`, the contents of the file `path`. */
static tl_status open_schedule(const char *path, const char *source, sched_operation operation,
                               uint32_t n_ranks, uint32_t root, int64_t bytes, schedule **out,
                               tl_error *err)
{
    schedule *s = *out = calloc(1, sizeof *s);
    if (!s || !(s->s.path = strdup(path)))
        return tl_no_memory(err, path);
    s->operation = operation;
    s->n_ranks = n_ranks;
    s->root = root;
    s->bytes = bytes;
    TL_TRY(sched_read(s, source, err));
    TL_TRY(sched_walk(s, err));
    return sched_check(s, err);
}

static void close_schedule(schedule *s)
{
    if (!s)
        return;
    skel_clear(&s->s);
    free(s->steps.items);
    free(s->blocks.items);
    free(s->starts);
    free(s);
}

/* ---- traces ---- */

/* A schedule that takes the place of an algorithm, for the ranks, roots and sizes that came so far.
 */
typedef struct choice {
    sched_operation operation;
    char *path, *source;
    bool has_bytes;       /* it may depend on the size */
    skel_array schedules; /* schedule * */
    size_t n_kept;        /* steps and blocks of all of them */
} choice;

typedef struct rewriting {
    tl_reader *r;
    choice *choices;
    size_t n_choices;
    tl_writer *writer;
    uint32_t rank, next_request;
    skel_array requests; /* int64_t: of the round */
    uint64_t volume;     /* of the event that is replaced; 0 once it is written */
    uint32_t polls;
    tl_error *err;
} rewriting;

/* No program and no other algorithm uses this tag in the same communicator by accident. */
enum { TAG = 2147480000 };

static const tl_action actions[SCHED_N_OPERATIONS] = {
    TL_ACTION_ALLGATHER, TL_ACTION_ALLREDUCE,      TL_ACTION_ALLTOALL,
    TL_ACTION_BARRIER,   TL_ACTION_BCAST,          TL_ACTION_GATHER,
    TL_ACTION_REDUCE,    TL_ACTION_REDUCE_SCATTER, TL_ACTION_SCATTER};

static choice *choice_of(const rewriting *w, tl_action action)
{
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        action = TL_ACTION_REDUCE_SCATTER;
    for (size_t i = w->n_choices; i-- > 0;)
        if (actions[w->choices[i].operation] == action)
            return &w->choices[i];
    return NULL;
}

static void forget_schedules(choice *c)
{
    schedule **made = c->schedules.items;
    for (size_t i = 0; i < c->schedules.n; i++)
        close_schedule(made[i]);
    c->schedules.n = c->n_kept = 0;
}

static tl_status find_schedule(const rewriting *w, choice *c, uint32_t n_ranks, uint32_t root,
                               int64_t bytes, const schedule **out)
{
    enum { MOST_KEPT = 1 << 24 }; /* a program may have many sizes */
    schedule **known = c->schedules.items;
    bytes = c->has_bytes ? bytes : 0;
    for (size_t i = 0; i < c->schedules.n; i++)
        if (known[i]->n_ranks == n_ranks && known[i]->root == root && known[i]->bytes == bytes) {
            *out = known[i];
            return TL_OK;
        }
    schedule *made = NULL;
    const tl_status status =
        open_schedule(c->path, c->source, c->operation, n_ranks, root, bytes, &made, w->err);
    if (c->n_kept > MOST_KEPT)
        forget_schedules(c);
    schedule **kept = status == TL_OK ? skel_push(&c->schedules, sizeof(schedule *)) : NULL;
    if (!kept) {
        close_schedule(made);
        return status == TL_OK ? tl_no_memory(w->err, tl_reader_path(w->r)) : status;
    }
    *out = *kept = made;
    c->n_kept += made->steps.n + made->blocks.n;
    return TL_OK;
}

/* The ranks of a communicator and the rank's place there; 0: it is one between two groups. */
static uint32_t members_of(const rewriting *w, uint32_t comm, uint32_t *me)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(w->r, w->rank, &comms);
    *me = comm == TL_COMM_WORLD ? w->rank : 0;
    if (comm == TL_COMM_WORLD)
        return tl_reader_run(w->r)->n_ranks;
    for (size_t i = 0; i < n; i++) {
        if (comms[i].id != comm)
            continue;
        while (*me < comms[i].n_members && comms[i].members[*me] != (int32_t)w->rank)
            ++*me;
        return comms[i].n_remote || *me == comms[i].n_members ? 0 : comms[i].n_members;
    }
    return comm == TL_COMM_SELF;
}

/* Bytes of a block: of the buffer's part, or of a rank's block. */
static uint64_t block_bytes(const schedule *s, const tl_event *e, const tl_side *side,
                            uint32_t block)
{
    if (s->operation == SCHED_BARRIER)
        return 0;
    if (e->list_len && side->size == TL_SIZE_LIST)
        return (uint64_t)(tl_count_at(side, block) * side->type_bytes);
    const uint64_t bytes = (uint64_t)(side->count * side->type_bytes);
    if (s->operation != SCHED_BCAST && s->operation != SCHED_REDUCE &&
        s->operation != SCHED_ALLREDUCE)
        return bytes;
    const uint64_t each = bytes / s->n_parts;
    return each + (block < bytes % s->n_parts);
}

static tl_status write_event(rewriting *w, tl_event e, uint32_t site)
{
    e.site = site;
    e.volume = w->volume;
    e.polls = w->polls;
    w->volume = w->polls = 0;
    return tl_writer_put(w->writer, &e);
}

static tl_status put_step(rewriting *w, const schedule *s, const sched_step *step,
                          const tl_event *e, const tl_side *side)
{
    if (step->kind == SCHED_WAIT) {
        const tl_event wait = {
            .call = TL_MPI_Waitall, .list = w->requests.items, .list_len = (uint32_t)w->requests.n};
        w->requests.n = 0;
        return write_event(w, wait, e->site);
    }
    const uint32_t *blocks = (const uint32_t *)s->blocks.items + step->blocks;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < step->n_blocks; i++)
        bytes += block_bytes(s, e, side, blocks[i]);
    int64_t *request = skel_push(&w->requests, sizeof *request);
    if (!request)
        return tl_no_memory(w->err, tl_reader_path(w->r));
    *request = w->next_request + (int64_t)w->requests.n;
    const tl_event message = {.call = step->kind == SCHED_SEND ? TL_MPI_Isend : TL_MPI_Irecv,
                              .comm = e->comm,
                              .request = (uint32_t)*request,
                              .peer = (int32_t)step->peer,
                              .tag = TAG,
                              .count = (int64_t)bytes,
                              .type_bytes = 1};
    return write_event(w, message, e->site);
}

/* What the schedule knows as `bytes`: of a list of blocks their mean. */
static int64_t bytes_of(const tl_side *side, uint32_t n)
{
    int64_t sum = 0;
    if (side->size != TL_SIZE_LIST)
        return side->count * side->type_bytes;
    for (uint32_t i = 0; i < n; i++)
        sum += tl_count_at(side, i);
    return n ? sum / n * side->type_bytes : 0;
}

static tl_status replace(rewriting *w, choice *c, const tl_event *e, uint32_t n, uint32_t me,
                         const tl_meaning *m)
{
    const schedule *s = NULL;
    const uint32_t root = tl_is_rooted(tl_call_by_code(e->call)->action) ? (uint32_t)e->peer : 0;
    const tl_extent extent = {.n_own = n, .n_to = n, .n_from = n, .me = me};
    tl_side sent, received;
    tl_take_sides(e, m, &extent, tl_role_within(e->peer, (int32_t)me), &sent, &received);
    const bool has_sent = sent.size == TL_SIZE_LIST || sent.count * sent.type_bytes > 0;
    const tl_side *side = has_sent ? &sent : &received;
    TL_TRY(find_schedule(w, c, n, root, bytes_of(side, n), &s));
    w->volume = e->volume;
    w->polls = e->polls;
    for (size_t i = s->starts[me]; i < s->starts[me + 1]; i++)
        TL_TRY(put_step(w, s, (const sched_step *)s->steps.items + i, e, side));
    if (w->volume || w->polls) /* the rank has no step */
        return write_event(w, (tl_event){.call = TL_MPI_Waitall}, e->site);
    return TL_OK;
}

static tl_status rewrite_event(rewriting *w, const tl_event *e)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    choice *c = info ? choice_of(w, info->action) : NULL;
    uint32_t me = 0;
    const uint32_t n = c ? members_of(w, e->comm, &me) : 0;
    if (n < 2)
        return tl_writer_put(w->writer, e);
    return replace(w, c, e, n, me, tl_meaning_of(info->action));
}

/* The schedule's requests have ids that the program does not use. */
static tl_status find_requests(rewriting *w)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    tl_status status = tl_cursor_open(w->r, w->rank, &cursor, w->err);
    w->next_request = 0;
    while (status == TL_OK && (status = tl_cursor_next(cursor, &e)) == TL_OK)
        if (e.request > w->next_request)
            w->next_request = e.request;
    if (status != TL_END && cursor && tl_cursor_error(cursor)->status != TL_OK)
        *w->err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

static tl_status rewrite_events(rewriting *w, tl_cursor *cursor, const char *out_path)
{
    tl_event e;
    tl_status status;
    *w->err = (tl_error){.status = TL_OK};
    while ((status = tl_cursor_next(cursor, &e)) == TL_OK)
        if ((status = rewrite_event(w, &e)) != TL_OK)
            return w->err->status == TL_OK ? tl_fail_write(w->err, out_path, status) : status;
    if (status != TL_END)
        *w->err = *tl_cursor_error(cursor);
    return status == TL_END ? TL_OK : status;
}

static tl_status rewrite_rank(rewriting *w, const char *out_path)
{
    tl_rank_summary summary;
    tl_cursor *cursor = NULL;
    TL_TRY(tl_reader_rank(w->r, w->rank, &summary));
    TL_TRY(find_requests(w));
    TL_TRY(tl_writer_open(out_path, w->rank, summary.host ? summary.host : "", &w->writer, w->err));
    tl_status status = tl_define_as(w->writer, w->r, w->rank);
    if (status != TL_OK)
        tl_fail_write(w->err, out_path, status);
    else if ((status = tl_cursor_open(w->r, w->rank, &cursor, w->err)) == TL_OK)
        status = rewrite_events(w, cursor, out_path);
    tl_cursor_close(cursor);
    if (status != TL_OK) {
        tl_writer_abandon(w->writer);
        return status;
    }
    const tl_end_reason reason = summary.end == TL_END_NONE ? TL_END_FINALIZED : summary.end;
    status = tl_writer_close(w->writer, reason, summary.clock_ns);
    return status == TL_OK ? TL_OK : tl_fail_write(w->err, out_path, status);
}

/* "alltoall:FILE" */
static tl_status read_choice(const char *text, choice *out, tl_error *err)
{
    const size_t length = strcspn(text, ":");
    int i = 0;
    while (i < SCHED_N_OPERATIONS && (strlen(sched_operations[i]) != length ||
                                      strncmp(sched_operations[i], text, length) != 0))
        i++;
    if (i == SCHED_N_OPERATIONS || !text[length])
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s': a schedule can be the algorithm of allgather, allreduce, alltoall, "
                       "barrier, bcast, gather, reduce, reduce_scatter or scatter; name one of "
                       "them",
                       text);
    out->operation = (sched_operation)i;
    out->path = strdup(text + length + 1);
    if (!out->path)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for %s", text);
    const tl_status status = skel_load(out->path, "schedule", &out->source, err);
    out->has_bytes = status == TL_OK && strstr(out->source, "bytes");
    return status;
}

tl_status tl_schedule_write(tl_reader *r, const char *const *choices, size_t n_choices,
                            const char *out_path, tl_error *err)
{
    tl_error own;
    rewriting w = {.r = r,
                   .n_choices = n_choices,
                   .choices = calloc(n_choices + 1, sizeof *w.choices),
                   .err = err ? err : &own};
    const tl_run *run = tl_reader_run(r);
    tl_status status = w.choices ? TL_OK : tl_no_memory(w.err, tl_reader_path(w.r));
    for (size_t i = 0; i < n_choices && status == TL_OK; i++)
        status = read_choice(choices[i], &w.choices[i], w.err);
    if (status == TL_OK)
        status = tl_trace_create(out_path, run, w.err);
    for (w.rank = 0; w.rank < run->n_ranks && status == TL_OK; w.rank++)
        status = rewrite_rank(&w, out_path);
    for (size_t i = 0; w.choices && i < n_choices; i++) {
        forget_schedules(&w.choices[i]);
        free(w.choices[i].schedules.items);
        free(w.choices[i].path);
        free(w.choices[i].source);
    }
    free(w.choices);
    free(w.requests.items);
    return status;
}
