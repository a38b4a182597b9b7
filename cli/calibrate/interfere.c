/* interfere.c - timeless calibrate cpu --interfere: runs a program beside loops on other cores. */
#include "config.h"

#include "calibrate/campaign.h"
#include "cli.h"

#include <calibrate/interfere.h>
#include <calibrate/memory.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <timeless_files.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

/* A run with more stolen time than this is repeated, at most so often. */
static const double most_stolen = 0.01;
enum { MOST_TRIES = 3, MAX_RUNS = 2 + TLP_N_HOGS * (TLP_MAX_BESIDE + 1) };

/* One run of the program. */
typedef struct probe_run {
    tlp_probe probe; /* timed or pressed */
    tlp_hog hog;
    unsigned cores;
} probe_run;

typedef struct probing {
    const cpu_arguments *arguments;
    tlp_interfere_result *result;
    tlp_hogs *hogs;
    volatile uint64_t *count; /* in the file `page` */
    char page[PATH_MAX], volume[PATH_MAX + 8], trace[PATH_MAX];
    unsigned n_named; /* runs that kept their stolen time */
} probing;

/* ---- the file through which the tracer sees a hog ---- */

static tl_status make_page(probing *p, tl_error *err)
{
    const int fd = open(p->page, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    void *memory = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, sizeof *p->count) == 0)
        memory = mmap(NULL, sizeof *p->count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    const int number = errno;
    if (fd >= 0)
        close(fd);
    if (memory == MAP_FAILED)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be made: %s; check TMPDIR", p->page,
                       strerror(number));
    p->count = memory;
    return TL_OK;
}

static void drop_page(probing *p)
{
    if (p->count)
        munmap((void *)p->count, sizeof *p->count);
    unlink(p->page);
    unlink(p->trace);
}

/* ---- one run ---- */

static tl_status add_classes(probing *p, const probe_run *run, unsigned repetition, double stolen,
                             tl_error *err)
{
    tl_reader *trace = NULL;
    tlp_burst_class *classes = NULL;
    size_t n = 0;
    tl_status status = tl_reader_open(p->trace, &trace, err);
    if (status == TL_OK)
        status = tlp_class_sums(trace, run->probe == TLP_PROBE_PRESSED, &classes, &n, err);
    for (size_t i = 0; i < n && status == TL_OK; i++) {
        const tlp_burst_class *c = &classes[i];
        const int is_timed = run->probe == TLP_PROBE_TIMED;
        const tlp_interfere_sample sample = {.probe = run->probe,
                                             .hog = run->hog,
                                             .cores = run->cores,
                                             .repetition = repetition,
                                             .from = c->from,
                                             .to = c->to,
                                             .seconds = is_timed ? 1e-9 * c->volume : c->seconds,
                                             .work = is_timed ? 0 : c->volume,
                                             .stolen = stolen};
        if (tlp_interfere_add(p->result, &sample) != TL_OK)
            status = tl_no_memory(err, "measuring");
    }
    if (status == TL_OK) {
        const tl_run *header = tl_reader_run(trace);
        p->result->n_ranks = header->n_ranks;
        snprintf(p->result->program, sizeof p->result->program, "%s",
                 header->program ? header->program : "");
    }
    tlp_class_sums_free(classes, n);
    tl_reader_close(trace);
    return status;
}

static tl_status run_once(probing *p, const probe_run *run, double *stolen, tl_error *err)
{
    const int is_timed = run->probe == TLP_PROBE_TIMED;
    double other;
    tlp_processor_times before;
    unlink(p->trace);
    tl_status status =
        tlp_hogs_start(p->hogs, run->hog, run->cores, is_timed ? NULL : p->count, err);
    if (status != TL_OK)
        return status;
    tlp_processors_now(&before);
    status = calibrate_record(p->arguments->command, is_timed ? "cputime" : p->volume, p->trace,
                              tlp_hogs_free_processor(p->hogs), err);
    tlp_processors_since(&before, &other, stolen);
    tlp_hogs_stop(p->hogs);
    return status;
}

static tl_status run_quietly(probing *p, const probe_run *run, unsigned repetition, tl_error *err)
{
    double stolen = 0;
    tl_status status = TL_OK;
    for (int try = 0; try < MOST_TRIES && status == TL_OK; try++) {
        status = run_once(p, run, &stolen, err);
        if (stolen <= most_stolen)
            break;
    }
    p->n_named += status == TL_OK && stolen > most_stolen;
    return status == TL_OK ? add_classes(p, run, repetition, stolen, err) : status;
}

/* ---- all runs ---- */

static size_t list_runs(const probing *p, probe_run *runs)
{
    unsigned counts[TLP_MAX_CORE_COUNTS];
    const unsigned n_counts = tlp_core_counts(tlp_hogs_most(p->hogs), counts);
    size_t n = 0;
    runs[n++] = (probe_run){TLP_PROBE_TIMED, TLP_NO_HOG, 0};
    for (int h = 0; h < TLP_N_HOGS; h++) {
        runs[n++] = (probe_run){TLP_PROBE_PRESSED, (tlp_hog)h, 1};
        for (unsigned i = 0; i < n_counts; i++)
            runs[n++] = (probe_run){TLP_PROBE_TIMED, (tlp_hog)h, counts[i]};
    }
    return n;
}

