/* study.h - the studies of timeless study, and what they have in common. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "cli.h"
#include "grid.h"

#include <argp.h>

int study_collectives(int argc, char **argv);
int study_noise(int argc, char **argv);
int study_scaling(int argc, char **argv);

/* What the command line of each study has. */
typedef struct study_common {
    grid grid;
    cli_json json;
    const char *plot; /* NULL: no picture */
} study_common;

enum { STUDY_JSON = 2000, STUDY_PLOT, STUDY_SECONDS, STUDY_PROGRESS };
#define STUDY_OPTIONS                                                                              \
    {"jobs", 'j', "N", 0, "run N replays at a time (default: one a core)", 0},                     \
        {"max-seconds", STUDY_SECONDS, "S", 0, "print what is known after S seconds", 0},          \
    {                                                                                              \
        "progress", STUDY_PROGRESS, NULL, 0, "report progress on standard error", 0                \
    }

#define STUDY_OUTPUT_OPTION                                                                        \
    {                                                                                              \
        "output", 'o', "FILE", 0, "keep the points in FILE, and do not repeat those that it has",  \
            0                                                                                      \
    }

/* A study before its options are parsed. */
study_common study_begin(void);
/* Parses the command line of a study, with the settings of its replays. */
void study_parse_all(const struct argp_option *options, argp_parser_t parser, const char *usage,
                     const char *summary, int argc, char **argv, void *input);
/* Parses -o, --json, --plot, --jobs, and the options of replays. ARGP_ERR_UNKNOWN: another option.
 */
error_t study_parse(int key, char *value, struct argp_state *state, study_common *s);
/* Replays the grid, if making it gave `status`, and writes the results that there are. Returns the
 * exit code. */
int study_run(study_common *s, tl_status status, tl_status (*write)(const void *arg, tl_error *err),
              const void *arg, tl_error *err);

/* Makes an axis of "64,4K" or "4..64" or "4..64:2": numbers, where K, M and G are powers of 1024.
 * `option` is for errors. */
tl_status study_numbers(const char *axis, const char *option, const char *text, tlr_axis *out,
                        tl_error *err);
/* Ends the program with this reason if the setting is given: the study would overrule it silently.
 */
void study_refuse(struct argp_state *state, const grid *g, const char *setting, const char *reason);
/* Makes the sweep of axes that were allocated together (NULL: there was no memory), and takes them
 * over in any case. `status` is that of making them. */
tl_status study_make_sweep(grid *g, tl_status status, tlr_axis *axes, size_t n_axes, tl_error *err);
/* The machine, for people. */
void study_place(const grid *g, char *text, size_t size);

#endif
