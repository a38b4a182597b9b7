/* kernels.c - timeless calibrate kernels: times the BLAS of this machine for a compute
 * model. */
#include "cli.h"
#include "installed.h"
#include "replayer.h"

#include <calibrate/archive.h>
#include <calibrate/calibrate.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum { MAX_NB = 16, MAX_CORES = 4096, MAX_DECLARED = 64 };

struct arguments {
    const char *out_path, *raw_path, *folder, *archive_path, *trace;
    tlp_measure_options measure;
    tlp_fit_options fit;
    const char *from_path;
    int nb[MAX_NB], has_blocks; /* of --nb */
    int has_cores, has_threads;
    const char *measured_by; /* another option of a measurement that was given; "": none */
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
    KEY_DECLARE,
    KEY_FOR
};

/* What a calibration has open. */
typedef struct job {
    char model[PATH_MAX]; /* the file of the model; "": standard output */
    int describes_other;
    tlp_kept kept;
    tlp_needs *needs;
    tlp_result *result;
    tlp_archive *archive;
    tl_output out, raw; /* the model; the measurements */
} job;

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, or FILE.conf for the model alone (default: print the model)", 0},

    {0, 0, 0, 0, "What is measured:", 1},
    {"for", KEY_FOR, "TRACE", 0,
     "only kernels and sizes that the trace has; all others stay as they are in PATH", 0},
    {"cores", KEY_CORES, "N|all", 0, "cores that measure at a time (default: all)", 0},
    {"threads", KEY_THREADS, "N", 0,
     "threads of each call, for ranks with N threads; times are then those of the clock (default: "
     "1)",
     0},
    {"max-seconds", KEY_MAX_SECONDS, "S", 0,
     "begin no new round after S seconds (default: 25; with --for: 60)", 0},
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

static void parse_cores(struct argp_state *state, struct arguments *arguments, const char *value)
{
    arguments->measure.cores = 0;
    if (!strcmp(value, "all"))
        return;
    arguments->measure.cores = (unsigned)cli_parse_number(state, "--cores", value, MAX_CORES);
    if (arguments->measure.cores == 0 || arguments->measure.cores > tlp_n_cores())
        argp_error(state, "--cores %s: this process may use 1 to %u", value, tlp_n_cores());
}

