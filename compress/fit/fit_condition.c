/* fit_condition.c - the condition of a call or a flag: the first one, or the first two, of the list
 * that hold for the recorded ranks and iterations and for no others. */
#include "config.h"

#include "fit.h"

#include <math.h>
#include <stdio.h>

/* Few samples refute most conditions: those whose value is not 0, which are few for a rare call. */
static bool may_hold(const fitting *f, size_t candidate, const fit_values *v)
{
    int64_t value;
    for (size_t i = 0; i < v->n; i = v->value[i] ? fit_next(f, candidate, v, i) : fit_past(v, i))
        if (v->value[i] && (!fit_value(f, candidate, v->samples[i], &value) || !value))
            return false;
    return true;
}

/* Whether a condition has a value everywhere, and holds wherever the value is not 0 (`all`: and
 * nowhere else). */
static bool holds(const fitting *f, size_t candidate, const fit_values *v, bool all)
{
    int64_t value;
    for (size_t i = 0; i < v->n; i = fit_next(f, candidate, v, i))
        if (!fit_value(f, candidate, v->samples[i], &value) || (v->value[i] && !value) ||
            (all && !v->value[i] && value))
            return false;
    return true;
}

/* Pairs of conditions. A sample that refutes a pair refutes many others, too, so these samples are
 * remembered, with the value of each condition there. */
enum { MAX_POSSIBLE = 200, MAX_REFUTING = 64 };

typedef struct pairs {
    const fitting *f;
    const fit_values *v;
    bool either; /* one of them must hold, in place of both */
    size_t possible[MAX_POSSIBLE], n;
    bool is_checked;                /* all in `possible` have a value everywhere */
    uint64_t refutes[MAX_POSSIBLE]; /* bits: it agrees with the wrong side in these samples */
    unsigned n_refuting;
} pairs;

static bool holds_at(const pairs *p, size_t k, size_t sample)
{
    int64_t value;
    return fit_value(p->f, p->possible[k], p->v->samples[sample], &value) && value;
}

/* The pair must hold where the value is not 0, and nowhere else. */
static bool is_refuted(const pairs *p, size_t a, size_t b, size_t sample)
{
    const bool wanted = p->v->value[sample] != 0;
    return p->either ? (holds_at(p, a, sample) || holds_at(p, b, sample)) != wanted
                     : (holds_at(p, a, sample) && holds_at(p, b, sample)) != wanted;
}

static void remember(pairs *p, size_t sample)
{
    if (p->n_refuting == MAX_REFUTING)
        return;
    for (size_t k = 0; k < p->n; k++)
        if (holds_at(p, k, sample) != p->either)
            p->refutes[k] |= UINT64_C(1) << p->n_refuting;
    p->n_refuting++;
}

/* Each condition alone holds wherever the value is not 0 (`either`: nowhere else). */
static bool fits(pairs *p, size_t a, size_t b)
{
    const fit_candidate *all = p->f->candidates.items;
    const size_t with_variables = p->possible[all[p->possible[a]].variables ? a : b];
    if (p->refutes[a] & p->refutes[b])
        return false;
    for (size_t i = 0; i < p->v->n; i = fit_next(p->f, with_variables, p->v, i))
        if (is_refuted(p, a, b, i)) {
            remember(p, i);
            return false;
        }
    return true;
}

/* The first pair that fits. */
static bool search_pairs(pairs *p, char text[FIT_MAX_TEXT])
{
    const fit_candidate *all = p->f->candidates.items;
    for (size_t a = 0; a < p->n; a++)
        for (size_t b = a + 1; b < p->n; b++)
            if (fits(p, a, b) && (p->either || (holds(p->f, p->possible[a], p->v, false) &&
                                                holds(p->f, p->possible[b], p->v, false)))) {
                snprintf(text, FIT_MAX_TEXT, p->either ? "%.190s || %.190s" : "%.190s && %.190s",
                         all[p->possible[a]].text, all[p->possible[b]].text);
                return true;
            }
    return false;
}

