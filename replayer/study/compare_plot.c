/* compare_plot.c - a comparison as a picture: the values of each row beside its measured median. */
#include "config.h"

#include "compare.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>

enum { ROW = 26, MARGINS = 110, N_SERIES = 2 };

/* The difference from the median; a median of 0 has none. */
static double difference(double value, double median)
{
    return median != 0 ? value / median - 1 : 0;
}

/* Half of the range of the axis, as a share: a round number that includes every value. */
static double half_range(const tlr_comparison *c)
{
    static const double steps[] = {0.02, 0.05, 0.1, 0.2, 0.5};
    double widest = c->tolerance > 0 ? c->tolerance : 0;
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_values *m = &c->rows[i].measured, *e = &c->rows[i].expected;
        const double values[] = {m->low, m->high, e->low, e->high, e->median};
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            widest = fmax(widest, fabs(difference(values[k], m->median)));
    }
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        if (widest <= steps[k])
            return steps[k];
    return fmin(ceil(widest), 10);
}

/* The columns of a series: x, low, high and y, n_rows values each. */
static tlg_series fill_series(const tlr_comparison *c, bool is_measured, double *columns)
{
    static const char *const expected[] = {"predicted", "before", "before", "predicted (A)"};
    static const char *const measured[] = {"measured", "measured", "measured", "predicted (B)"};
    const size_t n = c->n_rows;
    double *x = columns, *low = x + n, *high = low + n, *y = high + n;
    for (size_t i = 0; i < n; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        const tlr_values *values = is_measured ? &row->measured : &row->expected;
        x[i] = 100 * difference(values->median, row->measured.median);
        low[i] = 100 * difference(values->low, row->measured.median);
        high[i] = 100 * difference(values->high, row->measured.median);
        y[i] = (double)i + (is_measured ? -0.17 : 0.17);
    }
    return (tlg_series){.name = is_measured ? measured[c->kind] : expected[c->kind],
                        .look = TLG_RANGES,
                        .number = is_measured ? 0 : 1,
                        .n = n,
                        .x = x,
                        .y = y,
                        .low = low,
                        .high = high};
}

tl_status tlr_comparison_draw(const tlr_comparison *c, const char *path, tl_error *err)
{
    const double half = 100 * half_range(c), band = 100 * (c->tolerance > 0 ? c->tolerance : 0);
    double *columns = calloc(8 * c->n_rows + 1, sizeof *columns);
    const char **names = calloc(c->n_rows + 1, sizeof *names);
    tl_status status;
    if (!columns || !names) {
        status = tl_no_memory(err, "plot");
    } else {
        for (size_t i = 0; i < c->n_rows; i++)
            names[i] = c->rows[i].name;
        const tlg_series series[N_SERIES] = {fill_series(c, 1, columns),
                                             fill_series(c, 0, columns + 4 * c->n_rows)};
        const tlg_panel panel = {
            .x = {.label = c->kind == TLR_COMPARED_VERSUS ? "difference from the median of B"
                                                          : "difference from the measured median",
                  .unit = "%",
                  .low = -half,
                  .high = half},
            .y = {.label = "", .unit = "", .n_names = c->n_rows, .names = names},
            .n_series = N_SERIES,
            .series = series,
            .band = {-band, band}};
        const tlg_picture picture = {
            .title = band > 0 ? "median and range of all runs; green: the tolerance"
                              : "median and range of all runs",
            .n_panels = 1,
            .panels = &panel,
            .width = 640,
            .height = (unsigned)(MARGINS + ROW * c->n_rows)};
        status = tlg_draw(&picture, path, err);
    }
    free(columns);
    free(names);
    return status;
}
