/* network_page.c - a page with the measurements, the lines through them, and their residuals. */
#include "config.h"

#include "network.h"

#include <math.h>

/* Size and margins of a plot; the number of points of a series. Of more points, an even selection
 * is shown. */
enum { WIDTH = 720, HEIGHT = 300, REST_HEIGHT = 160, LEFT = 70, BOTTOM = 30, TOP = 10, RIGHT = 10 };
enum { MAX_POINTS = 3000, N_CURVE = 200 };
/* Residuals beyond this ratio are shown at the edge. */
#define REST_LIMIT 1.0

typedef struct plot {
    FILE *out;
    double x0, x1, y0, y1; /* of the values, logarithms where the axis is logarithmic */
    int height;
} plot;

static double px(const plot *p, double x)
{
    return LEFT + (x - p->x0) / (p->x1 - p->x0) * (WIDTH - LEFT - RIGHT);
}

static double py(const plot *p, double y)
{
    return p->height - BOTTOM - (y - p->y0) / (p->y1 - p->y0) * (p->height - BOTTOM - TOP);
}

static void text(const plot *p, double x, double y, const char *anchor, const char *format,
                 double value)
{
    fprintf(p->out, "<text x='%.1f' y='%.1f' text-anchor='%s'>", x, y, anchor);
    fprintf(p->out, format, value);
    fputs("</text>\n", p->out);
}

static void rule(const plot *p, double x0, double y0, double x1, double y1, const char *class)
{
    fprintf(p->out, "<path class='%s' d='M%.1f %.1fL%.1f %.1f'/>\n", class, x0, y0, x1, y1);
}

static void begin(plot *p, const tlp_network *net)
{
    fprintf(p->out, "<svg viewBox='0 0 %d %d' width='%d' height='%d'>\n", WIDTH, p->height, WIDTH,
            p->height);
    for (int decade = 0; decade <= p->x1; decade++) {
        rule(p, px(p, decade), TOP, px(p, decade), p->height - BOTTOM, "grid");
        text(p, px(p, decade), p->height - BOTTOM + 16, "middle", "%g B", pow(10, decade));
    }
    for (int i = 1; i < net->pieces.n; i++) {
        double x = px(p, log10(net->pieces.breaks[i]));
        rule(p, x, TOP, x, p->height - BOTTOM, "break");
    }
}

static void point(const plot *p, double x, double y)
{
    y = fmin(p->y1, fmax(p->y0, y));
    fprintf(p->out, "M%.1f %.1fh0", px(p, x), py(p, y));
}

static double log_bytes(double bytes)
{
    return log10(fmax(1, bytes));
}

/* Durations over sizes, both axes logarithmic, and the lines. */
static void plot_durations(FILE *out, const tlp_network *net, int k, double largest)
{
    const tlp_series *s = &net->series[k];
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < s->n; i++) {
        low = fmin(low, s->seconds[i]);
        high = fmax(high, s->seconds[i]);
    }
    plot p = {out, 0, log_bytes(largest), floor(log10(low)), ceil(log10(high)), HEIGHT};
    if (!(p.y1 > p.y0))
        p.y1 = p.y0 + 1;
    begin(&p, net);
    for (int decade = (int)p.y0; decade <= p.y1; decade++) {
        rule(&p, LEFT, py(&p, decade), WIDTH - RIGHT, py(&p, decade), "grid");
        text(&p, LEFT - 6, py(&p, decade) + 4, "end", "%g s", pow(10, decade));
    }
    fputs("<path class='dot' d='", out);
    for (size_t i = 0; i < s->n; i += 1 + s->n / MAX_POINTS)
        point(&p, log_bytes(s->bytes[i]), log10(s->seconds[i]));
    fputs("'/>\n<path class='line' d='", out);
    for (int i = 0; i < net->pieces.n; i++) {
        double from = log_bytes(net->pieces.breaks[i]);
        double to = i + 1 < net->pieces.n ? log_bytes(net->pieces.breaks[i + 1]) : p.x1;
        for (int at = 0; at <= N_CURVE; at++) {
            double x = from + (to - from) * at / N_CURVE;
            const tlp_line *line = &net->pieces.lines[k][i];
            double y = fmax(1e-12, line->intercept_s + line->per_byte_s * pow(10, x));
            fprintf(out, "%s%.1f %.1f", at ? "L" : "M", px(&p, x),
                    py(&p, fmin(p.y1, fmax(p.y0, log10(y)))));
        }
    }
    fputs("'/>\n</svg>\n", out);
}