/* A condition without a value somewhere is in no pair. To find these takes long, so they are
 * removed only when the list is full. */
static void add_possible(pairs *p, size_t candidate)
{
    if (p->n == MAX_POSSIBLE && !p->is_checked) {
        p->n = 0;
        for (size_t i = 0; i < MAX_POSSIBLE; i++)
            if (holds(p->f, p->possible[i], p->v, false))
                p->possible[p->n++] = p->possible[i];
        p->is_checked = true;
    }
    if (p->n < MAX_POSSIBLE && (!p->is_checked || holds(p->f, candidate, p->v, false)))
        p->possible[p->n++] = candidate;
}

static bool search_condition(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT])
{
    const fit_candidate *all = f->candidates.items;
    pairs p = {.f = f, .v = v};
    bool any = false, every = true;
    for (size_t i = 0; i < v->n; i++) {
        any |= v->value[i] != 0;
        every &= v->value[i] != 0;
    }
    snprintf(text, FIT_MAX_TEXT, "%d", any);
    if (!any || every)
        return true;
    for (size_t i = 0; i < f->candidates.n; i++) {
        if (!(all[i].use & FIT_CONDITION) || !fit_is_allowed(&all[i], v) || !may_hold(f, i, v))
            continue;
        if (holds(f, i, v, true)) {
            snprintf(text, FIT_MAX_TEXT, "%s", all[i].text);
            return true;
        }
        add_possible(&p, i);
    }
    return search_pairs(&p, text);
}

/* ---- two conditions of which one holds ---- */

/* The bits that tell the iterations of a rank in each capture apart: n times the entropy. The ranks
 * are not independent of each other. */
static double bits_of(const fit_values *v)
{
    double bits = 0, most = 0, n = 0, k = 0;
    for (size_t i = 0; i <= v->n; i++) {
        const bool ends = i == v->n || (i && v->samples[i]->rank != v->samples[i - 1]->rank);
        const bool ends_capture =
            i == v->n || (i && v->samples[i]->capture != v->samples[i - 1]->capture);
        if ((ends || ends_capture) && k > 0 && k < n) {
            const double own = -k * log2(k / n) - (n - k) * log2((n - k) / n);
            most = own > most ? own : most;
        }
        if (ends || ends_capture)
            n = k = 0;
        if (ends_capture) {
            bits += most;
            most = 0;
        }
        n++;
        k += i < v->n && v->value[i];
    }
    return bits;
}

/* Whether a condition holds somewhere, and nowhere else than the value. */
static bool is_part(const fitting *f, size_t candidate, const fit_values *v)
{
    int64_t value;
    bool any = false;
    for (size_t i = 0; i < v->n; i = fit_next(f, candidate, v, i)) {
        if (!fit_value(f, candidate, v->samples[i], &value) || (value && !v->value[i]))
            return false;
        any |= value != 0;
    }
    return any;
}

static bool search_either(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT])
{
    enum { MARGIN_BITS = 3 };
    const fit_candidate *all = f->candidates.items;
    pairs p = {.f = f, .v = v, .either = true};
    for (size_t i = 0; i < f->candidates.n && p.n < MAX_POSSIBLE; i++)
        if (all[i].use & FIT_CONDITION && fit_is_allowed(&all[i], v) && is_part(f, i, v))
            p.possible[p.n++] = i;
    return 2 * log2((double)p.n) + MARGIN_BITS <= bits_of(v) && search_pairs(&p, text);
}

bool fit_condition(fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                   char text[FIT_MAX_TEXT])
{
    fit_values v;
    fit_search s = {.v = &v, .use = FIT_CONDITION};
    bool found = false;
    if (fit_collect(f, node, get, arg, &v) && !fit_recall(f, &s, &found, text)) {
        found = search_condition(f, &v, text) || (f->is_wide && search_either(f, &v, text));
        fit_remember(f, &s, found, text);
    }
    fit_release(&v);
    return found;
}
