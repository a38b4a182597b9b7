/* text_file.c - read a whole text file. */
#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tl_status tlr_read_text(const char *path, char **out, size_t *size, tl_error *err)
{
    tl_status status = TL_OK;
    char *text = NULL;
    size_t used = 0, room = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", path,
                       strerror(errno));
    do {
        if (room - used < 4096) {
            room = room ? 2 * room : 16384;
            char *more = realloc(text, room + 1);
            if (!more) {
                status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
                goto cleanup;
            }
            text = more;
        }
        used += fread(text + used, 1, room - used, file);
    } while (!feof(file) && !ferror(file));
    if (ferror(file)) {
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check the path", path,
                         strerror(errno));
        goto cleanup;
    }
    text[used] = '\0';
    if (strlen(text) != used) {
        status = tl_fail(err, TL_ERR_INPUT, "%s:%zu: not a text file; give a text file", path,
                         strlen(text));
        goto cleanup;
    }
    *out = text;
    text = NULL;
    if (size)
        *size = used;
cleanup:
    free(text);
    fclose(file);
    return status;
}
