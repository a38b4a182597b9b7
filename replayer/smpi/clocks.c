/* clocks.c - where the ranks would be if something else were different.
 *
 * Beside the simulated time each rank has clocks that advance by other durations: they pass along
 * the messages and collectives of the replay as they were matched, and take the latest of what they
 * meet.  One counts computation alone, and joins only where a rank cannot go on without the other,
 * on whatever network: a bound.  The others keep the durations of messages as they were, with other
 * computation: estimates, for other moments of messages would share links differently. */
#include "config.h"

#include "actions.h"
#include "notes.h"

#include <stdlib.h>

#include <simgrid/host.h>

/* Of a job: the computation of each rank in balance. */
typedef struct balance {
    tlr_phases *ranks; /* NULL: not known yet */
    size_t n_phases;
} balance;

static balance *balances; /* by job */

static double host_speed(const smpi_rank *r)
{
    return sg_host_get_speed(sg_host_by_name(r->result->host));
}

static bool has_all(const smpi_rank *r, uint32_t comm)
{
    const tlr_plan *plan = r->job->plan;
    return comm > 0 && plan->comms[comm - 1].n_members == plan->n_ranks;
}

/* Seconds of a rank's computation on its host, in each phase. */
static int find_phases(const smpi_rank *r, tlr_phases *phases)
{
    tl_error err;
    tl_event event;
    tl_cursor *cursor;
    tlr_rank_model model = r->model; /* the replay's own has its place in the trace */
    const double s_per_s = replay.model ? r->flops_per_s / host_speed(r) : 0;
    bool is_kept = 1;
    model.memos = NULL;
    phases->n_ranks = 1;
    if (tl_cursor_open(r->job->trace, r->rank, &cursor, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    for (uint64_t i = 0; is_kept && tl_cursor_next(cursor, &event) == TL_OK; i++) {
        const tl_call_info *info = tl_call_by_code(event.call);
        tlr_state state = {0};
        double reference_s = replay.model ? tlr_rank_burst_s(&model, &event, i) : 0;
        if (replay.model && info->action == TL_ACTION_KERNEL)
            reference_s += tlr_rank_kernel_s(&model, &event, i);
        is_kept = tlr_phases_compute(phases, reference_s * s_per_s);
        if (!tlr_plan_is_modelled(r->job->plan, r->rank, &event, info))
            continue;
        tlr_state_of_event(r->job->plan, r->rank, &event, info, &state);
        is_kept &= tlr_phases_call(phases, state.call, has_all(r, state.comm));
    }
    tl_cursor_close(cursor);
    free(model.memos);
    return is_kept;
}

static void find_balance(const smpi_job *job, balance *out)
{
    const uint32_t n_ranks = job->plan->n_ranks;
    bool is_kept = 1;
    out->ranks = smpi_alloc(n_ranks, sizeof *out->ranks);
    for (uint32_t r = 0; r < n_ranks && is_kept; r++)
        is_kept = find_phases(&replay.ranks[job->first_rank + r], &out->ranks[r]);
    if (!is_kept || !tlr_phases_balance(out->ranks, n_ranks, &out->n_phases))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
}

static balance *balance_of(const smpi_rank *r)
{
    return &balances[r->job - replay.jobs];
}

void smpi_clocks_open(const smpi_rank *r, tlr_clocks *clocks)
{
    if (!balances)
        balances = smpi_alloc(replay.n_jobs, sizeof *balances);
    balance *b = balance_of(r);
    if (!b->ranks)
        find_balance(r->job, b);
    r->result->n_phases = b->n_phases;
    tlr_phases_start(&b->ranks[r->rank], clocks);
}

void smpi_clock_computation(const smpi_rank *r, const tlr_phase_place *at, tlr_clocks *clocks,
                            double took_s, double reference_s)
{
    /* What threads of a rank compute at the same time is not told apart. */
    const double alone_s = r->n_threads ? 0 : reference_s * r->flops_per_s / host_speed(r);
    r->result->alone_s += alone_s;
    clocks->s[CLOCK_NETWORK] += alone_s;
    tlr_phases_computed(&balance_of(r)->ranks[r->rank], at, took_s, clocks);
    clocks->s[CLOCK_CPU] += took_s / 2;
}

void smpi_clock_call(const smpi_rank *r, tlr_phase_place *at, tlr_clocks *clocks,
                     const tlr_state *state)
{
    tlr_phases_called(&balance_of(r)->ranks[r->rank], at, state->call, has_all(r, state->comm),
                      clocks);
}
