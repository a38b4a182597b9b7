/* sweep.c - timeless sweep: a grid of replays. */
#include "config.h"

#include "cli.h"
#include "progress.h"
#include "sweep_words.h"

#include <calibrate/calibrate.h>
#include <errno.h>
#include <format.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/sweep.h>
#include <sys/stat.h>
#include <timeless_files.h>

enum { OPT_GRID = 1000, OPT_JSON, OPT_PLOT };

typedef struct arguments {
    word_list options, traces;
    size_t n_axes;
    tlr_axis *axes;
    const char *out, *plot;
    cli_json json;
    unsigned n_jobs;
    size_t rank, n_processes; /* of a sweep that mpirun runs */
    char *command;            /* of all points: column of the results */
    tlr_results *results;     /* NULL: they go to standard output */
    tlr_sweep sweep;
    cli_progress progress;
} arguments;

static const struct argp_option options[] = {
    {"grid", OPT_GRID, "NAME=VALUES", 0,
     "add an axis: an option of timeless replay, scale.network, set.link.bandwidth, coll.bcast, "
     "cfg.KEY, params.L, make, make.ranks or hpl.NB; values as 0.1,1,10 or 1:30, for coll.bcast "
     "also all",
     0},
    {"output", 'o', "FILE", 0,
     "write the table (CSV) to FILE, and do not repeat points that it contains (default: standard "
     "output)",
     0},
    CLI_JSON_OPTION(OPT_JSON),
    {"plot", OPT_PLOT, "FILE.svg", 0,
     "draw the makespans over the first axis with numbers, or else with names", 0},
    {"jobs", 'j', "N", 0, "run N points at a time (default: one a core)", 0},
    {0}};

static void add_axis(struct argp_state *state, arguments *a, const char *text)
{
    tl_error err;
    tlr_axis *more = realloc(a->axes, (a->n_axes + 2) * sizeof *more);
    if (!more) {
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
        return;
    }
    a->axes = more;
    tlr_axis axis = {0};
    if (tlr_axis_parse(text, &axis, &err) != TL_OK || words_check_axis(axis.name, &err) != TL_OK)
        argp_error(state, "--grid: %s", err.text);
    a->axes[a->n_axes++] = axis;
}

static int has_axis(const arguments *a, const char *name)
{
    for (size_t i = 0; i < a->n_axes; i++)
        if (!strcmp(a->axes[i].name, name))
            return 1;
    return 0;
}

static int has_several_values(const arguments *a)
{
    int several = a->traces.n > 1;
    for (size_t i = 0; i < a->n_axes; i++)
        several |= a->axes[i].n > 1;
    return several;
}

static void check_arguments(struct argp_state *state, const arguments *a)
{
    if (!a->n_axes)
        argp_error(state, "the grid is missing; give --grid NAME=VALUE,VALUE");
    if (!a->traces.n == !has_axis(a, "make"))
        argp_error(state, a->traces.n ? "give traces or --grid make=PATTERN, not both"
                                      : "the trace is missing; give one, or --grid make=PATTERN");
    if (a->plot && !has_several_values(a))
        argp_error(state, "--plot needs an axis with several values");
    if (a->n_processes > 1 && !a->out)
        argp_error(state, "several processes need a results file; give -o FILE");
}

/* "--json FILE": the spelling before --json[=FILE]. The next word is a file that is no trace. */
static int is_file_of_json(const char *word)
{
    char start[TL_FILE_MAGIC_BYTES];
    struct stat there;
    if (word[0] == '-' || !strncmp(word, "hpl:", 4))
        return 0;
    if (stat(word, &there) != 0 || !S_ISREG(there.st_mode))
        return 1;
    FILE *in = fopen(word, "rb");
    const int is_trace = in && fread(start, 1, sizeof start, in) == sizeof start &&
                         !memcmp(start, TL_FILE_MAGIC, sizeof start);
    if (in)
        fclose(in);
    return !is_trace;
}

