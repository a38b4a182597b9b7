#include "config.h"

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
    OPT_PROGRESS,
    OPT_COLL,
    OPT_SET,
    OPT_SCALE,
    OPT_HOST_SPEED
};

typedef struct arguments {
    const char *trace, *platform, *engine, *json_path;
    int json, quiet;
    tlr_options options;
    char **cfg;
    tlr_change *changes;
} arguments;

static const struct argp_option options[] = {
    {"platform", 'p', "NAME", 0, "platform folder, or the name of an installed one (required)", 0},
    {"ranks-per-host", OPT_RANKS_PER_HOST, "N", 0,
     "ranks on each host (default: as many as it has cores)", 0},
    {"hostfile", OPT_HOSTFILE, "FILE", 0, "hosts in this order: 'name' or 'name:slots' a line", 0},
    {"coll-selector", OPT_SELECTOR, "NAME", 0,
     "which MPI's collective algorithms: default, ompi, mpich, mvapich2, impi", 0},
    {"coll", OPT_COLL, "NAME=ALGORITHM", 0,
     "algorithm of one collective, as allreduce=rdb (may be repeated)", 0},
    {"set", OPT_SET, "CHANGE", 0,
     "change the platform: link.bandwidth=10Gbps, link:NAME.latency=2us, host.speed=3Gf; a "
     "factor is written 2x (may be repeated)",
     0},
    {"scale", OPT_SCALE, "WHAT FACTOR", 0,
     "make network, bandwidth, latency or hosts FACTOR times what they are (may be repeated)", 0},
    {"host-speed", OPT_HOST_SPEED, "SPEED", 0, "speed of all hosts: 2x, 3Gf", 0},
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

static void add_option(struct argp_state *state, arguments *a, char *option)
{
    if (!option)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    a->cfg[a->options.n_cfg++] = option;
}

/* SimGrid knows the algorithms; it does not say which collectives there are. */
static void choose_algorithm(struct argp_state *state, arguments *a, const char *choice)
{
    static const char *const names[] = {"allgather", "allgatherv",     "allreduce", "alltoall",
                                        "alltoallv", "barrier",        "bcast",     "gather",
                                        "reduce",    "reduce_scatter", "scatter"};
    const size_t length = strcspn(choice, "=");
    for (size_t i = 0; choice[length] && choice[length + 1] && i < sizeof names / sizeof *names;
         i++)
        if (strlen(names[i]) == length && !strncmp(names[i], choice, length)) {
            char *option = NULL;
            if (asprintf(&option, "smpi/%s:%s", names[i], choice + length + 1) < 0)
                option = NULL;
            add_option(state, a, option);
            return;
        }
    argp_error(state,
               "--coll '%s': write COLLECTIVE=ALGORITHM; there are allgather, allgatherv, "
               "allreduce, alltoall, alltoallv, barrier, bcast, gather, reduce, reduce_scatter, "
               "scatter",
               choice);
}

static void add_change(struct argp_state *state, arguments *a, const char *option,
                       const char *change)
{
    tl_error err;
    if (tlr_change_parse(change, &a->changes[a->options.n_changes++], &err) != TL_OK)
        argp_error(state, "%s: %s", option, err.text);
}

/* "--scale network 0.1", "--scale network=0.1" */
static void add_scale(struct argp_state *state, arguments *a, char *what)
{
    tl_error err;
    size_t n = 0;
    char *factor = strchr(what, '=');
    if (factor)
        *factor++ = '\0';
    else if (state->next < state->argc)
        factor = state->argv[state->next++];
    if (tlr_change_scale(what, factor ? factor : "", &a->changes[a->options.n_changes], &n, &err) !=
        TL_OK)
        argp_error(state, "--scale: %s", err.text);
    a->options.n_changes += n;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'p': a->platform = value; break;
    case 'q': a->quiet = 1; break;
    case OPT_RANKS_PER_HOST:
        a->options.ranks_per_host =
            (unsigned)cli_parse_number_from(state, "--ranks-per-host", value, 1, 1000000);
        break;
    case OPT_HOSTFILE: a->options.hostfile = value; break;
    case OPT_SELECTOR: a->options.coll_selector = known_selector(state, value); break;
    case OPT_COLL: choose_algorithm(state, a, value); break;
    case OPT_SET: add_change(state, a, "--set", value); break;
    case OPT_SCALE: add_scale(state, a, value); break;
    case OPT_HOST_SPEED: {
        char change[128];
        snprintf(change, sizeof change, "host.speed=%s", value);
        add_change(state, a, "--host-speed", change);
        break;
    }
    case OPT_CFG:
        if (!strchr(value, ':') || value[0] == ':')
            argp_error(state, "--cfg '%s': write KEY:VALUE", value);
        add_option(state, a, strdup(value));
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
        if (a->trace && a->json && !a->json_path)
            argp_error(state, "'%s': a file for JSON is given as --json=FILE", value);
        return cli_argument(key, value, state, "trace", &a->trace);
    case ARGP_KEY_SUCCESS:
        if (!a->platform)
            argp_error(state, "which platform?  give --platform NAME");
        break;
    default: return cli_argument(key, value, state, "trace", &a->trace);
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
    arguments a = {.cfg = calloc((size_t)argc + 1, sizeof *a.cfg),
                   .changes = calloc(2 * ((size_t)argc + 1), sizeof *a.changes)};
    if (!a.cfg || !a.changes)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    a.options.cfg = (const char *const *)a.cfg;
    a.options.changes = a.changes;
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
    for (size_t i = 0; i < a.options.n_cfg; i++)
        free(a.cfg[i]);
    free(a.cfg);
    free(a.changes);
    return code;
}
