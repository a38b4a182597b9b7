/* tolerance.c - timeless tolerance: how much latency a program tolerates. */
#include "config.h"

#include "cli.h"
#include "progress.h"
#include "replay.h"

#include <calibrate/calibrate.h>
#include <loggops/loggops.h>
#include <machine/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <study/batch.h>
#include <study/tolerance.h>
#include <timeless_files.h>

enum { OPT_GROWTH = 1000, OPT_PRECISION, OPT_JSON, MOST_GROWTHS = 64 };

typedef struct arguments {
    const char *trace;
    tlr_scenario base;
    size_t n;
    tlr_tolerance growths[MOST_GROWTHS];
    double precision;
    uint64_t L_ps; /* 0: the engine has links */
    double link_s; /* latency between two hosts that are far apart, on the way; 0: unknown */
    cli_json json;
    double makespan_s;
    size_t n_tried;
    double (*tried)[2]; /* factors and makespans of all replays */
    cli_progress progress;
} arguments;

static const struct argp_option options[] = {
    {"growth", OPT_GROWTH, "PERCENT,...", 0, "growth of the makespan (default: 1,2,5)", 0},
    CLI_JSON_OPTION(OPT_JSON),
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

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->base; return 0;
    case OPT_GROWTH: set_growths(state, a, value); return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case OPT_PRECISION:
        a->precision = cli_parse_rate(state, value);
        if (a->precision < 1e-9 || a->precision >= 1)
            argp_error(state, "--precision '%s': give a number from 1e-9 to below 1", value);
        return 0;
    default: return cli_argument(key, value, state, "trace", &a->trace);
    }
}

/* A round of the search. */
typedef struct trial {
    arguments *a;
    const double *factors;
    tlr_point *points;
} trial;

/* The replay with so many times the latency. */
static tl_status make(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    char text[64];
    const trial *t = arg;
    const arguments *a = t->a;
    TL_TRY(tlr_scenario_copy(&a->base, out, err));
    if (a->L_ps)
        return tlr_scenario_change_params(
            out, (tlr_params_change){.letter = 'L', .value = rint((double)a->L_ps * t->factors[i])},
            err);
    snprintf(text, sizeof text, "latency=%.17g", t->factors[i]);
    return tlr_scenario_set(out, "scale", text, err);
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    const trial *t = arg;
    const tlr_point *point = &t->points[i];
    cli_progress_step(&t->a->progress);
    return point->error[0] ? tl_fail(err, point->status, "%s", point->error) : TL_OK;
}

static tl_status keep(arguments *a, double factor, double makespan_s, tl_error *err)
{
    double(*tried)[2] = realloc(a->tried, (a->n_tried + 1) * sizeof *tried);
    if (!tried)
        return tl_no_memory(err, "replays");
    a->tried = tried;
    tried[a->n_tried][0] = factor;
    tried[a->n_tried++][1] = makespan_s;
    return TL_OK;
}

static tl_status makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                           tl_error *err)
{
    trial t = {arg, factors, tlr_points_create(n, err)};
    const tlr_batch batch = {
        .n = n, .points = t.points, .make = make, .done = done, .arg = &t, .n_jobs = tlp_n_cores()};
    tl_status status = t.points ? tlr_batch_run(&batch, err) : TL_ERR_MEMORY;
    for (size_t i = 0; i < n && status == TL_OK; i++)
        status = keep(t.a, factors[i], makespans_s[i] = t.points[i].makespan_s, err);
    tlr_points_free(t.points, n);
    return status;
}

