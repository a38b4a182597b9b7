/* study.c - timeless study collectives: all algorithms of a collective, on a platform. */
#include "config.h"

#include "cli.h"
#include "grid.h"

#include <calibrate/calibrate.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <study/collectives.h>
#include <timeless_files.h>

enum { OPT_OP = 1000, OPT_RANKS, OPT_BYTES, OPT_ALGORITHMS, OPT_CSV, OPT_JSON, OPT_PLOT };

#define DEFAULT_RULE "ompi-4.1"

typedef struct arguments {
    grid grid;
    const char *operation, *ranks, *bytes, *algorithms, *csv, *plot, *what;
    cli_json json;
} arguments;

static const struct argp_option options[] = {
    {"op", OPT_OP, "OPERATION", 0,
     "allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter or scatter",
     0},
    {"ranks", OPT_RANKS, "LIST", 0, "numbers of ranks, as 16,64 or 4..64 (default: 16)", 0},
    {"bytes", OPT_BYTES, "LIST", 0,
     "bytes of the call, as 64,4K or 1..1M or 1..1M:2 (default: 1..64K)", 0},
    {"algorithms", OPT_ALGORITHMS, "LIST", 0, "these algorithms only (default: all)", 0},
    {"output", 'o', "FILE", 0, "keep the points in FILE, and do not repeat those that it has", 0},
    {"csv", OPT_CSV, "FILE", 0, "write all algorithms as a table (CSV)", 0},
    CLI_JSON_OPTION(OPT_JSON),
    {"plot", OPT_PLOT, "FILE", 0, "draw them over the bytes: .svg, .pdf or .png", 0},
    {"jobs", 'j', "N", 0, "run N replays at a time (default: one a core)", 0},
    {0}};

/* ---- arguments ---- */

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->grid.options; return 0;
    case OPT_OP: a->operation = value; return 0;
    case OPT_RANKS: a->ranks = value; return 0;
    case OPT_BYTES: a->bytes = value; return 0;
    case OPT_ALGORITHMS: a->algorithms = value; return 0;
    case 'o': a->grid.out = value; return 0;
    case OPT_CSV: a->csv = value; return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case OPT_PLOT: a->plot = cli_picture(state, value); return 0;
    case 'j':
        a->grid.n_jobs = (unsigned)cli_parse_number_from(state, "--jobs", value, 1, 4096);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!a->what || strcmp(a->what, "collectives") != 0)
            argp_error(state,
                       "'%s' cannot be studied; write timeless study collectives --op OPERATION",
                       a->what ? a->what : "");
        if (!a->operation || !tlr_study_has(a->operation))
            argp_error(state,
                       "--op '%s': give allgather, allreduce, alltoall, barrier, bcast, gather, "
                       "reduce, reduce_scatter or scatter",
                       a->operation ? a->operation : "");
        if (!a->bytes)
            a->bytes = a->operation && strcmp(a->operation, "barrier") != 0 ? "1..64K" : "0";
        return 0;
    default: return cli_argument(key, value, state, "WHAT", &a->what);
    }
}

/* "64", "4K", "1M": K, M and G are powers of 1024. Moves *text behind it; 0: it is no number. */
static int read_number(const char **text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *rest;
    errno = 0;
    *out = strtoull(*text, &rest, 10);
    if (!isdigit((unsigned char)**text) || errno)
        return 0;
    const char *unit = *rest ? strchr(units, toupper((unsigned char)*rest)) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *text = rest + (unit != NULL);
    if (*out > UINT64_C(0x7fffffff) >> shift)
        return 0;
    *out <<= shift;
    return 1;
}

static int add_number(word_list *list, uint64_t number)
{
    char *text = NULL;
    if (asprintf(&text, "%llu", (unsigned long long)number) < 0)
        text = NULL;
    for (size_t i = 0; text && i < list->n; i++)
        if (!strcmp(list->words[i], text)) {
            free(text);
            return 1;
        }
    return word_list_add(list, text);
}

/* "A", "A..B" or "A..B:F": A, A F, A F F, ..., and B. */
static int add_item(const char *item, word_list *list)
{
    uint64_t first, last, factor = 4;
    if (!read_number(&item, &first))
        return 0;
    last = first;
    if (!strncmp(item, "..", 2)) {
        item += 2;
        if (!read_number(&item, &last) || last < first)
            return 0;
        if (*item == ':') {
            item++;
            if (!read_number(&item, &factor) || factor < 2)
                return 0;
        }
    }
    if (*item)
        return 0;
    for (uint64_t at = first; at < last; at = at ? at * factor : 1)
        if (!add_number(list, at))
            return 0;
    return add_number(list, last);
}

static tl_status make_numbers(const char *axis, const char *option, const char *text, tlr_axis *out,
                              tl_error *err)
{
    word_list list = {0};
    char *copy = strdup(text), *save = NULL;
    tl_status status = copy ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    for (char *item = copy ? strtok_r(copy, ",", &save) : NULL; item && status == TL_OK;
         item = strtok_r(NULL, ",", &save))
        if (!add_item(item, &list))
            status = tl_fail(err, TL_ERR_USAGE,
                             "%s '%s': '%s' is neither a number, as 64 or 4K, nor a range, as "
                             "1..1M or 1..1M:2",
                             option, text, item);
    if (status == TL_OK && !list.n)
        status = tl_fail(err, TL_ERR_USAGE, "%s: give at least one number", option);
    if (status == TL_OK)
        status = tlr_axis_of(axis, (const char *const *)list.words, list.n, out, err);
    free(copy);
    word_list_free(&list);
    return status;
}

