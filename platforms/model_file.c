/* model_file.c - write what was measured. */
#include "calibrate.h"

#include <errno.h>
#include <string.h>

/* "AMD EPYC": the kind of machine, not its name. */
static void cpu_name(char *text, size_t size)
{
    char line[256];
    snprintf(text, size, "unknown processor");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon)
            continue;
        snprintf(text, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        text[strcspn(text, "\n")] = '\0';
        break;
    }
    fclose(file);
}

static tl_status check_written(FILE *out, tl_error *err)
{
    if (fflush(out) == 0 && !ferror(out))
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "the result cannot be written: %s; check the disk",
                   strerror(errno));
}

static void write_kernel(FILE *out, const char *name, const tlp_fit *fit, int last)
{
    fprintf(out,
            "  { kernel = \"%s\"; intercept_s = %.4e; per_work_s = %.4e;\n"
            "    samples = %zu; r_squared = %.4f; median_error = %.4f; }%s\n",
            name, fit->intercept_s, fit->per_work_s, fit->n, fit->r_squared, fit->median_error,
            last ? "" : ",");
}

tl_status tlp_write_model(const tlp_result *result, FILE *out, tl_error *err)
{
    char cpu[128];
    cpu_name(cpu, sizeof cpu);
    fprintf(out,
            "# Measured by 'timeless calibrate kernels' %s on %s: %u core%s at once, seed %lu,\n"
            "# %zu calls of the BLAS that programs get, one thread per process, in CPU time.\n"
            "# timeless-model(5) describes this file.\n"
            "reference_flops = %.1e;\n"
            "units = (\n"
            "  { unit = \"cpu-ns\"; seconds_per_unit = 1.0e-9; }",
            tl_version(), cpu, result->cores, result->cores == 1 ? "" : "s", result->seed,
            result->n_samples, TLP_REFERENCE_FLOPS);
    if (result->instruction_s >= 0)
        fprintf(out, ",\n  { unit = \"instructions\"; seconds_per_unit = %.4e; }",
                result->instruction_s);
    fputs("\n);\nkernels = (\n", out);
#define TLP_KERNEL(name)                                                                           \
    write_kernel(out, #name, tlp_result_fit(result, TL_KERNEL_##name),                             \
                 TL_KERNEL_##name == TL_KERNEL_isamax);
    TLP_KERNELS
#undef TLP_KERNEL
    fputs(");\n", out);
    return check_written(out, err);
}

tl_status tlp_write_raw(const tlp_result *result, FILE *out, tl_error *err)
{
    fputs("kernel,d0,d1,d2,work,core,repeats,seconds\n", out);
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *s = &result->samples[i];
        fprintf(out, "%s,%d,%d,%d,%.0f,%u,%u,%.6e\n", tl_call_by_code(s->call.kernel)->name,
                s->call.sizes[0], s->call.sizes[1], s->call.sizes[2], s->work, s->core, s->repeats,
                s->seconds);
    }
    return check_written(out, err);
}
