/* compare.c - predicted against measured durations. */
#include "config.h"

#include "replayer.h"

#include "text_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static tl_status out_of_memory(tl_error *err)
{
    return tl_fail(err, TL_ERR_MEMORY, "out of memory while comparing");
}

/* Longest rank's duration between two marks, each rank by its own clock: the ranks' clocks need not
 * agree. */
static double longest_s(const double *from_s, const double *to_s, uint32_t n_ranks)
{
    double longest = to_s[0] - from_s[0];
    for (uint32_t r = 1; r < n_ranks; r++)
        longest = fmax(longest, to_s[r] - from_s[r]);
    return longest;
}

static const char *call_name(uint16_t call)
{
    const tl_call_info *info = tl_call_by_code(call);
    return info ? info->name : "?";
}

static int has_action(const tlr_mark *mark, tl_action action)
{
    const tl_call_info *info = tl_call_by_code(mark->call);
    return info && info->action == action;
}

static char *row_name(const tlr_mark *from, const tlr_mark *to)
{
    if (has_action(from, TL_ACTION_INIT) && has_action(to, TL_ACTION_FINALIZE))
        return strdup("makespan");
    char *name = NULL;
    if (asprintf(&name, "%s %s #%" PRIu32 " .. %s %s #%" PRIu32, call_name(from->call), from->site,
                 from->ordinal, call_name(to->call), to->site, to->ordinal) < 0)
        return NULL;
    return name;
}

static tl_status add_row(tlr_comparison *c, char *name, double measured_s, double predicted_s,
                         tl_error *err)
{
    if (!name)
        return out_of_memory(err);
    c->rows[c->n_rows++] =
        (tlr_comparison_row){name, measured_s, predicted_s, predicted_s / measured_s - 1};
    return TL_OK;
}

/* A row for each two neighbouring marks, and one from the first to the last. */
static tl_status add_mark_rows(tlr_comparison *c, const tlr_prediction *p, tl_error *err)
{
    tl_status status = TL_OK;
    c->rows = calloc(p->n_marks + 1, sizeof *c->rows);
    if (!c->rows)
        return out_of_memory(err);
    for (size_t i = 1; i < p->n_marks && status == TL_OK; i++)
        status = add_row(
            c, row_name(&p->marks[i - 1], &p->marks[i]),
            longest_s(p->marks[i - 1].measured_s, p->marks[i].measured_s, p->n_ranks),
            longest_s(p->marks[i - 1].predicted_s, p->marks[i].predicted_s, p->n_ranks), err);
    if (p->n_marks > 2 && status == TL_OK) {
        const tlr_mark *first = &p->marks[0], *last = &p->marks[p->n_marks - 1];
        status = add_row(c, row_name(first, last),
                         longest_s(first->measured_s, last->measured_s, p->n_ranks),
                         longest_s(first->predicted_s, last->predicted_s, p->n_ranks), err);
    }
    return status;
}

static void remove_row(tlr_comparison *c, size_t i)
{
    free(c->rows[i].name);
    c->n_rows--;
    memmove(&c->rows[i], &c->rows[i + 1], (c->n_rows - i) * sizeof *c->rows);
}

static void leave_out_short_rows(tlr_comparison *c, double min_share)
{
    double whole_s = 0;
    for (size_t i = 0; i < c->n_rows; i++)
        whole_s = fmax(whole_s, c->rows[i].measured_s);
    for (size_t i = c->n_rows; i-- > 0;) {
        double measured_s = c->rows[i].measured_s;
        if (measured_s > 0 && measured_s >= min_share * whole_s)
            continue;
        remove_row(c, i);
        c->n_left_out++;
    }
}

/* ---- measurements from a CSV ---- */

