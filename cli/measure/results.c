/* results.c - what was measured: a table, the causes of outliers, the ranking of algorithms beside
 * the predicted one, and whether a second campaign differs. */
#include "config.h"

#include "measure/measure.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <results/json_text.h>
#include <stdlib.h>
#include <string.h>
#include <study/compare.h>

enum { TIME_BYTES = 16 };
/* Times that differ by less, as a logarithm, are alike. */
#define ALIKE 0.1

/* "12.34 us" */
static const char *time_text(double seconds, char text[TIME_BYTES])
{
    static const struct {
        double factor;
        const char *unit;
    } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
    size_t i = 0;
    while (i + 1 < sizeof units / sizeof *units && fabs(seconds) < units[i].factor)
        i++;
    snprintf(text, TIME_BYTES, "%.4g %s", seconds / units[i].factor, units[i].unit);
    return text;
}

static void print_value(double value, const char *unit, FILE *out)
{
    char text[TIME_BYTES];
    if (!strcmp(unit, "s"))
        fputs(time_text(value, text), out);
    else
        fprintf(out, "%.4g%s%s", value, *unit ? " " : "", unit);
}

static double share_of(const tlp_measured_case *c, tlp_category category)
{
    return (double)c->n_of[category] / (double)c->n;
}

/* ---- ranking ---- */

/* The algorithms of one size: measured and predicted order. `tau` is Kendall's (1938). */
typedef struct ranking {
    size_t n, measured, predicted; /* the fastest cases */
    double tau, cost;              /* cost: of taking the predicted one, 0: none */
} ranking;

static bool is_ranked(const measure_results *r, size_t k, int64_t bytes)
{
    const tlp_measured_case *c = &r->measured->cases[k];
    return c->bytes == bytes && strcmp(c->algorithm, "default") != 0 &&
           measure_is_predicted(&r->predicted, k);
}

/* n < 2: there is nothing to rank. */
static ranking rank_algorithms(const measure_results *r, int64_t bytes)
{
    const tlp_measured_case *cases = r->measured->cases;
    double(*const predicted)[3] = r->predicted.cases;
    const int at = MEASURE_MEDIAN;
    ranking all = {0};
    double order = 0, pairs = 0;
    for (size_t k = 0; predicted && k < r->measured->n_cases; k++) {
        if (!is_ranked(r, k, bytes))
            continue;
        if (!all.n || cases[k].median_s < cases[all.measured].median_s)
            all.measured = k;
        if (!all.n || predicted[k][at] < predicted[all.predicted][at])
            all.predicted = k;
        all.n++;
        for (size_t i = 0; i < k; i++) {
            if (!is_ranked(r, i, bytes))
                continue;
            const double sign =
                (cases[i].median_s - cases[k].median_s) * (predicted[i][at] - predicted[k][at]);
            order += (sign > 0) - (sign < 0);
            pairs++;
        }
    }
    all.tau = pairs > 0 ? order / pairs : 0;
    all.cost = all.n ? cases[all.predicted].median_s / cases[all.measured].median_s - 1 : 0;
    return all;
}

/* Whether the case is the first one of its size. */
static int begins_size(const tlp_measured *m, size_t k)
{
    return !k || m->cases[k - 1].bytes != m->cases[k].bytes;
}

static void print_ranking(const measure_results *r, FILE *out)
{
    const tlp_measured *m = r->measured;
    int any = 0;
    for (size_t k = 0; k < m->n_cases; k++) {
        const ranking all = rank_algorithms(r, m->cases[k].bytes);
        if (!begins_size(m, k) || all.n < 2)
            continue;
        if (!any++)
            fprintf(out,
                    "\nRanking of the algorithms, measured and predicted (%s)\n%10s  %9s  %3s  "
                    "%-20s  %-20s  the predicted one costs\n",
                    r->predicted.place, "bytes", "tau", "n", "measured fastest",
                    "predicted fastest");
        fprintf(out, "%10" PRId64 "  %9.2f  %3zu  %-20s  %-20s  %.3g %% more\n", m->cases[k].bytes,
                all.tau, all.n, m->cases[all.measured].algorithm, m->cases[all.predicted].algorithm,
                100 * all.cost);
    }
}

/* ---- the library's own choice ---- */

/* The medians of each launch, launch by launch. Of a case that a launch lacks, that of all. */
static double *medians_of(const tlp_measured *m)
{
    const size_t n = m->n_cases;
    double *all = calloc(m->n_launches * n, sizeof *all);
    for (unsigned l = 0; all && l < m->n_launches; l++) {
        tlp_measured_medians(m, l, all + l * n);
        for (size_t k = 0; k < n; k++)
            if (!isfinite(all[l * n + k]))
                all[l * n + k] = m->cases[k].median_s;
    }
    return all;
}

