/* segments.c - finds the sizes at which the lines through durations change, by dynamic programming.
 */
#include "segments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>

/* The number of candidates for breaks in each decade of sizes, from LEAST_BREAK on; then the number
 * of gaps between measured sizes that are tried near each break. */
enum { PER_DECADE = 48, LEAST_BREAK = 12, N_NEAR = 96, LEAST_IN_SEGMENT = 15 };
/* No protocol has a range of sizes with a smaller ratio. */
#define LEAST_RATIO 1.3
/* A break that saves this many penalties needs no confirmation. */
#define CERTAIN 8

/* Cumulative sums over the measurements of a series, for least squares in constant time. */
typedef struct sums {
    long double w, wx, wxx, wy, wxy, wyy;
} sums;

typedef struct problem {
    const tlp_series *series;
    int n_series;
    sums *first[TLP_MAX_SERIES]; /* [i]: over the first i measurements */
    double penalty;
    const double *forced;
    int n_forced;
    double largest_bytes;
    double *places; /* candidates, ascending; the first is 0, the last beyond all sizes */
    size_t n_places;
    size_t *at[TLP_MAX_SERIES]; /* measurements up to each candidate */
} problem;

static sums minus(const sums *a, const sums *b)
{
    return (sums){a->w - b->w,   a->wx - b->wx,   a->wxx - b->wxx,
                  a->wy - b->wy, a->wxy - b->wxy, a->wyy - b->wyy};
}

/* Weighted least squares with both coefficients at least 0; returns the sum of squares. */
static double solve(const sums *s, bool may_dip, double *intercept, double *slope)
{
    long double det = s->w * s->wxx - s->wx * s->wx;
    long double b = det > 1e-13L * s->w * s->wxx ? (s->w * s->wxy - s->wx * s->wy) / det : 0;
    long double a = (s->wy - b * s->wx) / s->w;
    if (b < 0) {
        b = 0;
        a = s->wy / s->w;
    } else if (a < 0 && !may_dip) {
        a = 0;
        b = s->wxy / s->wxx;
    }
    *intercept = (double)a;
    *slope = (double)b;
    return (double)fmaxl(0, s->wyy - 2 * (a * s->wy + b * s->wxy) + a * a * s->w +
                                2 * a * b * s->wx + b * b * s->wxx);
}

/* The cost of one line through measurements from..to-1 of series k. */
static double cost_of(const problem *p, int k, size_t from, size_t to)
{
    double a, b;
    if (to < from + LEAST_IN_SEGMENT)
        return INFINITY;
    sums s = minus(&p->first[k][to], &p->first[k][from]);
    return solve(&s, p->series[k].may_dip, &a, &b);
}

static size_t count_up_to(const tlp_series *s, double bytes)
{
    size_t low = 0, high = s->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->bytes[middle] <= bytes)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static tl_status add_up(problem *p)
{
    double n_all = 0;
    for (int k = 0; k < p->n_series; k++) {
        const tlp_series *s = &p->series[k];
        if (s->n / 2 < LEAST_IN_SEGMENT)
            return TL_ERR_USAGE;
        if (!(p->first[k] = calloc(s->n + 1, sizeof *p->first[k])))
            return TL_ERR_MEMORY;
        for (size_t i = 0; i < s->n; i++) {
            long double x = s->bytes[i], y = s->seconds[i],
                        w = 1 / ((long double)s->sd_s[i] * s->sd_s[i]);
            const sums *a = &p->first[k][i];
            p->first[k][i + 1] = (sums){a->w + w,      a->wx + w * x,      a->wxx + w * x * x,
                                        a->wy + w * y, a->wxy + w * x * y, a->wyy + w * y * y};
        }
        n_all += (double)s->n;
    }
    /* Two coefficients for each series, and the place of the break. */
    p->penalty = (2 * p->n_series + 1) * log(n_all);
    return TL_OK;
}

static bool is_forced(const problem *p, double place)
{
    for (int i = 0; i < p->n_forced; i++)
        if (place == p->forced[i])
            return 1;
    return 0;
}

/* Sets the candidates of the problem to the n ones at p->places: sorts them, adds the ends, and
 * counts the measurements up to each. */
