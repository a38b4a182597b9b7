/* undump.c - timeless undump: makes a trace from its text form. */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct undump_options {
    const char *path, *out;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0}, {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct undump_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out)
            argp_error(state, "where to? give -o FILE");
        return 0;
    default: return cli_argument(key, arg, state, "text", &o->path);
    }
}

int cmd_undump(int argc, char **argv)
{
    struct undump_options o = {0};
    cli_parse(option_table, parse_option, NULL, "TEXT",
              "Make a trace from the text that 'timeless dump' printed.", argc, argv, &o);
    const int code = cli_check_output(o.out);
    if (code)
        return code;
    bool is_stdin = !strcmp(o.path, "-");
    FILE *in = is_stdin ? stdin : fopen(o.path, "r");
    if (!in)
        return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be opened: %s", o.path, strerror(errno));
    tl_error err;
    tl_status status = tl_text_read(in, is_stdin ? "standard input" : o.path, o.out, &err);
    if (!is_stdin)
        fclose(in);
    return status ? cli_fail(&err) : CLI_OK;
}
