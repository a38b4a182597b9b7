/* fit_volume.c - the law of the computation before a call: a constant, a multiple of a size, or a
 * constant and a multiple, by least squares over the ranks of all captures. */
#include "config.h"

#include "fit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank of a capture computes there, on average. */
typedef struct point {
    fit_sample sample;
    double volume, n, weight;
} point;

typedef struct points {
    point *all;
    double *x;
    size_t n;
} points;

typedef struct law {
    double constant, slope, residual; /* residual: root mean square, relative */
    int64_t base;                     /* candidate; -1: none */
    bool divides_last;                /* the base is a quotient, and the slope its first factor */
} law;

/* Whether a burst is so small, compared with others at this call, that the program computes
 * elsewhere in this iteration. `arg`: the largest burst. */
static bool get_presence(const void *arg, const fit_sample *sample, int64_t *out)
{
    const uint64_t *largest = arg;
    if (!sample->event)
        return false;
    *out = sample->event->e.volume > *largest / 1000;
    return true;
}

static uint64_t largest_burst(const fitting *f, const fit_node *node)
{
    const fit_sample *samples = node->samples.items;
    uint64_t largest = 0;
    for (size_t i = 0; i < node->samples.n; i++)
        if (samples[i].event && fit_is_used(f, node, &samples[i]) &&
            samples[i].event->e.volume > largest)
            largest = samples[i].event->e.volume;
    return largest;
}

/* The means; `largest`: of bursts that are not small, unless 0. */
static bool collect(fitting *f, const fit_node *node, uint64_t largest, points *p)
{
    const fit_sample *samples = node->samples.items;
    int64_t is_there = 1;
    p->all = calloc(node->samples.n + 1, sizeof *p->all);
    p->x = calloc(node->samples.n + 1, sizeof *p->x);
    if (!p->all || !p->x) {
        fit_out_of_memory(f);
        return false;
    }
    for (size_t i = 0; i < node->samples.n; i++) {
        if (!samples[i].event || !fit_is_used(f, node, &samples[i]) ||
            (largest && get_presence(&largest, &samples[i], &is_there) && !is_there))
            continue;
        const point *last = p->n ? &p->all[p->n - 1] : NULL;
        if (!last || last->sample.capture != samples[i].capture ||
            last->sample.rank != samples[i].rank)
            p->all[p->n++].sample = samples[i];
        p->all[p->n - 1].volume += (double)samples[i].event->e.volume;
        p->all[p->n - 1].n++;
    }
    for (size_t i = 0; i < p->n; i++)
        p->all[i].volume /= p->all[i].n;
    return p->n > 0;
}

/* Errors count relative to the mean of the capture, and each capture the same. */
static void weigh(points *p)
{
    for (size_t i = 0, past; i < p->n; i = past) {
        double sum = 0;
        for (past = i; past < p->n && p->all[past].sample.capture == p->all[i].sample.capture;
             past++)
            sum += p->all[past].volume;
        const double n = (double)(past - i), mean = sum / n;
        for (size_t k = i; k < past; k++)
            p->all[k].weight = 1 / (n * (mean > 0 ? mean * mean : 1));
    }
}

static double residual_of(const points *p, double constant, double slope)
{
    double sum = 0, n = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double d = constant + slope * p->x[i] - p->all[i].volume;
        sum += p->all[i].weight * d * d;
        n += !i || p->all[i].sample.capture != p->all[i - 1].sample.capture;
    }
    return n > 0 ? sqrt(sum / n) : 0;
}

static void consider(const points *p, double constant, double slope, int64_t base, law *best)
{
    const double residual = residual_of(p, constant, slope);
    if (constant < 0 || slope < 0 || !isfinite(residual))
        return;
    if (best->residual >= 0 && (best->residual < 1e-3 || residual > 0.7 * best->residual))
        return;
    *best = (law){.constant = constant, .slope = slope, .residual = residual, .base = base};
}

/* The multiple of p->x; `line`: with a constant, if there are four values. */
static void try_base(const points *p, int64_t base, bool line, law *best)
{
    double w = 0, x = 0, y = 0, xx = 0, xy = 0, seen[4];
    int n_values = 0;
    for (size_t i = 0; i < p->n; i++) {
        const double weight = p->all[i].weight;
        w += weight;
        x += weight * p->x[i];
        y += weight * p->all[i].volume;
        xx += weight * p->x[i] * p->x[i];
        xy += weight * p->x[i] * p->all[i].volume;
        bool is_new = n_values < 4;
        for (int k = 0; is_new && k < n_values; k++)
            is_new = seen[k] != p->x[i];
        if (is_new)
            seen[n_values++] = p->x[i];
    }
    const double determinant = w * xx - x * x;
    if (!line && xx > 0) {
        consider(p, 0, xy / xx, base, best);
    } else if (line && n_values == 4 && determinant > 1e-9 * w * xx) {
        const double slope = (w * xy - x * y) / determinant;
        consider(p, (y - slope * x) / w, slope, base, best);
    }
}

/* Numbers of the language are whole. A slope keeps three digits: if the base is a product of sizes,
 * thousandths would make 0 of it. */
