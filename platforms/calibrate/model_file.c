/* model_file.c - writes the model. */
#include "config.h"

#include "calibrate.h"
#include "model_text.h"

#include <math.h>
#include <string.h>

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

void tlp_write_kernel_head(FILE *out, const char *name, const tlp_fit *fit)
{
    /* The noise of the first piece stands for all pieces. */
    fprintf(out, "  { kernel = \"%s\"; model = \"%s %s\"; samples = %zu; median_error = %.4f;",
            name, tlp_form_name(fit->form), tlp_noise_name(fit->pieces[0].noise), fit->n,
            fit->median_error);
}

static void write_kernel(FILE *out, const char *name, const tlp_fit *fit)
{
    tlp_write_kernel_head(out, name, fit);
    fputs("\n    ", out);
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

/* The fit of a kernel, if it was measured and is written; NULL otherwise. */
static const tlp_fit *written(const tlp_fit *fits, unsigned kernel)
{
    const tlp_fit *fit = &fits[kernel - TL_KERNEL_dgemm];
    return tlp_is_measured(kernel) && fit->n ? fit : NULL;
}

static void write_kernels(FILE *out, const tlp_fit *fits)
{
    int any = 0;
    fputs("kernels = (\n", out);
    for (int k = TLP_FIRST_KERNEL; k <= TLP_LAST_KERNEL; k++)
        if (written(fits, (unsigned)k)) {
            fputs(any++ ? ",\n" : "", out);
            write_kernel(out, tl_call_by_code((uint16_t)k)->name, written(fits, (unsigned)k));
        }
    fputs("\n);\n", out);
}

/* The errors that a model of each kind would have had. */
static void write_ladder(FILE *out, const tlp_fit *fits)
{
    fputs("#\n# Mean error of a call, and error of the sum of all, in cross-validation:\n"
          "# kernel        M-0             M-1             M-2             M'\n",
          out);
    for (int k = TLP_FIRST_KERNEL; k <= TLP_LAST_KERNEL; k++) {
        const tlp_fit *fit = written(fits, (unsigned)k);
        if (!fit)
            continue;
        fprintf(out, "# %-8s", tl_call_by_code((uint16_t)k)->name);
        for (int f = 0; f < TLP_N_FORMS; f++)
            fprintf(out, " %6.1f%% %+6.1f%%", 100 * fit->error[f], 100 * fit->sum_error[f]);
        fputc('\n', out);
    }
}

/* ---- what the model keeps of another one ---- */

/* What 'calibrate kernels' measures itself. */
static bool is_replaced(const char *name, const void *arg)
{
    const tlp_result *result = arg;
    static const char *const names[] = {"version", "reference_flops", "units",
                                        "kernels", "hosts",           "kernel_threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return result->n_hosts && !strcmp(name, "variability");
}

/* Units with rates by call site: 'calibrate cpu' measured them on the program itself. Writes them
 * unless `out` is NULL. Returns whether one counts instructions. */
static int keep_units(const config_t *config, FILE *out)
{
    const config_setting_t *units = config_lookup(config, "units");
    const int n = units ? config_setting_length(units) : 0;
    bool has_instructions = 0;
    for (int i = 0; i < n; i++) {
        const config_setting_t *unit = config_setting_get_elem(units, (unsigned)i);
        const char *name = NULL;
        if (!config_setting_get_member(unit, "classes") ||
            config_setting_lookup_string(unit, "unit", &name) != CONFIG_TRUE ||
            !strcmp(name, "cpu-ns"))
            continue;
        has_instructions |= !strcmp(name, "instructions");
        if (out) {
            fputs(",\n  ", out);
            tlp_setting_write(out, unit, 1);
        }
    }
    return has_instructions;
}

static bool is_of_others(const char *line, const void *nothing)
{
    static const char *const others[] = {TLP_RATES_ORIGIN, TLP_PARALLEL_ORIGIN,
                                         TLP_INTERFERENCE_ORIGIN};
    (void)nothing;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!strncmp(line, others[i], strlen(others[i])))
            return 1;
    return 0;
}

/* ---- the model ---- */

static void write_rates(FILE *out, const tlp_result *result, const config_t *base)
{
    fprintf(out,
            "version = 2;\n"
            "reference_flops = %.1e;\n"
            "units = (\n"
            "  { unit = \"cpu-ns\"; seconds_per_unit = 1.0e-9; }",
            TLP_REFERENCE_FLOPS);
    if (result->instruction_s >= 0 && !keep_units(base, NULL))
        fprintf(out, ",\n  { unit = \"instructions\"; seconds_per_unit = %.4e; }",
                result->instruction_s);
    keep_units(base, out);
    fputs("\n);\n", out);
    if (result->threads > 1)
        fprintf(out, "kernel_threads = %u;\n", result->threads);
}

static void write_variability(FILE *out, const tlp_result *result)
{
    if (!result->n_hosts)
        return;
    fprintf(out,
            "# Of dgemm, assumed for all computation: %s.\n"
            "variability = { host_sd = %.5f; day_sd = %.5f; };\n",
            result->day_sd > 0 ? "between hosts; of a unit between the calibrations of history.csv"
                               : "between hosts; there is one calibration only, so no day_sd",
            result->host_sd, result->day_sd);
}

static void write_units(FILE *out, const tlp_result *result)
{
    fputs(result->n_units ? "hosts = (\n" : "", out);
    for (size_t u = 0; u < result->n_units; u++) {
        const tlp_unit *unit = &result->units[u];
        char name[TLP_UNIT_NAME_BYTES];
        if (result->n_hosts)
            fprintf(out, "# %s%s\n", tlp_unit_name(result, unit, name),
                    unit->is_out ? ": unlike the others, and no part of kernels above" : "");
        fputs("{ hosts = \"", out);
        tlp_unit_pattern(result, unit, out);
        fputs("\";\n", out);
        write_kernels(out, unit->fits);
        fputs(u + 1 < result->n_units ? "},\n" : "}\n);\n", out);
    }
}

/* How the constants were measured, and which ones were not. Each comment is a line of its own, so
 * that the other commands that change the model keep it. */
static void write_origins(const tlp_result *result, const config_t *base, FILE *out)
{
    char hosts[64] = "", warm[128] = "";
    const char *processor = result->n_hosts ? result->hosts[0].processor : result->processor;
    bool is_same = 1;
    for (size_t h = 1; h < result->n_hosts; h++)
        is_same &= !strcmp(result->hosts[h].processor, processor);
    if (*result->operands)
        snprintf(warm, sizeof warm, ", after %g s of unmeasured calls, with %s operands",
                 result->warm_s, result->operands);
    if (result->n_hosts)
        snprintf(hosts, sizeof hosts, "%zu hosts at once, %s ", result->n_hosts,
                 is_same ? "each" : "the first");
    fprintf(
        out,
        "# Measured by 'timeless calibrate kernels' %s on %s%s: %u process%s at once, seed %lu,\n"
        "# %zu calls of the BLAS that programs get, %u thread%s in each process, %s.\n"
        "# Measured at %s%s.\n"
        "# timeless-model(5) describes this file.\n"
        "# reference_flops: a reference speed, not measured; cpu-ns: by definition.\n",
        tl_version(), hosts, processor, result->cores, result->cores == 1 ? "" : "es", result->seed,
        result->n_samples, result->threads, result->threads == 1 ? "" : "s",
        result->threads == 1 ? "in CPU time" : "by the clock",
        *result->moment ? result->moment : "an unknown moment", warm);
    if (result->instruction_s >= 0 && !keep_units(base, NULL))
        fputs("# instructions: measured on a loop of copies, index arithmetic and branches.\n",
              out);
    if (result->base)
        tlp_model_head(result->base, is_of_others, NULL, out);
}

tl_status tlp_check_base(const char *path, tl_error *err)
{
    config_t config;
    const tl_status status = tlp_model_read(path, &config, err);
    config_destroy(&config);
    return status;
}

tl_status tlp_write_model(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    config_t base;
    tl_status status = TL_OK;
    if (result->base)
        status = tlp_model_read(result->base, &base, err);
    else
        config_init(&base);
    if (status == TL_OK) {
        write_origins(result, &base, out);
        write_ladder(out, result->fits);
        write_rates(out, result, &base);
        write_kernels(out, result->fits);
        write_variability(out, result);
        write_units(out, result);
        tlp_settings_write(out, &base, is_replaced, result);
    }
    config_destroy(&base);
    return status;
}
