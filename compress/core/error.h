/* error.h - fill a tl_error from errno, or after a writer has failed. */
#ifndef TL_ERROR_H
#define TL_ERROR_H

#include "timeless.h"

/* tl_error_set with TL_ERR_SYSTEM; appends ": " and the text of errno to the line. */
void tl_error_set_errno(tl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#define tl_fail_errno(err, ...) (tl_error_set_errno(err, __VA_ARGS__), TL_ERR_SYSTEM)

/* Turns the status that a writer of the trace `path` returned into an error; returns the status. */
tl_status tl_fail_write(tl_error *err, const char *path, tl_status status);

/* A copy in memory of its own, to be freed; NULL without memory. */
tl_error *tl_copy_error(const tl_error *err);

#endif
