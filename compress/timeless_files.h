/* timeless_files.h - writing files, printing foreign text, quantities, progress, and secrets.
 *
 * A part of the library's interface, for programs that treat files as the commands of Timeless do.
 * The conventions are those of timeless.h. */
#ifndef TIMELESS_FILES_H
#define TIMELESS_FILES_H

/* What this header declares may change with each release. */
#ifndef TIMELESS_EXPERIMENTAL
#error "define TIMELESS_EXPERIMENTAL before including this header; what it declares may change"
#endif

#include <stdbool.h>
#include <stdio.h>

#include "timeless.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A new file that is written under another name, and replaces `target` when it is complete. At each
 * moment, a reader sees the old file or the new one. After a failure, the old file remains. */
typedef struct tl_replacement {
    char *target; /* if the path is a symbolic link: the file to which it leads */
    char *part;   /* the new file: TARGET.PID-N.part */
} tl_replacement;

/* Creates the empty new file, with the permissions and the owner of the old one. Fails if the
 * target is not a regular file (a device is never replaced) or is an input (tl_input_note), or if
 * the caller may not write it. If two callers write one target at the same time, each has a new
 * file of its own, and the file of the caller that ends last remains. */
TL_API tl_status tl_replace_begin(const char *path, tl_replacement *out, tl_error *err);
/* `status` is the result of writing. If it is TL_OK, the new file replaces the target after it has
 * reached the disk. Otherwise the new file is removed. Returns `status`, or the reason why the file
 * could not replace the target. Releases *replacement. */
TL_API tl_status tl_replace_end(tl_replacement *replacement, tl_status status, tl_error *err);

/* Removes all new files that did not replace their targets yet. A handler of signals may call it
 * before the process ends. */
TL_API void tl_replace_abandon(void);
/* Makes the file an input: from now on, no output of this process replaces it, under any name. Does
 * nothing if it is not a regular file. */
TL_API void tl_input_note(const char *path);

/* A stream to an output. A regular file is replaced as above. A device, a pipe and the file of
 * standard output are written directly. The path NULL is standard output, which is not closed. */
typedef struct tl_output {
    FILE *file;
    tl_replacement replacement;
} tl_output;
typedef tl_status (*tl_writing)(const void *arg, FILE *out, tl_error *err);
TL_API tl_status tl_output_open(const char *path, tl_output *out, tl_error *err);
/* Closes the stream, and does the same as tl_replace_end. Does nothing if the output is not open.
 */
TL_API tl_status tl_output_close(tl_output *out, const char *path, tl_status status, tl_error *err);
/* Opens the output, calls `write` with `arg`, and closes it. */
TL_API tl_status tl_output_write(const char *path, tl_writing write, const void *arg,
                                 tl_error *err);

/* TMPDIR, or the default folder for temporary files. */
TL_API const char *tl_temporary_folder(void);
/* Creates an empty temporary file "timeless-PURPOSE-..." and opens it for reading and writing. The
 * caller unlinks and frees *path, and closes *fd. After a failure they are NULL and -1. */
TL_API tl_status tl_temporary_file(const char *purpose, char **path, int *fd, tl_error *err);

/* ---- text of others: names in a trace, in a platform, in a measurement ---- */

/* Makes one line that is safe for a terminal: a '?' replaces everything that is not a printable
 * UTF-8 character. Returns the text itself if nothing changes. Otherwise returns memory of the
 * thread, which is valid until the thread has made 15 further calls. */
TL_API const char *tl_printable(const char *text);
/* Writes at most `length` bytes of the text as content of an element or attribute of XML. */
TL_API void tl_put_xml(FILE *out, const char *text, size_t length);
/* Writes a cell of CSV, in quotation marks if it needs them or if always_quoted is not 0. If a
 * spreadsheet would treat the text as a formula, a "'" precedes it. */
TL_API void tl_put_csv(FILE *out, const char *text, int always_quoted);

/* ---- numbers with a unit ---- */

typedef enum tl_quantity {
    TL_BANDWIDTH = 0, /* "10Gbps", "125MBps": in bytes/s */
    TL_DURATION = 1,  /* "5us": in seconds */
    TL_SPEED = 2,     /* "3Gf": in flop/s */
    TL_FREQUENCY = 3  /* "1kHz": in hertz */
} tl_quantity;

/* Reads a number with its unit. Only 0 may be without a unit. The number may be negative. Returns
 * 1, or 0 if the text is not such a number. */
TL_API int tl_quantity_parse(const char *text, tl_quantity kind, double *out);

/* ---- progress ---- */

/* Lets the library call `step` about once a frame, with the number of events that it read from
 * traces or programs since the previous call, and the number that it wrote. NULL ends this. The
 * process has one `step`. The thread that reads or writes calls it; processes that are forked later
 * call it, too. */
TL_API void tl_watch(void (*step)(void *arg, uint64_t n_read, uint64_t n_written), void *arg);

/* ---- secrets ---- */

/* 1 if a variable or an option with this name may contain a secret ("SLURM_JWT", "--token"). The
 * text after a "=" is ignored. */
TL_API bool tl_is_secret(const char *name);
/* Writes a word of a command line without secrets. Secrets are: the value of an option or a
 * variable for which tl_is_secret returns 1 ("--password=X", "Authorization: X"), the user in a
 * URL, the word after "--password", the word after "-p" unless it is a number or a path, and tokens
 * with a known form ("ghp_..."). Set *next to 0 before the first word, and pass it on from each
 * word to the next. Returns the length, like snprintf. */
TL_API size_t tl_public_word(const char *word, int *next, char *out, size_t size);

/* ---- computation that is in no event ---- */

/* The counter of a rank with threads whose computation is in no event: nanoseconds of their CPU
 * time. The names of the threads follow the name of the counter. */
#define TL_COUNTER_UNCOUNTED 65537
#define TL_COUNTER_UNCOUNTED_NAME "timeless:uncounted-cpu-ns "

/* If the tracer could not measure some threads: a text with their CPU time, and their names.
 * Returns the length of the text, 0 if the trace has all computation. The text is cut to `size`
 * bytes, its 0 included. */
TL_API size_t tl_reader_uncounted(const tl_reader *r, char *text, size_t size);

/* ---- status of each function ---- */

/* The statuses of each function besides TL_OK, without the prefix TL_ERR_.  tl_replace_end and
 * tl_output_close also return the status that they were given, and tl_output_write the status of
 * the writing function.
 *
 *   tl_replace_begin         SYSTEM MEMORY USAGE
 *   tl_replace_end           SYSTEM
 *   tl_output_open           SYSTEM MEMORY USAGE
 *   tl_output_close          SYSTEM
 *   tl_output_write          SYSTEM MEMORY USAGE
 *   tl_temporary_file        SYSTEM MEMORY
 */

#ifdef __cplusplus
}
#endif

#endif
