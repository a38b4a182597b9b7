/* schedule_flow.c - who sends to whom in a schedule, and whether each rank gets what it must.
 *
 * The k-th send of one rank to another belongs to the k-th receive there, as in MPI for messages of
 * one tag. A wait ends if the partner of each receive has been sent, and the partner of each send
 * has been posted, as messages of any size require. A block that is combined from contributions is
 * the set of ranks that it contains; other blocks are only there or not. */
#include "config.h"

#include "schedule.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_STATE_BYTES (UINT64_C(1) << 30)
static const size_t NO_STEP = SIZE_MAX;

typedef struct flow {
    schedule *s;
    uint64_t n_blocks;
    bool is_combined;
    size_t set_bytes;   /* of a combined block */
    size_t rank_bytes;  /* of what a rank has */
    uint8_t *has;       /* [n_ranks][rank_bytes] */
    uint8_t **sent;     /* [n_steps] of combined blocks: what a message carries */
    size_t *next;       /* [n_ranks] step */
    size_t *since_wait; /* [n_ranks] first step behind the last wait */
    tl_error *err;
} flow;

static sched_step *step_at(const schedule *s, size_t number)
{
    return (sched_step *)s->steps.items + number;
}

static uint32_t *blocks_of(const schedule *s, const sched_step *step)
{
    return (uint32_t *)s->blocks.items + step->blocks;
}

/* ---- partners ---- */

typedef struct end {
    uint32_t from, to;
    bool receives;
    size_t step;
} end;

static int compare_ends(const void *a, const void *b)
{
    const end *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->receives != y->receives)
        return x->receives ? 1 : -1;
    return x->step < y->step ? -1 : x->step > y->step;
}

/* The sends and the receives of one pair of ranks. */
static tl_status join_pair(schedule *s, const end *ends, size_t n, tl_error *err)
{
    size_t n_sends = 0;
    while (n_sends < n && !ends[n_sends].receives)
        n_sends++;
    const size_t n_receives = n - n_sends;
    for (size_t i = 0; i < n_sends && i < n_receives; i++) {
        step_at(s, ends[i].step)->partner = ends[n_sends + i].step;
        step_at(s, ends[n_sends + i].step)->partner = ends[i].step;
    }
    if (n_sends > n_receives)
        return skel_fail(err, &s->s, step_at(s, ends[n_receives].step)->line,
                         "with %" PRIu32 " ranks, rank %" PRIu32
                         " sends %zu messages to rank %" PRIu32
                         ", which receives %zu from it; add the receive",
                         s->n_ranks, ends->from, n_sends, ends->to, n_receives);
    if (n_sends < n_receives)
        return skel_fail(err, &s->s, step_at(s, ends[2 * n_sends].step)->line,
                         "with %" PRIu32 " ranks, rank %" PRIu32 " receives %zu messages from rank "
                         "%" PRIu32 ", which sends %zu to it; add the send",
                         s->n_ranks, ends->to, n_receives, ends->from, n_sends);
    return TL_OK;
}

static tl_status join_ends(schedule *s, tl_error *err)
{
    end *ends = malloc((s->steps.n + 1) * sizeof *ends);
    size_t n = 0;
    if (!ends)
        return tl_no_memory(err, s->s.path);
    for (uint32_t rank = 0; rank < s->n_ranks; rank++)
        for (size_t i = s->starts[rank]; i < s->starts[rank + 1]; i++) {
            const sched_step *step = step_at(s, i);
            if (step->kind == SCHED_SEND)
                ends[n++] = (end){rank, step->peer, false, i};
            else if (step->kind != SCHED_WAIT)
                ends[n++] = (end){step->peer, rank, true, i};
        }
    qsort(ends, n, sizeof *ends, compare_ends);
    tl_status status = TL_OK;
    for (size_t first = 0, past; first < n && status == TL_OK; first = past) {
        for (past = first;
             past < n && ends[past].from == ends[first].from && ends[past].to == ends[first].to;)
            past++;
        status = join_pair(s, ends + first, past - first, err);
    }
    free(ends);
    return status;
}

