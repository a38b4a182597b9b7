/* hosts.c - timeless study hosts: HPL without the slowest hosts of a platform. */
#include "config.h"

#include "study/study.h"

#include <stdlib.h>
#include <string.h>
#include <study/hosts.h>
#include <timeless_files.h>

enum { OPT_REMOVE = 1000, OPT_SEEDS, MOST_SEEDS = 100 };

typedef struct arguments {
    study_common common;
    const char *remove;
    unsigned n_seeds, ranks_per_host;
    size_t n_hosts;                    /* of the platform */
    tlr_timed_host *hosts[MOST_SEEDS]; /* of each seed, the slowest first */
    const char **names;                /* [seed * n_hosts + host] of the same */
} arguments;

static const struct argp_option options[] = {
    {"remove", OPT_REMOVE, "LIST", 0, "numbers of hosts to leave out, as 0:8 or 0,4 (default: 0:4)",
     0},
    {"seeds", OPT_SEEDS, "N", 0, "with the seeds 1 to N (default: 1)", 0},
    CLI_JSON_OPTION(STUDY_JSON),
    {"plot", STUDY_PLOT, "FILE", 0, "draw the makespans: .svg, .pdf or .png", 0},
    STUDY_OPTIONS,
    {0}};

/* The grid follows from the hosts that are left: P, Q and RANKS of the program, or of --set. */
static void refuse_grid(struct argp_state *state, const arguments *a)
{
    static const char *const names[] = {"P=", "Q=", "RANKS="};
    char option[16];
    const char *parameters = a->common.grid.base.parameters;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        for (const char *at = a->common.grid.traces.texts[0] + 3; at; at = strchr(at, ','))
            if (!strncasecmp(++at, names[i], length))
                argp_error(state,
                           "'%.*s': the grid follows from the hosts that are left; leave out "
                           "P, Q and RANKS",
                           (int)strcspn(at, ","), at);
        snprintf(option, sizeof option, ",%s", names[i]);
        if (parameters && strstr(parameters, option))
            argp_error(state, "--set: the grid follows from the hosts that are left");
    }
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case OPT_REMOVE: a->remove = value; return 0;
    case OPT_SEEDS:
        a->n_seeds = (unsigned)cli_parse_number_from(state, "--seeds", value, 1, MOST_SEEDS);
        return 0;
    case ARGP_KEY_ARG:
        if (a->common.grid.traces.n || strncmp(value, "hpl:", 4) != 0)
            argp_error(state,
                       "'%s': give one program hpl:N=20000,NB=128; its grid follows from the hosts",
                       value);
        cli_add_text(state, &a->common.grid.traces, value);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!a->common.grid.traces.n)
            argp_error(state, "which run of HPL? give hpl:N=20000,NB=128");
        a->ranks_per_host = a->common.grid.base.options.ranks_per_host;
        if (!a->common.grid.base.platform || !a->ranks_per_host)
            argp_error(state, "give --platform and --ranks-per-host");
        refuse_grid(state, a);
        study_refuse(state, &a->common.grid, "ranks",
                     "the ranks follow from the hosts that are left");
        study_refuse(state, &a->common.grid, "hostfile",
                     "the study chooses the hosts; see --remove");
        study_refuse(state, &a->common.grid, "seed",
                     "the study takes the seeds 1 to N; give --seeds N");
        return 0;
    default: return study_parse(key, value, state, &a->common);
    }
}

/* ---- the hosts of a point ---- */

static size_t removed_at(const arguments *a, size_t point)
{
    return strtoul(tlr_sweep_value(&a->common.grid.sweep, point, TLR_HOSTS_REMOVE), NULL, 10);
}

/* A seed is a cluster of its own. */
static tl_status find_hosts(arguments *a, const tlr_platform *platform, const tlr_model *model,
                            const tl_reader *trace, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t seed = 0; seed < a->n_seeds && status == TL_OK; seed++) {
        status = tlr_hosts_by_speed(platform, model, trace, seed + 1, a->ranks_per_host,
                                    &a->hosts[seed], &a->n_hosts, err);
        if (status == TL_OK && !a->names &&
            !(a->names = calloc(a->n_seeds * a->n_hosts + 1, sizeof *a->names)))
            status = tl_no_memory(err, "the command");
        for (size_t i = 0; status == TL_OK && i < a->n_hosts; i++)
            a->names[seed * a->n_hosts + i] = a->hosts[seed][i].name;
    }
    for (size_t i = 0; i < a->common.grid.sweep.n_points && status == TL_OK; i++)
        if (removed_at(a, i) >= a->n_hosts)
            status =
                tl_fail(err, TL_ERR_USAGE, "--remove %zu: the platform has %zu hosts; give less",
                        removed_at(a, i), a->n_hosts);
    return status;
}

static tl_status open_hosts(arguments *a, tl_error *err)
{
    const char *path = a->common.grid.base.options.model_path;
    char *text = NULL;
    tlr_platform *platform = NULL;
    tlr_model *own = NULL;
    tl_reader *trace = NULL;
    if (asprintf(&text, "%s,RANKS=1", a->common.grid.traces.texts[0]) < 0)
        return tl_no_memory(err, "the command");
    tl_status status = tl_reader_open(text, &trace, err);
    if (status == TL_OK)
        status = tlr_platform_load(a->common.grid.base.platform, &platform, err);
    if (status == TL_OK && path)
        status = tlr_model_load(path, &own, err);
    if (status == TL_OK)
        status = find_hosts(a, platform, own ? own : platform->model, trace, err);
    tlr_model_free(own);
    tlr_platform_free(platform);
    tl_reader_close(trace);
    free(text);
    return status;
}

