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

/* Adds a value to the row of this name. A missing row is created. */
tl_status tlr_runs_add(tlr_runs *runs, const char *name, double value, tl_error *err);
const tlr_runs_row *tlr_runs_find(const tlr_runs *runs, const char *name);
/* Reads the lines NAME,SECONDS of a CSV file. A name that appears again belongs to another run. */
tl_status tlr_runs_read(tlr_runs *runs, const char *path, tl_error *err);
/* Reads the lines WHEN,WHAT,NAME,VALUE of FOLDER/history.csv. Lines with the same moment are one
 * calibration. The last calibration of each WHAT goes to `last`; earlier ones with the same names
 * go to `before`. Names become "WHAT: NAME". TL_ERR_INPUT if nothing was calibrated twice. */
tl_status tlr_runs_read_history(tlr_runs *before, tlr_runs *last, const char *folder,
                                tl_error *err);
/* Frees the rows, not the object. */
void tlr_runs_clear(tlr_runs *runs);

#endif