/* The least median of a launch, for each case: what slows down a whole launch, as the place of its
 * memory, is not the algorithm. NULL: no memory. */
static double *least_medians(const tlp_measured *m)
{
    double *all = medians_of(m);
    for (size_t i = m->n_cases; all && i < m->n_launches * m->n_cases; i++)
        all[i % m->n_cases] = fmin(all[i % m->n_cases], all[i]);
    return all;
}

/* Whether the algorithm of case k takes as long as the own choice of its size, `own`. */
static bool is_like(const tlp_measured *m, const double *least, size_t k, size_t own)
{
    return k != own && m->cases[k].bytes == m->cases[own].bytes &&
           fabs(log(least[k] / least[own])) < ALIKE;
}

/* The case of the library's own choice of the size of case k, if others were measured, too. */
static bool find_own(const tlp_measured *m, size_t k, size_t *own)
{
    bool is_found = 0;
    size_t n = 0;
    for (size_t i = k; i < m->n_cases && m->cases[i].bytes == m->cases[k].bytes; i++, n++)
        if (!strcmp(m->cases[i].algorithm, "default")) {
            *own = i;
            is_found = 1;
        }
    return is_found && n > 1;
}

static void print_choice(const tlp_measured *m, FILE *out)
{
    double *least = least_medians(m);
    size_t own = 0;
    int any = 0;
    for (size_t k = 0; least && k < m->n_cases; k++) {
        const char *before = "";
        if (!begins_size(m, k) || !find_own(m, k, &own))
            continue;
        if (!any++)
            fputs("\nThe library's own choice takes as long, within 10 %, as\n     bytes\n", out);
        fprintf(out, "%10" PRId64 "  ", m->cases[k].bytes);
        for (size_t i = k; i < m->n_cases; i++)
            if (is_like(m, least, i, own)) {
                fprintf(out, "%s%s", before, m->cases[i].algorithm);
                before = ", ";
            }
        fputs(*before ? "\n" : "none of those measured\n", out);
    }
    free(least);
}

/* ---- text ---- */

static void print_cases(const measure_results *r, FILE *out)
{
    const tlp_measured *m = r->measured;
    const measure_predicted *p = &r->predicted;
    char median[TIME_BYTES], low[TIME_BYTES], high[TIME_BYTES];
    int width = 22;
    for (size_t k = 0; k < m->n_cases; k++)
        width = strlen(m->cases[k].algorithm) > (size_t)width ? (int)strlen(m->cases[k].algorithm)
                                                              : width;
    fprintf(out, "%10s  %-*s %6s %10s %10s %10s %8s %8s %6s%s\n", "bytes", width,
            m->n_together > 1 ? "algorithm" : "call", "n", "median", "5 %", "95 %", "outliers",
            "warm-up", "late",
            !p->cases        ? ""
            : p->n_seeds > 1 ? "  predicted        5 %       95 %  measured / predicted"
                             : "  predicted  measured / predicted");
    for (size_t k = 0; k < m->n_cases; k++) {
        const tlp_measured_case *c = &m->cases[k];
        fprintf(out, "%10" PRId64 "  %-*s %6zu %10s %10s %10s %6.1f %% %8zu %6zu", c->bytes, width,
                c->algorithm, c->n, time_text(c->median_s, median), time_text(c->low_s, low),
                time_text(c->high_s, high), 100 * share_of(c, TLP_OUTLIER), c->n_of[TLP_WARM_UP],
                c->n_late);
        if (measure_is_predicted(p, k)) {
            fprintf(out, " %10s", time_text(p->cases[k][MEASURE_MEDIAN], median));
            if (p->n_seeds > 1)
                fprintf(out, " %10s %10s", time_text(p->cases[k][MEASURE_LOW], low),
                        time_text(p->cases[k][MEASURE_HIGH], high));
            fprintf(out, "  %.3g", c->median_s / p->cases[k][MEASURE_MEDIAN]);
        } else if (p->cases)
            fprintf(out, " %10s", "-");
        fputs("\n", out);
    }
}

