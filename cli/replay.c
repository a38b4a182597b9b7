/* replay.c - timeless replay: predicts how long traces take on a platform; its options. */
#include "config.h"

#include "replay.h"

#include "cli.h"

#include <machine/noise.h>
#include <math.h>
#include <replayer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum {
    OPT_RANKS_PER_HOST = 256,
    OPT_RANKS,
    OPT_HOSTFILE,
    OPT_SELECTOR,
    OPT_CFG,
    OPT_MODEL,
    OPT_NO_COMPUTE,
    OPT_MODEL_STRICT,
    OPT_ALLOW_OPAQUE,
    OPT_JSON,
    OPT_ENGINE,
    OPT_PROGRESS,
    OPT_COLL,
    OPT_SET,
    OPT_SCALE,
    OPT_HOST_SPEED,
    OPT_ROUND_ROBIN,
    OPT_PARAMS,
    OPT_IO_BANDWIDTH,
    OPT_WILDCARDS,
    OPT_POLLS,
    OPT_NOISE,
    OPT_SEED,
    OPT_SEEDS,
    OPT_SAMPLE,
    OPT_CLUSTER_SEED,
    OPT_TIMELINE,
    OPT_DETAILS,
    OPT_REGIONS_AT,
    OPT_LINKS,
    OPT_ENERGY,
    OPT_THREADS,
    OPT_RANK_THREADS,
    OPT_ORDER
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Platform and placement of the ranks:", 1},
    {"ranks", OPT_RANKS, "N", 0, "number of ranks of a skeleton", 0},
    {"platform", 'p', "NAME", 0, "platform folder, or name of an installed one", 0},
    {"ranks-per-host", OPT_RANKS_PER_HOST, "N", 0, "ranks on each host (default: its cores)", 0},
    {"hostfile", OPT_HOSTFILE, "FILE", 0, "hosts in order, one a line, or a rank file", 0},
    {"rank-threads", OPT_RANK_THREADS, "N", 0, "threads of OpenMP (default: as recorded)", 0},
    {"round-robin", OPT_ROUND_ROBIN, NULL, 0, "one rank on each host in turn", 0},
    {"set", OPT_SET, "CHANGE", 0, "link.bandwidth=10Gbps, ...; a parameter: N=10", 0},
    {"scale", OPT_SCALE, "WHAT=FACTOR", 0, "network=4: 4 times as fast; hosts, kernels, ...", 0},
    {"host-speed", OPT_HOST_SPEED, "SPEED", 0, "speed of all hosts: 2x, 3Gf", 0},
    {"model", OPT_MODEL, "FILE", 0, "compute model instead of the platform's", 0},
    {"io-bandwidth", OPT_IO_BANDWIDTH, "BANDWIDTH", 0, "of files, for each rank (500MBps)", 0},
    {"cfg", OPT_CFG, "KEY:VALUE", 0, "another option of SimGrid", 0},

    {0, 0, 0, 0, "Collectives, messages, computation:", 2},
    {"coll-selector", OPT_SELECTOR, "NAME", 0, "ompi-4.1, mpich, ..., default; else as recorded",
     0},
    {"coll", OPT_COLL, "CALL=ALGORITHM", 0, "algorithm of one collective: allreduce=rdb", 0},
    {"polls", OPT_POLLS, "HOW", 0, "probes succeed as recorded, or adaptive", 0},
    {"wildcards", OPT_WILDCARDS, "HOW", 0, "any source: as recorded, or first to arrive", 0},
    {"no-compute", OPT_NO_COMPUTE, NULL, 0, "computation takes no time", 0},
    {"model-strict", OPT_MODEL_STRICT, NULL, 0, "refuse kernels without a line in the model", 0},
    {"allow-opaque", OPT_ALLOW_OPAQUE, NULL, 0, "calls that are not modelled take no time", 0},

    {0, 0, 0, 0, "Noise, and the LogGOPS engine:", 3},
    {"noise", OPT_NOISE, "NOISE", 0, "detours: 1kHz:100us, or a file; network: man page", 0},
    {"seed", OPT_SEED, "N", 0, "seed of everything that is drawn (default: 1)", 0},
    {"seeds", OPT_SEEDS, "N", 0, "replay with N seeds; print the range", 0},
    {"sample", OPT_SAMPLE, "ERROR", OPTION_ARG_OPTIONAL,
     "replay parts of a run; more until ERROR (1%)", 0},
    {"cluster-seed", OPT_CLUSTER_SEED, "N", OPTION_HIDDEN, "draw the hosts from N, for all seeds",
     0},
    {"engine", OPT_ENGINE, "NAME", 0, "smpi (default) or loggops", 0},
    {"params", OPT_PARAMS, "L=TIME,...", 0, "loggops: L=5us,o=2us,g=2us,G=2.5ns,O=1ns", 0},
    {"order", OPT_ORDER, "ORDER", OPTION_HIDDEN, "GOAL: possible (default), or loggopsim", 0},
    {"threads", OPT_THREADS, "N", 0, "loggops: simulate on N cores (default: 1)", 0},

    {0, 0, 0, 0, "Output:", 4},
    CLI_JSON_OPTION(OPT_JSON),
    {"timeline", OPT_TIMELINE, "FILE", 0, "states: .svg .pdf .png .csv .json .paje .prv", 0},
    {"details", OPT_DETAILS, "RANKS", OPTION_ARG_OPTIONAL,
     "waits, critical path, sums (of RANKS@FROM:TO)", 0},
    {"regions-at", OPT_REGIONS_AT, "FUNCTION", 0, "details: this function is a region", 0},
    {"links", OPT_LINKS, NULL, 0, "bytes and use of the links", 0},
    {"energy", OPT_ENERGY, "PRICE", OPTION_ARG_OPTIONAL, "energy; cost: 0.3/kWh,2/host-hour", 0},
    {"progress", OPT_PROGRESS, NULL, 0, "report progress on standard error", 0},
    {"quiet", 'q', NULL, 0, "print only the makespan, in seconds", 0},
    {0}};