/* ---- what a rank has ---- */

static bool is_set(const uint8_t *bits, uint64_t i)
{
    return bits[i / 8] >> i % 8 & 1;
}

static void set(uint8_t *bits, uint64_t i)
{
    bits[i / 8] |= (uint8_t)(1U << i % 8);
}

static uint8_t *own(const flow *f, uint32_t rank)
{
    return f->has + rank * f->rank_bytes;
}

/* The set of contributors of a combined block. */
static uint8_t *value(const flow *f, uint32_t rank, uint64_t block)
{
    return own(f, rank) + block * f->set_bytes;
}

/* Whether a rank has the block, or a part of a combined one, at the start. */
static bool begins_with(const schedule *s, uint32_t rank, uint64_t block)
{
    switch (s->operation) {
    case SCHED_ALLTOALL: return block / s->n_ranks == rank;
    case SCHED_ALLGATHER:
    case SCHED_GATHER: return block == rank;
    case SCHED_BCAST:
    case SCHED_SCATTER: return rank == s->root;
    default: return true;
    }
}

static bool ends_with(const schedule *s, uint32_t rank, uint64_t block)
{
    switch (s->operation) {
    case SCHED_ALLTOALL: return block % s->n_ranks == rank;
    case SCHED_SCATTER:
    case SCHED_REDUCE_SCATTER: return block == rank;
    case SCHED_GATHER:
    case SCHED_REDUCE: return rank == s->root;
    default: return true;
    }
}

static void name_block(const schedule *s, uint64_t block, char text[100])
{
    switch (s->operation) {
    case SCHED_ALLTOALL:
        snprintf(text, 100, "the block of rank %" PRIu64 " for rank %" PRIu64, block / s->n_ranks,
                 block % s->n_ranks);
        break;
    case SCHED_SCATTER:
    case SCHED_REDUCE_SCATTER: snprintf(text, 100, "the block for rank %" PRIu64, block); break;
    case SCHED_ALLGATHER:
    case SCHED_GATHER: snprintf(text, 100, "the block of rank %" PRIu64, block); break;
    case SCHED_BARRIER: snprintf(text, 100, "the arrival"); break;
    default: snprintf(text, 100, "part %" PRIu64, block);
    }
}

static tl_status prepare_flow(flow *f)
{
    const schedule *s = f->s;
    f->n_blocks = sched_n_blocks(s);
    f->is_combined = sched_is_combined(s->operation);
    f->set_bytes = f->is_combined ? ((size_t)s->n_ranks + 7) / 8 : 0;
    f->rank_bytes = f->is_combined ? f->n_blocks * f->set_bytes : (f->n_blocks + 7) / 8;
    if (f->rank_bytes > MAX_STATE_BYTES / s->n_ranks)
        return tl_fail(f->err, TL_ERR_LIMIT,
                       "%s: checking the data of %" PRIu32
                       " ranks needs more than 1 GiB; use fewer ranks",
                       s->s.path, s->n_ranks);
    f->has = calloc(s->n_ranks, f->rank_bytes + 1);
    f->next = calloc(s->n_ranks, sizeof *f->next);
    f->since_wait = calloc(s->n_ranks, sizeof *f->since_wait);
    f->sent = calloc(s->steps.n + 1, sizeof *f->sent);
    if (!f->has || !f->next || !f->since_wait || !f->sent)
        return tl_no_memory(f->err, s->s.path);
    for (uint32_t rank = 0; rank < s->n_ranks; rank++) {
        f->next[rank] = f->since_wait[rank] = s->starts[rank];
        for (uint64_t block = 0; block < f->n_blocks; block++)
            if (f->is_combined)
                set(value(f, rank, block), rank);
            else if (begins_with(s, rank, block))
                set(own(f, rank), block);
    }
    return TL_OK;
}

