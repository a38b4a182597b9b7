/* calibrate_kernels.c - timeless calibrate kernels: times the BLAS of this machine for a compute
 * model. */
#include "cli.h"
#include "installed.h"

#include <calibrate/archive.h>
#include <calibrate/calibrate.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NB = 16, MAX_CORES = 4096, MAX_DECLARED = 64 };

struct arguments {
    const char *out_path, *raw_path, *folder, *archive_path;
    tlp_measure_options measure;
    tlp_fit_options fit;
    const char *from_path;
    int nb[MAX_NB];
    tlp_declaration declared[MAX_DECLARED];
    size_t n_declared;
};

enum {
    KEY_CORES = 256,
    KEY_THREADS,
    KEY_MAX_SECONDS,
    KEY_SEED,
    KEY_NB,
    KEY_RAW,
    KEY_FROM,
    KEY_ARCHIVE,
    KEY_MODEL,
    KEY_NOISE,
    KEY_PER_CORE,
    KEY_DECLARE
};

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, or FILE.conf for the model alone (default: print the model)", 0},

    {0, 0, 0, 0, "What is measured:", 1},
    {"cores", KEY_CORES, "N|all", 0, "cores that measure at a time (default: all)", 0},
    {"threads", KEY_THREADS, "N", 0,
     "threads of each call, for ranks with N threads; times are then those of the clock (default: "
     "1)",
     0},
    {"max-seconds", KEY_MAX_SECONDS, "S", 0, "begin no new round after S seconds (default: 25)", 0},
    {"nb", KEY_NB, "K[,K...]|any", 0,
     "inner sizes of products and orders of triangular matrices (default: 32,64,96,128,192,256)",
     0},
    {"seed", KEY_SEED, "N", 0, "draw the sizes from this seed (default: 1)", 0},

    {0, 0, 0, 0, "What is fitted:", 2},
    {"model", KEY_MODEL, "FORM", 0,
     "m0 (a mean), m1 (a line over the work), m2 (a polynomial in the sizes), pieces (several "
     "polynomials), best (default)",
     0},
    {"noise", KEY_NOISE, "FORM", 0,
     "n0 (none), n1 (normal or half-normal), n2 (a polynomial as its spread), mixture, best "
     "(default)",
     0},
    {"per-core", KEY_PER_CORE, NULL, 0, "also fit each core by itself", 0},
    {"declare", KEY_DECLARE, "KERNEL=A,B", 0,
     "a call of KERNEL takes A seconds plus B for each unit of work; may be repeated", 0},

    {0, 0, 0, 0, "Measurements:", 3},
    {"raw", KEY_RAW, "FILE", 0, "write every measurement to FILE (CSV)", 0},
    {"from", KEY_FROM, "FILE", 0,
     "measure nothing, and fit the measurements of FILE, from --raw or an archive", 0},
    {"archive", KEY_ARCHIVE, "FILE", 0,
     "zip with the measurements, or none (default: kernels-MOMENT.zip beside the result)", 0},
    {0}};

static const char *const forms[TLP_N_FORMS + 2] = {"m0", "m1", "m2", "pieces", "best"};
static const char *const noises[TLP_N_NOISES + 2] = {"n0", "n1", "n2", "mixture", "best"};

static int is_model_file(const char *path)
{
    size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".conf");
}

static void parse_blocks(struct argp_state *state, struct arguments *arguments, char *list)
{
    arguments->measure.n_nb = 0;
    if (!strcmp(list, "any"))
        return;
    for (char *rest = list, *item; (item = strsep(&rest, ","));) {
        int nb = (int)cli_parse_number(state, "--nb", item, TLP_MAX_INNER);
        if (nb < 16 || arguments->measure.n_nb == MAX_NB)
            argp_error(state, "--nb: give at most %d sizes from 16 to %d", MAX_NB, TLP_MAX_INNER);
        arguments->nb[arguments->measure.n_nb++] = nb;
    }
}

static void add_declaration(struct argp_state *state, struct arguments *arguments,
                            const char *value)
{
    tl_error err;
    tlp_declaration *next = &arguments->declared[arguments->n_declared];
    if (arguments->n_declared == MAX_DECLARED)
        argp_error(state, "--declare: at most %d kernels", MAX_DECLARED);
    else if (tlp_declaration_parse(value, next, &err) != TL_OK)
        argp_error(state, "--declare %s", err.text);
    else if (tlp_find_declaration(arguments->declared, arguments->n_declared, next->kernel))
        argp_error(state, "--declare: '%s' is given twice", next->kernel);
    arguments->n_declared++;
}

