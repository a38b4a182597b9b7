/* kernels.c - timeless calibrate kernels: times the BLAS of this machine for a compute
 * model. */
#include "config.h"

#include "calibrate/campaign.h"
#include "calibrate/hosts.h"
#include "cli.h"
#include "installed.h"
#include "replayer.h"

#include <calibrate/calibrate.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum { MAX_NB = 16, MAX_CORES = 4096, MAX_PASSED = 16 };

typedef struct arguments {
    campaign c;
    const char *raw_path, *folder, *trace, *sizes_path;
    tlp_needs *sizes;             /* of --sizes */
    bool has_hosts;               /* or only this one */
    char *passed[MAX_PASSED + 1]; /* options of the processes on them */
    int n_passed;
    bool only_measures;      /* --raw FOLDER/ ... */
    char raw_file[PATH_MAX]; /* ... the file in it */
    tlp_measure_options measure;
    tlp_fit_options fit;
    int nb[MAX_NB], has_blocks; /* of --nb */
    bool has_cores;             /* or --threads */
    /* What the calibration has open. */
    int describes_other;
    const char *base; /* whose other settings stay; NULL: none */
    tlp_needs *needs;
    tl_output out, raw; /* the model; the measurements */
} arguments;

enum {
    KEY_CORES = KEY_OWN,
    KEY_THREADS,
    KEY_NB,
    KEY_RAW,
    KEY_FORM,
    KEY_NOISE,
    KEY_PER_CORE,
    KEY_FOR,
    KEY_SIZES,
    KEY_WARM,
    KEY_OPERANDS
};

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, or FILE.conf for the model alone (default: print the model)", 0},

    {0, 0, 0, 0, "What is measured:", 1},
    {"for", KEY_FOR, "TRACE", 0,
     "only kernels and sizes that the trace has; all others stay as they are in PATH", 0},
    {"hosts", KEY_HOSTS, "HOST,HOST...", 0,
     "measure on these hosts at the same time (default: on this one, or where '-- mpirun "
     "ARGUMENTS' "
     "starts a process)",
     0},
    {"cores", KEY_CORES, "N|all", 0, "cores that measure at a time (default: all)", 0},
    {"threads", KEY_THREADS, "N", 0,
     "threads of each call, for ranks with N threads; times are then those of the clock (default: "
     "1)",
     0},
    {"max-seconds", KEY_SECONDS, "S", 0,
     "begin no new round after S seconds (default: 25; with --for: 60)", 0},
    {"nb", KEY_NB, "K[,K...]|any", 0,
     "inner sizes of products and orders of triangular matrices (default: 32,64,96,128,192,256)",
     0},
    {"sizes", KEY_SIZES, "FILE", 0,
     "measure only calls of FILE, lines KERNEL,D0[,D1[,D2]], drawn in random order", 0},
    {"seed", KEY_SEED, "N", 0, "draw the sizes from this seed (default: 1)", 0},
    {"warm-up", KEY_WARM, "S", 0,
     "at first, make calls for S seconds that are not measured, so that the cores are as hot as in "
     "a run (default: a tenth of --max-seconds)",
     0},
    {"operands", KEY_OPERANDS, "KIND", 0,
     "numbers in the operands: random (default), constant, sequential", 0},

    {0, 0, 0, 0, "What is fitted:", 2},
    {"model-form", KEY_FORM, "FORM", 0,
     "m0 (a mean), m1 (a line over the work), m2 (a polynomial in the sizes), pieces (several "
     "polynomials), best (default)",
     0},
    {"noise-form", KEY_NOISE, "FORM", 0,
     "n0 (none), n1 (normal or half-normal), n2 (a polynomial as its spread), mixture, best "
     "(default)",
     0},
    {"per-core", KEY_PER_CORE, NULL, 0, "also fit each core by itself", 0},

    {0, 0, 0, 0, "Measurements:", 3},
    {"raw", KEY_RAW, "FILE", 0,
     "write every measurement to FILE (CSV); FOLDER/: only measure, and write FOLDER/HOST.csv", 0},
    {"reuse", KEY_REUSE, "PATH", 0,
     "measure nothing, and fit the measurements of PATH, a file from --raw or an archive", 0},
    {"archive", KEY_ARCHIVE, "FOLDER", 0,
     "folder with the measurements, or none (default: kernels-MOMENT beside the result)", 0},
    {0}};

static const char *const forms[TLP_N_FORMS + 2] = {"m0", "m1", "m2", "pieces", "best"};
static const char *const noises[TLP_N_NOISES + 2] = {"n0", "n1", "n2", "mixture", "best"};