/* ---- steps ---- */

/* Makes a list of what "all" is. */
static tl_status list_all(flow *f, uint32_t rank, sched_step *step)
{
    schedule *s = f->s;
    step->blocks = (uint32_t)s->blocks.n;
    for (uint64_t block = 0; block < f->n_blocks; block++) {
        if (!f->is_combined && !is_set(own(f, rank), block))
            continue;
        uint32_t *kept = s->blocks.n < UINT32_MAX ? skel_push(&s->blocks, sizeof *kept) : NULL;
        if (!kept)
            return tl_no_memory(f->err, s->s.path);
        *kept = (uint32_t)block;
        step->n_blocks++;
    }
    return TL_OK;
}

static tl_status send(flow *f, uint32_t rank, size_t number)
{
    schedule *s = f->s;
    sched_step *step = step_at(s, number);
    char text[100];
    const tl_status status = step->all ? list_all(f, rank, step) : TL_OK;
    if (status != TL_OK)
        return status;
    const uint32_t *blocks = blocks_of(s, step);
    for (uint32_t i = 0; i < step->n_blocks && !f->is_combined; i++)
        if (!is_set(own(f, rank), blocks[i])) {
            name_block(s, blocks[i], text);
            return skel_fail(f->err, &s->s, step->line,
                             "with %" PRIu32 " ranks, rank %" PRIu32 " sends %s to rank %" PRIu32
                             ", but does not have it; receive it and wait before",
                             s->n_ranks, rank, text, step->peer);
        }
    if (!f->is_combined)
        return TL_OK;
    f->sent[number] = malloc(step->n_blocks * f->set_bytes + 1);
    if (!f->sent[number])
        return tl_no_memory(f->err, s->s.path);
    for (uint32_t i = 0; i < step->n_blocks; i++)
        memcpy(f->sent[number] + i * f->set_bytes, value(f, rank, blocks[i]), f->set_bytes);
    return TL_OK;
}

/* The least rank that is in both sets; n_ranks: none. */
static uint32_t find_common(const flow *f, const uint8_t *a, const uint8_t *b)
{
    uint32_t rank = 0;
    while (rank < f->s->n_ranks && !(is_set(a, rank) && is_set(b, rank)))
        rank++;
    return rank;
}

static tl_status combine(flow *f, uint32_t rank, const sched_step *step, uint32_t block,
                         const uint8_t *other)
{
    uint8_t *mine = value(f, rank, block);
    const bool is_barrier = f->s->operation == SCHED_BARRIER;
    char text[100];
    if (step->kind == SCHED_RECV && !is_barrier) {
        memcpy(mine, other, f->set_bytes);
        return TL_OK;
    }
    const uint32_t twice = is_barrier ? f->s->n_ranks : find_common(f, mine, other);
    name_block(f->s, block, text);
    if (twice < f->s->n_ranks)
        return skel_fail(f->err, &f->s->s, step->line,
                         "with %" PRIu32 " ranks, rank %" PRIu32
                         " combines %s with that of rank %" PRIu32
                         ", and the contribution of rank %" PRIu32
                         " is in both; let each contribution arrive once",
                         f->s->n_ranks, rank, text, step->peer, twice);
    for (size_t i = 0; i < f->set_bytes; i++)
        mine[i] |= other[i];
    return TL_OK;
}

static tl_status receive(flow *f, uint32_t rank, sched_step *step)
{
    const sched_step *from = step_at(f->s, step->partner);
    step->blocks = from->blocks;
    step->n_blocks = from->n_blocks;
    const uint32_t *blocks = blocks_of(f->s, from);
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < from->n_blocks && status == TL_OK; i++)
        if (f->is_combined)
            status = combine(f, rank, step, blocks[i], f->sent[step->partner] + i * f->set_bytes);
        else
            set(own(f, rank), blocks[i]);
    return status;
}

/* Whether everything since the last wait has happened at the other side, too: the first step that
 * has not, or NO_STEP. */
