/* fingerprint.c - a page that shows how the repetitions of an operation are distributed, and how
 * their durations change over time (Roth, thesis, section 4.7). */
#include "config.h"

#include "repetitions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <plot.h>

/* A plot shows at most this number of good repetitions, and all others. */
enum { MAX_POINTS = 2000, N_STEPS = 400, N_SHARES = 5 };

static void put_text(FILE *out, const char *text)
{
    for (; *text; text++)
        fprintf(out, *text == '<' ? "&lt;" : *text == '&' ? "&amp;" : "%c", *text);
}

/* ---- values by repetition ---- */

/* The series of a category, at most `most` good ones. */
static void fill_category(const tlp_repetitions *r, tlp_category category, int all, double *room,
                          tlg_series *out)
{
    static const int numbers[TLP_N_CATEGORIES] = {TLG_BLACK, 4, 1, 0};
    const size_t step = category == TLP_GOOD ? 1 + r->n / MAX_POINTS : 1;
    double *x = room, *y = room + r->n;
    size_t n = 0;
    for (size_t i = 0; i < r->n; i += step)
        if (r->categories[i] == category && (all || category == TLP_GOOD)) {
            x[n] = r->order[i];
            y[n++] = r->values[i];
        }
    *out = (tlg_series){.name = tlp_category_name(category),
                        .look = category == TLP_GOOD ? TLG_DOTS : TLG_POINTS,
                        .number = numbers[category],
                        .n = n,
                        .x = x,
                        .y = y};
}

/* Values in the order in which they were measured. */
static tlg_panel plot_order(const tlp_repetitions *r, int all, const tlg_axis *value, double *room,
                            tlg_series *series)
{
    double low, high;
    gsl_stats_minmax(&low, &high, r->values, 1, r->n);
    for (int c = 0; c < TLP_N_CATEGORIES; c++)
        fill_category(r, (tlp_category)c, all, room + 2 * (size_t)c * r->n, &series[c]);
    tlg_panel panel = {.title = all ? "by repetition, all" : "by repetition, the good ones",
                       .x = {.label = "repetition", .unit = ""},
                       .y = *value,
                       .n_series = TLP_N_CATEGORIES,
                       .series = series};
    panel.y.is_log = all && low > 0 && high > 10 * low;
    return panel;
}

/* The empirical distribution function of the values up to `high`; returns how many steps it has.
 * The first is from 0 %, because equal values have no other. */
static size_t fill_steps(const double *sorted, size_t n, double high, double *x, double *y)
{
    size_t n_steps = 1, n_low = 0;
    x[0] = sorted[0];
    y[0] = 0;
    for (size_t i = 0; i < n && sorted[i] <= high; i += 1 + n / N_STEPS, n_steps++) {
        x[n_steps] = sorted[i];
        y[n_steps] = 100 * (double)(i + 1) / (double)n;
    }
    while (n_low < n && sorted[n_low] <= high)
        n_low++;
    x[n_steps] = high; /* so that the last quantile is within the axis */
    y[n_steps++] = 100 * (double)n_low / (double)n;
    return n_steps;
}

/* The empirical distribution function up to a little above the 95 % quantile, and the predicted
 * one. */
static tlg_panel plot_distribution(const tlp_repetitions *r, const double *sorted,
                                   const tlg_axis *value, double *rules, double *room,
                                   tlg_series *series)
{
    const size_t n = r->n, past = N_STEPS + 2;
    static const double shares[N_SHARES] = {0.05, 0.25, 0.5, 0.75, 0.95};
    const double low = sorted[0], top = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.95);
    double high = fmin(sorted[n - 1], top + (top - low) / 10);
    if (r->n_predicted)
        high = fmax(high, r->predicted[r->n_predicted - 1]);
    series[0] = (tlg_series){.name = r->n_predicted ? "measured" : NULL,
                             .look = TLG_STEPS,
                             .number = 0,
                             .n = fill_steps(sorted, n, high, room, room + past),
                             .x = room,
                             .y = room + past};
    if (r->n_predicted)
        series[1] = (tlg_series){
            .name = "predicted",
            .look = TLG_STEPS,
            .number = TLG_BLACK,
            .n = fill_steps(r->predicted, r->n_predicted, high, room + 2 * past, room + 3 * past),
            .x = room + 2 * past,
            .y = room + 3 * past};
    for (int i = 0; i < N_SHARES; i++)
        rules[i] = gsl_stats_quantile_from_sorted_data(sorted, 1, n, shares[i]);
    tlg_axis x = *value;
    x.is_log = low > 0 && high > 10 * low;
    return (tlg_panel){.title = "distribution (ECDF); dashed: 5, 25, 50, 75, 95 %",
                       .x = x,
                       .y = {.label = "repetitions up to this value", .unit = "%", .high = 100},
                       .n_series = r->n_predicted ? 2 : 1,
                       .series = series,
                       .n_rules = N_SHARES,
                       .rules = rules};
}