static void print_causes(const tlp_causes *c, FILE *out)
{
    fprintf(out, "\nOutliers: %zu of %zu repetitions\n", c->n_outliers, c->n_outliers + c->n_good);
    if (c->n_outliers < TLP_LEAST_OUTLIERS)
        fprintf(out, "Too few to look for what they have in common (%d are needed).\n",
                TLP_LEAST_OUTLIERS);
    else if (!c->n)
        fprintf(out, "None of %zu factors differs from the good repetitions (p <= %g).\n",
                c->n_tested, TLP_CAUSE_P);
    for (size_t i = 0; i < c->n; i++) {
        const tlp_cause *cause = &c->causes[i];
        fprintf(out, "  %s: ", cause->name);
        print_value(cause->outliers, cause->unit, out);
        fputs(", and ", out);
        print_value(cause->good, cause->unit, out);
        fprintf(out, " in good ones (means); p = %.2g\n", cause->p);
    }
    if (c->n)
        fprintf(out, "%zu factors were tested, those above differ (strongest first).\n",
                c->n_tested);
}

void measure_print_functions(const measure_results *r, FILE *out)
{
    enum { MOST_LINES = 12 };
    const tlp_functions *all = &r->functions;
    if (!r->measured->inside_hz)
        return;
    fprintf(out,
            "\nInside the calls, %u samples a second: %zu calls of outliers and %zu good ones have "
            "samples\n",
            r->measured->inside_hz, all->n_outliers, all->n_good);
    if (all->n_outliers < TLP_LEAST_OUTLIERS)
        fprintf(out, "Too few outliers to compare their functions (%d are needed).\n",
                TLP_LEAST_OUTLIERS);
    else if (!all->n)
        fputs("No function has clearly more of the time of outliers than of good ones.\n", out);
    else
        fputs("  outliers      good  function (with those that it calls)\n", out);
    for (size_t i = 0; i < all->n && i < MOST_LINES; i++)
        fprintf(out, "%8.1f %%  %6.1f %%  %s\n", 100 * all->functions[i].outliers,
                100 * all->functions[i].good, tl_printable(all->functions[i].name));
}

void measure_print(const measure_results *r, FILE *out)
{
    const tlp_measured *m = r->measured;
    char text[TIME_BYTES];
    fprintf(
        out,
        "%s, %u ranks on %zu host%s, %s, %u launch%s, start by %s\n"
        "A repetition %s; clocks agree within %s.\n"
        "Median and quantiles leave out the first repetitions and the warm-up. Late ones are in no "
        "other column.\n\n",
        tl_printable(m->operation), m->n_ranks, m->n_hosts, m->n_hosts == 1 ? "" : "s",
        tl_printable(m->mpi), m->n_launches, m->n_launches == 1 ? "" : "es", tl_printable(m->start),
        m->n_together == 1          ? "is a call of one rank, from its begin to its end"
        : !strcmp(m->start, "loop") ? "is the mean of the ranks' own times"
                                    : "takes from the latest begin to the latest end of all ranks",
        time_text(m->uncertainty_s, text));
    print_cases(r, out);
    print_ranking(r, out);
    print_choice(m, out);
    print_causes(&r->causes, out);
    measure_print_functions(r, out);
}

/* ---- two campaigns ---- */

static bool have_same_cases(const tlp_measured *a, const tlp_measured *b)
{
    int same =
        !strcmp(a->operation, b->operation) && a->n_ranks == b->n_ranks && a->n_cases == b->n_cases;
    for (size_t k = 0; same && k < a->n_cases; k++)
        same = a->cases[k].bytes == b->cases[k].bytes &&
               !strcmp(a->cases[k].algorithm, b->cases[k].algorithm);
    return same;
}

static void print_change(const tlp_measured *a, const tlp_measured *b, const tlr_region_test *test,
                         FILE *out)
{
    char first[TIME_BYTES], second[TIME_BYTES];
    fprintf(out, "\nThe second file\n%10s  %-22s %10s %10s\n", "bytes", "algorithm", "median",
            "second");
    for (size_t k = 0; k < a->n_cases; k++)
        fprintf(out, "%10" PRId64 "  %-22s %10s %10s  %+.3g %%\n", a->cases[k].bytes,
                a->cases[k].algorithm, time_text(a->cases[k].median_s, first),
                time_text(b->cases[k].median_s, second),
                100 * (b->cases[k].median_s / a->cases[k].median_s - 1));
    fprintf(out,
            "%s: the medians of %zu launches against %zu, %zu cases %s, p = %.2g (prediction "
            "region of 95 %%)\n",
            test->changed ? "The campaigns differ" : "No difference was found", test->n_before,
            test->n_after, test->n_quantities, test->together ? "together" : "each alone",
            test->p_value);
}

