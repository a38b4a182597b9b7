/* calibrate.c - measures and fits all kernels. */
#include "calibrate.h"

#include "machine.h"

#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
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
    result->warm_s = options->warm_s;
    snprintf(result->operands, sizeof result->operands, "%s", options->operands);
    tlp_cpu_name(result->processor, sizeof result->processor);
    tlp_moment(result->moment);
    if (tlp_measure_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, &result->instruction_s,
                            NULL) != TL_OK)
        result->instruction_s = -1;
    tl_status status = TL_OK;
    if (!options->needs || tlp_n_needed(options->needs))
        status = tlp_measure(options, &result->samples, &result->n_samples, err);
    if (status == TL_OK)
        *out = result;
    else
        tlp_result_free(result);
    return status;
}

enum { ALL_UNITS = -1 };
/* With fewer calls, a unit of a host has the fit of all, in its own time. */
enum { LEAST_OWN_CALLS = 120 };

/* Whether a call is one of this fit. Its seconds become those of a mean unit in a fit of all. */
static bool is_of_fit(const tlp_result *result, int unit, tlp_sample *sample)
{
    if (unit != ALL_UNITS)
        return sample->unit == unit;
    if (!result->n_units || !result->n_hosts)
        return 1;
    const tlp_unit *own = &result->units[sample->unit];
    sample->seconds /= exp(own->shift[sample->call.kernel - TL_KERNEL_dgemm]);
    return !own->is_out;
}

/* Makes all times of a fit longer by this factor. */
static void scale_fit(tlp_fit *fit, double factor)
{
    for (size_t i = 0; i < fit->n_pieces; i++)
        for (int t = 0; t < TLP_N_TERMS; t++) {
            fit->pieces[i].mean_s[t] *= factor;
            fit->pieces[i].sd_s[t] *= factor;
        }
    fit->slope_s *= factor;
}

/* Fits one kernel. `calls` has room for all samples. */
static tl_status fit_kernel(const tlp_result *result, const tlp_fit_options *options,
                            unsigned kernel, int unit, tlp_sample *calls, tlp_fit *out,
                            tl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_samples; i++) {
        tlp_sample sample = result->samples[i];
        if (sample.call.kernel == kernel && is_of_fit(result, unit, &sample))
            calls[n++] = sample;
    }
    if (unit != ALL_UNITS && result->n_hosts && n < LEAST_OWN_CALLS) {
        *out = *tlp_result_fit(result, kernel);
        scale_fit(out, exp(result->units[unit].shift[kernel - TL_KERNEL_dgemm]));
        return TL_OK;
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

static tl_status fit_group(const tlp_result *result, const tlp_fit_options *options, int unit,
                           tlp_sample *calls, tlp_fit *out, tl_error *err)
{
    for (unsigned k = TL_KERNEL_dgemm; k < TL_KERNEL_user; k++)
        if (tlp_is_measured(k) || options->only_measured)
            TL_TRY(fit_kernel(result, options, k, unit, calls, &out[k - TL_KERNEL_dgemm], err));
    return TL_OK;
}

/* Makes the shifts of units that are not out 0 on average. */
static void centre_shifts(tlp_result *result)
{
    for (int k = 0; k < TLP_FIT_ROOM; k++) {
        double sum = 0, n = 0;
        for (size_t u = 0; u < result->n_units; u++) {
            sum += result->units[u].is_out ? 0 : result->units[u].shift[k];
            n += !result->units[u].is_out;
        }
        for (size_t u = 0; u < result->n_units && n; u++)
            result->units[u].shift[k] -= sum / n;
    }
}

tl_status tlp_fit_all(tlp_result *result, const tlp_fit_options *options, tl_error *err)
{
    gsl_set_error_handler_off();
    tlp_sample *calls = calloc(result->n_samples + 1, sizeof *calls);
    if (!calls)
        return tl_no_memory(err, "fitting");
    centre_shifts(result);
    tl_status status = fit_group(result, options, ALL_UNITS, calls, result->fits, err);
    for (size_t u = 0; u < result->n_units && status == TL_OK; u++)
        status = fit_group(result, options, (int)u, calls, result->units[u].fits, err);
    free(calls);
    return status;
}

void tlp_result_free(void *all)
{
    tlp_result *result = all;
    if (!result)
        return;
    free(result->samples);
    free(result->units);
    free(result->hosts);
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

double tlp_fitted_s(const tlp_fit *fit, const tlp_sample *sample)
{
    const tlp_point point = tlp_point_of(sample);
    return tlp_sum_terms(tlp_find_piece(fit, point.terms)->mean_s, point.terms);
}

/* The measurements come host by host and core by core: with hosts, each is a group. */
static tl_status add_kernel(const tlp_result *result, unsigned kernel, tlp_repetition_list *out)
{
    const tlp_fit *fit = tlp_result_fit(result, kernel);
    if (!fit->n)
        return TL_OK;
    tlp_repetitions *item =
        tlp_begin_repetitions(out, tl_call_by_code((uint16_t)kernel)->name, "measured / fitted");
    if (!item)
        return TL_ERR_MEMORY;
    unsigned group = 0;
    for (unsigned core = 0; core < (result->n_hosts ? 1 : result->cores); core++)
        for (size_t i = 0; i < result->n_samples; i++) {
            const tlp_sample *sample = &result->samples[i];
            group += i > 0 && (sample->host != sample[-1].host || sample->core != sample[-1].core);
            if (sample->call.kernel != kernel || (!result->n_hosts && sample->core != core))
                continue;
            const double fitted = tlp_fitted_s(fit, sample);
            if (fitted > 0)
                TL_TRY(tlp_add_repetition(item, result->n_hosts ? group : core,
                                          sample->seconds / fitted));
        }
    return TL_OK;
}

tl_status tlp_result_repetitions(const tlp_result *result, tlp_repetition_list *out)
{
    for (unsigned k = TL_KERNEL_dgemm; k < TL_KERNEL_user; k++)
        TL_TRY(add_kernel(result, k, out));
    return TL_OK;
}
