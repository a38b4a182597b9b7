/* instances.h - SimGrid's description of several instances, as a trace on the command line. */
#ifndef CLI_INSTANCES_H
#define CLI_INSTANCES_H

#include <replayer.h>

typedef struct cli_instance {
    char *trace;
    uint32_t n_ranks;
    double delay_flops; /* computed by each rank before it begins */
} cli_instance;

void cli_free_instances(cli_instance *instances, size_t n);
/* Checks the ranks of the opened traces, and sets when the jobs start. */
tl_status cli_start_instances(const cli_instance *instances, size_t n, const tlr_platform *platform,
                              const tlr_options *options, tlr_job *jobs, tl_error *err);

#endif
