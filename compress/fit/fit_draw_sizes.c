/* fit_draw_sizes.c - the distribution of sizes: the captured ones, in proportion to an expression
 * of the parameters and the number of ranks that has their means, if there is one. */
#include "config.h"

#include "fit.h"

#include "actions.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* N_SLICES parts of the sizes with the same probability. */
enum { N_SLICES = 20, MAX_FACTORS = 3, MAX_POWER = 2 };
/* A scale has the means of the captures if each is within 3 %, or 2.5 standard errors, of their
 * mean; if none has, the one that leaves the least ratio between two means is good enough up to
 * this ratio. */
static const double error_share = 0.03, n_errors = 2.5, worst_ratio = 1.5;
static const double greatest_size = 9e18;

/* ---- the sizes of a call ---- */

static void each_message(const fit_sample *sample, int kind, fit_take_size *take, void *arg)
{
    const tl_event *e = &sample->event->e;
    if (kind != TL_KIND_RECEIVE && e->peer >= 0)
        take(arg, e->count);
}

/* The number of the first rank, which is that of all. What MPI_IN_PLACE stands for follows from the
 * other side. */
static void each_number(const fitting *f, const fit_sample *sample, const tl_call_info *row,
                        fit_take_size *take, void *arg)
{
    const tl_event *e = &sample->event->e;
    const bool in_place = e->flags & TL_IN_PLACE && row->slots & TL_SLOT_RECV_COUNT;
    if (fit_comm_rank(f, sample->capture, sample->rank, e->comm) > 0)
        return;
    if (fit_has_side(f, sample, SKEL_SLOT_COUNTS) && !in_place)
        take(arg, e->count);
    else if (fit_has_side(f, sample, SKEL_SLOT_RECV_COUNTS) && row->slots & TL_SLOT_RECV_COUNT)
        take(arg, e->recv_count);
}

void fit_each_size(const fitting *f, const fit_sample *sample, fit_take_size *take, void *arg)
{
    const tl_event *e = &sample->event->e;
    const tl_call_info *row = tl_call_by_code(e->call);
    const bool sends = skel_has_counts(row, SKEL_SLOT_COUNTS);
    const bool receives = skel_has_counts(row, SKEL_SLOT_RECV_COUNTS);
    if (!tl_is_collective(row->action)) {
        each_message(sample, tl_meaning_of(row->action)->kind, take, arg);
        return;
    }
    if (!sends && !receives) {
        each_number(f, sample, row, take, arg);
        return;
    }
    const bool is_same_for_all = sends != receives && !tl_is_rooted(row->action);
    if (is_same_for_all && fit_comm_rank(f, sample->capture, sample->rank, e->comm) > 0)
        return;
    uint32_t n;
    const bool in_place = e->flags & TL_IN_PLACE && receives;
    const int64_t *list =
        fit_list(f, sample, sends && !in_place ? SKEL_SLOT_COUNTS : SKEL_SLOT_RECV_COUNTS, &n);
    for (uint32_t i = 0; list && i < n; i++)
        take(arg, list[i]);
}

/* ---- all of them ---- */

typedef struct sizes {
    fitting *f;
    uint32_t capture;
    double *x;
    uint32_t *of; /* their captures */
    size_t n, room;
    fit_sums all;
    double *sum, *squares, *number; /* by capture */
} sizes;

static void take_size(void *arg, int64_t size)
{
    sizes *s = arg;
    if (s->n == s->room) {
        const size_t room = s->room ? 2 * s->room : 64;
        double *x = realloc(s->x, room * sizeof *x);
        s->x = x ? x : s->x;
        uint32_t *of = x ? realloc(s->of, room * sizeof *of) : NULL;
        s->of = of ? of : s->of;
        if (!of) {
            fit_out_of_memory(s->f);
            return;
        }
        s->room = room;
    }
    s->all.least = s->n && s->all.least < size ? s->all.least : size;
    s->all.greatest = s->n && s->all.greatest > size ? s->all.greatest : size;
    s->all.sum += (double)size;
    s->all.n++;
    s->sum[s->capture] += (double)size;
    s->squares[s->capture] += (double)size * (double)size;
    s->number[s->capture]++;
    s->x[s->n] = (double)size;
    s->of[s->n++] = s->capture;
}

