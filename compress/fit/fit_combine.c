/* fit_combine.c - numbers that two or three expressions of the list make together: a number that
 * grows with a loop by an expression, the square or the triangle of one, and products.
 *
 * There are many combinations, and one of them has any few values by chance. A combination counts
 * only if the values that it explains have more bits than it takes to write it down (minimum
 * description length, Rissanen 1978). */
#include "config.h"

#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MARGIN_BITS = 8, /* that the values have more */
    FORM_BITS = 3    /* which combination it is */
};

/* An expression, and the bits that it takes. */
typedef struct form {
    char text[FIT_MAX_TEXT];
    double bits;
} form;

/* ---- values that are made of others ---- */

static bool copy_values(const fit_values *v, fit_values *made)
{
    *made = *v;
    made->past = NULL;
    made->samples = calloc(v->n + 1, sizeof *made->samples);
    made->value = calloc(v->n + 1, sizeof *made->value);
    for (size_t i = 0; made->samples && made->value && i < v->n; i++) {
        made->samples[i] = v->samples[i];
        made->value[i] = v->value[i];
    }
    return made->samples && made->value;
}

/* The bits of the values. Those of a capture are not independent of each other: a number of a loop
 * is often a line or a parabola, so that three values decide all others. A value that an earlier
 * capture has is one of those that are known. */
static double bits_of(const fit_values *v)
{
    enum { MAX_SEEN = 64, PER_CAPTURE = 3 };
    int64_t seen[MAX_SEEN], own[PER_CAPTURE];
    size_t n = 0, n_own = 0;
    double bits = 0;
    for (size_t i = 0; i < v->n && n < MAX_SEEN; i++) {
        bool is_new = true, is_own = false;
        if (i && v->samples[i]->capture != v->samples[i - 1]->capture)
            n_own = 0;
        for (size_t k = 0; k < n_own; k++)
            is_own |= own[k] == v->value[i];
        if (is_own || n_own == PER_CAPTURE)
            continue;
        own[n_own++] = v->value[i];
        for (size_t k = 0; k < n; k++)
            is_new &= seen[k] != v->value[i];
        bits += is_new ? log2(2 + fabs((double)v->value[i])) : log2(1 + (double)n);
        if (is_new)
            seen[n++] = v->value[i];
    }
    return bits;
}

static bool is_explained(const fit_values *v, double bits)
{
    return bits + MARGIN_BITS <= bits_of(v);
}

/* ---- texts ---- */

/* Whether there is an operator outside of parentheses. */
static bool is_compound(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (!depth && strchr(" -", *text))
            return true;
    }
    return false;
}

static void enclose(const char *text, char out[FIT_MAX_TEXT])
{
    snprintf(out, FIT_MAX_TEXT, is_compound(text) ? "(%.390s)" : "%.390s", text);
}

/* False: it is too long. */
static bool write_form(form *made, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool write_form(form *made, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(made->text, sizeof made->text, format, args);
    va_end(args);
    return n > 0 && n < (int)sizeof made->text;
}

/* ---- a number that grows with a loop by an expression ---- */

static bool find_linear(const fitting *f, const fit_values *v, form *made);

/* The sample of an earlier iteration of loop d; -1: none. */
static int64_t earlier(const fit_values *v, size_t i, unsigned d)
{
    enum { MAX_BACK = 200 };
    for (size_t k = i; k-- > 0 && i - k < MAX_BACK;) {
        if (v->samples[k]->capture != v->samples[i]->capture ||
            v->samples[k]->rank != v->samples[i]->rank)
            return -1;
        if (fit_same_loop_but(v->samples[k], v->samples[i], d) &&
            v->samples[k]->index[d] < v->samples[i]->index[d])
            return (int64_t)k;
    }
    return -1;
}

/* How much the value grows with each iteration of loop d. `slopes` has room for as many as `v`. */
static bool list_slopes(const fitting *f, const fit_values *v, unsigned d, fit_values *slopes)
{
    bool any = false;
    slopes->n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const int64_t k = earlier(v, i, d);
        int64_t dy;
        if (k < 0)
            continue;
        const int64_t dx = (v->samples[i]->index[d] - v->samples[k]->index[d]) / f->period[d];
        if (dx <= 0 || __builtin_sub_overflow(v->value[i], v->value[k], &dy) || dy % dx != 0)
            return false;
        slopes->samples[slopes->n] = v->samples[i];
        slopes->value[slopes->n++] = dy / dx;
        any |= dy != 0;
    }
    return any;
}

