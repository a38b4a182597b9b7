/* raw.h - files of measurements: lines "# NAME VALUE" on all of them, then CSV with a header.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_RAW_H
#define TLP_RAW_H

#include <stdio.h>

#include <timeless.h>

enum { TLP_MOST_NOTES = 16, TLP_MOST_CELLS = 24 };

/* A value of all measurements. type: 'u' an unsigned, 'l' an unsigned long, 'd' a double, 's' a
 * text of `size` bytes up to the end of the line, 'w' one up to a blank, which is left out if it is
 * empty.
 */
typedef struct tlp_note {
    const char *name;
    char type;
    void *value;
    size_t size;
} tlp_note;

/* What a calibration measures. `all` is the struct of its result. */
typedef struct tlp_raw {
    size_t bytes;      /* of the result */
    const char *entry; /* in an archive */
    const char *magic; /* the lines before this one do not count; NULL: all do */
    const char *header;
    size_t least_cells;
    const char *behind_notes; /* "\n", or " ": all are in one line */
    /* Fills in the notes and returns how many there are. */
    size_t (*notes)(void *all, tlp_note notes[TLP_MOST_NOTES]);
    void (*write_more)(const void *all, FILE *out); /* further lines of notes; NULL: none */
    void (*write_rows)(const void *all, FILE *out);
    /* Gets each line of notes, too; TL_END: the last line. NULL: the notes are all. */
    tl_status (*take_line)(void *all, const char *line, tl_error *err);
    /* Adds a row, of as many cells as the header. TL_ERR_INPUT: it is none. Cells that the rows of
     * older files lack are "0": those from least_cells on, unless it is 0. */
    tl_status (*take_row)(void *all, char **cells);
    /* Completes what was read. Returns what is missing or wrong; NULL: nothing. */
    const char *(*finish)(void *all);
    void (*free)(void *all);
} tlp_raw;

tl_status tlp_raw_write(const tlp_raw *raw, const void *all, FILE *out, tl_error *err);
/* The result in a file or an archive, to be freed by raw->free; NULL after an error, which names
 * the file and the line. */
void *tlp_raw_open(const tlp_raw *raw, const char *path, tl_error *err);

/* Whether the cell is a number in this range. */
int tlp_cell_number(const char *cell, double least, double most, double *out);

#endif
