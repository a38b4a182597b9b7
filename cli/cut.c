/* cut.c - timeless cut: writes a part of a trace as a new trace. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum part { PART_NONE, PART_SECTIONS, PART_REGION, PART_EVENTS };

struct cut_options {
    const char *path, *out;
    enum part part;
    const char *part_text;
    uint64_t a, b; /* sections, or events */
    int64_t level; /* region */
    int last;      /* the section where the part ends is called last */
};

enum { OPT_REGION = 256 };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"section", 's', "A[:B]", 0,
     "sections A to B, both included, as 'timeless info --sections' counts them; 'last' is the "
     "last one",
     0},
    {"region", OPT_REGION, "LEVEL[:NTH]", 0,
     "the NTH region (default: 0) from MPI_Pcontrol(LEVEL) to the next one with another level", 0},
    {"events", 'e', "A:B", 0, "events A to B-1 of every rank", 0},
    {0}};

/* "A" or "A:B"; returns whether B was given. */
static int parse_pair(struct argp_state *state, const char *what, char *arg, uint64_t max,
                      uint64_t *a, uint64_t *b)
{
    char *colon = strchr(arg, ':');
    char *first = colon ? strndup(arg, (size_t)(colon - arg)) : strdup(arg);
    if (!first)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    *a = cli_parse_number(state, what, first, max);
    free(first);
    *b = colon ? cli_parse_number(state, what, colon + 1, max) : *a;
    return colon != NULL;
}

/* "A", "A:B", "A:last" or "last". */
static void parse_sections(struct argp_state *state, char *arg)
{
    struct cut_options *o = state->input;
    char *colon = strrchr(arg, ':');
    o->last = !strcmp(colon ? colon + 1 : arg, "last");
    if (o->last && !colon)
        o->a = UINT64_MAX; /* the last too */
    else if (o->last)
        *colon = '\0';
    if (!o->last || colon)
        parse_pair(state, "section", arg, INT64_MAX, &o->a, &o->b);
    if (o->last && colon)
        *colon = ':';
}

static void set_part(struct argp_state *state, enum part part, const char *text)
{
    struct cut_options *o = state->input;
    if (o->part != PART_NONE)
        argp_error(state, "give one of --section, --region, --events");
    o->part = part;
    o->part_text = text;
}

static void parse_region(struct argp_state *state, char *arg)
{
    struct cut_options *o = state->input;
    int negative = arg[0] == '-';
    uint64_t level;
    if (!parse_pair(state, "region", arg + negative, INT32_MAX, &level, &o->b))
        o->b = 0;
    o->level = negative ? -(int64_t)level : (int64_t)level;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct cut_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case 's':
        set_part(state, PART_SECTIONS, arg);
        parse_sections(state, arg);
        return 0;
    case OPT_REGION:
        set_part(state, PART_REGION, arg);
        parse_region(state, arg);
        return 0;
    case 'e':
        set_part(state, PART_EVENTS, arg);
        if (!parse_pair(state, "events", arg, INT64_MAX, &o->a, &o->b) || o->a >= o->b)
            argp_error(state, "events '%s': give A:B with A below B", arg);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || o->part == PART_NONE)
            argp_error(state, "give -o FILE, and one of --section, --region, --events");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

static tl_status find_span(tl_reader *r, struct cut_options *o, tl_span *span, tl_error *err)
{
    if (o->part == PART_REGION)
        return tl_span_of_region(r, (int)o->level, (unsigned)o->b, span, err);
    if (o->part == PART_EVENTS)
        return tl_span_of_events(r, o->a, o->b, span, err);
    if (o->last) {
        size_t n;
        TL_TRY(tl_sections_count(r, &n, err));
        o->b = n - 1;
        if (o->a == UINT64_MAX)
            o->a = o->b;
    }
    return tl_span_of_sections(r, o->a, o->b, span, err);
}

/* On opening the trace. */
static bool was_said(const tl_reader *r, const tl_error *err)
{
    for (size_t i = 0; i < tl_reader_n_damages(r); i++)
        if (!strcmp(tl_reader_damage(r, i)->text, err->text))
            return 1;
    return 0;
}

int cmd_cut(int argc, char **argv)
{
    static const char *const commands[] = {"", "cut --section", "cut --region", "cut --events"};
    struct cut_options o = {0};
    cli_parse(option_table, parse_option, NULL, "TRACE", "Write a part of a trace as a new trace.",
              argc, argv, &o);
    tl_reader *r;
    int code = cli_open_for(o.path, o.out, &r);
    if (code)
        return code;
    tl_error err;
    tl_span span = {0};
    char origin[1024];
    tl_status status = find_span(r, &o, &span, &err);
    if (!status)
        status = cli_origin(r, commands[o.part], o.part_text, origin, sizeof origin, &err);
    if (!status)
        status = tl_cut(r, &span, origin, o.out, &err);
    if (status && was_said(r, &err))
        code = cli_fail_text(err.status,
                             "%s: the part contains damaged data, and was not written; cut a part "
                             "that ends before it",
                             o.path);
    else if (status)
        code = cli_fail(&err);
    tl_span_free(&span);
    tl_reader_close(r);
    return code;
}
