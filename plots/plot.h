/* plot.h - static pictures of results, as SVG, PDF or PNG: all of Timeless's are drawn here.
 *
 * A picture is a row of panels with one legend beside them, so that it lies on no data. A program
 * of its own, gnuplot, draws it. Units are those of the axes: "s", "B", "B/s", "1/s", "%" or "". */
#ifndef TLG_PLOT_H
#define TLG_PLOT_H

#include <stdbool.h>
#include <stdio.h>
#include <timeless.h>

typedef enum tlg_look {
    TLG_LINE,   /* a line with a marker at each value; a value that is not a number interrupts it */
    TLG_CURVE,  /* a line without markers */
    TLG_STEPS,  /* a step at each value */
    TLG_DOTS,   /* small dots */
    TLG_POINTS, /* markers */
    TLG_BLOCKS, /* filled from low to high along the x axis, nearly as high as a step of the y axis
                 */
    TLG_CROSSES /* values that are missing, marked at the lower edge; y counts how many are below */
} tlg_look;

enum { TLG_BLACK = -1 }; /* the number of a series that stands out: black and dashed */

typedef struct tlg_series {
    const char *name; /* in the legend; NULL: it has no line there */
    tlg_look look;
    bool is_strong; /* thicker than the others */
    int number; /* of its colour and marker: series with one number look the same in all panels */
    size_t n;
    const double *x, *y, *low, *high; /* low, high: of TLG_BLOCKS */
    const char *colour;               /* "#1a7340"; NULL: that of the number */
} tlg_series;

typedef struct tlg_axis {
    const char *label; /* without the unit */
    const char *unit;
    bool is_log;
    int from_zero;    /* a linear axis begins at 0 */
    double low, high; /* if both are 0, those of the data */
    /* Names instead of numbers: at these places, or (NULL) at 0, 1, ... */
    size_t n_names;
    const char *const *names;
    const double *places;
} tlg_axis;

typedef struct tlg_panel {
    const char *title; /* NULL: none */
    tlg_axis x, y;
    size_t n_series, n_rules;
    const tlg_series *series;
    const double *rules; /* dashed vertical lines */
} tlg_panel;

typedef struct tlg_picture {
    const char *title;
    size_t n_panels;
    const tlg_panel *panels;
    unsigned n_columns;     /* of panels; 0: one beside the other */
    int shares_y;           /* panels in one row have the same y axis */
    unsigned width, height; /* of a panel, in pixels; 0: chosen */
} tlg_picture;

/* Whether the name ends in .svg, .pdf or .png. */
bool tlg_is_picture(const char *path);
/* Replaces the file at `path`, whose ending says which format, when the picture is complete.
 * TL_ERR_SYSTEM: there is no gnuplot, or the file cannot be written. */
tl_status tlg_draw(const tlg_picture *picture, const char *path, tl_error *err);
/* Writes the picture into an HTML page, as an <svg> element; without gnuplot, a paragraph that says
 * why there is none. */
void tlg_draw_into_page(const tlg_picture *picture, FILE *page);
/* Begins an HTML page of pictures and tables with this title, up to its heading. The page and its
 * pictures follow the reader's light or dark style. */
void tlg_begin_page(FILE *page, const char *title);
/* A duration with its unit, four significant digits: "138.6 µs". */
void tlg_put_seconds(FILE *page, double seconds);

#endif
