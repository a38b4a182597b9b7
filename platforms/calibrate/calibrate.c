/* calibrate.c - measures and fits all kernels. */
#include "calibrate.h"

#include "machine.h"

#include <stdlib.h>

#include <gsl/gsl_errno.h>

tl_status tlp_calibrate(const tlp_measure_options *options, tlp_result **out, tl_error *err)
{
    tlp_result *result = calloc(1, sizeof *result);
    if (!result)
        return tl_no_memory(err, "calibrating");
    result->cores = tlp_n_groups(options);
    result->threads = options->threads;
    result->seed = options->seed;
    tlp_cpu_name(result->processor, sizeof result->processor);
    tlp_moment(result->moment);
    if (tlp_measure_instructions(&result->instruction_s, NULL) != TL_OK)
        result->instruction_s = -1;
    tl_status status = tlp_measure(options, &result->samples, &result->n_samples, err);
    if (status == TL_OK) {
        *out = result;
        result = NULL;
    }
    tlp_result_free(result);
    return status;
}

/* Fits one kernel; core < 0: all cores together. `calls` has room for all samples. */
static tl_status fit_kernel(const tlp_result *result, const tlp_fit_options *options,
                            unsigned kernel, int core, tlp_sample *calls, tlp_fit *out,
                            tl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *sample = &result->samples[i];
        if (sample->call.kernel == kernel && (core < 0 || sample->core == core))
            calls[n++] = *sample;
    }
    if (!n && options->only_measured)
        return TL_OK;
    bool is_same = options->only_measured;
    for (size_t i = 1; i < n; i++)
        is_same &= calls[i].work == calls[0].work;
    tl_status status =
        tlp_fit_kernel(calls, n, is_same ? TLP_M0 : options->form, options->noise, out);
    if (status == TL_ERR_MEMORY)
        return tl_fail(err, status, "out of memory while fitting");
    if (status != TL_OK)
        return tl_fail(err, TL_ERR_INPUT,
                       "%zu measurements of %s give no model; give more --max-seconds", n,
                       tl_call_by_code(kernel)->name);
    return TL_OK;
}

static tl_status fit_group(const tlp_result *result, const tlp_fit_options *options, int core,
                           tlp_sample *calls, tlp_fit *out, tl_error *err)
{
    tl_status status = TL_OK;
    for (unsigned k = TL_KERNEL_dgemm; k < TL_KERNEL_user && status == TL_OK; k++)
        if (tlp_is_measured(k) || options->only_measured)
            status = fit_kernel(result, options, k, core, calls, &out[k - TL_KERNEL_dgemm], err);
    return status;
}

tl_status tlp_fit_all(tlp_result *result, const tlp_fit_options *options, tl_error *err)
{
    gsl_set_error_handler_off();
    tlp_sample *calls = calloc(result->n_samples + 1, sizeof *calls);
    if (options->per_core && !result->core_fits)
        result->core_fits = calloc(result->cores, sizeof *result->core_fits);
    tl_status status = TL_OK;
    if (!calls || (options->per_core && !result->core_fits))
        status = tl_no_memory(err, "fitting");
    if (status == TL_OK)
        status = fit_group(result, options, -1, calls, result->fits, err);
    for (unsigned core = 0; options->per_core && core < result->cores && status == TL_OK; core++)
        status = fit_group(result, options, (int)core, calls, result->core_fits[core], err);
    free(calls);
    return status;
}

void tlp_result_free(void *all)
{
    tlp_result *result = all;
    if (!result)
        return;
    free(result->samples);
    free(result->core_fits);
    free(result);
}

bool tlp_is_measured(unsigned kernel)
{
    return (kernel >= TL_KERNEL_dgemm && kernel <= TL_KERNEL_idamax) ||
           (kernel >= TL_KERNEL_sgemm && kernel <= TL_KERNEL_isamax);
}

const tlp_fit *tlp_result_fit(const tlp_result *result, unsigned kernel)
{
    return kernel >= TL_KERNEL_dgemm && kernel < TL_KERNEL_user
               ? &result->fits[kernel - TL_KERNEL_dgemm]
               : NULL;
}

static tl_status add_kernel(const tlp_result *result, unsigned kernel, tlp_repetition_list *out)
{
    const tlp_fit *fit = tlp_result_fit(result, kernel);
    if (!fit->n)
        return TL_OK;
    tlp_repetitions *item =
        tlp_begin_repetitions(out, tl_call_by_code((uint16_t)kernel)->name, "measured / fitted");
    tl_status status = item ? TL_OK : TL_ERR_MEMORY;
    for (unsigned core = 0; core < result->cores && status == TL_OK; core++) {
        for (size_t i = 0; i < result->n_samples && status == TL_OK; i++) {
            const tlp_sample *sample = &result->samples[i];
            if (sample->call.kernel != kernel || sample->core != core)
                continue;
            const tlp_point point = tlp_point_of(sample);
            const double fitted =
                tlp_sum_terms(tlp_find_piece(fit, point.terms)->mean_s, point.terms);
            if (fitted > 0)
                status = tlp_add_repetition(item, core, sample->seconds / fitted);
        }
    }
    return status;
}

tl_status tlp_result_repetitions(const tlp_result *result, tlp_repetition_list *out)
{
    tl_status status = TL_OK;
    for (unsigned k = TL_KERNEL_dgemm; k < TL_KERNEL_user && status == TL_OK; k++)
        status = add_kernel(result, k, out);
    return status;
}
