/* engine.c - replay in the LogGOPS model: latency, overheads and gaps, no contention. */
#include "config.h"

#include "machine/noise.h"
#include "program.h"
#include "results/marks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double s_per_ps = 1e-12;

/* "LogGOPS L=5.3us o=2.3us g=2us G=2.5ns O=1ns S=65536", with R if it is there */
static char *describe_params(const loggops_params *p)
{
    char *text = NULL, rendezvous[32] = "none", combining[40] = "";
    if (p->S_bytes != UINT64_MAX)
        snprintf(rendezvous, sizeof rendezvous, "%llu", (unsigned long long)p->S_bytes);
    if (p->R_ps_byte > 0)
        snprintf(combining, sizeof combining, " R=%.9gns", p->R_ps_byte * 1e-3);
    if (asprintf(&text, "LogGOPS L=%.9gus o=%.9gus g=%.9gus G=%.9gns O=%.9gns S=%s%s",
                 (double)p->L_ps * 1e-6, (double)p->o_ps * 1e-6, (double)p->g_ps * 1e-6,
                 p->G_ps_byte * 1e-3, p->O_ps_byte * 1e-3, rendezvous, combining) < 0)
        return NULL;
    return text;
}

/* "ompi (bcast scatter_LR_allgather for scatter_allgather)": what is taken for what it would take
 */
static char *describe_choice(const char *selector, const loggops_choice *choice)
{
    char *text = NULL;
    if (!choice->stand_ins)
        return strdup(selector ? selector : "default");
    const int length = (int)strlen(choice->stand_ins) - 1; /* it ends with a ';' */
    return asprintf(&text, "%s (%.*s)", selector, length, choice->stand_ins) < 0 ? NULL : text;
}

static tl_status take_results(const tlr_plan *plan, const loggops_run *run,
                              const loggops_params *params, const char *selector,
                              const loggops_choice *choice, const loggops_result *result,
                              tlr_prediction *out)
{
    out->engine_version = strdup(tl_version());
    out->network_model = describe_params(params);
    out->coll_selector = describe_choice(selector, choice);
    out->ranks = calloc(plan->n_ranks, sizeof *out->ranks);
    if (!out->engine_version || !out->network_model || !out->coll_selector || !out->ranks)
        return TL_ERR_MEMORY;
    out->n_ranks = plan->n_ranks;
    out->n_events = plan->n_events;
    out->n_polls = plan->n_polls;
    out->n_opaque = plan->n_opaque;
    out->makespan_s = (double)result->makespan_ps * s_per_ps;
    for (uint32_t r = 0; r < plan->n_ranks; r++) {
        const loggops_rank_result *from = &result->ranks[r];
        out->ranks[r] =
            (tlr_rank_prediction){.end_s = (double)from->end_ps * s_per_ps,
                                  .compute_s = (double)from->compute_ps * s_per_ps,
                                  .kernel_s = run->kernel_s[r],
                                  .p2p_s = (double)from->p2p_ps * s_per_ps,
                                  .wait_s = (double)from->wait_ps * s_per_ps,
                                  .collective_s = (double)from->collective_ps * s_per_ps,
                                  .n_events = plan->ranks[r]->n_events};
    }
    return TL_OK;
}

/* What speaks of SimGrid or of hosts has no meaning here. */
static tl_status check_options(size_t n_jobs, const tlr_options *options, tl_error *err)
{
    if (n_jobs != 1)
        return tl_fail(err, TL_ERR_USAGE, "the loggops engine replays one trace at a time");
    if (!options->loggops_params)
        return tl_fail(err, TL_ERR_USAGE,
                       "the loggops engine needs the network's parameters: --params "
                       "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536");
    if (options->n_changes || options->hostfile || options->ranks_per_host || options->round_robin)
        return tl_fail(
            err, TL_ERR_USAGE,
            "the loggops engine has no hosts and no links: leave --set, --scale, --hostfile, "
            "--round-robin and --ranks-per-host out");
    return TL_OK;
}

