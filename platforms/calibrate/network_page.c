/* network_page.c - a page with the measurements, the lines through them, and their residuals. */
#include "config.h"

#include "network.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>

/* Of more points of a series, an even selection is shown. */
enum { MAX_POINTS = 3000, N_CURVE = 60 };
/* Residuals beyond this ratio are shown at the edge. */
#define REST_LIMIT 1.0

/* The points of a series and the lines through them. */
typedef struct shown {
    size_t n, n_curve;
    double *bytes, *seconds, *rest, *x, *y;
} shown;

static void free_shown(shown *s)
{
    free(s->bytes);
    *s = (shown){0};
}

static int make_shown(const tlp_network *net, int k, double largest, shown *out)
{
    const tlp_series *s = &net->series[k];
    const size_t step = 1 + s->n / MAX_POINTS, most = s->n / step + 1;
    const size_t curve = (N_CURVE + 2) * (size_t)net->pieces.n;
    double *room = calloc(3 * most + 2 * curve, sizeof *room);
    if (!room)
        return 0;
    *out = (shown){.bytes = room,
                   .seconds = room + most,
                   .rest = room + 2 * most,
                   .x = room + 3 * most,
                   .y = room + 3 * most + curve};
    for (size_t i = 0; i < s->n; i += step, out->n++) {
        out->bytes[out->n] = fmax(1, s->bytes[i]);
        out->seconds[out->n] = s->seconds[i];
        out->rest[out->n] = 100 * (s->seconds[i] / tlp_pieces_at(&net->pieces, k, s->bytes[i]) - 1);
    }
    for (int i = 0; i < net->pieces.n; i++) {
        const tlp_line *line = &net->pieces.lines[k][i];
        const double from = fmax(1, net->pieces.breaks[i]);
        const double to = i + 1 < net->pieces.n ? net->pieces.breaks[i + 1] : largest;
        for (int at = 0; at <= N_CURVE; at++, out->n_curve++) {
            out->x[out->n_curve] = from * pow(to / from, (double)at / N_CURVE);
            out->y[out->n_curve] = line->intercept_s + line->per_byte_s * out->x[out->n_curve];
        }
        out->x[out->n_curve] = out->y[out->n_curve] = NAN; /* the next line begins anew */
        out->n_curve++;
    }
    return 1;
}

/* Durations over sizes with the fitted lines, and below what they leave: measured / fitted - 1. */
static void draw_series(FILE *out, const tlp_network *net, int k, double largest)
{
    shown s = {0};
    if (!make_shown(net, k, largest, &s))
        return;
    const size_t n_rules = (size_t)net->pieces.n - 1;
    const double *rules = net->pieces.breaks + 1;
    const tlg_series durations[] = {
        {.name = "measured", .look = TLG_DOTS, .number = 0, .n = s.n, .x = s.bytes, .y = s.seconds},
        {.name = "fitted", .look = TLG_CURVE, .number = 1, .n = s.n_curve, .x = s.x, .y = s.y}};
    const tlg_series rest[] = {
        {.look = TLG_DOTS, .number = 0, .n = s.n, .x = s.bytes, .y = s.rest}};
    const tlg_axis bytes = {.label = "size of the message",
                            .unit = "B",
                            .is_log = 1,
                            .low = 0.8,
                            .high = 1.3 * largest};
    const tlg_panel panels[] = {{.x = bytes,
                                 .y = {.label = "duration", .unit = "s", .is_log = 1},
                                 .n_series = 2,
                                 .series = durations,
                                 .n_rules = n_rules,
                                 .rules = rules},
                                {.x = bytes,
                                 .y = {.label = "measured / fitted - 1",
                                       .unit = "%",
                                       .low = -100 * REST_LIMIT,
                                       .high = 100 * REST_LIMIT},
                                 .n_series = 1,
                                 .series = rest,
                                 .n_rules = n_rules,
                                 .rules = rules}};
    const tlg_picture picture = {
        .n_panels = 2, .panels = panels, .n_columns = 1, .width = 720, .height = 290};
    tlg_draw_into_page(&picture, out);
    free_shown(&s);
}

static void print_segments(FILE *out, const tlp_network *net, int k)
{
    fputs("<table><tr><th>above</th><th>intercept</th><th>per byte</th><th>measured</th>"
          "<th>median error</th><th>modes: share, mean, deviation</th></tr>\n",
          out);
    for (int i = 0; i < net->pieces.n; i++) {
        const tlp_line *line = &net->pieces.lines[k][i];
        fprintf(
            out,
            "<tr><td>%.0f B</td><td>%.4g µs</td><td>%.4g ns</td><td>%zu</td><td>%.1f %%</td><td>",
            net->pieces.breaks[i], 1e6 * line->intercept_s, 1e9 * line->per_byte_s, line->n,
            100 * line->median_error);
        for (int m = 0; m < line->n_modes; m++)
            fprintf(out, "%s%.2f, %.3f, %.3f", m ? "<br/>" : "", line->modes[m].share,
                    line->modes[m].mean, line->modes[m].sd);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void print_series(FILE *out, const tlp_network *net, int k, const char *title,
                         const char *where, double largest)
{
    fprintf(out, "<h2>%s%s</h2>\n", title, where);
    draw_series(out, net, k, largest);
    print_segments(out, net, k);
}

void tlp_network_page(const tlp_network *net, FILE *out)
{
    static const char *const titles[N_NETWORK_SERIES] = {
        "Transfer: half a round trip", "MPI_Send, its receive posted before",
        "MPI_Recv, its message sent before", "MPI_Isend, its receive posted before"};
    double largest = 10;
    for (int k = 0; k < N_NETWORK_SERIES; k++)
        largest = fmax(largest, net->series[k].bytes[net->series[k].n - 1]);
    tlg_begin_page(out, "Calibrated network");
    fprintf(out,
            "<p>Latency %.3g µs, bandwidth %.4g MB/s, eager below %ld B, detached below %ld B. "
            "%zu operations, of which %zu were the warm-up; %zu outliers are left out. Dashed "
            "rules are the sizes at which the lines change. The lower plots show the relative "
            "residual, measured / fitted - 1; those beyond 100 %% are at the edge.</p>\n",
            1e6 * net->latency_s, 1e-6 * net->bandwidth_Bps, net->async_bytes, net->detached_bytes,
            net->n_rows, net->n_warm, net->n_outliers);
    for (int k = 0; k < N_NETWORK_SERIES; k++)
        print_series(out, net, k, titles[k], "", largest);
    for (int k = 0; net->within && k < N_NETWORK_SERIES; k++)
        print_series(out, net->within, k, titles[k], ", within a host", largest);
    fputs("</body></html>\n", out);
}
