/* report.c - a replay as one HTML page. */
#include "config.h"

#include "report.h"

#include "page.h"
#include "results/details.h"
#include "results/json_text.h"
#include "results/prediction_json.h"
#include "results/usage.h"
#include "states.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The rows of the matrix of messages (report.js): of more ranks, neighbours share a row. */
enum { MOST_CELLS = 512, ALL_CELLS = MOST_CELLS * MOST_CELLS };

/* JSON inside a page: no text in it may end the surrounding element. */
static int write_escaped(const char *text, size_t n, void *out)
{
    for (size_t i = 0; i < n; i++)
        if (text[i] == '<' ? fputs("\\u003c", out) == EOF : fputc(text[i], out) == EOF)
            return -1;
    return 0;
}

/* Writes a part, and in place of each @NAME@ in it the part with this name. */
static int write_part(const char *text, const json_t *data, FILE *out)
{
    int failed = 0;
    for (const char *at; (at = strchr(text, '@')); text = at) {
        const size_t length = strspn(at + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_");
        const char *part = at[1 + length] == '@' ? tlr_page_part(at + 1, length) : NULL;
        const bool is_data = at[1 + length] == '@' && length == 4 && !strncmp(at + 1, "DATA", 4);
        fwrite(text, 1, (size_t)(at - text), out);
        if (is_data)
            failed |= json_dump_callback(data, write_escaped, out,
                                         JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
        else if (part)
            failed |= write_part(part, data, out);
        else
            fputc('@', out);
        at += is_data || part ? length + 2 : 1;
    }
    fputs(text, out);
    return failed;
}

static int write_page(const char *name, const json_t *data, FILE *out)
{
    const int failed = write_part(tlr_page_part(name, strlen(name)), data, out);
    return failed || fflush(out) == EOF || ferror(out);
}

static tl_status write_or_fail(const char *name, json_t *data, FILE *out, tl_error *err)
{
    tl_status status = TL_OK;
    if (!data)
        status = tl_no_memory(err, "report");
    else if (write_page(name, data, out))
        status = tl_fail(err, TL_ERR_SYSTEM, "the report cannot be written: %s", strerror(errno));
    json_decref(data);
    return status;
}

tl_status tlr_report_states(tlr_timeline *timeline, const tlr_job *job,
                            const tlr_prediction *prediction, json_t **out, tl_error *err)
{
    const tlr_state *states;
    size_t n;
    TL_TRY(tlr_timeline_read(timeline, &states, &n, err));
    *out = tlr_states_json(job->trace, prediction, states, n);
    return *out ? TL_OK : tl_no_memory(err, "report");
}

/* The sums of messages between neighbours: as many ranks as there are in a cell of the page's
 * matrix, which begins with the first of them. NULL without memory. */
static json_t *merge_traffic(const tlr_details *d)
{
    const uint32_t group = (d->n_ranks + MOST_CELLS - 1) / MOST_CELLS;
    tlr_traffic *cells = calloc(ALL_CELLS, sizeof *cells);
    json_t *merged = cells ? json_array() : NULL;
    for (size_t i = 0; cells && i < d->n_traffic; i++) {
        const tlr_traffic *t = &d->traffic[i];
        tlr_traffic *cell = &cells[t->from / group * MOST_CELLS + t->to / group];
        cell->messages += t->messages;
        cell->bytes += t->bytes;
    }
    for (json_int_t i = 0; cells && i < ALL_CELLS; i++)
        if (cells[i].messages)
            json_array_append_new(
                merged, json_pack("{s:I, s:I, s:I, s:I}", "from", i / MOST_CELLS * group, "to",
                                  i % MOST_CELLS * group, "messages", (json_int_t)cells[i].messages,
                                  "bytes", (json_int_t)cells[i].bytes));
    free(cells);
    return merged;
}

tl_status tlr_report_write(tlr_timeline *timeline, const tlr_job *job,
                           const tlr_prediction *prediction, const char *xml_path, FILE *out,
                           tl_error *err)
{
    json_t *states = NULL;
    TL_TRY(tlr_report_states(timeline, job, prediction, &states, err));
    json_t *shown = tlr_prediction_json(prediction);
    if (prediction->n_ranks > MOST_CELLS)
        json_object_set_new(json_object_get(shown, "details"), "traffic",
                            merge_traffic(prediction->details));
    return write_or_fail("REPORT_PAGE",
                         json_pack("{s:o, s:o, s:o*}", "prediction", shown, "timeline", states,
                                   "map", tlr_usage_map(prediction->usage, xml_path)),
                         out, err);
}

tl_status tlr_report_write_versus(const tlr_versus *versus, json_t *const *states, FILE *out,
                                  tl_error *err)
{
    json_t *lines = json_array();
    for (size_t i = 0; i < versus->n; i++)
        json_array_append_new(lines, states[i] ? json_incref(states[i]) : json_null());
    return write_or_fail(
        "VERSUS_PAGE",
        json_pack("{s:o, s:o}", "versus", tlr_versus_json(versus, 1), "timelines", lines), out,
        err);
}

/* [["main;step;MPI_Send (halo.c:10)", seconds], ...] */
static json_t *stacks_json(const tlr_sums *stacks)
{
    json_t *list = json_array();
    for (size_t i = 0; i < stacks->n; i++)
        json_array_append_new(
            list, json_pack("[o, f]", tlr_json_text(stacks->rows[i].name), stacks->rows[i].time_s));
    return list;
}

tl_status tlr_flame_write(const tlr_flame *flame, const tlr_prediction *prediction, FILE *out,
                          tl_error *err)
{
    return write_or_fail("FLAME_PAGE",
                         json_pack("{s:o, s:o, s:o, s:o, s:b}", "prediction",
                                   tlr_prediction_json(prediction), "compute",
                                   stacks_json(&flame->stacks[TLR_FLAME_COMPUTE]), "calls",
                                   stacks_json(&flame->stacks[TLR_FLAME_CALL]), "waits",
                                   stacks_json(&flame->stacks[TLR_FLAME_WAIT]), "has_call_paths",
                                   flame->has_call_paths),
                         out, err);
}
