/* hosts_page.c - a page that shows how sockets of several hosts differ. */
#include "config.h"

#include "calibrate.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>

/* A plot shows about this number of calls. */
enum { MOST_CALLS = 2000 };

static double percent_of(const tlp_unit *unit, int which)
{
    return 100 * (exp(tlp_unit_shift(unit, which)) - 1);
}

/* dgemm and dgemv of each unit beside the mean of all that are not out. room: 4 values a unit. */
static void draw_units(const tlp_result *result, double *room, FILE *out)
{
    const size_t n = result->n_units;
    double *x[2] = {room, room + n}, *y[2] = {room + 2 * n, room + 3 * n};
    size_t n_of[2] = {0};
    for (size_t u = 0; u < n; u++) {
        const tlp_unit *unit = &result->units[u];
        x[unit->is_out][n_of[unit->is_out]] = percent_of(unit, 0);
        y[unit->is_out][n_of[unit->is_out]++] = percent_of(unit, 1);
    }
    const tlg_series series[] = {
        {.name = "socket", .look = TLG_POINTS, .number = 0, .n = n_of[0], .x = x[0], .y = y[0]},
        {.name = "unlike the others",
         .look = TLG_POINTS,
         .number = 1,
         .n = n_of[1],
         .x = x[1],
         .y = y[1]}};
    const tlg_panel panel = {.title = "time, compared with the mean",
                             .x = {.label = "dgemm", .unit = "%"},
                             .y = {.label = "dgemv", .unit = "%"},
                             .n_series = sizeof series / sizeof *series,
                             .series = series};
    tlg_draw_into_page(&(tlg_picture){.n_panels = 1, .panels = &panel}, out);
}

/* Calls of dgemm: measured on units that are not out, on those that are, and fitted to the first.
 * room: 6 values a call. */
static void draw_calls(const tlp_result *result, size_t n_gemm, double *room, FILE *out)
{
    const tlp_fit *fit = tlp_result_fit(result, TL_KERNEL_dgemm);
    static const char *const names[] = {"measured", "unlike the others", "fitted"};
    tlg_series series[3];
    double *x[3], *y[3];
    size_t n = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = room + (size_t)i * 2 * MOST_CALLS;
        y[i] = x[i] + MOST_CALLS;
        series[i] =
            (tlg_series){.name = names[i], .look = TLG_DOTS, .number = i, .x = x[i], .y = y[i]};
    }
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *s = &result->samples[i];
        const double mnk = (double)s->call.sizes[0] * s->call.sizes[1] * s->call.sizes[2];
        if (s->call.kernel != TL_KERNEL_dgemm || n++ % (1 + n_gemm / MOST_CALLS) != 0)
            continue;
        const double seconds[] = {s->seconds, tlp_fitted_s(fit, s)};
        for (int k = 0; k < 2; k++) {
            const int to = k ? 2 : result->units[s->unit].is_out;
            x[to][series[to].n] = mnk;
            y[to][series[to].n++] = seconds[k];
        }
    }
    const tlg_panel panel = {.title = "dgemm",
                             .x = {.label = "M N K", .unit = "", .is_log = 1},
                             .y = {.label = "time", .unit = "s", .is_log = 1},
                             .n_series = 3,
                             .series = series};
    tlg_draw_into_page(&(tlg_picture){.n_panels = 1, .panels = &panel}, out);
}

static void print_units(const tlp_result *result, FILE *out)
{
    fputs("<table><tr><th></th><th>dgemm</th><th>dgemv</th><th></th></tr>\n", out);
    for (size_t u = 0; u < result->n_units; u++) {
        fputs("<tr><td>", out);
        tlp_unit_name(result, &result->units[u], out);
        fprintf(out, "</td><td>%+.2f %%</td><td>%+.2f %%</td><td>%s</td></tr>\n",
                percent_of(&result->units[u], 0), percent_of(&result->units[u], 1),
                result->units[u].is_out ? "unlike the others" : "");
    }
    fputs("</table>\n", out);
}

tl_status tlp_write_units_page(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    double *room = calloc(4 * result->n_units + 6 * (size_t)MOST_CALLS, sizeof *room);
    size_t n_gemm = 0;
    if (!room)
        return tl_no_memory(err, "page");
    for (size_t i = 0; i < result->n_samples; i++)
        n_gemm += result->samples[i].call.kernel == TL_KERNEL_dgemm;
    tlg_begin_page(out, "Kernels of several hosts");
    fprintf(out,
            "<p>%zu hosts measured at the same time. Standard deviation of the time of dgemm "
            "between hosts: %.2f %%.</p>\n",
            result->n_hosts, 100 * result->host_sd);
    draw_units(result, room, out);
    draw_calls(result, n_gemm, room + 4 * result->n_units, out);
    print_units(result, out);
    fputs("</body></html>\n", out);
    free(room);
    return TL_OK;
}
