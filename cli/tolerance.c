/* tolerance.c - timeless tolerance: how much latency a program tolerates. */
#include "config.h"

#include "cli.h"
#include "progress.h"
#include "replay.h"
#include "tolerance_points.h"

#include <calibrate/calibrate.h>
#include <inttypes.h>
#include <loggops/loggops.h>
#include <machine/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <study/batch.h>
#include <study/tolerance.h>
#include <timeless_files.h>

enum { OPT_GROWTH = 1000, OPT_PRECISION, MOST_GROWTHS = 64 };

typedef struct arguments {
    const char *trace;
    tlr_scenario base;
    size_t n;
    tlr_tolerance growths[MOST_GROWTHS];
    double precision;
    uint64_t L_ps; /* 0: the engine has links */
    double link_s; /* latency between two hosts that are far apart, on the way; 0: unknown */
    const char *output;
    kept_points kept;
    cli_progress progress;
} arguments;

static const struct argp_option options[] = {
    {"growth", OPT_GROWTH, "PERCENT,...", 0, "growth of the makespan (default: 1,2,5)", 0},
    {"output", 'o', "FILE", 0, "keep the replays in FILE, and use those that it has", 0},
    {"precision", OPT_PRECISION, "SHARE", 0,
     "relative precision of the added latency, below 1 (default: 0.001)", 0},
    {0}};

static void set_growths(struct argp_state *state, arguments *a, const char *text)
{
    a->n = 0;
    for (const char *at = text;; at++) {
        char *rest;
        const double percent = strtod(at, &rest);
        if (rest == at || !(percent > 0 && percent <= 1e6) || (*rest && *rest != ',') ||
            a->n == MOST_GROWTHS)
            argp_error(state, "--growth '%s': give up to %d numbers above 0, as 1,2,5", text,
                       MOST_GROWTHS);
        a->growths[a->n++].growth = percent / 100;
        at = rest;
        if (!*at)
            return;
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->base; return 0;
    case OPT_GROWTH: set_growths(state, a, value); return 0;
    case 'o': a->output = value; return 0;
    case OPT_PRECISION:
        a->precision = cli_parse_rate(state, value);
        if (a->precision < 1e-9 || a->precision >= 1)
            argp_error(state, "--precision '%s': give a number from 1e-9 to below 1", value);
        return 0;
    default: return cli_argument(key, value, state, "trace", &a->trace);
    }
}

/* The replays of a round, and their results. */
typedef struct trial {
    arguments *a;
    tlr_point *points;
    const double *factors;
} trial;

static tl_status make(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    const trial *t = arg;
    const double factor = t->factors[i];
    const tlr_params_change L = {.letter = 'L', .value = rint((double)t->a->L_ps * factor)};
    const tlr_change latency = {TLR_LINK_LATENCY, "*", factor, 1};
    const tl_status status = tlr_scenario_copy(&t->a->base, out, err);
    if (status != TL_OK)
        return status;
    return t->a->L_ps ? tlr_scenario_change_params(out, L, err)
                      : tlr_scenario_change(out, &latency, err);
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    const trial *t = arg;
    const tlr_point *point = &t->points[i];
    cli_progress_step(&t->a->progress);
    if (point->error[0])
        return tl_fail(err, point->status, "%s", point->error);
    return kept_points_add(&t->a->kept, t->factors[i], point->makespan_s, err);
}

static tl_status makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                           tl_error *err)
{
    arguments *a = arg;
    trial t = {a, tlr_points_create(n, err), factors};
    if (!t.points)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const double known_s = kept_points_find(&a->kept, factors[i]);
        t.points[i].known = known_s > 0;
        t.points[i].makespan_s = known_s > 0 ? known_s : 0;
    }
    const tlr_batch batch = {.n = n,
                             .points = t.points,
                             .make = make,
                             .done = done,
                             .arg = &t,
                             .stride = 1,
                             .n_jobs = tlp_n_cores()};
    const tl_status status = tlr_batch_run(&batch, err);
    for (size_t i = 0; i < n && status == TL_OK; i++)
        makespans_s[i] = t.points[i].makespan_s;
    tlr_points_free(t.points, n);
    return status;
}

static tl_status find_latency(arguments *a, tl_error *err)
{
    loggops_params params;
    if (!a->base.options.loggops_params)
        return TL_OK;
    const tl_status status = loggops_parse_params(a->base.options.loggops_params, &params, err);
    if (status != TL_OK)
        return status;
    a->L_ps = params.L_ps;
    return a->L_ps ? TL_OK : tl_fail(err, TL_ERR_USAGE, "L is 0, which no factor makes more");
}

