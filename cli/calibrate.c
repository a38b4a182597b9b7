/* calibrate.c - timeless calibrate: calls the kind of calibration; there is one file for each. */
#include "cli.h"

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

int cmd_calibrate(int argc, char **argv)
{
    return cli_run_target(&calibrations, argc, argv);
}
