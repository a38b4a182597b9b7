/* compare.h - comparisons of predictions with measurements, of runs with earlier runs, and of
 * calibrations with their history. Ownership and errors follow timeless.h. */
#ifndef TLR_COMPARE_H
#define TLR_COMPARE_H

#include "replayer.h"

#include <jansson.h>
#include <stdbool.h>

/* ---- the test: replayer/study/region_test.c ---- */

typedef struct tlr_region_test {
    size_t n_before, n_after, n_quantities;
    int together;      /* one test of all quantities; 0: each alone (Bonferroni), because there are
                          too few runs before, or one quantity follows from the others */
    double confidence; /* share of tests that find no change where there is none */
    double statistic, threshold;
    double p_value;
    int changed; /* statistic >= threshold */
} tlr_region_test;

/* Tests whether the mean of the runs `after` lies in its prediction region: the region in which it
 * lies with this confidence, given the runs `before`, if only noise differs (T. Cornebize, thesis
 * draft, section 9.3). before[run * n_quantities + quantity] has at least 3 runs. A quantity that
 * never varied before is not tested. TL_ERR_USAGE for too few runs. */
tl_status tlr_test_region(const double *before, size_t n_before, const double *after,
                          size_t n_after, size_t n_quantities, double confidence,
                          tlr_region_test *out, tl_error *err);

/* Tests each quantity alone, at a level divided by their number; the arrays are those of
 * tlr_test_region. Returns the index of the quantity that is furthest from its mean before. */
size_t tlr_test_each(const double *before, size_t n_before, const double *after, size_t n_after,
                     size_t n_quantities, double confidence, int *changed);

/* Finds the values that are unlike the others. Removes one after the other, up to a quarter of
 * them, but at least one: the one that is furthest out of the prediction region of those that are
 * left. All are out up to the last one for which the test finds a change. So several outliers do
 * not hide each other (B. Rosner, Percentage points for a generalized ESD many-outlier procedure,
 * Technometrics 25, 1983). With this confidence none is out if all are from one normal
 * distribution. If all others are identical, a value is not tested: there is no noise with which it
 * could be compared. */
tl_status tlr_find_outliers(const double *values, size_t n, double confidence, bool *is_out,
                            tl_error *err);

/* ---- comparison: replayer/study/compare.c ---- */

/* Values of one quantity. */
typedef struct tlr_values {
    double median, low, high; /* smallest and largest; of predictions: in which 95 % of them lie */
    size_t n;
} tlr_values;

/* One duration, measured and expected; for calibrations, another quantity. */
typedef struct tlr_comparison_row {
    char *name; /* "MPI_Wtime hpcc+0x1234 #3 .. MPI_Wtime hpcc+0x1234 #4"; "makespan" for
                   Init .. Finalize and for the CSV's makespan */
    tlr_values measured;
    tlr_values expected; /* predicted, or measured before */
    double error;        /* of medians: predicted / measured - 1; measured now / before - 1 */
    bool has_no_error;   /* it would be a number divided by 0; `error` is 0 */
    bool is_within;      /* the measured median lies in the range of what was expected */
    bool is_within_runs; /* the expected median lies in the range of the measured runs */
    int passed;          /* |error| is within the tolerance, or the row is not slower and only
                            slower ones count */
    bool has_changed;    /* by the test: alone, or it changed most if all rows changed together */
    int failed;          /* the comparison fails because of this row */
} tlr_comparison_row;

typedef enum tlr_compared {
    TLR_COMPARED_PREDICTION, /* measurements with predictions */
    TLR_COMPARED_RUNS,       /* measurements with earlier ones */
    TLR_COMPARED_HISTORY,    /* a calibration with earlier ones */
    TLR_COMPARED_VERSUS      /* predictions with other predictions */
} tlr_compared;

typedef struct tlr_comparison {
    tlr_compared kind;
    size_t n_rows;
    tlr_comparison_row *rows; /* in the order of the run; the whole of it comes last */
    size_t n_left_out;        /* rows shorter than min_share, or without a measured duration */
    double median_error;      /* median and largest of |error| */
    double worst_error;
    double tolerance; /* negative: none was stated */
    int slower_only;  /* rows that became faster count as unchanged */
    bool has_test;
    tlr_region_test test;
    int passed; /* predictions: no row is beyond the tolerance; otherwise: nothing changed, or not
                   beyond the tolerance */
    const char *clock; /* why the measured times, the clocks of the trace, are not comparable; NULL:
                          they are */
    const tlr_prediction *prediction; /* the first of those compared; NULL: none */
    bool uses_recording;          /* the measured times are those of the trace of the prediction */
    const tlr_prediction *versus; /* the first of the others; NULL: none */
    bool are_programs;            /* the two are predictions of different traces */
    bool has_sites;               /* with rows by region, call and call site */
    json_t *only_a, *only_b;      /* arrays of the names that one of them has alone */
} tlr_comparison;

typedef struct tlr_compare_options {
    const char *const *measured_paths; /* CSV "name,seconds" of one or several runs in place of the
                                          trace's own clocks */
    size_t n_measured;
    const char *const *baseline_paths; /* runs before, in place of predictions */
    size_t n_baseline;
    const char *history_folder;          /* a platform folder; nothing else is given */
    const tlr_prediction *const *versus; /* predictions in place of measurements */
    size_t n_versus;
    const char *const *prediction_paths; /* of predictions and versus, to compare two programs */
    const char *const *versus_paths;
    double min_share;  /* leave out rows shorter than this share of the longest measured one */
    double tolerance;  /* largest |error| that passes; negative: any */
    int slower_only;   /* measured times below the expected ones always pass */
    double confidence; /* of the test; 0: 0.95 */
} tlr_compare_options;

/* Compares predictions with measurements. The predictions may have several seeds, and may be of
 * several recordings of one program, each of which is then a measured run. There is a row for every
 * two neighbouring marks, and one for the first and the last mark. With CSV files, there is a row
 * for each name in them: the name of a row, or "makespan". Predictions of two traces with equally
 * many ranks, one on each side, have a row for each sum of times that both have
 * (compare_programs.h). Without predictions: compares measurements with a baseline, or the
 * calibrations in a platform's history. The predictions must exist as long as the comparison. */
tl_status tlr_compare(const tlr_prediction *const *predictions, size_t n_predictions,
                      const tlr_compare_options *options, tlr_comparison **out, tl_error *err);
void tlr_comparison_free(tlr_comparison *comparison);

/* ---- output: replayer/study/compare_write.c ---- */

void tlr_comparison_print(const tlr_comparison *comparison, FILE *out);
json_t *tlr_comparison_json(const tlr_comparison *comparison);
/* Prints a heading and a line for each row. */
void tlr_comparison_write_csv(const tlr_comparison *comparison, FILE *out);
/* JUnit's XML: a test case for each row, and one for the test. */
void tlr_comparison_write_junit(const tlr_comparison *comparison, FILE *out);

#endif
