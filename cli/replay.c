/* replay.c - timeless replay: predicts how long traces take on a platform; its options. */
#include "config.h"

#include "replay.h"

#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPT_JSON = 256, OPT_SCALE, OPT_SAMPLE, OPT_TIMELINE, OPT_DETAILS, OPT_REGIONS_AT };
/* The key of another setting: any number of its own, as its name tells what it sets. */
#define SETTING (1000 + __LINE__)

static const struct argp_option options[] = {
    {0, 0, 0, 0, "Platform and placement of the ranks:", 1},
    {"ranks", SETTING, "N", 0, "number of ranks of a skeleton", 0},
    {"platform", 'p', "NAME", 0, "platform folder, or name of an installed one", 0},
    {"ranks-per-host", SETTING, "N", 0, "ranks on each host (default: its cores)", 0},
    {"hostfile", SETTING, "FILE", 0, "hosts in order, one a line, or a rank file", 0},
    {"rank-threads", SETTING, "N", 0, "threads of OpenMP (default: as recorded)", 0},
    {"round-robin", SETTING, NULL, 0, "one rank on each host in turn", 0},
    {"set", SETTING, "CHANGE", 0, "link.bandwidth=10Gbps, ...; a parameter: N=10", 0},
    {"scale", OPT_SCALE, "WHAT=FACTOR", 0, "network=4: 4 times as fast; hosts, kernels, ...", 0},
    {"host-speed", SETTING, "SPEED", 0, "speed of all hosts: 2x, 3Gf", 0},
    {"model", SETTING, "FILE", 0, "compute model instead of the platform's", 0},
    {"io-bandwidth", SETTING, "BANDWIDTH", 0, "of files, for each rank (500MBps)", 0},
    {"cfg", SETTING, "KEY:VALUE", 0, "another option of SimGrid", 0},

    {0, 0, 0, 0, "Collectives, messages, computation:", 2},
    {"coll-selector", SETTING, "NAME", 0, "ompi-4.1, mpich, ..., default; else as recorded", 0},
    {"coll", SETTING, "CALL=ALGORITHM", 0, "algorithm of one collective: allreduce=rdb", 0},
    {"wildcards", SETTING, "HOW", 0, "any source: as recorded, or first to arrive", 0},
    {"no-compute", SETTING, NULL, 0, "computation takes no time", 0},
    {"model-strict", SETTING, NULL, 0, "refuse kernels without a line in the model", 0},
    {"allow-opaque", SETTING, NULL, 0, "calls that are not modelled take no time", 0},

    {0, 0, 0, 0, "Noise, and the LogGOPS engine:", 3},
    {"noise", SETTING, "NOISE", 0, "detours: 1kHz:100us, or a file; network: man page", 0},
    {"seed", SETTING, "N", 0, "seed of everything that is drawn (default: 1)", 0},
    {"seeds", SETTING, "N", 0, "replay with N seeds; print the range", 0},
    {"sample", OPT_SAMPLE, "ERROR", OPTION_ARG_OPTIONAL,
     "replay parts of a run; more until ERROR (1%)", 0},
    {"cluster-seed", SETTING, "N", OPTION_HIDDEN, "draw the hosts from N, for all seeds", 0},
    {"engine", SETTING, "NAME", 0, "smpi (default) or loggops", 0},
    {"params", SETTING, "L=TIME,...", 0, "loggops: L=5us,o=2us,g=2us,G=2.5ns,O=1ns", 0},
    {"threads", SETTING, "N", 0, "loggops: simulate on N cores (default: 1)", 0},

    {0, 0, 0, 0, "Output:", 4},
    CLI_JSON_OPTION(OPT_JSON),
    {"timeline", OPT_TIMELINE, "FILE", 0, "states: .svg .pdf .png .csv .json .paje .prv", 0},
    {"details", OPT_DETAILS, "RANKS", OPTION_ARG_OPTIONAL,
     "waits, critical path, sums (of RANKS@FROM:TO)", 0},
    {"regions-at", OPT_REGIONS_AT, "FUNCTION", 0, "details: this function is a region", 0},
    {"links", SETTING, NULL, 0, "bytes and use of the links", 0},
    {"energy", SETTING, "PRICE", OPTION_ARG_OPTIONAL, "energy; cost: 0.3/kWh,2/host-hour", 0},
    {"progress", SETTING, NULL, 0, "report progress on standard error", 0},
    {"quiet", 'q', NULL, 0, "print only the makespan, in seconds", 0},
    {0}};

static void set_timeline(struct argp_state *state, replay_arguments *a, const char *path)
{
    tl_error err;
    if (tlr_timeline_format_of(path, &a->timeline_format, &err) != TL_OK)
        argp_error(state, "--timeline %s", err.text);
    a->timeline_path = path;
}

/* A report compares platforms, and the commands that replay many points (take) may override the
 * platform of all points. A single replay has one: the last, so that scripts can have a default. */
static void warn_platform(const replay_arguments *a, const char *name)
{
    const char *before = a->scenario.platform;
    if (before && !a->keep && !a->take && strcmp(before, name) != 0)
        fprintf(stderr,
                "timeless: warning: --platform '%s' is not used, because '%s' follows; 'timeless "
                "report' compares several\n",
                before, name);
}

/* The end of the process, after a message, unless the parser is silent. */
static error_t refuse(struct argp_state *state, const tl_error *err)
{
    if (err->status == TL_ERR_USAGE)
        argp_error(state, "%s", err->text);
    else
        argp_failure(state, CLI_SYSTEM, 0, "%s", err->text);
    return EINVAL;
}

/* "1%" */
static bool is_error(const char *word)
{
    char *rest;
    return word && strtod(word, &rest) > 0 && !strcmp(rest, "%");
}