static void check_arguments(struct argp_state *state, struct arguments *arguments)
{
    if (arguments->from_path && (arguments->has_cores || arguments->has_threads))
        argp_error(state, "--from measures nothing, and FILE states its cores and threads: leave "
                          "out --cores and --threads");
    if (arguments->from_path && *arguments->measured_by)
        argp_error(state, "--from measures nothing: leave out %s", arguments->measured_by);
    if (!tlp_n_groups(&arguments->measure))
        argp_error(state, "--threads %u: needs as many cores, and %u may be used",
                   arguments->measure.threads,
                   arguments->measure.cores ? arguments->measure.cores : tlp_n_cores());
    if (arguments->measure.max_seconds < 0)
        arguments->measure.max_seconds = arguments->trace ? 60 : 25;
    if (arguments->trace && (!arguments->out_path && !arguments->folder))
        argp_error(state, "--for changes a model: give it by -o");
    if (arguments->trace &&
        (arguments->fit.per_core || arguments->n_declared || arguments->has_blocks))
        argp_error(state, "--for: give neither --per-core nor --declare nor --nb");
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
        arguments->has_cores = 1;
        parse_cores(state, arguments, value);
        break;
    case KEY_THREADS:
        arguments->has_threads = 1;
        arguments->measure.threads =
            (unsigned)cli_parse_number_from(state, "--threads", value, 1, TLP_MAX_THREADS);
        break;
    case KEY_MAX_SECONDS:
        arguments->measured_by = "--max-seconds";
        arguments->measure.max_seconds =
            (double)cli_parse_number(state, "--max-seconds", value, 86400);
        break;
    case KEY_SEED:
        arguments->measured_by = "--seed";
        arguments->measure.seed = cli_parse_number(state, "--seed", value, UINT32_MAX);
        break;
    case KEY_FROM: arguments->from_path = value; break;
    case KEY_ARCHIVE: arguments->archive_path = value; break;
    case KEY_MODEL: arguments->fit.form = parse_form(state, "--model", forms, value); break;
    case KEY_NOISE: arguments->fit.noise = parse_form(state, "--noise", noises, value); break;
    case KEY_PER_CORE: arguments->fit.per_core = 1; break;
    case KEY_FOR: arguments->trace = value; break;
    case KEY_DECLARE: add_declaration(state, arguments, value); break;
    case KEY_NB:
        arguments->has_blocks = 1;
        arguments->measured_by = "--nb";
        parse_blocks(state, arguments, value);
        break;
    case ARGP_KEY_END: check_arguments(state, arguments); break;
    case ARGP_KEY_ARG: argp_error(state, "'%s': this command takes no argument", value); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
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

/* A few calls have no spread that could be fitted. */
static void warn_of_noise(const tlp_result *result, tlp_noise wanted)
{
    for (int k = 0; k < TLP_FIT_ROOM && wanted != TLP_BEST_NOISE && wanted != TLP_N0; k++) {
        const unsigned code = (unsigned)(TL_KERNEL_dgemm + k);
        const tlp_fit *fit = tlp_result_fit(result, code);
        for (size_t i = 0; fit && fit->n && i < fit->n_pieces; i++)
            if (fit->pieces[i].noise == TLP_N0) {
                fprintf(stderr,
                        "timeless: warning: %s: too few calls, or calls without a spread, for "
                        "--noise %s; its noise is N-0; measure longer\n",
                        tl_call_by_code(code)->name, noises[wanted]);
                break;
            }
    }
}

static void report_needs(const tlp_result *result, const tlp_needs *needs, const char *trace)
{
    const char *before = "";
    fprintf(stderr,
            "timeless: %zu calls timed, %u at once, with the sizes of %s:", result->n_samples,
            result->cores, tl_printable(trace));
    for (int k = 0; k < TLP_FIT_ROOM; k++) {
        const uint16_t code = (uint16_t)(TL_KERNEL_dgemm + k);
        const tlp_fit *fit = tlp_result_fit(result, code);
        if (!fit || !fit->n)
            continue;
        fprintf(stderr, "%s %s (median error %.1f%%)", before, tl_call_by_code(code)->name,
                100 * fit->median_error);
        before = ",";
    }
    fputc('\n', stderr);
    if (needs->n_others)
        fprintf(stderr,
                "timeless: %llu calls, such as of %s, have a kernel or sizes that cannot be "
                "measured; their times stay as they were\n",
                (unsigned long long)needs->n_others,
                strcmp(needs->other, "user") != 0 ? needs->other : "a kernel of the program");
}

/* Times with other numbers of threads cannot stand in one model. */
static tl_status check_threads(const char *path, unsigned threads, tl_error *err)
{
    tlr_model *model = NULL;
    tl_status status = tlr_model_load(path, &model, err);
    if (status == TL_OK && model->kernel_threads != threads)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: has times of kernels with %g threads; measure with --threads %g",
                         tl_printable(path), model->kernel_threads, model->kernel_threads);
    tlr_model_free(model);
    return status;
}

