/* calibrate.c - timeless calibrate: calls the kind of calibration; there is one file for each. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static const struct target {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} targets[] = {
    {"network", "measure messages between hosts for a platform", calibrate_network},
    {"kernels", "time the BLAS kernels of this machine for a compute model", calibrate_kernels},
    {"cpu", "measure how long instructions take between each two call sites", calibrate_cpu},
    {"memory", "measure what cores get that work at the same time", calibrate_memory},
    {"noise", "measure the time that the system takes from each core", calibrate_noise},
};
enum { N_TARGETS = sizeof targets / sizeof *targets };

static void print_usage(FILE *out)
{
    fputs("usage: timeless calibrate WHAT [OPTION...]\n\n", out);
    for (int i = 0; i < N_TARGETS; i++)
        fprintf(out, "  %-10s %s\n", targets[i].name, targets[i].summary);
    fputs("\n'timeless calibrate WHAT --help' prints the options of each; 'man "
          "timeless-calibrate-WHAT' describes them.\n",
          out);
}

void cli_archive_path(const char *given, const char *result, char *path, size_t size)
{
    const char *slash = result ? strrchr(result, '/') : NULL;
    const size_t length = result ? strlen(result) : 0;
    if (given)
        snprintf(path, size, "%s", strcmp(given, "none") != 0 ? given : "");
    else if (!result)
        snprintf(path, size, "%s", "");
    else if (length <= 5 || strcmp(result + length - 5, ".conf") != 0)
        snprintf(path, size, "%s/", result);
    else
        snprintf(path, size, "%.*s", slash ? (int)(slash + 1 - result) : 2, slash ? result : "./");
}

const char *cli_calibrate_target(int i)
{
    return i < N_TARGETS ? targets[i].name : NULL;
}

int cmd_calibrate(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") || !strcmp(argv[1], "--usage")) {
        print_usage(stdout);
        return CLI_OK;
    }
    for (int i = 0; i < N_TARGETS; i++) {
        if (strcmp(argv[1], targets[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "timeless calibrate %s", targets[i].name);
        argv[1] = name;
        return targets[i].run(argc - 1, argv + 1);
    }
    return cli_fail_text(
        TL_ERR_USAGE,
        "'%s' cannot be calibrated; 'timeless calibrate --help' lists the calibrations", argv[1]);
}
