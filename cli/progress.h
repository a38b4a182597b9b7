/* progress.h - how far a command is: a line on standard error that changes, if standard error is a
 * terminal and the command takes more than two seconds. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeless.h>

/* ---- any command: its seconds, and the events that it has read and written ---- */

/* Begins to show the line of the command NAME, from a thread of its own. Does nothing if standard
 * error is no terminal, or if standard output is a pipe. */
void cli_progress_watch(const char *name);
/* The command is going to read these events of each rank (-1), or of one: the line shows a share of
 * them. To be called once for each time that it reads them. */
void cli_progress_expect(const tl_reader *r, int64_t rank, uint64_t first, uint64_t past);
/* Removes the line, for a message. A later line may follow. */
void cli_progress_clear(void);
/* Removes the line for good: to be called before results are printed. */
void cli_progress_stop(void);

/* ---- commands with many points ---- */

typedef struct cli_progress {
    const char *what; /* "points" */
    size_t n, n_done;
    double start_s, next_s;
    bool is_on, has_line;
} cli_progress;

/* From now on, progress is printed as lines, every five seconds, even if standard error is no
 * terminal. */
void cli_progress_print(void);
cli_progress cli_progress_begin(const char *what, size_t n);
/* One more is done. */
void cli_progress_step(cli_progress *p);
/* Removes the line. */
void cli_progress_end(cli_progress *p);

#endif
