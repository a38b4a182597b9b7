/* text_write.c - writes a whole trace as text (doc/FORMAT.md, "The text form"). */
#include "text.h"

#include "core/error.h"
#include "core/run.h"
#include "reader.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

const char *const tl_text_ends[TL_END_CUT + 1] = {
    [TL_END_NONE] = "none",       [TL_END_FINALIZED] = "finalized", [TL_END_EXITED] = "exited",
    [TL_END_ABORTED] = "aborted", [TL_END_FAILED] = "failed",       [TL_END_CUT] = "cut",
};

static void put_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(out, "\\%c", c);
        else if (c < ' ' || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    fputc('"', out);
}

/* BEFORE"TEXT" */
static void put_text(FILE *out, const char *before, const char *text)
{
    fputs(before, out);
    put_quoted(out, text);
}

tl_status tl_text_write_run(const tl_run *run, FILE *out)
{
    fprintf(out, "%s\nranks %" PRIu32 "\n", TL_TEXT_FIRST_LINE, run->n_ranks);
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++) {
        const char *value = tl_run_text(run, i);
        if (tl_run_fields[i].optional && !*value)
            continue;
        fprintf(out, "%s ", tl_run_fields[i].key);
        put_quoted(out, value);
        fputc('\n', out);
    }
    return ferror(out) ? TL_ERR_SYSTEM : TL_OK;
}

/* " NAME=[0-3,7,9-15/2]": runs of three or more members that go up or down in equal steps. */
static void put_members(FILE *out, const char *name, const int32_t *m, uint32_t n_members)
{
    fprintf(out, " %s=[", name);
    for (uint32_t i = 0, n; i < n_members; i += n) {
        int64_t step = i + 1 < n_members ? (int64_t)m[i + 1] - m[i] : 0;
        n = 1;
        while (step && i + n < n_members && (int64_t)m[i + n] - m[i + n - 1] == step)
            n++;
        if (n < 3)
            n = 1;
        fprintf(out, "%s%" PRId32, i ? "," : "", m[i]);
        if (n > 1)
            fprintf(out, "-%" PRId32, m[i + n - 1]);
        if (n > 1 && step != 1 && step != -1)
            fprintf(out, "/%" PRId64, step < 0 ? -step : step);
    }
    fputc(']', out);
}

/* " NAME=[1,null]" */
static void put_neighbours(FILE *out, const char *name, const int32_t *neighbours, uint32_t n)
{
    fprintf(out, " %s=[", name);
    for (uint32_t i = 0; i < n; i++)
        if (neighbours[i] == TL_PROC_NULL)
            fprintf(out, "%snull", i ? "," : "");
        else
            fprintf(out, "%s%" PRId32, i ? "," : "", neighbours[i]);
    fputc(']', out);
}

static void put_comm(FILE *out, const tl_comm *comm)
{
    const tl_call_info *row = tl_call_by_code(comm->call);
    fprintf(out, "comm %" PRIu32 " parent=%" PRIu32 " call=", comm->id, comm->parent);
    if (row)
        fputs(row->name, out);
    else
        fprintf(out, "%u", comm->call);
    put_members(out, "members", comm->members, comm->n_members);
    if (comm->n_remote)
        put_members(out, "remote", comm->remote, comm->n_remote);
    if (comm->n_sources || comm->n_destinations) {
        put_neighbours(out, "sources", comm->sources, comm->n_sources);
        put_neighbours(out, "destinations", comm->destinations, comm->n_destinations);
    }
    if (*comm->name)
        put_text(out, " name=", comm->name);
    if (comm->has_tag)
        fprintf(out, " tag=%" PRId32, comm->tag);
    fputc('\n', out);
}

static void put_site(FILE *out, const tl_site *site)
{
    fprintf(out, "site %" PRIu32, site->id);
    put_text(out, " object=", site->object);
    fprintf(out, " offset=%" PRIu64, site->offset);
    if (site->caller)
        fprintf(out, " caller=%" PRIu32, site->caller);
    for (uint32_t k = 0; k < site->n_sources; k++) {
        put_text(out, " function=", site->sources[k].function);
        put_text(out, " file=", site->sources[k].file);
        fprintf(out, " line=%" PRIu32, site->sources[k].line);
    }
    fputc('\n', out);
}