/* The index of a name in a list that ends with "best". */
static int parse_form(struct argp_state *state, const char *option, const char *const *names,
                      const char *value)
{
    for (int i = 0; names[i]; i++)
        if (!strcmp(names[i], value))
            return i;
    argp_error(state, "%s '%s' is unknown; --help lists the valid names", option, value);
    return 0;
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct arguments *arguments = state->input;
    switch (key) {
    case 'o':
        if (is_model_file(value))
            arguments->out_path = value;
        else
            arguments->folder = value;
        break;
    case KEY_RAW: arguments->raw_path = value; break;
    case KEY_CORES:
        arguments->measure.cores = 0;
        if (!strcmp(value, "all"))
            break;
        arguments->measure.cores = (unsigned)cli_parse_number(state, "--cores", value, MAX_CORES);
        if (arguments->measure.cores == 0 || arguments->measure.cores > tlp_n_cores())
            argp_error(state, "--cores %s: this process may use 1 to %u", value, tlp_n_cores());
        break;
    case KEY_THREADS:
        arguments->measure.threads =
            (unsigned)cli_parse_number_from(state, "--threads", value, 1, TLP_MAX_THREADS);
        break;
    case KEY_MAX_SECONDS:
        arguments->measure.max_seconds =
            (double)cli_parse_number(state, "--max-seconds", value, 86400);
        break;
    case KEY_SEED:
        arguments->measure.seed = cli_parse_number(state, "--seed", value, UINT32_MAX);
        break;
    case KEY_FROM: arguments->from_path = value; break;
    case KEY_ARCHIVE: arguments->archive_path = value; break;
    case KEY_MODEL: arguments->fit.form = parse_form(state, "--model", forms, value); break;
    case KEY_NOISE: arguments->fit.noise = parse_form(state, "--noise", noises, value); break;
    case KEY_PER_CORE: arguments->fit.per_core = 1; break;
    case KEY_DECLARE: add_declaration(state, arguments, value); break;
    case KEY_NB: parse_blocks(state, arguments, value); break;
    case ARGP_KEY_END:
        if (!tlp_n_groups(&arguments->measure))
            argp_error(state, "--threads %u: needs as many cores, and %u may be used",
                       arguments->measure.threads,
                       arguments->measure.cores ? arguments->measure.cores : tlp_n_cores());
        break;
    case ARGP_KEY_ARG: argp_error(state, "'%s': this command takes no argument", value); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* Opens the file for writing; standard output for NULL. */
static FILE *open_output(const char *path, tl_error *err)
{
    FILE *file = path ? fopen(path, "w") : stdout;
    if (!file) {
        err->status = TL_ERR_SYSTEM;
        snprintf(err->text, sizeof err->text, "%s: cannot be written: %s; check the path", path,
                 strerror(errno));
    }
    return file;
}

static void report(const tlp_result *result)
{
    const tlp_fit *gemm = tlp_result_fit(result, TL_KERNEL_dgemm);
    fprintf(stderr,
            "timeless: %zu calls timed, %u at once; dgemm %.1f Gflop/s per %s, model %s, mean "
            "error of a call that was not fitted %.1f%%\n",
            result->n_samples, result->cores, 2e-9 / gemm->slope_s,
            result->threads == 1 ? "core" : "process", tlp_form_name(gemm->form),
            100 * gemm->error[gemm->form]);
}

static tl_status measure(const struct arguments *a, tlp_result **out, tl_error *err)
{
    if (!a->from_path && isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring for about %.0f s, then fitting\n",
                a->measure.max_seconds);
    tl_status status =
        a->from_path ? tlp_read_raw(a->from_path, out, err) : tlp_calibrate(&a->measure, out, err);
    if (status != TL_OK)
        return status;
    (*out)->declared = a->declared;
    (*out)->n_declared = a->n_declared;
    return tlp_fit_all(*out, &a->fit, err);
}

/* To be called before anything is measured. *out stays NULL if nothing will be measured. */
static tl_status begin_archive(const struct arguments *a, int argc, char **argv, tlp_archive **out,
                               tl_error *err)
{
    char path[PATH_MAX];
    cli_archive_path(a->archive_path, a->folder ? a->folder : a->out_path, path, sizeof path);
    if (!*path || (a->from_path && !a->archive_path))
        return TL_OK;
    return tlp_archive_begin(path, "kernels", argc, argv, out, err);
}

static tl_status finish_archive(tlp_archive *archive, const struct arguments *a,
                                const tlp_result *result, tl_error *err)
{
    tlp_repetition_list repetitions = {0};
    tlp_archive_note(archive, "seed", "%lu", result->seed);
    tlp_archive_note(archive, "cores at once", "%u", result->cores * result->threads);
    tlp_archive_note(archive, "threads of a call", "%u", result->threads);
    tlp_archive_note(archive, "seconds", "%g", a->measure.max_seconds);
    tlp_archive_note(archive, "calls timed", "%zu", result->n_samples);
    for (size_t i = 0; i < a->n_declared; i++)
        tlp_archive_note(archive, "declared", "%s=%g,%g", a->declared[i].kernel,
                         a->declared[i].intercept_s, a->declared[i].per_work_s);
    if (a->from_path)
        tlp_archive_note(archive, "measurements from", "%s", a->from_path);
    FILE *out = tlp_archive_open(archive);
    tl_status status = out ? tlp_write_raw(result, out, err)
                           : tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (out && tlp_archive_close(archive, out, TLP_RAW_KERNELS, err) != TL_OK)
        status = TL_ERR_MEMORY;
    if (status == TL_OK && !(out = tlp_archive_open(archive)))
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (status == TL_OK) {
        status = tlp_write_model(result, out, err);
        if (tlp_archive_close(archive, out, "result/model.conf", err) != TL_OK)
            status = TL_ERR_MEMORY;
    }
    if (status == TL_OK && tlp_result_repetitions(result, &repetitions) != TL_OK)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (status == TL_OK)
        status = tlp_archive_finish(archive, &repetitions, err);
    tlp_clear_repetitions(&repetitions);
    return status;
}

int calibrate_kernels(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Time the BLAS kernels that traces record on this machine and fit a model to each, for "
        "'timeless replay'.",
        NULL,
        NULL,
        NULL};
    struct arguments arguments = {
        .measure = {.threads = 1, .max_seconds = 25, .seed = 1, .n_nb = 6},
        .fit = {.form = TLP_BEST_FORM, .noise = TLP_BEST_NOISE},
        .nb = {32, 64, 96, 128, 192, 256}};
    arguments.measure.nb = arguments.nb;
    cli_parse(&argp, argc, argv, 0, &arguments);

    char platforms[PATH_MAX], shipped[2 * PATH_MAX];
    tlr_platforms_folder(platforms, sizeof platforms);
    snprintf(shipped, sizeof shipped, "%s/local", platforms);
    tlp_result *result = NULL;
    tlp_archive *archive = NULL;
    FILE *out = NULL, *raw = NULL;
    tl_error err;
    tl_status status = TL_OK;
    int describes_other = 0;
    /* Files are opened before the measurement, so that a wrong path is reported at once. */
    if (arguments.out_path || !arguments.folder)
        status = (out = open_output(arguments.out_path, &err)) ? TL_OK : err.status;
    if (status == TL_OK && arguments.raw_path)
        status = (raw = open_output(arguments.raw_path, &err)) ? TL_OK : err.status;
    if (status == TL_OK && arguments.folder)
        status = tlp_begin_folder(shipped, arguments.folder, &describes_other, &err);
    if (status == TL_OK)
        status = begin_archive(&arguments, argc, argv, &archive, &err);
    if (status == TL_OK)
        status = measure(&arguments, &result, &err);
    if (status == TL_OK && out)
        status = tlp_write_model(result, out, &err);
    if (status == TL_OK && raw)
        status = tlp_write_raw(result, raw, &err);
    if (status == TL_OK && arguments.folder)
        status = tlp_finish_folder(result, arguments.folder, describes_other, &err);
    if (status == TL_OK && archive)
        status = finish_archive(archive, &arguments, result, &err);
    if (status == TL_OK)
        report(result);
    tlp_archive_free(archive);
    if (out && out != stdout)
        fclose(out);
    if (raw)
        fclose(raw);
    tlp_result_free(result);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