static void parse_blocks(struct argp_state *state, arguments *a, char *list)
{
    a->measure.n_nb = 0;
    if (!strcmp(list, "any"))
        return;
    for (char *rest = list, *item; (item = strsep(&rest, ","));) {
        int nb = (int)cli_parse_number(state, "--nb", item, TLP_MAX_INNER);
        if (nb < 16 || a->measure.n_nb == MAX_NB)
            argp_error(state, "--nb: give at most %d sizes from 16 to %d", MAX_NB, TLP_MAX_INNER);
        a->nb[a->measure.n_nb++] = nb;
    }
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

static void parse_cores(struct argp_state *state, arguments *a, const char *value)
{
    a->measure.cores = 0;
    if (!strcmp(value, "all"))
        return;
    a->measure.cores = (unsigned)cli_parse_number(state, "--cores", value, MAX_CORES);
    if (a->measure.cores == 0)
        argp_error(state, "--cores 0: this process may use 1 to %u", tlp_n_cores());
}

static void check_arguments(struct argp_state *state, arguments *a)
{
    campaign *c = &a->c;
    if (c->from && a->has_cores)
        argp_error(state, "--reuse measures nothing, and FILE states its cores and threads: leave "
                          "out --cores and --threads");
    if (c->from && c->measured_by)
        argp_error(state, "--reuse measures nothing: leave out %s", c->measured_by);
    const size_t length = a->raw_path ? strlen(a->raw_path) : 0;
    a->only_measures = length && a->raw_path[length - 1] == '/';
    a->has_hosts = campaign_has_hosts(state, c);
    if (!a->has_hosts && a->measure.cores > tlp_n_cores())
        argp_error(state, "--cores %u: this process may use 1 to %u", a->measure.cores,
                   tlp_n_cores());
    if (!a->has_hosts && !tlp_n_groups(&a->measure))
        argp_error(state, "--threads %u: needs as many cores, and %u may be used",
                   a->measure.threads, a->measure.cores ? a->measure.cores : tlp_n_cores());
    if (a->has_hosts && (a->trace || a->only_measures || !c->output))
        argp_error(state, "several hosts: give -o, and neither --for nor --raw FOLDER/");
    if (a->only_measures && (c->from || a->trace || c->output))
        argp_error(state, "--raw FOLDER/ only measures: give neither -o, --reuse nor --for");
    if (c->seconds == UINT64_MAX)
        c->seconds = a->trace ? 60 : 25;
    if (a->trace && !c->output)
        argp_error(state, "--for changes a model: give it by -o");
    if (a->trace && (a->fit.per_core || a->has_blocks))
        argp_error(state, "--for: give neither --per-core nor --nb");
    if (a->sizes_path && (a->trace || c->from || a->has_blocks))
        argp_error(state, "--sizes: give neither --for, --reuse nor --nb");
    a->fit.only_measured = a->trace || c->from || a->sizes_path;
    a->measure.max_seconds = (double)c->seconds;
    if (a->measure.warm_s < 0)
        a->measure.warm_s = a->measure.max_seconds / 10;
    else if (a->measure.warm_s > a->measure.max_seconds)
        argp_error(state, "--warm-up is longer than --max-seconds");
    a->measure.seed = c->seed;
}

/* Keeps the options that the processes on other hosts get, too. */
static void pass_on(struct argp_state *state, arguments *a, int key, const char *value)
{
    static const struct {
        int key;
        const char *name;
    } list[] = {{KEY_CORES, "cores"},  {KEY_THREADS, "threads"},  {KEY_SECONDS, "max-seconds"},
                {KEY_NB, "nb"},        {KEY_SIZES, "sizes"},      {KEY_SEED, "seed"},
                {KEY_WARM, "warm-up"}, {KEY_OPERANDS, "operands"}};
    char *path = key == KEY_SIZES ? realpath(value, NULL) : NULL;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].key != key)
            continue;
        if (a->n_passed == MAX_PASSED ||
            asprintf(&a->passed[a->n_passed++], "--%s=%s", list[i].name, path ? path : value) < 0)
            argp_error(state, "--%s: too many options", list[i].name);
    }
    free(path);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    pass_on(state, a, key, value);
    switch (key) {
    case KEY_RAW: a->raw_path = value; break;
    case KEY_SIZES: a->sizes_path = value; break;
    case KEY_CORES:
        a->has_cores = 1;
        parse_cores(state, a, value);
        break;
    case KEY_THREADS:
        a->has_cores = 1;
        a->measure.threads =
            (unsigned)cli_parse_number_from(state, "--threads", value, 1, TLP_MAX_THREADS);
        break;
    case KEY_WARM:
        a->c.measured_by = "--warm-up";
        a->measure.warm_s = (double)cli_parse_number(state, "--warm-up", value, 86400);
        break;
    case KEY_OPERANDS:
        a->c.measured_by = "--operands";
        a->measure.operands = tlp_operands[parse_form(state, "--operands", tlp_operands, value)];
        break;
    case KEY_FORM: a->fit.form = parse_form(state, "--model-form", forms, value); break;
    case KEY_NOISE: a->fit.noise = parse_form(state, "--noise-form", noises, value); break;
    case KEY_PER_CORE: a->fit.per_core = 1; break;
    case KEY_FOR: a->trace = value; break;
    case KEY_NB:
        a->has_blocks = 1;
        a->c.measured_by = "--nb";
        parse_blocks(state, a, value);
        break;
    case ARGP_KEY_END: check_arguments(state, a); break;
    default: return campaign_parse(key, value, state);
    }
    return 0;
}