static void set_json(struct argp_state *state, arguments *a, char *value)
{
    if (!value && state->next < state->argc && is_file_of_json(state->argv[state->next])) {
        value = state->argv[state->next++];
        cli_note_renamed("--json FILE", "--json=FILE");
    }
    a->json = (cli_json){1, value};
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
    case OPT_GRID: add_axis(state, a, value); return 0;
    case 'o': a->out = value; return 0;
    case OPT_JSON: set_json(state, a, value); return 0;
    case OPT_PLOT: a->plot = cli_svg(state, value); return 0;
    case 'j':
        a->n_jobs = (unsigned)cli_parse_number_from(state, "--jobs", value, 1, 4096);
        return 0;
    case ARGP_KEY_ARG:
        if (!word_list_add(&a->traces, strdup(value)))
            argp_failure(state, CLI_SYSTEM, 0, "out of memory");
        return 0;
    case ARGP_KEY_SUCCESS: check_arguments(state, a); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- a point ---- */

static tl_status words_of(const arguments *a, size_t i, word_list *out, tl_error *err)
{
    return words_at(&a->sweep, i, a->traces.n ? a->traces.words[0] : NULL, &a->options, out, err);
}

static int run_point(void *arg, size_t i, tlr_point *point)
{
    tl_error err;
    word_list words = {0};
    const tl_status status = words_of(arg, i, &words, &err);
    const int code = status == TL_OK ? words_run(&words, point) : cli_fail(&err);
    word_list_free(&words);
    return code;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    arguments *a = arg;
    cli_progress_step(&a->progress);
    return a->results ? tlr_results_add(a->results, &a->sweep, i, err) : TL_OK;
}

/* Points whose files cannot be read have already failed. */
static tl_status set_keys(arguments *a, tl_error *err)
{
    tlr_key_cache *cache = tlr_key_cache_create();
    tl_status status = cache ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < a->sweep.n_points && status == TL_OK; i++) {
        tlr_point *point = &a->sweep.points[i];
        tl_error what;
        word_list words = {0};
        if ((status = words_of(a, i, &words, err)) == TL_OK &&
            tlr_sweep_key(cache, (const char *const *)words.words, words.n, &point->key, &what) !=
                TL_OK) {
            point->known = 1;
            snprintf(point->error, sizeof point->error, "%.*s", (int)sizeof point->error - 1,
                     what.text);
        } else if (status == TL_OK) {
            words_prepare(&words);
        }
        word_list_free(&words);
    }
    tlr_key_cache_free(cache);
    return status;
}

/* ---- results ---- */

/* A regular file is replaced when the new one is complete. A device or a pipe is written directly.
 */
static tl_status write_file(const arguments *a, const char *path,
                            tl_status (*put)(const tlr_sweep *, FILE *, tl_error *), tl_error *err)
{
    struct stat there;
    tl_replacement file = {0};
    const int direct = stat(path, &there) == 0 && !S_ISREG(there.st_mode);
    tl_status status = direct ? TL_OK : tl_replace_begin(path, ".part", &file, err);
    if (status != TL_OK)
        return status;
    FILE *out = fopen(direct ? path : file.part, "we");
    status = out ? put(&a->sweep, out, err) : TL_OK;
    const int lost = !out || ferror(out);
    if ((out && fclose(out) != 0) || lost)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                         strerror(errno));
    return tl_replace_end(&file, status, err);
}

static int all_known(const tlr_sweep *sweep)
{
    for (size_t i = 0; i < sweep->n_points; i++)
        if (!sweep->points[i].known)
            return 0;
    return 1;
}

static tl_status write_results(arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    if (a->n_processes > 1)
        status = tlr_results_read(a->results, &a->sweep, 1, err);
    if (status != TL_OK || !all_known(&a->sweep))
        return status;
    if (a->results)
        status = tlr_results_write(a->results, &a->sweep, err);
    else if (cli_json_leaves_text(&a->json))
        status = tlr_sweep_write_csv(&a->sweep, NULL, stdout, err);
    if (status == TL_OK && a->json.path)
        status = write_file(a, a->json.path, tlr_sweep_write_json, err);
    else if (status == TL_OK && a->json.is_wanted)
        status = tlr_sweep_write_json(&a->sweep, stdout, err);
    if (status == TL_OK && a->plot)
        status = write_file(a, a->plot, tlr_sweep_write_svg, err);
    return status;
}

/* The number of points that failed, or that are not possible, and the first of them. */
static size_t count_lost(const tlr_sweep *sweep, int impossible, size_t *first)
{
    size_t n = 0;
    for (size_t i = 0; i < sweep->n_points; i++) {
        const tlr_point *point = &sweep->points[i];
        if (point->error[0] && tlr_point_is_impossible(point) == impossible && !n++)
            *first = i;
    }
    return n;
}

/* Reports the failed points in a line, and those that are not possible in another one. Of several
 * processes, the one that has all results reports them, because mpirun ends the others when the
 * first process does not exit with 0. */
static int tell_failures(const arguments *a)
{
    char text[256];
    size_t first = 0;
    const tlr_sweep *sweep = &a->sweep;
    if (!all_known(sweep))
        return CLI_OK;
    size_t n = count_lost(sweep, 1, &first);
    if (n) {
        tlr_sweep_point_text(sweep, first, text, sizeof text);
        fprintf(stderr, "timeless: %zu of %zu points are not possible; the first, %s: %s\n", n,
                sweep->n_points, text,
                tl_printable(sweep->points[first].error + sizeof TLR_NOT_POSSIBLE - 1));
    }
    n = count_lost(sweep, 0, &first);
    if (!n)
        return CLI_OK;
    tlr_sweep_point_text(sweep, first, text, sizeof text);
    return cli_fail_text(TL_ERR_INPUT, "%zu of %zu points failed; the first, %s: %s", n,
                         sweep->n_points, text, sweep->points[first].error);
}