/* Detours, the noise of messages ("network"), or both ("1kHz:100us,network"). */
static void set_noise(replay_arguments *a, const char *text)
{
    a->options.noise = strcmp(text, TLR_NETWORK_NOISE) != 0 ? text : NULL;
    a->options.network_noise = !a->options.noise || tlr_noise_has_network(text);
}

static const char *known_selector(struct argp_state *state, const char *name)
{
    static const char *const names[] = {"default", "ompi",     "ompi-4.1", "ompi-5.0",
                                        "mpich",   "mvapich2", "impi",     "recorded"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return name;
    argp_error(
        state,
        "--coll-selector '%s': give default, ompi, ompi-4.1, ompi-5.0, mpich, mvapich2, impi or "
        "recorded",
        name);
    return NULL;
}

static void add_option(struct argp_state *state, replay_arguments *a, char *option)
{
    if (!option)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    a->cfg[a->options.n_cfg++] = option;
}

/* SimGrid lists the algorithms, but not the collectives. */
static void choose_algorithm(struct argp_state *state, replay_arguments *a, const char *choice)
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
    argp_error(
        state,
        "--coll '%s': write COLLECTIVE=ALGORITHM; the collectives are allgather, allgatherv, "
        "allreduce, alltoall, alltoallv, barrier, bcast, gather, reduce, reduce_scatter, "
        "scatter",
        choice);
}

static void add_change(struct argp_state *state, replay_arguments *a, const char *option,
                       const char *quantity, const char *value)
{
    tl_error err;
    char change[512];
    snprintf(change, sizeof change, "%s%s", quantity, value);
    if (tlr_change_parse(change, &a->changes[a->options.n_changes++], &err) != TL_OK)
        argp_error(state, "%s: %s", option, err.text);
}

/* ",NAME=VALUE" for the programs among the traces. */
static void add_parameter(struct argp_state *state, replay_arguments *a, const char *text)
{
    char *longer = NULL;
    if (asprintf(&longer, "%s,%s", a->parameters ? a->parameters : "", text) < 0)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    free(a->parameters);
    a->parameters = longer;
}

