/* repetitions.h - an operation that was measured repeatedly: the categories of its repetitions
 * (warm-up, outlier, good), and the page that shows them.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_REPETITIONS_H
#define TLP_REPETITIONS_H

#include <stdio.h>

#include <timeless.h>

/* Changes the order of the values. 0: there are none. */
double tlp_median(double *values, size_t n);

/* Roth, thesis, section 4.5. */
typedef enum tlp_category {
    TLP_FIRST,   /* repetition 0 */
    TLP_WARM_UP, /* those before repetition w, the first from 10 on at which the minimum so far
                    falls by a tenth of the median or more; without one there was no warm-up */
    TLP_OUTLIER, /* at least twice the median of all */
    TLP_GOOD,
    TLP_N_CATEGORIES
} tlp_category;
const char *tlp_category_name(tlp_category category); /* "first", "warm-up", ... */

/* The categories of n repetitions in the order in which they were measured; *warm_end is w, or 0.
 * The only error is TL_ERR_MEMORY. */
tl_status tlp_categorise(const double *values, size_t n, tlp_category *categories,
                         size_t *warm_end);

/* One operation. Repetitions on different cores or ranks are groups; each group has its own order,
 * first repetition, warm-up and outliers. */
typedef struct tlp_repetitions {
    char name[96];
    const char *unit; /* "s", "measured / fitted" */
    size_t n, room, n_groups;
    double *values; /* group by group */
    unsigned *groups, *order;
    tlp_category *categories; /* NULL before they have been told apart */
    size_t n_predicted;
    const double *predicted; /* ascending; the caller's */
} tlp_repetitions;

/* All operations of a calibration. */
typedef struct tlp_repetition_list {
    size_t n;
    tlp_repetitions *items;
} tlp_repetition_list;

/* Begins an operation, to which tlp_add_repetition then adds; NULL without memory. */
tlp_repetitions *tlp_begin_repetitions(tlp_repetition_list *list, const char *name,
                                       const char *unit);
/* The repetitions of a group must be added one after the other, in their order. */
tl_status tlp_add_repetition(tlp_repetitions *repetitions, unsigned group, double value);
tl_status tlp_categorise_all(tlp_repetition_list *list);
void tlp_clear_repetitions(tlp_repetition_list *list);

/* CSV: operation,group,repetition,value,category */
void tlp_write_repetitions(const tlp_repetition_list *list, FILE *out);
/* A page that needs no other file. It shows for each operation the quantiles, values by repetition
 * with and without outliers, and the distribution (Roth, section 4.7: fingerprint).
 * `notes` are lines "name: value" at the top of the page. */
void tlp_write_fingerprint(const tlp_repetition_list *list, const char *title, const char *notes,
                           FILE *out);

#endif
