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

void tlr_sweep_write_row(const tlr_sweep *sweep, size_t i, FILE *out)
{
    const tlr_point *point = &sweep->points[i];
    for (size_t a = 0; a < sweep->n_axes; a++) {
        tl_put_csv(out, tlr_sweep_value(sweep, i, a), 0);
        putc(',', out);
    }
    tlr_sweep_put_results(sweep, point, out);
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
    const bool is_impossible = tlr_point_is_impossible(point);
    if (!point->error[0])
        tlr_point_json(point, out);
    else
        json_object_set_new(
            out, is_impossible ? "not_possible" : "error",
            tlr_json_text(point->error + (is_impossible ? sizeof TLR_NOT_POSSIBLE - 1 : 0)));
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