/* Quantities of a platform have a point in their names, parameters of a program do not. */
static void set(struct argp_state *state, replay_arguments *a, const char *text)
{
    const size_t name = strcspn(text, "=");
    if (text[name] && name && !memchr(text, '.', name) && !memchr(text, ':', name) &&
        !strchr(text, ','))
        add_parameter(state, a, text);
    else
        add_change(state, a, "--set", "", text);
}

static void set_ranks(struct argp_state *state, replay_arguments *a, const char *value)
{
    char text[64];
    snprintf(text, sizeof text, "ranks=%d",
             (int)cli_parse_number_from(state, "--ranks", value, 1, INT32_MAX));
    add_parameter(state, a, text);
}

/* Only a program has parameters. */
static void pass_parameters(struct argp_state *state, replay_arguments *a)
{
    for (size_t j = 0; j < a->n_jobs && a->parameters; j++) {
        const int is_program = tl_is_program(a->traces[j]);
        if (!is_program && access(a->traces[j], F_OK) != 0)
            continue; /* opening it gives the reason */
        if (!is_program && !strncmp(a->parameters, ",ranks=", 7))
            argp_error(state,
                       "%s is a trace with the ranks of its run; leave out --ranks, or give it "
                       "to a skeleton or hpl:N=...",
                       a->traces[j]);
        if (!is_program)
            argp_error(state,
                       "%s is a trace, and '%s' is not a change of a platform; give parameters to "
                       "a skeleton, or write link.bandwidth=VALUE, link.latency=VALUE or "
                       "host.speed=VALUE",
                       a->traces[j], a->parameters + 1);
        if (asprintf(&a->programs[j], "%s%s", a->traces[j], a->parameters) < 0)
            argp_failure(state, CLI_SYSTEM, 0, "out of memory");
        a->traces[j] = a->programs[j];
    }
}

static void set_io_bandwidth(struct argp_state *state, replay_arguments *a, const char *value)
{
    char text[128];
    tl_error err;
    tlr_change change;
    snprintf(text, sizeof text, "link.bandwidth=%s", value);
    if (tlr_change_parse(text, &change, &err) != TL_OK || change.is_factor)
        argp_error(state, "--io-bandwidth '%s': give a bandwidth, as 500MBps", value);
    a->options.io_bandwidth = change.value;
}

static void set_timeline(struct argp_state *state, replay_arguments *a, const char *path)
{
    tl_error err;
    if (tlr_timeline_format_of(path, &a->timeline_format, &err) != TL_OK)
        argp_error(state, "--timeline %s", err.text);
    a->timeline_path = path;
}

/* "--scale network 0.1", "--scale network=0.1", "--scale 'network 0.1'" */
static void add_scale(struct argp_state *state, replay_arguments *a, char *what)
{
    tl_error err;
    size_t n = 0;
    char *factor = strpbrk(what, "= ");
    if (factor)
        *factor++ = '\0';
    else if (state->next < state->argc)
        factor = state->argv[state->next++];
    if (tlr_change_scale(what, factor ? factor : "", &a->changes[a->options.n_changes], &n, &err) !=
        TL_OK)
        argp_error(state, "--scale: %s", err.text);
    a->options.n_changes += n;
}

/* A report compares platforms, and the commands that replay many points (take) may override the
 * platform of all points. A single replay has one: the last, so that scripts can have a default. */
static void set_platform(replay_arguments *a, const char *name)
{
    if (a->platform && !a->keep && !a->take && strcmp(a->platform, name) != 0)
        fprintf(stderr,
                "timeless: warning: --platform '%s' is not used, because '%s' follows; 'timeless "
                "report' compares several\n",
                a->platform, name);
    a->platform = name;
}

/* "1%", "0.5%" */
static int read_error(const char *value, double *error)
{
    char *rest;
    const double percent = strtod(value, &rest);
    *error = percent / 100;
    return rest != value && !strcmp(rest, "%") && percent > 0 && percent < 100;
}

static double parse_error(struct argp_state *state, const char *value)
{
    double error = 0;
    if (!read_error(value, &error))
        argp_error(state, "--sample '%s': give the error in per cent, as 1%%", value);
    return error;
}

/* "--sample 1%", beside "--sample=1%" and "--sample" */
static double next_error(struct argp_state *state)
{
    double error = 0;
    if (state->next < state->argc && read_error(state->argv[state->next], &error)) {
        state->next++;
        return error;
    }
    return 0;
}

