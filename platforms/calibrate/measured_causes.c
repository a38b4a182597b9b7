/* measured_causes.c - what outliers have in common: each factor is compared between the outliers
 * and the good repetitions of the same size, algorithm and launch.
 *
 * The test is the rank test of Wilcoxon, stratified by size, algorithm and launch (van Elteren,
 * 1960), with the p values corrected for the number of factors (Holm, 1979). Roth, thesis,
 * sections 4.2 to 4.4, looks at these factors one by one, in plots. */
#include "config.h"

#include "measured.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>

/* A shorter time without a CPU is the error of reading two clocks. */
#define LEAST_WITHOUT_S 5e-6

/* Which ranks of a repetition a factor looks at. */
typedef enum factor_scope { ALL_RANKS, ON_CPU, OF_RANK, ON_HOST, OF_LAUNCH, COUNTERS } factor_scope;

/* A CPU of a host. */
typedef struct place {
    unsigned host;
    int cpu;
} place;

typedef struct search {
    const tlp_measured *m;
    size_t n_places, n_repetitions;
    place *places;
    double *values; /* of the factor at hand, for each repetition */
    unsigned char *is_outlier, *is_used;
    size_t *order;
    double *sorted;
} search;

/* ---- factors ---- */

static double without_of(const tlp_measured_row *row)
{
    return row->without_cpu_s >= LEAST_WITHOUT_S ? row->without_cpu_s : 0;
}

static double switches_of(const tlp_measured_row *row)
{
    return row->switches;
}

static double migration_of(const tlp_measured_row *row)
{
    return row->cpu == row->cpu_end ? 0 : 100;
}

static double faults_of(const tlp_measured_row *row)
{
    return row->faults;
}

static double period_of(const tlp_measured_row *row)
{
    return row->clock_hz > 0 ? 1 / row->clock_hz : 0;
}

static double stalls_of(const tlp_measured_row *row)
{
    return row->instructions > 0 ? row->cycles / row->instructions : 0;
}

static double celsius_of(const tlp_measured_row *row)
{
    return row->celsius;
}

static double last_of(const tlp_measured_row *row)
{
    return row->is_last ? 100 : 0;
}

static double number_of(const tlp_measured_row *row)
{
    return (double)row->repetition;
}

static double all_of(const tlp_measured_row *row)
{
    (void)row;
    return 100;
}

/* The value of a repetition is the largest one of the ranks in the scope; 0: there are none. */
static const struct {
    const char *name, *unit;
    factor_scope scope;
    double (*of)(const tlp_measured_row *row);
} factors[] = {{"time without the CPU", "s", ON_CPU, without_of},
               {"time without the CPU, on any CPU", "s", ALL_RANKS, without_of},
               {"involuntary switches", "", ALL_RANKS, switches_of},
               {"a rank changed its CPU", "%", ALL_RANKS, migration_of},
               {"page faults", "", ALL_RANKS, faults_of},
               {"cycle of the slowest CPU", "s", ALL_RANKS, period_of},
               {"cycles per instruction", "", ALL_RANKS, stalls_of},
               {"temperature of the hottest zone", "C", ALL_RANKS, celsius_of},
               {"the last to end is", "%", OF_RANK, last_of},
               {"the last to end is", "%", ON_HOST, last_of},
               {"it is in", "%", OF_LAUNCH, all_of},
               {"number of the repetition (place in time)", "", ALL_RANKS, number_of},
               {"", "", COUNTERS, NULL}};
enum { N_FACTORS = sizeof factors / sizeof *factors };

/* The name of a counter; 0: there are not so many. */
static int counter_name(const tlp_measured *m, size_t which, const char **name)
{
    *name = m->counters;
    for (; which && **name; which--) {
        *name += strcspn(*name, ",");
        *name += **name == ',';
    }
    return (int)strcspn(*name, ",");
}

