#include "cli.h"

#include <errno.h>
#include <replayer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_RANKS_PER_HOST = 256,
    OPT_HOSTFILE,
    OPT_SELECTOR,
    OPT_CFG,
    OPT_MODEL,
    OPT_NO_COMPUTE,
    OPT_ALLOW_OPAQUE,
    OPT_JSON,
    OPT_ENGINE,
    OPT_PROGRESS
};

typedef struct arguments {
    const char *trace, *platform, *engine, *json_path;
    int json, quiet;
    tlr_options options;
    const char **cfg;
} arguments;

static const struct argp_option options[] = {
    {"platform", 'p', "NAME", 0, "platform folder, or the name of an installed one (required)", 0},
    {"ranks-per-host", OPT_RANKS_PER_HOST, "N", 0,
     "ranks on each host (default: as many as it has cores)", 0},
    {"hostfile", OPT_HOSTFILE, "FILE", 0, "hosts in this order: 'name' or 'name:slots' a line", 0},
    {"coll-selector", OPT_SELECTOR, "NAME", 0,
     "which MPI's collective algorithms: default, ompi, mpich, mvapich2, impi", 0},
    {"cfg", OPT_CFG, "KEY:VALUE", 0, "further SimGrid option (may be repeated)", 0},
    {"model", OPT_MODEL, "FILE", 0, "compute model in place of the platform's", 0},
    {"no-compute", OPT_NO_COMPUTE, NULL, 0, "bursts and kernels take no time", 0},
    {"allow-opaque", OPT_ALLOW_OPAQUE, NULL, 0, "calls that are not modelled take no time", 0},
    {"engine", OPT_ENGINE, "NAME", 0, "smpi (default)", 0},
    {"json", OPT_JSON, "FILE", OPTION_ARG_OPTIONAL, "write JSON to FILE, or in place of the text",
     0},
    {"progress", OPT_PROGRESS, NULL, 0, "tell on standard error how far the replay is", 0},
    {"quiet", 'q', NULL, 0, "print the makespan in seconds only", 0},
    {0}};

static const char *known_selector(struct argp_state *state, const char *name)
{
    static const char *const names[] = {"default", "ompi", "mpich", "mvapich2", "impi"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return name;
    argp_error(state, "--coll-selector '%s': give default, ompi, mpich, mvapich2 or impi", name);
    return NULL;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'p': a->platform = value; break;
    case 'q': a->quiet = 1; break;
    case OPT_RANKS_PER_HOST:
        a->options.ranks_per_host =
            (unsigned)cli_parse_number(state, "--ranks-per-host", value, 1000000);
        if (!a->options.ranks_per_host)
            argp_error(state, "--ranks-per-host '%s': give at least 1", value);
        break;
    case OPT_HOSTFILE: a->options.hostfile = value; break;
    case OPT_SELECTOR: a->options.coll_selector = known_selector(state, value); break;
    case OPT_CFG:
        if (!strchr(value, ':') || value[0] == ':')
            argp_error(state, "--cfg '%s': write KEY:VALUE", value);
        a->cfg[a->options.n_cfg++] = value;
        break;
    case OPT_MODEL: a->options.model_path = value; break;
    case OPT_NO_COMPUTE: a->options.no_compute = 1; break;
    case OPT_ALLOW_OPAQUE: a->options.allow_opaque = 1; break;
    case OPT_ENGINE: a->engine = value; break;
    case OPT_JSON:
        a->json = 1;
        a->json_path = value;
        break;
    case OPT_PROGRESS: a->options.progress = 1; break;
    case ARGP_KEY_ARG:
        if (a->trace)
            argp_error(state, "'%s': one trace at a time%s", value,
                       a->json && !a->json_path ? "; a file for JSON is given as --json=FILE" : "");
        a->trace = value;
        break;
    case ARGP_KEY_END:
        if (!a->trace)
            argp_error(state, "which trace?");
        if (!a->platform)
            argp_error(state, "which platform?  give --platform NAME");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp argp = {
    options, parse, "TRACE --platform NAME", "Predict how long a trace takes on a platform.", NULL,
    NULL,    NULL};

static int show(const arguments *a, const tlr_prediction *prediction)
{
    tl_error err;
    if (a->json) {
        FILE *out = a->json_path ? fopen(a->json_path, "w") : stdout;
        if (!out)
            return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path",
                                 a->json_path, strerror(errno));
        tl_status status = tlr_prediction_write_json(prediction, out, &err);
        if (a->json_path && fclose(out) != 0 && status == TL_OK)
            return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be written: %s", a->json_path,
                                 strerror(errno));
        if (status != TL_OK)
            return cli_fail(&err);
        if (!a->json_path)
            return CLI_OK;
    }
    if (a->quiet)
        printf("%.17g\n", prediction->makespan_s);
    else
        tlr_prediction_print(prediction, stdout);
    return CLI_OK;
}

int cmd_replay(int argc, char **argv)
{
    arguments a = {.cfg = calloc((size_t)argc + 1, sizeof *a.cfg)};
    if (!a.cfg)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    a.options.cfg = a.cfg;
    argp_parse(&argp, argc, argv, 0, NULL, &a);

    int code = CLI_OK;
    tl_error err;
    tl_reader *trace = NULL;
    tlr_platform *platform = NULL;
    tlr_prediction *prediction = NULL;
    if (tl_reader_open(a.trace, &trace, &err) != TL_OK ||
        tlr_platform_load(a.platform, &platform, &err) != TL_OK ||
        tlr_replay(trace, platform, a.engine, &a.options, &prediction, &err) != TL_OK)
        code = cli_fail(&err);
    else
        code = show(&a, prediction);
    tlr_prediction_free(prediction);
    tlr_platform_free(platform);
    tl_reader_close(trace);
    free(a.cfg);
    return code;
}
