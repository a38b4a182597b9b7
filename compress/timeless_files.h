/* timeless_files.h - how the commands write files, and which data they leave out.
 *
 * A part of the library's interface, for programs that write files as the commands do. The
 * conventions are those of timeless.h. */
#ifndef TIMELESS_FILES_H
#define TIMELESS_FILES_H

#include <stdio.h>

#include "timeless.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file that is written under another name and replaces `target` when it is complete. A reader
 * sees the old file or the new one. After a failure the old file is there. */
typedef struct tl_replacement {
    char *target; /* where symbolic links lead, which stay */
    char *part;   /* what is written: TARGET.PID-N.part, which exists and is empty */
} tl_replacement;

/* The new file gets the permissions and the owner of the old one. Fails if the target is not a
 * regular file (a device is never replaced) or an input (tl_input_note), or if the caller may not
 * write it. Each caller has a file of its own: of two that write one target at the same time, the
 * one that ends last has written all of it. */
TL_API tl_status tl_replace_begin(const char *path, tl_replacement *out, tl_error *err);
/* `status` is the result of writing. With TL_OK the new file replaces the target when it has
 * reached the disk. Otherwise the new file is removed. Returns `status`, or the reason why the file
 * could not replace the target. Releases *replacement, which tl_replace_begin filled. */
TL_API tl_status tl_replace_end(tl_replacement *replacement, tl_status status, tl_error *err);

/* Removes the files that this process has begun and not ended. For a handler of signals, before the
 * process ends. */
TL_API void tl_replace_abandon(void);
/* From now on, the file at the path is an input: no output of this process replaces it, by whatever
 * name. Nothing if it is not a regular file. */
TL_API void tl_input_note(const char *path);

/* A stream to an output: a regular file is replaced as above; a device, a pipe and the file of
 * standard output are written directly. The path NULL is standard output, which stays open. */
typedef struct tl_output {
    FILE *file;
    tl_replacement replacement;
} tl_output;
typedef tl_status (*tl_writing)(const void *arg, FILE *out, tl_error *err);
TL_API tl_status tl_output_open(const char *path, tl_output *out, tl_error *err);
/* As tl_replace_end. Does nothing to an output that was not opened. */
TL_API tl_status tl_output_close(tl_output *out, const char *path, tl_status status, tl_error *err);
/* Opens the output, calls `write` with `arg`, and closes it. */
TL_API tl_status tl_output_write(const char *path, tl_writing write, const void *arg,
                                 tl_error *err);

/* TMPDIR, or the default folder for temporary files. */
TL_API const char *tl_temporary_folder(void);
/* Creates an empty temporary file "timeless-PURPOSE-..." that is open for reading and writing. The
 * caller unlinks and frees *path, and closes *fd. A failure leaves NULL and -1. */
TL_API tl_status tl_temporary_file(const char *purpose, char **path, int *fd, tl_error *err);

/* ---- text of others: names in a trace, in a platform, in a measurement ---- */

/* The text for a terminal, in one line. A '?' replaces everything that is not a printable UTF-8
 * character. Returns the text itself if nothing changes; otherwise memory of the thread, which the
 * 16th next call uses again. */
TL_API const char *tl_printable(const char *text);
/* At most `length` bytes of the text, for an element or an attribute of XML. */
TL_API void tl_put_xml(FILE *out, const char *text, size_t length);
/* A cell of CSV, in quotation marks if it needs them or if always_quoted is set. If a spreadsheet
 * would treat the text as a formula, a "'" precedes it. */
TL_API void tl_put_csv(FILE *out, const char *text, int always_quoted);

/* ---- numbers with a unit ---- */

typedef enum tl_quantity {
    TL_BANDWIDTH = 0, /* "10Gbps", "125MBps": in bytes/s */
    TL_DURATION = 1,  /* "5us": in seconds */
    TL_SPEED = 2,     /* "3Gf": in flop/s */
    TL_FREQUENCY = 3  /* "1kHz": in hertz */
} tl_quantity;

/* Reads a number with its unit. Only 0 may lack the unit. The number may be negative. Returns 1, or
 * 0 if the text is something else. */
TL_API int tl_quantity_parse(const char *text, tl_quantity kind, double *out);

/* ---- progress ---- */

/* From now on, the library calls `step` about once a frame, with the numbers of events that were
 * just read from traces, or made by programs, and just written to traces. NULL ends this. There is
 * one `step` for the process; it is called by the thread that reads or writes, and by processes
 * that were forked since. */
TL_API void tl_watch(void (*step)(void *arg, uint64_t n_read, uint64_t n_written), void *arg);

/* ---- secrets ---- */

/* 1 if a variable or an option with this name may contain a secret ("SLURM_JWT", "--token"). The
 * text after a "=" is ignored. */
TL_API int tl_is_secret(const char *name);
/* A word of a command line without secrets. Secrets are the value of an option or a variable with
 * such a name ("--password=X", "Authorization: X"), the user in a URL, the word after "--password",
 * the word after "-p" unless it is a number or a path, and tokens with a known form ("ghp_...").
 * *is_value must be 0 before the first word; pass it on from each word to the next. Returns the
 * length, like snprintf. */
TL_API size_t tl_public_word(const char *word, int *is_value, char *out, size_t size);

/* ---- a run that was recorded in part ---- */

/* The counter of a run that was recorded in part: the nanoseconds that the rank recorded in full.
 */
#define TL_COUNTER_SELECTED 65536
#define TL_COUNTER_SELECTED_NAME "timeless:recorded-ns"

/* The counter of a rank with threads whose computation is in no event: nanoseconds of their CPU
 * time. Their names follow the name of the counter. */
#define TL_COUNTER_UNCOUNTED 65537
#define TL_COUNTER_UNCOUNTED_NAME "timeless:uncounted-cpu-ns "

/* If the trace has the computation of a part of the run only: of which share of the time, and how
 * the part was selected. Returns its length, 0 if the trace has all computation. The text is
 * shortened as that of tl_reader_clock. */
TL_API size_t tl_reader_selection(const tl_reader *r, char *text, size_t size);

/* The nanoseconds of CPU time of all ranks that no event has, because the tracer could not measure
 * the threads. tl_reader_selection names the threads. */
TL_API uint64_t tl_reader_uncounted(const tl_reader *r);

/* Shares of the time, from 0 to 1, that were recorded in full: of all ranks together, and of the
 * ranks with the least and the greatest share. */
typedef struct tl_recorded_share {
    double all, least, most;
} tl_recorded_share;
/* 0: the trace has all computation, or the shares are unknown. */
TL_API int tl_reader_recorded(const tl_reader *r, tl_recorded_share *out);

/* ---- status of each function ---- */

/* What each function that returns a tl_status returns besides TL_OK, without TL_ERR_ in front.
 * tl_replace_end also returns the status that it was given, as tl_output_close does, and
 * tl_output_write that of the writing function.
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
