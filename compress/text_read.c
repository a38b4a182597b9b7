/* text_read.c - makes a trace from its text form, line by line. */
#include "config.h"

#include "text.h"

#include "core/error.h"
#include "core/format.h"
#include "core/map.h"
#include "core/run.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct text_reader {
    FILE *in;
    const char *name;     /* of the text, for messages */
    const char *out_path; /* of the trace, until it is whole */
    tl_error *err;
    uint64_t line_number;
    char *line;
    size_t line_capacity;

    char *fields[TL_N_RUN_FIELDS];
    uint32_t n_ranks; /* 0: not yet known */
    bool created;

    tl_writer *w; /* of the rank whose part is being read */
    uint32_t rank, next_rank;
    uint64_t position;     /* of its next event */
    uint64_t last_counter; /* number of the one defined last */
    tl_map ids;            /* what it has defined: 3 id + (0 communicator, 1 site, 2 kernel) */
    tl_buffer list, members, remote, sources, destinations;
} text_reader;

/* Refuses the last line that was read. */
#define wrong(t, format, ...)                                                                      \
    tl_fail((t)->err, TL_ERR_INPUT, "%s:%" PRIu64 ": " format, (t)->name, (t)->line_number,        \
            ##__VA_ARGS__)

/* What a writer has returned. */
static tl_status written(text_reader *t, tl_status status)
{
    if (!status)
        return TL_OK;
    if (status == TL_ERR_MEMORY)
        return tl_no_memory(t->err, t->name);
    if (status == TL_ERR_SYSTEM)
        return tl_fail_errno(t->err, "%s: cannot be written", t->out_path);
    return tl_fail(t->err, status, "%s:%" PRIu64 ": this goes beyond what a trace can hold; %s",
                   t->name, t->line_number, tl_status_text(status));
}

/* The next line that is not empty or a comment, without its line end. TL_END: there is none. */
static tl_status next_line(text_reader *t, char **out)
{
    for (;;) {
        ssize_t length = getline(&t->line, &t->line_capacity, t->in);
        if (length < 0)
            return feof(t->in)     ? TL_END
                   : ferror(t->in) ? tl_fail_errno(t->err, "%s: cannot be read", t->name)
                                   : tl_no_memory(t->err, t->name);
        t->line_number++;
        while (length && (t->line[length - 1] == '\n' || t->line[length - 1] == '\r'))
            t->line[--length] = 0;
        if (strlen(t->line) != (size_t)length)
            return wrong(t, "a zero byte; give the text that 'timeless dump' printed");
        char *p = t->line + strspn(t->line, " \t");
        if (*p && *p != '#') {
            *out = p;
            return TL_OK;
        }
    }
}

/* ---- words ---- */

/* If the next word is "NAME=...", takes it and returns the text after "=". NULL: it is another
 * word, which is not taken. */
static char *take_pair(char **rest, const char *name)
{
    char *p = *rest + strspn(*rest, " \t");
    return tl_text_value(p, name) ? tl_text_value(tl_text_word(rest), name) : NULL;
}

/* The text in NAME="TEXT", the next word of the line; NULL if it is something else. */
static const char *take_text(char **rest, const char *name)
{
    char *text = take_pair(rest, name);
    text = text ? tl_text_unquote(text) : NULL;
    return text && strlen(text) <= TL_MAX_TEXT_BYTES ? text : NULL;
}

/* The number in the next word. */
static bool take_number(char **rest, uint64_t max, uint64_t *out)
{
    const char *word = tl_text_word(rest);
    return word && tl_text_unsigned(word, max, out);
}

/* The number in NAME=NUMBER, the next word of the line. */
static bool take_named_number(char **rest, const char *name, uint64_t max, uint64_t *out)
{
    const char *text = take_pair(rest, name);
    return text && tl_text_unsigned(text, max, out);
}

/* ---- the run ---- */

static tl_status read_first_line(text_reader *t)
{
    char *line;
    tl_status status = next_line(t, &line);
    if (status == TL_END)
        return tl_fail(t->err, TL_ERR_INPUT,
                       "%s:1: is empty; give the text that 'timeless dump' printed", t->name);
    if (!status && strcmp(line, TL_TEXT_FIRST_LINE) != 0)
        status = wrong(t,
                       "is not the text of a trace, which begins with '%s'; give what "
                       "'timeless dump' printed",
                       TL_TEXT_FIRST_LINE);
    return status;
}

static tl_status read_run_line(text_reader *t, const char *word, char *rest)
{
    if (!strcmp(word, "ranks")) {
        uint64_t n;
        if (!take_number(&rest, TL_MAX_RANKS, &n) || !n || tl_text_word(&rest))
            return wrong(t, "the number of ranks must be from 1 to %" PRIu32 "; correct it",
                         TL_MAX_RANKS);
        if (t->n_ranks)
            return wrong(t, "the number of ranks is given twice; remove one");
        t->n_ranks = (uint32_t)n;
        return TL_OK;
    }
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++) {
        if (strcmp(word, tl_run_fields[i].key) != 0)
            continue;
        char *text = tl_text_word(&rest);
        text = text ? tl_text_unquote(text) : NULL;
        if (!text || tl_text_word(&rest))
            return wrong(t, "%s must be followed by one text in quotation marks; correct it", word);
        if (t->fields[i])
            return wrong(t, "%s is given twice; remove one", word);
        t->fields[i] = strdup(text);
        return t->fields[i] ? TL_OK : tl_no_memory(t->err, t->name);
    }
    return wrong(t, "'%.40s' is no part of the description of a run; correct it", word);
}

