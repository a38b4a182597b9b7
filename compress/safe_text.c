/* safe_text.c - makes foreign text safe for a terminal, for XML, for CSV. */
#include "timeless_files.h"

#include "core/bytes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 16 };

/* Control characters, and characters that change the direction of text. */
static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200e && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfffe || code == 0xffff;
}

/* The length of the character at `text` if it may be printed, else 0. *bytes is the number of bytes
 * to skip. */
static size_t printable(const char *text, size_t *bytes)
{
    uint32_t code = 0;
    const size_t n = tl_utf8_character(text, &code);
    *bytes = n ? n : 1;
    return n && !is_control(code) ? n : 0;
}

const char *tl_printable(const char *text)
{
    static _Thread_local char *slots[SLOTS];
    static _Thread_local unsigned next;
    size_t bytes, used = 0;
    const char *at = text;
    if (!text)
        return "";
    while (*at && printable(at, &bytes))
        at += bytes;
    if (!*at)
        return text;
    char **slot = &slots[next++ % SLOTS];
    char *room = realloc(*slot, strlen(text) + 1);
    if (!room)
        return "?";
    *slot = room;
    for (at = text; *at; at += bytes) {
        const size_t n = printable(at, &bytes);
        memcpy(room + used, n ? at : "?", n ? n : 1);
        used += n ? n : 1;
    }
    room[used] = '\0';
    return room;
}

void tl_put_xml(FILE *out, const char *text, size_t length)
{
    size_t bytes;
    for (const char *end = text + length, *at = text; at < end && *at; at += bytes) {
        const size_t n = printable(at, &bytes);
        switch (n ? *at : 0) {
        case 0: fputc('?', out); break;
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        case '\'': fputs("&#39;", out); break;
        default: fwrite(at, 1, n, out);
        }
    }
}

/* Whether a spreadsheet would treat the text as a formula. */
static bool is_formula(const char *text)
{
    char *end;
    if (!*text || !strchr("=+-@", *text))
        return false;
    strtod(text, &end);
    return end == text || *end;
}

void tl_put_csv(FILE *out, const char *text, int always_quoted)
{
    const bool formula = is_formula(text);
    const bool quoted = always_quoted || text[strcspn(text, ",\"")];
    size_t bytes;
    if (quoted)
        putc('"', out);
    if (formula)
        putc('\'', out);
    for (const char *at = text; *at; at += bytes) {
        const size_t n = printable(at, &bytes);
        if (n && *at == '"')
            putc('"', out);
        fwrite(n ? at : "?", 1, n ? n : 1, out);
    }
    if (quoted)
        putc('"', out);
}
