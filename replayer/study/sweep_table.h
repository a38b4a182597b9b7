/* sweep_table.h - the rows of the results file of a sweep. */
#ifndef TLR_SWEEP_TABLE_H
#define TLR_SWEEP_TABLE_H

#include "sweep.h"

#include <stdbool.h>

/* The columns behind those of the axes. */
enum {
    TLR_MAKESPAN,
    TLR_WITHOUT_NOISE,
    TLR_COMPUTE,
    TLR_EVENTS,
    TLR_INTERVAL,
    TLR_ENERGY,
    TLR_AT_LEAST,
    TLR_COST,
    TLR_BALANCE, /* the efficiency and the ranks that share cores: only in files of scaling */
    TLR_SERIALISATION,
    TLR_TRANSFER,
    TLR_CROWDED,
    TLR_ERROR,
    TLR_COMMAND,
    TLR_KEY,
    TLR_N_RESULTS
};
/* Whether the results of the sweep have the column. */
bool tlr_sweep_has_column(const tlr_sweep *sweep, int column);
/* The results of a point up to the error, with a comma behind each. */
void tlr_sweep_put_results(const tlr_sweep *sweep, const tlr_point *point, FILE *out);
/* The same as members of an object, without those of scaling. */
void tlr_point_json(const tlr_point *point, json_t *out);
/* The line that begins a results file of the sweep, for the caller to free; NULL without memory. */
char *tlr_sweep_header(const tlr_sweep *sweep);
/* A hash of the values of a point and of its command. */
uint64_t tlr_point_label(const tlr_sweep *sweep, size_t point);
int tlr_compare_labels(const void *a, const void *b); /* for qsort */

/* Rows of a file, as they stand there. */
struct tlr_rows {
    size_t n, room;
    struct tlr_row {
        char *line;
        uint64_t label; /* as tlr_point_label */
    } * rows;
};

/* Gives each point without a result that of the row with its key, and keeps the rows of the file. A
 * missing file has no rows; a last line without its end is left out, and failed points stay without
 * a result. TL_ERR_INPUT: the file is not a results file of this sweep, or one of its rows is
 * wrong. In a `part`, which an interrupted sweep leaves behind, wrong rows and a header that was
 * cut are left out instead. Of rows with the same values and command, those of a part that was read
 * before replace those of the file. */
tl_status tlr_rows_read(tlr_rows *rows, const char *path, bool is_part, tlr_sweep *sweep,
                        tl_error *err);
void tlr_rows_free(tlr_rows *rows);

#endif
