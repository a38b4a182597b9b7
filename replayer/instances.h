/* instances.h - SimGrid's description of several instances, as a trace on the command line. */
#ifndef TLR_INSTANCES_H
#define TLR_INSTANCES_H

#include "scenario.h"

/* The sources of a description; 0: the file is none. The caller frees them and their paths. */
size_t tlr_instances_read(const char *path, tlr_source **out);
/* Checks the ranks of the opened traces, and sets when the jobs of instances start. */
tl_status tlr_instances_start(const tlr_source *sources, size_t n, const tlr_platform *platform,
                              const tlr_options *options, tlr_job *jobs, tl_error *err);

#endif
