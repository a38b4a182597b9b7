/* cpu.c - rates of bursts by their call sites. */
#include "cpu.h"

#include "core/room.h"

#include <stdlib.h>
#include <string.h>

enum { SITE_BYTES = 1024, LEAST_ROOM = 4096 };

void tlp_bursts_free(tlp_bursts *b)
{
    for (size_t i = 0; i < b->n; i++) {
        free(b->classes[i].from);
        free(b->classes[i].to);
    }
    free(b->classes);
    *b = (tlp_bursts){0};
}

int tlp_compare_bursts(const void *a, const void *b)
{
    const tlp_burst_class *x = a, *y = b;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

/* A pair of site ids of one rank. */
typedef struct pair {
    uint32_t from, to;
    double volume;
} pair;

static int compare_pairs(const void *a, const void *b)
{
    const pair *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static size_t merge_pairs(pair *pairs, size_t n)
{
    size_t kept = 0;
    if (n)
        qsort(pairs, n, sizeof *pairs, compare_pairs);
    for (size_t i = 0; i < n; i++)
        if (kept && compare_pairs(&pairs[kept - 1], &pairs[i]) == 0)
            pairs[kept - 1].volume += pairs[i].volume;
        else
            pairs[kept++] = pairs[i];
    return kept;
}

static tl_status add_pairs(tl_reader *trace, uint32_t rank, const pair *pairs, size_t n,
                           tlp_site_namer *name, tlp_bursts *out, tl_error *err)
{
    for (size_t i = 0; i < n; i++) {
        char from[SITE_BYTES], to[SITE_BYTES];
        if (!tl_make_room(&out->classes, out->n, &out->room, sizeof *out->classes))
            return tl_no_memory(err, "classes of bursts");
        name(trace, rank, pairs[i].from, from, sizeof from);
        name(trace, rank, pairs[i].to, to, sizeof to);
        tlp_burst_class *next = &out->classes[out->n++];
        *next = (tlp_burst_class){strdup(from), strdup(to), 0, pairs[i].volume};
        if (!next->from || !next->to)
            return tl_no_memory(err, "classes of bursts");
    }
    return TL_OK;
}

/* The bursts of a rank. Whenever they fill the room, they are merged. */
static tl_status read_rank(tl_reader *trace, uint32_t rank, tlp_site_namer *name, tlp_bursts *out,
                           tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    uint32_t from = 0;
    size_t n = 0, room = 0;
    pair *pairs = NULL;
    tl_status status = tl_cursor_open(trace, rank, &cursor, err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK) {
        if (event.volume) {
            if (n == room) {
                n = room ? merge_pairs(pairs, n) : 0;
                if ((n > room / 2 || room < LEAST_ROOM) &&
                    !tl_make_room(&pairs, room, &room, sizeof *pairs)) {
                    status = tl_no_memory(err, "classes of bursts");
                    break;
                }
            }
            pairs[n++] = (pair){from, event.site, (double)event.volume};
        }
        from = event.site;
    }
    if (status == TL_END)
        status = add_pairs(trace, rank, pairs, merge_pairs(pairs, n), name, out, err);
    else if (status != TL_OK && cursor && tl_cursor_error(cursor)->status != TL_OK && err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    free(pairs);
    return status;
}

tl_status tlp_bursts_read(tl_reader *trace, tlp_site_namer *name, tlp_bursts *out, tl_error *err)
{
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks && status == TL_OK; r++)
        status = read_rank(trace, r, name, out, err);
    if (status != TL_OK || !out->n)
        return status;
    qsort(out->classes, out->n, sizeof *out->classes, tlp_compare_bursts);
    size_t kept = 1;
    for (size_t i = 1; i < out->n; i++) {
        tlp_burst_class *last = &out->classes[kept - 1], *next = &out->classes[i];
        if (tlp_compare_bursts(last, next) == 0) {
            last->volume += next->volume;
            free(next->from);
            free(next->to);
        } else {
            out->classes[kept++] = *next;
        }
    }
    out->n = kept;
    return TL_OK;
}

static tl_status check_traces(tl_reader *timed, tl_reader *counted, tl_error *err)
{
    const tl_run *t = tl_reader_run(timed), *c = tl_reader_run(counted);
    if (strcmp(t->volume_unit, "cpu-ns") != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is in '%s', not in cpu-ns; record with --volume cputime",
                       tl_reader_path(timed), t->volume_unit);
    if (!strcmp(c->volume_unit, "cpu-ns"))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is in cpu-ns, too, whose rate is known; record with --volume exact or "
                       "papi",
                       tl_reader_path(counted));
    if (t->n_ranks != c->n_ranks)
        return tl_fail(err, TL_ERR_INPUT, "%s: has %u ranks, %s has %u; record the same run twice",
                       tl_reader_path(counted), c->n_ranks, tl_reader_path(timed), t->n_ranks);
    return TL_OK;
}

/* Moves the classes that both traces have. */
static void match(tlp_bursts *times, const tlp_bursts *counts, tlp_burst_rates *out)
{
    for (size_t i = 0; i < counts->n; i++)
        out->volume += counts->classes[i].volume;
    for (size_t i = 0; i < times->n; i++) {
        tlp_burst_class *t = &times->classes[i];
        t->seconds = t->volume * 1e-9;
        out->seconds += t->seconds;
        const tlp_burst_class *c =
            counts->n ? bsearch(t, counts->classes, counts->n, sizeof *t, tlp_compare_bursts)
                      : NULL;
        if (!c)
            continue;
        out->matched_s += t->seconds;
        out->classes[out->n++] = (tlp_burst_class){t->from, t->to, t->seconds, c->volume};
        t->from = t->to = NULL;
    }
}

tl_status tlp_burst_rates_make(tl_reader *timed, tl_reader *counted, tlp_burst_rates **out,
                               tl_error *err)
{
    tlp_bursts times = {0}, counts = {0};
    tlp_burst_rates *rates = NULL;
    tl_status status = check_traces(timed, counted, err);
    if (status == TL_OK)
        status = tlp_bursts_read(timed, tl_site_text, &times, err);
    if (status == TL_OK)
        status = tlp_bursts_read(counted, tl_site_text, &counts, err);
    if (status != TL_OK)
        goto cleanup;
    rates = calloc(1, sizeof *rates);
    if (rates) {
        const tl_run *run = tl_reader_run(counted);
        rates->unit = strdup(run->volume_unit);
        rates->program = strdup(run->program ? run->program : "");
        rates->source = strdup(run->volume_source ? run->volume_source : "");
        rates->n_ranks = run->n_ranks;
        rates->classes = calloc(times.n + 1, sizeof *rates->classes);
    }
    if (!rates || !rates->unit || !rates->program || !rates->source || !rates->classes) {
        status = tl_no_memory(err, "classes of bursts");
        goto cleanup;
    }
    match(&times, &counts, rates);
    if (!rates->n) {
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: has no bursts between the call sites of %s; record the same program twice",
                    tl_reader_path(counted), tl_reader_path(timed));
        goto cleanup;
    }
    *out = rates;
    rates = NULL;
cleanup:
    tlp_burst_rates_free(rates);
    tlp_bursts_free(&times);
    tlp_bursts_free(&counts);
    return status;
}

void tlp_burst_rates_free(tlp_burst_rates *rates)
{
    if (!rates)
        return;
    tlp_bursts s = {.n = rates->classes ? rates->n : 0, .classes = rates->classes};
    tlp_bursts_free(&s);
    free(rates->unit);
    free(rates->program);
    free(rates->source);
    free(rates);
}
