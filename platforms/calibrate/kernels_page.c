/* kernels_page.c - a page of measured kernels beside their model, and of how sockets of several
 * hosts differ. */
#include "config.h"

#include "calibrate.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* Calls that are measured on units that are like the others, or not; fitted; and the first two
 * again, divided by the fitted ones. */
enum { LIKE, UNLIKE, FITTED, LIKE_RATIO, UNLIKE_RATIO, N_SERIES };
static const char *const names[] = {"measured", "unlike the others", "fitted"};

/* A plot shows at most this number of calls. */
enum { MOST_CALLS = 500 };

typedef struct plotted {
    tlg_series series[N_SERIES];
    double x[N_SERIES][MOST_CALLS], y[N_SERIES][MOST_CALLS];
} plotted;

static void add_point(plotted *p, int series, double x, double y)
{
    p->x[series][p->series[series].n] = x;
    p->y[series][p->series[series].n++] = y;
}

/* The calls of a kernel. begin_s: when the first call of all ended. */
static void fill(const tlp_result *result, unsigned kernel, double begin_s, plotted *p)
{
    const tlp_fit *fit = tlp_result_fit(result, kernel);
    size_t n = 0, n_all = 0;
    for (int i = 0; i < N_SERIES; i++)
        p->series[i] =
            (tlg_series){.look = TLG_DOTS, .number = i % LIKE_RATIO, .x = p->x[i], .y = p->y[i]};
    for (size_t i = 0; i < result->n_samples; i++)
        n_all += result->samples[i].call.kernel == kernel;
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *s = &result->samples[i];
        if (s->call.kernel != kernel || n++ % (1 + n_all / MOST_CALLS) != 0)
            continue;
        const double fitted = tlp_fitted_s(fit, s);
        const bool is_out = result->n_units && result->units[s->unit].is_out;
        add_point(p, is_out ? UNLIKE : LIKE, s->work, s->seconds);
        add_point(p, FITTED, s->work, fitted);
        if (s->at_s > 0 && fitted > 0)
            add_point(p, is_out ? UNLIKE_RATIO : LIKE_RATIO, s->at_s - begin_s,
                      s->seconds / fitted);
    }
    for (int i = 0; i < LIKE_RATIO; i++)
        p->series[i].name = p->series[i].n ? names[i] : NULL;
}

/* Two panels for each of some kernels: over the work, and over time. */
static tl_status draw_kernels(const tlp_result *result, FILE *out)
{
    plotted *p = calloc(TLP_COMPARED_KERNELS, sizeof *p);
    tlg_panel panels[2 * TLP_COMPARED_KERNELS];
    size_t n_panels = 0;
    double begin_s = INFINITY;
    if (!p)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < result->n_samples; i++)
        if (result->samples[i].at_s > 0)
            begin_s = fmin(begin_s, result->samples[i].at_s);
    for (int k = 0; k < TLP_COMPARED_KERNELS; k++) {
        const unsigned kernel = tlp_compared_kernels[k];
        if (!tlp_result_fit(result, kernel)->n)
            continue;
        fill(result, kernel, begin_s, &p[k]);
        panels[n_panels++] = (tlg_panel){.title = tl_call_by_code((uint16_t)kernel)->name,
                                         .x = {.label = "work", .unit = "", .is_log = 1},
                                         .y = {.label = "time", .unit = "s", .is_log = 1},
                                         .n_series = LIKE_RATIO,
                                         .series = p[k].series};
        panels[n_panels++] = (tlg_panel){.x = {.label = "time since the first call", .unit = "s"},
                                         .y = {.label = "measured / fitted", .unit = ""},
                                         .n_series = N_SERIES - LIKE_RATIO,
                                         .series = p[k].series + LIKE_RATIO};
    }
    if (n_panels)
        tlg_draw_into_page(&(tlg_picture){.n_panels = n_panels, .panels = panels, .n_columns = 2},
                           out);
    free(p);
    return TL_OK;
}

static double percent_of(const tlp_unit *unit, int which)
{
    return 100 * (exp(tlp_unit_shift(unit, which)) - 1);
}

/* dgemm and dgemv of each unit beside the mean of all that are not out. */
static tl_status draw_units(const tlp_result *result, FILE *out)
{
    const size_t n = result->n_units;
    double *room = calloc(4 * n + 1, sizeof *room);
    tlg_series series[2];
    if (!room)
        return TL_ERR_MEMORY;
    for (int is_out = 0; is_out < 2; is_out++) {
        double *x = room + 2 * n * (size_t)is_out, *y = x + n;
        size_t n_own = 0;
        for (size_t u = 0; u < n; u++)
            if (result->units[u].is_out == is_out) {
                x[n_own] = percent_of(&result->units[u], 0);
                y[n_own++] = percent_of(&result->units[u], 1);
            }
        series[is_out] = (tlg_series){.name = n_own ? names[is_out] : NULL,
                                      .look = TLG_POINTS,
                                      .number = is_out,
                                      .n = n_own,
                                      .x = x,
                                      .y = y};
    }
    const tlg_panel panel = {.title = "time, compared with the mean",
                             .x = {.label = "dgemm", .unit = "%"},
                             .y = {.label = "dgemv", .unit = "%"},
                             .n_series = 2,
                             .series = series};
    tlg_draw_into_page(&(tlg_picture){.n_panels = 1, .panels = &panel}, out);
    free(room);
    return TL_OK;
}

static void print_units(const tlp_result *result, FILE *out)
{
    char name[TLP_UNIT_NAME_BYTES];
    fputs("<table><tr><th></th><th>dgemm</th><th>dgemv</th><th></th></tr>\n", out);
    for (size_t u = 0; u < result->n_units; u++) {
        tlp_unit_name(result, &result->units[u], name);
        fputs("<tr><td>", out);
        tl_put_xml(out, name, strlen(name));
        fprintf(out, "</td><td>%+.2f %%</td><td>%+.2f %%</td><td>%s</td></tr>\n",
                percent_of(&result->units[u], 0), percent_of(&result->units[u], 1),
                result->units[u].is_out ? names[UNLIKE] : "");
    }
    fputs("</table>\n", out);
}

tl_status tlp_write_kernels_page(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    tl_status status = TL_OK;
    tlg_begin_page(out, "Kernels");
    if (result->n_hosts) {
        fprintf(out,
                "<p>%zu hosts measured at the same time. Standard deviation of the time of dgemm "
                "between hosts: %.2f %%.</p>\n",
                result->n_hosts, 100 * result->host_sd);
        status = draw_units(result, out);
        print_units(result, out);
    }
    if (status == TL_OK)
        status = draw_kernels(result, out);
    fputs("</body></html>\n", out);
    return status == TL_OK ? TL_OK : tl_no_memory(err, "page");
}
