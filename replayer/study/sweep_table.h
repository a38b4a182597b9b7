/* sweep_table.h - the rows of results files of sweeps, including those of other grids. */
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
    TLR_INTERVAL, /* files of before may lack this column, */
    TLR_ENERGY,   /* these three, */
    TLR_AT_LEAST,
    TLR_COST,
    TLR_BALANCE, /* the efficiency and the ranks that share cores: only in files of scaling */
    TLR_SERIALISATION,
    TLR_TRANSFER,
    TLR_CROWDED,
    TLR_ERROR,
    TLR_COMMAND, /* and this one */
    TLR_KEY,
    TLR_N_RESULTS
};
extern const char *const tlr_result_columns[TLR_N_RESULTS];

typedef struct tlr_table_row {
    size_t n_axes;
    char *const *names; /* of the axes; the rows behind a header share them */
    char **values;      /* "": the row's grid has no such axis */
    char *texts[TLR_N_RESULTS];
    tlr_point result;
} tlr_table_row;

typedef struct tlr_table {
    size_t n_rows;
    tlr_table_row *rows;
    size_t n_kept;
    void **kept; /* what the rows point to */
} tlr_table;

/* Adds the rows of a file. A missing file has no rows. A last line without its end is left out.
 * TL_ERR_INPUT: the file is not a results file of a sweep, or one of its rows is wrong. In a
 * `part`, which an interrupted sweep leaves behind, wrong rows are left out instead. */
tl_status tlr_table_read(tlr_table *table, const char *path, bool is_part, tl_error *err);
/* Removes the rows that an earlier row or a point of the grid with a result replaces: those with
 * the same axes, values and command. */
tl_status tlr_table_reduce(tlr_table *table, const tlr_sweep *sweep, tl_error *err);
void tlr_table_free(tlr_table *table);

#endif
