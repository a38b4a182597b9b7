/* import.c - timeless import: a trace from another format. */
#include "cli.h"

#include <string.h>

struct import_options {
    const char *path, *out, *from;
};

static const struct argp_option option_table[] = {
    {"from", 'f', "FORMAT", 0, "simgrid", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct import_options *o = state->input;
    switch (key) {
    case 'f':
        if (strcmp(arg, "simgrid") != 0)
            argp_error(state, "format '%s': give simgrid", arg);
        o->from = arg;
        return 0;
    case 'o': o->out = arg; return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || !o->from)
            argp_error(state, "give --from FORMAT and -o FILE");
        return 0;
    default: return cli_argument(key, arg, state, "list", &o->path);
    }
}

int cmd_import(int argc, char **argv)
{
    struct import_options o = {0};
    struct argp argp = {option_table, parse, "LIST", "Make a trace of one in another format.",
                        NULL,         NULL,  NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    tl_error err;
    return tl_import_simgrid(o.path, o.out, &err) ? cli_fail(&err) : CLI_OK;
}