static void take_all(sizes *s, uint32_t group)
{
    const fitting *f = s->f;
    for (s->capture = 0; s->capture < f->n_captures; s->capture++) {
        const fit_capture *c = &f->captures[s->capture];
        fit_sample at = {.capture = s->capture};
        for (at.rank = 0; fit_uses(f, s->capture) && at.rank < c->n_ranks; at.rank++)
            for (size_t i = c->first[at.rank]; i < c->first[at.rank + 1]; i++) {
                at.event = &c->events[i];
                if (f->groups[at.event->symbol] == group)
                    fit_each_size(f, &at, take_size, s);
            }
    }
}

/* ---- the scale ---- */

/* A product of parameters, divided by a power of the number of ranks. */
typedef struct scale {
    int n_factors, power;
    size_t factors[MAX_FACTORS]; /* numbers of parameters */
} scale;

static double value_of(const fitting *f, const scale *s, size_t capture)
{
    const fit_capture *c = &f->captures[capture];
    double value = 1;
    for (int i = 0; i < s->n_factors; i++)
        value *= (double)c->values[s->factors[i]];
    for (int i = 0; i < s->power; i++)
        value /= c->n_ranks;
    return value;
}

/* The mean of a capture's sizes in this proportion; 0 if there is none. */
static double mean_by(const sizes *all, const scale *s, size_t capture)
{
    const double by = value_of(all->f, s, capture);
    return by > 0 ? all->sum[capture] / all->number[capture] / by : 0;
}

/* Whether the means of all captures are the same, but for chance; *ratio: of the largest one to the
 * least one. */
static bool has_means(const sizes *all, const scale *s, double *ratio)
{
    double least = INFINITY, greatest = 0, sum = 0, n = 0;
    for (size_t i = 0; i < all->f->n_captures; i++) {
        if (all->number[i] == 0)
            continue;
        const double mean = mean_by(all, s, i);
        least = mean < least ? mean : least;
        greatest = mean > greatest ? mean : greatest;
        sum += mean;
        n++;
    }
    *ratio = least > 0 && isfinite(greatest) ? greatest / least : INFINITY;
    bool has = isfinite(*ratio);
    for (size_t i = 0; i < all->f->n_captures; i++) {
        if (all->number[i] == 0)
            continue;
        const double own = all->sum[i] / all->number[i];
        const double variance = fmax(0, all->squares[i] / all->number[i] - own * own);
        const double error = n_errors * sqrt(variance / all->number[i]) / own;
        has = has && fabs(mean_by(all, s, i) / (sum / n) - 1) <= fmax(error, error_share);
    }
    return has;
}

typedef struct choice {
    const sizes *all;
    bool found; /* the best one has the means */
    double ratio;
    scale best;
} choice;

/* Simple scales come first. */
static void consider(choice *c, scale s)
{
    for (s.power = 0; s.power <= MAX_POWER && !c->found; s.power++) {
        double ratio;
        c->found = has_means(c->all, &s, &ratio);
        if (!c->found && ratio >= c->ratio)
            continue;
        c->ratio = ratio;
        c->best = s;
    }
}

/* False: no scale has the means. */
static bool find_scale(const sizes *all, scale *best)
{
    const size_t n = all->f->n_names;
    choice c = {.all = all, .ratio = INFINITY};
    consider(&c, (scale){0});
    for (size_t i = 0; i < n; i++)
        consider(&c, (scale){.n_factors = 1, .factors = {i}});
    for (size_t i = 0; i < n; i++)
        for (size_t k = i; k < n; k++)
            consider(&c, (scale){.n_factors = 2, .factors = {i, k}});
    for (size_t i = 0; i < n; i++)
        consider(&c, (scale){.n_factors = 3, .factors = {i, i, i}});
    const bool is_good = c.found || c.ratio < worst_ratio;
    *best = is_good ? c.best : (scale){0};
    return is_good;
}

/* ---- the distribution ---- */

