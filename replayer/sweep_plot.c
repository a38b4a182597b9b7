/* sweep_plot.c - makespans of a sweep as a picture. */
#include "config.h"

#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

enum { WIDTH = 900, HEIGHT = 480, LEFT = 80, RIGHT = 260, TOP = 20, BOTTOM = 50, MOST_LINES = 64 };

/* A linear or logarithmic scale onto pixels. */
typedef struct scale {
    double low, high, from, to;
    int is_log;
} scale;

static double to_pixel(const scale *s, double value)
{
    const double low = s->is_log ? log(s->low) : s->low, high = s->is_log ? log(s->high) : s->high;
    const double at = s->is_log ? log(value) : value;
    return high > low ? s->from + (s->to - s->from) * (at - low) / (high - low)
                      : (s->from + s->to) / 2;
}

static int parse_number(const char *text, double *out)
{
    char *rest;
    *out = strtod(text, &rest);
    return rest > text && !*rest && isfinite(*out);
}

static int is_seed(const tlr_axis *axis)
{
    return !strcmp(axis->name, "seed");
}

/* The first axis of numbers that is no seed; otherwise a seed's; n_axes: none. */
static size_t find_axis(const tlr_sweep *sweep)
{
    for (int seeds = 0; seeds < 2; seeds++)
        for (size_t a = 0; a < sweep->n_axes; a++) {
            const tlr_axis *axis = &sweep->axes[a];
            int good = axis->n > 1 && is_seed(axis) == seeds;
            double number;
            for (size_t i = 0; i < axis->n && good; i++)
                good = parse_number(axis->values[i], &number);
            if (good)
                return a;
        }
    return sweep->n_axes;
}

static void widen(scale *s, double value)
{
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

/* More than a decade is shown as a logarithm. */
static void choose_log(scale *s)
{
    s->is_log = s->low > 0 && s->high >= 10 * s->low;
}

/* The name of the line that a point is on: what the axes but x and seeds are there. */
static void line_name(const tlr_sweep *sweep, size_t point, size_t x, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->n_axes && used < size; a++)
        if (a != x && !is_seed(&sweep->axes[a]) && sweep->axes[a].n > 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "",
                                     sweep->axes[a].name, tlr_sweep_value(sweep, point, a));
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    for (const char *p = text; *p; p++)
        fprintf(out, *p == '<' ? "&lt;" : *p == '&' ? "&amp;" : "%c", *p);
    fputs("</text>\n", out);
}

static void put_axes(FILE *out, const scale *x, const scale *y, const tlr_axis *axis)
{
    char text[32];
    for (int tick = 0; tick <= 4; tick++) {
        const double share = tick / 4.0;
        const double value =
            y->is_log ? y->low * pow(y->high / y->low, share) : y->low + share * (y->high - y->low);
        const double at = to_pixel(y, value);
        fprintf(out, "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                LEFT, WIDTH - RIGHT, at, at);
        snprintf(text, sizeof text, "%.4g s", value);
        put_text(out, LEFT - 6, at + 4, "end", text);
    }
    for (size_t i = 0; i < axis->n; i++) {
        /* As many labels as there is room for. */
        if (axis->n > 12 && i % ((axis->n + 11) / 12) != 0)
            continue;
        double value = 0;
        parse_number(axis->values[i], &value);
        put_text(out, to_pixel(x, value), HEIGHT - BOTTOM + 16, "middle", axis->values[i]);
    }
    put_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 12, "middle", axis->name);
}

/* Median makespan of the points on a line at a value of the axis; NAN if all failed. */
static double median_at(const tlr_sweep *sweep, const char *line, size_t x, const char *value,
                        double *room)
{
    size_t n = 0;
    char name[256];
    for (size_t i = 0; i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        if (!point->known || point->error[0] || strcmp(tlr_sweep_value(sweep, i, x), value) != 0)
            continue;
        line_name(sweep, i, x, name, sizeof name);
        if (!strcmp(name, line))
            room[n++] = point->makespan_s;
    }
    gsl_sort(room, 1, n);
    return n ? gsl_stats_median_from_sorted_data(room, 1, n) : NAN;
}

static void put_line(const tlr_sweep *sweep, const char *line, size_t x_axis, const scale *x,
                     const scale *y, int number, double *room, FILE *out)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                          "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"};
    const char *colour = colours[(size_t)number % (sizeof colours / sizeof *colours)];
    const tlr_axis *axis = &sweep->axes[x_axis];
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", colour);
    for (size_t i = 0; i < axis->n; i++) {
        double value = 0;
        const double median = median_at(sweep, line, x_axis, axis->values[i], room);
        parse_number(axis->values[i], &value);
        if (!isnan(median))
            fprintf(out, "%.1f,%.1f ", to_pixel(x, value), to_pixel(y, median));
    }
    fprintf(out, "\"/>\n<g fill=\"%s\">", colour);
    put_text(out, WIDTH - RIGHT + 12, TOP + 14 + 14.0 * number, "start", line);
    fputs("</g>\n", out);
}

/* Each line once, in the order of the points; a page has room for so many. */
static void put_lines(const tlr_sweep *sweep, size_t x_axis, const scale *x, const scale *y,
                      double *room, FILE *out)
{
    static const size_t NAME = 256;
    char seen[MOST_LINES][256];
    int n = 0;
    for (size_t i = 0; i < sweep->n_points && n < MOST_LINES; i++) {
        line_name(sweep, i, x_axis, seen[n], NAME);
        int k = 0;
        while (strcmp(seen[k], seen[n]) != 0)
            k++;
        if (k == n) {
            put_line(sweep, seen[n], x_axis, x, y, n, room, out);
            n++;
        }
    }
}

tl_status tlr_sweep_write_svg(const tlr_sweep *sweep, FILE *out, tl_error *err)
{
    const size_t a = find_axis(sweep);
    if (a == sweep->n_axes)
        return tl_fail(err, TL_ERR_USAGE,
                       "a plot needs an axis of several numbers; give one with --grid");
    double *room = calloc(sweep->n_points, sizeof *room);
    if (!room)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the plot");
    scale x = {INFINITY, -INFINITY, LEFT, WIDTH - RIGHT, 0};
    scale y = {INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP, 0};
    for (size_t i = 0; i < sweep->axes[a].n; i++) {
        double value = 0;
        parse_number(sweep->axes[a].values[i], &value);
        widen(&x, value);
    }
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known && !sweep->points[i].error[0])
            widen(&y, sweep->points[i].makespan_s);
    choose_log(&x);
    choose_log(&y);
    if (!y.is_log)
        y.low = 0;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            WIDTH, HEIGHT);
    if (y.high >= y.low) {
        put_axes(out, &x, &y, &sweep->axes[a]);
        put_lines(sweep, a, &x, &y, room, out);
    }
    fputs("</svg>\n", out);
    free(room);
    return TL_OK;
}
