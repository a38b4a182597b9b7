/* extrapolate.c - timeless extrapolate: the trace of a program on a grid, with more ranks. */
#include "cli.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPT_GRID = 256, OPT_NEW_GRID };

struct extrapolate_options {
    const char *path, *out;
    tl_extrapolate_options how;
    int quiet;
};

static const struct argp_option option_table[] = {
    {"ranks", 'n', "N", 0, "number of ranks of the new trace", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"grid", OPT_GRID, "SIZES", 0,
     "the grid of the trace's ranks, as in 4x4 or, where it is periodic, 4px4p; slowest dimension "
     "first (default: what partners and communicators show)",
     0},
    {"new-grid", OPT_NEW_GRID, "SIZES", 0,
     "that of the new ones (default: what MPI_Dims_create makes of N)", 0},
    {"quiet", 'q', NULL, 0, "do not say how it was done", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct extrapolate_options *o = state->input;
    switch (key) {
    case 'n':
        o->how.n_ranks = (uint32_t)cli_parse_number_from(state, "--ranks", arg, 1, 1 << 24);
        return 0;
    case 'o': o->out = arg; return 0;
    case 'q': o->quiet = 1; return 0;
    case OPT_GRID: o->how.grid = arg; return 0;
    case OPT_NEW_GRID: o->how.new_grid = arg; return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || (!o->how.n_ranks && !o->how.new_grid))
            argp_error(state, "give --ranks N and -o FILE");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

static void say(const tl_extrapolation *done)
{
    printf("grid %s to %s\n", done->grid, done->new_grid);
    if (done->merged)
        puts("inner ranks are put together of outer ones: the recorded grid has two ranks along a "
             "dimension; three or more leave nothing to that rule");
    if (done->n_ordered)
        printf("%" PRIu64 " times, no rank shows which of two calls comes first: by call site\n",
               done->n_ordered);
    if (done->folded)
        puts("along a periodic dimension with two ranks or one, directions are by the order of "
             "the receives");
}

int cmd_extrapolate(int argc, char **argv)
{
    struct extrapolate_options o = {0};
    struct argp argp = {
        option_table,
        parse,
        "TRACE",
        "Write the trace that a program on a grid of ranks would leave with more of them.",
        NULL,
        NULL,
        NULL};
    argp_parse(&argp, argc, argv, 0, NULL, &o);
    tl_reader *r;
    int code = cli_check_output(o.out);
    if (!code)
        code = cli_open_trace(o.path, &r);
    if (code)
        return code;
    tl_error err;
    tl_extrapolation done;
    const tl_status status = tl_extrapolate(r, &o.how, o.out, &done, &err);
    tl_reader_close(r);
    if (status)
        return cli_fail(&err);
    if (!o.quiet)
        say(&done);
    return CLI_OK;
}