/* "TRACE" or "TRACE@START". If a file with the whole name exists, it is that file. */
static void add_job(struct argp_state *state, replay_arguments *a, char *value)
{
    tlr_job *job = &a->jobs[a->n_jobs];
    char *at = strrchr(value, '@');
    if (at && access(value, F_OK) != 0) {
        char *rest;
        job->start_s = strtod(at + 1, &rest);
        if (rest == at + 1 || (*rest && strcmp(rest, "s") != 0) || !(job->start_s >= 0) ||
            !isfinite(job->start_s))
            argp_error(state, "'%s': give the start in seconds, as TRACE@10", value);
        *at = '\0';
    }
    if (a->n_jobs && !cli_json_leaves_text(&a->json) && access(value, F_OK) != 0)
        argp_error(state, "'%s': no such trace; write --json=FILE for a JSON file", value);
    a->traces[a->n_jobs++] = value;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    replay_arguments *a = state->input;
    switch (key) {
    case 'p': set_platform(a, value); break;
    case 'q': a->quiet = 1; break;
    case OPT_RANKS_PER_HOST:
        a->options.ranks_per_host =
            (unsigned)cli_parse_number_from(state, "--ranks-per-host", value, 1, 1000000);
        break;
    case OPT_HOSTFILE: a->hostfiles[a->n_hostfiles++] = value; break;
    case OPT_ROUND_ROBIN: a->options.round_robin = 1; break;
    case OPT_SELECTOR: a->options.coll_selector = known_selector(state, value); break;
    case OPT_COLL: choose_algorithm(state, a, value); break;
    case OPT_SET: set(state, a, value); break;
    case OPT_RANKS: set_ranks(state, a, value); break;
    case OPT_SCALE: add_scale(state, a, value); break;
    case OPT_HOST_SPEED: add_change(state, a, "--host-speed", "host.speed=", value); break;
    case OPT_RANK_THREADS: add_change(state, a, "--rank-threads", "rank.threads=", value); break;
    case OPT_IO_BANDWIDTH: set_io_bandwidth(state, a, value); break;
    case OPT_POLLS:
        if (strcmp(value, "adaptive") != 0 && strcmp(value, "recorded") != 0)
            argp_error(state, "--polls '%s': give recorded or adaptive", value);
        a->options.polls_adaptive = !strcmp(value, "adaptive");
        break;
    case OPT_WILDCARDS:
        if (strcmp(value, "first") != 0 && strcmp(value, "recorded") != 0)
            argp_error(state, "--wildcards '%s': give recorded or first", value);
        a->options.wildcards_first = !strcmp(value, "first");
        break;
    case OPT_ORDER:
        if (strcmp(value, "possible") != 0 && strcmp(value, "loggopsim") != 0)
            argp_error(state, "--order '%s': give possible or loggopsim", value);
        a->options.order_loggopsim = !strcmp(value, "loggopsim");
        break;
    case OPT_CFG:
        if (!strchr(value, ':') || value[0] == ':')
            argp_error(state, "--cfg '%s': write KEY:VALUE", value);
        add_option(state, a, strdup(value));
        break;
    case OPT_MODEL: a->options.model_path = value; break;
    case OPT_NO_COMPUTE: a->options.no_compute = 1; break;
    case OPT_MODEL_STRICT: a->options.model_strict = 1; break;
    case OPT_ALLOW_OPAQUE: a->options.allow_opaque = 1; break;
    case OPT_ENGINE: a->engine = value; break;
    case OPT_NOISE: set_noise(a, value); break;
    case OPT_SEED: a->options.seed = cli_parse_number(state, "--seed", value, INT64_MAX); break;
    case OPT_SEEDS:
        a->options.n_seeds = (unsigned)cli_parse_number_from(state, "--seeds", value, 1, 1000000);
        break;
    case OPT_SAMPLE:
        a->options.sampled = 1;
        a->options.sample_error = value ? parse_error(state, value) : next_error(state);
        break;
    case OPT_CLUSTER_SEED:
        a->options.cluster_seed =
            cli_parse_number_from(state, "--cluster-seed", value, 1, INT64_MAX);
        break;
    case OPT_THREADS:
        a->options.n_threads = (unsigned)cli_parse_number_from(state, "--threads", value, 1, 1024);
        break;
    case OPT_PARAMS: a->options.loggops_params = value; break;
    case OPT_JSON: a->json = (cli_json){1, value}; break;
    case OPT_TIMELINE: set_timeline(state, a, value); break;
    case OPT_DETAILS:
        a->details = 1;
        a->chosen = value;
        break;
    case OPT_REGIONS_AT:
        a->regions_at[a->n_regions_at++] = value;
        a->details = 1;
        break;
    case OPT_LINKS: a->links = 1; break;
    case OPT_ENERGY: a->energy = 1, a->price = value ? value : a->price; break;
    case OPT_PROGRESS: a->options.progress = 1; break;
    case ARGP_KEY_ARG:
        if (!replay_add_instances(state, a, value))
            add_job(state, a, value);
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "the trace is missing"); break;
    case ARGP_KEY_SUCCESS:
        pass_parameters(state, a);
        if (a->keep && a->n_jobs > 1)
            argp_error(state, "a report needs a single trace");
        if (a->chosen && (!a->engine || strcmp(a->engine, "loggops") != 0))
            argp_error(state,
                       "--details=%s: only the engine loggops keeps some ranks; give --engine "
                       "loggops, or --details alone",
                       a->chosen);
        if ((a->links || a->energy) && a->n_jobs > 1)
            argp_error(state, "--links and --energy need a single trace");
        if (a->n_hostfiles > 1 && a->n_hostfiles != a->n_jobs)
            argp_error(state, "%zu host files for %zu traces; give one for all, or one for each",
                       a->n_hostfiles, a->n_jobs);
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

const struct argp replay_argp = {
    options,
    parse,
    "TRACE[@START]... --platform NAME\nTRACE --engine loggops [--params L=...]",
    "Predict how long a trace takes on a platform.  TRACE@START begins at START s.\v'man "
    "timeless-replay' describes every option.",
    NULL,
    NULL,
    NULL};

int replay_begin(replay_arguments *a, int argc)
{
    const size_t n = (size_t)argc + 1;
    a->options.seed = 1;
    a->cfg = calloc(n, sizeof *a->cfg);
    a->changes = calloc(2 * n, sizeof *a->changes);
    a->traces = calloc(n, sizeof *a->traces);
    a->programs = calloc(n, sizeof *a->programs);
    a->hostfiles = calloc(n, sizeof *a->hostfiles);
    a->jobs = calloc(n, sizeof *a->jobs);
    a->regions_at = calloc(n, sizeof *a->regions_at);
    if (!a->cfg || !a->changes || !a->traces || !a->programs || !a->hostfiles || !a->jobs ||
        !a->regions_at)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    a->options.cfg = (const char *const *)a->cfg;
    a->options.changes = a->changes;
    return CLI_OK;
}

void replay_end(replay_arguments *a)
{
    for (size_t i = 0; i < a->options.n_cfg; i++)
        free(a->cfg[i]);
    free(a->cfg);
    free(a->changes);
    free(a->traces);
    cli_free_instances(a->instances, a->n_instances);
    for (size_t j = 0; a->programs && j < a->n_jobs; j++)
        free(a->programs[j]);
    free(a->programs);
    free(a->parameters);
    free(a->hostfiles);
    free(a->jobs);
    free(a->regions_at);
}

static int parse_and_replay(int argc, char **argv, int with_energy, replay_taker *take,
                            void *take_arg)
{
    replay_arguments a = {.take = take, .take_arg = take_arg, .takes_energy = with_energy};
    int code = replay_begin(&a, argc);
    if (code == CLI_OK) {
        cli_parse(&replay_argp, argc, argv, 0, &a);
        code = replay_run(&a);
    }
    replay_end(&a);
    return code;
}

int cmd_replay(int argc, char **argv)
{
    return parse_and_replay(argc, argv, 0, NULL, NULL);
}

int replay_and_take(int argc, char **argv, int with_energy, replay_taker *take, void *arg)
{
    return parse_and_replay(argc, argv, with_energy, take, arg);
}
