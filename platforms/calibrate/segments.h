/* segments.h - piecewise straight lines through durations of messages.
 *
 * Durations grow with the size of a message along one line for each protocol. The sizes at which
 * the line changes are found from the measurements. Status and ownership follow the conventions of
 * timeless.h. */
#ifndef TLP_SEGMENTS_H
#define TLP_SEGMENTS_H

#include <stdbool.h>
#include <timeless.h>

enum { TLP_MAX_SEGMENTS = 32, TLP_LINE_MODES = 4, TLP_MAX_SERIES = 8 };

/* One series of measurements in ascending order of size, without outliers. sd_s: the expected
 * deviation of each measurement, from the scatter of its neighbours. may_dip: lines may have a
 * negative intercept, for example behind a break from which on each byte costs more. */
typedef struct tlp_series {
    size_t n, n_outliers;
    bool may_dip;
    double *bytes, *seconds, *sd_s;
} tlp_series;

/* Sorts the measurements and removes those above twice the median of their neighbours on either
 * side (outliers after Roth, thesis, section 4.5). Fewer than 2 measurements give an empty series.
 */
tl_status tlp_series_make(const double *bytes, const double *seconds, size_t n, tlp_series *out);
void tlp_series_clear(tlp_series *series);

/* Noise about a line: duration / line has normal mode k with probability `share`. The means,
 * weighted by the shares, have the sum 1. */
typedef struct tlp_line_mode {
    double share, mean, sd;
} tlp_line_mode;

/* seconds = intercept_s + per_byte_s * bytes, with noise. per_byte_s is at least 0; intercept_s is,
 * too, unless the series may dip. */
typedef struct tlp_line {
    double intercept_s, per_byte_s;
    size_t n;
    double median_error; /* median of |measured / line - 1| */
    double criterion;    /* Bayesian information criterion of line and modes */
    int n_modes;
    tlp_line_mode modes[TLP_LINE_MODES];
} tlp_line;

/* Pieces of one or more series whose lines change at the same sizes. Segment i has the sizes above
 * breaks[i] (breaks[0] is 0) up to breaks[i + 1]. */
typedef struct tlp_pieces {
    int n;
    double breaks[TLP_MAX_SEGMENTS];
    tlp_line lines[TLP_MAX_SERIES][TLP_MAX_SEGMENTS];
} tlp_pieces;

/* Finds breaks and lines. The number of breaks is that with the least Bayesian information
 * criterion, found by dynamic programming over all places. `forced` are sizes with a break in any
 * case. Errors are first weighted by their expected deviation. A break is kept if lines with noise
 * of normal modes confirm it. Each line is the mean of the measurements along it. TL_ERR_USAGE: a
 * series is too short. */
tl_status tlp_pieces_fit(const tlp_series *series, int n_series, const double *forced, int n_forced,
                         tlp_pieces *out);
/* The segment of a size, and the duration on the line of a series. */
int tlp_segment_of(const tlp_pieces *pieces, double bytes);
double tlp_pieces_at(const tlp_pieces *pieces, int series, double bytes);

/* mixture.c: fits a line and the modes of its noise to n measurements, by expectation maximisation.
 * The number of modes is that with the least Bayesian information criterion. `line` contains a
 * first guess of the two coefficients. */
tl_status tlp_mixture_fit(const double *bytes, const double *seconds, size_t n, bool may_dip,
                          tlp_line *line);
/* The logarithm of the probability density of a measurement, except for a constant. */
double tlp_line_log_density(const tlp_line *line, double bytes, double seconds);

#endif
