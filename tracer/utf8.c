/* utf8.c - makes UTF-8 of arguments and names of files, which may contain any bytes. */
#include "config.h"

#include "core/bytes.h"
#include "runtime.h"

const char *tlt_utf8(const char *text, char *room, size_t size)
{
    static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
    const char *from = text;
    uint32_t code;
    size_t used = 0;
    for (size_t n; *from && (n = tl_utf8_character(from, &code)) != 0;)
        from += n;
    if (!*from)
        return text;
    for (from = text; *from;) {
        const size_t n = tl_utf8_character(from, &code), n_out = n ? n : sizeof replacement - 1;
        if (used + n_out >= size)
            break;
        memcpy(room + used, n ? from : replacement, n_out);
        used += n_out;
        from += n ? n : 1;
    }
    room[used] = '\0';
    return room;
}
