/* launch.h - starts mpirun for a program of ours that measures, and reads its output. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <timeless.h>

/* Starts the command in a process group of its own, with its output in a pipe. NULL after an error.
 */
FILE *cli_launch(char **argv, pid_t *pid, tl_error *err);
/* Waits for the end and returns the exit code. is_complete: everything has been measured; then it
 * does not wait for mpirun, which can remain for a minute between network namespaces. */
int cli_launch_end(pid_t pid, bool is_complete);

#endif