/* ---- the study ---- */

/* The value of the last such option, "--platform="; NULL: there is none. */
static const char *option_of(const grid *g, const char *option)
{
    const char *value = NULL;
    for (size_t i = 0; i < g->options.n; i++)
        if (!strncmp(g->options.words[i], option, strlen(option)))
            value = g->options.words[i] + strlen(option);
    return value;
}

static tl_status make_axes(arguments *a, tlr_axis *axes, tl_error *err)
{
    char *text = NULL;
    const char *algorithms = a->algorithms ? a->algorithms : "all";
    if (asprintf(&text, "make=call_%s", a->operation) < 0)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    tl_status status = tlr_axis_parse(text, &axes[TLR_STUDY_MAKE], err);
    free(text);
    if (status == TL_OK)
        status = make_numbers("make.ranks", "--ranks", a->ranks, &axes[TLR_STUDY_RANKS], err);
    if (status == TL_OK)
        status = make_numbers("make.bytes", "--bytes", a->bytes, &axes[TLR_STUDY_BYTES], err);
    if (status == TL_OK && asprintf(&text, "coll.%s=none,%s", a->operation, algorithms) < 0)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    if (status == TL_OK) {
        status = tlr_axis_parse(text, &axes[TLR_STUDY_ALGORITHM], err);
        free(text);
    }
    return status == TL_OK ? grid_expand(&a->grid, axes, TLR_STUDY_N_AXES, err) : status;
}

static tl_status make_grid(arguments *a, tl_error *err)
{
    static const char selector[] = "--coll-selector=";
    tlr_axis *axes = calloc(TLR_STUDY_N_AXES, sizeof *axes);
    tl_status status = axes ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    if (status == TL_OK && !option_of(&a->grid, selector) &&
        !word_list_add(&a->grid.options, strdup("--coll-selector=" DEFAULT_RULE)))
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory");
    if (status == TL_OK)
        status = make_axes(a, axes, err);
    if (status == TL_OK)
        status = tlr_sweep_create(axes, TLR_STUDY_N_AXES, &a->grid.sweep, err);
    if (status == TL_OK)
        return TL_OK;
    for (int i = 0; axes && i < TLR_STUDY_N_AXES; i++)
        tlr_axis_free(&axes[i]);
    free(axes);
    return status;
}

/* The machine, for people. */
static void name_place(const arguments *a, char *text, size_t size)
{
    static const struct {
        const char *option, *before;
    } parts[] = {{"--platform=", ""},
                 {"--ranks-per-host=", "ranks per host: "},
                 {"--engine=", "engine "},
                 {"--params=", ""}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++) {
        const char *value = option_of(&a->grid, parts[i].option);
        if (value)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
                                     parts[i].before, value);
    }
}

static tl_status write_csv(const tlr_study *study, const char *path, tl_error *err)
{
    tl_replacement file = {0};
    tl_status status = tl_replace_begin(path, ".part", &file, err);
    if (status != TL_OK)
        return status;
    FILE *out = fopen(file.part, "we");
    status = out ? tlr_study_write_csv(study, out, err) : TL_OK;
    const int lost = !out || ferror(out);
    if ((out && fclose(out) != 0) || lost)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                         strerror(errno));
    return tl_replace_end(&file, status, err);
}

static tl_status write_json(const void *arg, FILE *out, tl_error *err)
{
    return tlr_study_write_json(arg, out, err);
}

static tl_status write_results(const arguments *a, tl_error *err)
{
    char place[256];
    const tlr_study study = {.sweep = &a->grid.sweep,
                             .operation = a->operation,
                             .rule = option_of(&a->grid, "--coll-selector="),
                             .place = place};
    name_place(a, place, sizeof place);
    tl_status status = TL_OK;
    if (a->grid.results)
        status = tlr_results_write(a->grid.results, &a->grid.sweep, err);
    if (status == TL_OK && cli_json_leaves_text(&a->json))
        tlr_study_print(&study, stdout);
    if (status == TL_OK)
        status = cli_json_write(&a->json, write_json, &study, err);
    if (status == TL_OK && a->csv)
        status = write_csv(&study, a->csv, err);
    if (status == TL_OK && a->plot)
        status = tlr_study_draw(&study, a->plot, err);
    return status;
}

/* Whether a point has a makespan. If there is none, the failures say more than an empty table. */
static int has_any(const grid *g)
{
    for (size_t i = 0; i < g->sweep.n_points; i++)
        if (g->sweep.points[i].known && !g->sweep.points[i].error[0])
            return 1;
    return 0;
}

int cmd_study(int argc, char **argv)
{
    const struct argp words = {words_options(), words_parse, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child children[] = {{&words, 0, "At all points, as for replay:", 1}, {0}};
    const struct argp argp = {options,
                              parse,
                              "collectives --op OPERATION",
                              "Compare all algorithms of a collective on a platform.",
                              children,
                              NULL,
                              NULL};
    arguments a = {.grid = {.n_jobs = tlp_n_cores(), .n_processes = 1}, .ranks = "16"};
    tl_error err;
    cli_parse(&argp, argc, argv, 0, &a);
    tl_status status = make_grid(&a, &err);
    if (status == TL_OK)
        status = grid_run(&a.grid, &err);
    if (status == TL_OK && has_any(&a.grid))
        status = write_results(&a, &err);
    const int code = status == TL_OK ? grid_tell_failures(&a.grid) : cli_fail(&err);
    grid_free(&a.grid);
    return code;
}
