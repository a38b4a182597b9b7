/* call_times.c - measured times of calls beside predicted ones. */
#include "config.h"

#include "call_times.h"

#include "call_path.h"
#include "json_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static int compare_deviations(const void *a, const void *b)
{
    const tlr_sum *x = a, *y = b;
    const double dx = fabs(x->measured_s - x->time_s), dy = fabs(y->measured_s - y->time_s);
    return dx != dy ? (dx > dy ? -1 : 1) : strcmp(x->name, y->name);
}

/* The sums with a measured time. */
static bool take(const tlr_sums *sums, tlr_sums *out)
{
    out->rows = calloc(sums->n + 1, sizeof *out->rows);
    for (size_t i = 0; out->rows && i < sums->n; i++) {
        if (!sums->rows[i].n_measured)
            continue;
        out->rows[out->n] = sums->rows[i];
        if (!(out->rows[out->n].name = strdup(sums->rows[i].name)))
            return false;
        out->n++;
    }
    if (out->n)
        qsort(out->rows, out->n, sizeof *out->rows, compare_deviations);
    return out->rows != NULL;
}

tl_status tlr_call_times_of(const tlr_details *details, tlr_call_times **out, tl_error *err)
{
    tlr_call_times *times = calloc(1, sizeof *times);
    const bool good =
        times && take(&details->sites, &times->sites) && take(&details->calls, &times->calls);
    if (good && times->calls.n)
        *out = times;
    else
        tlr_call_times_free(times);
    return good ? TL_OK : tl_no_memory(err, "times of calls");
}

void tlr_call_times_free(tlr_call_times *times)
{
    if (!times)
        return;
    tlr_sums_free(times->sites.rows, times->sites.n);
    tlr_sums_free(times->calls.rows, times->calls.n);
    free(times);
}

/* ---- JSON ---- */

static json_t *rows_json(const tlr_sums *sums)
{
    json_t *array = json_array();
    for (const tlr_sum *row = sums->rows; row < sums->rows + sums->n; row++)
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:f, s:f, s:f, s:I}", "name", tlr_json_text(row->name),
                             "calls", (json_int_t)row->n_measured, "measured_s", row->measured_s,
                             "predicted_s", row->time_s, "longest_s", row->longest_s,
                             "longest_rank", (json_int_t)row->longest_rank));
    return array;
}

json_t *tlr_call_times_json(const tlr_call_times *times)
{
    return json_pack("{s:o, s:o}", "sites", rows_json(&times->sites), "calls",
                     rows_json(&times->calls));
}

static bool read_rows(const json_t *array, tlr_sums *out)
{
    out->rows = calloc(json_array_size(array) + 1, sizeof *out->rows);
    for (; out->rows && out->n < json_array_size(array); out->n++) {
        const json_t *from = json_array_get(array, out->n);
        const char *name = json_string_value(json_object_get(from, "name"));
        out->rows[out->n] = (tlr_sum){
            .name = strdup(name ? name : "?"),
            .n_measured = (uint64_t)json_integer_value(json_object_get(from, "calls")),
            .measured_s = json_number_value(json_object_get(from, "measured_s")),
            .time_s = json_number_value(json_object_get(from, "predicted_s")),
            .longest_s = json_number_value(json_object_get(from, "longest_s")),
            .longest_rank = (uint32_t)json_integer_value(json_object_get(from, "longest_rank"))};
        if (!out->rows[out->n].name)
            return false;
    }
    return out->rows != NULL;
}

tlr_call_times *tlr_call_times_read(const json_t *prediction)
{
    const json_t *from = json_object_get(prediction, "call_times");
    tlr_call_times *times = from ? calloc(1, sizeof *times) : NULL;
    if (times && read_rows(json_object_get(from, "sites"), &times->sites) &&
        read_rows(json_object_get(from, "calls"), &times->calls))
        return times;
    tlr_call_times_free(times);
    return NULL;
}

/* ---- tables ---- */

enum { N_ROWS = 10, WIDTH = 72 };

static void print_rows(const char *title, const tlr_sums *sums, FILE *out)
{
    const char *names[N_ROWS];
    const size_t shown = sums->n < N_ROWS ? sums->n : N_ROWS;
    for (size_t i = 0; i < shown; i++)
        names[i] = sums->rows[i].name;
    fprintf(out, "\n%12s %12s %12s %10s %12s %6s  %s\n", "measured s", "predicted s", "difference",
            "calls", "longest s", "rank", title);
    for (size_t i = 0; i < shown; i++) {
        char name[TLR_SHORT_NAME];
        const tlr_sum *row = &sums->rows[i];
        tlr_shorten_apart(names[i], names, shown, WIDTH, name);
        fprintf(out, "%12.4g %12.4g %+12.4g %10" PRIu64 " %12.4g %6" PRIu32 "  %s\n",
                row->measured_s, row->time_s, row->measured_s - row->time_s, row->n_measured,
                row->longest_s, row->longest_rank, tl_printable(name));
    }
    if (sums->n > shown)
        fprintf(out, "and %zu more\n", sums->n - shown);
}

void tlr_call_times_print(const tlr_call_times *times, const char *clock, FILE *out)
{
    if (!times)
        return;
    if (times->sites.n)
        print_rows("call site, sum of all ranks", &times->sites, out);
    print_rows("call, sum of all ranks", &times->calls, out);
    if (clock && *clock)
        fprintf(out,
                "The clock of the recording is not comparable: %s. The differences say nothing "
                "about the prediction.\n",
                tl_printable(clock));
}