static tl_status create(text_reader *t)
{
    if (!t->n_ranks)
        return wrong(t, "the number of ranks is missing; add a line 'ranks N' before this one");
    tl_run run = {.n_ranks = t->n_ranks};
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++)
        memcpy((char *)&run + tl_run_fields[i].offset, &t->fields[i], sizeof(char *));
    tl_error err;
    tl_status status = tl_trace_create(t->out_path, &run, &err);
    if (status == TL_ERR_LIMIT)
        return wrong(t, "%s; shorten it", err.text);
    if (status && t->err)
        *t->err = err;
    t->created = !status;
    return status;
}

/* ---- the part of a rank ---- */

/* The part of a rank without a line "end": the rank was killed, or its trace is damaged. */
static tl_status leave_rank(text_reader *t)
{
    if (!t->w)
        return TL_OK;
    tl_status status = tl_writer_flush(t->w);
    tl_writer_abandon(t->w);
    t->w = NULL;
    return written(t, status);
}

static tl_status read_rank(text_reader *t, char *rest)
{
    uint64_t rank;
    char *number = tl_text_word(&rest), *host = take_pair(&rest, "host");
    host = host ? tl_text_unquote(host) : NULL;
    if (!number || !host || tl_text_word(&rest))
        return wrong(t, "a part begins with 'rank R host=\"NAME\"'; correct it");
    if (!tl_text_unsigned(number, t->n_ranks - 1, &rank))
        return wrong(t, "there is no rank '%.20s' among %" PRIu32 "; correct it", number,
                     t->n_ranks);
    if (rank < t->next_rank)
        return wrong(t, "rank %" PRIu64 " comes late or twice; put the ranks in order", rank);
    if (strlen(host) > TL_MAX_TEXT_BYTES)
        return wrong(t, "the name of the host has more than %d bytes; shorten it",
                     TL_MAX_TEXT_BYTES);
    TL_TRY(leave_rank(t));
    tl_map_free(&t->ids);
    t->ids = (tl_map){0};
    t->last_counter = 0;
    t->position = 0;
    t->rank = (uint32_t)rank;
    t->next_rank = t->rank + 1;
    tl_status status = tl_writer_open(t->out_path, t->rank, host, &t->w, t->err);
    if (!status)
        tl_writer_keep_times(t->w);
    return status;
}

static tl_status define(text_reader *t, uint64_t id, unsigned kind)
{
    uint64_t *defined = tl_map_at(&t->ids, 3 * id + kind);
    if (!defined)
        return tl_no_memory(t->err, t->name);
    if (*defined)
        return wrong(t, "%" PRIu64 " is defined twice; remove one", id);
    *defined = 1;
    return TL_OK;
}

static uint32_t n_ranks_in(const tl_buffer *ranks)
{
    return (uint32_t)(ranks->size / sizeof(int32_t));
}

static const int32_t *ranks_in(const tl_buffer *ranks)
{
    return (const int32_t *)(const void *)ranks->data;
}