static tl_status find_latency(arguments *a, tl_error *err)
{
    loggops_params params;
    if (!a->base.options.loggops_params)
        return TL_OK;
    TL_TRY(loggops_parse_params(a->base.options.loggops_params, &params, err));
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
    TL_TRY(tlr_platform_load(name, &platform, err));
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

/* The latency without growth; 0: unknown. */
static double latency_of(const arguments *a)
{
    return a->L_ps ? 1e-12 * (double)a->L_ps : a->link_s;
}

static void print(const arguments *a)
{
    size_t n_endless = 0;
    const double base_s = latency_of(a);
    printf("makespan %.4g s\n\n  growth  latency%s  makespan\n", a->makespan_s,
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
        printf("%.4gx", t->factor);
        if (base_s > 0)
            printf("  %.4g us", 1e6 * base_s * t->factor);
        printf("  %.4g s\n", t->makespan_s);
    }
    if (n_endless == a->n && !a->L_ps)
        puts("\nno latency counts: all ranks may be on one host (see --ranks-per-host)");
}

static int compare_tried(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* In programs such as HPL, a little more latency changes the order of messages, and the makespan by
 * more than the latency does. */
static void warn_of_falls(const arguments *a)
{
    double fall_s = 0, most_s = 0, least_growth = HUGE_VAL;
    for (size_t i = 0; i < a->n; i++)
        least_growth = fmin(least_growth, a->growths[i].growth);
    qsort(a->tried, a->n_tried, sizeof *a->tried, compare_tried);
    for (size_t i = 0; i < a->n_tried; i++) {
        most_s = fmax(most_s, a->tried[i][1]);
        fall_s = fmax(fall_s, most_s - a->tried[i][1]);
    }
    if (fall_s > 0.05 * least_growth * a->makespan_s)
        fprintf(stderr,
                "timeless: warning: with more latency, the makespan also falls, by up to %.2g %%: "
                "messages come in another order. Several factors cost the same; of growths that "
                "are not much larger than this, one of them is printed\n",
                100 * fall_s / a->makespan_s);
}

static json_t *make_json(const arguments *a)
{
    const double base_s = latency_of(a);
    json_t *rows = json_array();
    for (size_t i = 0; i < a->n; i++) {
        const tlr_tolerance *t = &a->growths[i];
        json_t *row = json_pack("{s:f}", "growth", t->growth);
        json_array_append_new(rows, row);
        if (t->factor == HUGE_VAL)
            continue;
        json_object_set_new(row, "latency_factor", json_real(t->factor));
        json_object_set_new(row, "makespan_s", json_real(t->makespan_s));
        if (base_s > 0)
            json_object_set_new(row, "latency_s", json_real(base_s * t->factor));
    }
    return json_pack("{s:f, s:o}", "makespan_s", a->makespan_s, "growths", rows);
}

static tl_status search(arguments *a, tl_error *err)
{
    TL_TRY(tlr_scenario_set_source(&a->base, a->trace, err));
    TL_TRY(find_latency(a, err));
    TL_TRY(read_platform(a, err));
    /* A search takes about five doublings, then bisections to the precision. */
    a->progress = cli_progress_begin("replays", 1 + a->n * (size_t)(5 + log2(1 / a->precision)));
    TL_TRY(makespans(a, &(const double){1}, &a->makespan_s, 1, err));
    return tlr_tolerance_find(a->growths, a->n, a->makespan_s, a->precision, makespans, a, err);
}

int cmd_tolerance(int argc, char **argv)
{
    const struct argp_child children[] = {{replay_settings(), 0, "As for replay:", 1}, {0}};
    arguments a = {.base = replay_scenario(),
                   .n = 3,
                   .growths = {{.growth = 0.01}, {.growth = 0.02}, {.growth = 0.05}},
                   .precision = 1e-3};
    tl_error err;
    cli_parse(options, parse_option, children, "TRACE",
              "Print how much latency a program tolerates.", argc, argv, &a);
    tl_status status = search(&a, &err);
    cli_progress_end(&a.progress);
    if (status == TL_OK && cli_json_leaves_text(&a.json))
        print(&a);
    if (status == TL_OK)
        warn_of_falls(&a);
    if (status == TL_OK && a.json.is_wanted)
        status = cli_json_write(&a.json, make_json(&a), TLR_JSON_LINES, &err);
    free(a.tried);
    tlr_scenario_free(&a.base);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
