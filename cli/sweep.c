/* sweep.c - timeless sweep: a grid of replays. */
#include "config.h"

#include "cli.h"
#include "sweep_words.h"

#include <calibrate/calibrate.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/sweep.h>
#include <unistd.h>

enum { OPT_GRID = 1000, OPT_JSON, OPT_PLOT };

typedef struct arguments {
    word_list options, traces;
    size_t n_axes;
    tlr_axis *axes;
    const char *out, *json, *plot;
    unsigned n_jobs;
    size_t rank, n_processes; /* of a sweep that mpirun runs */
    char *part;               /* takes the rows of this process as they come */
    tlr_sweep sweep;
} arguments;

static const struct argp_option options[] = {
    {"grid", OPT_GRID, "NAME=VALUES", 0,
     "an axis of the grid: an option of timeless replay, scale.network, set.link.bandwidth, "
     "coll.bcast, cfg.KEY, params.L, make, make.ranks, with its values, as 0.1,1,10 or 1:30 (may "
     "be repeated)",
     0},
    {"output", 'o', "FILE", 0,
     "results file (CSV); points that it has are not run again (default: standard output)", 0},
    {"json", OPT_JSON, "FILE", 0, "write the results as JSON, too", 0},
    {"plot", OPT_PLOT, "FILE.svg", 0,
     "draw the makespans over the first axis of numbers, or else of names", 0},
    {"jobs", 'j', "N", 0, "run N points at a time (default: one on each core)", 0},
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
        argp_error(state, "which grid?  give --grid NAME=VALUE,VALUE");
    if (!a->traces.n == !has_axis(a, "make"))
        argp_error(state, a->traces.n ? "give traces or --grid make=PATTERN, not both"
                                      : "which trace?  or give --grid make=PATTERN");
    if (a->plot && !has_several_values(a))
        argp_error(state, "--plot needs an axis of several values");
    if (a->n_processes > 1 && !a->out)
        argp_error(state, "several processes need a results file; give -o FILE");
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->options; return 0;
    case OPT_GRID: add_axis(state, a, value); return 0;
    case 'o': a->out = value; return 0;
    case OPT_JSON: a->json = value; return 0;
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
    const arguments *a = arg;
    return a->out ? tlr_sweep_append(&a->sweep, i, a->part, err) : TL_OK;
}

/* Points whose files cannot be read have failed already. */
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

/* What follows ".part" in the name of a part: nothing, or ".12". */
static int is_part(const char *end)
{
    return !*end || (*end == '.' && end[1] && !end[1 + strspn(end + 1, "0123456789")]);
}

/* Of the results file, and of the parts beside it: what is under way, or was when it was
 * interrupted.  Parts first, for they are removed after their rows are in the file. */
static tl_status read_results(arguments *a, int with_errors, int remove_parts, tl_error *err)
{
    const size_t length = strlen(a->out);
    char *pattern = cli_pattern(a->out, length, ".part*");
    glob_t parts = {0};
    if (!pattern)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    tl_status status = TL_OK;
    glob(pattern, 0, NULL, &parts); /* without a match there are none */
    for (size_t i = 0; i < parts.gl_pathc && status == TL_OK; i++) {
        const char *path = parts.gl_pathv[i];
        if (!is_part(path + length + strlen(".part")))
            continue;
        if (remove_parts)
            unlink(path);
        else
            status = tlr_sweep_read(&a->sweep, path, with_errors, err);
    }
    globfree(&parts);
    free(pattern);
    return status == TL_OK && !remove_parts ? tlr_sweep_read(&a->sweep, a->out, 0, err) : status;
}

static tl_status write_csv(const tlr_sweep *sweep, FILE *out, tl_error *err)
{
    (void)err;
    tlr_sweep_write_csv(sweep, out);
    return TL_OK;
}

/* Under another name first, so that there is an old file or a whole new one. */
static tl_status write_file(const arguments *a, const char *path,
                            tl_status (*put)(const tlr_sweep *, FILE *, tl_error *), tl_error *err)
{
    char *other = NULL;
    if (asprintf(&other, "%s.tmp.%zu", path, a->rank) < 0)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    FILE *out = fopen(other, "w");
    tl_status status = out ? put(&a->sweep, out, err) : TL_OK;
    const int lost = !out || ferror(out);
    if ((out && fclose(out) != 0) || lost || (status == TL_OK && rename(other, path) != 0))
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                         strerror(errno));
    if (status != TL_OK)
        unlink(other);
    free(other);
    return status;
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
        status = read_results(a, 1, 0, err);
    if (status != TL_OK || !all_known(&a->sweep))
        return status;
    if (a->out)
        status = write_file(a, a->out, write_csv, err);
    else
        tlr_sweep_write_csv(&a->sweep, stdout);
    if (status == TL_OK && a->out && a->n_processes == 1)
        status = read_results(a, 0, 1, err);
    if (status == TL_OK && a->json)
        status = write_file(a, a->json, tlr_sweep_write_json, err);
    if (status == TL_OK && a->plot)
        status = write_file(a, a->plot, tlr_sweep_write_svg, err);
    return status;
}

/* The points that failed, in a line.  Of several processes the one that has them all says it: the
 * first that does not exit with 0 makes mpirun end the others. */
static int tell_failures(const arguments *a)
{
    size_t n = 0, first = 0;
    for (size_t i = 0; i < a->sweep.n_points; i++)
        if (a->sweep.points[i].error[0] && !n++)
            first = i;
    if (!n || !all_known(&a->sweep))
        return CLI_OK;
    char text[256];
    tlr_sweep_point_text(&a->sweep, first, text, sizeof text);
    return cli_fail_text(TL_ERR_INPUT, "%zu of %zu points failed; the first, %s: %s", n,
                         a->sweep.n_points, text, a->sweep.points[first].error);
}

/* ---- the sweep ---- */

/* Open MPI's mpirun, and those that speak PMI. */
static void find_processes(arguments *a)
{
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"}};
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

/* Several traces are the first axis. */
static tl_status make_grid(arguments *a, tl_error *err)
{
    tl_status status = TL_OK;
    if (a->traces.n > 1) {
        memmove(a->axes + 1, a->axes, a->n_axes * sizeof *a->axes);
        a->axes[0] = (tlr_axis){0};
        a->n_axes++;
        status = tlr_axis_of("trace", (const char *const *)a->traces.words, a->traces.n,
                             &a->axes[0], err);
    }
    return status == TL_OK ? tlr_sweep_create(a->axes, a->n_axes, &a->sweep, err) : status;
}

static tl_status sweep(arguments *a, tl_error *err)
{
    tl_status status = make_grid(a, err);
    if (status == TL_OK && a->out &&
        (a->n_processes > 1 ? asprintf(&a->part, "%s.part.%zu", a->out, a->rank)
                            : asprintf(&a->part, "%s.part", a->out)) < 0)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory");
    if (status == TL_OK)
        status = set_keys(a, err);
    if (status == TL_OK && a->out)
        status = read_results(a, 0, 0, err);
    if (status == TL_OK)
        status =
            tlr_sweep_run(&a->sweep, a->rank, a->n_processes, a->n_jobs, run_point, done, a, err);
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
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    const tl_status status = sweep(&a, &err);
    const int code = status == TL_OK ? tell_failures(&a) : cli_fail(&err);
    if (a.sweep.points) {
        tlr_sweep_free(&a.sweep);
    } else {
        for (size_t i = 0; i < a.n_axes; i++)
            tlr_axis_free(&a.axes[i]);
        free(a.axes);
    }
    free(a.part);
    word_list_free(&a.options);
    word_list_free(&a.traces);
    return code;
}
