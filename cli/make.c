/* make.c - timeless make: writes the trace of a pattern or a program, without a run. */
#include "config.h"

#include "cli.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_BYTES = 256, OPT_ITERATIONS, OPT_SEED };

struct make_options {
    const char *what, *out;
    char *parameters;       /* "N=1000,P=2" */
    const char *of_pattern; /* an option that only patterns have; NULL: none was given */
    bool has_ranks;
};

static const struct argp_option option_table[] = {
    {"ranks", 'n', "N", 0, "number of ranks", 0},
    {"bytes", OPT_BYTES, "N", 0, "bytes of each message (default: 8)", 0},
    {"iterations", OPT_ITERATIONS, "N", 0, "iterations of the pattern (default: 1)", 0},
    {"seed", OPT_SEED, "N", 0, "seed of the pattern random (default: 1)", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {0}};

/* "hpl" followed by parameters, "hpl:" with all of them, or a skeleton. */
static bool is_program(const struct make_options *o)
{
    return o->what && (!strcmp(o->what, "hpl") || tl_is_program(o->what));
}

static void add_parameter(struct argp_state *state, struct make_options *o, const char *text)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s%s%s", o->parameters ? o->parameters : "", o->parameters ? "," : "",
                 text) < 0)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    free(o->parameters);
    o->parameters = longer;
}

/* --NAME NUMBER is the pattern's parameter NAME. */
static error_t add_number(struct argp_state *state, const char *option, uint64_t number)
{
    char text[64];
    struct make_options *o = state->input;
    snprintf(text, sizeof text, "%s=%" PRIu64, option + 2, number);
    o->of_pattern = option;
    add_parameter(state, o, text);
    return 0;
}

static void check(struct argp_state *state, const struct make_options *o)
{
    if (is_program(o) && o->of_pattern)
        argp_error(state, "%s is for patterns; write %s", o->of_pattern,
                   !strcmp(o->what, "hpl") || !strncmp(o->what, "hpl:", 4)
                       ? "RANKS=N, or another parameter of HPL"
                       : "ranks=N, or another parameter of the skeleton");
    if (!o->out || (!o->has_ranks && !is_program(o)))
        argp_error(state, is_program(o) ? "give -o FILE" : "give --ranks N and -o FILE");
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct make_options *o = state->input;
    switch (key) {
    case 'n':
        o->has_ranks = 1;
        return add_number(state, "--ranks",
                          cli_parse_number_from(state, "--ranks", arg, 1, INT32_MAX));
    case OPT_BYTES:
        return add_number(state, "--bytes", cli_parse_number(state, "--bytes", arg, INT32_MAX));
    case OPT_ITERATIONS:
        return add_number(state, "--iterations",
                          cli_parse_number_from(state, "--iterations", arg, 1, UINT32_MAX));
    case OPT_SEED:
        return add_number(state, "--seed", cli_parse_number(state, "--seed", arg, INT64_MAX));
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_SUCCESS: check(state, o); return 0;
    case ARGP_KEY_ARG:
        if (is_program(o) && strchr(arg, '=')) {
            add_parameter(state, o, arg);
            return 0;
        }
        /* fall through */
    default: return cli_argument(key, arg, state, "pattern", &o->what);
    }
}

/* The patterns, for the end of the help. */
static char *help_filter(int key, const char *text, void *input)
{
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)text;
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return NULL;
    fputs("Patterns:\n", out);
    const char *name, *summary;
    for (size_t i = 0; i < tl_pattern_list(i, &name, &summary); i++)
        fprintf(out, "  %-16s %s\n", name, summary);
    fclose(out);
    return list;
}

/* "hpl:N=1000", "FILE,ranks=8" or "pattern:ring,ranks=8" */
static char *text_of(const struct make_options *o)
{
    char *text = NULL;
    const char *given = o->parameters ? o->parameters : "";
    const bool is_hpl = !strcmp(o->what, "hpl");
    if (asprintf(&text, "%s%s%s%s", is_program(o) ? "" : "pattern:", o->what,
                 is_hpl          ? ":"
                 : o->parameters ? ","
                                 : "",
                 given) < 0)
        return NULL;
    return text;
}

static int make(const struct make_options *o)
{
    tl_error err;
    tl_reader *reader = NULL;
    char *text = text_of(o);
    if (!text)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    tl_status status = tl_reader_open(text, &reader, &err);
    if (status == TL_OK)
        status = tl_program_write(reader, o->out, &err);
    tl_reader_close(reader);
    free(text);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}

int cmd_make(int argc, char **argv)
{
    struct make_options o = {0};
    struct argp argp = {option_table,
                        parse_option,
                        "PATTERN\nhpl KEY=VALUE...\nSKELETON [NAME=NUMBER...]",
                        "Write the trace of a communication pattern, of HPL, or of a skeleton.\v",
                        NULL,
                        help_filter,
                        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    int code = cli_check_output(o.out);
    if (!code)
        code = make(&o);
    free(o.parameters);
    return code;
}