static tl_status set_places(problem *p, size_t n)
{
    gsl_sort(p->places, 1, n);
    p->n_places = 1;
    for (size_t i = 0; i < n; i++)
        if (p->places[i] > 0 && p->places[i] < p->largest_bytes &&
            p->places[i] != p->places[p->n_places - 1])
            p->places[p->n_places++] = p->places[i];
    p->places[0] = 0;
    p->places[p->n_places++] = 2 * p->largest_bytes;
    for (int k = 0; k < p->n_series; k++) {
        free(p->at[k]);
        if (!(p->at[k] = malloc(p->n_places * sizeof *p->at[k])))
            return TL_ERR_MEMORY;
        for (size_t i = 0; i < p->n_places; i++)
            p->at[k][i] = count_up_to(&p->series[k], p->places[i]);
    }
    return TL_OK;
}

/* The first candidates; returns how many there are. */
static size_t begin_places(problem *p)
{
    p->places[0] = 0;
    for (int i = 0; i < p->n_forced; i++)
        p->places[1 + i] = p->forced[i];
    return 1 + (size_t)p->n_forced;
}

static tl_status choose_places(problem *p)
{
    for (int k = 0; k < p->n_series; k++)
        p->largest_bytes = fmax(p->largest_bytes, p->series[k].bytes[p->series[k].n - 1]);
    size_t n = 1 + (size_t)(PER_DECADE * fmax(0, log10(p->largest_bytes / LEAST_BREAK)));
    size_t near = (size_t)p->n_series * TLP_MAX_SEGMENTS * (N_NEAR + 1);
    if (!(p->places =
              malloc((2 + (n > near ? n : near) + (size_t)p->n_forced) * sizeof *p->places)))
        return TL_ERR_MEMORY;
    size_t first = begin_places(p);
    for (size_t i = 0; i < n; i++)
        p->places[first + i] = floor(LEAST_BREAK * pow(10, (double)i / PER_DECADE));
    return set_places(p, first + n);
}

/* Candidates near the breaks that were found: gaps between two sizes. */
static tl_status choose_near(problem *p, const tlp_pieces *pieces)
{
    const double reach = LEAST_RATIO;
    size_t n = begin_places(p);
    for (int i = 1; i < pieces->n; i++) {
        for (int k = 0; k < p->n_series; k++) {
            const tlp_series *s = &p->series[k];
            size_t from = count_up_to(s, pieces->breaks[i] / reach);
            size_t to = count_up_to(s, pieces->breaks[i] * reach);
            size_t step = 1 + (to - from) / N_NEAR;
            for (size_t at = from; at + 1 < to; at += step)
                p->places[n++] = floor(sqrt(s->bytes[at] * s->bytes[at + 1]));
        }
        p->places[n++] = pieces->breaks[i];
    }
    return set_places(p, n);
}

/* The best way to divide at candidates: least[j] is the cost of everything up to the jth. */
static tl_status cut(const problem *p, tlp_pieces *out)
{
    size_t n = p->n_places, *last = calloc(n, sizeof *last);
    double *least = calloc(n, sizeof *least);
    tl_status status = TL_ERR_MEMORY;
    if (!last || !least)
        goto cleanup;
    for (size_t j = 0; j < n; j++) {
        least[j] = j ? INFINITY : 0;
        for (size_t i = j; i-- > 0;) {
            double cost = least[i] + (i ? p->penalty : 0);
            if (p->places[j] < LEAST_RATIO * p->places[i])
                cost = INFINITY;
            for (int k = 0; k < p->n_series && cost < least[j]; k++)
                cost += cost_of(p, k, p->at[k][i], p->at[k][j]);
            if (cost < least[j]) {
                least[j] = cost;
                last[j] = i;
            }
            if (is_forced(p, p->places[i]))
                break; /* no segment goes across it */
        }
    }
    out->n = 0;
    status = isfinite(least[n - 1]) ? TL_OK : TL_ERR_USAGE;
    for (size_t j = n - 1; status == TL_OK && j > 0; j = last[j])
        out->n++;
    out->n = out->n < TLP_MAX_SEGMENTS ? out->n : TLP_MAX_SEGMENTS;
    int at = out->n;
    for (size_t j = n - 1; status == TL_OK && j > 0 && at > 0; j = last[j])
        out->breaks[--at] = p->places[last[j]];
    out->breaks[0] = 0;
cleanup:
    free(last);
    free(least);
    return status;
}

