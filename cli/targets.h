/* targets.h - commands that take the kind of their work as the first word. */
#ifndef CLI_TARGETS_H
#define CLI_TARGETS_H

#include <stddef.h>

typedef struct cli_target {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} cli_target;

typedef struct cli_targets {
    const char *command; /* "calibrate" */
    const char *done;    /* "calibrated" */
    const char *kinds;   /* "calibrations" */
    const char *manual;  /* the end of the help: which page describes them */
    const cli_target *targets;
    size_t n;
} cli_targets;

/* Runs the target that argv[1] names, prints the list for --help, or reports wrong usage. Returns
 * the exit code. */
int cli_run_target(const cli_targets *all, int argc, char **argv);

#endif
