/* trace_steps.c - the steps of a recorded trace: from one pass of a repeated call to the next.
 *
 * The steps of a rank begin at the call site that it passes least often, but at least MIN_STEPS
 * times. The number of passes may differ by a factor from rank to rank, because a rank at the
 * border of a grid has fewer neighbours. The number of steps is therefore the greatest common
 * divisor of these numbers. Cutting a window checks that the steps of the ranks belong together:
 * each message of the window must have both sides. */
#include "sample/steps.h"

#include "core/room.h"

#include <inttypes.h>
#include <stdlib.h>
#include <timeless_files.h>
#include <unistd.h>

/* Chosen, not derived: in fewer steps or periods, windows would be most of the run. */
enum { MIN_STEPS = 200, N_TERMS = 3, MAX_PERIOD = 1000, LEAST_PERIODS = 20 };

struct tlr_trace_steps {
    uint32_t n_ranks;
    size_t stride;   /* of `at` */
    uint64_t *at;    /* [n_ranks][stride] where a step begins; the last event, MPI_Finalize */
    double *bytes;   /* [n_steps + 1] that are sent in a step */
    uint64_t *calls; /* [n_steps + 1] hash of what rank 0 calls in a step */
    double *work;    /* computed in a step: volumes and operations of kernels */
};

/* ---- where steps may begin ---- */

typedef struct place {
    uint16_t call;
    uint32_t site;
    uint64_t n;
} place;

typedef struct places {
    size_t n, room;
    place *items;
} places;

static bool may_begin_step(const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_NONE:
    case TL_ACTION_MATCH:
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_REGION:
    case TL_ACTION_CLOCK:
    case TL_ACTION_SLEEP:
    case TL_ACTION_PROBE:
    case TL_ACTION_KERNEL:
    case TL_ACTION_THREAD:
    case TL_ACTION_ENTER: return 0;
    default: return 1;
    }
}

static place *find_place(places *p, const tl_event *e)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].call == e->call && p->items[i].site == e->site)
            return &p->items[i];
    if (!tl_make_room(&p->items, p->n, &p->room, sizeof *p->items))
        return NULL;
    p->items[p->n] = (place){e->call, e->site, 0};
    return &p->items[p->n++];
}

/* The call site with the fewest passes, but at least MIN_STEPS; of several, the first one. */
static const place *choose_place(const places *p)
{
    const place *best = NULL;
    for (size_t i = 0; i < p->n; i++)
        if (p->items[i].n >= MIN_STEPS && (!best || p->items[i].n < best->n))
            best = &p->items[i];
    return best;
}

/* Calls a function for each event of a rank. */
typedef tl_status event_taker(void *arg, const tl_event *e, uint64_t number);

