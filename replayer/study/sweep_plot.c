/* sweep_plot.c - makespans of a sweep as a plot. */
#include "config.h"

#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <timeless_files.h>

enum {
    PLOT_WIDTH = 560,
    PLOT_HEIGHT = 410,
    LEFT = 80,
    RIGHT = 260,
    TOP = 20,
    BOTTOM = 50,
    GAP = 12
};
enum { MOST_LINES = 64, LINE_BYTES = 256, LINE_HEIGHT = 14, LETTER_WIDTH = 6, MOST_LETTERS = 28 };

/* A linear or logarithmic scale onto pixels. */
typedef struct scale {
    double low, high, from, to;
    int is_log;
} scale;

typedef struct plot {
    const tlr_sweep *sweep;
    size_t axis;   /* from left to right */
    int has_names; /* the axis: its values stand side by side, as they were given */
    int is_steep;  /* and are too long for that, so that they are turned */
    double bottom, caption, width, height;
    scale x, y;
    int n_lines;
    char lines[MOST_LINES][LINE_BYTES];
    size_t first[MOST_LINES]; /* point of each line */
    double *room;             /* for a value of each point */
    double *medians;          /* for one of each value of the axis */
} plot;

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

static int has_numbers(const tlr_axis *axis)
{
    double number;
    for (size_t i = 0; i < axis->n; i++)
        if (!parse_number(axis->values[i], &number))
            return 0;
    return 1;
}

/* The first axis of numbers that is not the seed; otherwise the first axis of names; otherwise the
 * seed; n_axes: none. */
static size_t find_axis(const tlr_sweep *sweep)
{
    size_t names = sweep->n_axes, seeds = sweep->n_axes;
    for (size_t a = sweep->n_axes; a-- > 0;)
        if (sweep->axes[a].n > 1)
            *(is_seed(&sweep->axes[a]) ? &seeds : &names) = a;
    for (size_t a = 0; a < sweep->n_axes; a++)
        if (sweep->axes[a].n > 1 && !is_seed(&sweep->axes[a]) && has_numbers(&sweep->axes[a]))
            return a;
    return names < sweep->n_axes ? names : seeds;
}

static void widen(scale *s, double value)
{
    s->low = fmin(s->low, value);
    s->high = fmax(s->high, value);
}

/* A range of more than a decade gets a logarithmic axis. */
static void choose_log(scale *s)
{
    s->is_log = s->low > 0 && s->high >= 10 * s->low;
}

/* The name of the line of a point: the values of all axes except x and seeds. */
static void line_name(const tlr_sweep *sweep, size_t point, size_t x, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->n_axes && used < size; a++)
        if (a != x && !is_seed(&sweep->axes[a]) && sweep->axes[a].n > 1)
            used += (size_t)snprintf(text + used, size - used, "%s%s=%s", used ? " " : "",
                                     sweep->axes[a].name, tlr_sweep_value(sweep, point, a));
}

/* Whether two points are on one line. */
static int is_same_line(const tlr_sweep *sweep, size_t point, size_t other, size_t x)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        if (a != x && !is_seed(&sweep->axes[a]) &&
            strcmp(tlr_sweep_value(sweep, point, a), tlr_sweep_value(sweep, other, a)) != 0)
            return 0;
    return 1;
}

/* Each line once, in the order of the points. A page has room for a limited number of lines. */
static void list_lines(plot *p)
{
    for (size_t i = 0; i < p->sweep->n_points && p->n_lines < MOST_LINES; i++) {
        int k = 0;
        while (k < p->n_lines && !is_same_line(p->sweep, i, p->first[k], p->axis))
            k++;
        if (k < p->n_lines)
            continue;
        line_name(p->sweep, i, p->axis, p->lines[k], LINE_BYTES);
        p->first[p->n_lines++] = i;
    }
}

/* ---- text ---- */

static int is_letter_start(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

static size_t count_letters(const char *text)
{
    size_t n = 0;
    for (; *text; text++)
        n += (size_t)is_letter_start(*text);
    return n;
}

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

static void put_text(FILE *out, double x, double y, const char *anchor, const char *text)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">", x, y, anchor);
    tl_put_xml(out, text, strlen(text));
    fputs("</text>\n", out);
}

