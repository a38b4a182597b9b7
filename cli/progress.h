/* progress.h - how far a command with many points is: a line on standard error that changes, if
 * standard error is a terminal and the command takes more than two seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stddef.h>

typedef struct cli_progress {
    const char *what; /* "points" */
    size_t n, n_done;
    double start_s, next_s;
    int is_on, has_line;
} cli_progress;

cli_progress cli_progress_begin(const char *what, size_t n);
/* One more is done. */
void cli_progress_step(cli_progress *p);
/* Removes the line. */
void cli_progress_end(cli_progress *p);

#endif
