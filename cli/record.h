/* record.h - what the files of `timeless record` share. */
#ifndef TL_CLI_RECORD_H
#define TL_CLI_RECORD_H

#include <stdbool.h>
#include <stddef.h>

/* record_folded.c: sets what Open MPI needs to run more ranks than there are cores, unless the user
 * has set it. */
void record_set_folded(void);

/* record_parts.c: the run's own id, for the environment of its ranks; valid until the next call. */
const char *record_new_run_id(void);
/* Joins the parts of the run that began with this id, which lie beside `path`, into `path`, and
 * removes them.  Returns how many there were; what is wrong or missing is said. */
size_t record_join_parts(const char *path, const char *run_id);

/* record_summary.c: says what was recorded.  Returns the exit code: the command's, unless that
 * hides that there is no trace. */
int record_summarise(const char *path, int code, bool quiet);

#endif