tl_status measure_compare(const measure_results *r, int *changed, FILE *out, tl_error *err)
{
    const tlp_measured *a = r->measured, *b = r->later;
    tlr_region_test test;
    if (!have_same_cases(a, b))
        return tl_fail(err, TL_ERR_INPUT,
                       "the files differ in operation, ranks, sizes or algorithms; measure the "
                       "same twice");
    double *before = medians_of(a), *after = medians_of(b);
    tl_status status = before && after ? TL_OK : tl_no_memory(err, "the test");
    if (status == TL_OK)
        status = tlr_test_region(before, a->n_launches, after, b->n_launches, a->n_cases, 0.95,
                                 &test, err);
    free(before);
    free(after);
    if (status != TL_OK)
        return status;
    *changed = test.changed;
    print_change(a, b, &test, out);
    return TL_OK;
}

/* ---- JSON ---- */

static json_t *case_json(const measure_results *r, size_t k)
{
    const tlp_measured_case *c = &r->measured->cases[k];
    json_t *counts = json_object();
    for (int i = 0; i < TLP_N_CATEGORIES; i++)
        json_object_set_new(counts, tlp_category_name((tlp_category)i),
                            json_integer((json_int_t)c->n_of[i]));
    json_t *j = json_pack("{s:I, s:o, s:I, s:f, s:f, s:f, s:o, s:I}", "bytes", (json_int_t)c->bytes,
                          "algorithm", tlr_json_text(c->algorithm), "repetitions", (json_int_t)c->n,
                          "median_s", c->median_s, "low_s", c->low_s, "high_s", c->high_s,
                          "categories", counts, "late", (json_int_t)c->n_late);
    if (measure_is_predicted(&r->predicted, k)) {
        const double *p = r->predicted.cases[k];
        json_object_set_new(j, "predicted_s", json_real(p[MEASURE_MEDIAN]));
        json_object_set_new(j, "predicted_low_s", json_real(p[MEASURE_LOW]));
        json_object_set_new(j, "predicted_high_s", json_real(p[MEASURE_HIGH]));
    }
    return j;
}

static json_t *ranking_json(const measure_results *r, size_t k)
{
    const tlp_measured_case *cases = r->measured->cases;
    const ranking all = rank_algorithms(r, cases[k].bytes);
    return json_pack("{s:I, s:f, s:I, s:o, s:o, s:f}", "bytes", (json_int_t)cases[k].bytes, "tau",
                     all.tau, "algorithms", (json_int_t)all.n, "measured",
                     tlr_json_text(cases[all.measured].algorithm), "predicted",
                     tlr_json_text(cases[all.predicted].algorithm), "cost", all.cost);
}

tl_status measure_write_json(const void *results, FILE *out, tl_error *err)
{
    const measure_results *r = results;
    const tlp_measured *m = r->measured;
    json_t *cases = json_array(), *rankings = json_array(), *causes = json_array(),
           *functions = json_array();
    for (size_t k = 0; k < m->n_cases; k++) {
        json_array_append_new(cases, case_json(r, k));
        if (begins_size(m, k) && rank_algorithms(r, m->cases[k].bytes).n >= 2)
            json_array_append_new(rankings, ranking_json(r, k));
    }
    for (size_t i = 0; i < r->causes.n; i++) {
        const tlp_cause *c = &r->causes.causes[i];
        json_array_append_new(causes, json_pack("{s:o, s:s, s:f, s:f, s:f, s:f}", "name",
                                                tlr_json_text(c->name), "unit", c->unit, "outliers",
                                                c->outliers, "good", c->good, "p", c->p,
                                                "superiority", c->superiority));
    }
    for (size_t i = 0; i < r->functions.n; i++) {
        const tlp_function *f = &r->functions.functions[i];
        json_array_append_new(functions,
                              json_pack("{s:o, s:f, s:f}", "name", tlr_json_text(f->name),
                                        "outliers", f->outliers, "good", f->good));
    }
    return tlr_json_write(
        json_pack("{s:o, s:o, s:I, s:I, s:I, s:o, s:f, s:o, s:{s:I, s:I, s:I, s:o}, s:o, s:o}",
                  "operation", tlr_json_text(m->operation), "mpi", tlr_json_text(m->mpi), "ranks",
                  (json_int_t)m->n_ranks, "hosts", (json_int_t)m->n_hosts, "launches",
                  (json_int_t)m->n_launches, "start", tlr_json_text(m->start), "uncertainty_s",
                  m->uncertainty_s, "cases", cases, "outliers", "n",
                  (json_int_t)r->causes.n_outliers, "good", (json_int_t)r->causes.n_good, "tested",
                  (json_int_t)r->causes.n_tested, "causes", causes, "rankings", rankings,
                  "functions", functions),
        TLR_JSON_LINES, out, err);
}
