/* recordings.c - several recordings of one program: how much they differ replaces an assumption. */
#include "budget/inputs.h"

#include <math.h>
#include <results/json_text.h>
#include <stdlib.h>
#include <timeless_files.h>

/* Classes of bursts that are named. */
enum { MOST_NAMED = 3 };

static tl_status measure(budget_inputs *b, tl_reader **traces, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < b->traces.n && status == TL_OK; i++)
        status = tl_reader_open(b->traces.texts[i], &traces[i], err);
    if (status == TL_OK)
        status = tlp_spread_make(traces, b->traces.n, &b->spread, err);
    for (size_t i = 0; i < b->traces.n; i++)
        tl_reader_close(traces[i]);
    return status;
}

tl_status budget_read_recordings(budget_inputs *b, tl_error *err)
{
    b->trace = b->traces.texts[0];
    if (b->traces.n == 1)
        return TL_OK;
    tl_reader **traces = calloc(b->traces.n, sizeof *traces);
    const tl_status status = traces ? measure(b, traces, err) : tl_no_memory(err, "recordings");
    free(traces);
    if (status == TL_OK)
        b->trace = b->traces.texts[b->spread->middle];
    return status;
}

/* The classes that make the bursts uncertain, and what the recordings do not have in common. */
static void note_differences(budget_inputs *b)
{
    const tlp_spread *s = b->spread;
    for (size_t i = 0; i < s->n && i < MOST_NAMED && s->classes[i].uncertainty > 0; i++)
        budget_note(b, "  %.3g %% of them, +-%.3g %%: from %.120s to %.120s",
                    100 * s->classes[i].share, 100 * s->classes[i].uncertainty, s->classes[i].from,
                    s->classes[i].to);
    if (s->common < 0.9995)
        budget_note(b, "  only %.3g %% of them are between call sites that each run reached",
                    100 * s->common);
    if (s->other)
        budget_note(b,
                    "the program does not do the same in each run: %.120s and %.120s have other "
                    "numbers of calls",
                    b->traces.texts[0], b->traces.texts[s->other]);
}

void budget_use_recordings(budget_inputs *b, tlr_budget_input *bursts, bool is_timed)
{
    if (!b->spread)
        return;
    const double measured = b->spread->all.uncertainty;
    const bool is_used =
        bursts->source == TLR_BUDGET_ASSUMED && (is_timed || measured > bursts->uncertainty);
    if (is_used) {
        bursts->source = TLR_BUDGET_MEASURED;
        bursts->uncertainty = fmin(measured, BUDGET_MOST_UNCERTAIN);
        bursts->n_runs = b->spread->n_runs;
    }
    if (b->side)
        return;
    budget_note(b, "makespan: of %s, whose computation is the median of %zu recordings", b->trace,
                b->spread->n_runs);
    budget_note(b, "bursts: measured, %zu runs, +-%.3g %%%s", b->spread->n_runs, 100 * measured,
                is_used || bursts->source == TLR_BUDGET_GIVEN
                    ? ""
                    : " in their number of instructions; the time of an instruction is assumed");
    note_differences(b);
}

json_t *budget_classes_json(const tlp_spread *spread)
{
    json_t *classes = spread ? json_array() : NULL;
    for (size_t i = 0; spread && i < spread->n; i++) {
        const tlp_spread_class *c = &spread->classes[i];
        json_array_append_new(classes, json_pack("{s:o, s:o, s:f, s:f}", "from",
                                                 tlr_json_text(c->from), "to", tlr_json_text(c->to),
                                                 "share", c->share, "uncertainty", c->uncertainty));
    }
    return classes;
}