/* What remains of the values at index 0 of loop d. */
static bool subtract_growth(const fitting *f, const fit_values *v, unsigned d,
                            const fit_line *slope, fit_values *rest)
{
    for (size_t i = 0; i < v->n; i++) {
        int64_t by;
        if (!fit_line_value(f, slope, v->samples[i], &by) ||
            __builtin_mul_overflow(by, v->samples[i]->index[d] / f->period[d], &by) ||
            __builtin_sub_overflow(v->value[i], by, &rest->value[i]))
            return false;
    }
    return true;
}

static bool write_growth(const fitting *f, const form *rest, fit_line slope, unsigned d, form *made)
{
    char by[FIT_MAX_TEXT], factor[FIT_MAX_TEXT];
    const bool falls =
        slope.candidate == FIT_NO_CANDIDATE ? slope.b < 0 : slope.a < 0 && slope.b <= 0;
    if (falls) {
        slope.a = -slope.a;
        slope.b = -slope.b;
    }
    fit_write_line(f, &slope, by);
    enclose(by, factor);
    const bool is_one = !strcmp(factor, "1"), is_nothing = !strcmp(rest->text, "0") && !falls;
    const char *before = is_nothing ? "" : rest->text, *open = "", *close = "";
    if (!is_nothing && fit_is_weak(rest->text)) {
        open = "(";
        close = ")";
    }
    return write_form(made, "%s%s%s%s%s%si%u", open, before, close,
                      is_nothing ? ""
                      : falls    ? " - "
                                 : " + ",
                      is_one ? "" : factor, is_one ? "" : " * ", d);
}

static bool find_growth(const fitting *f, const fit_values *v, unsigned d, form *made)
{
    fit_values rest = {0};
    fit_line slope;
    form at_0;
    bool ok = copy_values(v, &rest) && list_slopes(f, v, d, &rest);
    rest.variables &= ~(1U << d);
    ok = ok && fit_find(f, &rest, FIT_NUMBER, &slope);
    rest.n = v->n;
    for (size_t i = 0; ok && i < v->n; i++)
        rest.samples[i] = v->samples[i];
    ok = ok && subtract_growth(f, v, d, &slope, &rest) && find_linear(f, &rest, &at_0) &&
         write_growth(f, &at_0, slope, d, made);
    made->bits = ok ? at_0.bits + slope.bits + FORM_BITS : 0;
    fit_release(&rest);
    return ok;
}

static bool find_linear(const fitting *f, const fit_values *v, form *made)
{
    fit_line line;
    bool found = fit_find(f, v, FIT_NUMBER, &line);
    if (found) {
        fit_write_line(f, &line, made->text);
        made->bits = line.bits;
    }
    for (unsigned d = 0; d < FIT_MAX_DEPTH && !found; d++)
        found = v->variables & 1U << d && find_growth(f, v, d, made);
    return found;
}

/* ---- squares and triangles ---- */

/* x of x * x, x * (x + 1), x * (x + 1) / 2. */
typedef enum power { SQUARE, PRONIC, TRIANGLE, N_POWERS } power;

static bool root_of(power kind, int64_t value, int64_t *x)
{
    if (value < 0 || value > INT64_C(1) << 46)
        return false;
    const double y = (double)value;
    switch (kind) {
    case SQUARE: *x = llround(sqrt(y)); return *x * *x == value;
    case PRONIC: *x = llround((sqrt(4 * y + 1) - 1) / 2); return *x * (*x + 1) == value;
    default: *x = llround((sqrt(8 * y + 1) - 1) / 2); return *x * (*x + 1) / 2 == value;
    }
}

static bool find_power(const fitting *f, const fit_values *v, power kind, form *made)
{
    static const char *const texts[] = {"%s * %s", "%s * (%s + 1)", "%s * (%s + 1) / 2"};
    fit_values roots = {0};
    form x;
    char factor[FIT_MAX_TEXT];
    bool ok = copy_values(v, &roots);
    for (size_t i = 0; ok && i < v->n; i++)
        ok = root_of(kind, v->value[i], &roots.value[i]);
    ok = ok && find_linear(f, &roots, &x);
    fit_release(&roots);
    if (!ok)
        return false;
    enclose(x.text, factor);
    made->bits = x.bits + FORM_BITS;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return write_form(made, texts[kind], factor,
                      kind == SQUARE || fit_is_weak(x.text) ? factor : x.text);
#pragma GCC diagnostic pop
}

static bool find_any_power(const fitting *f, const fit_values *v, form *made)
{
    for (int kind = 0; kind < N_POWERS; kind++)
        if (find_power(f, v, (power)kind, made))
            return true;
    return false;
}

/* ---- products ---- */

/* What the other factor is, where this one is not 0. False: the candidate is no factor, or the same
 * everywhere. */