static size_t n_counters(const tlp_measured *m)
{
    const char *name;
    size_t n = 0;
    while (n < TLP_MOST_COUNTERS && counter_name(m, n, &name))
        n++;
    return n;
}

/* With one host or launch, all repetitions have the same. */
static size_t n_in(const search *s, factor_scope scope)
{
    const size_t n[] = {[ALL_RANKS] = 1,
                        [ON_CPU] = s->n_places,
                        [OF_RANK] = s->m->n_ranks,
                        [ON_HOST] = s->m->n_hosts > 1 ? s->m->n_hosts : 0,
                        [OF_LAUNCH] = s->m->n_launches > 1 ? s->m->n_launches : 0,
                        [COUNTERS] = n_counters(s->m)};
    return n[scope];
}

static bool is_in(const search *s, factor_scope scope, size_t which, const tlp_measured_row *row)
{
    switch (scope) {
    case ON_CPU: return row->host == s->places[which].host && row->cpu == s->places[which].cpu;
    case OF_RANK: return row->rank == which;
    case ON_HOST: return row->host == which;
    case OF_LAUNCH: return row->launch == which;
    default: return 1;
    }
}

static double value_of(const search *s, size_t i, size_t f, size_t which)
{
    const tlp_measured_row *rows = &s->m->rows[i * s->m->n_together];
    double most = 0;
    for (unsigned r = 0; r < s->m->n_together; r++)
        if (is_in(s, factors[f].scope, which, &rows[r]))
            most = fmax(most, factors[f].of ? factors[f].of(&rows[r]) : rows[r].counters[which]);
    return most;
}

static void name_factor(const search *s, size_t f, size_t which, char *text, size_t size)
{
    const char *name = factors[f].name, *counter = "";
    if (s->m->n_together == 1 && factors[f].of == last_of)
        name = "it is of";
    switch (factors[f].scope) {
    case ON_CPU:
        snprintf(text, size, "%s, on CPU %d of %.100s", name, s->places[which].cpu,
                 s->m->hosts[s->places[which].host]);
        break;
    case OF_RANK: snprintf(text, size, "%s rank %zu", name, which); break;
    case ON_HOST: snprintf(text, size, "%s on host %.100s", name, s->m->hosts[which]); break;
    case OF_LAUNCH: snprintf(text, size, "%s launch %zu", name, which); break;
    case COUNTERS: {
        const int n = counter_name(s->m, which, &counter);
        snprintf(text, size, "%.*s", n, counter);
        break;
    }
    default: snprintf(text, size, "%s", name);
    }
}

/* ---- the test ---- */

/* Sums of all strata: ranks of the outliers beyond the expected ones, and their variance. */
typedef struct sums {
    double beyond, variance, pairs, won;
} sums;

/* Adds a stratum: the used repetitions first to first + n. */
static void add_stratum(const search *s, size_t first, size_t n_all, sums *to)
{
    size_t n = 0, n_outliers = 0;
    double ranks = 0, ties = 0;
    for (size_t i = first; i < first + n_all; i++)
        if (s->is_used[i]) {
            s->sorted[n] = s->values[i];
            s->order[n++] = i;
            n_outliers += s->is_outlier[i];
        }
    if (!n_outliers || n_outliers == n)
        return;
    size_t *index = s->order + n;
    gsl_sort_index(index, s->sorted, 1, n);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && s->sorted[index[end]] == s->sorted[index[begin]];)
            end++;
        const double size = (double)(end - begin), rank = (double)(begin + end + 1) / 2;
        ties += size * size * size - size;
        for (size_t i = begin; i < end; i++)
            ranks += s->is_outlier[s->order[index[i]]] ? rank : 0;
    }
    const double a = (double)n_outliers, all = (double)n, b = all - a, weight = 1 / (all + 1);
    const double beyond = ranks - a * (all + 1) / 2;
    to->beyond += weight * beyond;
    to->variance += weight * weight * a * b / 12 * (all + 1 - ties / (all * (all - 1)));
    to->pairs += a * b;
    to->won += beyond + a * b / 2;
}

