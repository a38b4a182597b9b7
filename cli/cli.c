#include "cli.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

int cli_fail(const tl_error *err)
{
    fprintf(stderr, "timeless: %s\n", err->text);
    return tl_status_exit_code(err->status);
}

int cli_fail_text(tl_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fputs("timeless: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return tl_status_exit_code(status);
}

uint64_t cli_parse_number(struct argp_state *state, const char *what, const char *text,
                          uint64_t max)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-' || errno || value > max)
        argp_error(state, "%s '%s': give a whole number from 0 to %" PRIu64, what, text, max);
    return value;
}
