/* schedule_walk.c - the sends, receives and waits of all ranks of a schedule. */
#include "config.h"

#include "schedule.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Statements and steps of one schedule: what takes more is taken for a mistake. */
enum { MAX_STATEMENTS = 100000000, MAX_STEPS = 20000000, MAX_BLOCKS = 100000000 };

typedef struct walk {
    schedule *s;
    int64_t *slots;
    uint32_t rank;
    uint64_t n_statements;
    size_t n_open; /* steps since the last wait */
    tl_error *err;
} walk;

static const sched_statement *statement_at(const walk *w, uint32_t number)
{
    return (const sched_statement *)w->s->statements.items + number;
}

static tl_status wrong(walk *w, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static tl_status wrong(walk *w, uint32_t line, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return skel_fail(w->err, &w->s->s, line, "rank %" PRIu32 " of %" PRIu32 ": %s", w->rank,
                     w->s->n_ranks, text);
}

static tl_status value_of(walk *w, uint32_t expression, int64_t *out)
{
    return skel_evaluate(&w->s->s, w->slots, expression, w->rank, out, w->err);
}

static tl_status number_of(walk *w, uint32_t line, uint32_t expression, int64_t *out)
{
    const tl_status status = value_of(w, expression, out);
    if (status == TL_OK && *out == SKEL_NULL)
        return wrong(w, line, "null is not a number; only a peer can be null");
    return status;
}

static tl_status walk_block(walk *w, uint32_t number);

static tl_status walk_for(walk *w, const sched_statement *st)
{
    int64_t first = 0, last = 0, step = 1;
    tl_status status = number_of(w, st->line, st->expressions[0], &first);
    if (status == TL_OK)
        status = number_of(w, st->line, st->expressions[1], &last);
    if (status == TL_OK && st->expressions[2])
        status = number_of(w, st->line, st->expressions[2], &step);
    if (status == TL_OK && !step)
        return wrong(w, st->line, "the step of the loop is 0, so it has no end; give another step");
    for (int64_t i = first; status == TL_OK && (step > 0 ? i <= last : i >= last);) {
        w->slots[st->slot] = i;
        status = walk_block(w, st->body);
        /* An empty body counts, too. */
        if (status == TL_OK && ++w->n_statements > MAX_STATEMENTS)
            return wrong(w, st->line, "the loop has too many passes; correct its end");
        if (__builtin_add_overflow(i, step, &i))
            break;
    }
    return status;
}

/* ---- steps ---- */

static sched_step *last_step(const walk *w)
{
    return (sched_step *)w->s->steps.items + w->s->steps.n - 1;
}

static tl_status add_step(walk *w, const sched_statement *st, uint32_t peer)
{
    sched_step *step = w->s->steps.n < MAX_STEPS ? skel_push(&w->s->steps, sizeof *step) : NULL;
    if (!step)
        return w->s->steps.n < MAX_STEPS
                   ? tl_no_memory(w->err, w->s->s.path)
                   : tl_fail(w->err, TL_ERR_LIMIT,
                             "%s: the schedule has more than %d steps on %" PRIu32
                             " ranks; use fewer ranks",
                             w->s->s.path, MAX_STEPS, w->s->n_ranks);
    *step = (sched_step){.kind = st->kind,
                         .all = st->all,
                         .line = st->line,
                         .peer = peer,
                         .blocks = (uint32_t)w->s->blocks.n};
    w->n_open = st->kind == SCHED_WAIT ? 0 : w->n_open + 1;
    return TL_OK;
}

static tl_status add_block(walk *w, const sched_statement *st)
{
    schedule *s = w->s;
    int64_t block = 0, to = 0;
    const int64_t n = s->operation == SCHED_ALLTOALL ? s->n_ranks : (int64_t)sched_n_blocks(s);
    tl_status status = number_of(w, st->line, st->expressions[0], &block);
    if (status == TL_OK && st->expressions[1])
        status = number_of(w, st->line, st->expressions[1], &to);
    if (status != TL_OK)
        return status;
    if (block < 0 || block >= n || to < 0 || to >= n)
        return wrong(w, st->line, "block %" PRId64 " does not exist; blocks are 0 to %" PRId64,
                     block < 0 || block >= n ? block : to, n - 1);
    if (s->operation == SCHED_ALLTOALL)
        block = block * n + to;
    uint32_t *kept = s->blocks.n < MAX_BLOCKS ? skel_push(&s->blocks, sizeof *kept) : NULL;
    if (!kept)
        return s->blocks.n < MAX_BLOCKS ? tl_no_memory(w->err, w->s->s.path)
                                        : tl_fail(w->err, TL_ERR_LIMIT,
                                                  "%s: more than %d blocks are sent on %" PRIu32
                                                  " ranks; use fewer ranks",
                                                  s->s.path, MAX_BLOCKS, s->n_ranks);
    *kept = (uint32_t)block;
    last_step(w)->n_blocks++;
    return TL_OK;
}

static tl_status walk_message(walk *w, const sched_statement *st)
{
    int64_t peer = 0;
    tl_status status = value_of(w, st->expressions[0], &peer);
    if (status != TL_OK || peer == SKEL_NULL)
        return status;
    if (peer < 0 || peer >= w->s->n_ranks)
        return wrong(w, st->line, "rank %" PRId64 " does not exist; ranks are 0 to %" PRIu32, peer,
                     w->s->n_ranks - 1);
    if (peer == w->rank)
        return wrong(w, st->line, "a message to itself; what a rank has needs no message");
    status = add_step(w, st, (uint32_t)peer);
    return status == TL_OK && st->body ? walk_block(w, st->body) : status;
}

static tl_status walk_one(walk *w, const sched_statement *st)
{
    int64_t value = 0;
    tl_status status = TL_OK;
    switch (st->kind) {
    case SCHED_LET: return number_of(w, st->line, st->expressions[0], &w->slots[st->slot]);
    case SCHED_FOR: return walk_for(w, st);
    case SCHED_IF:
        status = number_of(w, st->line, st->expressions[0], &value);
        return status == TL_OK ? walk_block(w, value ? st->body : st->other) : status;
    case SCHED_WAIT: return w->n_open ? add_step(w, st, 0) : TL_OK;
    case SCHED_BLOCK: return add_block(w, st);
    default: return walk_message(w, st);
    }
}

/* Blocks are nested SKEL_MAX_BLOCKS deep at most. NOLINTNEXTLINE(misc-no-recursion) */
static tl_status walk_block(walk *w, uint32_t number)
{
    tl_status status = TL_OK;
    for (; number && status == TL_OK; number = statement_at(w, number)->next) {
        if (++w->n_statements > MAX_STATEMENTS)
            return wrong(w, statement_at(w, number)->line,
                         "the schedule does not end; correct its loops");
        status = walk_one(w, statement_at(w, number));
    }
    return status;
}

tl_status sched_walk(schedule *s, tl_error *err)
{
    static const sched_statement end = {.kind = SCHED_WAIT};
    walk w = {.s = s, .err = err, .slots = calloc(s->s.n_slots + 1, sizeof *w.slots)};
    s->starts = calloc((size_t)s->n_ranks + 1, sizeof *s->starts);
    tl_status status = w.slots && s->starts ? TL_OK : tl_no_memory(w.err, w.s->s.path);
    for (uint32_t rank = 0; rank < s->n_ranks && status == TL_OK; rank++) {
        memcpy(w.slots, s->s.values.items, s->s.values.n * sizeof *w.slots);
        w.slots[0] = w.rank = rank;
        w.n_open = 0;
        s->starts[rank] = s->steps.n;
        status = walk_block(&w, s->first);
        if (status == TL_OK && w.n_open)
            status = add_step(&w, &end, 0);
    }
    if (status == TL_OK)
        s->starts[s->n_ranks] = s->steps.n;
    free(w.slots);
    return status;
}
