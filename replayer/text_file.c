/* text_file.c - read a whole text file; hash any file. */
#include "text_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static tl_status fail(const char *path, const char *what, tl_error *err)
{
    return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be %s: %s; check the path", path, what,
                   strerror(errno));
}

tl_status tlr_read_text(const char *path, char **out, size_t *size, tl_error *err)
{
    tl_status status = TL_OK;
    char *text = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(path, "opened", err);
    errno = 0;
    const ssize_t n = getdelim(&text, &room, '\0', file);
    if (ferror(file))
        status = fail(path, "read", err);
    else if (n > 0 && !text[n - 1])
        status =
            tl_fail(err, TL_ERR_INPUT, "%s:%zd: not a text file; give a text file", path, n - 1);
    else if (errno == ENOMEM || (!text && !(text = calloc(1, 1))))
        status = tl_no_memory(err, path);
    fclose(file);
    if (status != TL_OK) {
        free(text);
        return status;
    }
    text[n > 0 ? n : 0] = '\0';
    *out = text;
    if (size)
        *size = n > 0 ? (size_t)n : 0;
    return TL_OK;
}

char *tlr_next_line(char **rest, size_t *number)
{
    while (*rest && **rest) {
        char *line = strsep(rest, "\n");
        ++*number;
        line[strcspn(line, "#")] = '\0';
        while (isspace((unsigned char)*line))
            line++;
        for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]); n--)
            line[n - 1] = '\0';
        if (*line)
            return line;
    }
    return NULL;
}

tl_status tlr_hash_file(const char *path, uint64_t *out, tl_error *err)
{
    char bytes[16384];
    XXH64_state_t state;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail(path, "opened", err);
    XXH64_reset(&state, 0);
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, file)) > 0;)
        XXH64_update(&state, bytes, n);
    *out = XXH64_digest(&state);
    const tl_status status = ferror(file) ? fail(path, "read", err) : TL_OK;
    fclose(file);
    return status;
}

const char *tlr_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}
