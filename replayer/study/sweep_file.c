/* sweep_file.c - results of a sweep as CSV and JSON. */
#include "config.h"

#include "sweep.h"

#include "results/json_text.h"
#include "sweep_table.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* ---- writing ---- */

/* The columns of results up to the error, with a comma behind each. */
static void put_result(const tlr_point *point, bool has_efficiency, FILE *out)
{
    fprintf(out, "%.17g,", point->makespan_s);
    if (point->quiet_s > 0)
        fprintf(out, "%.17g", point->quiet_s);
    fprintf(out, ",%.17g,%" PRIu64 ",", point->compute_s, point->n_events);
    if (point->half_s > 0)
        fprintf(out, "%.17g", point->half_s);
    putc(',', out);
    if (point->has_energy)
        fprintf(out, "%.17g", point->job_j);
    fputs(point->is_at_least ? ",1," : ",,", out);
    if (point->has_cost)
        fprintf(out, "%.17g", point->cost);
    putc(',', out);
    if (!has_efficiency)
        return;
    const tlr_efficiency *e = &point->efficiency;
    if (point->has_efficiency)
        fprintf(out, "%.17g,%.17g,%.17g,", e->balance, e->serialisation, e->transfer);
    else
        fputs(",,,", out);
    fprintf(out, "%" PRIu32 ",", point->n_crowded);
}

void tlr_sweep_write_row(const tlr_sweep *sweep, size_t i, FILE *out)
{
    const tlr_point *point = &sweep->points[i];
    for (size_t a = 0; a < sweep->n_axes; a++) {
        tl_put_csv(out, tlr_sweep_value(sweep, i, a), 0);
        putc(',', out);
    }
    if (!point->error[0])
        put_result(point, sweep->has_efficiency, out);
    for (int c = 0; point->error[0] && c < TLR_ERROR; c++)
        if (tlr_sweep_has_column(sweep, c))
            putc(',', out);
    tl_put_csv(out, point->error, 0);
    putc(',', out);
    tl_put_csv(out, sweep->command, 0);
    fprintf(out, ",%016" PRIx64 "\n", point->key);
}

tl_status tlr_sweep_write_csv(const tlr_sweep *sweep, const tlr_rows *others, FILE *out,
                              tl_error *err)
{
    char *header = tlr_sweep_header(sweep);
    uint64_t *labels = malloc((sweep->n_points + 1) * sizeof *labels);
    size_t n = 0;
    if (!header || !labels) {
        free(header);
        free(labels);
        return tl_no_memory(err, "results of the sweep");
    }
    fprintf(out, "%s\n", header);
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known) {
            tlr_sweep_write_row(sweep, i, out);
            labels[n++] = tlr_point_label(sweep, i);
        }
    qsort(labels, n, sizeof *labels, tlr_compare_labels);
    for (size_t i = 0; others && i < others->n; i++)
        if (!bsearch(&others->rows[i].label, labels, n, sizeof *labels, tlr_compare_labels))
            fprintf(out, "%s\n", others->rows[i].line);
    free(header);
    free(labels);
    return TL_OK;
}

/* A decimal number is a number; a whole one of 64 bits keeps all its digits. */
static json_t *value_of(const char *text)
{
    char *rest;
    errno = 0;
    const long long whole = strtoll(text, &rest, 10);
    if (rest != text && !*rest && !errno)
        return json_integer(whole);
    const double number = strtod(text, &rest);
    if (rest == text || *rest || !isfinite(number) || text[strspn(text, "0123456789.eE+-")])
        return tlr_json_text(text);
    return json_real(number);
}

static json_t *point_json(const tlr_sweep *sweep, size_t i)
{
    const tlr_point *point = &sweep->points[i];
    json_t *at = json_object(), *out = json_object();
    for (size_t a = 0; a < sweep->n_axes; a++)
        json_object_set_new(at, sweep->axes[a].name, value_of(tlr_sweep_value(sweep, i, a)));
    json_object_set_new(out, "at", at);
    if (point->error[0]) {
        const bool is_impossible = tlr_point_is_impossible(point);
        json_object_set_new(
            out, is_impossible ? "not_possible" : tlr_result_columns[TLR_ERROR],
            tlr_json_text(point->error + (is_impossible ? sizeof TLR_NOT_POSSIBLE - 1 : 0)));
        return out;
    }
    json_object_set_new(out, tlr_result_columns[TLR_MAKESPAN], json_real(point->makespan_s));
    if (point->quiet_s > 0)
        json_object_set_new(out, tlr_result_columns[TLR_WITHOUT_NOISE], json_real(point->quiet_s));
    json_object_set_new(out, tlr_result_columns[TLR_COMPUTE], json_real(point->compute_s));
    json_object_set_new(out, tlr_result_columns[TLR_EVENTS],
                        json_integer((json_int_t)point->n_events));
    if (point->half_s > 0)
        json_object_set_new(out, tlr_result_columns[TLR_INTERVAL], json_real(point->half_s));
    if (point->has_energy)
        json_object_set_new(out, tlr_result_columns[TLR_ENERGY], json_real(point->job_j));
    if (point->is_at_least)
        json_object_set_new(out, tlr_result_columns[TLR_AT_LEAST], json_true());
    if (point->has_cost)
        json_object_set_new(out, tlr_result_columns[TLR_COST], json_real(point->cost));
    return out;
}

json_t *tlr_sweep_json(const tlr_sweep *sweep)
{
    json_t *root = json_object(), *points = json_array();
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known)
            json_array_append_new(points, point_json(sweep, i));
    json_object_set_new(root, "points", points);
    return root;
}
