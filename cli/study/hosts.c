/* hosts.c - timeless study hosts: HPL without the slowest hosts of a platform. */
#include "config.h"

#include "study/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <study/hosts.h>
#include <timeless_files.h>
#include <unistd.h>

enum { OPT_REMOVE = 1000, OPT_SEEDS, MOST_SEEDS = 100 };

typedef struct arguments {
    study_common common;
    const char *remove;
    unsigned n_seeds, ranks_per_host;
    int *files;            /* for each point, the list of its hosts; -1: none yet */
    size_t n_hosts;        /* of the platform */
    tlr_timed_host *hosts; /* of the first seed, the slowest first */
} arguments;

static const struct argp_option options[] = {
    {"remove", OPT_REMOVE, "LIST", 0, "numbers of hosts to leave out, as 0:8 or 0,4 (default: 0:4)",
     0},
    {"seeds", OPT_SEEDS, "N", 0, "with the seeds 1 to N (default: 1)", 0},
    CLI_JSON_OPTION(STUDY_JSON),
    {"plot", STUDY_PLOT, "FILE", 0, "draw the makespans: .svg, .pdf or .png", 0},
    STUDY_JOBS_OPTION,
    {0}};

/* The grid follows from the hosts that are left: P, Q and RANKS of the program, or of --set. */
static void refuse_grid(struct argp_state *state, const arguments *a)
{
    static const char *const names[] = {"P=", "Q=", "RANKS="};
    char option[16];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t length = strlen(names[i]);
        for (const char *at = a->common.grid.traces.words[0] + 3; at; at = strchr(at, ','))
            if (!strncasecmp(++at, names[i], length))
                argp_error(state,
                           "'%.*s': the grid follows from the hosts that are left; leave out "
                           "P, Q and RANKS",
                           (int)strcspn(at, ","), at);
        snprintf(option, sizeof option, "--set=%s", names[i]);
        study_refuse(state, &a->common.grid, option,
                     "the grid follows from the hosts that are left");
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
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
        study_add_word(state, &a->common.grid.traces, value);
        return 0;
    case ARGP_KEY_SUCCESS: {
        const char *ranks = word_list_value(&a->common.grid.options, "--ranks-per-host=");
        if (!a->common.grid.traces.n)
            argp_error(state, "which run of HPL? give hpl:N=20000,NB=128");
        if (!word_list_value(&a->common.grid.options, "--platform=") || !ranks)
            argp_error(state, "give --platform and --ranks-per-host");
        a->ranks_per_host =
            (unsigned)cli_parse_number_from(state, "--ranks-per-host", ranks, 1, 65535);
        refuse_grid(state, a);
        study_refuse(state, &a->common.grid,
                     "--ranks=", "the ranks follow from the hosts that are left");
        study_refuse(state, &a->common.grid,
                     "--hostfile=", "the study chooses the hosts; see --remove");
        study_refuse(state, &a->common.grid,
                     "--seed=", "the study takes the seeds 1 to N; give --seeds N");
        return 0;
    }
    default: return study_parse(key, value, state, &a->common);
    }
}

/* ---- the hosts of a point ---- */

static size_t removed_at(const arguments *a, size_t point)
{
    return strtoul(tlr_sweep_value(&a->common.grid.sweep, point, TLR_HOSTS_REMOVE), NULL, 10);
}

/* Writes the hosts without the slowest ones into a file without a name. They stay in the order of
 * the platform, as without a list. */
static tl_status write_hosts(const tlr_timed_host *hosts, size_t n, size_t n_removed, int *file,
                             tl_error *err)
{
    char *path;
    tl_status status = tl_temporary_file("hosts", &path, file, err);
    if (status != TL_OK)
        return status;
    unlink(path);
    free(path);
    const char **names = calloc(n, sizeof *names);
    if (!names)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the hosts");
    for (size_t i = n_removed; i < n; i++)
        names[hosts[i].place] = hosts[i].name;
    for (size_t i = 0; i < n && status == TL_OK; i++)
        if (names[i] && dprintf(*file, "%s\n", names[i]) < 0)
            status = tl_fail(err, TL_ERR_SYSTEM, "the list of hosts cannot be written: %s",
                             strerror(errno));
    free(names);
    return status;
}

