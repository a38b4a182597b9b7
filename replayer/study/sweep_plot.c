/* sweep_plot.c - makespans of a sweep as a plot. */
#include "config.h"

#include "sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <plot.h>

enum { MOST_LINES = 64, LINE_BYTES = 256 };

typedef struct plot {
    const tlr_sweep *sweep;
    size_t axis;    /* from left to right */
    bool has_names; /* the axis: its values stand side by side, as they were given */
    int n_lines;
    char lines[MOST_LINES][LINE_BYTES];
    size_t first[MOST_LINES]; /* point of each line */
    double *room;             /* for a value of each point */
    double *x;                /* of the values of the axis */
    double *medians, *lost;   /* of each line, a value for each of the axis */
    tlg_series series[2 * MOST_LINES + 1];
} plot;

static int parse_number(const char *text, double *out)
{
    char *rest;
    *out = strtod(text, &rest);
    return rest > text && !*rest && isfinite(*out);
}

static bool is_seed(const tlr_axis *axis)
{
    return !strcmp(axis->name, "seed");
}

static bool has_numbers(const tlr_axis *axis)
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
static bool is_same_line(const tlr_sweep *sweep, size_t point, size_t other, size_t x)
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

/* ---- lines ---- */

/* The median makespan of the points on a line at a value of the axis; NAN if all failed. */
static double median_at(const plot *p, int line, const char *value)
{
    size_t n = 0;
    for (size_t i = 0; i < p->sweep->n_points; i++) {
        const tlr_point *point = &p->sweep->points[i];
        if (tlr_point_has_time(point) && !strcmp(tlr_sweep_value(p->sweep, i, p->axis), value) &&
            is_same_line(p->sweep, i, p->first[line], p->axis))
            p->room[n++] = point->makespan_s;
    }
    gsl_sort(p->room, 1, n);
    return n ? gsl_stats_median_from_sorted_data(p->room, 1, n) : NAN;
}

/* Whether a point of the line at this value failed. */
static bool has_failed(const plot *p, int line, const char *value)
{
    for (size_t i = 0; i < p->sweep->n_points; i++)
        if (p->sweep->points[i].error[0] && !strcmp(tlr_sweep_value(p->sweep, i, p->axis), value) &&
            is_same_line(p->sweep, i, p->first[line], p->axis))
            return 1;
    return 0;
}

/* A line with a marker for each value, and a cross for each value that has none. Between two names
 * there is no point; the line only guides the eye. Returns whether there is a cross. */
static int fill_line(plot *p, int line)
{
    const tlr_axis *axis = &p->sweep->axes[p->axis];
    double *medians = p->medians + (size_t)line * axis->n, *lost = p->lost + (size_t)line * axis->n;
    int any = 0;
    for (size_t i = 0; i < axis->n; i++) {
        double n_below = 0;
        for (int k = 0; k < line; k++)
            n_below += !isnan(p->lost[(size_t)k * axis->n + i]);
        medians[i] = median_at(p, line, axis->values[i]);
        lost[i] = has_failed(p, line, axis->values[i]) ? n_below : NAN;
        any |= !isnan(lost[i]);
    }
    p->series[line] = (tlg_series){.name = p->lines[line],
                                   .look = TLG_LINE,
                                   .number = line,
                                   .n = axis->n,
                                   .x = p->x,
                                   .y = medians};
    p->series[(size_t)p->n_lines + (size_t)line] =
        (tlg_series){.look = TLG_CROSSES, .number = line, .n = axis->n, .x = p->x, .y = lost};
    return any;
}

/* ---- axes ---- */

/* A range of more than a decade gets a logarithmic axis. */
static bool is_wide(const double *values, size_t n)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i])) {
            low = fmin(low, values[i]);
            high = fmax(high, values[i]);
        }
    return low > 0 && high >= 10 * low;
}

/* In words, where the option's name is none. */
static const char *label_of(const tlr_axis *axis)
{
    return strcmp(axis->name, "remove") != 0 ? axis->name : "hosts left out";
}

static tl_status draw(plot *p, const char *path, tl_error *err)
{
    const tlr_axis *axis = &p->sweep->axes[p->axis];
    int any_lost = 0;
    for (size_t i = 0; i < axis->n; i++) {
        p->x[i] = (double)i;
        if (!p->has_names)
            parse_number(axis->values[i], &p->x[i]);
    }
    for (int i = 0; i < p->n_lines; i++)
        any_lost |= fill_line(p, i);
    p->series[2 * (size_t)p->n_lines] =
        (tlg_series){.name = any_lost ? "not possible, or failed" : NULL,
                     .look = TLG_CROSSES,
                     .number = TLG_BLACK};
    const tlg_panel panel = {.x = {.label = label_of(axis),
                                   .unit = !strcmp(axis->name, "make.bytes") ? "B" : "",
                                   .is_log = !p->has_names && is_wide(p->x, axis->n),
                                   .n_names = p->has_names ? axis->n : 0,
                                   .names = (const char *const *)axis->values},
                             .y = {.label = "makespan",
                                   .unit = "s",
                                   .is_log = is_wide(p->medians, (size_t)p->n_lines * axis->n),
                                   .from_zero = 1},
                             .n_series = 2 * (size_t)p->n_lines + 1,
                             .series = p->series};
    const tlg_picture picture = {
        .title = p->sweep->command ? p->sweep->command : "sweep", .n_panels = 1, .panels = &panel};
    return tlg_draw(&picture, path, err);
}

tl_status tlr_sweep_draw(const tlr_sweep *sweep, const char *path, tl_error *err)
{
    const size_t axis = find_axis(sweep);
    if (axis == sweep->n_axes)
        return tl_fail(err, TL_ERR_USAGE,
                       "a plot needs an axis of several values; give one with --grid");
    const size_t n = sweep->axes[axis].n;
    plot *p = calloc(1, sizeof *p);
    const size_t n_values = (size_t)MOST_LINES * n;
    double *room = calloc(sweep->n_points + n + 2 * n_values, sizeof *room);
    if (!p || !room) {
        free(p);
        free(room);
        return tl_no_memory(err, "plot");
    }
    *p = (plot){.sweep = sweep,
                .axis = axis,
                .has_names = !has_numbers(&sweep->axes[axis]),
                .room = room,
                .x = room + sweep->n_points};
    p->medians = p->x + n;
    p->lost = p->medians + n_values;
    list_lines(p);
    const tl_status status = draw(p, path, err);
    free(room);
    free(p);
    return status;
}
