/* error.h - fill a tl_error. */
#ifndef TLR_ERROR_H
#define TLR_ERROR_H

#include <timeless.h>

/* Fills err (which may be NULL) with the status and the formatted line, and returns the status. */
tl_status tlr_fail(tl_error *err, tl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a whole text file into a new zero-terminated string.  TL_ERR_INPUT when it holds a zero
 * byte. */
tl_status tlr_read_text(const char *path, char **out, size_t *size, tl_error *err);

#endif