/* Options that change links leave the latency of the platform unknown. */
static tl_status read_platform(arguments *a, tl_error *err)
{
    const char *name = a->base.platform;
    tlr_platform *platform = NULL;
    tlr_cluster cluster = {0};
    tl_error ignored;
    if (!name)
        return TL_OK;
    const tl_status status = tlr_platform_load(name, &platform, err);
    if (status != TL_OK)
        return status;
    if (!a->L_ps && !tlr_scenario_has(&a->base, "set") && !tlr_scenario_has(&a->base, "scale") &&
        tlr_cluster_read(platform->xml_path, &cluster, &ignored) == TL_OK) {
        tlr_route route;
        if (tlr_route_find(&cluster, 0, cluster.n_hosts - 1, &route, &ignored) == TL_OK)
            a->link_s = route.latency_s;
        tlr_cluster_free(&cluster);
    }
    tlr_platform_free(platform);
    return TL_OK;
}

/* What the replays depend on, as a line. */
static tl_status open_kept(arguments *a, tl_error *err)
{
    char *text = NULL;
    uint64_t key = 0;
    tlr_scenario s = {0};
    tlr_key_cache *cache = tlr_key_cache_create();
    tl_status status = cache ? tlr_scenario_copy(&a->base, &s, err)
                             : tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status == TL_OK)
        status = tlr_scenario_finish(&s, err);
    if (status == TL_OK)
        status = tlr_scenario_key(cache, &s, &key, err);
    tlr_key_cache_free(cache);
    tlr_scenario_free(&s);
    if (status == TL_OK && asprintf(&text, "# timeless tolerance %s, key %016" PRIx64 ",%s",
                                    tl_version(), key, tl_printable(a->base.text)) < 0)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status == TL_OK)
        status = kept_points_open(a->output, text, &a->kept, err);
    free(text);
    return status;
}

static void print(const arguments *a, double makespan_s)
{
    size_t n_endless = 0;
    const double base_s = a->L_ps ? 1e-12 * (double)a->L_ps : a->link_s;
    printf("makespan %.9g s\n\n  growth  latency%s  makespan\n", makespan_s,
           a->L_ps      ? "            L"
           : base_s > 0 ? "  between hosts"
                        : "");
    for (size_t i = 0; i < a->n; i++) {
        const tlr_tolerance *t = &a->growths[i];
        printf("%6.4g %%  ", 100 * t->growth);
        if (t->factor == HUGE_VAL) {
            puts("more than 1000000x");
            n_endless++;
            continue;
        }
        printf("%.6gx", t->factor);
        if (base_s > 0)
            printf("  %.6g us", 1e6 * base_s * t->factor);
        printf("  %.9g s\n", t->makespan_s);
    }
    if (n_endless == a->n && !a->L_ps)
        puts("\nno latency counts: all ranks may be on one host (see --ranks-per-host)");
}

int cmd_tolerance(int argc, char **argv)
{
    const struct argp_child children[] = {{replay_settings(), 0, "As for replay:", 1}, {0}};
    const struct argp argp = {
        options,  parse, "TRACE", "Print how much latency a program tolerates.",
        children, NULL,  NULL};
    arguments a = {.base = replay_scenario(),
                   .n = 3,
                   .growths = {{.growth = 0.01}, {.growth = 0.02}, {.growth = 0.05}},
                   .precision = 1e-3};
    tl_error err;
    double makespan_s = 0;
    cli_parse(&argp, argc, argv, 0, &a);
    tl_status status = tlr_scenario_set_source(&a.base, a.trace, &err);
    if (status == TL_OK)
        status = find_latency(&a, &err);
    if (status == TL_OK)
        status = read_platform(&a, &err);
    if (status == TL_OK && a.output)
        status = open_kept(&a, &err);
    /* A search takes about five doublings, then bisections to the precision. */
    a.progress = cli_progress_begin("replays", 1 + a.n * (size_t)(5 + log2(1 / a.precision)));
    if (status == TL_OK)
        status = makespans(&a, &(const double){1}, &makespan_s, 1, &err);
    if (status == TL_OK)
        status = tlr_tolerance_find(a.growths, a.n, makespan_s, a.precision, makespans, &a, &err);
    cli_progress_end(&a.progress);
    if (status == TL_OK)
        print(&a, makespan_s);
    kept_points_close(&a.kept);
    tlr_scenario_free(&a.base);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
