/* noise.c - timeless calibrate noise: measures the time that the system takes from each
 * core. */
#include "cli.h"

#include <calibrate/archive.h>
#include <calibrate/calibrate.h>
#include <errno.h>
#include <limits.h>
#include <calibrate/noise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct arguments {
    const char *folder, *archive_path;
    double seconds, threshold;
} arguments;

enum { KEY_SECONDS = 256, KEY_THRESHOLD, KEY_ARCHIVE };

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER", 0, "write noise.0, noise.1, ... and quanta.csv there (.)", 0},
    {"max-seconds", KEY_SECONDS, "S", 0,
     "for each core, half of it for detours, half for quanta of work; default 20", 0},
    {"threshold", KEY_THRESHOLD, "N", 0,
     "a pass of the loop that takes N times the shortest holds a detour; default 9", 0},
    {"archive", KEY_ARCHIVE, "FILE", 0,
     "the zip with all that was measured; default: noise-MOMENT.zip in the folder; none: none", 0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'o': a->folder = value; break;
    case KEY_SECONDS:
        a->seconds = (double)cli_parse_number_from(state, "--max-seconds", value, 1, 86400);
        break;
    case KEY_THRESHOLD:
        a->threshold = (double)cli_parse_number_from(state, "--threshold", value, 2, 1000000);
        break;
    case KEY_ARCHIVE: a->archive_path = value; break;
    case ARGP_KEY_ARG: argp_error(state, "'%s': this command takes no argument", value); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static FILE *open_in(const char *folder, const char *name, char path[PATH_MAX], tl_error *err)
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    if (!file) {
        err->status = TL_ERR_SYSTEM;
        snprintf(err->text, sizeof err->text, "%.200s: cannot be written: %s; check the path", path,
                 strerror(errno));
    }
    return file;
}

static tl_status write_profile(const arguments *a, const tlp_noise_profile *profile, tl_error *err)
{
    char name[32], path[PATH_MAX];
    snprintf(name, sizeof name, "noise.%u", profile->core);
    FILE *out = open_in(a->folder, name, path, err);
    tl_status status = out ? tlp_noise_write(profile, out, err) : err->status;
    if (out)
        fclose(out);
    if (status == TL_OK)
        fprintf(stderr, "timeless: %s: %zu detours in %.3g s, %.3f%% of the time\n", path,
                profile->n_detours, profile->seconds, 100 * profile->lost_share);
    return status;
}

/* Measures all cores, one after the other. */
static tl_status measure(const arguments *a, FILE *quanta, tlp_repetitions *repetitions,
                         tl_error *err)
{
    tl_status status = TL_OK;
    fputs("core,quantum,ns\n", quanta);
    for (unsigned core = 0; core < tlp_n_cores() && status == TL_OK; core++) {
        tlp_noise_profile *profile = NULL;
        status = tlp_noise_measure(core, a->seconds / 2, a->threshold, &profile, err);
        if (status == TL_OK)
            status = write_profile(a, profile, err);
        if (status == TL_OK)
            status = tlp_noise_write_quanta(profile, quanta, err);
        if (status == TL_OK && tlp_noise_add_quanta(profile, repetitions) != TL_OK)
            status = tl_fail(err, TL_ERR_MEMORY, "out of memory while measuring noise");
        tlp_noise_free(profile);
    }
    return status;
}

static tl_status finish_archive(tlp_archive *archive, const arguments *a, tlp_repetition_list *list,
                                tl_error *err)
{
    char name[32], entry[64], path[PATH_MAX];
    tl_status status = TL_OK;
    tlp_archive_note(archive, "seconds for each core", "%g", a->seconds);
    tlp_archive_note(archive, "threshold", "%g", a->threshold);
    for (unsigned core = 0; core <= tlp_n_cores() && status == TL_OK; core++) {
        snprintf(name, sizeof name, "noise.%u", core);
        snprintf(entry, sizeof entry, "raw/%s", core < tlp_n_cores() ? name : "quanta.csv");
        snprintf(path, sizeof path, "%s/%s", a->folder, entry + 4);
        status = tlp_archive_add_file(archive, entry, path, err);
    }
    return status == TL_OK ? tlp_archive_finish(archive, list, err) : status;
}

int calibrate_noise(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse,
                                     NULL,
                                     "Measure the detours of the operating system on each core, "
                                     "for 'timeless replay --noise'.",
                                     NULL,
                                     NULL,
                                     NULL};
    arguments a = {.folder = ".", .seconds = 20, .threshold = 9 /* assumed */};
    cli_parse(&argp, argc, argv, 0, &a);
    char path[PATH_MAX];
    tl_error err;
    if (mkdir(a.folder, 0777) != 0 && errno != EEXIST)
        return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be made: %s; check the path", a.folder,
                             strerror(errno));
    char archive_path[PATH_MAX];
    tlp_archive *archive = NULL;
    tlp_repetition_list list = {0};
    tlp_repetitions *repetitions = tlp_begin_repetitions(&list, "quantum of work", "s");
    FILE *quanta = open_in(a.folder, "quanta.csv", path, &err);
    tl_status status = quanta ? TL_OK : err.status;
    cli_archive_path(a.archive_path, a.folder, archive_path, sizeof archive_path);
    if (status == TL_OK && !repetitions)
        status = tl_fail(&err, TL_ERR_MEMORY, "out of memory while measuring noise");
    if (status == TL_OK && *archive_path)
        status = tlp_archive_begin(archive_path, "noise", argc, argv, &archive, &err);
    if (status == TL_OK && isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring %u cores, %g s each\n", tlp_n_cores(), a.seconds);
    if (status == TL_OK)
        status = measure(&a, quanta, repetitions, &err);
    if (quanta)
        fclose(quanta);
    if (status == TL_OK && archive)
        status = finish_archive(archive, &a, &list, &err);
    tlp_clear_repetitions(&list);
    tlp_archive_free(archive);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