static void put_definitions(tl_reader *r, uint32_t rank, FILE *out)
{
    const tl_comm *comms;
    const tl_object *objects;
    const tl_site *sites;
    const tl_user_kernel *kernels;
    const tl_counter *counters;
    for (size_t i = 0, n = tl_reader_comms(r, rank, &comms); i < n; i++)
        put_comm(out, &comms[i]);
    for (size_t i = 0, n = tl_reader_objects(r, rank, &objects); i < n; i++) {
        put_text(out, "object name=", objects[i].name);
        put_text(out, " path=", objects[i].path);
        put_text(out, " build_id=", objects[i].build_id);
        fputc('\n', out);
    }
    for (size_t i = 0, n = tl_reader_sites(r, rank, &sites); i < n; i++)
        put_site(out, &sites[i]);
    for (size_t i = 0, n = tl_reader_kernels(r, rank, &kernels); i < n; i++) {
        fprintf(out, "kernel %" PRIu32, kernels[i].id);
        put_text(out, " name=", kernels[i].name);
        fputc('\n', out);
    }
    for (size_t i = 0, n = tl_reader_counters(r, rank, &counters); i < n; i++) {
        fprintf(out, "counter %" PRIu32, counters[i].id);
        put_text(out, " name=", counters[i].name);
        fprintf(out, " value=%" PRIu64 "\n", counters[i].value);
    }
    tl_rank_summary summary;
    if (tl_reader_rank(r, rank, &summary) == TL_OK && *summary.clock) {
        put_text(out, "clock ", summary.clock);
        fputc('\n', out);
    }
}

/* "RANK NUMBER EVENT"; the buffer grows to the longest line. */
static tl_status put_event(FILE *out, uint32_t rank, uint64_t number, const tl_event *e,
                           tl_buffer *line)
{
    size_t length = tl_event_text(e, (char *)line->data, line->capacity);
    if (length >= line->capacity) {
        if (!tl_buffer_reserve(line, length + 1))
            return TL_ERR_MEMORY;
        tl_event_text(e, (char *)line->data, line->capacity);
    }
    fprintf(out, "%" PRIu32 " %" PRIu64 " %s\n", rank, number, (const char *)line->data);
    return ferror(out) ? TL_ERR_SYSTEM : TL_OK;
}

static void begin_part(FILE *out, uint32_t rank, const char *host)
{
    fprintf(out, "rank %" PRIu32, rank);
    put_text(out, " host=", host);
    fputc('\n', out);
}

/* *begun: the line of the rank has been written. It is written when there is the first line of its
 * part. */
static tl_status put_events(tl_reader *r, uint32_t rank, FILE *out, bool *begun, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(r, rank, &c, err));
    tl_status status;
    tl_buffer line = {0};
    tl_event e;
    for (uint64_t number; number = tl_cursor_position(c), !(status = tl_cursor_next(c, &e));) {
        if (!*begun)
            begin_part(out, rank, "");
        *begun = true;
        status = put_event(out, rank, number, &e, &line);
        if (status) {
            tl_error_set(err, status, "the text cannot be written");
            break;
        }
    }
    status = tl_cursor_end(c, status, err);
    tl_buffer_free(&line);
    tl_cursor_close(c);
    return status;
}

tl_status tl_text_write_rank(tl_reader *r, uint32_t rank, FILE *out, tl_error *err)
{
    tl_rank_summary summary;
    tl_status status = tl_reader_rank(r, rank, &summary);
    if (status)
        return tl_fail(err, status, "%s: there is no rank %" PRIu32, tl_reader_path(r), rank);
    const tl_comm *comms;
    const tl_site *sites;
    const tl_object *objects;
    const tl_user_kernel *kernels;
    const tl_counter *counters;
    bool begun = *summary.host || *summary.clock || tl_reader_comms(r, rank, &comms) ||
                 tl_reader_sites(r, rank, &sites) || tl_reader_objects(r, rank, &objects) ||
                 tl_reader_kernels(r, rank, &kernels) || tl_reader_counters(r, rank, &counters);
    if (begun) {
        begin_part(out, rank, summary.host);
        put_definitions(r, rank, out);
    }
    status = put_events(r, rank, out, &begun, err);
    if (status || summary.end == TL_END_NONE)
        return status;
    if (!begun)
        begin_part(out, rank, "");
    if (*summary.remark) {
        put_text(out, "remark ", summary.remark);
        fputc('\n', out);
    }
    fprintf(out, "end %s clock_ns=%" PRIu64 "\n", tl_text_ends[summary.end], summary.clock_ns);
    return TL_OK;
}

tl_status tl_text_write(tl_reader *r, FILE *out, tl_error *err)
{
    tl_error damage = {0};
    tl_status status = tl_text_write_run(tl_reader_run(r), out);
    if (status)
        return tl_fail(err, status, "the text cannot be written");
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_error this_rank = {0};
        status = tl_text_write_rank(r, rank, out, &this_rank);
        if (status == TL_ERR_SYSTEM || status == TL_ERR_MEMORY) {
            damage = this_rank;
            break;
        }
        if (status && !damage.status)
            damage = this_rank;
    }
    if (damage.status && err)
        *err = damage;
    return damage.status;
}