static void report_dgemm(const tlp_result *result)
{
    const tlp_fit *gemm = tlp_result_fit(result, TL_KERNEL_dgemm);
    if (!gemm->n) {
        fprintf(stderr, "timeless: %zu calls, none of dgemm\n", result->n_samples);
        return;
    }
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
                        "--noise-form %s; its noise is N-0; measure longer\n",
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
    for (size_t i = 0; i < needs->n_own; i++) {
        if (needs->own[i].n > 0)
            fprintf(stderr, "%s user:%s (as recorded)", before, tl_printable(needs->own[i].name));
        before = needs->own[i].n > 0 ? "," : before;
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

static tl_status measure(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    tlp_result *result = NULL;
    tl_status status = a->needs ? check_threads(c->model, a->measure.threads, err) : TL_OK;
    if (isatty(STDERR_FILENO) && !a->only_measures)
        fprintf(stderr, "timeless: measuring for about %.0f s, then fitting\n",
                a->measure.max_seconds);
    if (status == TL_OK)
        status = a->has_hosts ? hosts_measure(&c->launcher, a->passed, a->folder ? a->folder : ".",
                                              &result, err)
                              : tlp_calibrate(&a->measure, &result, err);
    c->all = result;
    if (status == TL_OK && a->only_measures)
        status = tlp_name_host(result, err);
    return status;
}

/* The calls of the trace, and a model that gets their times. */
static tl_status begin_needs(arguments *a, tl_error *err)
{
    if (access(a->c.model, R_OK) != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: is no model to which --for could add; first measure all kernels, "
                       "without --for",
                       tl_printable(a->c.model));
    const tl_status status = tlp_needs_read(a->trace, 0, a->measure.seed, &a->needs, err);
    a->measure.needs = a->needs;
    return status;
}

/* FOLDER/HOST.csv, which must be new: two processes of a host would measure on the same cores. */
static tl_status begin_raw(arguments *a, tl_error *err)
{
    char host[256] = "";
    tlp_host_name(host, sizeof host);
    if (a->only_measures) {
        snprintf(a->raw_file, sizeof a->raw_file, "%s%s.csv", a->raw_path, host);
        const int file = open(a->raw_file, O_CREAT | O_EXCL | O_WRONLY, 0666);
        if (file < 0)
            return tl_fail(err, TL_ERR_SYSTEM,
                           "%s: %s; give an empty folder, and start one process on each host",
                           a->raw_file, strerror(errno));
        close(file);
        a->raw_path = a->raw_file;
    }
    return tl_output_open(a->raw_path, &a->raw, err);
}

static tl_status begin_folder(arguments *a, const tlp_result *result, tl_error *err)
{
    char platforms[PATH_MAX];
    tlr_platforms_folder(platforms, sizeof platforms);
    return tlp_begin_folder(result, platforms, a->folder, &a->describes_other, err);
}

/* Opens files before the measurement, so that a wrong path is reported at once. */
static tl_status begin(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    tl_status status = TL_OK;
    a->folder = c->output && !campaign_is_model(c->output) ? c->output : NULL;
    if (c->output)
        snprintf(c->model, sizeof c->model, a->folder ? "%s/model.conf" : "%s", c->output);
    if (a->raw_path)
        TL_TRY(begin_raw(a, err));
    if (a->trace)
        return begin_needs(a, err);
    if (a->sizes_path)
        status = tlp_needs_read(a->sizes_path, 1, a->measure.seed, &a->sizes, err);
    a->measure.needs = a->sizes;
    if (status == TL_OK && c->output && access(c->model, F_OK) == 0)
        status = tlp_check_base(a->base = c->model, err);
    if (status == TL_OK && !a->folder && !a->only_measures)
        status = tl_output_open(c->output, &a->out, err);
    const bool is_new = a->folder && access(a->folder, F_OK) != 0;
    if (status == TL_OK && a->folder)
        status = campaign_make_folder(a->folder, err);
    if (status == TL_OK && a->folder && a->has_hosts)
        status = hosts_find_names(&(tlp_result){.n_hosts = 0}, a->folder, err);
    else if (status == TL_OK && a->folder && !c->from)
        status = begin_folder(a, NULL, err);
    if (status != TL_OK && is_new)
        (void)rmdir(a->folder);
    return status;
}

/* The fits, of all and of units. */
static tl_status fit(arguments *a, tlp_result *result, tl_error *err)
{
    if (a->folder && !a->needs && (a->c.from || result->n_hosts))
        TL_TRY(begin_folder(a, result, err));
    if (result->n_hosts && a->folder)
        TL_TRY(hosts_find_names(result, a->folder, err));
    if (result->n_hosts || a->fit.per_core)
        TL_TRY(tlp_find_units(result, a->fit.per_core, err));
    if (result->n_hosts)
        TL_TRY(hosts_judge(result, err));
    TL_TRY(tlp_fit_all(result, &a->fit, err));
    return result->n_hosts ? tlp_find_variability(result, a->folder, err) : TL_OK;
}

static tl_status write_result(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    tlp_result *result = c->all;
    result->base = a->base;
    if (a->needs && c->from)
        TL_TRY(check_threads(c->model, result->threads, err));
    if (a->raw.file) /* first, so that they are kept if the fit fails */
        TL_TRY(tl_output_close(&a->raw, a->raw_path,
                               tlp_raw_write(&tlp_raw_kernels, result, a->raw.file, err), err));
    if (a->only_measures)
        return TL_OK;
    TL_TRY(fit(a, result, err));
    if (a->needs)
        return tlp_merge_model(result, a->needs, a->trace, c->model, c->model, err);
    if (a->out.file)
        return tl_output_close(&a->out, c->model, tlp_write_model(result, a->out.file, err), err);
    return tlp_finish_folder(result, a->folder, a->describes_other, err);
}

static tl_status add(campaign *c, tl_error *err)
{
    const arguments *a = (arguments *)c;
    const tlp_result *result = c->all;
    tlp_archive_note(c->archive, "seed", "%lu", result->seed);
    tlp_archive_note(c->archive, "cores at once", "%u", result->cores * result->threads);
    tlp_archive_note(c->archive, "threads of a call", "%u", result->threads);
    tlp_archive_note(c->archive, "seconds", "%g", a->measure.max_seconds);
    tlp_archive_note(c->archive, "calls timed", "%zu", result->n_samples);
    if (c->from)
        tlp_archive_note(c->archive, "measurements from", "%s", c->from);
    if (a->trace)
        tlp_archive_note(c->archive, "calls of the trace", "%s", a->trace);
    if (tlp_result_repetitions(result, &c->repetitions) != TL_OK)
        return tl_no_memory(err, "archiving");
    /* The model on standard output, once more. */
    return *c->model
               ? TL_OK
               : tlp_archive_add(c->archive, "result/model.conf", tlp_write_model, result, err);
}

static void report_all(campaign *c)
{
    const arguments *a = (arguments *)c;
    const tlp_result *result = c->all;
    if (a->only_measures)
        puts(a->raw_path); /* hosts.c counts these lines */
    fflush(stdout);        /* the model comes before the report */
    if (a->only_measures)
        return;
    if (result->n_hosts)
        hosts_report(result);
    if (a->needs)
        report_needs(c->all, a->needs, a->trace);
    else
        report_dgemm(c->all);
    warn_of_noise(c->all, a->fit.noise);
}

static void end(campaign *c)
{
    arguments *a = (arguments *)c;
    /* Of a calibration that failed before. */
    tl_output_close(&a->out, c->model, TL_ERR_SYSTEM, NULL);
    tl_output_close(&a->raw, "", TL_ERR_SYSTEM, NULL);
    tlp_needs_free(a->needs);
    tlp_needs_free(a->sizes);
    for (int i = 0; i < a->n_passed; i++)
        free(a->passed[i]);
}

int calibrate_kernels(int argc, char **argv)
{
    static const campaign_kind kind = {
        .what = "kernels",
        .options = options,
        .parse = parse_option,
        .words = "[-- mpirun ARGUMENTS...]",
        .doc = "Time the BLAS kernels that traces record on this machine and fit a model to each, "
               "for 'timeless replay'.",
        .raw = &tlp_raw_kernels,
        .begin = begin,
        .measure = measure,
        .write = write_result,
        .add = add,
        .report = report_all,
        .end = end};
    arguments a = {.c = {.seconds = UINT64_MAX, .seed = 1, .launcher = {.n_each = 1}},
                   .measure = {.threads = 1, .n_nb = 6, .warm_s = -1, .operands = tlp_operands[0]},
                   .fit = {.form = TLP_BEST_FORM, .noise = TLP_BEST_NOISE},
                   .nb = {32, 64, 96, 128, 192, 256}};
    a.measure.nb = a.nb;
    return campaign_run(&a.c, &kind, argc, argv);
}
