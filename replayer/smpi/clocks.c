/* clocks.c - where the ranks would be if something else were different.
 *
 * Beside the simulated time each rank has clocks that advance by other durations: they pass along
 * the messages and collectives of the replay as they were matched, and take the latest of what they
 * meet.  One counts computation alone, and joins only where a rank cannot go on without the other,
 * on whatever network: a bound.  The others keep the durations of messages as they were, with other
 * computation: estimates, for other moments of messages would share links differently. */
#include "config.h"

#include "waits.h"

#include <stdlib.h>

#include <simgrid/host.h>

static double **balance_factors; /* [job][rank]: mean computation / the rank's own */

static double host_speed(const smpi_rank *r)
{
    return sg_host_get_speed(sg_host_by_name(r->result->host));
}

/* Seconds of a rank's computation on its host. */
static double sum_computation(const smpi_rank *r)
{
    tl_error err;
    tl_event event;
    tl_cursor *cursor;
    double reference_s = 0;
    tlr_rank_model model = r->model; /* the replay's own has its place in the trace */
    model.memos = NULL;
    if (tl_cursor_open(r->job->trace, r->rank, &cursor, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    for (uint64_t i = 0; tl_cursor_next(cursor, &event) == TL_OK; i++) {
        reference_s += tlr_rank_burst_s(&model, &event, i);
        if (tl_call_by_code(event.call)->action == TL_ACTION_KERNEL)
            reference_s += tlr_rank_kernel_s(&model, &event, i);
    }
    tl_cursor_close(cursor);
    free(model.memos);
    return reference_s * r->flops_per_s / host_speed(r);
}

static double *factors_of(const smpi_job *job)
{
    const uint32_t n_ranks = job->plan->n_ranks;
    double *factors = smpi_alloc(n_ranks, sizeof *factors), sum_s = 0;
    for (uint32_t r = 0; r < n_ranks && replay.model; r++) {
        factors[r] = sum_computation(&replay.ranks[job->first_rank + r]);
        sum_s += factors[r];
    }
    for (uint32_t r = 0; r < n_ranks; r++)
        if (factors[r] > 0)
            factors[r] = sum_s / n_ranks / factors[r];
    return factors;
}

void smpi_clocks_open(const smpi_rank *r)
{
    const size_t job = (size_t)(r->job - replay.jobs);
    if (!balance_factors)
        balance_factors = smpi_alloc(replay.n_jobs, sizeof *balance_factors);
    if (!balance_factors[job])
        balance_factors[job] = factors_of(r->job);
}

void smpi_clock_computation(const smpi_rank *r, tlr_clocks *clocks, double took_s,
                            double reference_s)
{
    /* What threads of a rank compute at the same time is not told apart. */
    const double alone_s = r->n_threads ? 0 : reference_s * r->flops_per_s / host_speed(r);
    r->result->alone_s += alone_s;
    clocks->s[CLOCK_NETWORK] += alone_s;
    clocks->s[CLOCK_BALANCE] += took_s * balance_factors[r->job - replay.jobs][r->rank];
    clocks->s[CLOCK_CPU] += took_s / 2;
}