static tl_status run_all(probing *p, tl_error *err)
{
    probe_run runs[MAX_RUNS];
    const size_t n = list_runs(p, runs);
    gsl_rng *random = gsl_rng_alloc(gsl_rng_mt19937);
    double other;
    tlp_processor_times before;
    if (!random)
        return tl_no_memory(err, "measuring");
    gsl_rng_set(random, p->arguments->c.seed);
    tlp_processors_now(&before);
    tl_status status = TL_OK;
    for (unsigned r = 0; r < p->arguments->n_repetitions && status == TL_OK; r++) {
        gsl_ran_shuffle(random, runs, n, sizeof *runs);
        status = tlp_hogs_probe(p->hogs, r, p->result, err);
        for (size_t i = 0; i < n && status == TL_OK; i++) {
            if (isatty(STDERR_FILENO)) /* a line each, because the program writes there, too */
                fprintf(stderr, "timeless: calibrate cpu: run %zu of %zu\n", r * n + i + 1,
                        p->arguments->n_repetitions * n);
            status = run_quietly(p, &runs[i], r, err);
        }
    }
    tlp_processors_since(&before, &other, &p->result->stolen);
    gsl_rng_free(random);
    return status;
}

static tl_status measure(campaign *c, tl_error *err)
{
    const cpu_arguments *a = (cpu_arguments *)c;
    probing p = {.arguments = a, .result = calloc(1, sizeof *p.result)};
    if (!p.result)
        return tl_no_memory(err, "measuring");
    c->all = p.result;
    p.result->seed = c->seed;
    p.result->n_repetitions = a->n_repetitions;
    snprintf(p.page, sizeof p.page, "%.2000s/page", a->folder);
    snprintf(p.trace, sizeof p.trace, "%.2000s/probe.tl", a->folder);
    snprintf(p.volume, sizeof p.volume, "page:%s", p.page);
    tl_status status = tlp_hogs_open(c->max_bytes, c->seed, p.result, &p.hogs, err);
    if (status == TL_OK)
        status = make_page(&p, err);
    if (status == TL_OK)
        status = run_all(&p, err);
    if (status == TL_OK && p.n_named)
        fprintf(stderr,
                "timeless: in %u runs, other machines took more than %.0f%% of the time of all "
                "cores each time; they are in the archive (column stolen)\n",
                p.n_named, 100 * most_stolen);
    drop_page(&p);
    tlp_hogs_close(p.hogs);
    return status;
}

/* ---- results ---- */

static void report_noise(const tlp_interference *fit)
{
    if (fit->is_noise_unknown)
        fputs(
            "timeless: one repetition does not show the noise of the slowdowns, so the classes may "
            "act as far too many hogs; use --repetitions 2 or more\n",
            stderr);
    else
        fprintf(stderr,
                "timeless: standard errors of the slowdowns of hogs beside hogs: %.3f %.3f %.3f "
                "%.3f; more --repetitions make them smaller\n",
                tlp_interference_noise(fit, TLP_HOG_ARITHMETIC),
                tlp_interference_noise(fit, TLP_HOG_CACHE),
                tlp_interference_noise(fit, TLP_HOG_STREAM),
                tlp_interference_noise(fit, TLP_HOG_CHASE));
}

static void report(campaign *c)
{
    enum { MOST_SHOWN = 8 };
    const tlp_interference *fit = ((cpu_arguments *)c)->fit;
    fputs("timeless: seconds alone; slowdown beside one hog: arithmetic, cache, stream, chase; "
          "acts as so many of these hogs; bursts\n",
          stderr);
    for (size_t i = 0; i < fit->n && i <= MOST_SHOWN; i++) {
        const tlp_bent_class *b = &fit->classes[i];
        fprintf(stderr, "%9.4g s  %.3f %.3f %.3f %.3f  %.2f %.2f %.2f %.2f  %s%s%s\n", b->alone_s,
                b->slowdown[0][0], b->slowdown[0][1], b->slowdown[0][2], b->slowdown[0][3],
                b->acts_as[0], b->acts_as[1], b->acts_as[2], b->acts_as[3],
                b->from ? b->from : "the program", b->from ? " .. " : "", b->from ? b->to : "");
    }
    if (fit->n > MOST_SHOWN + 1)
        fprintf(stderr, "timeless: and %zu classes more in the model\n", fit->n - MOST_SHOWN - 1);
    report_noise(fit);
}

static tl_status write_result(campaign *c, tl_error *err)
{
    cpu_arguments *a = (cpu_arguments *)c;
    const tl_status status = tlp_interfere_fit(c->all, &a->fit, err);
    return status == TL_OK ? tlp_interference_write(c->all, a->fit, c->old, c->model, err) : status;
}

static tl_status add(campaign *c, tl_error *err)
{
    (void)err;
    tlp_archive_note(c->archive, "seed", "%lu", ((const tlp_interfere_result *)c->all)->seed);
    return TL_OK;
}

static void end(campaign *c)
{
    tlp_interference_free(((cpu_arguments *)c)->fit);
    calibrate_end_cpu(c);
}

const campaign_kind campaign_interference = {.what = "cpu",
                                             .raw = &tlp_raw_interference,
                                             .changes_model = 1,
                                             .begin = calibrate_begin_cpu,
                                             .measure = measure,
                                             .write = write_result,
                                             .add = add,
                                             .report = report,
                                             .end = end};
