/* sweep.c - timeless sweep: a grid of replays. */
#include "config.h"

#include "cli.h"
#include "grid.h"
#include "replay.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/sweep.h>
#include <timeless_files.h>
#include <unistd.h>

enum { OPT_GRID = 1000, OPT_JSON, OPT_PLOT, OPT_ENERGY };

typedef struct arguments {
    grid grid;
    size_t n_axes;
    tlr_axis *axes;
    const char *plot;
    cli_json json;
} arguments;

static const struct argp_option options[] = {
    {"grid", OPT_GRID, "NAME=VALUES", 0,
     "add an axis: an option of timeless replay, scale.network, set.link.bandwidth, coll.bcast, "
     "cfg.KEY, params.L, make, make.ranks or hpl.NB; values as 0.1,1,10 or 1:30, for coll.bcast "
     "also all",
     0},
    {"output", 'o', "FILE", 0,
     "write the table (CSV) to FILE; do not repeat points in it (default: standard output)", 0},
    CLI_JSON_OPTION(OPT_JSON),
    {"plot", OPT_PLOT, "FILE", 0,
     "draw the makespans over the first axis with numbers, or else with names: .svg, .pdf or .png",
     0},
    {"energy", OPT_ENERGY, "PRICE", 0, "cost of each job: 0.3/kWh,2/host-hour", 0},
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
    if (tlr_axis_parse(text, &axis, &err) != TL_OK || tlr_axis_check(axis.name, &err) != TL_OK)
        argp_error(state, "--grid: %s", err.text);
    a->axes[a->n_axes++] = axis;
}

static bool has_axis(const arguments *a, const char *name)
{
    for (size_t i = 0; i < a->n_axes; i++)
        if (!strcmp(a->axes[i].name, name))
            return 1;
    return 0;
}

static bool has_several_values(const arguments *a)
{
    int several = a->grid.traces.n > 1;
    for (size_t i = 0; i < a->n_axes; i++)
        several |= a->axes[i].n > 1 || tlr_axis_has_all(&a->axes[i]);
    return several;
}

static void check_arguments(struct argp_state *state, const arguments *a)
{
    if (!a->n_axes)
        argp_error(state, "the grid is missing; give --grid NAME=VALUE,VALUE");
    if (!a->grid.traces.n == !has_axis(a, "make"))
        argp_error(state, a->grid.traces.n
                              ? "give traces or --grid make=PATTERN, not both"
                              : "the trace is missing; give one, or --grid make=PATTERN");
    if (a->plot && !has_several_values(a))
        argp_error(state, "--plot needs an axis with several values");
}

static void set_price(struct argp_state *state, arguments *a, const char *value)
{
    tl_error err;
    if (tlr_scenario_set(&a->grid.base, "energy", value, &err) != TL_OK)
        argp_error(state, "%s", err.text);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->grid.base; return 0;
    case OPT_GRID: add_axis(state, a, value); return 0;
    case 'o': a->grid.out = value; return 0;
    case OPT_ENERGY: set_price(state, a, value); return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    case OPT_PLOT: a->plot = cli_picture(state, value); return 0;
    case 'j': a->grid.n_jobs = cli_parse_jobs(state, value); return 0;
    case ARGP_KEY_ARG:
        if (!cli_json_leaves_text(&a->json) && !tl_is_program(value) && access(value, F_OK) != 0)
            argp_error(state, "'%s': no such trace; write --json=FILE for a JSON file", value);
        cli_add_text(state, &a->grid.traces, value);
        return 0;
    case ARGP_KEY_SUCCESS: check_arguments(state, a); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- results ---- */

static tl_status write_results(arguments *a, tl_error *err)
{
    if (a->grid.results)
        TL_TRY(tlr_results_write(a->grid.results, &a->grid.sweep, err));
    else if (cli_json_leaves_text(&a->json))
        TL_TRY(tlr_sweep_write_csv(&a->grid.sweep, NULL, stdout, err));
    if (a->json.is_wanted)
        TL_TRY(cli_json_write(&a->json, tlr_sweep_json(&a->grid.sweep), TLR_JSON_LINES, err));
    if (a->plot)
        TL_TRY(tlr_sweep_draw(&a->grid.sweep, a->plot, err));
    return TL_OK;
}

/* ---- the sweep ---- */

/* Several traces are the first axis. */
static tl_status make_grid(arguments *a, tl_error *err)
{
    tl_status status = grid_expand(&a->grid, a->axes, a->n_axes, err);
    if (status == TL_OK && a->grid.traces.n > 1) {
        memmove(a->axes + 1, a->axes, a->n_axes * sizeof *a->axes);
        a->axes[0] = (tlr_axis){0};
        a->n_axes++;
        status = tlr_axis_of("trace", a->grid.traces.texts, a->grid.traces.n, &a->axes[0], err);
    }
    a->grid.sweep = (tlr_sweep){.n_axes = a->n_axes, .axes = a->axes};
    return status == TL_OK ? tlr_sweep_create(a->axes, a->n_axes, &a->grid.sweep, err) : status;
}

static tl_status sweep(arguments *a, tl_error *err)
{
    TL_TRY(make_grid(a, err));
    TL_TRY(grid_run(&a->grid, err));
    return write_results(a, err);
}

int cmd_sweep(int argc, char **argv)
{
    const struct argp_child children[] = {
        {replay_settings(), 0, "At all points, as for replay:", 1}, {0}};
    arguments a = {.grid = grid_begin()};
    tl_error err;
    a.grid.base.energy = TLR_WANTED_IF_STATED;
    cli_parse(options, parse_option, children, "TRACE... --grid NAME=VALUE,VALUE",
              "Replay over a grid of parameters, on all cores.", argc, argv, &a);
    const tl_status status = sweep(&a, &err);
    if (status == TL_OK)
        grid_warn_of_intervals(&a.grid);
    const int code = status == TL_OK ? grid_tell_failures(&a.grid) : cli_fail(&err);
    grid_free(&a.grid);
    return code;
}
