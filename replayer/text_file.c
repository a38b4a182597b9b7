/* text_file.c - read a whole text file; hash any file. */
#include "text_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

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

tl_status tlr_hash_file(const char *path, uint64_t *out, tl_error *err)
{
    char bytes[16384];
    XXH64_state_t state;
    FILE *file = fopen(path, "rb");
    if (!file)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", path,
                       strerror(errno));
    XXH64_reset(&state, 0);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        XXH64_update(&state, bytes, n);
    *out = XXH64_digest(&state);
    tl_status status = TL_OK;
    if (ferror(file))
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check the path", path,
                         strerror(errno));
    fclose(file);
    return status;
}