/* Splits "name,seconds" at its last comma.  1: a row, 0: nothing on this line, -1: neither. */
static int parse_line(char *line, char **name, double *seconds)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    if (!length || *line == '#' || !strcmp(line, "name,seconds"))
        return 0;
    char *comma = strrchr(line, ',');
    if (!comma || comma == line)
        return -1;
    char *end;
    *seconds = strtod(comma + 1, &end);
    if (end == comma + 1 || *end || !isfinite(*seconds) || *seconds <= 0)
        return -1;
    *comma = '\0';
    *name = line;
    return 1;
}

static const tlr_comparison_row *find_row(const tlr_comparison *c, const char *name)
{
    for (size_t i = 0; i < c->n_rows; i++)
        if (!strcmp(c->rows[i].name, name))
            return &c->rows[i];
    return NULL;
}

/* Rows of the CSV, their predictions taken from the rows of the marks. */
static tl_status read_measurements(const char *path, const tlr_comparison *marks, double makespan_s,
                                   tlr_comparison *c, tl_error *err)
{
    char *text = NULL;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    if (status != TL_OK)
        return status;
    size_t lines = 1;
    for (const char *p = text; *p; p++)
        lines += *p == '\n';
    c->rows = calloc(lines, sizeof *c->rows);
    if (!c->rows)
        status = out_of_memory(err);
    size_t number = 0;
    for (char *rest = text, *line; status == TL_OK && (line = strsep(&rest, "\n"));) {
        char *name;
        double seconds;
        int kind = parse_line(line, &name, &seconds);
        number++;
        if (kind == 0)
            continue;
        if (kind < 0) {
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:%zu: not a measurement; write NAME,SECONDS with seconds above 0",
                             path, number);
            break;
        }
        const tlr_comparison_row *row = find_row(marks, name);
        if (!row && strcmp(name, "makespan") != 0)
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:%zu: the prediction has no row '%s'; 'timeless compare --all' "
                             "without --measured lists them",
                             path, number, name);
        else if (find_row(c, name))
            status =
                tl_fail(err, TL_ERR_INPUT, "%s:%zu: '%s' stands here a second time; remove one",
                        path, number, name);
        else
            status = add_row(c, strdup(name), seconds, row ? row->predicted_s : makespan_s, err);
    }
    if (status == TL_OK && c->n_rows == 0)
        status = tl_fail(err, TL_ERR_INPUT, "%s:1: no measurement; write NAME,SECONDS lines", path);
    free(text);
    return status;
}

/* ---- the whole ---- */

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static tl_status summarise(tlr_comparison *c, double tolerance, tl_error *err)
{
    double *errors = calloc(c->n_rows + 1, sizeof *errors);
    if (!errors)
        return out_of_memory(err);
    for (size_t i = 0; i < c->n_rows; i++)
        errors[i] = fabs(c->rows[i].error);
    qsort(errors, c->n_rows, sizeof *errors, compare_numbers);
    size_t n = c->n_rows;
    c->median_error = (errors[(n - 1) / 2] + errors[n / 2]) / 2;
    c->worst_error = errors[n - 1];
    c->tolerance = tolerance;
    c->passed = tolerance < 0 || c->worst_error <= tolerance;
    free(errors);
    return TL_OK;
}

tl_status tlr_compare(const tlr_prediction *prediction, const tlr_compare_options *options,
                      tlr_comparison **out, tl_error *err)
{
    tlr_comparison *marks = calloc(1, sizeof *marks), *csv = calloc(1, sizeof *csv);
    tl_status status = TL_ERR_MEMORY;
    if (!marks || !csv) {
        out_of_memory(err);
        goto cleanup;
    }
    status = add_mark_rows(marks, prediction, err);
    if (status != TL_OK)
        goto cleanup;
    if (options->measured_path) {
        status = read_measurements(options->measured_path, marks, prediction->makespan_s, csv, err);
        if (status == TL_OK)
            status = summarise(csv, options->tolerance, err);
        if (status == TL_OK) {
            *out = csv;
            csv = NULL;
        }
        goto cleanup;
    }
    leave_out_short_rows(marks, options->min_share);
    if (marks->n_rows == 0) {
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: no two moments that all ranks passed have a measured time; give "
                         "measurements with --measured",
                         prediction->trace_path ? prediction->trace_path : "prediction");
        goto cleanup;
    }
    status = summarise(marks, options->tolerance, err);
    if (status == TL_OK) {
        *out = marks;
        marks = NULL;
    }