/* If most repetitions have the least value, the rank test trusts the few others too much. Then this
 * is the chance that so many of them are outliers, or so few, if they are drawn at random (Fisher).
 * Otherwise 0. */
static double chance_of_few(const search *s)
{
    unsigned n = 0, n_outliers = 0, more = 0, more_outliers = 0;
    double least = INFINITY;
    for (size_t i = 0; i < s->n_repetitions; i++)
        if (s->is_used[i])
            least = fmin(least, s->values[i]);
    for (size_t i = 0; i < s->n_repetitions; i++)
        if (s->is_used[i]) {
            const unsigned is_more = s->values[i] > least;
            n++;
            more += is_more;
            n_outliers += s->is_outlier[i];
            more_outliers += is_more && s->is_outlier[i];
        }
    if (2 * more > n)
        return 0;
    const double few = gsl_cdf_hypergeometric_P(more_outliers, more, n - more, n_outliers);
    const double many =
        more_outliers ? gsl_cdf_hypergeometric_Q(more_outliers - 1, more, n - more, n_outliers) : 1;
    return fmin(1, 2 * fmin(few, many));
}

/* Where the stratum ends that begins with the repetition `first` of a case: launches differ, so the
 * repetitions of one are compared with each other. Those of a launch are compared with all others.
 */
static size_t end_of_stratum(const search *s, size_t first, size_t end_of_case, factor_scope scope)
{
    const unsigned n = s->m->n_together, launch = s->m->rows[first * n].launch;
    size_t end = first + 1;
    while (end < end_of_case && (scope == OF_LAUNCH || s->m->rows[end * n].launch == launch))
        end++;
    return end;
}

static sums add_strata(const search *s, factor_scope scope)
{
    sums all = {0};
    for (size_t k = 0; k < s->m->n_cases; k++) {
        const tlp_measured_case *c = &s->m->cases[k];
        for (size_t first = c->first, end; first < c->first + c->n; first = end) {
            end = end_of_stratum(s, first, c->first + c->n, scope);
            add_stratum(s, first, end - first, &all);
        }
    }
    return all;
}

/* Of a part of the ranks or launches, outliers that have less than the others say nothing. */
static tlp_cause test(const search *s, const char *unit, factor_scope scope)
{
    const sums all = add_strata(s, scope);
    tlp_cause cause = {.unit = unit, .p = 1, .superiority = 0.5};
    double n_outliers = 0, n_good = 0;
    if (all.variance > 0) {
        cause.p = fmin(1, 2 * gsl_cdf_ugaussian_Q(fabs(all.beyond) / sqrt(all.variance)));
        cause.p = fmax(cause.p, chance_of_few(s));
        cause.superiority = all.won / all.pairs;
    }
    if (scope != ALL_RANKS && cause.superiority < 0.5)
        cause.p = 1;
    for (size_t i = 0; i < s->n_repetitions; i++) {
        if (!s->is_used[i])
            continue;
        *(s->is_outlier[i] ? &cause.outliers : &cause.good) += s->values[i];
        *(s->is_outlier[i] ? &n_outliers : &n_good) += 1;
    }
    cause.outliers /= fmax(1, n_outliers);
    cause.good /= fmax(1, n_good);
    return cause;
}

static int by_p(const void *a, const void *b)
{
    const tlp_cause *x = a, *y = b;
    return x->p != y->p ? (x->p < y->p ? -1 : 1) : strcmp(x->name, y->name);
}

static bool is_named(const tlp_cause *c)
{
    return c->p <= TLP_CAUSE_P && fabs(c->superiority - 0.5) >= TLP_CAUSE_STRENGTH;
}

/* The named ones come first. */
static int by_strength(const void *a, const void *b)
{
    const tlp_cause *x = a, *y = b;
    const double p = fabs(x->superiority - 0.5), q = fabs(y->superiority - 0.5);
    if (is_named(x) != is_named(y))
        return is_named(x) ? -1 : 1;
    return p != q ? (p > q ? -1 : 1) : by_p(a, b);
}