/* A name below the axis. A long name loses its middle, because algorithms differ at their ends, and
 * files in their names and folders. A viewer shows the whole name when the pointer is on it. */
static void put_name(const plot *p, double x, const char *name, FILE *out)
{
    const double y = p->bottom + (p->is_steep ? 12 : 16);
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" ", x, y);
    if (p->is_steep)
        fprintf(out, "text-anchor=\"end\" transform=\"rotate(-45 %.1f %.1f)\">", x, y);
    else
        fputs("text-anchor=\"middle\">", out);
    const size_t n_letters = count_letters(name), length = strlen(name);
    if (n_letters <= MOST_LETTERS) {
        tl_put_xml(out, name, length);
    } else {
        size_t head = 0, tail = length;
        for (size_t n = 0; n <= MOST_LETTERS / 2; head++)
            n += (size_t)is_letter_start(name[head]);
        for (size_t n = 0; n < MOST_LETTERS / 2;)
            n += (size_t)is_letter_start(name[--tail]);
        tl_put_xml(out, name, head - 1);
        fputs("\u2026", out);
        tl_put_xml(out, name + tail, length - tail);
        fputs("<title>", out);
        tl_put_xml(out, name, length);
        fputs("</title>", out);
    }
    fputs("</text>\n", out);
}

/* ---- axes ---- */

static double x_of(const plot *p, size_t i)
{
    double value = (double)i + 0.5;
    if (!p->has_names)
        parse_number(p->sweep->axes[p->axis].values[i], &value);
    return to_pixel(&p->x, value);
}

/* Names are side by side. If they are too long for that, they are turned, at a distance that
 * separates them. On the left side they may need more room than the other axis. */
static void place_names(plot *p)
{
    enum { LEAST_STEP = 16 };
    static const double cos_45 = 0.7072;
    const tlr_axis *axis = &p->sweep->axes[p->axis];
    size_t longest = 0;
    for (size_t i = 0; i < axis->n; i++)
        longest = most(longest, count_letters(axis->values[i]));
    const double name_width = LETTER_WIDTH * fmin((double)longest, MOST_LETTERS);
    const double step = fmax(PLOT_WIDTH / (double)axis->n, LEAST_STEP);
    p->is_steep = name_width + LETTER_WIDTH > step;
    p->x = (scale){0, (double)axis->n, LEFT, LEFT + step * (double)axis->n, 0};
    if (p->is_steep) {
        const double slant = cos_45 * name_width;
        const double more = fmax(0, slant + LETTER_WIDTH - LEFT - step / 2);
        p->x.from += more;
        p->x.to += more;
        p->caption += slant;
    }
}

static void place(plot *p)
{
    const tlr_axis *axis = &p->sweep->axes[p->axis];
    p->bottom = TOP + PLOT_HEIGHT;
    p->caption = p->bottom + BOTTOM - GAP;
    p->x = (scale){INFINITY, -INFINITY, LEFT, LEFT + PLOT_WIDTH, 0};
    p->y = (scale){INFINITY, -INFINITY, p->bottom, TOP, 0};
    p->has_names = !has_numbers(axis);
    if (p->has_names) {
        place_names(p);
    } else {
        for (size_t i = 0; i < axis->n; i++) {
            double value = 0;
            parse_number(axis->values[i], &value);
            widen(&p->x, value);
        }
        choose_log(&p->x);
    }
    for (size_t i = 0; i < p->sweep->n_points; i++)
        if (p->sweep->points[i].known && !p->sweep->points[i].error[0])
            widen(&p->y, p->sweep->points[i].makespan_s);
    choose_log(&p->y);
    if (!p->y.is_log)
        p->y.low = 0;
    size_t longest = 0;
    for (int i = 0; i < p->n_lines; i++)
        longest = most(longest, count_letters(p->lines[i]));
    p->width = p->x.to + fmax(RIGHT, 2 * GAP + LETTER_WIDTH * (double)longest);
    p->height = fmax(p->caption + GAP, TOP + LINE_HEIGHT * (p->n_lines + 1.0));
}