static size_t find_missing(const flow *f, uint32_t rank)
{
    for (size_t i = f->since_wait[rank]; i < f->next[rank]; i++) {
        const sched_step *step = step_at(f->s, i);
        if (f->next[step->peer] <= step->partner)
            return i;
    }
    return NO_STEP;
}

/* Goes on with a rank up to a wait that does not end; whether it did anything. */
static tl_status advance_rank(flow *f, uint32_t rank, bool *has_moved)
{
    tl_status status = TL_OK;
    size_t *next = &f->next[rank];
    while (*next < f->s->starts[rank + 1] && status == TL_OK) {
        sched_step *step = step_at(f->s, *next);
        if (step->kind == SCHED_SEND)
            status = send(f, rank, *next);
        if (step->kind == SCHED_WAIT) {
            if (find_missing(f, rank) != NO_STEP)
                break;
            for (size_t i = f->since_wait[rank]; i < *next && status == TL_OK; i++)
                if (step_at(f->s, i)->kind != SCHED_SEND)
                    status = receive(f, rank, step_at(f->s, i));
            f->since_wait[rank] = *next + 1;
        }
        (*next)++;
        *has_moved = true;
    }
    return status;
}

/* ---- the end ---- */

static tl_status check_ended(const flow *f)
{
    for (uint32_t rank = 0; rank < f->s->n_ranks; rank++) {
        const size_t missing =
            f->next[rank] < f->s->starts[rank + 1] ? find_missing(f, rank) : NO_STEP;
        if (missing == NO_STEP)
            continue;
        const sched_step *step = step_at(f->s, missing);
        return skel_fail(f->err, &f->s->s, step->line,
                         "with %" PRIu32 " ranks, rank %" PRIu32 " waits forever for rank %" PRIu32
                         ", which waits, too; begin sends and receives before the wait",
                         f->s->n_ranks, rank, step->peer);
    }
    return TL_OK;
}

static tl_status check_block(const flow *f, uint32_t rank, uint64_t block)
{
    const schedule *s = f->s;
    char text[100], what[160];
    uint32_t lacking = 0;
    if (f->is_combined)
        while (lacking < s->n_ranks && is_set(value(f, rank, block), lacking))
            lacking++;
    if (f->is_combined ? lacking == s->n_ranks : is_set(own(f, rank), block))
        return TL_OK;
    name_block(s, block, text);
    if (s->operation == SCHED_BARRIER)
        snprintf(what, sizeof what, "word of the arrival of rank %" PRIu32, lacking);
    else if (f->is_combined)
        snprintf(what, sizeof what, "the contribution of rank %" PRIu32 " to %s", lacking, text);
    return tl_fail(f->err, TL_ERR_INPUT,
                   "%s: with %" PRIu32 " ranks, rank %" PRIu32
                   " ends without %s; correct the schedule",
                   s->s.path, s->n_ranks, rank, f->is_combined ? what : text);
}

tl_status sched_check(schedule *s, tl_error *err)
{
    flow f = {.s = s, .err = err};
    tl_status status = join_ends(s, err);
    if (status == TL_OK)
        status = prepare_flow(&f);
    for (bool has_moved = true; has_moved && status == TL_OK;) {
        has_moved = false;
        for (uint32_t rank = 0; rank < s->n_ranks && status == TL_OK; rank++)
            status = advance_rank(&f, rank, &has_moved);
    }
    if (status == TL_OK)
        status = check_ended(&f);
    for (uint32_t rank = 0; rank < s->n_ranks && status == TL_OK; rank++)
        for (uint64_t block = 0; block < f.n_blocks && status == TL_OK; block++)
            if (ends_with(s, rank, block))
                status = check_block(&f, rank, block);
    for (size_t i = 0; f.sent && i < s->steps.n; i++)
        free(f.sent[i]);
    free(f.sent);
    free(f.has);
    free(f.next);
    free(f.since_wait);
    return status;
}
