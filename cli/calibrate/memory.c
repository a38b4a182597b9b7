/* memory.c - timeless calibrate memory: measures what cores get that work at the same
 * time, for parallel regions. */
#include "config.h"

#include "calibrate/campaign.h"
#include "cli.h"

#include <calibrate/memory.h>
#include <stdio.h>
#include <unistd.h>

typedef struct arguments {
    campaign c;
    const char *runtime;
    int allow_busy;
} arguments;

enum { KEY_RUNTIME = KEY_OWN, KEY_BUSY };

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
    {"reuse", KEY_REUSE, "PATH", 0, "measure nothing; take the measurements of this archive", 0},
    {"archive", KEY_ARCHIVE, "FOLDER", 0,
     "folder with the measurements, or none (default: memory-MOMENT beside the result)", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case KEY_RUNTIME: a->runtime = value; return 0;
    case KEY_BUSY: a->allow_busy = 1; return 0;
    default: return campaign_parse(key, value, state);
    }
}

static tl_status measure(campaign *c, tl_error *err)
{
    const tlp_memory_options wanted = {.max_seconds = (double)c->seconds,
                                       .max_bytes = c->max_bytes,
                                       .seed = c->seed,
                                       .runtime = ((arguments *)c)->runtime};
    tlp_memory_result *result = NULL;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring for about %.0f s\n", wanted.max_seconds);
    const tl_status status = tlp_memory_measure(&wanted, &result, err);
    c->all = result;
    return status;
}

static tl_status write_result(campaign *c, tl_error *err)
{
    tlp_memory_result *result = c->all;
    const tl_status status = tlp_memory_check(result, err);
    result->is_busy = status != TL_OK;
    return result->is_busy && !((arguments *)c)->allow_busy
               ? status
               : tlp_memory_write(result, c->old, c->model, err);
}

static tl_status add(campaign *c, tl_error *err)
{
    const tlp_memory_result *result = c->all;
    tlp_archive_note(c->archive, "seed", "%lu", result->seed);
    tlp_archive_note(c->archive, "runtime of OpenMP", "%s",
                     *result->runtime ? result->runtime : "none");
    return tlp_memory_repetitions(result, &c->repetitions) == TL_OK
               ? TL_OK
               : tl_no_memory(err, "archiving");
}

static void report(campaign *c)
{
    tlp_memory_report(c->all, stderr);
}

int calibrate_memory(int argc, char **argv)
{
    static const campaign_kind kind = {
        .what = "memory",
        .options = options,
        .parse = parse_option,
        .doc = "Measure what cores get that work at the same time: arithmetic, bandwidth and "
               "latency of caches and memory, and start and end of parallel regions of OpenMP.",
        .least_seconds = 1,
        .least_bytes = 65536,
        .most_bytes = 1UL << 40,
        .raw = &tlp_raw_memory,
        .changes_model = 1,
        .measure = measure,
        .write = write_result,
        .add = add,
        .report = report};
    arguments a = {.c = {.output = "memory.conf", .seconds = 20, .seed = 1},
                   .runtime = "libgomp.so.1"};
    return campaign_run(&a.c, &kind, argc, argv);
}
