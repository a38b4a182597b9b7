/* fit_attribute.c - the expression of one attribute: the first one of the list that has the value
 * of every sample. */
#include "config.h"

#include "fit.h"

#include "core/frame.h"
#include "draw.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TEXT = FIT_MAX_TEXT };

bool fit_is_used(const fitting *f, const fit_node *node, const fit_sample *sample)
{
    for (uint32_t d = 0; d < FIT_MAX_DEPTH && d < node->depth; d++)
        if ((f->fixed[d] >= 0 && sample->index[d] != f->fixed[d]) ||
            sample->index[d] % f->period[d] != f->phase[d])
            return false;
    return node != f->gated || sample->trips > 0;
}

static unsigned variables_of(const fitting *f, const fit_node *node)
{
    unsigned variables = 0;
    for (uint32_t d = 0; d < node->depth && d < FIT_MAX_DEPTH; d++)
        variables |= f->fixed[d] < 0 ? 1U << d : 0;
    return node->has_each ? variables | 1U << FIT_EACH : variables;
}

/* Fills `past`. Without memory it stays NULL, and the search takes longer. */
static void find_past(fit_values *v)
{
    v->past = calloc(v->n + 1, sizeof *v->past);
    for (size_t i = v->past ? v->n : 0; i-- > 0;) {
        const size_t k = i + 1;
        const bool is_same = k < v->n && v->value[k] == v->value[i] &&
                             v->samples[k]->rank == v->samples[i]->rank &&
                             v->samples[k]->capture == v->samples[i]->capture;
        v->past[i] = is_same ? v->past[k] : k;
    }
}

size_t fit_past(const fit_values *v, size_t i)
{
    return v->past ? v->past[i] : i + 1;
}

size_t fit_next(const fitting *f, size_t candidate, const fit_values *v, size_t i)
{
    const fit_candidate *all = f->candidates.items;
    return all[candidate].variables ? i + 1 : fit_past(v, i);
}

bool fit_collect(fitting *f, const fit_node *node, fit_getter *get, const void *arg, fit_values *v)
{
    const fit_sample *samples = node->samples.items;
    const size_t *calls = fit_calls_only(node, get) ? node->calls.items : NULL;
    const size_t n = calls ? node->calls.n : node->samples.n;
    *v = (fit_values){.samples = calloc(n + 1, sizeof *v->samples),
                      .value = calloc(n + 1, sizeof *v->value),
                      .without = f->without,
                      .unknown = f->unknown,
                      .is_wide = f->is_wide,
                      .comm = f->order ? f->symbols[f->order[node->low]].comm : SKEL_WORLD,
                      .is_for_all_ranks = fit_is_copied_whole(f, node),
                      .variables = variables_of(f, node)};
    if (v->is_for_all_ranks)
        v->variables &= f->shared;
    if (v->comm >= SKEL_FIRST_COMM && fit_comm_at(f, v->comm)->is_world)
        v->comm = SKEL_WORLD;
    for (size_t i = 0; i < n && v->samples && v->value; i++) {
        const fit_sample *sample = &samples[calls ? calls[i] : i];
        if (fit_is_used(f, node, sample) && get(arg, sample, &v->value[v->n]))
            v->samples[v->n++] = sample;
    }
    if (v->samples && v->value) {
        find_past(v);
        return true;
    }
    fit_out_of_memory(f);
    return false;
}

void fit_release(fit_values *v)
{
    free(v->samples);
    free(v->value);
    free(v->past);
}

static bool is_constant(const fit_values *v)
{
    for (size_t i = 1; i < v->n; i++)
        if (v->value[i] != v->value[0])
            return false;
    return true;
}

/* How many different values the base has among the samples, up to a few, and how many bits the
 * recorded values there have. A capture of other ranks or parameters counts even if the base is the
 * same in it: it confirms that the value depends on nothing else. */
