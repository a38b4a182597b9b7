/* tolerance.c - timeless tolerance: how much latency a program tolerates. */
#include "cli.h"
#include "progress.h"
#include "sweep_words.h"
#include "tolerance_points.h"

#include <calibrate/calibrate.h>
#include <inttypes.h>
#include <loggops/loggops.h>
#include <machine/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/sweep.h>
#include <study/tolerance.h>
#include <timeless_files.h>

enum { OPT_GROWTH = 1000, OPT_PRECISION, MOST_GROWTHS = 64 };

typedef struct arguments {
    const char *trace;
    word_list options;
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
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
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

/* The replays of the sweep, and their results. */
typedef struct trial {
    arguments *a;
    tlr_sweep *sweep;
    const double *factors;
} trial;

static int run_point(void *arg, size_t i, tlr_point *point)
{
    const trial *t = arg;
    tl_error err;
    word_list words = {0};
    const tl_status status = words_at(t->sweep, i, t->a->trace, &t->a->options, &words, &err);
    const int code = status == TL_OK ? words_run(&words, 0, point) : cli_fail(&err);
    word_list_free(&words);
    return code;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    const trial *t = arg;
    const tlr_point *point = &t->sweep->points[i];
    cli_progress_step(&t->a->progress);
    if (point->error[0])
        return tl_fail(err, point->status, "%s", point->error);
    return kept_points_add(&t->a->kept, t->factors[i], point->makespan_s, err);
}

/* The latency factor is an axis. */
static tl_status make_axis(const arguments *a, const double *factors, size_t n, tlr_axis *out,
                           tl_error *err)
{
    char texts[MOST_GROWTHS][32];
    const char *values[MOST_GROWTHS];
    for (size_t i = 0; i < n; i++) {
        if (a->L_ps)
            snprintf(texts[i], sizeof texts[i], "%.0fps", (double)a->L_ps * factors[i]);
        else
            snprintf(texts[i], sizeof texts[i], "%.17g", factors[i]);
        values[i] = texts[i];
    }
    return tlr_axis_of(a->L_ps ? "params.L" : "scale.latency", values, n, out, err);
}

static tl_status makespans(void *arg, const double *factors, double *makespans_s, size_t n,
                           tl_error *err)
{
    arguments *a = arg;
    tlr_sweep sweep = {0};
    trial t = {a, &sweep, factors};
    tlr_axis *axis = calloc(1, sizeof *axis);
    tl_status status = axis ? make_axis(a, factors, n, axis, err)
                            : tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status == TL_OK)
        status = tlr_sweep_create(axis, 1, &sweep, err);
    if (status != TL_OK) {
        if (axis)
            tlr_axis_free(axis);
        free(axis);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        const double known_s = kept_points_find(&a->kept, factors[i]);
        sweep.points[i].known = known_s > 0;
        sweep.points[i].makespan_s = known_s > 0 ? known_s : 0;
    }
    status = tlr_sweep_run(&sweep, 0, 1, tlp_n_cores(), run_point, done, &t, err);
    for (size_t i = 0; i < n && status == TL_OK; i++)
        makespans_s[i] = sweep.points[i].makespan_s;
    tlr_sweep_free(&sweep);
    return status;
}

static tl_status find_latency(arguments *a, tl_error *err)
{
    static const char option[] = "--params=";
    for (size_t i = 0; i < a->options.n; i++) {
        const char *word = a->options.words[i];
        loggops_params params;
        if (strncmp(word, option, sizeof option - 1) != 0)
            continue;
        const tl_status status = loggops_parse_params(word + sizeof option - 1, &params, err);
        if (status != TL_OK)
            return status;
        a->L_ps = params.L_ps;
        if (!a->L_ps)
            return tl_fail(err, TL_ERR_USAGE, "L is 0, which no factor makes more");
    }
    return TL_OK;
}

/* The value of an option among the words "--NAME=VALUE"; NULL. */
static const char *value_of(const word_list *words, const char *name)
{
    const size_t length = strlen(name);
    const char *value = NULL;
    for (size_t i = 0; i < words->n; i++)
        if (!strncmp(words->words[i], name, length))
            value = words->words[i] + length;
    return value;
}

/* Options that change links leave the latency of the platform unknown. */
static tl_status read_platform(arguments *a, uint64_t *hash, tl_error *err)
{
    const char *name = value_of(&a->options, "--platform=");
    tlr_platform *platform = NULL;
    tlr_cluster cluster = {0};
    tl_error ignored;
    *hash = 0;
    if (!name)
        return TL_OK;
    const tl_status status = tlr_platform_load(name, &platform, err);
    if (status != TL_OK)
        return status;
    *hash = platform->hash;
    if (!a->L_ps && !value_of(&a->options, "--set=") && !value_of(&a->options, "--scale=") &&
        tlr_cluster_read(platform->xml_path, &cluster, &ignored) == TL_OK) {
        tlr_route route;
        if (tlr_route_find(&cluster, 0, cluster.n_hosts - 1, &route, &ignored) == TL_OK)
            a->link_s = route.latency_s;
        tlr_cluster_free(&cluster);
    }
    tlr_platform_free(platform);
    return TL_OK;
}

/* The trace, the platform and the options, with the contents of their files, as a line. */
static tl_status open_kept(arguments *a, uint64_t platform_hash, tl_error *err)
{
    char *text = NULL;
    size_t size = 0;
    uint64_t hash = 0, files = 0;
    tl_reader *trace = NULL;
    tlr_key_cache *cache = tlr_key_cache_create();
    tl_status status = cache ? tlr_sweep_key(cache, (const char *const *)a->options.words,
                                             a->options.n, &files, err)
                             : tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    tlr_key_cache_free(cache);
    if (status == TL_OK)
        status = tl_reader_open(a->trace, &trace, err);
    if (status == TL_OK)
        status = tl_reader_hash(trace, &hash, err);
    tl_reader_close(trace);
    FILE *out = status == TL_OK ? open_memstream(&text, &size) : NULL;
    if (status == TL_OK && !out)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status != TL_OK)
        return status;
    fprintf(out,
            "# timeless tolerance %s, trace %016" PRIx64 ", platform %016" PRIx64
            ", options %016" PRIx64,
            tl_version(), hash, platform_hash, files);
    for (size_t i = 0; i < a->options.n; i++)
        fprintf(out, " %s", tl_printable(a->options.words[i]));
    fclose(out);
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
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "As for replay:", 1}, {0}};
    const struct argp argp = {
        options,  parse, "TRACE", "Print how much latency a program tolerates.",
        children, NULL,  NULL};
    arguments a = {.n = 3,
                   .growths = {{.growth = 0.01}, {.growth = 0.02}, {.growth = 0.05}},
                   .precision = 1e-3};
    tl_error err;
    double makespan_s = 0;
    cli_parse(&argp, argc, argv, 0, &a);
    tl_status status = find_latency(&a, &err);
    uint64_t platform_hash = 0;
    words_prepare(&a.options);
    if (status == TL_OK)
        status = read_platform(&a, &platform_hash, &err);
    if (status == TL_OK && a.output)
        status = open_kept(&a, platform_hash, &err);
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
    word_list_free(&a.options);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