static tl_status measure(const struct arguments *a, job *j, tl_error *err)
{
    if (!a->from_path && isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring for about %.0f s, then fitting\n",
                a->measure.max_seconds);
    tl_status status = TL_OK;
    if (a->from_path && !(j->result = tlp_raw_open(&tlp_raw_kernels, a->from_path, err)))
        status = err->status;
    const unsigned threads = j->result ? j->result->threads : a->measure.threads;
    if (status == TL_OK && j->needs)
        status = check_threads(j->model, threads, err);
    if (status == TL_OK && !a->from_path)
        status = tlp_calibrate(&a->measure, &j->result, err);
    if (status != TL_OK || !j->result)
        return status;
    j->result->declared = a->declared;
    j->result->n_declared = a->n_declared;
    j->result->kept = j->kept;
    j->kept = (tlp_kept){0};
    return tlp_fit_all(j->result, &a->fit, err);
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

/* The model that was written; if it went to standard output, once more. */
static tl_status archive_model(const job *j, tl_error *err)
{
    static const char entry[] = "result/model.conf";
    if (*j->model)
        return tlp_archive_add_file(j->archive, entry, j->model, err);
    FILE *out = tlp_archive_open(j->archive);
    if (!out)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    const tl_status status = tlp_write_model(j->result, out, err);
    return tlp_archive_close(j->archive, out, entry, err) == TL_OK ? status : TL_ERR_MEMORY;
}

static tl_status finish_archive(const struct arguments *a, const job *j, tl_error *err)
{
    tlp_archive *archive = j->archive;
    const tlp_result *result = j->result;
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
    if (a->trace)
        tlp_archive_note(archive, "calls of the trace", "%s", a->trace);
    FILE *out = tlp_archive_open(archive);
    tl_status status = out ? tlp_raw_write(&tlp_raw_kernels, result, out, err)
                           : tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (out && tlp_archive_close(archive, out, tlp_raw_kernels.entry, err) != TL_OK)
        status = TL_ERR_MEMORY;
    if (status == TL_OK)
        status = archive_model(j, err);
    if (status == TL_OK && tlp_result_repetitions(result, &repetitions) != TL_OK)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (status == TL_OK)
        status = tlp_archive_finish(archive, &repetitions, err);
    tlp_clear_repetitions(&repetitions);
    return status;
}

/* The calls of the trace, and a model that gets their times. */
static tl_status begin_needs(struct arguments *a, job *j, tl_error *err)
{
    if (access(j->model, R_OK) != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is no model to which --for could add; first measure all kernels, "
                       "without --for",
                       tl_printable(j->model));
    const tl_status status = tlp_needs_read(a->trace, a->measure.seed, &j->needs, err);
    a->measure.needs = j->needs;
    a->fit.only_measured = 1;
    return status;
}

/* Opens files before the measurement, so that a wrong path is reported at once. */
static tl_status begin(struct arguments *a, job *j, tl_error *err)
{
    char platforms[PATH_MAX], shipped[2 * PATH_MAX];
    tl_status status = TL_OK;
    tlr_platforms_folder(platforms, sizeof platforms);
    snprintf(shipped, sizeof shipped, "%s/local", platforms);
    if (a->out_path)
        snprintf(j->model, sizeof j->model, "%s", a->out_path);
    else if (a->folder)
        snprintf(j->model, sizeof j->model, "%s/model.conf", a->folder);
    if (a->raw_path)
        status = tl_output_open(a->raw_path, &j->raw, err);
    if (status != TL_OK || a->trace)
        return status == TL_OK ? begin_needs(a, j, err) : status;
    if (*j->model)
        status = tlp_kept_read(j->model, &j->kept, err);
    if (status == TL_OK && (a->out_path || !a->folder))
        status = tl_output_open(a->out_path, &j->out, err);
    if (status == TL_OK && a->folder)
        status = tlp_begin_folder(shipped, a->folder, &j->describes_other, err);
    return status;
}

static tl_status write_results(const struct arguments *a, job *j, tl_error *err)
{
    tl_status status = TL_OK;
    if (j->needs)
        status = tlp_merge_model(j->result, j->needs, a->trace, j->model, j->model, err);
    if (j->out.file)
        status =
            tl_output_close(&j->out, j->model, tlp_write_model(j->result, j->out.file, err), err);
    if (status == TL_OK && j->raw.file)
        status = tl_output_close(&j->raw, a->raw_path,
                                 tlp_raw_write(&tlp_raw_kernels, j->result, j->raw.file, err), err);
    if (status == TL_OK && a->folder && !j->needs)
        status = tlp_finish_folder(j->result, a->folder, j->describes_other, err);
    return status;
}

static void end(job *j)
{
    tlp_archive_free(j->archive);
    /* Of a calibration that failed before. */
    tl_output_close(&j->out, j->model, TL_ERR_SYSTEM, NULL);
    tl_output_close(&j->raw, "", TL_ERR_SYSTEM, NULL);
    tlp_result_free(j->result);
    tlp_needs_free(j->needs);
    tlp_kept_clear(&j->kept);
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
        .measure = {.threads = 1, .max_seconds = -1, .seed = 1, .n_nb = 6},
        .fit = {.form = TLP_BEST_FORM, .noise = TLP_BEST_NOISE},
        .nb = {32, 64, 96, 128, 192, 256},
        .measured_by = ""};
    arguments.measure.nb = arguments.nb;
    cli_parse(&argp, argc, argv, 0, &arguments);
    job j = {.model = ""};
    tl_error err;
    tl_status status = begin(&arguments, &j, &err);
    if (status == TL_OK)
        status = begin_archive(&arguments, argc, argv, &j.archive, &err);
    if (status == TL_OK)
        status = measure(&arguments, &j, &err);
    if (status == TL_OK)
        status = write_results(&arguments, &j, &err);
    if (status == TL_OK && j.archive)
        status = finish_archive(&arguments, &j, &err);
    if (status == TL_OK && j.needs)
        report_needs(j.result, j.needs, arguments.trace);
    else if (status == TL_OK)
        report(j.result);
    if (status == TL_OK)
        warn_of_noise(j.result, arguments.fit.noise);
    end(&j);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
