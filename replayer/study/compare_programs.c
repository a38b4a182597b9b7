/* compare_programs.c - predictions of two versions of a program: their traces have no marks in
 * common, so the rows are sums by kind, region, call and call site (versus.h). */
#include "config.h"

#include "compare_programs.h"
#include "versus.h"

#include "results/prediction_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare_differences(const void *a, const void *b)
{
    const tlr_versus_row *x = a, *y = b;
    return x->difference_s != y->difference_s ? (x->difference_s < y->difference_s ? 1 : -1)
                                              : strcmp(x->name, y->name);
}

/* ---- rows ---- */

/* Rows that a table has only to be complete, and computation, which the kinds of time contain. */
static bool is_remainder(const tlr_versus_row *row)
{
    static const char *const names[] = {"compute", "other", "after the end of a rank",
                                        "computation, and calls without a site"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(row->name, names[i]))
            return 1;
    return 0;
}

/* The rows that both have become rows of the comparison, the largest difference first. */
static tl_status add_rows(const tlr_versus_table *t, const char *prefix, tlr_comparison *c,
                          tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    for (size_t i = 0; i < t->n_rows; i++)
        t->rows[i].difference_s = fabs(t->rows[i].s[1] - t->rows[i].s[0]);
    if (t->n_rows)
        qsort(t->rows, t->n_rows, sizeof *t->rows, compare_differences);
    tl_status status = TL_OK;
    const bool is_parts = strstr(prefix, "by kind: ") != NULL;
    for (size_t i = 0; i < t->n_rows && status == TL_OK; i++) {
        const tlr_versus_row *row = &t->rows[i];
        if (!is_parts && is_remainder(row))
            continue;
        char *name = NULL;
        if (asprintf(&name, "%s%s", prefix, row->name) < 0)
            return tl_no_memory(err, "comparing predictions");
        if (row->s[0] > 0 && row->s[1] > 0) {
            status = tlr_runs_add(expected, name, row->s[0], err);
            if (status == TL_OK)
                status = tlr_runs_add(measured, name, row->s[1], err);
        } else if (row->s[0] > 0 || row->s[1] > 0) {
            if (json_array_append_new(row->s[0] > 0 ? c->only_a : c->only_b, json_string(name)))
                status = tl_no_memory(err, "comparing predictions");
        }
        free(name);
    }
    return status;
}

tl_status tlr_compare_programs(const char *path, const char *versus_path, tlr_comparison *c,
                               tlr_runs *measured, tlr_runs *expected, tl_error *err)
{
    static const struct {
        tlr_versus_view view;
        const char *prefix;
    } views[] = {{TLR_VERSUS_MEAN_PARTS, "by kind: "},
                 {TLR_VERSUS_MEAN_REGIONS, "region "},
                 {TLR_VERSUS_MEAN_CALLS, "call "},
                 {TLR_VERSUS_MEAN_SITES, "site "},
                 {TLR_VERSUS_PATH_PARTS, TLR_ON_PATH "by kind: "},
                 {TLR_VERSUS_PATH_SITES, TLR_ON_PATH}};
    const char *sources[] = {path, versus_path};
    json_t *sides[2] = {NULL};
    tlr_versus *versus = NULL;
    tl_status status = tlr_prediction_load_json(path, &sides[0], err);
    if (status == TL_OK)
        status = tlr_prediction_load_json(versus_path, &sides[1], err);
    if (status != TL_OK) {
        json_decref(sides[0]);
        return status;
    }
    c->only_a = json_array();
    c->only_b = json_array();
    status = tlr_versus_make(sides, sources, 2, &versus, err);
    for (size_t i = 0; i < sizeof views / sizeof *views && status == TL_OK; i++)
        status =
            add_rows(&versus->tables[views[i].view], views[i].prefix, c, measured, expected, err);
    if (status == TL_OK)
        status = tlr_runs_add(expected, "makespan", versus->sides[0].makespan_s, err);
    if (status == TL_OK)
        status = tlr_runs_add(measured, "makespan", versus->sides[1].makespan_s, err);
    if (status == TL_OK) {
        c->are_programs = 1;
        c->has_sites = versus->has_details;
    }
    tlr_versus_free(versus);
    return status;
}