static int count_values(const fitting *f, size_t candidate, const fit_values *v, double *bits)
{
    enum { MAX_SEEN = 8 };
    int64_t seen[MAX_SEEN], base;
    int n_seen = 0;
    uint32_t counted = UINT32_MAX; /* a capture */
    *bits = 0;
    for (size_t i = 0; i < v->n && n_seen < MAX_SEEN; i = fit_next(f, candidate, v, i)) {
        if (!fit_value(f, candidate, v->samples[i], &base))
            return 0;
        bool is_new = true;
        for (int k = 0; k < n_seen; k++)
            is_new &= seen[k] != base;
        if (is_new)
            seen[n_seen++] = base;
        if (is_new || v->samples[i]->capture != counted)
            *bits += log2(2 + fabs((double)v->value[i]));
        counted = v->samples[i]->capture;
    }
    return n_seen;
}

/* a and b of value = a * base + b, from the first two samples whose bases differ. Of samples with
 * equal values, the first one is enough: if bases differ there, is_on_line finds it. */
static bool line_of(const fitting *f, size_t candidate, const fit_values *v, int64_t *a, int64_t *b)
{
    int64_t x0, x = 0, dx, dy, product;
    if (!fit_value(f, candidate, v->samples[0], &x0))
        return false;
    for (size_t i = fit_past(v, 0); i < v->n; i = fit_past(v, i)) {
        if (!fit_value(f, candidate, v->samples[i], &x))
            return false;
        if (x == x0 && v->value[i] != v->value[0])
            return false;
        if (x == x0)
            continue;
        if (__builtin_sub_overflow(x, x0, &dx) ||
            __builtin_sub_overflow(v->value[i], v->value[0], &dy) || dy % dx != 0)
            return false;
        *a = dy / dx;
        return *a != 0 && !__builtin_mul_overflow(*a, x0, &product) &&
               !__builtin_sub_overflow(v->value[0], product, b);
    }
    return false;
}

static bool is_on_line_at(const fitting *f, size_t candidate, const fit_values *v,
                          const int64_t line[2], bool every)
{
    int64_t x, value;
    for (size_t i = 0; i < v->n; i = every ? i + 1 : fit_past(v, i))
        if (!fit_value(f, candidate, v->samples[i], &x) ||
            __builtin_mul_overflow(line[0], x, &value) ||
            __builtin_add_overflow(value, line[1], &value) || value != v->value[i])
            return false;
    return true;
}

/* Few samples refute most candidates. */
static bool is_on_line(const fitting *f, size_t candidate, const fit_values *v, int64_t a,
                       int64_t b)
{
    const fit_candidate *all = f->candidates.items;
    const int64_t line[2] = {a, b};
    return is_on_line_at(f, candidate, v, line, false) &&
           (!all[candidate].variables || is_on_line_at(f, candidate, v, line, true));
}

static bool equals(const fitting *f, size_t candidate, const fit_values *v)
{
    return is_on_line(f, candidate, v, 1, 0);
}

/* An operator that is weaker than + and - may be in the text. */
bool fit_is_weak(const char *text)
{
    return strpbrk(text, "?|&^<>=!") != NULL;
}

static void write_line(const char *base, int64_t a, int64_t b, char text[MAX_TEXT])
{
    const bool is_word = !strpbrk(base, " ");
    char product[MAX_TEXT];
    if (a == 1)
        snprintf(product, sizeof product, b && fit_is_weak(base) ? "(%s)" : "%s", base);
    else if (a == -1)
        snprintf(product, sizeof product, is_word ? "-%s" : "-(%s)", base);
    else
        snprintf(product, sizeof product, is_word ? "%" PRId64 " * %s" : "%" PRId64 " * (%s)", a,
                 base);
    if (b)
        snprintf(text, MAX_TEXT, "%.350s %c %" PRIu64, product, b < 0 ? '-' : '+',
                 b < 0 ? -(uint64_t)b : (uint64_t)b);
    else
        snprintf(text, MAX_TEXT, "%s", product);
}

/* What it takes to write a line down: its numbers, and which candidate it is. */
static double line_bits(const fit_line *l)
{
    const double a = fabs((double)l->a), b = fabs((double)l->b);
    return log2(a) + (l->a < 0) + (l->b ? 2 + log2(b) : 0) + log2((double)l->candidate + 1);
}

/* Two values of the base are enough for a multiple of it; a line needs three, and as many bits in
 * the values that it explains as in itself: with large numbers a and b, some candidate is on a line
 * with any three values (minimum description length, Rissanen 1978). */