/* The ranks and the hosts of a point. */
static tl_status remove_hosts(const void *arg, size_t point, tlr_scenario *s, tl_error *err)
{
    const arguments *a = arg;
    char ranks[32];
    const size_t seed = point % a->common.grid.sweep.axes[TLR_HOSTS_SEED].n;
    s->options.unused_hosts = a->names + seed * a->n_hosts;
    s->options.n_unused_hosts = removed_at(a, point);
    snprintf(ranks, sizeof ranks, "RANKS=%zu",
             (a->n_hosts - s->options.n_unused_hosts) * a->ranks_per_host);
    return tlr_scenario_add_parameter(s, ranks, err);
}

/* ---- the study ---- */

static tl_status make_grid(arguments *a, tl_error *err)
{
    char remove[256], seeds[32];
    tlr_axis *axes = calloc(TLR_HOSTS_N_AXES, sizeof *axes);
    tl_status status = axes ? TL_OK : tl_no_memory(err, "the command");
    snprintf(seeds, sizeof seeds, "seed=1:%u", a->n_seeds);
    snprintf(remove, sizeof remove, "remove=%s", a->remove);
    if (status == TL_OK)
        status = tlr_axis_parse(remove, &axes[TLR_HOSTS_REMOVE], err);
    for (size_t i = 0; status == TL_OK && i < axes[TLR_HOSTS_REMOVE].n; i++) {
        const char *value = axes[TLR_HOSTS_REMOVE].values[i];
        if (!*value || value[strspn(value, "0123456789")] || strlen(value) > 6)
            status = TL_ERR_USAGE;
    }
    if (status == TL_ERR_USAGE)
        status = tl_fail(err, status, "--remove '%s': give numbers of hosts, as 0:8 or 0,4",
                         tl_printable(a->remove));
    if (status == TL_OK)
        status = tlr_axis_parse(seeds, &axes[TLR_HOSTS_SEED], err);
    status = study_make_sweep(&a->common.grid, status, axes, TLR_HOSTS_N_AXES, err);
    if (status != TL_OK)
        return status;
    a->common.grid.own = "remove";
    a->common.grid.change = remove_hosts;
    a->common.grid.change_arg = a;
    return open_hosts(a, err);
}

static tl_status write_json(const void *study, FILE *out, tl_error *err)
{
    return tlr_hosts_write_json(study, out, err);
}

static tl_status find_grids(const arguments *a, tl_hpl *grids, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t k = 0; k < a->common.grid.sweep.axes[TLR_HOSTS_REMOVE].n && status == TL_OK; k++) {
        char *text = NULL;
        const size_t n = a->n_hosts - removed_at(a, k * a->n_seeds);
        if (asprintf(&text, "%s,RANKS=%zu", a->common.grid.traces.texts[0] + 4,
                     n * a->ranks_per_host) < 0)
            return tl_no_memory(err, "the command");
        status = tl_hpl_parse(text, &grids[k], err);
        free(text);
    }
    return status;
}

static tl_status write_results(const void *arg, tl_error *err)
{
    const arguments *a = arg;
    char place[256];
    const size_t n = a->common.grid.sweep.axes[TLR_HOSTS_REMOVE].n;
    tl_hpl *grids = calloc(n, sizeof *grids);
    const tlr_host_study study = {.sweep = &a->common.grid.sweep,
                                  .program = a->common.grid.traces.texts[0],
                                  .place = place,
                                  .n_hosts = a->n_hosts,
                                  .ranks_per_host = a->ranks_per_host,
                                  .grids = grids,
                                  .hosts = a->hosts[0]};
    study_place(&a->common.grid, place, sizeof place);
    tl_status status = grids ? find_grids(a, grids, err) : tl_no_memory(err, "the command");
    if (status == TL_OK && cli_json_leaves_text(&a->common.json))
        tlr_hosts_print(&study, stdout);
    if (status == TL_OK)
        status = cli_json_write(&a->common.json, write_json, &study, err);
    if (status == TL_OK && a->common.plot)
        status = tlr_sweep_draw(study.sweep, a->common.plot, err);
    for (size_t k = 0; grids && k < n; k++)
        tl_hpl_free(&grids[k]);
    free(grids);
    return status;
}

int study_hosts(int argc, char **argv)
{
    arguments a = {.common = study_begin(), .n_seeds = 1, .remove = "0:4"};
    tl_error err;
    study_parse_all(options, parse_option, "hpl:N=... --platform NAME --ranks-per-host N",
                    "Predict HPL without the slowest hosts of a platform.", argc, argv, &a);
    tl_status status = make_grid(&a, &err);
    const int code = study_run(&a.common, status, write_results, &a, &err);
    for (size_t seed = 0; seed < a.n_seeds; seed++)
        tlr_timed_hosts_free(a.hosts[seed], a.n_hosts);
    free(a.names);
    grid_free(&a.common.grid);
    return code;
}
