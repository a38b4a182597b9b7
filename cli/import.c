/* import.c - timeless import: a trace from another format. */
#include "config.h"

#include "cli.h"

#include "exchange/import_otf2.h"
#include "timeless_files.h"

#include <string.h>

enum { OPTION_VOLUME = 256, OPTION_RATE, OPTION_CALL_TIMES };

struct import_options {
    const char *path, *out, *from;
    tl_dumpi_options dumpi;
};

static const struct argp_option option_table[] = {
    {"from", 'f', "FORMAT", 0, "simgrid, dumpi, otf2, liballprof or goal", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},

    {0, 0, 0, 0, "DUMPI, OTF2 and liballprof only:", 1},
    {"volume", OPTION_VOLUME, "WHAT", 0,
     "take volumes from cpu (time), wall (time), none, or a counter's label (default: the first of "
     "these that the trace has; OTF2 and liballprof have no CPU time)",
     0},
    {"rate", OPTION_RATE, "X", 0, "units of volume for one nanosecond or count (default: 1)", 0},
    {"call-times", OPTION_CALL_TIMES, NULL, 0, "keep how long each call took", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct import_options *o = state->input;
    switch (key) {
    case 'f':
        if (strcmp(arg, "simgrid") != 0 && strcmp(arg, "dumpi") != 0 && strcmp(arg, "otf2") != 0 &&
            strcmp(arg, "liballprof") != 0 && strcmp(arg, "goal") != 0)
            argp_error(state, "format '%s': give simgrid, dumpi, otf2, liballprof or goal", arg);
        o->from = arg;
        return 0;
    case 'o': o->out = arg; return 0;
    case OPTION_VOLUME: o->dumpi.volume = arg; return 0;
    case OPTION_CALL_TIMES: o->dumpi.call_times = 1; return 0;
    case OPTION_RATE: o->dumpi.rate = cli_parse_rate(state, arg); return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || !o->from)
            argp_error(state, "give --from FORMAT and -o FILE");
        else if (!strchr("dol", *o->from) &&
                 (o->dumpi.volume || o->dumpi.rate > 0 || o->dumpi.call_times))
            argp_error(state,
                       "--volume, --rate and --call-times need --from dumpi, otf2 or liballprof");
        return 0;
    default: return cli_argument(key, arg, state, "file", &o->path);
    }
}

static tl_status read_otf2(const struct import_options *o, tl_error *err)
{
#ifdef HAVE_OTF2
    char facts[TL_OTF2_FACTS];
    const tl_status status = tl_import_otf2(o->path, &o->dumpi, o->out, facts, err);
    if (!status && *facts)
        fprintf(stderr, "timeless: %s: %s\n", tl_printable(o->path), facts);
    return status;
#else
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: this program was built without OTF2; install libopen-trace-format2-dev and "
                   "build it again",
                   o->path);
#endif
}

int cmd_import(int argc, char **argv)
{
    struct import_options o = {0};
    cli_parse(option_table, parse_option, NULL, "FILE", "Make a trace of one in another format.",
              argc, argv, &o);
    tl_error err;
    tl_status status;
    const int code = cli_check_output(o.out);
    if (code)
        return code;
    if (!(o.dumpi.rate > 0))
        o.dumpi.rate = 1;
    switch (*o.from) {
    case 's': status = tl_import_simgrid(o.path, o.out, &err); break;
    case 'd': status = tl_import_dumpi(o.path, &o.dumpi, o.out, &err); break;
    case 'o': status = read_otf2(&o, &err); break;
    case 'l': status = tl_import_liballprof(o.path, &o.dumpi, o.out, &err); break;
    default: status = tl_import_goal(o.path, o.out, &err); break;
    }
    return status ? cli_fail(&err) : CLI_OK;
}
