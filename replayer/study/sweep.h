/* sweep.h - a grid of replays: its points, their results in a file, plots.
 *
 * An axis is an option of `timeless replay` with its values.  What a point runs is the caller's; it
 * runs in a process of its own.
 */
#ifndef TLR_SWEEP_H
#define TLR_SWEEP_H

#include "replayer.h"

typedef struct tlr_axis {
    char *name; /* "scale.network" */
    size_t n;
    char **values;
} tlr_axis;

/* What a point gave. */
typedef struct tlr_point {
    uint64_t key; /* of all that the result depends on; 0: not known */
    int known;    /* ran, now or before */
    double makespan_s;
    double quiet_s;   /* without noise; 0: none was asked for */
    double compute_s; /* mean of the ranks */
    uint64_t n_events;
    char error[448]; /* "": none */
} tlr_point;

/* Points are counted with the last axis fastest. */
typedef struct tlr_sweep {
    size_t n_axes, n_points;
    tlr_axis *axes;
    tlr_point *points; /* shared with the processes that run them */
} tlr_sweep;

/* "NAME=VALUE,VALUE,...": where a value has a comma itself, semicolons stand between them; A:B and
 * A:B:STEP are whole numbers from A to B. */
tl_status tlr_axis_parse(const char *text, tlr_axis *out, tl_error *err);
/* An axis of these values. */
tl_status tlr_axis_of(const char *name, const char *const *values, size_t n, tlr_axis *out,
                      tl_error *err);
void tlr_axis_free(tlr_axis *axis);
/* Takes over the axes, which must have different names; *out has no result yet. */
tl_status tlr_sweep_create(tlr_axis *axes, size_t n_axes, tlr_sweep *out, tl_error *err);
void tlr_sweep_free(tlr_sweep *sweep);
/* The value of an axis at a point. */
const char *tlr_sweep_value(const tlr_sweep *sweep, size_t point, size_t axis);
/* "NAME=VALUE NAME=VALUE", cut to size. */
void tlr_sweep_point_text(const tlr_sweep *sweep, size_t point, char *text, size_t size);

/* ---- keys: replayer/study/sweep_key.c ---- */

/* Hashes of files that words name, each read once. */
typedef struct tlr_key_cache tlr_key_cache;

tlr_key_cache *tlr_key_cache_create(void);
void tlr_key_cache_free(tlr_key_cache *cache);
/* Of the words of a replay: their text, and the contents of the trace, the platform and the files
 * that they name ("TRACE", "--platform=NAME", "--model=FILE"); "make ..." names none. */
tl_status tlr_sweep_key(tlr_key_cache *cache, const char *const *words, size_t n, uint64_t *out,
                        tl_error *err);

/* ---- running: replayer/study/sweep_run.c ---- */

/* Runs in a child, whose standard output and error are kept from the terminal: fills *point and
 * returns the exit code; or says on standard error what is wrong and exits. */
typedef int tlr_point_body(void *arg, size_t index, tlr_point *point);

/* Runs the points i = first, first + stride, ... that are not known, n_jobs at a time.  After each,
 * done(arg, i), in the order in which they end.  Errors of a point are in it; others end the run.
 */
tl_status tlr_sweep_run(tlr_sweep *sweep, size_t first, size_t stride, unsigned n_jobs,
                        tlr_point_body *body, tl_status (*done)(void *arg, size_t i, tl_error *err),
                        void *arg, tl_error *err);

/* ---- files: replayer/study/sweep_file.c, replayer/study/sweep_plot.c ---- */

/* Takes the results of the rows of a CSV file whose keys are those of points; a file that is not
 * there has none, and a last line that was cut is left out.  Points that failed stay unknown unless
 * with_errors. */
tl_status tlr_sweep_read(tlr_sweep *sweep, const char *path, int with_errors, tl_error *err);
/* A row behind those that the file has, in one write. */
tl_status tlr_sweep_append(const tlr_sweep *sweep, size_t point, const char *path, tl_error *err);
void tlr_sweep_write_csv(const tlr_sweep *sweep, FILE *out);
tl_status tlr_sweep_write_json(const tlr_sweep *sweep, FILE *out, tl_error *err);
/* Makespan (median over the axes named "seed") over the first axis of several numbers, or else of
 * names, or else of seeds; a line for each combination of the others.  TL_ERR_USAGE: no such axis.
 */
tl_status tlr_sweep_write_svg(const tlr_sweep *sweep, FILE *out, tl_error *err);

#endif
