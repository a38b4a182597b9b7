/* fit.c - timeless fit: a skeleton out of captures of one program. */
#include "cli.h"
#include "progress.h"
#include "timeless_convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

enum { MAX_CAPTURES = 64, MAX_PARAMETERS = 16, MAX_NAME = 64, OPT_HOLES = 0x100 };

struct fit_options {
    const char *paths[MAX_CAPTURES];
    size_t n_captures;
    const char *names[MAX_PARAMETERS], *lists[MAX_PARAMETERS];
    size_t n_names;
    char recorded[MAX_PARAMETERS][MAX_NAME]; /* names in the captures themselves */
    int64_t values[MAX_CAPTURES][MAX_PARAMETERS];
    const char *out;
    int quiet;
    tl_fit_holes holes;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the skeleton to write (default: standard output)", 0},
    {"parameter", 'P', "NAME=VALUES", 0,
     "a size of the problem: its value in each capture, as in N=100,200,300 (repeatable; default: "
     "what record --parameter wrote)",
     0},
    {"holes", OPT_HOLES, "KIND", 0,
     "what becomes of values that have no expression: 'refuse' (default), 'draw': sizes of "
     "messages "
     "are drawn from the captured distribution, or 'nearest': likewise, and other values are "
     "copied "
     "from the capture with the nearest sizes",
     0},
    {"quiet", 'q', NULL, 0, "print nothing on success", 0},
    {0}};

static void add_parameter(struct fit_options *o, char *text, struct argp_state *state)
{
    char *values = strchr(text, '=');
    if (!values || values == text)
        argp_error(state, "--parameter '%s': give NAME=VALUES, as in N=100,200,300", text);
    if (!values) /* not reached: argp_error exits */
        return;
    if (o->n_names == MAX_PARAMETERS)
        argp_error(state, "--parameter: more than %d", MAX_PARAMETERS);
    *values++ = '\0';
    o->names[o->n_names] = text;
    o->lists[o->n_names++] = values;
}

/* One value for each capture. */
static void read_values(struct fit_options *o, size_t parameter, struct argp_state *state)
{
    char *copy = strdup(o->lists[parameter]), *rest = copy, *word;
    size_t n = 0;
    for (; (word = strsep(&rest, ",")); n++)
        if (n < o->n_captures)
            o->values[n][parameter] =
                (int64_t)cli_parse_number(state, "--parameter", word, INT64_MAX);
    free(copy);
    if (n != o->n_captures)
        argp_error(state, "--parameter %s: %zu values for %zu captures; give one for each",
                   o->names[parameter], n, o->n_captures);
}

/* ---- parameters in the captures (timeless record --parameter) ---- */

static bool is_given(const struct fit_options *o, size_t n_given, const char *name, size_t length)
{
    for (size_t k = 0; k < n_given; k++)
        if (strlen(o->names[k]) == length && !memcmp(o->names[k], name, length))
            return 1;
    return 0;
}

/* The value of the parameter in a capture. */
static int find_value(const char *parameters, const char *name, int64_t *value)
{
    for (const char *at = parameters; *at; at += strcspn(at, " "), at += *at == ' ') {
        const size_t length = cli_read_parameter(at, value);
        if (length && length == strlen(name) && !memcmp(at, name, length))
            return 1;
    }
    return 0;
}

static int add_recorded(struct fit_options *o, tl_reader *const readers[], const char *name)
{
    for (size_t i = 0; i < o->n_captures; i++)
        if (!find_value(tl_reader_run(readers[i])->parameters, name, &o->values[i][o->n_names]))
            return cli_fail_text(TL_ERR_USAGE,
                                 "%s: was recorded without the parameter %s that %s has; give "
                                 "--parameter %s= with a value for each capture",
                                 tl_printable(o->paths[i]), name, tl_printable(o->paths[0]), name);
    o->names[o->n_names++] = name;
    return CLI_OK;
}