static tl_status read_rank(tl_reader *trace, uint32_t rank, event_taker *take, void *arg,
                           tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    tl_status status = tl_cursor_open(trace, rank, &cursor, err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        status = take(arg, &event, tl_cursor_position(cursor) - 1);
    if (status == TL_ERR_MEMORY)
        tl_error_set(err, status, "out of memory for the steps of %s", tl_reader_path(trace));
    else if (status != TL_END && cursor && tl_cursor_error(cursor)->status != TL_OK && err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

static tl_status count_place(void *arg, const tl_event *e, uint64_t number)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    (void)number;
    if (!info || !may_begin_step(info))
        return TL_OK;
    place *at = find_place(arg, e);
    if (!at)
        return TL_ERR_MEMORY;
    at->n++;
    return TL_OK;
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static tl_status choose_places(tl_reader *trace, place *chosen, uint32_t n_ranks, uint64_t *n_steps,
                               tl_error *err)
{
    *n_steps = 0;
    for (uint32_t r = 0; r < n_ranks; r++) {
        places p = {0};
        const tl_status status = read_rank(trace, r, count_place, &p, err);
        const place *best = choose_place(&p);
        if (best) {
            chosen[r] = *best;
            *n_steps = common_divisor(*n_steps, best->n);
        }
        free(p.items);
        if (status != TL_OK)
            return status;
        if (!best || *n_steps < MIN_STEPS)
            return tl_fail(
                err, TL_ERR_UNSUPPORTED,
                "%s: --sample finds no steps: no call that rank %" PRIu32 " makes at one "
                "place %d times or more, as often as the ranks before; replay it in full",
                tl_reader_path(trace), r, (int)MIN_STEPS);
    }
    return TL_OK;
}

/* ---- what the steps consist of ---- */

typedef struct passage {
    struct tlr_trace_steps *steps;
    const place *begin;
    uint64_t *at;
    uint64_t every, n_passed; /* a step begins at each so many passes */
    size_t n_begun;
    uint64_t n_before; /* pseudo events right ahead, which belong to the call */
    bool is_first;     /* rank 0 */
    int waits;         /* steps begin behind the call */
} passage;

static void begin_step(passage *p, uint64_t number)
{
    if (p->n_begun < p->steps->stride - 1)
        p->at[p->n_begun++] = number;
}

/* A hash of call, call site and peer. */
static uint64_t hash_call(uint64_t hash, const tl_event *e)
{
    return ((hash * 31 + e->call) * 31 + e->site) * 31 + (uint64_t)(uint32_t)e->peer;
}

static tl_status pass_event(void *arg, const tl_event *e, uint64_t number)
{
    passage *p = arg;
    const tl_call_info *info = tl_call_by_code(e->call);
    if (!info)
        return TL_OK;
    const bool is_sent = info->action == TL_ACTION_SEND || info->action == TL_ACTION_ISEND ||
                         info->action == TL_ACTION_SENDRECV || (info->traits & TL_TRAIT_SYNC);
    if (e->call == p->begin->call && e->site == p->begin->site && p->n_passed++ % p->every == 0)
        begin_step(p, p->waits ? number + 1 : number - p->n_before);
    const size_t step = p->n_begun ? p->n_begun - 1 : 0;
    p->steps->work[step] += (double)e->volume;
    if (p->is_first)
        p->steps->calls[step] = hash_call(p->steps->calls[step], e);
    if (info->action == TL_ACTION_KERNEL)
        p->steps->work[step] +=
            tl_kernel_work(e->call, e->list, e->list_len) * tl_kernel_flops_per_work(e->call);
    if (is_sent)
        p->steps->bytes[step] += (double)e->count * (double)e->type_bytes;
    const bool is_ahead = info->action == TL_ACTION_MATCH || info->action == TL_ACTION_ENTER ||
                          info->action == TL_ACTION_THREAD;
    p->n_before = is_ahead ? p->n_before + 1 : 0;
    return TL_OK;
}

static tl_status find_steps(tl_reader *trace, struct tlr_trace_steps *s, const place *chosen,
                            uint64_t n_steps, tl_error *err)
{
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < s->n_ranks && status == TL_OK; r++) {
        tl_rank_summary summary;
        passage p = {.steps = s,
                     .begin = &chosen[r],
                     .is_first = r == 0,
                     .at = s->at + r * s->stride,
                     .every = chosen[r].n / n_steps,
                     .waits = tl_call_by_code(chosen[r].call)->action == TL_ACTION_WAIT};
        status = read_rank(trace, r, pass_event, &p, err);
        if (status != TL_OK || tl_reader_rank(trace, r, &summary) != TL_OK)
            continue;
        p.at[0] = 0; /* what is before the first pass belongs to the first step */
        p.at[n_steps] = summary.n_events ? summary.n_events - 1 : 0;
    }
    return status;
}

/* ---- what is known of them ---- */

/* Whether the term differs between steps: by a standard deviation of more than 1 % of the mean, an
 * assumed limit. Terms that are equal in all steps are left out. */
static int varies(const double *values, size_t n)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        sum += values[i];
        squares += values[i] * values[i];
    }
    return squares * (double)n > 1.0001 * sum * sum;
}

