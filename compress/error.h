/* error.h - fill a tl_error from errno, or after a writer failed. */
#ifndef TL_ERROR_H
#define TL_ERROR_H

#include "timeless.h"

/* tl_error_set with TL_ERR_SYSTEM, and ": " and the text of errno at the end of the line. */
void tl_error_set_errno(tl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define tl_fail_errno(err, ...) (tl_error_set_errno(err, __VA_ARGS__), TL_ERR_SYSTEM)

/* What a writer of the trace `path` returned, as an error; returns it. */
tl_status tl_fail_write(tl_error *err, const char *path, tl_status status);

#endif
