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
#include <timeless_files.h>
#include <unistd.h>

typedef struct arguments {
    const char *folder, *archive_path;
    double seconds, threshold;
} arguments;

/* Of the cores that were measured. */
typedef struct results {
    unsigned n;
    tlp_noise_profile **profiles;
} results;

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
    case 'o':
        if (!*value)
            argp_error(state, "--output '': give a folder");
        a->folder = value;
        break;
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

/* ---- files ---- */

static tl_status write_file(const arguments *a, const char *name, tl_writing write, const void *arg,
                            tl_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", a->folder, name);
    return tl_output_write(path, write, arg, err);
}

static tl_status write_profile(const void *profile, FILE *out, tl_error *err)
{
    return tlp_noise_write(profile, out, err);
}

static tl_status write_quanta(const void *arg, FILE *out, tl_error *err)
{
    const results *r = arg;
    tl_status status = TL_OK;
    fputs("core,quantum,ns\n", out);
    for (unsigned i = 0; i < r->n && status == TL_OK; i++)
        status = tlp_noise_write_quanta(r->profiles[i], out, err);
    return status;
}

static tl_status write_all(const arguments *a, const results *r, tl_error *err)
{
    char name[32];
    tl_status status = TL_OK;
    for (unsigned i = 0; i < r->n && status == TL_OK; i++) {
        snprintf(name, sizeof name, "noise.%u", r->profiles[i]->core);
        status = write_file(a, name, write_profile, r->profiles[i], err);
    }
    return status == TL_OK ? write_file(a, "quanta.csv", write_quanta, r, err) : status;
}

/* Makes the folder, and in it a file that is removed, so that a wrong path is reported before
 * anything is measured. */
static tl_status begin_folder(const arguments *a, tl_error *err)
{
    char path[PATH_MAX];
    struct stat there;
    tl_replacement file;
    if (mkdir(a->folder, 0777) != 0 && errno != EEXIST)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be made: %s; check the path", a->folder,
                       strerror(errno));
    if (stat(a->folder, &there) == 0 && !S_ISDIR(there.st_mode))
        return tl_fail(err, TL_ERR_SYSTEM, "%s: is no folder; give one, which may be new",
                       a->folder);
    snprintf(path, sizeof path, "%s/quanta.csv", a->folder);
    const tl_status status = tl_replace_begin(path, &file, err);
    if (status == TL_OK)
        tl_replace_end(&file, TL_ERR_SYSTEM, NULL);
    return status;
}

/* ---- measuring ---- */

/* Measures all cores, one after the other. Nothing is written before all are measured: an
 * interrupted command leaves the files of the one before. */
static tl_status measure(const arguments *a, results *r, tlp_repetitions *repetitions,
                         tl_error *err)
{
    tl_status status = TL_OK;
    for (unsigned core = 0, n = tlp_n_cores(); core < n && status == TL_OK; core++) {
        tlp_noise_profile *profile = NULL;
        status = tlp_noise_measure(core, a->seconds / 2, a->threshold, &profile, err);
        if (status != TL_OK)
            break;
        r->profiles[r->n++] = profile;
        if (tlp_noise_add_quanta(profile, repetitions) != TL_OK)
            status = tl_fail(err, TL_ERR_MEMORY, "out of memory while measuring noise");
        else
            fprintf(stderr, "timeless: %s/noise.%u: %zu detours in %.3g s, %.3f%% of the time\n",
                    a->folder, profile->core, profile->n_detours, profile->seconds,
                    100 * profile->lost_share);
    }
    return status;
}

static tl_status finish_archive(tlp_archive *archive, const arguments *a, unsigned n_cores,
                                tlp_repetition_list *list, tl_error *err)
{
    char name[32], entry[64], path[PATH_MAX];
    tl_status status = TL_OK;
    tlp_archive_note(archive, "seconds for each core", "%g", a->seconds);
    tlp_archive_note(archive, "threshold", "%g", a->threshold);
    for (unsigned core = 0; core <= n_cores && status == TL_OK; core++) {
        snprintf(name, sizeof name, "noise.%u", core);
        snprintf(entry, sizeof entry, "raw/%s", core < n_cores ? name : "quanta.csv");
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
    tl_error err;
    char archive_path[PATH_MAX];
    tlp_archive *archive = NULL;
    tlp_repetition_list list = {0};
    tlp_repetitions *repetitions = tlp_begin_repetitions(&list, "quantum of work", "s");
    results r = {.profiles = calloc(tlp_n_cores(), sizeof *r.profiles)};
    tl_status status = begin_folder(&a, &err);
    cli_archive_path(a.archive_path, a.folder, archive_path, sizeof archive_path);
    if (status == TL_OK && (!repetitions || !r.profiles))
        status = tl_fail(&err, TL_ERR_MEMORY, "out of memory while measuring noise");
    if (status == TL_OK && *archive_path)
        status = tlp_archive_begin(archive_path, "noise", argc, argv, &archive, &err);
    if (status == TL_OK && isatty(STDERR_FILENO))
        fprintf(stderr, "timeless: measuring %u cores, %g s each\n", tlp_n_cores(), a.seconds);
    if (status == TL_OK)
        status = measure(&a, &r, repetitions, &err);
    if (status == TL_OK)
        status = write_all(&a, &r, &err);
    if (status == TL_OK && archive)
        status = finish_archive(archive, &a, r.n, &list, &err);
    for (unsigned i = 0; i < r.n; i++)
        tlp_noise_free(r.profiles[i]);
    free(r.profiles);
    tlp_clear_repetitions(&list);
    tlp_archive_free(archive);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
