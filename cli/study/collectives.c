/* collectives.c - timeless study collectives: all algorithms of a collective, on a platform.
 */
#include "config.h"

#include "study/study.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <study/collectives.h>
#include <timeless_files.h>

enum { OPT_OP = 1000, OPT_RANKS, OPT_BYTES, OPT_ALGORITHMS, OPT_CSV };

#define DEFAULT_RULE "ompi-4.1"

typedef struct arguments {
    study_common common;
    const char *operation, *ranks, *bytes, *algorithms, *csv;
} arguments;

#define OPERATIONS                                                                                 \
    "allgather, allreduce, alltoall, barrier, bcast, gather, reduce, reduce_scatter or scatter"

static const struct argp_option options[] = {
    {"op", OPT_OP, "OPERATION", 0, OPERATIONS, 0},
    {"ranks", OPT_RANKS, "LIST", 0, "numbers of ranks, as 16,64 or 4..64 (default: 16)", 0},
    {"bytes", OPT_BYTES, "LIST", 0,
     "bytes of the call, as 64,4K or 1..1M or 1..1M:2 (default: 1..64K)", 0},
    {"algorithms", OPT_ALGORITHMS, "LIST", 0, "these algorithms only (default: all)", 0},
    STUDY_OUTPUT_OPTION,
    {"csv", OPT_CSV, "FILE", 0, "write all algorithms as a table (CSV)", 0},
    CLI_JSON_OPTION(STUDY_JSON),
    {"plot", STUDY_PLOT, "FILE", 0, "draw them over the bytes: .svg, .pdf or .png", 0},
    STUDY_OPTIONS,
    {0}};

/* ---- arguments ---- */

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case OPT_OP: a->operation = value; return 0;
    case OPT_RANKS: a->ranks = value; return 0;
    case OPT_BYTES: a->bytes = value; return 0;
    case OPT_ALGORITHMS: a->algorithms = value; return 0;
    case OPT_CSV: a->csv = value; return 0;
    case ARGP_KEY_ARG:
        argp_error(state,
                   "'%s': this study takes no trace; give --op, --ranks and --bytes of the call",
                   value);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!a->operation)
            argp_error(state, "the collective is missing; give --op " OPERATIONS);
        else if (!tlr_study_has(a->operation))
            argp_error(state, "--op '%s': give " OPERATIONS, a->operation);
        if (!a->bytes)
            a->bytes = a->operation && strcmp(a->operation, "barrier") != 0 ? "1..64K" : "0";
        return 0;
    default: return study_parse(key, value, state, &a->common);
    }
}

/* ---- the study ---- */

static tl_status make_axes(arguments *a, tlr_axis *axes, tl_error *err)
{
    char *text = NULL;
    const char *algorithms = a->algorithms ? a->algorithms : "all";
    if (asprintf(&text, "make=call_%s", a->operation) < 0)
        return tl_no_memory(err, "the command");
    tl_status status = tlr_axis_parse(text, &axes[TLR_STUDY_MAKE], err);
    free(text);
    if (status == TL_OK)
        status = study_numbers("make.ranks", "--ranks", a->ranks, &axes[TLR_STUDY_RANKS], err);
    if (status == TL_OK)
        status = study_numbers("make.bytes", "--bytes", a->bytes, &axes[TLR_STUDY_BYTES], err);
    if (status == TL_OK && asprintf(&text, "coll.%s=none,%s", a->operation, algorithms) < 0)
        return tl_no_memory(err, "the command");
    if (status == TL_OK) {
        status = tlr_axis_parse(text, &axes[TLR_STUDY_ALGORITHM], err);
        free(text);
    }
    return status == TL_OK ? grid_expand(&a->common.grid, axes, TLR_STUDY_N_AXES, err) : status;
}

static tl_status make_grid(arguments *a, tl_error *err)
{
    tlr_axis *axes = calloc(TLR_STUDY_N_AXES, sizeof *axes);
    tl_status status = axes ? TL_OK : tl_no_memory(err, "the command");
    if (status == TL_OK && !a->common.grid.base.options.coll_selector)
        status = tlr_scenario_set(&a->common.grid.base, "coll-selector", DEFAULT_RULE, err);
    if (status == TL_OK)
        status = make_axes(a, axes, err);
    return study_make_sweep(&a->common.grid, status, axes, TLR_STUDY_N_AXES, err);
}

static tl_status write_csv(const void *arg, FILE *out, tl_error *err)
{
    return tlr_study_write_csv(arg, out, err);
}

static tl_status write_results(const void *arg, tl_error *err)
{
    const arguments *a = arg;
    char place[256];
    const tlr_study study = {.sweep = &a->common.grid.sweep,
                             .operation = a->operation,
                             .rule = a->common.grid.base.options.coll_selector,
                             .place = place};
    study_place(&a->common.grid, place, sizeof place);
    if (cli_json_leaves_text(&a->common.json))
        tlr_study_print(&study, stdout);
    if (a->common.json.is_wanted)
        TL_TRY(cli_json_write(&a->common.json, tlr_study_json(&study), TLR_JSON_LINES, err));
    if (a->csv)
        TL_TRY(tl_output_write(a->csv, write_csv, &study, err));
    if (a->common.plot)
        TL_TRY(tlr_study_draw(&study, a->common.plot, err));
    return TL_OK;
}

int study_collectives(int argc, char **argv)
{
    arguments a = {.common = study_begin(), .ranks = "16"};
    tl_error err;
    study_parse_all(options, parse_option, "--op OPERATION",
                    "Compare all algorithms of a collective on a platform.", argc, argv, &a);
    tl_status status = make_grid(&a, &err);
    const int code = study_run(&a.common, status, write_results, &a, &err);
    grid_free(&a.common.grid);
    return code;
}
