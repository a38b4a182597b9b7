/* memory.c - timeless calibrate memory: measures what cores get that work at the same
 * time, for parallel regions. */
#include "config.h"

#include "calibrate/model.h"
#include "cli.h"

#include <calibrate/archive.h>
#include <calibrate/memory.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

typedef struct arguments {
    const char *output, *base, *from, *archive_path;
    tlp_memory_options measure;
    int allow_busy;
} arguments;

enum {
    KEY_MODEL = 256,
    KEY_SECONDS,
    KEY_BYTES,
    KEY_SEED,
    KEY_RUNTIME,
    KEY_BUSY,
    KEY_FROM,
    KEY_ARCHIVE
};

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, whose model.conf gets the result, or FILE.conf (default: memory.conf)", 0},
    {"model", KEY_MODEL, "FILE", 0,
     "the model that gets the result in FILE.conf (default: FILE.conf, or that of the platform "
     "local)",
     0},
    {"max-seconds", KEY_SECONDS, "S", 0,
     "begin no new round after S seconds; at least three (default: 20)", 0},
    {"max-bytes", KEY_BYTES, "N", 0,
     "largest working set of each core (default: four times the largest cache)", 0},
    {"seed", KEY_SEED, "N", 0, "draw the order from this seed (default: 1)", 0},
    {"runtime", KEY_RUNTIME, "LIBRARY", 0,
     "runtime of OpenMP with the entry points of GCC (default: libgomp.so.1)", 0},
    {"allow-busy", KEY_BUSY, NULL, 0, "give a rough result if the machine is busy", 0},
    {"from", KEY_FROM, "FILE", 0, "measure nothing; take the measurements of this archive", 0},
    {"archive", KEY_ARCHIVE, "FILE", 0,
     "zip with the measurements, or none (default: memory-MOMENT.zip beside the result)", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'o': a->output = value; break;
    case KEY_MODEL: a->base = value; break;
    case KEY_SECONDS:
        a->measure.max_seconds =
            (double)cli_parse_number_from(state, "--max-seconds", value, 1, 86400);
        break;
    case KEY_BYTES:
        a->measure.max_bytes = cli_parse_number_from(state, "--max-bytes", value, 65536, 1UL << 40);
        break;
    case KEY_SEED: a->measure.seed = cli_parse_number(state, "--seed", value, UINT32_MAX); break;
    case KEY_RUNTIME: a->measure.runtime = value; break;
    case KEY_BUSY: a->allow_busy = 1; break;
    case KEY_FROM: a->from = value; break;
    case KEY_ARCHIVE: a->archive_path = value; break;
    case ARGP_KEY_ARG: argp_error(state, "'%s': this command takes no argument", value); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static tl_status finish_archive(tlp_archive *archive, const tlp_memory_result *result,
                                const char *model, tl_error *err)
{
    tlp_repetition_list list = {0};
    tlp_archive_note(archive, "seed", "%lu", result->seed);
    tlp_archive_note(archive, "runtime of OpenMP", "%s",
                     *result->runtime ? result->runtime : "none");
    FILE *out = tlp_archive_open(archive);
    tl_status status = out ? tlp_raw_write(&tlp_raw_memory, result, out, err)
                           : tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (out && tlp_archive_close(archive, out, tlp_raw_memory.entry, err) != TL_OK)
        status = TL_ERR_MEMORY;
    if (status == TL_OK)
        status = tlp_archive_add_file(archive, "result/model.conf", model, err);
    if (status == TL_OK && tlp_memory_repetitions(result, &list) != TL_OK)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory while archiving");
    if (status == TL_OK)
        status = tlp_archive_finish(archive, &list, err);
    tlp_clear_repetitions(&list);
    return status;
}

static tl_status calibrate(const arguments *a, const calibrated_model *model, tlp_archive *archive,
                           tl_error *err)
{
    tlp_memory_result *result = NULL;
    if (!a->from && isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring for about %.0f s\n", a->measure.max_seconds);
    tl_status status = TL_OK;
    if (!a->from)
        status = tlp_memory_measure(&a->measure, &result, err);
    else if (!(result = tlp_raw_open(&tlp_raw_memory, a->from, err)))
        status = err->status;
    int is_busy = 0;
    if (status == TL_OK) {
        status = tlp_memory_check(result, err);
        is_busy = status != TL_OK;
        if (a->allow_busy)
            status = TL_OK;
    }
    if (status == TL_OK)
        status = tlp_memory_write(result, is_busy, model->base, model->path, err);
    if (status == TL_OK && archive)
        status = finish_archive(archive, result, model->path, err);
    if (status == TL_OK)
        tlp_memory_report(result, is_busy, stderr);
    tlp_memory_free(result);
    return status;
}

int calibrate_memory(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Measure what cores get that work at the same time: arithmetic, bandwidth and latency of "
        "caches and memory, and start and end of parallel regions of OpenMP.",
        NULL,
        NULL,
        NULL};
    arguments a = {.output = "memory.conf",
                   .measure = {.max_seconds = 20, .seed = 1, .runtime = "libgomp.so.1"}};
    cli_parse(&argp, argc, argv, 0, &a);
    char archive_path[PATH_MAX];
    tlp_archive *archive = NULL;
    tl_error err;
    calibrated_model model;
    tl_status status = calibrate_choose_model(a.output, a.base, &model, &err);
    cli_archive_path(a.archive_path, a.output, archive_path, sizeof archive_path);
    if (status == TL_OK && *archive_path && (!a.from || a.archive_path))
        status = tlp_archive_begin(archive_path, "memory", argc, argv, &archive, &err);
    if (status == TL_OK)
        status = calibrate(&a, &model, archive, &err);
    tlp_archive_free(archive);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
