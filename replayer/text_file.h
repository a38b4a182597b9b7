/* text_file.h - read a whole text file; hash any file; the name of a file. */
#ifndef TLR_TEXT_FILE_H
#define TLR_TEXT_FILE_H

#include <timeless.h>

/* Reads a whole text file into a new zero-terminated string. TL_ERR_INPUT if it contains a zero
 * byte. */
tl_status tlr_read_text(const char *path, char **out, size_t *size, tl_error *err);
/* The XXH64 of the contents of a file. */
tl_status tlr_hash_file(const char *path, uint64_t *out, tl_error *err);
/* The path without its folders: "star-1g" of "/usr/share/timeless/platforms/star-1g". */
const char *tlr_base_name(const char *path);
/* The next line of a text that is not empty, without its comment (from # on) and the blanks around
 * it; NULL: none. *rest: what follows, at first the text; *number counts the lines, from 0. */
char *tlr_next_line(char **rest, size_t *number);

#endif
