/* import.h - shared by all imports, and their internals for the fuzzing harnesses. */
#ifndef TL_IMPORT_H
#define TL_IMPORT_H

#include "core/bytes.h"
#include "timeless.h"

#include <stdbool.h>

/* Opens a file to import: a regular one, which no output may replace. */
tl_status tl_import_open(const char *path, FILE **out, tl_error *err);
/* The lines of a list of files, without blank ones: at least one. */
tl_status tl_import_read_list(const char *path, char ***names, size_t *n, tl_error *err);
void tl_import_free_list(char **names, size_t n);

/* Writes the part of one rank, whose writer it opens and closes. */
typedef tl_status tl_import_part(void *arg, uint32_t rank, const char *out_path, tl_error *err);
/* Writes a trace of run->n_ranks parts, under a temporary name until it is complete. */
tl_status tl_import_write(const char *out_path, tl_run *run, tl_import_part *part, void *arg,
                          tl_error *err);
/* Closes a writer, or abandons it if *status is an error. */
tl_status tl_import_close(tl_writer *w, const char *out_path, tl_status status, tl_end_reason end,
                          uint64_t clock_ns, tl_error *err);

/* Makes the numbers in the buffer the list of the event. */
static inline void tl_import_list(tl_event *e, const tl_buffer *numbers)
{
    e->list = (const int64_t *)(const void *)numbers->data;
    e->list_len = (uint32_t)(numbers->size / sizeof *e->list);
}

/* Reads the actions of one rank from SimGrid's text and writes them as events. The file may be
 * shared by all ranks. `without_compute`: volumes are of reductions alone. */
tl_status tl_import_simgrid_rank(FILE *in, const char *name, uint32_t rank, uint32_t n_ranks,
                                 bool is_shared, bool without_compute, tl_writer *w, tl_error *err);
/* If `path` is a text trace of SimGrid (a list of files, or a file of all ranks), writes
 * the trace that it means into a temporary file, which has no name, and stores its descriptor in
 * *fd. Otherwise *fd is -1 and the result is TL_OK. */
tl_status tl_simgrid_convert(const char *path, int *fd, tl_error *err);
/* Makes a trace from the files of all ranks of a run that DUMPI recorded. */
tl_status tl_import_dumpi_files(FILE *const *files, char *const *names, uint32_t n_ranks,
                                const tl_dumpi_options *options, const char *out_path,
                                tl_error *err);

/* Makes a trace from the schedules in a file of GOAL. */
tl_status tl_import_goal_file(FILE *in, const char *name, const char *out_path, tl_error *err);

#endif
