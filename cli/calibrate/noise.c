/* noise.c - timeless calibrate noise: measures the time that the system takes from each
 * core. */
#include "calibrate/campaign.h"
#include "cli.h"

#include <calibrate/calibrate.h>
#include <calibrate/noise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct arguments {
    campaign c;
    double threshold;
    unsigned n; /* cores that were measured */
    tlp_noise_profile *profiles;
} arguments;

enum { KEY_THRESHOLD = KEY_OWN };

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER", 0, "write noise.0, noise.1, ... there (.)", 0},
    {"max-seconds", KEY_SECONDS, "S", 0, "for each core; default 10", 0},
    {"threshold", KEY_THRESHOLD, "N", 0,
     "a pass of the loop that takes N times the shortest holds a detour; default 9", 0},
    {"archive", KEY_ARCHIVE, "FOLDER", 0,
     "folder with the measurements, or none (default: noise-MOMENT in the folder)", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    if (key == 'o' && !*value)
        argp_error(state, "--output '': give a folder");
    if (key != KEY_THRESHOLD)
        return campaign_parse(key, value, state);
    ((arguments *)state->input)->threshold =
        (double)cli_parse_number_from(state, "--threshold", value, 2, 1000000);
    return 0;
}

/* ---- files ---- */

/* Writes a file for each core. */
static tl_status write_result(campaign *c, tl_error *err)
{
    const arguments *a = (arguments *)c;
    char name[32];
    for (unsigned i = 0; i < a->n; i++) {
        snprintf(name, sizeof name, "noise.%u", i);
        TL_TRY(tlp_write_in(c->output, name, tlp_noise_write, &a->profiles[i], err));
    }
    return TL_OK;
}

static tl_status begin(campaign *c, tl_error *err)
{
    char path[PATH_MAX];
    const tl_status status = campaign_make_folder(c->output, err);
    snprintf(path, sizeof path, "%s/noise.0", c->output);
    return status == TL_OK ? campaign_check_writable(path, err) : status;
}

/* Measures all cores, one after the other. Nothing is written before all are measured: an
 * interrupted command leaves the files of the one before. */
static tl_status measure(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    const unsigned n = tlp_n_cores();
    if (!(a->profiles = calloc(n, sizeof *a->profiles)))
        return tl_no_memory(err, "measuring noise");
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring %u cores, %g s each\n", n, (double)c->seconds);
    for (; a->n < n; a->n++) {
        tlp_noise_profile *p = &a->profiles[a->n];
        TL_TRY(tlp_noise_measure(a->n, (double)c->seconds, a->threshold, p, err));
        fprintf(stderr, "timeless: %s/noise.%u: %zu detours in %.3g s, %.3f%% of the time\n",
                c->output, a->n, p->n_detours, p->seconds, 100 * p->lost_share);
    }
    return TL_OK;
}

static tl_status add(campaign *c, tl_error *err)
{
    const arguments *a = (arguments *)c;
    char entry[64], path[PATH_MAX];
    tlp_archive_note(c->archive, "seconds for each core", "%g", (double)c->seconds);
    tlp_archive_note(c->archive, "threshold", "%g", a->threshold);
    for (unsigned core = 0; core < a->n; core++) {
        snprintf(entry, sizeof entry, "raw/noise.%u", core);
        snprintf(path, sizeof path, "%s/%s", c->output, entry + 4);
        TL_TRY(tlp_archive_add_file(c->archive, entry, path, err));
    }
    return TL_OK;
}

static void end(campaign *c)
{
    const arguments *a = (arguments *)c;
    for (unsigned i = 0; i < a->n; i++)
        free(a->profiles[i].detours);
    free(a->profiles);
}

int calibrate_noise(int argc, char **argv)
{
    static const campaign_kind kind = {
        .what = "noise",
        .options = options,
        .parse = parse_option,
        .doc = "Measure the detours of the operating system on each core, for 'timeless replay "
               "--noise'.",
        .least_seconds = 1,
        .begin = begin,
        .measure = measure,
        .write = write_result,
        .add = add,
        .end = end};
    arguments a = {.c = {.output = ".", .seconds = 10}, .threshold = 9 /* assumed */};
    return campaign_run(&a.c, &kind, argc, argv);
}