/* Fields that only some communicators have: the other group, neighbours, a name, a tag. */
static tl_status read_comm_extras(text_reader *t, char *rest, tl_comm *comm)
{
    char *text = take_pair(&rest, "remote");
    tl_status status = text ? tl_text_parse_members(text, t->n_ranks, &t->remote) : TL_OK;
    if (!status && (text = take_pair(&rest, "sources")))
        status = tl_text_parse_neighbours(text, comm->n_members, &t->sources);
    if (!status && (text = take_pair(&rest, "destinations")))
        status = tl_text_parse_neighbours(text, comm->n_members, &t->destinations);
    if (status == TL_ERR_MEMORY)
        return tl_no_memory(t->err, t->name);
    comm->name = "";
    if (!status && (text = take_pair(&rest, "name"))) {
        comm->name = tl_text_unquote(text);
        status = comm->name && strlen(comm->name) <= TL_MAX_TEXT_BYTES ? TL_OK : TL_ERR_INPUT;
    }
    if (!status && (text = take_pair(&rest, "tag"))) {
        int64_t tag = 0;
        status = tl_text_signed(text, INT32_MIN, INT32_MAX, &tag) ? TL_OK : TL_ERR_INPUT;
        comm->has_tag = 1;
        comm->tag = (int32_t)tag;
    }
    if (status || tl_text_word(&rest))
        return wrong(t,
                     "comm %" PRIu32 ": after members there may be 'remote=[...]' with ranks below "
                     "%" PRIu32
                     ", 'sources=[...]' and 'destinations=[...]' with ranks below %" PRIu32
                     " or null, 'name=\"...\"', and 'tag=NUMBER', in this order; correct it",
                     comm->id, t->n_ranks, comm->n_members);
    comm->n_remote = n_ranks_in(&t->remote);
    comm->remote = ranks_in(&t->remote);
    comm->n_sources = n_ranks_in(&t->sources);
    comm->sources = ranks_in(&t->sources);
    comm->n_destinations = n_ranks_in(&t->destinations);
    comm->destinations = ranks_in(&t->destinations);
    return TL_OK;
}

static tl_status read_comm(text_reader *t, char *rest)
{
    uint64_t id, parent, call;
    if (!take_number(&rest, UINT32_MAX, &id) || id < TL_COMM_FIRST)
        return wrong(t, "a communicator needs a number of %d or more; correct it", TL_COMM_FIRST);
    if (!take_named_number(&rest, "parent", UINT32_MAX, &parent))
        return wrong(t, "comm %" PRIu64 ": 'parent=NUMBER' must come first; correct it", id);
    const char *text = take_pair(&rest, "call");
    const tl_call_info *row = text ? tl_call_by_name(text) : NULL;
    if (row)
        call = row->code;
    else if (!text || !tl_text_unsigned(text, UINT16_MAX, &call))
        return wrong(t, "comm %" PRIu64 ": 'call=NAME' must come second; correct it", id);
    text = take_pair(&rest, "members");
    tl_status status = text ? tl_text_parse_members(text, t->n_ranks, &t->members) : TL_ERR_INPUT;
    if (status == TL_ERR_MEMORY)
        return tl_no_memory(t->err, t->name);
    if (status)
        return wrong(t,
                     "comm %" PRIu64 ": 'members=[...]' must come third and hold at most %" PRIu32
                     " ranks from 0 to %" PRIu32 "; correct it",
                     id, t->n_ranks, t->n_ranks - 1);
    tl_comm comm = {.id = (uint32_t)id,
                    .parent = (uint32_t)parent,
                    .call = (uint16_t)call,
                    .n_members = n_ranks_in(&t->members),
                    .members = ranks_in(&t->members)};
    t->remote.size = t->sources.size = t->destinations.size = 0;
    TL_TRY(read_comm_extras(t, rest, &comm));
    TL_TRY(define(t, id, 0));
    return written(t, tl_writer_define_comm(t->w, &comm));
}

static tl_status read_object(text_reader *t, char *rest)
{
    tl_object object;
    if (!(object.name = take_text(&rest, "name")) || !(object.path = take_text(&rest, "path")) ||
        !(object.build_id = take_text(&rest, "build_id")) || tl_text_word(&rest))
        return wrong(t, "an object file is 'name=\"NAME\" path=\"PATH\" build_id=\"DIGITS\"'; "
                        "correct it");
    return written(t, tl_writer_define_object(t->w, &object));
}

