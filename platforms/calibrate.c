/* calibrate.c - measure and fit all kernels. */
#include "calibrate.h"

#include <stdlib.h>

#include <gsl/gsl_errno.h>

/* Fits one kernel; `work` and `seconds` have room for all samples. */
static tl_status fit_kernel(tlp_result *result, unsigned kernel, double *work, double *seconds,
                            tl_error *err)
{
    size_t n = 0;
    for (size_t i = 0; i < result->n_samples; i++) {
        if (result->samples[i].call.kernel != kernel)
            continue;
        work[n] = result->samples[i].work;
        seconds[n++] = result->samples[i].seconds;
    }
    tl_status status = tlp_fit_line(work, seconds, n, &result->fits[kernel - TL_KERNEL_dgemm]);
    if (status == TL_OK)
        return status;
    return tl_fail(err, status, "%zu measurements of %s give no line; give more --max-seconds", n,
                   tl_call_by_code(kernel)->name);
}

tl_status tlp_calibrate(const tlp_measure_options *options, tlp_result **out, tl_error *err)
{
    gsl_set_error_handler_off();
    double *work = NULL, *seconds = NULL;
    tlp_result *result = calloc(1, sizeof *result);
    if (!result)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory while calibrating");
    result->cores = options->cores ? options->cores : tlp_n_cores();
    result->seed = options->seed;
    if (tlp_measure_instructions(&result->instruction_s, NULL) != TL_OK)
        result->instruction_s = -1;
    tl_status status = tlp_measure(options, &result->samples, &result->n_samples, err);
    if (status != TL_OK)
        goto cleanup;
    work = calloc(result->n_samples + 1, sizeof *work);
    seconds = calloc(result->n_samples + 1, sizeof *seconds);
    if (!work || !seconds) {
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory while calibrating");
        goto cleanup;
    }
#define TLP_KERNEL(name)                                                                           \
    if (status == TL_OK)                                                                           \
        status = fit_kernel(result, TL_KERNEL_##name, work, seconds, err);
    TLP_KERNELS
#undef TLP_KERNEL
    if (status == TL_OK) {
        *out = result;
        result = NULL;
    }
cleanup:
    free(work);
    free(seconds);
    tlp_result_free(result);
    return status;
}

void tlp_result_free(tlp_result *result)
{
    if (!result)
        return;
    free(result->samples);
    free(result);
}

const tlp_fit *tlp_result_fit(const tlp_result *result, unsigned kernel)
{
    switch (kernel) {
#define TLP_KERNEL(name) case TL_KERNEL_##name:
        TLP_KERNELS
#undef TLP_KERNEL
        return &result->fits[kernel - TL_KERNEL_dgemm];
    default: return NULL;
    }
}
