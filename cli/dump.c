/* dump.c - timeless dump: a trace in the text form, or its events as JSON lines. */
#include "cli.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

struct dump_options {
    const char *path;
    int64_t rank; /* -1: all */
    int json;
};

static const struct argp_option option_table[] = {
    {"rank", 'r', "RANK", 0, "only this rank", 0},
    {"json", 'j', NULL, 0, "one JSON object a line", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct dump_options *o = state->input;
    switch (key) {
    case 'r': o->rank = (int64_t)cli_parse_number(state, "rank", arg, UINT32_MAX); return 0;
    case 'j': o->json = 1; return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

/* Unsigned numbers that JSON libraries keep in 63 bits become text beyond these. */
static void set_unsigned(json_t *object, const char *name, uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    json_object_set_new(object, name,
                        value <= INT64_MAX ? json_integer((json_int_t)value) : json_string(text));
}

static void set(json_t *object, const char *name, json_int_t value)
{
    json_object_set_new(object, name, json_integer(value));
}

/* The slots that the event's row fills, under the names of tl_event. */
static json_t *event_json(const tl_event *e, uint32_t slots)
{
    json_t *o = json_object();
    if (slots & TL_SLOT_COUNT)
        set(o, "count", e->count);
    if (slots & TL_SLOT_TYPE)
        set(o, "type_bytes", e->type_bytes);
    if (slots & TL_SLOT_PEER)
        set(o, "peer", e->peer);
    if (slots & TL_SLOT_TAG)
        set(o, "tag", e->tag);
    if (slots & TL_SLOT_RECV_COUNT)
        set(o, "recv_count", e->recv_count);
    if (slots & TL_SLOT_RECV_TYPE)
        set(o, "recv_type_bytes", e->recv_type_bytes);
    if (slots & TL_SLOT_RECV_PEER)
        set(o, "recv_peer", e->recv_peer);
    if (slots & TL_SLOT_RECV_TAG)
        set(o, "recv_tag", e->recv_tag);
    if (slots & TL_SLOT_COMM)
        set(o, "comm", e->comm);
    if (slots & TL_SLOT_REQUEST)
        set(o, "request", e->request);
    if (slots & TL_SLOT_NEW_COMM)
        set(o, "new_comm", e->new_comm);
    if (slots & TL_SLOT_FLAGS)
        set(o, "flags", e->flags);
    if (slots & TL_SLOT_CLOCK)
        set_unsigned(o, "clock_ns", e->clock_ns);
    if (slots & TL_SLOT_LIST) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < e->list_len; i++)
            json_array_append_new(list, json_integer(e->list[i]));
        json_object_set_new(o, "list", list);
    }
    set(o, "polls", e->polls);
    set_unsigned(o, "volume", e->volume);
    return o;
}

static void print_json(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e)
{
    char site[256];
    const tl_call_info *row = tl_call_by_code(e->call);
    tl_site_text(r, rank, e->site, site, sizeof site);
    json_t *o = event_json(e, row->slots);
    set(o, "rank", rank);
    set(o, "event", (json_int_t)number);
    json_object_set_new(o, "call", json_string(row->name));
    if (e->call == TL_KERNEL_user && tl_reader_kernel_name(r, rank, e))
        json_object_set_new(o, "kernel", json_string(tl_reader_kernel_name(r, rank, e)));
    json_object_set_new(o, "site", json_string(site));
    json_dumpf(o, stdout, JSON_COMPACT | JSON_SORT_KEYS);
    putchar('\n');
    json_decref(o);
}

/* Damage has been told on opening; it only ends this rank. */
static tl_status dump_json(tl_reader *r, uint32_t rank, tl_error *err)
{
    tl_cursor *c;
    tl_status status = tl_cursor_open(r, rank, &c, err);
    if (status)
        return status;
    tl_event e;
    for (;;) {
        uint64_t number = tl_cursor_position(c);
        status = tl_cursor_next(c, &e);
        if (status)
            break;
        print_json(r, rank, number, &e);
    }
    if (status != TL_END)
        *err = *tl_cursor_error(c);
    tl_cursor_close(c);
    return status == TL_END ? TL_OK : status;
}

int cmd_dump(int argc, char **argv)
{
    struct dump_options o = {.rank = -1};
    struct argp argp = {option_table, parse, "TRACE", "Print a trace as text.", NULL, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    tl_reader *r;
    int code = cli_open_trace(o.path, &r);
    if (code)
        return code;
    tl_error err;
    uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    if (o.rank >= n_ranks) {
        code = cli_fail_text(TL_ERR_USAGE,
                             "%s: there is no rank %" PRId64 "; give one from 0 to %" PRIu32,
                             o.path, o.rank, n_ranks - 1);
        goto cleanup;
    }
    if (!tl_reader_complete(r))
        code = CLI_BAD_INPUT;
    if (!o.json && o.rank < 0)
        tl_text_write_run(tl_reader_run(r), stdout);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        if (o.rank >= 0 && rank != o.rank)
            continue;
        tl_status status =
            o.json ? dump_json(r, rank, &err) : tl_text_write_rank(r, rank, stdout, &err);
        if (status == TL_ERR_SYSTEM)
            break; /* said below */
        if (status && !tl_reader_n_damages(r))
            code = cli_fail(&err);
    }
    if (fflush(stdout) || ferror(stdout))
        code =
            cli_fail_text(TL_ERR_SYSTEM, "standard output: cannot be written; is the disk full?");
cleanup:
    tl_reader_close(r);
    return code;
}
