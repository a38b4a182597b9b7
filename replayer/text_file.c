/* text_file.c - read a whole text file. */
#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tl_status tlr_read_text(const char *path, char **out, size_t *size, tl_error *err)
{
    tl_status status = TL_OK;
    char *text = NULL, *nul;
    size_t used = 0, room = 0, n;
    FILE *file = fopen(path, "rb");
    if (!file)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", path,
                       strerror(errno));
    do {
        if (room - used < 4096) {
            room = room ? 2 * room : 16384;
            char *more = realloc(text, room + 1);
            if (!more) {
                status = tl_no_memory(err, path);
                goto cleanup;
            }
            text = more;
        }
        n = fread(text + used, 1, room - used, file);
        nul = memchr(text + used, '\0', n);
        used += n;
    } while (!nul && !feof(file) && !ferror(file));
    if (ferror(file)) {
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check the path", path,
                         strerror(errno));
        goto cleanup;
    }
    if (nul) {
        status = tl_fail(err, TL_ERR_INPUT, "%s:%zu: not a text file; give a text file", path,
                         (size_t)(nul - text));
        goto cleanup;
    }
    text[used] = '\0';
    *out = text;
    text = NULL;
    if (size)
        *size = used;
cleanup:
    free(text);
    fclose(file);
    return status;
}
