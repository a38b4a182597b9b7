/* json_text.c - texts of traces and command lines as JSON strings. */
#include "config.h"

#include "json_text.h"

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
