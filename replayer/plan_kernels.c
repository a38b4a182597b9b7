/* plan_kernels.c - the kernels of a trace, and what tells their time where the model has no line.
 *
 * A recording has the volume of all calls of a kernel, as a counter of each rank: "kernel:ddot",
 * "kernel:user:assemble". Divided by the work of these calls it takes the place of a model. */
#include "machine/rank_model.h"
#include "plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "kernel:"
#define USER_PREFIX "user:"

/* The entry of a kernel, which is added if there is none; NULL without memory. */
static tlr_recorded_kernel *entry_of(tlr_recorded_kernels *r, uint16_t call, const char *user)
{
    tlr_recorded_kernel *found = tlr_find_recorded(r, call, user);
    tlr_recorded_kernel *more = found ? NULL : realloc(r->list, (r->n + 1) * sizeof *more);
    if (found || !more)
        return found;
    r->list = more;
    r->has[call] = 1;
    r->list[r->n] = (tlr_recorded_kernel){.call = call, .user = user};
    return &r->list[r->n++];
}

tl_status tlr_plan_read_kernel_volumes(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                                       tl_error *err)
{
    const tl_counter *counters = NULL;
    const size_t n = tl_reader_counters(trace, rank, &counters);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(counters[i].name, PREFIX, strlen(PREFIX)) != 0)
            continue;
        const char *name = counters[i].name + strlen(PREFIX);
        const bool is_user = !strncmp(name, USER_PREFIX, strlen(USER_PREFIX));
        const tl_call_info *row = is_user ? tl_call_by_code(TL_KERNEL_user) : tl_call_by_name(name);
        if (!row || row->action != TL_ACTION_KERNEL)
            row = tl_call_by_code(TL_KERNEL_unknown);
        if (!plan->kernels.recorded &&
            !(plan->kernels.recorded = calloc(1, sizeof *plan->kernels.recorded)))
            return tl_no_memory(err, "reading the trace");
        tlr_recorded_kernel *entry = entry_of(plan->kernels.recorded, row->code,
                                              is_user ? name + strlen(USER_PREFIX) : NULL);
        if (!entry)
            return tl_no_memory(err, "reading the trace");
        entry->volume += (double)counters[i].value;
    }
    return TL_OK;
}

/* Whether a kernel can have so many sizes: those of its row; a transform has one or more, and a
 * kernel of the program any number. */
static int fits(const tl_call_info *kernel, size_t n_sizes)
{
    size_t n = 1;
    if (!kernel->dimensions)
        return kernel->code == TL_KERNEL_user || !n_sizes;
    if (kernel->code >= TL_KERNEL_fftw_dft && kernel->code <= TL_KERNEL_fftwl_r2r)
        return n_sizes > 0;
    for (const char *c = kernel->dimensions; *c; c++)
        n += *c == ' ';
    return n_sizes == n;
}

void tlr_plan_note_kernel(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                          const tl_event *event, const tl_call_info *info)
{
    tlr_recorded_kernels *recorded = plan->kernels.recorded;
    const uint32_t n_alike = plan->ranks[rank]->n_alike;
    const bool is_known = info->code != TL_KERNEL_unknown && fits(info, event->list_len);
    plan->kernels.n_calls[info->code] += is_known ? n_alike : 0;
    plan->kernels.n_unknown += is_known ? 0 : n_alike;
    if (!recorded || !recorded->has[info->code])
        return;
    const char *user =
        info->code == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, event) : NULL;
    tlr_recorded_kernel *entry = tlr_find_recorded(recorded, info->code, user);
    if (entry)
        entry->work += tl_kernel_work(event->call, event->list, event->list_len);
}

void tlr_plan_free_kernel_volumes(tlr_plan *plan)
{
    if (plan->kernels.recorded)
        free(plan->kernels.recorded->list);
    free(plan->kernels.recorded);
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        free(plan->kernels.estimated[by]);
}

/* ---- kernels without a line ---- */

static tl_status no_model_of(const tl_reader *trace, const tlr_model *model, const char *name,
                             bool is_strict, tl_error *err)
{
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: has no model of the kernel '%s' of %s; measure it with 'timeless calibrate "
                   "kernels --for %s', add its line or seconds_per_flop (timeless-model(5)), %sor "
                   "give --no-compute",
                   model->path, name, tl_reader_path(trace), tl_reader_path(trace),
                   is_strict ? "leave out --model-strict, " : "");
}

