/* record.h - what the files of `timeless record` share. */
#ifndef TL_CLI_RECORD_H
#define TL_CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>

/* folded.c: sets what Open MPI needs to run more ranks than there are cores, unless the user
 * has set it. */
void record_set_folded(void);
/* folded.c: whether mpirun refuses to start n_ranks ranks here, because they are more than the
 * cores of this host; also gives the number of cores. */
bool record_needs_folding(const char *n_ranks, unsigned *cores);
/* folded.c: the number of ranks that a command line of mpirun asks for; "0" if it names none. */
const char *record_ranks_of(char **launcher);

/* parts.c: the run's own id, for the environment of its ranks; valid until the next call. */
const char *record_new_run_id(void);
/* Joins the parts of the run that began with this id, which lie beside `path`, into `path`, and
 * removes them.  Returns how many there were; what is wrong or missing is said. */
size_t record_join_parts(const char *path, const char *run_id);

/* Whether there is a file at `path` that the run with this id has written: a trace of before has
 * another id.  One that cannot be read is taken for the run's. */
bool record_is_of_run(const char *path, const char *run_id);

/* run.c: runs a command, to which signals that come meanwhile are passed on.  Returns its
 * exit code as a shell tells it; -1 if it could not be started (errno tells). */
int record_run(char **argv);
/* Calls `work` in a process of its own, which exits with what it returns, with signals likewise.
 * Returns what waitpid says of it; -1 if there was none (errno tells). */
int record_fork(int (*work)(void *), void *argument);

typedef struct record_packing {
    double volume_precision; /* see tl_pack_options */
    unsigned max_s;          /* packing is given up after so long */
} record_packing;

/* pack.c: packs the trace if it is complete.  If that fails it stays, which is said. */
void record_pack(const char *path, const record_packing *wanted);

/* summary.c: reports that the run has left no trace at `path`, where one of before may be.  Returns
 * the exit code, of which `code` is the command's. */
int record_no_trace(const char *path, int code);
/* summary.c: says what was recorded.  Returns the exit code: the command's, unless that
 * hides that there is no trace, or not of all ranks that were named. */
int record_summarise(const char *path, int code, bool quiet);

#endif
