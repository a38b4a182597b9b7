/* extrapolation.c - the computation of a trace that nobody recorded at its size: of a skeleton,
 * whose file may state the errors of captures that were left out of the fit, or of a trace that was
 * made from one of fewer ranks, which states none. */
#include "budget/inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <study/extrapolation.h>
#include <timeless_convert.h>
#include <timeless_files.h>

static const char input_name[] = "extrapolation",
                  how_to_state[] = "; state it with --uncertain extrapolation=PERCENT";

static void add_input(budget_inputs *b, tlr_budget_source source, double uncertainty,
                      const char *remedy)
{
    const input_change change = {.kind = INPUT_FACTOR, .change = {TLR_BURST_TIME, "*", 1, 1}};
    budget_add(b, input_name, source, &change, fmin(uncertainty, BUDGET_MOST_UNCERTAIN), remedy);
}

/* ---- a skeleton ---- */

static void note_calls(budget_inputs *b, const tlr_extrapolation *e)
{
    if (e->n_differ)
        budget_note(b,
                    "not in the interval: calls at other sizes, because without %zu of the "
                    "captures the fit made others (see %s)",
                    e->n_differ, b->trace);
    if (e->has_draws)
        budget_note(b, "not in the interval: drawn sizes; other draws: --set draw_seed=NUMBER");
}

static void note_computation(budget_inputs *b, const tlr_extrapolation *e)
{
    if (!e->n_errors && e->n_differ)
        budget_note(b,
                    "not in the interval: extrapolation, because no fit without one of the "
                    "captures of %s has its calls: record more sizes%s",
                    b->trace, how_to_state);
    else if (!e->n_errors)
        budget_note(b,
                    "not in the interval: extrapolation, because %s does not state how wrong its "
                    "computation was for captures left out (timeless fit does)%s",
                    b->trace, how_to_state);
    else if (e->uncertainty < 0)
        budget_note(b,
                    "not in the interval: extrapolation, because no capture of %s with a stated "
                    "error is larger or smaller than the others%s",
                    b->trace, how_to_state);
    else
        budget_note(b,
                    "extrapolation: fits without one capture have its computation within %+.3g to "
                    "%+.3g %%, at distances up to %.3g; the distance of this prediction is %.3g "
                    "(logarithms of ratios, see timeless-budget(1))",
                    100 * e->least_error, 100 * e->most_error, e->tried, e->distance);
    if (e->n_errors && *e->unknown)
        budget_note(b, "not in the interval: the effect of %s", e->unknown);
}

/* A source of volumes with the unit of the captures: fit refuses others. Units other than these are
 * names of events of PAPI. */
static const char *source_of(const char *unit, char *text, size_t size)
{
    static const char *const sources[][2] = {
        {"cpu-ns", "cputime"}, {"instructions", "papi"}, {"cycles", "papi:PAPI_TOT_CYC"}};
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
        if (!strcmp(unit, sources[i][0]))
            return sources[i][1];
    snprintf(text, size, "papi:%s", unit);
    return text;
}

static void add_skeleton(budget_inputs *b, const tlr_extrapolation *e, const char *unit)
{
    double given;
    char source[128];
    if (e->is_captured)
        snprintf(b->next_capture, sizeof b->next_capture,
                 "replay the capture of this size instead of the skeleton");
    else if (*e->record)
        snprintf(b->next_capture, sizeof b->next_capture,
                 "timeless record --folded --volume %s %s -o next.tl -- PROGRAM, then timeless "
                 "fit of all captures and next.tl",
                 source_of(unit, source, sizeof source), e->record);
    else
        snprintf(b->next_capture, sizeof b->next_capture,
                 "timeless record at three sizes or more, then timeless fit");
    if (budget_find_given(b, input_name, input_name, &given)) {
        add_input(b, TLR_BUDGET_GIVEN, given, b->next_capture);
        return;
    }
    note_computation(b, e);
    if (e->uncertainty >= 0)
        add_input(b, TLR_BUDGET_STATED, e->uncertainty, b->next_capture);
}

/* ---- a trace that was extrapolated ---- */

static void add_extrapolated(budget_inputs *b)
{
    static const char remedy[] = "timeless record at three sizes or more, then timeless fit";
    double given;
    if (budget_find_given(b, input_name, input_name, &given))
        add_input(b, TLR_BUDGET_GIVEN, given, remedy);
    else
        budget_note(b,
                    "not in the interval: extrapolation, because %s has the computation of fewer "
                    "ranks, and one size does not show its error%s",
                    b->trace, how_to_state);
}

tl_status budget_add_extrapolation(budget_inputs *b, tl_error *err)
{
    const bool has_computation = !b->sides[b->side].options.no_compute;
    tl_reader *trace = NULL;
    tlr_extrapolation e;
    tlr_scenario s = {0};
    tl_status status = tlr_scenario_copy(&b->sides[b->side], &s, err);
    if (status == TL_OK)
        status = tlr_scenario_finish(&s, err);
    if (status == TL_OK)
        status = tlr_source_open(s.sources[0].path, &trace, err);
    const tl_run *run = status == TL_OK ? tl_reader_run(trace) : NULL;
    if (run && !strncmp(run->program, "skel:", 5)) {
        status = tlr_extrapolation_find(run->program, &e, err);
        if (status == TL_OK)
            note_calls(b, &e);
        if (status == TL_OK && has_computation && strcmp(run->volume_unit, "none") != 0)
            add_skeleton(b, &e, run->volume_unit);
    } else if (run && has_computation && strstr(run->origin, "timeless extrapolate ")) {
        add_extrapolated(b);
    }
    tl_reader_close(trace);
    tlr_scenario_free(&s);
    return status;
}