static bool is_line(const fitting *f, const fit_values *v, fit_line *l)
{
    double explained;
    if (!line_of(f, l->candidate, v, &l->a, &l->b) || !is_on_line(f, l->candidate, v, l->a, l->b) ||
        count_values(f, l->candidate, v, &explained) < (l->b ? 3 : 2))
        return false;
    l->bits = line_bits(l);
    return !l->b || l->bits <= explained;
}

bool fit_is_allowed(const fit_candidate *c, const fit_values *v)
{
    return !(c->variables & ~v->variables) && !(c->grids & v->without) &&
           (v->is_wide || !c->is_wide) && !(v->is_for_all_ranks && c->by_rank) &&
           (!v->unknown || c->comm < v->unknown);
}

/* Of all lines, the one that is simplest to write. */
static bool search_line(const fitting *f, const fit_values *v, fit_line *found)
{
    const fit_candidate *all = f->candidates.items;
    fit_line best = {.bits = HUGE_VAL};
    for (size_t i = 0; i < f->candidates.n; i++) {
        fit_line l = {.candidate = i};
        if (all[i].use & FIT_NUMBER && fit_is_allowed(&all[i], v) && is_line(f, v, &l) &&
            l.bits < best.bits)
            best = l;
    }
    *found = best;
    return best.bits < HUGE_VAL;
}

static bool has_null(const fit_values *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->value[i] == SKEL_NULL)
            return true;
    return false;
}

bool fit_find(const fitting *f, const fit_values *v, unsigned use, fit_line *found)
{
    const fit_candidate *all = f->candidates.items;
    if (is_constant(v)) {
        const int64_t b = v->n ? v->value[0] : 0;
        *found = (fit_line){FIT_NO_CANDIDATE, 0, b, 1 + log2(1 + fabs((double)b))};
        return true;
    }
    for (int own = v->comm >= SKEL_FIRST_COMM; own >= 0; own--)
        for (size_t i = 0; i < f->candidates.n; i++)
            if (all[i].use & use && (!own || all[i].comm == v->comm) &&
                fit_is_allowed(&all[i], v) && equals(f, i, v)) {
                *found = (fit_line){i, 1, 0, log2((double)i + 1)};
                return true;
            }
    return !has_null(v) && search_line(f, v, found);
}

bool fit_line_value(const fitting *f, const fit_line *l, const fit_sample *sample, int64_t *out)
{
    int64_t x = 0;
    return (l->candidate == FIT_NO_CANDIDATE || fit_value(f, l->candidate, sample, &x)) &&
           !__builtin_mul_overflow(l->a, x, out) && !__builtin_add_overflow(*out, l->b, out);
}

void fit_write_line(const fitting *f, const fit_line *l, char text[MAX_TEXT])
{
    const fit_candidate *all = f->candidates.items;
    if (l->candidate != FIT_NO_CANDIDATE)
        write_line(all[l->candidate].text, l->a, l->b, text);
    else if (l->b == SKEL_NULL)
        snprintf(text, MAX_TEXT, "null");
    else
        snprintf(text, MAX_TEXT, "%" PRId64, l->b);
}

static bool search(const fitting *f, const fit_values *v, unsigned use, char text[MAX_TEXT])
{
    fit_line found;
    if (!fit_find(f, v, use, &found))
        return false;
    fit_write_line(f, &found, text);
    return true;
}

/* ---- numbers that grow with a loop besides ---- */

bool fit_same_loop_but(const fit_sample *a, const fit_sample *b, unsigned d)
{
    bool same = a->capture == b->capture && a->rank == b->rank;
    for (unsigned i = 0; i < FIT_N_VARIABLES; i++)
        same &= i == d || a->index[i] == b->index[i];
    return same;
}

/* How much the value grows with each iteration of loop d, and no other; 0: it does not, or not
 * evenly, or no loop has three iterations. */
static int64_t growth(const fitting *f, const fit_values *v, unsigned d)
{
    int64_t slope = 0, dy, run = 0;
    bool is_tested = false;
    for (size_t i = 1; i < v->n; i++) {
        const fit_sample *a = v->samples[i - 1], *b = v->samples[i];
        const int64_t dx = (b->index[d] - a->index[d]) / f->period[d];
        if (!fit_same_loop_but(a, b, d) || dx <= 0) {
            run = 0;
            continue;
        }
        if (__builtin_sub_overflow(v->value[i], v->value[i - 1], &dy) || dy % dx != 0 || !dy ||
            (slope && dy / dx != slope))
            return 0;
        slope = dy / dx;
        is_tested |= ++run >= 2;
    }
    return is_tested ? slope : 0;
}