/* The sources of a call site: the rest of its line. */
static tl_status read_sources(text_reader *t, char *rest, tl_source *sources, uint32_t *n)
{
    for (*n = 0; rest += strspn(rest, " \t"), *rest; ++*n) {
        uint64_t line = 0;
        if (*n == TL_MAX_SOURCES)
            return wrong(t, "a call site has at most %d sources; remove some", TL_MAX_SOURCES);
        sources[*n].function = take_text(&rest, "function");
        sources[*n].file = sources[*n].function ? take_text(&rest, "file") : NULL;
        if (!sources[*n].file || !take_named_number(&rest, "line", UINT32_MAX, &line))
            return wrong(t, "a source of a call site is 'function=\"NAME\" file=\"NAME\" "
                            "line=NUMBER'; correct it");
        sources[*n].line = (uint32_t)line;
    }
    return TL_OK;
}

static tl_status read_site(text_reader *t, char *rest)
{
    uint64_t id, offset, caller = 0;
    tl_source sources[TL_MAX_SOURCES];
    if (!take_number(&rest, UINT32_MAX, &id) || !id)
        return wrong(t, "a call site needs a number of 1 or more; correct it");
    const char *object = take_text(&rest, "object");
    if (!object)
        return wrong(t, "site %" PRIu64 ": 'object=\"NAME\"' must come first; correct it", id);
    if (!take_named_number(&rest, "offset", UINT64_MAX, &offset))
        return wrong(t, "site %" PRIu64 ": 'offset=NUMBER' must come second; correct it", id);
    tl_site site = {.id = (uint32_t)id, .object = object, .offset = offset, .sources = sources};
    if (!strncmp(rest + strspn(rest, " \t"), "caller=", 7) &&
        (!take_named_number(&rest, "caller", UINT32_MAX, &caller) || !caller || caller >= id))
        return wrong(t, "site %" PRIu64 ": its caller has a lower number; correct it", id);
    site.caller = (uint32_t)caller;
    TL_TRY(read_sources(t, rest, sources, &site.n_sources));
    TL_TRY(define(t, id, 1));
    return written(t, tl_writer_define_site(t->w, &site));
}

static tl_status read_kernel(text_reader *t, char *rest)
{
    uint64_t id;
    if (!take_number(&rest, INT32_MAX, &id) || !id)
        return wrong(t, "a kernel needs a number of 1 or more; correct it");
    const char *name = take_text(&rest, "name");
    if (!name || tl_text_word(&rest))
        return wrong(t, "kernel %" PRIu64 ": give its 'name=\"NAME\"' alone; correct it", id);
    TL_TRY(define(t, id, 2));
    const tl_user_kernel kernel = {.id = (uint32_t)id, .name = name};
    return written(t, tl_writer_define_kernel(t->w, &kernel));
}

static tl_status read_counter(text_reader *t, char *rest)
{
    uint64_t id, value;
    if (!take_number(&rest, UINT32_MAX, &id) || id <= t->last_counter)
        return wrong(t, "counters need rising numbers from 1 on; correct it");
    const char *name = take_text(&rest, "name");
    if (!name)
        return wrong(t, "counter %" PRIu64 ": 'name=\"NAME\"' must come first; correct it", id);
    if (!take_named_number(&rest, "value", UINT64_MAX, &value) || tl_text_word(&rest))
        return wrong(t, "counter %" PRIu64 ": 'value=NUMBER' must come second; correct it", id);
    t->last_counter = id;
    const tl_counter counter = {.id = (uint32_t)id, .name = name, .value = value};
    return written(t, tl_writer_define_counter(t->w, &counter));
}

/* `what`: "remark" or "clock" */
static tl_status read_text(text_reader *t, char *rest, const char *what,
                           tl_status (*put)(tl_writer *, const char *))
{
    char *word = tl_text_word(&rest), *text = word ? tl_text_unquote(word) : NULL;
    if (!text || tl_text_word(&rest) || strlen(text) >= sizeof((tl_error *)0)->text)
        return wrong(t, "a %s is one text in quotation marks, of at most 511 bytes; correct it",
                     what);
    return written(t, put(t->w, text));
}

static tl_status read_remark(text_reader *t, char *rest)
{
    return read_text(t, rest, "remark", tl_writer_remark);
}

static tl_status read_clock(text_reader *t, char *rest)
{
    return read_text(t, rest, "clock", tl_writer_clock);
}

