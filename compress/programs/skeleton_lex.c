/* skeleton_lex.c - the words of a skeleton. */
#include "config.h"

#include "skeleton.h"

#include "core/error.h"
#include "core/room.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

tl_status skel_fail(tl_error *err, const skeleton *s, uint32_t line, const char *format, ...)
{
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return tl_fail(err, TL_ERR_INPUT, "%s:%" PRIu32 ": %s", s->path, line, text);
}

void skel_wrong(skel_parser *p, uint32_t line, const char *format, ...)
{
    char text[400];
    if (p->status != TL_OK)
        return;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->status = skel_fail(p->err, p->s, line, "%s", text);
    p->token.kind = SKEL_T_END;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_blanks(skel_parser *p)
{
    for (;;) {
        while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r')
            p->at++;
        if (*p->at == '#')
            while (*p->at && *p->at != '\n')
                p->at++;
        if (p->at[0] != '\\' || p->at[1] != '\n')
            return;
        p->at += 2;
        p->line++;
    }
}

static void take_number(skel_parser *p)
{
    int64_t value = 0;
    while (is_digit(*p->at)) {
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p->at - '0', &value)) {
            skel_wrong(p, p->line, "a number is above %" PRId64 "; write a smaller one", INT64_MAX);
            return;
        }
        p->at++;
    }
    if (*p->at == '.' || is_letter(*p->at)) {
        skel_wrong(p, p->line,
                   "a number continues with '%c'; write whole decimal numbers, without a unit",
                   *p->at);
        return;
    }
    p->token.number = value;
}

static void take_text(skel_parser *p)
{
    p->token.start = ++p->at;
    while (*p->at && *p->at != '"' && *p->at != '\n')
        p->at++;
    if (*p->at != '"') {
        skel_wrong(p, p->line, "a text has no end; close it with \" on its line");
        return;
    }
    p->token.size = (size_t)(p->at++ - p->token.start);
}

static void take_sign(skel_parser *p)
{
    static const char *const pairs[] = {"||", "&&", "==", "!=", "<=", ">=", "<<", ">>"};
    const char c = *p->at;
    p->token.kind = SKEL_T_SIGN;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (p->at[0] == pairs[i][0] && p->at[1] == pairs[i][1]) {
            p->token.size = 2;
            p->at += 2;
            return;
        }
    if (!strchr("+-*/%<>=!&|^?:(){}[],", c)) {
        if (c > ' ' && c < 127)
            skel_wrong(p, p->line, "the character '%c' has no meaning here; remove it", c);
        else
            skel_wrong(p, p->line,
                       "the byte 0x%02x has no meaning outside of comments and texts; remove it",
                       (unsigned)(unsigned char)c);
        return;
    }
    p->token.size = 1;
    p->at++;
}

void skel_advance(skel_parser *p)
{
    if (p->status != TL_OK)
        return;
    skip_blanks(p);
    p->token = (skel_token){.start = p->at, .line = p->line};
    if (!*p->at) {
        p->token.kind = SKEL_T_END;
    } else if (*p->at == '\n') {
        p->token.kind = SKEL_T_LINE;
        p->at++;
        p->line++;
    } else if (is_letter(*p->at)) {
        p->token.kind = SKEL_T_NAME;
        while (is_letter(*p->at) || is_digit(*p->at))
            p->at++;
        p->token.size = (size_t)(p->at - p->token.start);
    } else if (is_digit(*p->at)) {
        p->token.kind = SKEL_T_NUMBER;
        take_number(p);
        p->token.size = (size_t)(p->at - p->token.start);
    } else if (*p->at == '"') {
        p->token.kind = SKEL_T_TEXT;
        take_text(p);
    } else {
        take_sign(p);
    }
}

bool skel_is(const skel_parser *p, const char *word)
{
    return (p->token.kind == SKEL_T_NAME || p->token.kind == SKEL_T_SIGN) &&
           p->token.size == strlen(word) && !memcmp(p->token.start, word, p->token.size);
}

bool skel_accept(skel_parser *p, const char *word)
{
    const bool is = skel_is(p, word);
    if (is)
        skel_advance(p);
    return is;
}

const char *skel_found(const skel_parser *p, char text[64])
{
    switch (p->token.kind) {
    case SKEL_T_END: return "the end of the file";
    case SKEL_T_LINE: return "the end of the line";
    default:
        snprintf(text, 64, "'%.*s'", p->token.size < 40 ? (int)p->token.size : 40, p->token.start);
        return text;
    }
}

void skel_expect(skel_parser *p, const char *word, const char *what_for)
{
    char text[64];
    if (!skel_accept(p, word))
        skel_wrong(p, p->token.line, "%s instead of '%s'; write %s", skel_found(p, text), word,
                   what_for);
}

void *skel_push(skel_array *array, size_t size)
{
    if (!tl_make_room(&array->items, array->n, &array->room, size))
        return NULL;
    void *item = (char *)array->items + array->n++ * size;
    memset(item, 0, size);
    return item;
}