/* The value at index 0 of loop d has an expression, and grows with each iteration. */
static bool search_growth(const fitting *f, const fit_values *v, unsigned use, char text[MAX_TEXT])
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        const int64_t slope = v->variables & 1U << d ? growth(f, v, d) : 0;
        char rest[MAX_TEXT];
        fit_values at_0 = *v;
        bool ok = slope != 0;
        at_0.variables &= ~(1U << d);
        at_0.value = calloc(v->n + 1, sizeof *at_0.value);
        for (size_t i = 0; i < v->n && ok && at_0.value; i++) {
            int64_t grown;
            ok = !__builtin_mul_overflow(slope, v->samples[i]->index[d] / f->period[d], &grown) &&
                 !__builtin_sub_overflow(v->value[i], grown, &at_0.value[i]);
        }
        at_0.past = NULL;
        if (ok && at_0.value)
            find_past(&at_0);
        ok = ok && at_0.value && search(f, &at_0, use, rest);
        free(at_0.value);
        free(at_0.past);
        if (!ok)
            continue;
        const uint64_t step = slope < 0 ? -(uint64_t)slope : (uint64_t)slope;
        const char sign = slope < 0 ? '-' : '+';
        char times[32] = "";
        if (step != 1)
            snprintf(times, sizeof times, "%" PRIu64 " * ", step);
        snprintf(text, MAX_TEXT, fit_is_weak(rest) ? "(%.340s) %c %si%u" : "%.340s %c %si%u", rest,
                 sign, times, d);
        return true;
    }
    return false;
}

/* Combines expressions. This takes long if it is in vain; so if values may be copied, it is only
 * done for those that are the same in a whole capture. */
static bool combine(const fitting *f, const fit_values *v, char text[MAX_TEXT])
{
    fit_values own = *v;
    for (size_t i = 1; f->may_copy && i < v->n; i++)
        if (v->samples[i]->capture == v->samples[i - 1]->capture && v->value[i] != v->value[i - 1])
            return false;
    own.is_for_all_ranks |= f->may_copy;
    own.variables = f->may_copy ? 0 : own.variables;
    return fit_combine(f, &own, text);
}

/* ---- searches that are repeated ---- */

bool fit_recall(const fitting *f, fit_search *s, bool *found, char text[FIT_MAX_TEXT])
{
    const fit_values *v = s->v;
    const uint64_t parts[] = {s->use,  v->variables, v->without,  v->is_wide, v->is_for_all_ranks,
                              v->comm, v->unknown,   f->may_copy, f->is_wide};
    uint64_t key = tl_hash_of(parts, sizeof parts, 0);
    key = tl_hash_of(f->period, sizeof f->period, key);
    key = tl_hash_of(v->value, v->n * sizeof *v->value, key);
    for (size_t i = 0; i < v->n; i++) {
        const fit_sample *at = v->samples[i];
        key = tl_draw(key, (uint64_t)at->capture << 32 | at->rank);
        for (int d = 0; d + 1 < FIT_N_VARIABLES; d += 2)
            key = tl_draw(key, (uint64_t)(uint32_t)at->index[d] << 32 | (uint32_t)at->index[d + 1]);
        key = tl_draw(key, (uint32_t)at->index[FIT_EACH]);
    }
    s->key = key;
    const uint64_t *known = tl_map_find(&f->searched, key);
    if (!known)
        return false;
    const char *kept = ((char **)f->results.items)[*known];
    *found = kept != NULL;
    if (kept)
        snprintf(text, FIT_MAX_TEXT, "%s", kept);
    return true;
}

void fit_remember(fitting *f, const fit_search *s, bool found, const char *text)
{
    char **at = fit_new(f, &f->results, sizeof *at);
    uint64_t *known = at ? tl_map_at(&f->searched, s->key) : NULL;
    if (known) {
        *at = found ? strdup(text) : NULL;
        *known = f->results.n - 1;
    }
    if (!known || (found && !*at))
        fit_out_of_memory(f);
}

