/* study.c - timeless study: the studies, and what they have in common. */
#include "config.h"

#include "study/study.h"

#include "progress.h"
#include "replay.h"

#include <machine/duration.h>
#include <stdlib.h>
#include <string.h>

static const cli_target targets[] = {
    {"collectives", "compare all algorithms of a collective on a platform", study_collectives},
    {"noise", "print how much programs amplify the noise of the system", study_noise},
    {"scaling", "print how well a program uses more ranks, and what limits it", study_scaling},
};
static const cli_targets studies = {"study",   "studied",
                                    "studies", "'man timeless-study' describes them.",
                                    targets,   sizeof targets / sizeof *targets};

int cmd_study(int argc, char **argv)
{
    return cli_run_target(&studies, argc, argv);
}

/* ---- the command line ---- */

study_common study_begin(void)
{
    return (study_common){.grid = grid_begin()};
}

void study_parse_all(const struct argp_option *options, argp_parser_t parser, const char *usage,
                     const char *summary, int argc, char **argv, void *input)
{
    const struct argp_child children[] = {
        {replay_settings(), 0, "At all points, as for replay:", 1}, {0}};
    cli_parse(options, parser, children, usage, summary, argc, argv, input);
}

error_t study_parse(int key, char *value, struct argp_state *state, study_common *s)
{
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &s->grid.base; return 0;
    case 'o': s->grid.out = value; return 0;
    case STUDY_JSON: s->json = (cli_json){1, value}; return 0;
    case STUDY_PLOT: s->plot = cli_picture(state, value); return 0;
    case 'j': s->grid.n_jobs = cli_parse_jobs(state, value); return 0;
    case STUDY_SECONDS:
        s->grid.max_s = (unsigned)cli_parse_number_from(state, "--max-seconds", value, 1, 1000000);
        return 0;
    case STUDY_PROGRESS: cli_progress_print(); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* "64", "4K", "1M". Moves *text behind it; 0: it is no number, or too large. */
static int read_number(const char **text, uint64_t *out)
{
    return tlr_parse_bytes(*text, text, out) && *out <= INT32_MAX;
}

static tl_status add_number(tlr_axis *axis, uint64_t number, tl_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return tlr_axis_add(axis, text, err);
}

/* "A", "A..B" or "A..B:F": A, A F, A F F, ..., and B. TL_ERR_USAGE without a message: it is none of
 * them. */
static tl_status add_item(const char *item, tlr_axis *axis, tl_error *err)
{
    uint64_t first, last, factor = 4;
    tl_status status = TL_OK;
    if (!read_number(&item, &first))
        return TL_ERR_USAGE;
    last = first;
    if (!strncmp(item, "..", 2)) {
        item += 2;
        if (!read_number(&item, &last) || last < first)
            return TL_ERR_USAGE;
        if (*item == ':') {
            item++;
            if (!read_number(&item, &factor) || factor < 2)
                return TL_ERR_USAGE;
        }
    }
    if (*item)
        return TL_ERR_USAGE;
    for (uint64_t at = first; at < last && status == TL_OK; at = at ? at * factor : 1)
        status = add_number(axis, at, err);
    return status == TL_OK ? add_number(axis, last, err) : status;
}

tl_status study_numbers(const char *axis, const char *option, const char *text, tlr_axis *out,
                        tl_error *err)
{
    char *copy = strdup(text), *save = NULL;
    tl_status status =
        copy ? tlr_axis_of(axis, NULL, 0, out, err) : tl_no_memory(err, "the command");
    for (char *item = copy ? strtok_r(copy, ",", &save) : NULL; item && status == TL_OK;
         item = strtok_r(NULL, ",", &save))
        if ((status = add_item(item, out, err)) == TL_ERR_USAGE)
            status = tl_fail(err, TL_ERR_USAGE,
                             "%s '%s': '%s' is neither a number, as 64 or 4K, nor a range, as "
                             "1..1M or 1..1M:2",
                             option, text, item);
    if (status == TL_OK && !out->n)
        status = tl_fail(err, TL_ERR_USAGE, "%s: give at least one number", option);
    free(copy);
    return status;
}

/* ---- the grid ---- */

void study_refuse(struct argp_state *state, const grid *g, const char *setting, const char *reason)
{
    if (tlr_scenario_has(&g->base, setting))
        argp_error(state, "--%s: %s", setting, reason);
}

tl_status study_make_sweep(grid *g, tl_status status, tlr_axis *axes, size_t n_axes, tl_error *err)
{
    g->sweep = (tlr_sweep){.n_axes = axes ? n_axes : 0, .axes = axes};
    return status == TL_OK ? tlr_sweep_create(axes, n_axes, &g->sweep, err) : status;
}

void study_place(const grid *g, char *text, size_t size)
{
    char ranks[32];
    const tlr_scenario *base = &g->base;
    snprintf(ranks, sizeof ranks, "%u", base->options.ranks_per_host);
    const struct {
        const char *value, *before;
    } parts[] = {{base->platform, ""},
                 {base->options.ranks_per_host ? ranks : NULL, "ranks per host: "},
                 {base->engine, "engine "},
                 {base->options.loggops_params, ""}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++)
        if (parts[i].value)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
                                     parts[i].before, parts[i].value);
}

/* Without a single result, the failures say more than an empty table. */
static bool has_any(const grid *g)
{
    for (size_t i = 0; i < g->sweep.n_points; i++)
        if (tlr_point_has_time(&g->sweep.points[i]))
            return 1;
    return 0;
}

int study_run(study_common *s, tl_status status, tl_status (*write)(const void *arg, tl_error *err),
              const void *arg, tl_error *err)
{
    if (status == TL_OK)
        status = grid_run(&s->grid, err);
    if (status == TL_OK && has_any(&s->grid) && s->grid.results)
        status = tlr_results_write(s->grid.results, &s->grid.sweep, err);
    if (status == TL_OK && has_any(&s->grid))
        status = write(arg, err);
    for (size_t i = 0; i < s->grid.traces.n && has_any(&s->grid); i++)
        if (!s->grid.base.options.no_compute)
            replay_warn_of_laws(s->grid.traces.texts[i]);
    return status == TL_OK ? grid_tell_failures(&s->grid) : cli_fail(err);
}