static int by_size(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

/* The integral of the sizes, in ascending order, up to the probability p. */
static double integral(const double *x, size_t n, double p)
{
    const double at = p * (double)n;
    double sum = 0;
    for (size_t i = 0; i < n && (double)i < at; i++)
        sum += x[i] * fmin(1, at - (double)i);
    return sum / (double)n;
}

/* The least size, the means of slices around each twentieth, and the greatest size. If the mean of
 * the lines between them is not that of the sizes, the end that is too far out is moved in. */
static void make_nodes(double *x, size_t n, double nodes[N_SLICES + 1])
{
    const double half = 0.5 / N_SLICES;
    double mean = 0;
    qsort(x, n, sizeof *x, by_size);
    nodes[0] = x[0];
    nodes[N_SLICES] = x[n - 1];
    for (int i = 1; i < N_SLICES; i++) {
        const double p = (double)i / N_SLICES;
        nodes[i] = (integral(x, n, p + half) - integral(x, n, p - half)) * N_SLICES;
        nodes[i] = nodes[i] < nodes[i - 1] ? nodes[i - 1] : nodes[i];
        mean += nodes[i] / N_SLICES;
    }
    mean += (nodes[0] + nodes[N_SLICES]) * half;
    const double excess = (mean - integral(x, n, 1)) / half;
    if (excess > 0) {
        const double moved = nodes[N_SLICES] - excess, least = nodes[N_SLICES - 1];
        nodes[N_SLICES] = moved > least ? moved : least;
    } else {
        const double moved = nodes[0] - excess;
        nodes[0] = moved < nodes[1] ? moved : nodes[1];
    }
}

static void write_nodes(fit_draw *d, const double nodes[N_SLICES + 1], double unit)
{
    size_t used = 0;
    int64_t last = 0;
    for (int i = 0; i <= N_SLICES; i++) {
        const double node = nodes[i] * unit;
        const int64_t size = node < greatest_size ? llround(node) : (int64_t)greatest_size;
        last = size > last ? size : last;
        used += (size_t)snprintf(d->sizes + used, sizeof d->sizes - used, "%s%" PRId64,
                                 i ? ", " : "", last);
    }
}

/* Draws in proportion are whole numbers of a unit, by which the result is divided. */
static double unit_of(double mean)
{
    double unit = 1000;
    while (mean * unit < 1000 && unit < 1e9)
        unit *= 10;
    return unit;
}

static void write_scale(const fitting *f, fit_draw *d, const scale *s, double unit)
{
    static const char *const powers[] = {"", " / ranks", " / (ranks * ranks)"};
    char product[160] = "";
    size_t used = 0;
    for (int i = 0; i < s->n_factors && used < sizeof product; i++)
        used += (size_t)snprintf(product + used, sizeof product - used, "%s%.40s", i ? " * " : "",
                                 f->names[s->factors[i]]);
    snprintf(d->scale, sizeof d->scale, "in proportion to %s%s", *product ? product : "1",
             powers[s->power]);
    snprintf(d->size, sizeof d->size, "(draw(%s)%s%s%s + %.0f) / %.0f", d->name,
             *product ? " * " : "", product, powers[s->power], unit / 2, unit);
}

static void write_draw(sizes *all, fit_draw *d)
{
    scale by;
    double nodes[N_SLICES + 1], mean = 0, unit = 1;
    const bool has_scale = find_scale(all, &by);
    const bool is_scaled = by.n_factors || by.power;
    for (size_t i = 0; i < all->n && is_scaled; i++)
        all->x[i] /= value_of(all->f, &by, all->of[i]);
    for (size_t i = 0; i < all->n; i++)
        mean += all->x[i] / (double)all->n;
    make_nodes(all->x, all->n, nodes);
    if (is_scaled) {
        unit = unit_of(mean);
        write_scale(all->f, d, &by, unit);
    } else {
        snprintf(d->scale, sizeof d->scale,
                 has_scale ? "for all sizes of the problem"
                           : "not scaled: no product of parameters and ranks has the means");
        snprintf(d->size, sizeof d->size, "draw(%s)", d->name);
    }
    write_nodes(d, nodes, unit);
}

void fit_draw_choose(fitting *f, fit_draw *d)
{
    sizes all = {.f = f};
    all.sum = calloc(f->n_captures, sizeof *all.sum);
    all.squares = calloc(f->n_captures, sizeof *all.squares);
    all.number = calloc(f->n_captures, sizeof *all.number);
    if (!all.sum || !all.squares || !all.number)
        fit_out_of_memory(f);
    else
        take_all(&all, d->group);
    d->captured = all.all;
    snprintf(d->sizes, sizeof d->sizes, "0, 0");
    snprintf(d->size, sizeof d->size, "draw(%s)", d->name);
    if (f->status == TL_OK && all.n)
        write_draw(&all, d);
    free(all.x);
    free(all.of);
    free(all.sum);
    free(all.squares);
    free(all.number);
}
