/* timeless_files.h - how the commands write files, and what they leave out of them.
 *
 * A part of the library's face for programs that write files as the commands do; the conventions
 * are those of timeless.h.
 */
#ifndef TIMELESS_FILES_H
#define TIMELESS_FILES_H

#include <stdio.h>

#include "timeless.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file that is written under another name and takes the place of `target` once it is whole: a
 * reader sees the old file or the new one, and after a failure the old one is there. */
typedef struct tl_replacement {
    char *target; /* where symbolic links lead, which stay */
    char *part;   /* what is written: TARGET with a suffix, which exists and is empty */
} tl_replacement;

/* `suffix` is ".part", unless the name is taken.  The new file gets the permissions and the owner
 * of the old one.  Fails for a target that is no regular file (a device is never replaced) or that
 * the caller may not write. */
TL_API tl_status tl_replace_begin(const char *path, const char *suffix, tl_replacement *out,
                                  tl_error *err);
/* `status` is what became of writing: TL_OK puts the file in its place, once it has reached the
 * disk; anything else removes it.  Returns `status`, or why the file could not be put in its place.
 * Releases *replacement, which tl_replace_begin filled. */
TL_API tl_status tl_replace_end(tl_replacement *replacement, tl_status status, tl_error *err);

/* ---- text of others: names in a trace, in a platform, in a measurement ---- */

/* The text for a terminal, in one line: what is no printable character of UTF-8 is a '?'.  The text
 * itself if there is nothing to change, else memory of the thread that the 16th next call uses
 * again. */
TL_API const char *tl_printable(const char *text);
/* At most `length` bytes of the text, for an element or an attribute of XML. */
TL_API void tl_put_xml(FILE *out, const char *text, size_t length);
/* A cell of CSV, in quotation marks where it needs them or if always_quoted.  A "'" goes ahead of
 * what a spreadsheet would take for a formula. */
TL_API void tl_put_csv(FILE *out, const char *text, int always_quoted);

/* ---- numbers with a unit ---- */

typedef enum tl_quantity {
    TL_BANDWIDTH = 0, /* "10Gbps", "125MBps": in bytes/s */
    TL_DURATION = 1,  /* "5us": in seconds */
    TL_SPEED = 2,     /* "3Gf": in flop/s */
    TL_FREQUENCY = 3  /* "1kHz": in hertz */
} tl_quantity;

/* Reads a number with its unit; only 0 may lack the unit.  Returns 1, or 0 if the text is something
 * else.  The number may be negative. */
TL_API int tl_quantity_parse(const char *text, tl_quantity kind, double *out);

/* ---- secrets ---- */

/* 1: the name of a variable or an option under which a secret may stand ("SLURM_JWT", "--token");
 * what follows a "=" does not count. */
TL_API int tl_is_secret(const char *name);
/* A word of a command line without a secret.  Secrets are the value of an option or a variable with
 * such a name ("--password=X", "Authorization: X"), the user in a URL, and the word after
 * "--password".  *is_value is 0 before the first word, and is passed on from each word to the next.
 * Returns the length, as snprintf does. */
TL_API size_t tl_public_word(const char *word, int *is_value, char *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