static double upper_end(const tlp_pieces *pieces, int i)
{
    return i + 1 < pieces->n ? pieces->breaks[i + 1] : INFINITY;
}

/* The cost that break i saves. */
static double saved_by(const problem *p, const tlp_pieces *pieces, int i)
{
    double saved = 0;
    for (int k = 0; k < p->n_series; k++) {
        const tlp_series *s = &p->series[k];
        size_t from = i > 1 ? count_up_to(s, pieces->breaks[i - 1]) : 0;
        size_t middle = count_up_to(s, pieces->breaks[i]);
        size_t to = count_up_to(s, upper_end(pieces, i));
        saved += cost_of(p, k, from, to) - cost_of(p, k, from, middle) - cost_of(p, k, middle, to);
    }
    return saved;
}

/* The line of series k through sizes above `from` up to `to`. */
static tl_status fit_line(const problem *p, int k, double from, double to, tlp_line *line)
{
    const tlp_series *s = &p->series[k];
    size_t first = from > 0 ? count_up_to(s, from) : 0, end = count_up_to(s, to);
    sums d = minus(&p->first[k][end], &p->first[k][first]);
    *line = (tlp_line){0};
    if (end < first + 2)
        return TL_ERR_USAGE;
    solve(&d, s->may_dip, &line->intercept_s, &line->per_byte_s);
    return tlp_mixture_fit(s->bytes + first, s->seconds + first, end - first, s->may_dip, line);
}

static tl_status fit_lines(const problem *p, tlp_pieces *out)
{
    for (int k = 0; k < p->n_series; k++)
        for (int i = 0; i < out->n; i++)
            TL_TRY(fit_line(p, k, out->breaks[i], upper_end(out, i), &out->lines[k][i]));
    return TL_OK;
}

/* The growth of the criterion if break i is removed, and the lines without it. */
static tl_status try_without(const problem *p, const tlp_pieces *pieces, int i, double *growth,
                             tlp_line *merged)
{
    *growth = 0;
    for (int k = 0; k < p->n_series; k++) {
        TL_TRY(fit_line(p, k, pieces->breaks[i - 1], upper_end(pieces, i), &merged[k]));
        *growth +=
            merged[k].criterion - pieces->lines[k][i - 1].criterion - pieces->lines[k][i].criterion;
    }
    return TL_OK;
}

static void take_out(tlp_pieces *pieces, int n_series, int i, const tlp_line *merged)
{
    size_t behind = (size_t)(pieces->n - i - 1);
    memmove(&pieces->breaks[i], &pieces->breaks[i + 1], behind * sizeof *pieces->breaks);
    for (int k = 0; k < n_series; k++) {
        pieces->lines[k][i - 1] = merged[k];
        memmove(&pieces->lines[k][i], &pieces->lines[k][i + 1], behind * sizeof(tlp_line));
    }
    pieces->n--;
}

/* Breaks of the least squares may follow clusters of a rare mode. Removes, the weakest first, the
 * breaks without which the criterion with modes is not worse. */
static tl_status prune(const problem *p, tlp_pieces *pieces)
{
    TL_TRY(fit_lines(p, pieces));
    for (int weakest = 1; weakest > 0;) {
        double least = log((double)p->series[0].n); /* the place itself */
        tlp_line merged[TLP_MAX_SERIES], best[TLP_MAX_SERIES];
        weakest = 0;
        for (int i = 1; i < pieces->n; i++) {
            double growth = 0;
            if (is_forced(p, pieces->breaks[i]) || saved_by(p, pieces, i) > CERTAIN * p->penalty)
                continue;
            TL_TRY(try_without(p, pieces, i, &growth, merged));
            if (growth < least) {
                least = growth;
                weakest = i;
                memcpy(best, merged, sizeof best);
            }
        }
        if (weakest)
            take_out(pieces, p->n_series, weakest, best);
    }
    return TL_OK;
}

/* Cumulative sums over the measurements of a series from `from` on: how much more likely each is on
 * the line before break i than on the line behind it. */
