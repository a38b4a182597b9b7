/* repetitions.c - the categories of the repetitions of an operation: warm-up, outlier, good. */
#include "config.h"

#include "repetitions.h"

#include "core/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* Roth, thesis, section 4.5. */
enum { LEAST_WARM_UP = 10 };
#define WARM_UP_STEP 0.1
#define OUTLIER_FACTOR 2.0

double tlp_median(double *values, size_t n)
{
    gsl_sort(values, 1, n);
    return n ? gsl_stats_median_from_sorted_data(values, 1, n) : 0;
}

const char *tlp_category_name(tlp_category category)
{
    static const char *const names[TLP_N_CATEGORIES] = {"first", "warm-up", "outlier", "good"};
    return names[category];
}

tl_status tlp_categorise(const double *values, size_t n, tlp_category *categories, size_t *warm_end)
{
    *warm_end = 0;
    if (!n)
        return TL_OK;
    double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return TL_ERR_MEMORY;
    memcpy(sorted, values, n * sizeof *sorted);
    const double median = tlp_median(sorted, n);
    free(sorted);
    /* Equation 4.1 of the cumulative minimum, 4.6. */
    double least = values[0];
    for (size_t i = 1; i < n && !*warm_end; i++) {
        const double next = fmin(least, values[i]);
        if (i >= LEAST_WARM_UP && next - least <= -WARM_UP_STEP * median)
            *warm_end = i;
        least = next;
    }
    for (size_t i = 0; i < n; i++)
        categories[i] = i == 0                                 ? TLP_FIRST
                        : i < *warm_end                        ? TLP_WARM_UP
                        : values[i] >= OUTLIER_FACTOR * median ? TLP_OUTLIER
                                                               : TLP_GOOD;
    return TL_OK;
}

/* ---- lists ---- */

tlp_repetitions *tlp_begin_repetitions(tlp_repetition_list *list, const char *name,
                                       const char *unit)
{
    tlp_repetitions *items = reallocarray(list->items, list->n + 1, sizeof *items);
    if (!items)
        return NULL;
    list->items = items;
    tlp_repetitions *item = &items[list->n++];
    *item = (tlp_repetitions){.unit = unit};
    snprintf(item->name, sizeof item->name, "%s", name);
    return item;
}

tl_status tlp_add_repetition(tlp_repetitions *r, unsigned group, double value)
{
    if (!isfinite(value))
        return TL_OK;
    size_t rooms[3] = {r->room, r->room, r->room};
    if (!tl_make_room(&r->values, r->n, &rooms[0], sizeof *r->values) ||
        !tl_make_room(&r->groups, r->n, &rooms[1], sizeof *r->groups) ||
        !tl_make_room(&r->order, r->n, &rooms[2], sizeof *r->order))
        return TL_ERR_MEMORY;
    r->room = rooms[0];
    const bool is_new = !r->n || r->groups[r->n - 1] != group;
    r->n_groups += is_new ? 1 : 0;
    r->order[r->n] = is_new ? 0 : r->order[r->n - 1] + 1;
    r->groups[r->n] = group;
    r->values[r->n++] = value;
    return TL_OK;
}

tl_status tlp_categorise_all(tlp_repetition_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        tlp_repetitions *r = &list->items[i];
        free(r->categories);
        r->categories = calloc(r->n + 1, sizeof *r->categories);
        if (!r->categories)
            return TL_ERR_MEMORY;
        for (size_t begin = 0, end; begin < r->n; begin = end) {
            size_t warm_end;
            for (end = begin + 1; end < r->n && r->groups[end] == r->groups[begin];)
                end++;
            if (tlp_categorise(r->values + begin, end - begin, r->categories + begin, &warm_end) !=
                TL_OK)
                return TL_ERR_MEMORY;
        }
    }
    return TL_OK;
}

void tlp_clear_repetitions(tlp_repetition_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->items[i].values);
        free(list->items[i].groups);
        free(list->items[i].order);
        free(list->items[i].categories);
    }
    free(list->items);
    *list = (tlp_repetition_list){0};
}

void tlp_write_repetitions(const tlp_repetition_list *list, FILE *out)
{
    fputs("operation,group,repetition,value,category\n", out);
    for (size_t i = 0; i < list->n; i++) {
        const tlp_repetitions *r = &list->items[i];
        for (size_t k = 0; k < r->n; k++)
            fprintf(out, "\"%s\",%u,%u,%.9g,%s\n", r->name, r->groups[k], r->order[k], r->values[k],
                    tlp_category_name(r->categories[k]));
    }
}
