/* error.h - fill a tl_error. */
#ifndef TL_ERROR_H
#define TL_ERROR_H

#include "timeless.h"

/* Fills *err (NULL is accepted) and returns the status. */
tl_status tl_fail(tl_error *err, tl_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same with ": " and the text of errno at the end. */
tl_status tl_fail_errno(tl_error *err, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