/* What the simulation reads and leaves. */
typedef struct loggops_replay {
    loggops_params params;
    loggops_choice choice;
    tlr_noise *noise; /* NULL: none */
    tlr_plan *plan;
    loggops_run *run;
    loggops_result result;
    double *measured_s, *predicted_s; /* [mark][rank] */
} loggops_replay;

static void release(loggops_replay *r)
{
    tlr_noise_free(r->noise);
    free(r->choice.stand_ins);
    loggops_run_free(r->run);
    free(r->result.ranks);
    free(r->result.marks_ps);
    free(r->measured_s);
    free(r->predicted_s);
    tlr_plan_free(r->plan);
}

static int make_room(loggops_replay *r)
{
    const size_t n_marks = r->plan->n_marks * r->plan->n_ranks + 1;
    r->result.ranks = calloc(r->plan->n_ranks, sizeof *r->result.ranks);
    r->result.marks_ps = calloc(n_marks, sizeof *r->result.marks_ps);
    r->measured_s = calloc(n_marks, sizeof *r->measured_s);
    r->predicted_s = calloc(n_marks, sizeof *r->predicted_s);
    return r->result.ranks && r->result.marks_ps && r->measured_s && r->predicted_s;
}

/* Compares with the same run without noise. */
static tl_status weigh_noise(const loggops_replay *r, const tlr_options *options,
                             tlr_prediction *out, tl_error *err)
{
    loggops_result quiet = {.ranks = calloc(out->n_ranks, sizeof *quiet.ranks)};
    out->noise = strdup(options->noise);
    tl_status status = TL_OK;
    if (!quiet.ranks || !out->noise)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory for the prediction");
    else
        status = loggops_simulate(r->run, &r->params, NULL, options->n_threads, &quiet, err);
    out->quiet_s = (double)quiet.makespan_ps * s_per_ps;
    for (uint32_t i = 0; i < out->n_ranks && status == TL_OK; i++) {
        out->ranks[i].noise_s = (double)r->result.ranks[i].noise_ps * s_per_ps;
        out->ranks[i].delay_s = out->ranks[i].end_s - (double)quiet.ranks[i].end_ps * s_per_ps;
    }
    free(quiet.ranks);
    return status;
}

static tl_status replay_loggops(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                                const tlr_model *model, const tlr_options *options,
                                tlr_prediction *const *out, tl_error *err)
{
    (void)platform; /* its network has no meaning here, and its model has been read */
    tl_reader *trace = jobs[0].trace;
    loggops_replay r = {0};
    tl_status status = check_options(n_jobs, options, err);
    if (status != TL_OK ||
        (status = loggops_parse_params(options->loggops_params, &r.params, err)) != TL_OK ||
        (status = loggops_read_choice(options, &r.choice, err)) != TL_OK ||
        (options->noise &&
         (status = tlr_noise_read(options->noise, options->seed, &r.noise, err)) != TL_OK) ||
        (status = tlr_plan_make(trace, model, options, tlr_plan_is_plain, &r.plan, err)) != TL_OK)
        goto cleanup;
    if (!make_room(&r)) {
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory for the prediction");
        goto cleanup;
    }
    if ((status = loggops_read_trace(trace, r.plan, model, options, &r.choice, r.measured_s, &r.run,
                                     err)) != TL_OK ||
        (status = loggops_simulate(r.run, &r.params, r.noise, options->n_threads, &r.result,
                                   err)) != TL_OK)
        goto cleanup;
    for (size_t i = 0; i < r.plan->n_marks * r.plan->n_ranks; i++)
        r.predicted_s[i] = (double)r.result.marks_ps[i] * s_per_ps;
    status = take_results(r.plan, r.run, &r.params, options->coll_selector, &r.choice, &r.result,
                          out[0]);
    if (status == TL_OK)
        status = tlr_take_marks(r.plan, r.measured_s, r.predicted_s, out[0]);
    if (status != TL_OK)
        tl_error_set(err, status, "out of memory for the prediction");
    else if (r.noise)
        status = weigh_noise(&r, options, out[0], err);
cleanup:
    release(&r);
    return status;
}

const tlr_engine tlr_engine_loggops = {.name = "loggops",
                                       .summary = "LogGOPS: no contention; a million ranks",
                                       .replay = replay_loggops};
