/* calibrate_noise.c - timeless calibrate noise: what the system takes of each core. */
#include "cli.h"

#include <calibrate.h>
#include <errno.h>
#include <limits.h>
#include <noise.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct arguments {
    const char *folder;
    double seconds, threshold;
} arguments;

enum { KEY_SECONDS = 256, KEY_THRESHOLD };

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER", 0, "write noise.0, noise.1, ... and quanta.csv there (.)", 0},
    {"max-seconds", KEY_SECONDS, "S", 0,
     "for each core, half of it for detours, half for quanta of work; default 20", 0},
    {"threshold", KEY_THRESHOLD, "N", 0,
     "a pass of the loop that takes N times the shortest holds a detour; default 9", 0},
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
    case ARGP_KEY_ARG: argp_error(state, "'%s': takes no argument", value); break;
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
    arguments a = {.folder = ".", .seconds = 20, .threshold = 9};
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    char path[PATH_MAX];
    tl_error err;
    if (mkdir(a.folder, 0777) != 0 && errno != EEXIST)
        return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be made: %s; check the path", a.folder,
                             strerror(errno));
    FILE *quanta = open_in(a.folder, "quanta.csv", path, &err);
    tl_status status = quanta ? TL_OK : err.status;
    if (quanta)
        fputs("core,quantum,ns\n", quanta);
    for (unsigned core = 0; core < tlp_n_cores() && status == TL_OK; core++) {
        tlp_noise_profile *profile = NULL;
        status = tlp_noise_measure(core, a.seconds / 2, a.threshold, &profile, &err);
        if (status == TL_OK)
            status = write_profile(&a, profile, &err);
        if (status == TL_OK)
            status = tlp_noise_write_quanta(profile, quanta, &err);
        tlp_noise_free(profile);
    }
    if (quanta)
        fclose(quanta);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