/* NULL: the key is not that of an option. */
static const struct argp_option *find_option(int key)
{
    for (const struct argp_option *o = options; o->name || o->doc; o++)
        if (o->name && o->key == key)
            return o;
    return NULL;
}

static error_t take_setting(int key, char *value, struct argp_state *state, tlr_scenario *s,
                            tl_error *err)
{
    char *joined = NULL;
    const char *next = state->next < state->argc ? state->argv[state->next] : NULL;
    const struct argp_option *option = find_option(key);
    if (!option || !tlr_setting_kind(option->name))
        return ARGP_ERR_UNKNOWN;
    if (key == OPT_SCALE && !strpbrk(value, "= ") && next) { /* "--scale network 0.1" */
        state->next++;
        if (asprintf(&joined, "%s=%s", value, next) < 0)
            joined = NULL;
    }
    if (key == OPT_SAMPLE && !value && is_error(next)) /* "--sample 1%", beside "--sample" */
        value = state->argv[state->next++];
    const tl_status status = tlr_scenario_set(s, option->name, joined ? joined : value, err);
    free(joined);
    return status == TL_OK ? 0 : EINVAL;
}

static void check(struct argp_state *state, replay_arguments *a)
{
    tl_error err;
    if (a->keep && a->scenario.n_sources > 1)
        argp_error(state, "a report needs a single trace");
    if (a->chosen && !tlr_scenario_is_loggops(&a->scenario))
        argp_error(state,
                   "--details=%s: only the engine loggops keeps some ranks; give --engine "
                   "loggops, or --details alone",
                   a->chosen);
    if (tlr_scenario_finish(&a->scenario, &err) != TL_OK)
        refuse(state, &err);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    replay_arguments *a = state->input;
    tl_error err;
    switch (key) {
    case 'q': a->quiet = 1; break;
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
    case ARGP_KEY_ARG:
        if (a->scenario.n_sources && !cli_json_leaves_text(&a->json) && !strchr(value, '@') &&
            access(value, F_OK) != 0)
            argp_error(state, "'%s': no such trace; write --json=FILE for a JSON file", value);
        if (tlr_scenario_add_source(&a->scenario, value, &err) != TL_OK)
            refuse(state, &err);
        break;
    case ARGP_KEY_NO_ARGS: argp_error(state, "the trace is missing"); break;
    case ARGP_KEY_SUCCESS: check(state, a); break;
    case 'p': warn_platform(a, value); __attribute__((fallthrough));
    default: {
        const error_t failed = take_setting(key, value, state, &a->scenario, &err);
        return failed == EINVAL ? refuse(state, &err) : failed;
    }
    }
    return 0;
}

const struct argp replay_argp = {
    options,
    parse_option,
    "TRACE[@START]... --platform NAME\nTRACE --engine loggops [--params L=...]",
    "Predict how long a trace takes on a platform.  TRACE@START begins at START s.\v'man "
    "timeless-replay' describes every option.",
    NULL,
    NULL,
    NULL};

/* ---- the settings alone ---- */

/* Options that show a single replay. */
static bool is_for_one(const struct argp_option *option)
{
    const char *name = option->name;
    return !tlr_setting_kind(name) || !strcmp(name, "links") || !strcmp(name, "energy") ||
           !strcmp(name, "progress");
}

static error_t take_setting_of_many(int key, char *value, struct argp_state *state, tlr_scenario *s,
                                    tl_error *err)
{
    const struct argp_option *option = find_option(key);
    if (!option || !is_for_one(option))
        return take_setting(key, value, state, s, err);
    tl_error_set(err, TL_ERR_USAGE, "--%s shows a single replay; give it to timeless replay",
                 option->name);
    return EINVAL;
}

static error_t parse_settings(int key, char *value, struct argp_state *state)
{
    tl_error err;
    const error_t failed = take_setting_of_many(key, value, state, state->input, &err);
    return failed == EINVAL ? refuse(state, &err) : failed;
}

/* A heading is hidden if all options behind it are. */
static bool is_hidden(const struct argp_option *o)
{
    if (o->name)
        return is_for_one(o);
    for (o++; o->name; o++)
        if (!is_for_one(o))
            return 0;
    return 1;
}

const struct argp *replay_settings(void)
{
    static struct argp_option table[sizeof options / sizeof *options];
    static const struct argp argp = {table, parse_settings, NULL, NULL, NULL, NULL, NULL};
    size_t n = 0;
    for (const struct argp_option *o = options; o->name || o->doc; o++)
        if (o->name || !is_hidden(o)) {
            table[n] = *o;
            table[n++].flags |= is_hidden(o) ? OPTION_HIDDEN : 0;
        }
    return &argp;
}

tlr_scenario replay_scenario(void)
{
    tl_error err;
    tlr_scenario s;
    if (tlr_scenario_begin(&s, &err) != TL_OK)
        exit(cli_fail(&err));
    return s;
}

int replay_begin(replay_arguments *a, int argc)
{
    tl_error err;
    a->regions_at = calloc((size_t)argc + 1, sizeof *a->regions_at);
    if (!a->regions_at || tlr_scenario_begin(&a->scenario, &err) != TL_OK)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    return CLI_OK;
}

void replay_end(replay_arguments *a)
{
    tlr_scenario_free(&a->scenario);
    free(a->regions_at);
}

int cmd_replay(int argc, char **argv)
{
    replay_arguments a = {.take = NULL};
    int code = replay_begin(&a, argc);
    if (code == CLI_OK) {
        argp_parse(&replay_argp, argc, argv, 0, NULL, &a);
        code = replay_run(&a);
    }
    replay_end(&a);
    return code;
}