/* How values of a unit are shown: durations get their prefixes by tlg_put_seconds. */
typedef struct quantity {
    const char *of, *unit;
    double factor; /* of this unit */
    tlg_axis axis;
} quantity;

static quantity quantity_of(const tlp_repetitions *r)
{
    static const quantity known[] = {
        {"s", "", 1, {.label = "duration", .unit = "s"}},
        {"bytes/s", "GB/s", 1e9, {.label = "bandwidth", .unit = "B/s"}},
        {"operations/s", "10⁹/s", 1e9, {.label = "operations", .unit = "1/s"}}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(r->unit, known[i].of))
            return known[i];
    return (quantity){r->unit, r->unit, 1, {.label = r->unit, .unit = ""}};
}

static void draw_operation(const tlp_repetitions *r, const double *sorted, FILE *out)
{
    double rules[N_SHARES];
    const tlg_axis value = quantity_of(r).axis;
    const size_t order = 2 * (size_t)TLP_N_CATEGORIES * r->n, past = N_STEPS + 2;
    double *room = calloc(2 * order + 4 * past, sizeof *room);
    tlg_series series[2 * TLP_N_CATEGORIES + 2];
    if (!room)
        return;
    const tlg_panel panels[] = {plot_order(r, 1, &value, room, series),
                                plot_order(r, 0, &value, room + order, series + TLP_N_CATEGORIES),
                                plot_distribution(r, sorted, &value, rules, room + 2 * order,
                                                  &series[2 * (size_t)TLP_N_CATEGORIES])};
    const tlg_picture picture = {.n_panels = sizeof panels / sizeof *panels,
                                 .panels = panels,
                                 .n_columns = 2,
                                 .width = 440,
                                 .height = 290};
    tlg_draw_into_page(&picture, out);
    free(room);
}

static void print_value(const tlp_repetitions *r, double value, FILE *out)
{
    const quantity shown = quantity_of(r);
    fputs("<td>", out);
    if (!*shown.unit)
        tlg_put_seconds(out, value);
    else
        fprintf(out, "%.4g", value / shown.factor);
    fputs("</td>", out);
}

static void print_quantiles(const tlp_repetitions *r, const double *sorted, FILE *out)
{
    static const double shares[] = {0, 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99, 1};
    size_t counts[TLP_N_CATEGORIES] = {0};
    for (size_t i = 0; i < r->n; i++)
        counts[r->categories[i]]++;
    fprintf(out, "<p>%zu repetitions%s", r->n, r->n_groups > 1 ? "" : ": ");
    if (r->n_groups > 1)
        fprintf(out, " in %zu groups: ", r->n_groups);
    for (int c = 0; c < TLP_N_CATEGORIES; c++)
        fprintf(out, "%s%zu %s", c ? ", " : "", counts[c], tlp_category_name((tlp_category)c));
    fputs(".</p>\n<table><tr><th>mean</th><th>minimum</th><th>1 %</th><th>5 %</th><th>25 %</th>"
          "<th>median</th><th>75 %</th><th>95 %</th><th>99 %</th><th>maximum</th></tr>\n<tr>",
          out);
    print_value(r, gsl_stats_mean(sorted, 1, r->n), out);
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
        print_value(r, gsl_stats_quantile_from_sorted_data(sorted, 1, r->n, shares[i]), out);
    fputs("</tr></table>\n", out);
}

static void print_operation(const tlp_repetitions *r, FILE *out)
{
    double *sorted = malloc((r->n + 1) * sizeof *sorted);
    fputs("<h2>", out);
    put_text(out, r->name);
    fprintf(out, " <small>%s</small></h2>\n", quantity_of(r).unit);
    if (r->n && sorted) {
        memcpy(sorted, r->values, r->n * sizeof *sorted);
        gsl_sort(sorted, 1, r->n);
        print_quantiles(r, sorted, out);
        draw_operation(r, sorted, out);
    }
    free(sorted);
}

void tlp_write_fingerprint(const tlp_repetition_list *list, const char *title, const char *notes,
                           FILE *out)
{
    tlg_begin_page(out, title);
    fputs("<p>Every repetition is the first, warm-up, an outlier or good. Warm-up ends at the "
          "first repetition from the tenth on at which the minimum "
          "so far falls by a tenth of the median or more, if there is one; outliers take at "
          "least twice the median (Roth, section 4.5). Groups (cores, ranks or launches) have "
          "each their own.</p>\n<pre>",
          out);
    put_text(out, notes);
    fputs("</pre>\n", out);
    for (size_t i = 0; i < list->n; i++)
        print_operation(&list->items[i], out);
    fputs("</body></html>\n", out);
}
