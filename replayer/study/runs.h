/* runs.h - durations of several runs, by name. */
#ifndef TLR_RUNS_H
#define TLR_RUNS_H

#include <timeless.h>

typedef struct tlr_runs_row {
    char *name;
    double *values; /* of each run, in the order of the files and their lines */
    size_t n;
    const char *path; /* where the name was read first; NULL: in no file */
    size_t line;
} tlr_runs_row;

typedef struct tlr_runs {
    size_t n_rows;
    tlr_runs_row *rows; /* in the order of their first appearance */
} tlr_runs;

/* Adds a value to the row of that name, which is made when there is none. */
tl_status tlr_runs_add(tlr_runs *runs, const char *name, double value, tl_error *err);
const tlr_runs_row *tlr_runs_find(const tlr_runs *runs, const char *name);
/* Reads lines NAME,SECONDS of a CSV file; a name that comes again is another run. */
tl_status tlr_runs_read(tlr_runs *runs, const char *path, tl_error *err);
/* Reads FOLDER/history.csv, lines WHEN,WHAT,NAME,VALUE: a moment is a calibration.  The last
 * calibration of each WHAT goes to `last`, those before it that have the same names to `before`;
 * names become "WHAT: NAME".  TL_ERR_INPUT when nothing was calibrated twice. */
tl_status tlr_runs_read_history(tlr_runs *before, tlr_runs *last, const char *folder,
                                tl_error *err);
/* Frees the rows, not the object. */
void tlr_runs_clear(tlr_runs *runs);

#endif
