/* script.h - what the files of plots/ share. */
#ifndef TLG_SCRIPT_H
#define TLG_SCRIPT_H

#include "plot.h"

#include <stdbool.h>

typedef enum tlg_format { TLG_SVG, TLG_PDF, TLG_PNG, TLG_PAGE } tlg_format;

/* The places of panels and legend, in pixels. */
typedef struct layout {
    unsigned rows, columns;
    double width, height;             /* of a panel with its labels */
    double above;                     /* of these, the axis at the top */
    double left, bottom, top;         /* margins of a panel; of the whole picture */
    double key;                       /* width of the legend; 0: there is none */
    double total_width, total_height; /* of the picture */
    bool is_steep;                    /* names below the axis are turned */
} layout;

/* What an axis shows, in its unit. */
typedef struct scale {
    double low, high;
    double factor; /* of this unit in that of the data */
    const char *unit;
} scale;

/* Writes the script. */
layout tlg_script(const tlg_picture *picture, tlg_format format, FILE *out);

/* The number of letters, at most `limit`. */
size_t tlg_letters(const char *text, size_t limit);
/* A string of gnuplot. A longer text loses its middle, because algorithms differ at their ends, and
 * files in their names and folders. */
void tlg_put_text(FILE *out, const char *text, size_t limit);

#endif
