/* sweep_file.c - results of a sweep as CSV and JSON. */
#include "config.h"

#include "sweep.h"

#include "results/json_text.h"
#include "sweep_table.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <timeless_files.h>

/* ---- writing ---- */

/* Whether a file has the column of results. */
static bool has_column(int column, bool has_efficiency)
{
    return has_efficiency || column < TLR_BALANCE || column > TLR_CROWDED;
}

static void put_header(char *const *names, size_t n, bool has_efficiency, FILE *out)
{
    for (size_t a = 0; a < n; a++) {
        tl_put_csv(out, names[a], 0);
        putc(',', out);
    }
    for (int c = 0; c < TLR_N_RESULTS; c++)
        if (has_column(c, has_efficiency))
            fprintf(out, "%s%c", tlr_result_columns[c], c + 1 < TLR_N_RESULTS ? ',' : '\n');
}

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

/* Writes a row with n_more empty columns behind those of the axes. */
static void put_row(const tlr_sweep *sweep, size_t i, size_t n_more, bool has_efficiency, FILE *out)
{
    const tlr_point *point = &sweep->points[i];
    for (size_t a = 0; a < sweep->n_axes; a++) {
        tl_put_csv(out, tlr_sweep_value(sweep, i, a), 0);
        putc(',', out);
    }
    for (size_t a = 0; a < n_more; a++)
        putc(',', out);
    if (!point->error[0])
        put_result(point, has_efficiency, out);
    for (int c = 0; point->error[0] && c < TLR_ERROR; c++)
        if (has_column(c, has_efficiency))
            putc(',', out);
    tl_put_csv(out, point->error, 0);
    putc(',', out);
    tl_put_csv(out, sweep->command, 0);
    fprintf(out, ",%016" PRIx64 "\n", point->key);
}

/* The names of all axes, those of the sweep first, and their number in *n; NULL without memory. */
static char **all_names(const tlr_sweep *sweep, const tlr_table *others, size_t *n)
{
    size_t most = sweep->n_axes;
    for (size_t i = 0; i < others->n_rows; i++)
        if (!i || others->rows[i].names != others->rows[i - 1].names)
            most += others->rows[i].n_axes;
    char **names = calloc(most + 1, sizeof *names);
    for (*n = 0; names && *n < sweep->n_axes; ++*n)
        names[*n] = sweep->axes[*n].name;
    for (size_t i = 0; names && i < others->n_rows; i++) {
        const tlr_table_row *row = &others->rows[i];
        for (size_t a = 0; a < row->n_axes && (!i || row->names != row[-1].names); a++) {
            size_t known = 0;
            while (known < *n && strcmp(names[known], row->names[a]) != 0)
                known++;
            if (known == *n)
                names[(*n)++] = row->names[a];
        }
    }
    return names;
}

static void put_other(const tlr_table_row *row, char *const *names, size_t n, bool has_efficiency,
                      FILE *out)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t a = 0; a < row->n_axes; a++)
            if (!strcmp(row->names[a], names[i]))
                tl_put_csv(out, row->values[a], 0);
        putc(',', out);
    }
    for (int c = 0; c < TLR_N_RESULTS; c++) {
        if (!has_column(c, has_efficiency))
            continue;
        tl_put_csv(out, row->texts[c], 0);
        putc(c + 1 < TLR_N_RESULTS ? ',' : '\n', out);
    }
}

tl_status tlr_sweep_write_csv(const tlr_sweep *sweep, const tlr_table *others, FILE *out,
                              tl_error *err)
{
    static const tlr_table none = {0};
    bool has_efficiency = sweep->has_efficiency;
    size_t n;
    others = others ? others : &none;
    char **names = all_names(sweep, others, &n);
    if (!names)
        return tl_no_memory(err, "results of the sweep");
    for (size_t i = 0; i < others->n_rows; i++)
        has_efficiency |= others->rows[i].texts[TLR_CROWDED][0] != '\0';
    put_header(names, n, has_efficiency, out);
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known)
            put_row(sweep, i, n - sweep->n_axes, has_efficiency, out);
    for (size_t i = 0; i < others->n_rows; i++)
        put_other(&others->rows[i], names, n, has_efficiency, out);
    free(names);
    return TL_OK;
}

tl_status tlr_sweep_append(const tlr_sweep *sweep, size_t point, int with_header, int file,
                           tl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    tl_status status = TL_OK;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return tl_no_memory(err, "results of the sweep");
    if (with_header) {
        char **names = calloc(sweep->n_axes + 1, sizeof *names);
        for (size_t a = 0; names && a < sweep->n_axes; a++)
            names[a] = sweep->axes[a].name;
        if (names)
            put_header(names, sweep->n_axes, sweep->has_efficiency, out);
        else
            status = tl_no_memory(err, "results of the sweep");
        free(names);
    }
    put_row(sweep, point, 0, sweep->has_efficiency, out);
    if (fclose(out) != 0 && status == TL_OK)
        status = tl_no_memory(err, "results of the sweep");
    if (status == TL_OK && write(file, text, size) != (ssize_t)size)
        status =
            tl_fail(err, TL_ERR_SYSTEM, "the results file cannot be written: %s", strerror(errno));
    free(text);
    return status;
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

tl_status tlr_sweep_write_json(const tlr_sweep *sweep, FILE *out, tl_error *err)
{
    json_t *root = json_object(), *points = json_array();
    for (size_t i = 0; i < sweep->n_points; i++)
        if (sweep->points[i].known)
            json_array_append_new(points, point_json(sweep, i));
    json_object_set_new(root, "points", points);
    return tlr_json_finish(root, out, err);
}

/* ---- reading ---- */

/* A table of the points without a result, by their keys. */
typedef struct open_points {
    size_t n;
    tlr_point **points;
} open_points;

static int compare_keys(const void *a, const void *b)
{
    const tlr_point *x = *(tlr_point *const *)a, *y = *(tlr_point *const *)b;
    return (x->key > y->key) - (x->key < y->key);
}

static int find_open(tlr_sweep *sweep, open_points *out)
{
    out->points = malloc((sweep->n_points + 1) * sizeof(tlr_point *));
    if (!out->points)
        return 0;
    for (size_t i = 0; i < sweep->n_points; i++)
        if (!sweep->points[i].known || sweep->points[i].error[0])
            out->points[out->n++] = &sweep->points[i];
    qsort(out->points, out->n, sizeof(tlr_point *), compare_keys);
    return 1;
}

static void take_row(const open_points *open, const tlr_point *result)
{
    size_t low = 0, high = open->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (open->points[middle]->key < result->key)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < open->n && open->points[low]->key == result->key; low++)
        if (!open->points[low]->known || open->points[low]->error[0])
            *open->points[low] = *result;
}

tl_status tlr_sweep_take(tlr_sweep *sweep, const tlr_table *table, int with_errors, tl_error *err)
{
    open_points open = {0};
    if (!find_open(sweep, &open))
        return tl_no_memory(err, "points of the sweep");
    for (size_t i = 0; i < table->n_rows; i++)
        if ((with_errors || !table->rows[i].result.error[0]) &&
            (!sweep->has_efficiency || table->rows[i].texts[TLR_CROWDED][0]))
            take_row(&open, &table->rows[i].result);
    free(open.points);
    return TL_OK;
}
