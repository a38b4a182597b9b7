/* steps.c - the steps of HPL: its panels. */
#include "sample/steps.h"

#include <stdlib.h>
#include <timeless_convert.h>

enum { N_TERMS = 3 };

static tl_status open_hpl_window(const tlr_steps *steps, size_t from, size_t past,
                                 const int64_t *delays_ns, tl_reader **out, tl_error *err)
{
    tl_hpl o;
    TL_TRY(tl_hpl_parse(tl_reader_run(steps->trace)->program + sizeof "hpl:" - 1, &o, err));
    o.from = (int64_t)from;
    o.past = (int64_t)past;
    const size_t size = tl_hpl_text(&o, NULL, 0) + 1;
    char *text = malloc(size);
    if (text)
        tl_hpl_text(&o, text, size);
    tl_hpl_free(&o);
    tl_status status = text ? tl_reader_open(text, out, err) : tl_no_memory(err, "a window");
    free(text);
    if (status == TL_OK && delays_ns)
        tl_reader_delay(*out, delays_ns);
    return status;
}

/* The time of a panel has three terms: a constant one; one that grows with the remaining rows
 * (factorisation, broadcast) or columns (swap); and one that grows with both (update). */
static tl_status sum_panels(const tl_hpl *o, tlr_step_sums *out, tl_error *err)
{
    const size_t n = (size_t)tl_hpl_panels(o);
    *out = (tlr_step_sums){n, N_TERMS, calloc((n + 1) * N_TERMS, sizeof *out->sums)};
    if (!out->sums)
        return tl_no_memory(err, "steps of the run");
    for (size_t i = 0; i < n; i++) {
        const double *before = out->sums + i * N_TERMS;
        double *sums = out->sums + (i + 1) * N_TERMS;
        const double left = (double)o->n - (double)i * o->nb;
        sums[0] = before[0] + 1;
        sums[1] = before[1] + left;
        sums[2] = before[2] + left * left;
    }
    return TL_OK;
}

tl_status tlr_steps_open(tl_reader *trace, tlr_steps *out, tl_error *err)
{
    size_t n_calls;
    tl_hpl o;
    *out = (tlr_steps){.trace = trace};
    if (!tl_reader_calls(trace, &n_calls))
        return tlr_trace_steps_open(out, err);
    TL_TRY(tl_hpl_parse(tl_reader_run(trace)->program + sizeof "hpl:" - 1, &o, err));
    tl_hpl_free(&o);
    if (o.past)
        return tl_fail(err, TL_ERR_USAGE, "%s: is a window already; leave FROM and PAST out",
                       tl_reader_path(trace));
    out->first_cut = (size_t)tl_hpl_first_cut(&o);
    out->period = (size_t)o.q;
    out->site = "HPL_pdtest";
    out->open_window = open_hpl_window;
    return sum_panels(&o, &out->known, err);
}

void tlr_steps_close(tlr_steps *steps)
{
    free(steps->known.sums);
    tlr_trace_steps_free(steps->own);
}
