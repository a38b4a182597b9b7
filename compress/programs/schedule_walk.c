/* schedule_walk.c - the sends, receives and waits of all ranks of a schedule. */
#include "config.h"

#include "schedule.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Steps of one schedule: what takes more is taken for a mistake. */
enum { MAX_STEPS = 20000000, MAX_BLOCKS = 100000000 };

typedef struct walk {
    schedule *s;
    skel_walk *at;
    uint32_t rank;
    size_t n_open; /* steps since the last wait */
    tl_error *err;
} walk;

static sched_step *last_step(const walk *w)
{
    return (sched_step *)w->s->steps.items + w->s->steps.n - 1;
}

static tl_status add_step(walk *w, const skel_statement *st, uint32_t peer)
{
    sched_step *step = w->s->steps.n < MAX_STEPS ? skel_push(&w->s->steps, sizeof *step) : NULL;
    if (!step)
        return w->s->steps.n < MAX_STEPS
                   ? tl_no_memory(w->err, w->s->s.path)
                   : tl_fail(w->err, TL_ERR_LIMIT,
                             "%s: the schedule has more than %d steps on %" PRIu32
                             " ranks; use fewer ranks",
                             w->s->s.path, MAX_STEPS, w->s->n_ranks);
    *step = (sched_step){.kind = st->kind == SCHED_SEND_ALL ? SCHED_SEND : st->kind,
                         .all = st->kind == SCHED_SEND_ALL,
                         .line = st->line,
                         .peer = peer,
                         .blocks = (uint32_t)w->s->blocks.n};
    w->n_open = st->kind == SCHED_WAIT ? 0 : w->n_open + 1;
    return TL_OK;
}

static tl_status add_block(walk *w, const skel_statement *st)
{
    schedule *s = w->s;
    int64_t block = 0, to = 0;
    const int64_t n = s->operation == SCHED_ALLTOALL ? s->n_ranks : (int64_t)sched_n_blocks(s);
    TL_TRY(skel_walk_number(w->at, st->line, st->expressions[0], &block));
    if (st->expressions[1])
        TL_TRY(skel_walk_number(w->at, st->line, st->expressions[1], &to));
    if (block < 0 || block >= n || to < 0 || to >= n)
        return skel_walk_wrong(w->at, st->line,
                               "block %" PRId64 " does not exist; blocks are 0 to %" PRId64,
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

static tl_status walk_message(walk *w, const skel_statement *st)
{
    int64_t peer = 0;
    TL_TRY(skel_walk_value(w->at, st->expressions[0], &peer));
    if (peer == SKEL_NULL)
        return TL_OK;
    if (peer < 0 || peer >= w->s->n_ranks)
        return skel_walk_wrong(w->at, st->line,
                               "rank %" PRId64 " does not exist; ranks are 0 to %" PRIu32, peer,
                               w->s->n_ranks - 1);
    if (peer == w->rank)
        return skel_walk_wrong(w->at, st->line,
                               "a message to itself; what a rank has needs no message");
    skel_walk_enter(w->at, st->body);
    return add_step(w, st, (uint32_t)peer);
}

static tl_status walk_rank(walk *w)
{
    static const skel_statement end = {.kind = SCHED_WAIT};
    const skel_statement *st;
    skel_restart(w->at, w->rank);
    w->n_open = 0;
    w->s->starts[w->rank] = w->s->steps.n;
    do {
        TL_TRY(skel_walk_on(w->at, &st));
        if (!st || st->kind == SCHED_WAIT)
            TL_TRY(w->n_open ? add_step(w, st ? st : &end, 0) : TL_OK);
        else
            TL_TRY(st->kind == SCHED_BLOCK ? add_block(w, st) : walk_message(w, st));
    } while (st);
    return TL_OK;
}

tl_status sched_walk(schedule *s, tl_error *err)
{
    void *at = NULL;
    walk w = {.s = s, .err = err};
    s->starts = calloc((size_t)s->n_ranks + 1, sizeof *s->starts);
    tl_status status = s->starts ? skel_start(&s->s, 0, &at) : TL_ERR_MEMORY;
    w.at = at;
    if (status != TL_OK)
        status = tl_no_memory(err, s->s.path);
    for (; w.rank < s->n_ranks && status == TL_OK; w.rank++) {
        status = walk_rank(&w);
        if (skel_error(at)->status != TL_OK)
            *err = *skel_error(at);
    }
    if (status == TL_OK)
        s->starts[s->n_ranks] = s->steps.n;
    skel_stop(at);
    return status;
}