static tl_status read_end(text_reader *t, char *rest)
{
    const char *name = tl_text_word(&rest);
    uint64_t clock_ns;
    if (!name || !take_named_number(&rest, "clock_ns", UINT64_MAX, &clock_ns) ||
        tl_text_word(&rest))
        return wrong(t, "a part ends with 'end HOW clock_ns=NUMBER'; correct it");
    for (int reason = TL_END_NONE + 1; reason <= TL_END_CUT; reason++) {
        if (strcmp(name, tl_text_ends[reason]) != 0)
            continue;
        tl_status status = tl_writer_close(t->w, (tl_end_reason)reason, clock_ns);
        t->w = NULL;
        return written(t, status);
    }
    return wrong(t, "'%.20s' is no way to end; use finalized, exited, aborted, failed or cut",
                 name);
}

static tl_status read_event(text_reader *t, const char *rank_text, char *rest)
{
    uint64_t rank, number;
    if (!tl_text_unsigned(rank_text, UINT32_MAX, &rank) || !take_number(&rest, UINT64_MAX, &number))
        return wrong(t, "'%.40s' begins no line of the text form; correct it", rank_text);
    if (rank != t->rank)
        return wrong(t,
                     "an event of rank %" PRIu64 " in the part of rank %" PRIu32
                     "; begin its part with a line 'rank'",
                     rank, t->rank);
    if (number != t->position)
        return wrong(t,
                     "event %" PRIu64 " where event %" PRIu64
                     " should be; restore the lines between, or number them anew",
                     number, t->position);
    tl_event e;
    char text[300];
    tl_status status = tl_text_parse_event(rest, &e, &t->list, text, sizeof text);
    if (status == TL_ERR_MEMORY)
        return tl_no_memory(t->err, t->name);
    if (status)
        return wrong(t, "%s", text);
    t->position++;
    return written(t, tl_writer_put(t->w, &e));
}

/* The lines of a part without its events. */
static const struct {
    const char *word;
    tl_status (*read)(text_reader *t, char *rest);
} lines[] = {{"comm", read_comm},     {"site", read_site},       {"object", read_object},
             {"kernel", read_kernel}, {"counter", read_counter}, {"remark", read_remark},
             {"clock", read_clock},   {"end", read_end}};

static tl_status read_line(text_reader *t, char *line)
{
    char *rest = line, *word = tl_text_word(&rest);
    if (!strcmp(word, "rank")) {
        TL_TRY(t->created ? TL_OK : create(t));
        return read_rank(t, rest);
    }
    if (!t->created)
        return read_run_line(t, word, rest);
    if (!t->w)
        return wrong(t, "'%.40s' stands outside of the part of a rank; put it after a line 'rank'",
                     word);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (!strcmp(word, lines[i].word))
            return lines[i].read(t, rest);
    return read_event(t, word, rest);
}

static tl_status read_lines(text_reader *t)
{
    tl_status status = read_first_line(t);
    char *line;
    while (!status && !(status = next_line(t, &line)))
        status = read_line(t, line);
    if (status != TL_END)
        return status;
    if (!t->created)
        TL_TRY(create(t));
    return leave_rank(t);
}

/* Checks the one thing that a reader may refuse in the written trace: communicators with too many
 * members. */
static tl_status check_written(text_reader *t)
{
    tl_reader *r;
    TL_TRY(tl_reader_open(t->out_path, &r, t->err));
    tl_status status = TL_OK;
    if (tl_reader_n_damages(r))
        status = tl_fail(t->err, TL_ERR_LIMIT,
                         "%s: its communicators have more members together than a trace of this "
                         "size can hold; remove some of them",
                         t->name);
    tl_reader_close(r);
    return status;
}

tl_status tl_text_read(FILE *in, const char *name, const char *out_path, tl_error *err)
{
    tl_replacement file;
    TL_TRY(tl_replace_begin(out_path, &file, err));
    text_reader t = {.in = in, .name = name, .out_path = file.part, .err = err};
    tl_status status = read_lines(&t);
    if (!status)
        status = check_written(&t);
    status = tl_replace_end(&file, status, err);
    tl_writer_abandon(t.w);
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++)
        free(t.fields[i]);
    free(t.line);
    tl_map_free(&t.ids);
    tl_buffer_free(&t.list);
    tl_buffer_free(&t.members);
    tl_buffer_free(&t.remote);
    tl_buffer_free(&t.sources);
    tl_buffer_free(&t.destinations);
    return status;
}