/* ---- the sweep ---- */

/* Of Open MPI's mpirun, of one that speaks PMI, or of srun. */
static void find_processes(arguments *a)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    a->n_processes = 1;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *rank = getenv(names[i][0]), *size = getenv(names[i][1]);
        if (!rank || !size || strtoul(rank, NULL, 10) >= strtoul(size, NULL, 10))
            continue;
        a->rank = strtoul(rank, NULL, 10);
        a->n_processes = strtoul(size, NULL, 10);
        return;
    }
}

/* The engine of all points: that of --engine, or of an axis with one value. */
static tl_status find_engine(const arguments *a, const char **out, tl_error *err)
{
    static const char option[] = "--engine=";
    *out = NULL;
    for (size_t i = 0; i < a->options.n; i++)
        if (!strncmp(a->options.words[i], option, sizeof option - 1))
            *out = a->options.words[i] + sizeof option - 1;
    for (size_t i = 0; i < a->n_axes; i++) {
        if (strcmp(a->axes[i].name, "engine") != 0)
            continue;
        if (a->axes[i].n > 1)
            return tl_fail(err, TL_ERR_USAGE,
                           "all: the engines have different algorithms; give one --engine");
        *out = a->axes[i].values[0];
    }
    return TL_OK;
}

/* Several traces are the first axis. */
static tl_status make_grid(arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < a->n_axes && status == TL_OK; i++) {
        const char *engine = NULL;
        if (!tlr_axis_has_all(&a->axes[i]))
            continue;
        status = find_engine(a, &engine, err);
        if (status == TL_OK)
            status = tlr_axis_expand(&a->axes[i], engine, err);
    }
    if (status != TL_OK)
        return status;
    if (a->traces.n > 1) {
        memmove(a->axes + 1, a->axes, a->n_axes * sizeof *a->axes);
        a->axes[0] = (tlr_axis){0};
        a->n_axes++;
        status = tlr_axis_of("trace", (const char *const *)a->traces.words, a->traces.n,
                             &a->axes[0], err);
    }
    return status == TL_OK ? tlr_sweep_create(a->axes, a->n_axes, &a->sweep, err) : status;
}

/* The trace, if it is the same at all points, and the options. */
static char *command_of(const arguments *a)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("replay", out);
    if (a->traces.n == 1)
        fprintf(out, " %s", a->traces.words[0]);
    for (size_t i = 0; i < a->options.n; i++)
        fprintf(out, " %s", a->options.words[i]);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The points that this process has to run. */
static size_t count_open(const arguments *a)
{
    size_t n = 0;
    for (size_t i = a->rank; i < a->sweep.n_points; i += a->n_processes)
        n += !a->sweep.points[i].known;
    return n;
}

static tl_status sweep(arguments *a, tl_error *err)
{
    tl_status status = make_grid(a, err);
    if (status == TL_OK && !(a->command = command_of(a)))
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory");
    a->sweep.command = a->command;
    if (status == TL_OK && a->out)
        status = tlr_results_open(a->out, a->rank, a->n_processes, &a->results, err);
    if (status == TL_OK)
        status = set_keys(a, err);
    if (status == TL_OK && a->results)
        status = tlr_results_read(a->results, &a->sweep, 0, err);
    a->progress = cli_progress_begin("points", count_open(a));
    if (status == TL_OK)
        status =
            tlr_sweep_run(&a->sweep, a->rank, a->n_processes, a->n_jobs, run_point, done, a, err);
    cli_progress_end(&a->progress);
    return status == TL_OK ? write_results(a, err) : status;
}

int cmd_sweep(int argc, char **argv)
{
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "At all points, as for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse,
                              "TRACE... --grid NAME=VALUE,VALUE",
                              "Replay over a grid of parameters, on all cores.",
                              children,
                              NULL,
                              NULL};
    arguments a = {.n_jobs = tlp_n_cores()};
    tl_error err;
    find_processes(&a);
    cli_parse(&argp, argc, argv, 0, &a);
    const tl_status status = sweep(&a, &err);
    const int code = status == TL_OK ? tell_failures(&a) : cli_fail(&err);
    if (a.sweep.points) {
        tlr_sweep_free(&a.sweep);
    } else {
        for (size_t i = 0; i < a.n_axes; i++)
            tlr_axis_free(&a.axes[i]);
        free(a.axes);
    }
    tlr_results_close(a.results);
    free(a.command);
    word_list_free(&a.options);
    word_list_free(&a.traces);
    return code;
}