/* Adds a name to a list; nothing if the list has it. */
static int add_name(char **names, const char *name)
{
    const size_t used = *names ? strlen(*names) : 0, more = strlen(name);
    const char *at = used ? *names : "";
    while ((at = strstr(at, name)) &&
           ((at != *names && at[-1] != ' ') || (at[more] && at[more] != ',')))
        at++;
    if (at && used)
        return 1;
    char *grown = realloc(*names, used + more + sizeof ", ");
    if (!grown)
        return 0;
    snprintf(grown + used, more + sizeof ", ", "%s%s", used ? ", " : "", name);
    *names = grown;
    return 1;
}

/* Whether the model or the recording tells the time of a kernel. */
static tl_status check_kernel(tlr_plan *plan, const tl_reader *trace, const tlr_model *model,
                              const tlr_options *options, uint16_t call, const char *user,
                              tl_error *err)
{
    char name[256];
    snprintf(name, sizeof name, "%s%s", user ? USER_PREFIX : "",
             user ? user : tl_call_by_code(call)->name);
    if (tlr_rates_kernel(&model->pool, call, user) || model == &tlr_host_speeds)
        return TL_OK;
    const tlr_estimate by = tlr_estimate_of(model, plan->kernels.recorded,
                                            tl_reader_run(trace)->volume_unit, call, user);
    if (by == TLR_N_ESTIMATES || options->model_strict)
        return no_model_of(trace, model, name, options->model_strict, err);
    return add_name(&plan->kernels.estimated[by], name) ? TL_OK
                                                        : tl_no_memory(err, "reading the trace");
}

/* The names that the program gave, those of all ranks.  What moves the rows of HPL is in the models
 * of few platforms; without a line of its own it takes no time (tlr_plan_free_kernels). */
static tl_status check_user_kernels(tlr_plan *plan, tl_reader *trace, const tlr_model *model,
                                    const tlr_options *options, tl_error *err)
{
    size_t n_calls = 0;
    tl_status status = TL_OK;
    if (tl_reader_calls(trace, &n_calls))
        return TL_OK;
    for (uint32_t rank = 0; rank < plan->n_ranks && status == TL_OK; rank++) {
        const tl_user_kernel *kernels;
        const size_t n = tl_reader_kernels(trace, rank, &kernels);
        for (size_t i = 0; i < n && status == TL_OK; i++)
            status =
                check_kernel(plan, trace, model, options, TL_KERNEL_user, kernels[i].name, err);
    }
    return status;
}

tl_status tlr_plan_check_kernels(tlr_plan *plan, tl_reader *trace, const tlr_model *model,
                                 const tlr_options *options, tl_error *err)
{
    tl_status status = TL_OK;
    for (unsigned code = 0; code < TL_CALL_LIMIT && status == TL_OK; code++)
        if (plan->kernels.n_calls[code] && code != TL_KERNEL_user)
            status = check_kernel(plan, trace, model, options, (uint16_t)code, NULL, err);
    return status == TL_OK ? check_user_kernels(plan, trace, model, options, err) : status;
}

tl_status tlr_plan_free_kernels(tl_reader *trace, const tlr_model *model, char **names)
{
    const tl_user_kernel *kernels;
    size_t n_calls = 0;
    char name[256];
    *names = NULL;
    if (!model || !tl_reader_calls(trace, &n_calls))
        return TL_OK;
    const size_t n = tl_reader_kernels(trace, 0, &kernels);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, USER_PREFIX "%s", kernels[i].name);
        if (!tlr_rates_kernel(&model->pool, TL_KERNEL_user, kernels[i].name) &&
            !add_name(names, name))
            return TL_ERR_MEMORY;
    }
    return TL_OK;
}

tl_status tlr_plan_describe(const tlr_plan *plan, tlr_prediction *out)
{
    out->n_polls = plan->n_polls;
    out->n_opaque = plan->n_opaque;
    out->n_threads = plan->n_threads;
    out->n_unknown_kernels = plan->kernels.n_unknown;
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        if (plan->kernels.estimated[by] &&
            !(out->estimated[by] = strdup(plan->kernels.estimated[by])))
            return TL_ERR_MEMORY;
    return TL_OK;
}