static double unit_of(double slope)
{
    double unit = slope < 1000 ? 1000 : 1;
    while (slope > 0 && slope * unit < 100 && unit < 1e12)
        unit *= 1000;
    return unit;
}

/* A quotient of whole numbers is rounded: 49 / 32 is 1, and 49 / 64 is 0. The law that divides last
 * has no such steps, but its product must have room for larger sizes, too. */
static void try_quotient(const fitting *f, points *p, size_t base, bool line, law *best)
{
    law next = *best;
    double most = 0;
    for (size_t i = 0; i < p->n; i++) {
        int64_t dividend, divisor;
        if (!fit_quotient(f, base, &p->all[i].sample, &dividend, &divisor) || dividend < 0)
            return;
        p->x[i] = (double)dividend / (double)divisor;
        most = fmax(most, (double)dividend);
    }
    try_base(p, (int64_t)base, line, &next);
    if (next.residual == best->residual ||
        next.slope * unit_of(next.slope) * most > (most > 1 ? 0x1p43 : 0x1p62))
        return;
    *best = next;
    best->divides_last = true;
}

/* All bases. */
static void try_all(const fitting *f, points *p, bool line, law *best)
{
    const fit_candidate *all = f->candidates.items;
    for (size_t c = 0; c < f->candidates.n; c++) {
        int64_t value;
        bool ok = (all[c].use & FIT_LAW) && !all[c].variables;
        if (ok)
            try_quotient(f, p, c, line, best);
        for (size_t i = 0; ok && i < p->n; i++) {
            ok = fit_value(f, c, &p->all[i].sample, &value) && value >= 0;
            p->x[i] = ok ? (double)value : 0;
        }
        if (ok)
            try_base(p, (int64_t)c, line, best);
    }
}

/* A line is asked only if multiples leave more than 5 %. */
static law find_law(const fitting *f, points *p)
{
    double w = 0, y = 0;
    law best = {.residual = -1, .base = -1};
    for (size_t i = 0; i < p->n; i++) {
        w += p->all[i].weight;
        y += p->all[i].weight * p->all[i].volume;
    }
    consider(p, y / w, 0, -1, &best);
    try_all(f, p, false, &best);
    if (best.residual > 0.05)
        try_all(f, p, true, &best);
    return best;
}

/* The part of all computation that the law is for. */
static double share_of(const fitting *f, const points *p)
{
    double own = 0;
    for (size_t i = 0; i < p->n; i++)
        own += p->all[i].volume * p->all[i].n;
    return f->volume > 0 ? own / f->volume : 0;
}

/* The multiple of the base. A base that divides last is a product without brackets around it: the
 * slope is a factor of it before it is divided. */
static void write_multiple(fitting *f, const law *l)
{
    const char *text = ((const fit_candidate *)f->candidates.items)[l->base].text;
    const double unit = unit_of(l->slope);
    if (l->divides_last && !strncmp(text, "1 / ", 4))
        fit_print(f, &f->out, "%.0f%s", l->slope * unit, text + 1);
    else
        fit_print(f, &f->out, l->divides_last ? "%.0f * %s" : "%.0f * (%s)", l->slope * unit, text);
    if (unit > 1)
        fit_print(f, &f->out, " / %.0f", unit);
}

static void write_law(fitting *f, const law *l, double share, unsigned indent)
{
    fit_print(f, &f->out, "%*scompute ", (int)(4 * indent), "");
    if (l->base >= 0)
        write_multiple(f, l);
    if (l->base >= 0 && l->constant >= 0.5)
        fit_print(f, &f->out, " + ");
    if (l->base < 0 || l->constant >= 0.5)
        fit_print(f, &f->out, "%.0f", l->constant);
    fit_print(f, &f->out, " " FIT_RESIDUAL "%.3f", l->residual);
    if (l->residual > FIT_LARGE_RESIDUAL && share >= FIT_LARGE_SHARE)
        fit_print(f, &f->out, FIT_WRONG_SHARE "%.1f %% of the computation", 100 * share);
    fit_print(f, &f->out, "\n");
}

void fit_volume(fitting *f, const fit_node *node, unsigned indent)
{
    points p = {0};
    char condition[400] = "1";
    uint64_t largest = f->has_volumes ? largest_burst(f, node) : 0;
    if (!largest)
        return;
    if (!fit_condition(f, node, get_presence, &largest, condition)) {
        snprintf(condition, sizeof condition, "1");
        largest = 0;
    }
    const bool is_guarded = strcmp(condition, "1") != 0;
    if (collect(f, node, largest, &p)) {
        weigh(&p);
        const law l = find_law(f, &p);
        const bool is_written = l.base >= 0 || l.constant >= 0.5;
        if (is_guarded && is_written)
            fit_print(f, &f->out, "%*sif %s {\n", (int)(4 * indent), "", condition);
        if (is_written)
            write_law(f, &l, share_of(f, &p), indent + is_guarded);
        if (is_guarded && is_written)
            fit_print(f, &f->out, "%*s}\n", (int)(4 * indent), "");
    }
    free(p.all);
    free(p.x);
}