/* Holm: the i-th smallest of n values is multiplied by n - i, and is at least the one before. */
static void correct(tlp_causes *c)
{
    double before = 0;
    qsort(c->causes, c->n_tested, sizeof *c->causes, by_p);
    for (size_t i = 0; i < c->n_tested; i++) {
        before = fmin(1, fmax(before, c->causes[i].p * (double)(c->n_tested - i)));
        c->causes[i].p = before;
        c->n += is_named(&c->causes[i]);
    }
    qsort(c->causes, c->n_tested, sizeof *c->causes, by_strength);
}

/* ---- all ---- */

static void find_places(search *s)
{
    for (size_t i = 0; i < s->m->n_rows; i++) {
        const tlp_measured_row *row = &s->m->rows[i];
        size_t k = 0;
        while (k < s->n_places && (s->places[k].host != row->host || s->places[k].cpu != row->cpu))
            k++;
        if (k == s->n_places)
            s->places[s->n_places++] = (place){row->host, row->cpu};
    }
}

/* The first ones and the warm-up are slow for reasons of their own. */
static void mark(search *s, tlp_causes *out)
{
    for (size_t i = 0; i < s->n_repetitions; i++) {
        const tlp_category category = tlp_measured_category(s->m, i);
        s->is_used[i] = category >= TLP_OUTLIER;
        s->is_outlier[i] = category == TLP_OUTLIER;
        out->n_outliers += s->is_outlier[i];
        out->n_good += category == TLP_GOOD;
    }
}

static void test_all(search *s, tlp_causes *out)
{
    for (size_t f = 0; f < N_FACTORS; f++)
        for (size_t which = 0; which < n_in(s, factors[f].scope); which++) {
            double least = INFINITY, most = -INFINITY;
            for (size_t i = 0; i < s->n_repetitions; i++) {
                s->values[i] = value_of(s, i, f, which);
                least = fmin(least, s->values[i]);
                most = fmax(most, s->values[i]);
            }
            if (!(most > least)) /* nothing to test */
                continue;
            tlp_cause *cause = &out->causes[out->n_tested++];
            *cause = test(s, factors[f].unit, factors[f].scope);
            name_factor(s, f, which, cause->name, sizeof cause->name);
        }
    out->n_tested += tlp_find_period(s->m, s->is_outlier, s->is_used, &out->causes[out->n_tested]);
}

tl_status tlp_find_causes(const tlp_measured *m, tlp_causes *out, tl_error *err)
{
    const size_t n = tlp_measured_repetitions(m);
    search s = {.m = m,
                .n_repetitions = n,
                .places = calloc(m->n_rows, sizeof *s.places),
                .values = calloc(n, sizeof *s.values),
                .is_outlier = calloc(n, 1),
                .is_used = calloc(n, 1),
                .order = calloc(2 * n, sizeof *s.order),
                .sorted = calloc(n, sizeof *s.sorted)};
    *out = (tlp_causes){0};
    int good = s.places && s.values && s.is_outlier && s.is_used && s.order && s.sorted;
    if (good) {
        find_places(&s);
        mark(&s, out);
        out->causes = calloc(1 + N_FACTORS + TLP_MOST_COUNTERS + s.n_places + m->n_ranks +
                                 m->n_hosts + m->n_launches,
                             sizeof *out->causes);
        good = out->causes != NULL;
    }
    if (good && out->n_outliers >= TLP_LEAST_OUTLIERS && out->n_good) {
        test_all(&s, out);
        correct(out);
    }
    free(s.places);
    free(s.values);
    free(s.is_outlier);
    free(s.is_used);
    free(s.order);
    free(s.sorted);
    return good ? TL_OK : tl_no_memory(err, "the causes");
}

void tlp_clear_causes(tlp_causes *causes)
{
    free(causes->causes);
    *causes = (tlp_causes){0};
}
