/* dump.c - timeless dump: a trace in the text form, or its events as JSON lines or as CSV. */
#include "cli.h"
#include "progress.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

struct dump_options {
    const char *path;
    int64_t rank;         /* -1: all */
    uint64_t first, past; /* events */
    cli_json json, csv;
};

enum { OPT_JSON = 256, OPT_CSV };

static const struct argp_option option_table[] = {
    {"rank", 'r', "RANK", 0, "print only this rank", 0},
    {"events", 'e', "A:B", 0, "print only the events A to B-1 of each rank", 0},
    CLI_JSON_OPTION(OPT_JSON),
    {"csv", OPT_CSV, "FILE", OPTION_ARG_OPTIONAL, "write CSV to FILE, or instead of text", 0},
    {0}};

static void parse_events(struct argp_state *state, char *arg)
{
    struct dump_options *o = state->input;
    char *colon = strchr(arg, ':');
    if (colon) {
        *colon = 0;
        o->first = cli_parse_number(state, "event", arg, INT64_MAX);
        o->past = cli_parse_number(state, "event", colon + 1, INT64_MAX);
        *colon = ':';
    }
    if (!colon || o->first >= o->past)
        argp_error(state, "events '%s': give A:B with A below B", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct dump_options *o = state->input;
    switch (key) {
    case 'r': o->rank = (int64_t)cli_parse_number(state, "rank", arg, UINT32_MAX); return 0;
    case 'e': parse_events(state, arg); return 0;
    case OPT_JSON: o->json = (cli_json){1, arg}; return 0;
    case OPT_CSV: o->csv = (cli_json){1, arg}; return 0;
    case ARGP_KEY_SUCCESS:
        if (o->csv.is_wanted && o->json.is_wanted && !o->csv.path && !o->json.path)
            argp_error(state, "--csv and --json: give a FILE to one of them");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

/* The slots of an event that are numbers, in the order of the columns of CSV. */
static const struct slot {
    uint32_t slot;
    enum { SIGNED_32, UNSIGNED_16, UNSIGNED_32, SIGNED_64, UNSIGNED_64 } kind;
    const char *name; /* in tl_event */
    size_t offset;
} slots[] = {
    {TL_SLOT_COMM, UNSIGNED_32, "comm", offsetof(tl_event, comm)},
    {TL_SLOT_NEW_COMM, UNSIGNED_32, "new_comm", offsetof(tl_event, new_comm)},
    {TL_SLOT_REQUEST, UNSIGNED_32, "request", offsetof(tl_event, request)},
    {TL_SLOT_PEER, SIGNED_32, "peer", offsetof(tl_event, peer)},
    {TL_SLOT_TAG, SIGNED_32, "tag", offsetof(tl_event, tag)},
    {TL_SLOT_RECV_PEER, SIGNED_32, "recv_peer", offsetof(tl_event, recv_peer)},
    {TL_SLOT_RECV_TAG, SIGNED_32, "recv_tag", offsetof(tl_event, recv_tag)},
    {TL_SLOT_COUNT, SIGNED_64, "count", offsetof(tl_event, count)},
    {TL_SLOT_TYPE, SIGNED_64, "type_bytes", offsetof(tl_event, type_bytes)},
    {TL_SLOT_RECV_COUNT, SIGNED_64, "recv_count", offsetof(tl_event, recv_count)},
    {TL_SLOT_RECV_TYPE, SIGNED_64, "recv_type_bytes", offsetof(tl_event, recv_type_bytes)},
    {TL_SLOT_FLAGS, UNSIGNED_16, "flags", offsetof(tl_event, flags)},
    {TL_SLOT_CLOCK, UNSIGNED_64, "clock_ns", offsetof(tl_event, clock_ns)},
};
enum { N_SLOTS = sizeof slots / sizeof *slots };

static int64_t value_of(const tl_event *e, const struct slot *s)
{
    const void *at = (const char *)e + s->offset;
    switch (s->kind) {
    case SIGNED_32: return *(const int32_t *)at;
    case UNSIGNED_16: return *(const uint16_t *)at;
    case UNSIGNED_32: return *(const uint32_t *)at;
    default: return *(const int64_t *)at;
    }
}

static void set_unsigned(json_t *object, const char *name, uint64_t value)
{
    json_object_set_new(object, name, tlr_json_unsigned(value));
}

static void set(json_t *object, const char *name, json_int_t value)
{
    json_object_set_new(object, name, json_integer(value));
}

static void set_slot(json_t *object, const struct slot *s, int64_t value)
{
    if (s->kind == UNSIGNED_64)
        set_unsigned(object, s->name, (uint64_t)value);
    else
        set(object, s->name, value);
}

static json_t *event_json(const tl_event *e, uint32_t has)
{
    json_t *o = json_object();
    for (size_t i = 0; i < N_SLOTS; i++)
        if (has & slots[i].slot)
            set_slot(o, &slots[i], value_of(e, &slots[i]));
    if (e->took_ns > 0)
        set_unsigned(o, "took_ns", (uint64_t)e->took_ns);
    if (has & TL_SLOT_LIST) {
        json_t *list = json_array();
        for (uint32_t i = 0; i < e->list_len; i++)
            json_array_append_new(list, json_integer(e->list[i]));
        json_object_set_new(o, "list", list);
    }
    set(o, "polls", e->polls);
    set_unsigned(o, "volume", e->volume);
    return o;
}

static void print_text(uint32_t rank, uint64_t number, const tl_event *e)
{
    char line[256], *text = line, *longer = NULL;
    size_t size = tl_event_text(e, line, sizeof line) + 1;
    if (size > sizeof line) {
        longer = malloc(size);
        if (longer)
            tl_event_text(e, text = longer, size);
    }
    printf("%" PRIu32 " %" PRIu64 " %s\n", rank, number, text);
    free(longer);
}

static void print_json(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e,
                       FILE *out)
{
    char site[512];
    char source[512];
    const tl_call_info *row = tl_call_by_code(e->call);
    tl_site_text(r, rank, e->site, site, sizeof site);
    json_t *o = event_json(e, row->slots);
    set(o, "rank", rank);
    set(o, "event", (json_int_t)number);
    json_object_set_new(o, "call", json_string(row->name));
    if (e->call == TL_KERNEL_user && tl_reader_kernel_name(r, rank, e))
        json_object_set_new(o, "kernel", tlr_json_text(tl_reader_kernel_name(r, rank, e)));
    json_object_set_new(o, "site", tlr_json_text(site));
    tl_site_name(r, rank, e->site, source, sizeof source);
    if (strcmp(source, site) != 0)
        json_object_set_new(o, "source", tlr_json_text(source));
    json_dumpf(o, out, JSON_COMPACT | JSON_SORT_KEYS);
    fputc('\n', out);
    json_decref(o);
}

static void print_csv(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e,
                      FILE *out)
{
    char site[512];
    const tl_call_info *row = tl_call_by_code(e->call);
    const char *kernel = e->call == TL_KERNEL_user ? tl_reader_kernel_name(r, rank, e) : NULL;
    fprintf(out, "%" PRIu32 ",%" PRIu64 ",%s,", rank, number, row->name);
    if (kernel)
        tl_put_csv(out, kernel, 1);
    fputc(',', out);
    tl_site_name(r, rank, e->site, site, sizeof site);
    if (e->site)
        tl_put_csv(out, site, 1);
    fprintf(out, ",%" PRIu64 ",%" PRIu32, e->volume, e->polls);
    for (size_t i = 0; i < N_SLOTS; i++) {
        fputc(',', out);
        if (row->slots & slots[i].slot)
            fprintf(out, slots[i].kind == UNSIGNED_64 ? "%" PRIu64 : "%" PRId64,
                    value_of(e, &slots[i]));
    }
    fputc(',', out);
    if (e->took_ns > 0)
        fprintf(out, "%" PRIu64, (uint64_t)e->took_ns); /* a reader has at most 2^63 */
    fputc(',', out);
    for (uint32_t i = 0; i < e->list_len; i++)
        fprintf(out, "%s%" PRId64, i ? " " : "", e->list[i]);
    fputc('\n', out);
}

/* ---- the ranks ---- */

typedef void print_event(const tl_reader *r, uint32_t rank, uint64_t number, const tl_event *e,
                         FILE *out);

/* Prints only the events: by `print` to `other`, or as text if that is NULL. Damage was reported
 * when the trace was opened; here it only ends the rank. */
static tl_status dump_events(tl_reader *r, const struct dump_options *o, uint32_t rank,
                             print_event *print, FILE *other, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(r, rank, &c, err));
    tl_status status = tl_cursor_seek(c, o->first);
    while (!status && tl_cursor_position(c) < o->past && !ferror(other ? other : stdout)) {
        uint64_t number = tl_cursor_position(c);
        tl_event e;
        status = tl_cursor_next(c, &e);
        if (!status && other)
            print(r, rank, number, &e, other);
        else if (!status)
            print_text(rank, number, &e);
    }
    if (!status)
        status = TL_END;
    if (status != TL_END)
        *err = *tl_cursor_error(c);
    tl_cursor_close(c);
    return status == TL_END ? TL_OK : status;
}

struct dump {
    tl_reader *r;
    const struct dump_options *options;
};

/* Prints the requested ranks. A damaged rank ends at its damage. */
static tl_status dump_ranks(const struct dump *d, print_event *print, FILE *other, tl_error *err)
{
    const struct dump_options *o = d->options;
    const uint32_t n_ranks = tl_reader_run(d->r)->n_ranks;
    const bool events_alone = other || o->past != UINT64_MAX;
    FILE *out = other ? other : stdout;
    tl_status worst = TL_OK;
    if (!events_alone && o->rank < 0)
        tl_text_write_run(tl_reader_run(d->r), stdout);
    for (uint32_t rank = 0; rank < n_ranks && !ferror(out); rank++) {
        if (o->rank >= 0 && rank != o->rank)
            continue;
        const tl_status status = events_alone ? dump_events(d->r, o, rank, print, other, err)
                                              : tl_text_write_rank(d->r, rank, stdout, err);
        if (ferror(out))
            break; /* whoever closes it reports it */
        if (status && !tl_reader_n_damages(d->r))
            worst = status;
    }
    return worst;
}

static tl_status write_json(const void *arg, FILE *out, tl_error *err)
{
    return dump_ranks(arg, print_json, out, err);
}

static tl_status write_csv(const void *arg, FILE *out, tl_error *err)
{
    fputs("rank,event,call,kernel,site,volume,polls", out);
    for (size_t i = 0; i < N_SLOTS; i++)
        fprintf(out, ",%s", slots[i].name);
    fputs(",took_ns,list\n", out);
    return dump_ranks(arg, print_csv, out, err);
}

int cmd_dump(int argc, char **argv)
{
    struct dump_options o = {.rank = -1, .past = UINT64_MAX};
    cli_parse(option_table, parse_option, NULL, "TRACE", "Print a trace as text.", argc, argv, &o);
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
    const struct dump dump = {r, &o};
    const int with_text = !o.json.is_wanted && !o.csv.is_wanted;
    if (isatty(STDOUT_FILENO) && with_text)
        cli_progress_stop();
    for (int i = 0; i < with_text + o.json.is_wanted + o.csv.is_wanted; i++)
        cli_progress_expect(r, o.rank, o.first, o.past);
    if (with_text && dump_ranks(&dump, NULL, NULL, &err) != TL_OK)
        code = cli_fail(&err);
    if (cli_json_write_by(&o.csv, write_csv, &dump, &err) != TL_OK)
        code = cli_fail(&err);
    if (cli_json_write_by(&o.json, write_json, &dump, &err) != TL_OK)
        code = cli_fail(&err);
cleanup:
    tl_reader_close(r);
    return code;
}
