/* model_file.c - writes the model. */
#include "calibrate.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static tl_status check_written(FILE *out, tl_error *err)
{
    if (fflush(out) == 0 && !ferror(out))
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "the result cannot be written: %s; check the disk",
                   strerror(errno));
}

static const char *const term_names[] = {
#define TL_TERM(name, expression) #name,
#include <terms.def>
};

static void write_terms(FILE *out, const char *name, const double coefficients[TLP_N_TERMS])
{
    fprintf(out, "%s = {", name);
    for (int t = 0; t < TLP_N_TERMS; t++)
        if (coefficients[t] != 0)
            fprintf(out, " %s = %.6e;", term_names[t], coefficients[t]);
    fputs(" };", out);
}

static void write_noise(FILE *out, const tlp_piece *piece)
{
    if (piece->noise == TLP_N0)
        return;
    fprintf(out, "\n      noise = { shape = \"%s\"; ",
            piece->noise == TLP_MIXTURE ? "mixture"
            : piece->is_skewed          ? "half-normal"
                                        : "normal");
    write_terms(out, "sd", piece->sd_s);
    if (piece->noise == TLP_MIXTURE) {
        fputs("\n        modes = (", out);
        for (size_t m = 0; m < piece->n_modes; m++)
            fprintf(out, "%s { weight = %.4f; mean = %.4f; sd = %.4f; }", m ? "," : "",
                    piece->modes[m].weight, piece->modes[m].mean, piece->modes[m].sd);
        fputs(" );", out);
    }
    fputs(" };", out);
}

static void write_bounds(FILE *out, const char *name, const double bounds[TLP_N_BOUNDS],
                         double none)
{
    static const char *const names[] = {"m", "n", "k", "work"};
    int any = 0;
    for (int b = 0; b < TLP_N_BOUNDS; b++)
        if (bounds[b] != none)
            fprintf(out, "%s %s = %.1f;", any++ ? "" : name, names[b], bounds[b]);
    if (any)
        fputs(" }; ", out);
}

void tlp_write_piece(FILE *out, const tlp_piece *piece)
{
    fputs("    { ", out);
    if (piece->side)
        fprintf(out, "side = \"%s\"; ", piece->side == 'l' ? "left" : "right");
    write_bounds(out, "min = {", piece->min, 0);
    write_bounds(out, "max = {", piece->max, INFINITY);
    write_terms(out, "seconds", piece->mean_s);
    write_noise(out, piece);
    fputs(" }", out);
}

/* The noise of the first piece is used for all pieces. */
static void write_kernel(FILE *out, const char *name, const tlp_fit *fit)
{
    fprintf(out,
            "  { kernel = \"%s\"; model = \"%s %s\"; samples = %zu; median_error = %.4f;\n    ",
            name, tlp_form_name(fit->form), tlp_noise_name(fit->pieces[0].noise), fit->n,
            fit->median_error);
    if (fit->n_pieces == 1) {
        write_terms(out, "seconds", fit->pieces[0].mean_s);
        write_noise(out, &fit->pieces[0]);
    } else {
        fputs("pieces = (\n", out);
        for (size_t i = 0; i < fit->n_pieces; i++) {
            tlp_write_piece(out, &fit->pieces[i]);
            fputs(i + 1 < fit->n_pieces ? ",\n" : "\n    );", out);
        }
    }
    fputs(" }", out);
}

static void write_kernels(FILE *out, const tlp_fit *fits)
{
    int any = 0;
    fputs("kernels = (\n", out);
#define TLP_KERNEL(name)                                                                           \
    if (fits[TL_KERNEL_##name - TL_KERNEL_dgemm].n) {  \
        fputs(any++ ? ",\n" : "", out);                                                            \
        write_kernel(out, #name, &fits[TL_KERNEL_##name - TL_KERNEL_dgemm]);                       \
    }
    TLP_KERNELS
#undef TLP_KERNEL
    fputs("\n);\n", out);
}

/* The errors that a model of each kind would have had. */
static void write_ladder(FILE *out, const tlp_fit *fits)
{
    fputs("#\n# Mean error of a call, and error of the sum of all, in cross-validation:\n"
          "# kernel        M-0             M-1             M-2             M'\n",
          out);
#define TLP_KERNEL(name)                                                                           \
    if (fits[TL_KERNEL_##name - TL_KERNEL_dgemm].n) {                                              \
        const tlp_fit *fit = &fits[TL_KERNEL_##name - TL_KERNEL_dgemm];                            \
        fprintf(out, "# %-8s", #name);                                                             \
        for (int f = 0; f < TLP_N_FORMS; f++)                                                      \
            fprintf(out, " %6.1f%% %+6.1f%%", 100 * fit->error[f], 100 * fit->sum_error[f]);       \
        fputc('\n', out);                                                                          \
    }
    TLP_KERNELS
#undef TLP_KERNEL
}

static void write_rates(FILE *out, const tlp_result *result)
{
    fprintf(out,
            "version = 2;\n"
            "reference_flops = %.1e;\n"
            "units = (\n"
            "  { unit = \"cpu-ns\"; seconds_per_unit = 1.0e-9; }",
            TLP_REFERENCE_FLOPS);
    if (result->instruction_s >= 0 && !result->kept.has_instructions)
        fprintf(out, ",\n  { unit = \"instructions\"; seconds_per_unit = %.4e; }",
                result->instruction_s);
    fprintf(out, "%s\n);\n", result->kept.units ? result->kept.units : "");
    if (result->threads > 1)
        fprintf(out, "kernel_threads = %u;\n", result->threads);
}

/* How the constants were measured, and which ones were not. Each comment is a line of its own, so
 * that the other commands that change the model keep it. */
static void write_origins(const tlp_result *result, FILE *out)
{
    fprintf(out,
            "# Measured by 'timeless calibrate kernels' %s on %s: %u process%s at once, seed %lu,\n"
            "# %zu calls of the BLAS that programs get, %u thread%s in each process, %s.\n"
            "# Measured at %s.\n"
            "# timeless-model(5) describes this file.\n"
            "# reference_flops: a reference speed, not measured; cpu-ns: by definition.\n",
            tl_version(), result->processor, result->cores, result->cores == 1 ? "" : "es",
            result->seed, result->n_samples, result->threads, result->threads == 1 ? "" : "s",
            result->threads == 1 ? "in CPU time" : "by the clock",
            *result->moment ? result->moment : "an unknown moment");
    if (result->instruction_s >= 0 && !result->kept.has_instructions)
        fputs("# instructions: measured on a loop of copies, index arithmetic and branches.\n",
              out);
    fputs(result->kept.origins ? result->kept.origins : "", out);
}

tl_status tlp_write_model(const tlp_result *result, FILE *out, tl_error *err)
{
    write_origins(result, out);
    write_ladder(out, result->fits);
    write_rates(out, result);
    write_kernels(out, result->fits);
    if (result->core_fits) {
        fputs("hosts = (\n", out);
        for (unsigned core = 0; core < result->cores; core++) {
            fprintf(out, "%s{ hosts = \"*:%u\";\n", core ? ",\n" : "", core);
            write_kernels(out, result->core_fits[core]);
            fputc('}', out);
        }
        fputs("\n);\n", out);
    }
    fputs(result->kept.settings ? result->kept.settings : "", out);
    return check_written(out, err);
}