/* The lists of all points with a seed; a seed is a cluster of its own. */
static tl_status write_lists(arguments *a, size_t seed, const tlr_timed_host *hosts, tl_error *err)
{
    const tlr_axis *axes = a->common.grid.sweep.axes;
    tl_status status = TL_OK;
    for (size_t k = 0; k < axes[TLR_HOSTS_REMOVE].n && status == TL_OK; k++) {
        const size_t point = k * axes[TLR_HOSTS_SEED].n + seed, n_removed = removed_at(a, point);
        if (n_removed >= a->n_hosts)
            status =
                tl_fail(err, TL_ERR_USAGE, "--remove %zu: the platform has %zu hosts; give less",
                        n_removed, a->n_hosts);
        else
            status = write_hosts(hosts, a->n_hosts, n_removed, &a->files[point], err);
    }
    return status;
}

static tl_status find_hosts(arguments *a, const tlr_platform *platform, const tlr_model *model,
                            const tl_reader *trace, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t s = 0; s < a->n_seeds && status == TL_OK; s++) {
        tlr_timed_host *hosts;
        size_t n;
        status =
            tlr_hosts_by_speed(platform, model, trace, s + 1, a->ranks_per_host, &hosts, &n, err);
        if (status != TL_OK)
            break;
        a->n_hosts = n;
        status = write_lists(a, s, hosts, err);
        if (!s)
            a->hosts = hosts;
        else
            tlr_timed_hosts_free(hosts, n);
    }
    return status;
}

static tl_status open_hosts(arguments *a, tl_error *err)
{
    const char *path = word_list_value(&a->common.grid.options, "--model=");
    char *text = NULL;
    tlr_platform *platform = NULL;
    tlr_model *own = NULL;
    tl_reader *trace = NULL;
    if (asprintf(&text, "%s,RANKS=1", a->common.grid.traces.words[0]) < 0)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    tl_status status = tl_reader_open(text, &trace, err);
    if (status == TL_OK)
        status = tlr_platform_load(word_list_value(&a->common.grid.options, "--platform="),
                                   &platform, err);
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

/* The ranks and the hosts of a point, instead of --remove. */
static tl_status change_words(const void *arg, size_t point, word_list *words, tl_error *err)
{
    static const char option[] = "--remove=";
    const arguments *a = arg;
    char *program = NULL, *hostfile = NULL;
    const size_t n_ranks = (a->n_hosts - removed_at(a, point)) * a->ranks_per_host;
    if (asprintf(&program, "%s,RANKS=%zu", words->words[0], n_ranks) < 0 ||
        asprintf(&hostfile, "--hostfile=/proc/self/fd/%d", a->files[point]) < 0) {
        free(program);
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    }
    free(words->words[0]);
    words->words[0] = program;
    for (size_t i = 1; i < words->n; i++)
        if (!strncmp(words->words[i], option, sizeof option - 1)) {
            free(words->words[i]);
            words->words[i] = hostfile;
        }
    return TL_OK;
}

/* ---- the study ---- */

static tl_status make_grid(arguments *a, tl_error *err)
{
    char remove[256], seeds[32];
    tlr_axis *axes = calloc(TLR_HOSTS_N_AXES, sizeof *axes);
    tl_status status = axes ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
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
    a->files = calloc(a->common.grid.sweep.n_points, sizeof *a->files);
    if (!a->files)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < a->common.grid.sweep.n_points; i++)
        a->files[i] = -1;
    a->common.grid.change = change_words;
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
        if (asprintf(&text, "%s,RANKS=%zu", a->common.grid.traces.words[0] + 4,
                     n * a->ranks_per_host) < 0)
            return tl_fail(err, TL_ERR_MEMORY, "out of memory");
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
                                  .program = a->common.grid.traces.words[0],
                                  .place = place,
                                  .n_hosts = a->n_hosts,
                                  .ranks_per_host = a->ranks_per_host,
                                  .grids = grids,
                                  .hosts = a->hosts};
    study_place(&a->common.grid, place, sizeof place);
    tl_status status =
        grids ? find_grids(a, grids, err) : tl_fail(err, TL_ERR_MEMORY, "out of memory");
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
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "At all points, as for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse,
                              "hpl:N=... --platform NAME --ranks-per-host N",
                              "Predict HPL without the slowest hosts of a platform.",
                              children,
                              NULL,
                              NULL};
    arguments a = {.common = study_begin(), .n_seeds = 1, .remove = "0:4"};
    tl_error err;
    cli_parse(&argp, argc, argv, 0, &a);
    tl_status status = make_grid(&a, &err);
    const int code = study_run(&a.common, status, write_results, &a, &err);
    for (size_t i = 0; a.files && i < a.common.grid.sweep.n_points; i++)
        if (a.files[i] >= 0)
            close(a.files[i]);
    free(a.files);
    tlr_timed_hosts_free(a.hosts, a.n_hosts);
    grid_free(&a.common.grid);
    return code;
}
