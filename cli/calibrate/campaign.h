/* campaign.h - the way of every calibration: options, what is checked before anything is measured,
 * measurements (or those of --reuse), a fit with its description, archive, report. */
#ifndef CLI_CALIBRATE_CAMPAIGN_H
#define CLI_CALIBRATE_CAMPAIGN_H

#include "launch.h"

#include <argp.h>
#include <calibrate/archive.h>
#include <calibrate/raw.h>
#include <limits.h>
#include <stdbool.h>
#include <timeless.h>

/* The keys of options that several calibrations have, and the first one of others. */
enum {
    KEY_MODEL = 256,
    KEY_REUSE,
    KEY_ARCHIVE,
    KEY_SEED,
    KEY_SECONDS,
    KEY_BYTES,
    KEY_HOSTS,
    KEY_OWN
};

/* The arguments of a calibration begin with it. */
typedef struct campaign {
    const struct campaign_kind *kind;
    const char *output, *base, *from, *archive_path; /* -o, --model, --reuse, --archive */
    uint64_t seconds, seed, max_bytes;               /* --max-seconds, --seed, --max-bytes */
    cli_launcher launcher;                           /* of --hosts, or the words behind "--" */
    const char *measured_by;         /* the last of these three that was given; NULL: none */
    char model[PATH_MAX];            /* gets the result, and has all else ... */
    char old[2 * PATH_MAX];          /* ... of this model */
    tlp_archive *archive;            /* NULL: none */
    tlp_repetition_list repetitions; /* for the archive */
    void *all;                       /* the measurements, of kind->raw */
} campaign;

/* NULL: nothing to do. */
typedef struct campaign_kind {
    const char *what; /* "memory" */
    const struct argp_option *options;
    argp_parser_t parse;
    const char *words, *doc; /* as of struct argp; words: has a launcher */
    uint64_t least_seconds, least_bytes, most_bytes;
    const tlp_raw *raw; /* NULL: measure() takes --reuse, too */
    int changes_model;  /* -o is a folder with a model.conf, or FILE.conf, which gets a part */
    tl_status (*begin)(campaign *c, tl_error *err); /* before anything is measured */
    tl_status (*measure)(campaign *c, tl_error *err);
    tl_status (*write)(campaign *c, tl_error *err); /* fits and writes the result */
    /* Adds what else than raw rows and model is in the archive; gives the repetitions. */
    tl_status (*add)(campaign *c, tl_error *err);
    void (*report)(campaign *c);
    void (*end)(campaign *c);
} campaign_kind;

/* Whether the path is a FILE.conf. */
bool campaign_is_model(const char *path);
/* Before anything is measured, so that a wrong path is reported at once: makes the folder, unless
 * it is there; makes the file that a result would replace the path with, and removes it. */
tl_status campaign_make_folder(const char *path, tl_error *err);
tl_status campaign_check_writable(const char *path, tl_error *err);
/* Handles the options above and the launcher, and refuses words. */
error_t campaign_parse(int key, char *value, struct argp_state *state);
/* Whether a launcher is given; refuses several of them, or one beside --reuse. */
bool campaign_has_hosts(struct argp_state *state, const campaign *c);
/* Parses the command line, does all and returns the exit code. */
int campaign_run(campaign *c, const campaign_kind *kind, int argc, char **argv);

#endif
