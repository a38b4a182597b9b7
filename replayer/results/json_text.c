/* json_text.c - texts of traces and command lines as JSON strings; writing JSON. */
#include "config.h"

#include "json_text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

json_t *tlr_json_text(const char *text)
{
    json_t *json = json_string(text);
    char *copy = json || !text ? NULL : strdup(text);
    for (char *p = copy; p && *p; p++)
        if ((unsigned char)*p > 0x7f)
            *p = '?';
    if (copy)
        json = json_string(copy);
    free(copy);
    return json;
}

json_t *tlr_json_unsigned(uint64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return number <= INT64_MAX ? json_integer((json_int_t)number) : json_string(text);
}

tl_status tlr_json_write(json_t *root, size_t flags, FILE *out, tl_error *err)
{
    if (!root)
        return tl_no_memory(err, "JSON");
    errno = 0;
    const int failed = json_dumpf(root, out, flags) != 0 || putc('\n', out) == EOF;
    const int error = errno;
    json_decref(root);
    if (failed && !error)
        return tl_no_memory(err, "JSON");
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "the JSON cannot be written: %s", strerror(error))
                  : TL_OK;
}
