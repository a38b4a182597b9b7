/* make.c - timeless make: writes the trace of a pattern or a program, without a run. */
#include "config.h"

#include "cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_BYTES = 256, OPT_ITERATIONS, OPT_SEED };

struct make_options {
    tl_pattern pattern;
    const char *out;
    char *parameters;       /* of a program: "N=1000,P=2" */
    const char *of_pattern; /* an option that only patterns have; NULL: none was given */
    int has_seed;
};

static const struct argp_option option_table[] = {
    {"ranks", 'n', "N", 0, "number of ranks", 0},
    {"bytes", OPT_BYTES, "N", 0, "bytes of each message (default: 8)", 0},
    {"iterations", OPT_ITERATIONS, "N", 0, "iterations of the pattern (default: 1)", 0},
    {"seed", OPT_SEED, "N", 0, "seed of the pattern random (default: 1)", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {0}};

/* "hpl" followed by parameters, "hpl:" with all of them, or a skeleton. */
static int is_program(const struct make_options *o)
{
    return o->pattern.name && (!strcmp(o->pattern.name, "hpl") || tl_is_program(o->pattern.name));
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

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct make_options *o = state->input;
    tl_pattern *p = &o->pattern;
    switch (key) {
    case 'n':
        o->of_pattern = "--ranks";
        p->n_ranks = (uint32_t)cli_parse_number_from(state, "--ranks", arg, 1, INT32_MAX);
        return 0;
    case OPT_BYTES:
        o->of_pattern = "--bytes";
        p->bytes = (int64_t)cli_parse_number(state, "--bytes", arg, INT32_MAX);
        return 0;
    case OPT_ITERATIONS:
        o->of_pattern = "--iterations";
        p->n_iterations = cli_parse_number_from(state, "--iterations", arg, 1, UINT32_MAX);
        return 0;
    case OPT_SEED:
        o->of_pattern = "--seed";
        o->has_seed = 1;
        p->seed = cli_parse_number(state, "--seed", arg, UINT64_MAX);
        return 0;
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_SUCCESS:
        if (is_program(o) && o->of_pattern)
            argp_error(state, "%s is for patterns; write %s", o->of_pattern,
                       !strcmp(o->pattern.name, "hpl") || !strncmp(o->pattern.name, "hpl:", 4)
                           ? "RANKS=N, or another parameter of HPL"
                           : "ranks=N, or another parameter of the skeleton");
        if (!is_program(o) && o->has_seed && p->name && strcmp(p->name, "random") != 0)
            argp_error(state, "--seed is for the pattern 'random'; '%s' draws nothing", p->name);
        if (!o->out || (!p->n_ranks && !is_program(o)))
            argp_error(state, is_program(o) ? "give -o FILE" : "give --ranks N and -o FILE");
        return 0;
    case ARGP_KEY_ARG:
        if (is_program(o) && strchr(arg, '=')) {
            add_parameter(state, o, arg);
            return 0;
        }
        /* fall through */
    default: return cli_argument(key, arg, state, "pattern", &p->name);
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

static int make_program(struct make_options *o)
{
    tl_error err;
    tl_reader *reader = NULL;
    char *text = NULL;
    const int is_hpl = !strcmp(o->pattern.name, "hpl");
    if (asprintf(&text, "%s%s%s", o->pattern.name,
                 is_hpl          ? ":"
                 : o->parameters ? ","
                                 : "",
                 o->parameters ? o->parameters : "") < 0)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    tl_status status = tl_reader_open(text, &reader, &err);
    if (status == TL_OK)
        status = tl_program_write(reader, o->out, &err);
    tl_reader_close(reader);
    free(text);
    free(o->parameters);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}

int cmd_make(int argc, char **argv)
{
    struct make_options o = {.pattern = {.bytes = 8, .n_iterations = 1, .seed = 1}};
    struct argp argp = {option_table,
                        parse,
                        "PATTERN\nhpl KEY=VALUE...\nSKELETON [NAME=NUMBER...]",
                        "Write the trace of a communication pattern, of HPL, or of a skeleton.\v",
                        NULL,
                        help_filter,
                        NULL};
    cli_parse(&argp, argc, argv, 0, &o);
    const int code = cli_check_output(o.out);
    if (code)
        return code;
    tl_error err;
    if (is_program(&o))
        return make_program(&o);
    return tl_pattern_write(&o.pattern, o.out, &err) ? cli_fail(&err) : CLI_OK;
}
