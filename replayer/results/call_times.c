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
    const tlr_call_time *x = a, *y = b;
    const double dx = fabs(x->measured_s - x->predicted_s);
    const double dy = fabs(y->measured_s - y->predicted_s);
    return dx != dy ? (dx > dy ? -1 : 1) : strcmp(x->name, y->name);
}

static bool take(const tlr_sums *sums, tlr_call_time **out, size_t *n)
{
    *out = calloc(sums->n + 1, sizeof **out);
    for (size_t i = 0; *out && i < sums->n; i++) {
        const tlr_sum *s = &sums->rows[i];
        tlr_call_time *to = &(*out)[*n];
        if (!s->n_measured)
            continue;
        *to = (tlr_call_time){strdup(s->name), s->n_measured, s->measured_s,
                              s->time_s,       s->longest_s,  s->longest_rank};
        if (!to->name)
            return false;
        ++*n;
    }
    if (*out)
        qsort(*out, *n, sizeof **out, compare_deviations);
    return *out != NULL;
}

tl_status tlr_call_times_of(const tlr_details *details, tlr_call_times **out, tl_error *err)
{
    tlr_call_times *times = calloc(1, sizeof *times);
    if (!times || !take(&details->sites, &times->sites, &times->n_sites) ||
        !take(&details->calls, &times->calls, &times->n_calls)) {
        tlr_call_times_free(times);
        return tl_no_memory(err, "times of calls");
    }
    if (times->n_calls) {
        *out = times;
        return TL_OK;
    }
    tlr_call_times_free(times);
    return TL_OK;
}

static void free_rows(tlr_call_time *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i].name);
    free(rows);
}

void tlr_call_times_free(tlr_call_times *times)
{
    if (!times)
        return;
    free_rows(times->sites, times->n_sites);
    free_rows(times->calls, times->n_calls);
    free(times);
}

/* ---- JSON ---- */

static json_t *rows_json(const tlr_call_time *rows, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:f, s:f, s:f, s:I}", "name", tlr_json_text(rows[i].name),
                             "calls", (json_int_t)rows[i].n, "measured_s", rows[i].measured_s,
                             "predicted_s", rows[i].predicted_s, "longest_s", rows[i].longest_s,
                             "longest_rank", (json_int_t)rows[i].longest_rank));
    return array;
}

json_t *tlr_call_times_json(const tlr_call_times *times)
{
    return json_pack("{s:o, s:o}", "sites", rows_json(times->sites, times->n_sites), "calls",
                     rows_json(times->calls, times->n_calls));
}

static bool read_rows(const json_t *array, tlr_call_time **out, size_t *n)
{
    *out = calloc(json_array_size(array) + 1, sizeof **out);
    for (; *out && *n < json_array_size(array); ++*n) {
        const json_t *from = json_array_get(array, *n);
        const char *name = json_string_value(json_object_get(from, "name"));
        tlr_call_time *to = &(*out)[*n];
        *to = (tlr_call_time){strdup(name ? name : "?"),
                              (uint64_t)json_integer_value(json_object_get(from, "calls")),
                              json_number_value(json_object_get(from, "measured_s")),
                              json_number_value(json_object_get(from, "predicted_s")),
                              json_number_value(json_object_get(from, "longest_s")),
                              (uint32_t)json_integer_value(json_object_get(from, "longest_rank"))};
        if (!to->name)
            return false;
    }
    return *out != NULL;
}

tlr_call_times *tlr_call_times_read(const json_t *prediction)
{
    const json_t *from = json_object_get(prediction, "call_times");
    tlr_call_times *times = from ? calloc(1, sizeof *times) : NULL;
    if (times && read_rows(json_object_get(from, "sites"), &times->sites, &times->n_sites) &&
        read_rows(json_object_get(from, "calls"), &times->calls, &times->n_calls))
        return times;
    tlr_call_times_free(times);
    return NULL;
}

/* ---- tables ---- */

enum { N_ROWS = 10, WIDTH = 72 };

static void print_rows(const char *title, const tlr_call_time *rows, size_t n, FILE *out)
{
    const char *names[N_ROWS];
    const size_t shown = n < N_ROWS ? n : N_ROWS;
    for (size_t i = 0; i < shown; i++)
        names[i] = rows[i].name;
    fprintf(out, "\n%12s %12s %12s %10s %12s %6s  %s\n", "measured s", "predicted s", "difference",
            "calls", "longest s", "rank", title);
    for (size_t i = 0; i < shown; i++) {
        char name[TLR_SHORT_NAME];
        tlr_shorten_apart(names[i], names, shown, WIDTH, name);
        fprintf(out, "%12.4g %12.4g %+12.4g %10" PRIu64 " %12.4g %6" PRIu32 "  %s\n",
                rows[i].measured_s, rows[i].predicted_s, rows[i].measured_s - rows[i].predicted_s,
                rows[i].n, rows[i].longest_s, rows[i].longest_rank, tl_printable(name));
    }
    if (n > shown)
        fprintf(out, "and %zu more\n", n - shown);
}

void tlr_call_times_print(const tlr_call_times *times, const char *clock, FILE *out)
{
    if (!times)
        return;
    if (times->n_sites)
        print_rows("call site, sum of all ranks", times->sites, times->n_sites, out);
    print_rows("call, sum of all ranks", times->calls, times->n_calls, out);
    if (clock && *clock)
        fprintf(out,
                "The clock of the recording is not comparable: %s. The differences say nothing "
                "about the prediction.\n",
                tl_printable(clock));
}
