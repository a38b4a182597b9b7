/* pack.c - timeless pack: writes a trace again, as small as possible. */
#include "cli.h"
#include "progress.h"
#include "record/record.h"

#include <stdio.h>
#include <string.h>

enum { OPTION_PRECISION = 256 };

struct pack_options {
    const char *path, *out, *precision;
    record_packing packing;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write; may be TRACE itself", 0},
    {"volume-precision", OPTION_PRECISION, "HOW", 0,
     "lossless (default); a fraction such as 1e-3, by which volumes and clocks may change; or "
     "statistical: keep the volumes of some iterations",
     0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct pack_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case OPTION_PRECISION:
        o->precision = arg;
        o->packing.volume_precision = cli_parse_precision(state, arg, &o->packing.statistical);
        return 0;
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
    cli_parse(option_table, parse_option, NULL, "TRACE",
              "Write a trace again, as small as it gets.", argc, argv, &o);
    tl_reader *r;
    int code = cli_open_for(o.path, o.out, &r);
    if (code)
        return code;
    tl_error err;
    char origin[1024];
    const bool is_lossy = o.packing.volume_precision > 0 || o.packing.statistical;
    tl_status status = TL_OK;
    if (is_lossy)
        status = cli_origin(r, "pack --volume-precision", o.precision, origin, sizeof origin, &err);
    cli_progress_expect(r, -1, 0, UINT64_MAX);
    if (!status)
        status = record_pack_to(r, &o.packing, is_lossy ? origin : NULL, o.out, &err);
    if (status)
        code = cli_fail(&err);
    tl_reader_close(r);
    return code;
}
