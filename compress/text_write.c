/* text_write.c - writes a whole trace as text (doc/FORMAT.md, "The text form"). */
#include "text.h"

#include "core/error.h"
#include "core/run.h"

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
    if (*comm->name) {
        fputs(" name=", out);
        put_quoted(out, comm->name);
    }
    if (comm->has_tag)
        fprintf(out, " tag=%" PRId32, comm->tag);
    fputc('\n', out);
}

static void put_definitions(tl_reader *r, uint32_t rank, FILE *out)
{
    const tl_comm *comms;
    size_t n = tl_reader_comms(r, rank, &comms);
    for (size_t i = 0; i < n; i++)
        put_comm(out, &comms[i]);
    const tl_object *objects;
    n = tl_reader_objects(r, rank, &objects);
    for (size_t i = 0; i < n; i++) {
        fputs("object name=", out);
        put_quoted(out, objects[i].name);
        fputs(" path=", out);
        put_quoted(out, objects[i].path);
        fputs(" build_id=", out);
        put_quoted(out, objects[i].build_id);
        fputc('\n', out);
    }
    const tl_site *sites;
    n = tl_reader_sites(r, rank, &sites);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "site %" PRIu32 " object=", sites[i].id);
        put_quoted(out, sites[i].object);
        fprintf(out, " offset=%" PRIu64, sites[i].offset);
        if (sites[i].caller)
            fprintf(out, " caller=%" PRIu32, sites[i].caller);
        for (uint32_t k = 0; k < sites[i].n_sources; k++) {
            const tl_source *source = &sites[i].sources[k];
            fputs(" function=", out);
            put_quoted(out, source->function);
            fputs(" file=", out);
            put_quoted(out, source->file);
            fprintf(out, " line=%" PRIu32, source->line);
        }
        fputc('\n', out);
    }
    const tl_user_kernel *kernels;
    n = tl_reader_kernels(r, rank, &kernels);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "kernel %" PRIu32 " name=", kernels[i].id);
        put_quoted(out, kernels[i].name);
        fputc('\n', out);
    }
    const tl_counter *counters;
    n = tl_reader_counters(r, rank, &counters);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "counter %" PRIu32 " name=", counters[i].id);
        put_quoted(out, counters[i].name);
        fprintf(out, " value=%" PRIu64 "\n", counters[i].value);
    }
    tl_rank_summary summary;
    if (tl_reader_rank(r, rank, &summary) == TL_OK && *summary.clock) {
        fputs("clock ", out);
        put_quoted(out, summary.clock);
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
    fprintf(out, "rank %" PRIu32 " host=", rank);
    put_quoted(out, host);
    fputc('\n', out);
}

/* *begun: the line of the rank has been written. It is written when there is the first line of its
 * part. */
static tl_status put_events(tl_reader *r, uint32_t rank, FILE *out, bool *begun, tl_error *err)
{
    tl_cursor *c;
    tl_status status = tl_cursor_open(r, rank, &c, err);
    if (status)
        return status;
    tl_buffer line = {0};
    tl_event e;
    for (;;) {
        uint64_t number = tl_cursor_position(c);
        status = tl_cursor_next(c, &e);
        if (status)
            break;
        if (!*begun)
            begin_part(out, rank, "");
        *begun = true;
        status = put_event(out, rank, number, &e, &line);
        if (status) {
            tl_error_set(err, status, "the text cannot be written");
            goto cleanup;
        }
    }
    if (status == TL_END)
        status = TL_OK;
    else if (err)
        *err = *tl_cursor_error(c);
cleanup:
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
        fputs("remark ", out);
        put_quoted(out, summary.remark);
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