static double *preference(const tlp_series *s, const tlp_line *before, const tlp_line *behind,
                          size_t from, size_t to)
{
    double *sum = malloc((to - from + 1) * sizeof *sum);
    if (!sum)
        return NULL;
    sum[0] = 0;
    for (size_t i = from; i < to; i++)
        sum[i - from + 1] = sum[i - from] +
                            tlp_line_log_density(before, s->bytes[i], s->seconds[i]) -
                            tlp_line_log_density(behind, s->bytes[i], s->seconds[i]);
    return sum;
}

/* Whether there are enough measurements on both sides of break i if it is moved to `place`. */
static bool is_filled(const problem *p, const tlp_pieces *pieces, int i, double place)
{
    for (int k = 0; k < p->n_series; k++) {
        const tlp_series *s = &p->series[k];
        size_t from = i > 1 ? count_up_to(s, pieces->breaks[i - 1]) : 0;
        size_t middle = count_up_to(s, place), to = count_up_to(s, upper_end(pieces, i));
        if (middle < from + LEAST_IN_SEGMENT || to < middle + LEAST_IN_SEGMENT)
            return 0;
    }
    return 1;
}

/* Moves break i to the gap near it that makes the measurements most likely. */
static tl_status settle(const problem *p, tlp_pieces *pieces, int i)
{
    double now = pieces->breaks[i];
    double low = fmin(now, fmax(now / LEAST_RATIO, pieces->breaks[i - 1] * LEAST_RATIO));
    double high = fmax(now, fmin(now * LEAST_RATIO, upper_end(pieces, i) / LEAST_RATIO));
    double *sum[TLP_MAX_SERIES] = {0}, best = now, most = -INFINITY;
    size_t from[TLP_MAX_SERIES], to[TLP_MAX_SERIES];
    tl_status status = TL_OK;
    for (int k = 0; k < p->n_series; k++) {
        from[k] = count_up_to(&p->series[k], low);
        to[k] = count_up_to(&p->series[k], high);
        sum[k] = preference(&p->series[k], &pieces->lines[k][i - 1], &pieces->lines[k][i], from[k],
                            to[k]);
        if (!sum[k])
            status = TL_ERR_MEMORY;
    }
    for (int k = 0; status == TL_OK && k < p->n_series; k++) {
        const double *bytes = p->series[k].bytes;
        for (size_t at = from[k]; at + 1 < to[k]; at++) {
            double place = floor(sqrt(bytes[at] * bytes[at + 1])), all = 0;
            for (int l = 0; l < p->n_series; l++) {
                size_t n = count_up_to(&p->series[l], place);
                all += sum[l][n < from[l] ? 0 : n - from[l]];
            }
            if (all > most && is_filled(p, pieces, i, place)) {
                most = all;
                best = place;
            }
        }
    }
    for (int k = 0; k < p->n_series; k++)
        free(sum[k]);
    pieces->breaks[i] = best;
    return status;
}

static tl_status fit(problem *p, tlp_pieces *out)
{
    TL_TRY(add_up(p));
    TL_TRY(choose_places(p));
    TL_TRY(cut(p, out));
    TL_TRY(choose_near(p, out));
    TL_TRY(cut(p, out));
    TL_TRY(prune(p, out));
    for (int i = 1; i < out->n; i++)
        if (!is_forced(p, out->breaks[i]))
            TL_TRY(settle(p, out, i));
    return out->n > 1 ? fit_lines(p, out) : TL_OK;
}

tl_status tlp_pieces_fit(const tlp_series *series, int n_series, const double *forced, int n_forced,
                         tlp_pieces *out)
{
    problem p = {.series = series, .n_series = n_series, .forced = forced, .n_forced = n_forced};
    *out = (tlp_pieces){0};
    const tl_status status = fit(&p, out);
    free(p.places);
    for (int k = 0; k < n_series; k++) {
        free(p.first[k]);
        free(p.at[k]);
    }
    return status;
}

int tlp_segment_of(const tlp_pieces *pieces, double bytes)
{
    int i = 0;
    while (i + 1 < pieces->n && bytes > pieces->breaks[i + 1])
        i++;
    return i;
}

double tlp_pieces_at(const tlp_pieces *pieces, int series, double bytes)
{
    const tlp_line *line = &pieces->lines[series][tlp_segment_of(pieces, bytes)];
    return line->intercept_s + line->per_byte_s * bytes;
}