static tl_status sum_steps(const struct tlr_trace_steps *s, size_t n, tlr_step_sums *out)
{
    const double *terms[N_TERMS] = {NULL};
    size_t n_terms = 1;
    if (varies(s->bytes, n))
        terms[n_terms++] = s->bytes;
    if (varies(s->work, n))
        terms[n_terms++] = s->work;
    *out = (tlr_step_sums){n, n_terms, calloc((n + 1) * n_terms, sizeof *out->sums)};
    if (!out->sums)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n_terms; j++)
            out->sums[(i + 1) * n_terms + j] =
                out->sums[i * n_terms + j] + (terms[j] ? terms[j][i] : 1);
    return TL_OK;
}

/* The number of steps after which rank 0 makes the same calls again, except in one of twenty steps;
 * 1 if there is no such number. */
static size_t find_period(const uint64_t *calls, size_t n)
{
    for (size_t period = 1; period <= MAX_PERIOD && period * LEAST_PERIODS <= n; period++) {
        size_t n_same = 0;
        for (size_t i = 0; i + period < n; i++)
            n_same += calls[i] == calls[i + period];
        if (20 * n_same >= 19 * (n - period))
            return period;
    }
    return 1;
}

/* ---- windows ---- */

/* A cut of the trace, in a file that is removed when it has been opened. */
static tl_status open_window(const tlr_steps *steps, size_t from, size_t past,
                             const int64_t *delays_ns, tl_reader **out, tl_error *err)
{
    const struct tlr_trace_steps *s = steps->own;
    char *path = NULL;
    int file = -1;
    tl_span span = {s->n_ranks, calloc(s->n_ranks, sizeof *span.first),
                    calloc(s->n_ranks, sizeof *span.past)};
    tl_status status = span.first && span.past ? TL_OK : TL_ERR_MEMORY;
    if (status != TL_OK)
        tl_error_set(err, status, "out of memory for a window");
    for (uint32_t r = 0; r < s->n_ranks && status == TL_OK; r++) {
        span.first[r] = s->at[r * s->stride + from];
        span.past[r] = s->at[r * s->stride + past] + (past + 1 == s->stride);
    }
    const tl_cut_marks marks = {past - from + 1, s->stride, s->at + from, delays_ns};
    if (status == TL_OK)
        status = tl_temporary_file("window", &path, &file, err);
    if (status == TL_OK)
        status = tl_cut_marked(steps->trace, &span, &marks, "a window", path, err);
    if (status == TL_OK)
        status = tl_reader_open(path, out, err);
    if (file >= 0) {
        close(file);
        unlink(path);
    }
    free(path);
    tl_span_free(&span);
    return status;
}

void tlr_trace_steps_free(struct tlr_trace_steps *s)
{
    if (!s)
        return;
    free(s->at);
    free(s->bytes);
    free(s->calls);
    free(s->work);
    free(s);
}

tl_status tlr_trace_steps_open(tlr_steps *out, tl_error *err)
{
    tl_reader *trace = out->trace;
    const uint32_t n_ranks = tl_reader_run(trace)->n_ranks;
    uint64_t n_steps = 0;
    place *chosen = calloc(n_ranks, sizeof *chosen);
    struct tlr_trace_steps *s = out->own = calloc(1, sizeof *s);
    tl_status status = chosen && s ? TL_OK : tl_no_memory(err, "steps");
    if (status == TL_OK)
        status = choose_places(trace, chosen, n_ranks, &n_steps, err);
    if (status == TL_OK) {
        s->n_ranks = n_ranks;
        s->stride = n_steps + 1;
        s->at = calloc(n_ranks * s->stride, sizeof *s->at);
        s->bytes = calloc(s->stride, sizeof *s->bytes);
        s->calls = calloc(s->stride, sizeof *s->calls);
        s->work = calloc(s->stride, sizeof *s->work);
        if (!s->at || !s->bytes || !s->calls || !s->work)
            status = tl_no_memory(err, "steps");
    }
    if (status == TL_OK)
        status = find_steps(trace, s, chosen, n_steps, err);
    if (status == TL_OK && sum_steps(s, n_steps, &out->known) != TL_OK)
        status = tl_no_memory(err, "steps");
    out->first_cut = 1;
    out->period = status == TL_OK ? find_period(s->calls, n_steps) : 1;
    out->site = "?";
    out->open_window = open_window;
    free(chosen);
    return status;
}