static bool divide(const fitting *f, const fit_values *v, size_t candidate, fit_values *other)
{
    int64_t x, first = 0;
    bool varies = false;
    other->n = 0;
    for (size_t i = 0; i < v->n; i++) {
        if (!fit_value(f, candidate, v->samples[i], &x) || (x ? v->value[i] % x : v->value[i]) != 0)
            return false;
        varies |= i && x != first;
        first = i ? first : x;
        if (!x)
            continue;
        other->samples[other->n] = v->samples[i];
        other->value[other->n++] = v->value[i] / x;
    }
    return varies && other->n;
}

static double candidate_bits(size_t candidate)
{
    return log2((double)candidate + 1);
}

/* The next candidate that is a factor, from number `from` on. */
static size_t next_factor(const fitting *f, const fit_values *v, size_t from, fit_values *other)
{
    const fit_candidate *all = f->candidates.items;
    for (; from < f->candidates.n; from++)
        if (all[from].use & FIT_NUMBER && fit_is_allowed(&all[from], v) &&
            divide(f, v, from, other))
            break;
    return from;
}

static bool find_product(const fitting *f, const fit_values *v, form *made)
{
    const fit_candidate *all = f->candidates.items;
    fit_values other = {0};
    form factor, product;
    char text[2][FIT_MAX_TEXT];
    made->bits = HUGE_VAL;
    if (copy_values(v, &other))
        for (size_t i = 0; (i = next_factor(f, v, i, &other)) < f->candidates.n; i++) {
            if (!find_linear(f, &other, &factor) && !find_any_power(f, &other, &factor))
                continue;
            product.bits = FORM_BITS + candidate_bits(i) + factor.bits;
            enclose(all[i].text, text[0]);
            enclose(factor.text, text[1]);
            if (product.bits < made->bits && write_form(&product, "%s * %s", text[0], text[1]))
                *made = product;
        }
    fit_release(&other);
    return made->bits < HUGE_VAL;
}

static int compare_pairs(const void *a, const void *b)
{
    const fit_pair *x = a, *y = b;
    return x->bits < y->bits ? -1 : x->bits > y->bits;
}

size_t fit_pairs(const fitting *f, const fit_values *v, size_t max, fit_pair *pairs)
{
    fit_values other = {0};
    size_t n = 0;
    if (copy_values(v, &other))
        for (size_t i = 0; (i = next_factor(f, v, i, &other)) < f->candidates.n; i++) {
            fit_pair pair = {.candidate = i};
            if (!fit_find(f, &other, FIT_NUMBER, &pair.other))
                continue;
            pair.bits = FORM_BITS + candidate_bits(i) + pair.other.bits;
            if (!is_explained(v, pair.bits) || (n == max && pair.bits >= pairs[n - 1].bits))
                continue;
            pairs[n == max ? n - 1 : n] = pair;
            n += n < max;
            qsort(pairs, n, sizeof *pairs, compare_pairs);
        }
    fit_release(&other);
    return n;
}

/* ---- another value in the first iteration of a loop ---- */

/* The line of the values in the first iteration of loop d, or in the others. */
static bool find_part(const fitting *f, const fit_values *v, unsigned d, bool is_first,
                      fit_values *part, form *made)
{
    fit_line line;
    part->n = 0;
    part->variables = v->variables & ~(is_first ? 1U << d : 0);
    for (size_t i = 0; i < v->n; i++)
        if ((v->samples[i]->index[d] == f->phase[d]) == is_first) {
            part->samples[part->n] = v->samples[i];
            part->value[part->n++] = v->value[i];
        }
    if (!part->n || !fit_find(f, part, FIT_NUMBER, &line))
        return false;
    fit_write_line(f, &line, made->text);
    made->bits = line.bits;
    return true;
}

static bool find_first(const fitting *f, const fit_values *v, form *made)
{
    fit_values part = {0};
    form first, others;
    bool found = false;
    const bool ok = copy_values(v, &part);
    for (unsigned d = 0; ok && !found && d < FIT_MAX_DEPTH; d++) {
        found = v->variables & 1U << d && find_part(f, v, d, true, &part, &first) &&
                find_part(f, v, d, false, &part, &others) &&
                write_form(made, "i%u == 0 ? %s : %s", d, first.text, others.text);
        made->bits = found ? first.bits + others.bits + FORM_BITS : 0;
        found = found && is_explained(v, made->bits);
    }
    fit_release(&part);
    return found;
}

bool fit_combine(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT])
{
    form made;
    const bool found = (find_linear(f, v, &made) && is_explained(v, made.bits)) ||
                       (find_any_power(f, v, &made) && is_explained(v, made.bits)) ||
                       (find_product(f, v, &made) && is_explained(v, made.bits)) ||
                       find_first(f, v, &made);
    if (found)
        snprintf(text, FIT_MAX_TEXT, "%s", made.text);
    return found;
}