/* Adds the parameters of the captures that the command line does not give. */
static int add_all_recorded(struct fit_options *o, tl_reader *const readers[])
{
    const size_t n_given = o->n_names;
    const char *at = tl_reader_run(readers[0])->parameters;
    int code = CLI_OK;
    for (; *at && !code; at += strcspn(at, " "), at += *at == ' ') {
        int64_t value;
        const size_t length = cli_read_parameter(at, &value);
        if (!length || is_given(o, n_given, at, length))
            continue;
        if (o->n_names == MAX_PARAMETERS || length >= MAX_NAME)
            return cli_fail_text(TL_ERR_USAGE,
                                 "%s: was recorded with more than %d parameters, or with a name of "
                                 "more than %d bytes; record it with fewer",
                                 tl_printable(o->paths[0]), MAX_PARAMETERS, MAX_NAME - 1);
        memcpy(o->recorded[o->n_names], at, length);
        code = add_recorded(o, readers, o->recorded[o->n_names]);
    }
    return code;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct fit_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case 'P': add_parameter(o, arg, state); return 0;
    case 'q': o->quiet = 1; return 0;
    case OPT_HOLES:
        o->holes = !strcmp(arg, "nearest") ? TL_FIT_NEAREST
                   : !strcmp(arg, "draw")  ? TL_FIT_DRAW
                                           : TL_FIT_REFUSE;
        if (o->holes == TL_FIT_REFUSE && strcmp(arg, "refuse") != 0)
            argp_error(state, "--holes '%s': give refuse, draw or nearest", arg);
        return 0;
    case ARGP_KEY_ARG:
        if (o->n_captures == MAX_CAPTURES)
            argp_error(state, "more than %d captures", MAX_CAPTURES);
        o->paths[o->n_captures++] = arg;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (o->n_captures < 3)
            argp_error(state, "give 3 traces or more (captures), of different sizes");
        for (size_t i = 0; i < o->n_names; i++)
            read_values(o, i, state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The comments at the beginning: what the skeleton is known to make. */
static void print_report(const char *text)
{
    text = strchr(text, '\n');
    while (text && text[1] == '#') {
        const char *end = strchr(text + 1, '\n');
        const int size = end ? (int)(end - text - 3) : 0;
        if (size > 0)
            printf("%.*s\n", size, text + 3);
        text = end;
    }
}

/* Lines of the report with this text about a capture that was left out. */
static size_t count_left_out(const char *text, const char *result)
{
    size_t n = 0;
    for (const char *at = strstr(text, "\n# fitted without "); at;
         at = strstr(at + 1, "\n# fitted without ")) {
        const char *found = strstr(at + 1, result);
        n += found && found < at + 1 + strcspn(at + 1, "\n");
    }
    return n;
}

/* The skeleton has the calls of all captures. Whether it has those of other sizes, only the
 * captures that were left out can show. */
static void warn_of_other_sizes(const char *text)
{
    const size_t n_differ = count_left_out(text, ": differs from it"),
                 n_right = count_left_out(text, ": has all of its ");
    if (n_differ)
        fprintf(stderr,
                "timeless: warning: %zu of the fits without one of the captures made other calls "
                "than this capture, so the skeleton may be wrong at other sizes; record more "
                "sizes\n",
                n_differ);
    else if (!n_right)
        fputs("timeless: warning: no fit without one of the captures was possible, so nothing "
              "shows whether the skeleton is right at other sizes; record more sizes\n",
              stderr);
}

/* The lines of the report that are warnings. */
static void repeat_warnings(const char *text)
{
    static const char mark[] = "\n# warning: ";
    for (const char *at = text; (at = strstr(at, mark)); at++)
        fprintf(stderr, "timeless: warning: %.*s\n", (int)strcspn(at + sizeof mark - 1, "\n"),
                at + sizeof mark - 1);
}

static int write_text(const struct fit_options *o, const char *text)
{
    cli_progress_stop();
    if (!o->out) {
        fputs(text, stdout);
        return CLI_OK;
    }
    tl_output out;
    tl_error err;
    if (tl_output_open(o->out, &out, &err))
        return cli_fail(&err);
    fputs(text, out.file);
    if (tl_output_close(&out, o->out, TL_OK, &err))
        return cli_fail(&err);
    if (!o->quiet)
        print_report(text);
    return CLI_OK;
}

int cmd_fit(int argc, char **argv)
{
    struct fit_options o = {0};
    cli_parse(option_table, parse_option, NULL, "CAPTURE CAPTURE CAPTURE...",
              "Make a skeleton, a text that replaces the trace at any number of ranks and "
              "any size, from traces (captures) of a few sizes.",
              argc, argv, &o);
    tl_fit_capture captures[MAX_CAPTURES] = {{0}};
    tl_reader *readers[MAX_CAPTURES] = {0};
    char *text = NULL;
    tl_error err;
    int code = o.out && !tl_is_program(o.out) ? cli_check_output(o.out) : CLI_OK;
    for (size_t i = 0; i < o.n_captures && !code; i++) {
        code = cli_open_trace(o.paths[i], &readers[i]);
        captures[i] = (tl_fit_capture){readers[i], o.values[i]};
    }
    if (!code)
        code = add_all_recorded(&o, readers);
    if (!code && tl_fit(captures, o.n_captures, o.names, o.n_names, o.holes, &text, &err) != TL_OK)
        code = cli_fail(&err);
    if (!code)
        code = write_text(&o, text);
    if (!code)
        repeat_warnings(text);
    if (!code)
        warn_of_other_sizes(text);
    free(text);
    for (size_t i = 0; i < o.n_captures; i++)
        tl_reader_close(readers[i]);
    return code;
}
