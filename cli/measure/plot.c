/* plot.c - the measured times over the sizes and the predicted ones beside them: a panel for each
 * algorithm, all with the same axes. */
#include "config.h"

#include "measure/measure.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>
#include <string.h>

/* A picture shows at most this number of repetitions of a case. */
enum { MAX_DOTS = 100, N_SERIES = 7, N_PREDICTED = 3 };

/* The values of an algorithm. */
typedef struct values {
    size_t n, n_dots;
    double *x, *median, *low, *high, *predicted[N_PREDICTED], *dot_x,
        *dot_y; /* one behind the other */
} values;

static void fill(const measure_results *r, const char *algorithm, values *v)
{
    const tlp_measured *m = r->measured;
    for (size_t k = 0; k < m->n_cases; k++) {
        const tlp_measured_case *c = &m->cases[k];
        if (strcmp(c->algorithm, algorithm) != 0)
            continue;
        v->x[v->n] = (double)c->bytes;
        v->median[v->n] = c->median_s;
        v->low[v->n] = c->low_s;
        v->high[v->n] = c->high_s;
        for (int i = 0; i < N_PREDICTED; i++)
            v->predicted[i][v->n] = r->predicted.cases ? r->predicted.cases[k][i] : NAN;
        v->n++;
        const size_t step = 1 + (c->n - 1) / MAX_DOTS;
        for (size_t i = 0; i < c->n; i += step) {
            v->dot_x[v->n_dots] = (double)c->bytes;
            v->dot_y[v->n_dots++] = m->seconds[c->first + i];
        }
    }
}

static tlg_panel panel_of(const measure_results *r, const char *algorithm, const values *v,
                          tlg_series *series)
{
    const tlp_measured *m = r->measured;
    const struct {
        const char *name;
        tlg_look look;
        int number;
        const double *y;
    } curves[] = {{"repetition", TLG_DOTS, 0, v->dot_y},
                  {"median", TLG_LINE, 1, v->median},
                  {"5 and 95 %", TLG_CURVE, 2, v->low},
                  {NULL, TLG_CURVE, 2, v->high},
                  {"predicted", TLG_CURVE, TLG_BLACK, v->predicted[MEASURE_MEDIAN]},
                  {"predicted, 5 and 95 %", TLG_CURVE, 3, v->predicted[MEASURE_LOW]},
                  {NULL, TLG_CURVE, 3, v->predicted[MEASURE_HIGH]}};
    tlg_panel panel = {.title = algorithm,
                       .x = {.label = "bytes", .unit = "B", .is_log = m->cases[0].bytes > 0},
                       .y = {.label = "time", .unit = "s", .is_log = 1, .low = INFINITY},
                       .n_series = N_SERIES - (!r->predicted.cases        ? N_PREDICTED
                                               : r->predicted.n_seeds > 1 ? 0
                                                                          : 2),
                       .series = series};
    for (size_t i = 0; i < panel.n_series; i++)
        series[i] = (tlg_series){.name = curves[i].name,
                                 .look = curves[i].look,
                                 .number = curves[i].number,
                                 .n = i ? v->n : v->n_dots,
                                 .x = i ? v->x : v->dot_x,
                                 .y = curves[i].y};
    for (size_t k = 0; k < m->n_cases; k++) {
        panel.y.low = fmin(panel.y.low, m->cases[k].low_s / 2);
        panel.y.high = fmax(panel.y.high, m->cases[k].high_s * 2);
        if (measure_is_predicted(&r->predicted, k)) {
            panel.y.low = fmin(panel.y.low, r->predicted.cases[k][MEASURE_LOW] / 2);
            panel.y.high = fmax(panel.y.high, r->predicted.cases[k][MEASURE_HIGH] * 2);
        }
    }
    return panel;
}

tl_status measure_draw(const measure_results *r, const char *path, tl_error *err)
{
    const tlp_measured *m = r->measured;
    const size_t n = m->n_cases, each = (7 + 2 * MAX_DOTS) * n;
    char title[400];
    double *room = calloc(m->n_algorithms * each, sizeof *room);
    tlg_panel *panels = calloc(m->n_algorithms, sizeof *panels);
    tlg_series *series = calloc(N_SERIES * m->n_algorithms, sizeof *series);
    tl_status status = room && panels && series ? TL_OK : tl_no_memory(err, "plot");
    for (size_t i = 0; i < m->n_algorithms && status == TL_OK; i++) {
        double *at = room + i * each;
        values v = {.x = at,
                    .median = at + n,
                    .low = at + 2 * n,
                    .high = at + 3 * n,
                    .predicted = {at + 4 * n, at + 5 * n, at + 6 * n},
                    .dot_x = at + 7 * n,
                    .dot_y = at + (7 + MAX_DOTS) * n};
        fill(r, m->algorithms[i], &v);
        panels[i] = panel_of(r, m->algorithms[i], &v, series + i * N_SERIES);
    }
    snprintf(title, sizeof title, "%s, %u ranks%s%s", tl_printable(m->operation), m->n_ranks,
             r->predicted.cases ? "; predicted: " : "",
             r->predicted.cases ? r->predicted.place : "");
    const tlg_picture picture = {.title = title,
                                 .n_panels = m->n_algorithms,
                                 .panels = panels,
                                 .n_columns = m->n_algorithms > 1 ? 2 : 1};
    if (status == TL_OK)
        status = tlg_draw(&picture, path, err);
    free(room);
    free(panels);
    free(series);
    return status;
}