bool fit_attribute(fitting *f, const fit_node *node, unsigned use, fit_getter *get, const void *arg,
                   char text[MAX_TEXT])
{
    fit_values v;
    fit_search s = {.v = &v, .use = use};
    bool found = false;
    if (fit_collect(f, node, get, arg, &v) && !fit_recall(f, &s, &found, text)) {
        found = search(f, &v, use, text) ||
                (!has_null(&v) && search_growth(f, &v, use & FIT_NUMBER, text)) ||
                (f->is_wide && !has_null(&v) && use == FIT_NUMBER && combine(f, &v, text));
        fit_remember(f, &s, found, text);
    }
    fit_release(&v);
    return found;
}

/* ---- counts for each member of a communicator ---- */

typedef struct counts {
    const fitting *f;
    int slot;
} counts;

const int64_t *fit_list(const fitting *f, const fit_sample *sample, int slot, uint32_t *n)
{
    const tl_event *e = &sample->event->e;
    const tl_call_info *row = tl_call_by_code(e->call);
    *n = fit_comm_size(f, sample->capture, sample->rank, e->comm);
    if (!fit_has_side(f, sample, slot))
        return NULL;
    const bool is_second = slot == SKEL_SLOT_RECV_COUNTS &&
                           skel_has_counts(row, SKEL_SLOT_COUNTS) &&
                           fit_has_side(f, sample, SKEL_SLOT_COUNTS);
    return e->list_len < *n * (is_second ? 2 : 1) ? NULL : e->list + (is_second ? *n : 0);
}

static bool get_count(const void *arg, const fit_sample *sample, int64_t *out)
{
    const counts *which = arg;
    uint32_t n;
    const int64_t *list = fit_list(which->f, sample, which->slot, &n);
    if (list)
        *out = list[sample->index[FIT_EACH]];
    return list != NULL;
}

/* A sample for each member; to be freed. */
static fit_node for_each(fitting *f, const fit_node *node, int slot)
{
    const fit_sample *samples = node->samples.items;
    fit_node all = *node;
    all.samples = (skel_array){0};
    all.has_each = true;
    for (size_t i = 0; i < node->samples.n && f->status == TL_OK; i++) {
        uint32_t n;
        if (!samples[i].event || !fit_is_used(f, node, &samples[i]) ||
            !fit_list(f, &samples[i], slot, &n))
            continue;
        for (uint32_t k = 0; k < n && f->status == TL_OK; k++) {
            fit_sample *made = fit_new(f, &all.samples, sizeof *made);
            if (!made)
                break;
            *made = samples[i];
            made->index[FIT_EACH] = (int32_t)k;
        }
    }
    return all;
}

bool fit_counts(fitting *f, const fit_node *node, int slot, char text[MAX_TEXT])
{
    const counts which = {f, slot};
    fit_node all = for_each(f, node, slot);
    const bool found = fit_attribute(f, &all, FIT_NUMBER, get_count, &which, text) ||
                       fit_copy_value(f, &all, get_count, &which, FIT_SIZES, text);
    free(all.samples.items);
    return found;
}

/* ---- what is said of values without an expression ---- */

void fit_range_text(const fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                    char text[80])
{
    const fit_sample *samples = node->samples.items;
    int64_t least = INT64_MAX, greatest = INT64_MIN, value;
    bool has_null = false;
    for (size_t i = 0; i < node->samples.n; i++) {
        if (!fit_is_used(f, node, &samples[i]) || !get(arg, &samples[i], &value))
            continue;
        has_null |= value == SKEL_NULL;
        least = value != SKEL_NULL && value < least ? value : least;
        greatest = value > greatest ? value : greatest;
    }
    *text = '\0';
    if (least <= greatest)
        snprintf(text, 80, " (%" PRId64 " to %" PRId64 "%s in the captures)", least, greatest,
                 has_null ? ", and null," : "");
}

void fit_counts_range_text(fitting *f, const fit_node *node, int slot, char text[80])
{
    const counts which = {f, slot};
    fit_node all = for_each(f, node, slot);
    fit_range_text(f, &all, get_count, &which, text);
    free(all.samples.items);
}
