/* calibrate.c - timeless calibrate: calls the kind of calibration; there is one file for each. */
#include "cli.h"
#include "targets.h"

#include <stdio.h>
#include <string.h>

static const cli_target targets[] = {
    {"network", "measure messages between hosts for a platform", calibrate_network},
    {"kernels", "time the BLAS kernels of this machine for a compute model", calibrate_kernels},
    {"cpu", "measure how long instructions take between each two call sites", calibrate_cpu},
    {"memory", "measure what cores get that work at the same time", calibrate_memory},
    {"noise", "measure the time that the system takes from each core", calibrate_noise},
};
static const cli_targets calibrations = {
    "calibrate",    "calibrated",
    "calibrations", "'man timeless-calibrate-WHAT' describes them.",
    targets,        sizeof targets / sizeof *targets};

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
    return (size_t)i < calibrations.n ? targets[i].name : NULL;
}

int cmd_calibrate(int argc, char **argv)
{
    return cli_run_target(&calibrations, argc, argv);
}
