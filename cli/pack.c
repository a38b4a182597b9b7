/* pack.c - timeless pack: write a trace again, as small as it gets. */
#include "cli.h"

struct pack_options {
    const char *path, *out;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write; may be TRACE itself", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct pack_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out)
            argp_error(state, "where to? give -o FILE");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

int cmd_pack(int argc, char **argv)
{
    struct pack_options o = {0};
    struct argp argp = {option_table, parse, "TRACE", "Write a trace again, as small as it gets.",
                        NULL,         NULL,  NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    tl_reader *r;
    int code = cli_open_trace(o.path, &r);
    if (code)
        return code;
    tl_error err;
    if (tl_pack(r, o.out, &err))
        code = cli_fail(&err);
    tl_reader_close(r);
    return code;
}
