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

/* Whether a condition holds wherever the value is not 0 (`all`: and nowhere else). */
static bool holds(const fitting *f, size_t candidate, const fit_values *v, bool all)
{
    int64_t value;
    for (size_t i = 0; i < v->n; i = fit_next(f, candidate, v, i))
        if (!fit_value(f, candidate, v->samples[i], &value) || (v->value[i] && !value) ||
            (all && !v->value[i] && value))
            return false;
    return true;
}

static bool hold_both(const fitting *f, size_t a, size_t b, const fit_values *v)
{
    const fit_candidate *all = f->candidates.items;
    const size_t with_variables = all[a].variables ? a : b;
    int64_t x, y;
    for (size_t i = 0; i < v->n; i = fit_next(f, with_variables, v, i))
        if (!fit_value(f, a, v->samples[i], &x) || !fit_value(f, b, v->samples[i], &y) ||
            (x && y) != (v->value[i] != 0))
            return false;
    return true;
}

static bool search_condition(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT])
{
    enum { MAX_POSSIBLE = 200 };
    const fit_candidate *all = f->candidates.items;
    size_t possible[MAX_POSSIBLE], n = 0;
    bool any = false, every = true;
    for (size_t i = 0; i < v->n; i++) {
        any |= v->value[i] != 0;
        every &= v->value[i] != 0;
    }
    snprintf(text, FIT_MAX_TEXT, "%d", any);
    if (!any || every)
        return true;
    for (size_t i = 0; i < f->candidates.n; i++) {
        if (!(all[i].use & FIT_CONDITION) || !fit_is_allowed(&all[i], v) || !may_hold(f, i, v) ||
            !holds(f, i, v, false))
            continue;
        snprintf(text, FIT_MAX_TEXT, "%s", all[i].text);
        if (holds(f, i, v, true))
            return true;
        if (n < MAX_POSSIBLE)
            possible[n++] = i;
    }
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (hold_both(f, possible[a], possible[b], v)) {
                snprintf(text, FIT_MAX_TEXT, "%.190s && %.190s", all[possible[a]].text,
                         all[possible[b]].text);
                return true;
            }
    return false;
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

static bool are_all(const fitting *f, size_t a, size_t b, const fit_values *v)
{
    const fit_candidate *all = f->candidates.items;
    const size_t with_variables = all[a].variables ? a : b;
    int64_t x, y;
    for (size_t i = 0; i < v->n; i = fit_next(f, with_variables, v, i))
        if (!fit_value(f, a, v->samples[i], &x) || !fit_value(f, b, v->samples[i], &y) ||
            (x || y) != (v->value[i] != 0))
            return false;
    return true;
}

static bool search_either(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT])
{
    enum { MAX_POSSIBLE = 200, MARGIN_BITS = 3 };
    const fit_candidate *all = f->candidates.items;
    size_t possible[MAX_POSSIBLE], n = 0;
    const double bits = bits_of(v);
    for (size_t i = 0; i < f->candidates.n && n < MAX_POSSIBLE; i++)
        if (all[i].use & FIT_CONDITION && fit_is_allowed(&all[i], v) && is_part(f, i, v))
            possible[n++] = i;
    for (size_t a = 0; a < n; a++)
        for (size_t b = a + 1; b < n; b++)
            if (2 * log2((double)n) + MARGIN_BITS <= bits &&
                are_all(f, possible[a], possible[b], v)) {
                snprintf(text, FIT_MAX_TEXT, "%.190s || %.190s", all[possible[a]].text,
                         all[possible[b]].text);
                return true;
            }
    return false;
}

bool fit_condition(fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                   char text[FIT_MAX_TEXT])
{
    fit_values v;
    const bool found =
        fit_collect(f, node, get, arg, &v) &&
        (search_condition(f, &v, text) || (f->is_wide && search_either(f, &v, text)));
    fit_release(&v);
    return found;
}