cleanup:
    tlr_comparison_free(marks);
    tlr_comparison_free(csv);
    return status;
}

void tlr_comparison_free(tlr_comparison *comparison)
{
    if (!comparison)
        return;
    for (size_t i = 0; i < comparison->n_rows; i++)
        free(comparison->rows[i].name);
    free(comparison->rows);
    free(comparison);
}

/* ---- output ---- */

static int beyond(const tlr_comparison *c, const tlr_comparison_row *row)
{
    return c->tolerance >= 0 && fabs(row->error) > c->tolerance;
}

void tlr_comparison_print(const tlr_comparison *c, const tlr_prediction *prediction, FILE *out)
{
    fprintf(out, "%s on %s, %" PRIu32 " ranks, %s\n", prediction->trace_path,
            prediction->platform_name, prediction->n_ranks, prediction->engine_version);
    fprintf(out, "%12s %12s %8s  %s\n", "measured s", "predicted s", "error",
            "longest rank from .. to");
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        fprintf(out, "%12.6f %12.6f %+7.1f%%%c %s\n", row->measured_s, row->predicted_s,
                100 * row->error, beyond(c, row) ? '!' : ' ', row->name);
    }
    if (c->n_left_out)
        fprintf(out, "%zu shorter rows are left out; --all keeps those that took any time\n",
                c->n_left_out);
    fprintf(out, "|error|: median %.1f%%, worst %.1f%%", 100 * c->median_error,
            100 * c->worst_error);
    if (c->tolerance >= 0)
        fprintf(out, "; %s the tolerance of %g%%", c->passed ? "within" : "beyond",
                100 * c->tolerance);
    fputc('\n', out);
}

static json_t *hash_json(uint64_t hash)
{
    return json_sprintf("%016" PRIx64, hash);
}

tl_status tlr_comparison_write_json(const tlr_comparison *c, const tlr_prediction *prediction,
                                    FILE *out, tl_error *err)
{
    tl_status status = TL_OK;
    json_t *rows = json_array();
    for (size_t i = 0; i < c->n_rows; i++) {
        const tlr_comparison_row *row = &c->rows[i];
        json_array_append_new(rows, json_pack("{s:s, s:f, s:f, s:f, s:b}", "name", row->name,
                                              "measured_s", row->measured_s, "predicted_s",
                                              row->predicted_s, "error", row->error, "passed",
                                              !beyond(c, row)));
    }
    json_t *root = json_pack(
        "{s:o, s:I, s:f, s:f, s:o, s:b, s:s?, s:o, s:s?, s:o, s:s?, s:s?, s:I}", "rows", rows,
        "rows_left_out", (json_int_t)c->n_left_out, "median_error", c->median_error, "worst_error",
        c->worst_error, "tolerance", c->tolerance < 0 ? json_null() : json_real(c->tolerance),
        "passed", c->passed, "trace", prediction->trace_path, "trace_hash",
        hash_json(prediction->trace_hash), "platform", prediction->platform_name, "platform_hash",
        hash_json(prediction->platform_hash), "engine", prediction->engine, "engine_version",
        prediction->engine_version, "ranks", (json_int_t)prediction->n_ranks);
    if (!root)
        return out_of_memory(err);
    if (json_dumpf(root, out, JSON_SORT_KEYS | JSON_INDENT(2) | JSON_REAL_PRECISION(17)) != 0 ||
        fputc('\n', out) == EOF)
        status = tl_fail(err, TL_ERR_SYSTEM, "the comparison cannot be written; check the output");
    json_decref(root);
    return status;
}