/* Relative residual: measured / fitted - 1. */
static void plot_rest(FILE *out, const tlp_network *net, int k, double largest)
{
    const tlp_series *s = &net->series[k];
    plot p = {out, 0, log_bytes(largest), -REST_LIMIT, REST_LIMIT, REST_HEIGHT};
    begin(&p, net);
    for (int i = -1; i <= 1; i++) {
        double y = i * REST_LIMIT;
        rule(&p, LEFT, py(&p, y), WIDTH - RIGHT, py(&p, y), "grid");
        text(&p, LEFT - 6, py(&p, y) + 4, "end", "%+g %%", 100 * y);
    }
    fputs("<path class='dot' d='", out);
    for (size_t i = 0; i < s->n; i += 1 + s->n / MAX_POINTS)
        point(&p, log_bytes(s->bytes[i]),
              s->seconds[i] / tlp_pieces_at(&net->pieces, k, s->bytes[i]) - 1);
    fputs("'/>\n</svg>\n", out);
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
            "<tr><td>%.0f B</td><td>%.4g us</td><td>%.4g ns</td><td>%zu</td><td>%.1f %%</td><td>",
            net->pieces.breaks[i], 1e6 * line->intercept_s, 1e9 * line->per_byte_s, line->n,
            100 * line->median_error);
        for (int m = 0; m < line->n_modes; m++)
            fprintf(out, "%s%.2f, %.3f, %.3f", m ? "; " : "", line->modes[m].share,
                    line->modes[m].mean, line->modes[m].sd);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

void tlp_network_page(const tlp_network *net, FILE *out)
{
    static const char *const titles[N_NETWORK_SERIES] = {
        "Transfer: half a round trip", "MPI_Send, its receive posted before",
        "MPI_Recv, its message sent before", "MPI_Isend, its receive posted before"};
    double largest = 10;
    for (int k = 0; k < N_NETWORK_SERIES; k++)
        largest = fmax(largest, net->series[k].bytes[net->series[k].n - 1]);
    fputs(
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
        "<title>Calibrated network</title>\n<style>\n"
        "body { font: 15px/1.4 sans-serif; margin: 2em auto; max-width: 60em; }\n"
        "svg { display: block; } text { font: 11px sans-serif; fill: #444; }\n"
        "path { fill: none; } .grid { stroke: #ddd; } .break { stroke: #c60; stroke-dasharray: 4 "
        "3; }\n"
        ".dot { stroke: #27a; stroke-width: 2; stroke-linecap: round; stroke-opacity: .35; }\n"
        ".line { stroke: #a00; stroke-width: 1.5; }\n"
        "td, th { padding: .1em .6em; text-align: right; font-size: 13px; white-space: nowrap; }\n"
        "</style></head><body>\n<h1>Calibrated network</h1>\n",
        out);
    fprintf(out,
            "<p>Latency %.3g us, bandwidth %.4g MB/s, eager below %ld B, detached below %ld B. "
            "%zu operations, of which %zu were the warm-up; %zu outliers are left out. Dots are "
            "measurements, red the fitted lines, dashed where they change; below each plot what is "
            "left over, measured / line - 1.</p>\n",
            1e6 * net->latency_s, 1e-6 * net->bandwidth_Bps, net->async_bytes, net->detached_bytes,
            net->n_rows, net->n_warm, net->n_outliers);
    for (int k = 0; k < N_NETWORK_SERIES; k++) {
        fprintf(out, "<h2>%s</h2>\n", titles[k]);
        plot_durations(out, net, k, largest);
        plot_rest(out, net, k, largest);
        print_segments(out, net, k);
    }
    fputs("</body></html>\n", out);
}