static void put_axes(const plot *p, FILE *out)
{
    char text[32];
    const scale *y = &p->y;
    const tlr_axis *axis = &p->sweep->axes[p->axis];
    for (int tick = 0; tick <= 4; tick++) {
        const double share = tick / 4.0;
        const double value =
            y->is_log ? y->low * pow(y->high / y->low, share) : y->low + share * (y->high - y->low);
        const double at = to_pixel(y, value);
        fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#dddddd\"/>\n",
                p->x.from, p->x.to, at, at);
        snprintf(text, sizeof text, "%.4g s", value);
        put_text(out, p->x.from - 6, at + 4, "end", text);
    }
    /* As many numbers as fit. */
    const size_t every = p->has_names ? 1 : (axis->n + 11) / 12;
    for (size_t i = 0; i < axis->n; i += every)
        put_name(p, x_of(p, i), axis->values[i], out);
    put_text(out, (p->x.from + p->x.to) / 2, p->caption, "middle", axis->name);
}

/* ---- lines ---- */

/* The median makespan of the points on a line at a value of the axis; NAN if all failed. */
static double median_at(const plot *p, int line, const char *value)
{
    size_t n = 0;
    for (size_t i = 0; i < p->sweep->n_points; i++) {
        const tlr_point *point = &p->sweep->points[i];
        if (point->known && !point->error[0] &&
            !strcmp(tlr_sweep_value(p->sweep, i, p->axis), value) &&
            is_same_line(p->sweep, i, p->first[line], p->axis))
            p->room[n++] = point->makespan_s;
    }
    gsl_sort(p->room, 1, n);
    return n ? gsl_stats_median_from_sorted_data(p->room, 1, n) : NAN;
}

/* Draws a dot for each value. There is no point between two names; the line only guides the eye. */
static void put_line(const plot *p, int number, FILE *out)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                          "#ff7f0e", "#8c564b", "#17becf", "#7f7f7f"};
    const char *colour = colours[(size_t)number % (sizeof colours / sizeof *colours)];
    const size_t n = p->sweep->axes[p->axis].n;
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" points=\"", colour,
            p->has_names ? "0.7" : "2");
    for (size_t i = 0; i < n; i++) {
        p->medians[i] = median_at(p, number, p->sweep->axes[p->axis].values[i]);
        if (!isnan(p->medians[i]))
            fprintf(out, "%.1f,%.1f ", x_of(p, i), to_pixel(&p->y, p->medians[i]));
    }
    fprintf(out, "\"/>\n<g fill=\"%s\">", colour);
    for (size_t i = 0; i < n; i++)
        if (!isnan(p->medians[i]))
            fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n", x_of(p, i),
                    to_pixel(&p->y, p->medians[i]));
    put_text(out, p->x.to + GAP, TOP + LINE_HEIGHT * (number + 1.0), "start", p->lines[number]);
    fputs("</g>\n", out);
}

tl_status tlr_sweep_write_svg(const tlr_sweep *sweep, FILE *out, tl_error *err)
{
    const size_t axis = find_axis(sweep);
    if (axis == sweep->n_axes)
        return tl_fail(err, TL_ERR_USAGE,
                       "a plot needs an axis of several values; give one with --grid");
    plot *p = calloc(1, sizeof *p);
    double *room = calloc(sweep->n_points + sweep->axes[axis].n, sizeof *room);
    if (!p || !room) {
        free(p);
        free(room);
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the plot");
    }
    *p = (plot){.sweep = sweep, .axis = axis, .room = room, .medians = room + sweep->n_points};
    list_lines(p);
    place(p);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
            "font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            p->width, p->height);
    if (p->y.high >= p->y.low) {
        put_axes(p, out);
        for (int i = 0; i < p->n_lines; i++)
            put_line(p, i, out);
    }
    fputs("</svg>\n", out);
    free(room);
    free(p);
    return TL_OK;
}
