/* sweep.h - a grid of replays: its points, their results in a file, plots. An axis is a setting of
 * a replay with its values. */
#ifndef TLR_SWEEP_H
#define TLR_SWEEP_H

#include "batch.h"

#include <jansson.h>
#include <stdbool.h>

typedef struct tlr_axis {
    char *name; /* "scale.network" */
    size_t n;
    char **values;
} tlr_axis;

/* Points are numbered with the last axis fastest. */
typedef struct tlr_sweep {
    size_t n_axes, n_points;
    tlr_axis *axes;
    tlr_point *points;
    bool has_efficiency; /* its results have that, too */
    const char *command; /* what is the same at all points, for people; the caller's */
} tlr_sweep;

/* "NAME=VALUE,VALUE,...". If a value contains a comma, semicolons separate the values. A:B and
 * A:B:STEP are whole numbers from A to B. */
tl_status tlr_axis_parse(const char *text, tlr_axis *out, tl_error *err);
/* Makes an axis with these values. */
tl_status tlr_axis_of(const char *name, const char *const *values, size_t n, tlr_axis *out,
                      tl_error *err);
/* Adds a value; tlr_axis_add: if the axis does not have it yet. */
tl_status tlr_axis_append(tlr_axis *axis, const char *value, tl_error *err);
tl_status tlr_axis_add(tlr_axis *axis, const char *value, tl_error *err);
/* TL_ERR_USAGE: a replay has no such axis. */
tl_status tlr_axis_check(const char *name, tl_error *err);
/* The axis is coll.OPERATION with the value "all". */
bool tlr_axis_has_all(const tlr_axis *axis);
/* In such an axis, the value "all" becomes every algorithm that the engine (NULL: "smpi")
 * has for the operation and that is not another value. */
tl_status tlr_axis_expand(tlr_axis *axis, const char *engine, tl_error *err);
void tlr_axis_free(tlr_axis *axis);
/* Takes over the axes, which must have different names; if it fails, too: *out is to be freed in
 * any case. It has no result yet. */
tl_status tlr_sweep_create(tlr_axis *axes, size_t n_axes, tlr_sweep *out, tl_error *err);
void tlr_sweep_free(tlr_sweep *sweep);
/* The value of an axis at a point. */
const char *tlr_sweep_value(const tlr_sweep *sweep, size_t point, size_t axis);
/* The scenario of a point: the base, of which the values of the axes are changes. Its source may be
 * that of an axis. */
tl_status tlr_sweep_scenario(const tlr_sweep *sweep, size_t point, const tlr_scenario *base,
                             tlr_scenario *out, tl_error *err);
/* "NAME=VALUE NAME=VALUE", shortened to `size`. */
void tlr_sweep_point_text(const tlr_sweep *sweep, size_t point, char *text, size_t size);

/* ---- files: replayer/study/sweep_file.c, replayer/study/sweep_plot.c ---- */

/* Rows of a results file (replayer/study/sweep_table.h). */
typedef struct tlr_rows tlr_rows;

void tlr_sweep_write_row(const tlr_sweep *sweep, size_t point, FILE *out);
/* Writes the points with a result, and then the other rows (NULL: none) that no point replaces: one
 * with the same values and command. */
tl_status tlr_sweep_write_csv(const tlr_sweep *sweep, const tlr_rows *others, FILE *out,
                              tl_error *err);
json_t *tlr_sweep_json(const tlr_sweep *sweep);
/* Plots the makespan (the median over axes named "seed") over the first axis with several numbers;
 * if there is none, over the first axis with names; if there is none, over seeds. There is a line
 * for each combination of the other axes (at most 64). The file name ends in .svg, .pdf or .png
 * (plots/plot.h). TL_ERR_USAGE: there is no such axis. */
tl_status tlr_sweep_draw(const tlr_sweep *sweep, const char *path, tl_error *err);

/* ---- the results file: replayer/study/sweep_results.c ---- */

/* The results file FILE of a sweep. While it runs, its rows are in FILE.part, which it locks. What
 * an interrupted sweep left there is read. */
typedef struct tlr_results tlr_results;

/* Refuses anything but a regular file, and a file that another sweep writes. */
tl_status tlr_results_open(const char *path, tlr_results **out, tl_error *err);
/* Takes the results of FILE.part and FILE (tlr_rows_read). */
tl_status tlr_results_read(tlr_results *results, tlr_sweep *sweep, tl_error *err);
/* Adds a row to FILE.part. */
tl_status tlr_results_add(tlr_results *results, const tlr_sweep *sweep, size_t point,
                          tl_error *err);
/* Writes FILE anew: the points of the sweep, and those of its other rows that they do not replace.
 * Then FILE.part is removed. */
tl_status tlr_results_write(tlr_results *results, const tlr_sweep *sweep, tl_error *err);
void tlr_results_close(tlr_results *results); /* NULL: does nothing */

#endif
