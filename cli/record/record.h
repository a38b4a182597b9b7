/* record.h - shared by the files of `timeless record`. */
#ifndef TL_CLI_RECORD_H
#define TL_CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <timeless.h>

/* folded.c: sets what Open MPI needs to run more ranks than there are cores, unless the user has
 * set it. */
void record_set_folded(void);
/* folded.c: whether mpirun refuses to start n_ranks ranks here, because this host has fewer cores;
 * also gives the number of cores. */
bool record_needs_folding(const char *n_ranks, unsigned *cores);
/* folded.c: the number of ranks in a command line of mpirun; "0" if it has none. */
const char *record_ranks_of(char **launcher);

/* launcher.c: what the command is, by its name and by what its option --version prints. Open MPI's
 * launcher includes those of MPIs made from it. */
typedef enum record_launcher {
    RECORD_NO_LAUNCHER,
    RECORD_OPEN_MPI,
    RECORD_OTHER_LAUNCHER
} record_launcher;
record_launcher record_find_launcher(const char *command);
/* Whether Open MPI refuses to start this command line of its launcher, because the user is root. */
bool record_refuses_root(char **command);
/* Whether it is named as a launcher is, whatever it does. */
bool record_has_name_of_launcher(const char *command);

/* skip.c: whether routines return at once, so that their sizes alone tell what they compute. */
bool record_skips_kernels(void);

/* parts.c: the id of the run, for the environment of its ranks. Valid until the next call. */
const char *record_new_run_id(void);
/* Joins the parts of the run that began with this id, which are in the folder of `path`, into
 * `path`, and removes them. Returns their number; reports damaged or missing parts. Adds the killed
 * ranks that have lost their last events to *n_losers. */
size_t record_join_parts(const char *path, const char *run_id, uint32_t *n_losers);

/* Whether the file at `path` was written by the run with this id. An earlier trace has another id.
 * A file that cannot be read is assumed to be from the run. */
bool record_is_of_run(const char *path, const char *run_id);

/* run.c: runs a command and passes signals on to it. Returns its exit code as in a shell; -1 if it
 * could not be started (errno). */
int record_run(char **argv);
/* Calls `work` in a process of its own, which exits with its result; signals are passed on. Returns
 * the status of waitpid; -1 if there was no process (errno). */
int record_fork(int (*work)(void *), void *argument);
/* Signals do again what they did before the first of these calls, which leave them ignored. */
void record_restore_signals(void);

enum { RECORD_MAX_RUNS = 64 };
/* repeat.c: records n runs by `once`, each in a process of its own, into files that are named as
 * `output` with the number of the run: app.1.tl. Reports how much the runs differ. A run that fails
 * is left out; the first one that fails ends it. Returns the exit code of the first failure. */
int record_repeat(unsigned n, const char *output, bool quiet,
                  int (*once)(void *arg, const char *path), void *arg);

typedef struct record_packing {
    double volume_precision; /* see tl_pack_options */
    int statistical;         /* likewise */
    unsigned max_s;          /* packing is given up after so long */
    bool quiet;              /* do not report which object files have no source lines */
} record_packing;

/* pack.c: packs a trace into a file; finds the source lines of its call sites, and reports what has
 * none. origin: of the new trace; NULL: that of the old one. */
tl_status record_pack_to(tl_reader *r, const record_packing *wanted, const char *origin,
                         const char *path, tl_error *err);
/* pack.c: packs the trace if it is complete. If that fails, the trace does not change, and the
 * reason is reported. */
void record_pack(const char *path, const record_packing *wanted);

/* ends.c: what a rank did that did not reach MPI_Finalize: "called MPI_Abort". */
const char *record_end_text(tl_end_reason end);
/* ends.c: prints the beginning of a line: which ranks of a run on several hosts have no proper end,
 * after how many events, and why. Ranks of missing parts are left out; returns whether there are
 * others. */
bool record_print_ends(const tl_reader *r);
/* ends.c: the number of killed ranks that have lost their last events. A joined trace does not know
 * it, because it has the events of PATH.open; its parts do. */
uint32_t record_count_losers(const tl_reader *r);

/* summary.c: reports that the run has left no trace at `path`, where there may be an earlier one.
 * Returns the exit code; `code` is that of the command. */
int record_no_trace(const char *path, int code);
/* summary.c: reports what was recorded. Returns the exit code of the command, or another one if
 * there is no trace. `n_losers`: those of joined parts. */
int record_summarise(const char *path, int code, bool quiet, uint32_t n_losers);
/* Prints which ranks of a joined trace are incomplete, if any, and the first damage. */
void record_say_incomplete(const char *path, uint32_t n_losers);

#endif
