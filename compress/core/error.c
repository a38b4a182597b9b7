/* error.c - fill a tl_error. */
#include "config.h"

#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void format_text(tl_error *err, const char *format, va_list args)
{
    vsnprintf(err->text, sizeof err->text, format, args);
    /* A file name may contain any character; the text must stay one line. */
    for (char *p = err->text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = '?';
}

void tl_error_set(tl_error *err, tl_status status, const char *format, ...)
{
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    format_text(err, format, args);
    va_end(args);
    err->status = status;
}

void tl_error_set_errno(tl_error *err, const char *format, ...)
{
    int number = errno;
    if (!err)
        return;
    va_list args;
    va_start(args, format);
    format_text(err, format, args);
    va_end(args);
    size_t length = strlen(err->text);
    char reason[128];
    snprintf(err->text + length, sizeof err->text - length, ": %s",
             strerror_r(number, reason, sizeof reason));
    err->status = TL_ERR_SYSTEM;
}

tl_status tl_fail_write(tl_error *err, const char *path, tl_status status)
{
    if (status == TL_ERR_SYSTEM)
        return tl_fail_errno(err, "%s: cannot be written", path);
    return tl_fail(err, status, "%s: cannot be written: %s", path, tl_status_text(status));
}

tl_error *tl_copy_error(const tl_error *err)
{
    tl_error *copy = malloc(sizeof *copy);
    if (copy)
        *copy = *err;
    return copy;
}
