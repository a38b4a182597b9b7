/* samples.c - the time of computation, shared by the places that were sampled in it. */
#include "config.h"

#include "samples.h"

#include "call_path.h"
#include "core/room.h"
#include "sampled.h"
#include "timeless_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How often a place was sampled between two calls of a rank. */
typedef struct row {
    uint32_t rank, to, from, at;
    uint64_t n;
} row;

/* The rows of the same two calls. */
typedef struct burst {
    uint32_t rank, to, from;
    size_t first, end;
    uint64_t n;
    double time_s;
} burst;

struct tlr_samples {
    size_t n_rows, rows_room, n_bursts, bursts_room;
    row *rows;
    burst *bursts; /* in the order of rank, to, from */
};

/* Rows and bursts both begin with rank, to, from. */
static int compare(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

static bool read_rank(tlr_samples *s, const tl_reader *trace, uint32_t rank)
{
    const tl_counter *counters;
    const size_t n = tl_reader_counters(trace, rank, &counters);
    for (size_t i = 0; i < n; i++) {
        tl_sampled places;
        if (!counters[i].value || !tl_sampled_read(counters[i].name, &places))
            continue;
        const row r = {rank, places.to, places.from, places.at, counters[i].value};
        if (!tl_make_room(&s->rows, s->n_rows, &s->rows_room, sizeof r))
            return false;
        s->rows[s->n_rows++] = r;
    }
    return true;
}

static bool find_bursts(tlr_samples *s)
{
    qsort(s->rows, s->n_rows, sizeof *s->rows, compare);
    for (size_t i = 0; i < s->n_rows; i++) {
        const row *r = &s->rows[i];
        if (!i || compare(r - 1, r) != 0) {
            if (!tl_make_room(&s->bursts, s->n_bursts, &s->bursts_room, sizeof *s->bursts))
                return false;
            s->bursts[s->n_bursts++] = (burst){r->rank, r->to, r->from, i, i, 0, 0};
        }
        s->bursts[s->n_bursts - 1].end++;
        s->bursts[s->n_bursts - 1].n += r->n;
    }
    return true;
}

tl_status tlr_samples_open(const tl_reader *trace, tlr_samples **out, tl_error *err)
{
    tlr_samples *s = calloc(1, sizeof *s);
    bool ok = s != NULL;
    *out = NULL;
    for (uint32_t r = 0; ok && r < tl_reader_run(trace)->n_ranks; r++)
        ok = read_rank(s, trace, r);
    if (ok && s->n_rows && find_bursts(s)) {
        *out = s;
        return TL_OK;
    }
    ok = ok && !s->n_rows;
    tlr_samples_free(s);
    return ok ? TL_OK : tl_no_memory(err, "samples of the stack");
}

void tlr_samples_free(tlr_samples *s)
{
    if (!s)
        return;
    free(s->rows);
    free(s->bursts);
    free(s);
}

/* The first burst that is not before the key. */
static size_t find(const tlr_samples *s, const burst *key)
{
    size_t low = 0, high = s->n_bursts;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare(&s->bursts[middle], key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool tlr_samples_add(tlr_samples *s, const tlr_state *state, double took_s)
{
    if (!s || state->kind != TLR_STATE_COMPUTE)
        return false;
    const burst key = {
        .rank = state->rank, .to = state->site ? state->site : state->after, .from = state->before};
    const burst before = {.rank = key.rank, .to = key.to};
    size_t first = find(s, &key), end;
    if (!state->site && first < s->n_bursts && !compare(&s->bursts[first], &key)) {
        s->bursts[first].time_s += took_s;
        return true;
    }
    uint64_t n = 0;
    for (first = end = find(s, &before);
         end < s->n_bursts && s->bursts[end].rank == key.rank && s->bursts[end].to == key.to; end++)
        n += s->bursts[end].n;
    for (size_t i = first; i < end && n; i++)
        s->bursts[i].time_s += took_s * (double)s->bursts[i].n / (double)n;
    return n > 0;
}

void tlr_samples_share(const tlr_samples *s, tlr_samples_put *put, void *arg)
{
    for (size_t i = 0; s && i < s->n_bursts; i++) {
        const burst *b = &s->bursts[i];
        for (size_t k = b->first; k < b->end && b->time_s > 0; k++)
            put(arg, b->rank, s->rows[k].at, b->time_s * (double)s->rows[k].n / (double)b->n,
                s->rows[k].n);
    }
}

/* ---- names ---- */

/* Of a function, without the line: samples hit many lines. */
static const char *name_of(const tlr_level *l)
{
    return l->source && *l->source->function ? l->source->function : l->site->object;
}

void tlr_sampled_function(const tl_reader *trace, uint32_t rank, uint32_t site, char *text,
                          size_t size)
{
    tlr_call_path path;
    tlr_call_path_at(trace, rank, site, &path);
    const tlr_level *l = path.n ? &path.levels[path.n - 1] : NULL;
    if (!l)
        snprintf(text, size, "unknown");
    else if (l->source && *l->source->function)
        snprintf(text, size, "%s (%s)", l->source->function,
                 *l->source->file ? l->source->file : l->site->object);
    else
        snprintf(text, size, "%s", l->site->object);
}

void tlr_sampled_path(const tl_reader *trace, uint32_t rank, uint32_t site, char *text, size_t size)
{
    tlr_call_path path;
    tlr_call_path_at(trace, rank, site, &path);
    size_t used = (size_t)snprintf(text, size, "compute");
    for (size_t i = path.n; i > 0 && used < size; i--)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == path.n ? " " : " < ",
                                 name_of(&path.levels[i - 1]));
}
