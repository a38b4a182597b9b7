/* utf8.c - makes UTF-8 of arguments and names of files, which may contain any bytes. */
#include "config.h"

#include <string.h>

#include "runtime.h"

/* The length of the character that begins here; 0 if none does (Unicode 15, table 3-7). */
static size_t character(const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t n = p[0] < 0x80   ? 1
                     : p[0] < 0xc2 ? 0
                     : p[0] < 0xe0 ? 2
                     : p[0] < 0xf0 ? 3
                     : p[0] < 0xf5 ? 4
                                   : 0;
    for (size_t i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    const int too_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    const int no_character = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return too_long || no_character ? 0 : n;
}

const char *tlt_utf8(const char *text, char *room, size_t size)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *from = text;
    size_t used = 0;
    for (size_t n; *from && (n = character(from)) != 0;)
        from += n;
    if (!*from)
        return text;
    for (from = text; *from;) {
        const size_t n = character(from), n_out = n ? n : sizeof replacement - 1;
        if (used + n_out >= size)
            break;
        memcpy(room + used, n ? from : replacement, n_out);
        used += n_out;
        from += n ? n : 1;
    }
    room[used] = '\0';
    return room;
}
