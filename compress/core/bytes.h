/* bytes.h - little-endian integers, variable-length integers, and a growing byte buffer. */
#ifndef TL_BYTES_H
#define TL_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "room.h"

enum { TL_VARINT_MAX_BYTES = 10 };

static inline void tl_store16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)v;
    p[1] = (uint8_t)(v >> 8);
}

static inline void tl_store32(uint8_t *p, uint32_t v)
{
    tl_store16(p, (uint16_t)v);
    tl_store16(p + 2, (uint16_t)(v >> 16));
}

static inline void tl_store64(uint8_t *p, uint64_t v)
{
    tl_store32(p, (uint32_t)v);
    tl_store32(p + 4, (uint32_t)(v >> 32));
}

static inline uint16_t tl_load16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t tl_load32(const uint8_t *p)
{
    return tl_load16(p) | (uint32_t)tl_load16(p + 2) << 16;
}

static inline uint64_t tl_load64(const uint8_t *p)
{
    return tl_load32(p) | (uint64_t)tl_load32(p + 4) << 32;
}

/* Maps small numbers of either sign to small numbers: 0 -1 1 -2 2 ... -> 0 1 2 3 4 ... */
static inline uint64_t tl_zigzag(uint64_t difference)
{
    return (difference << 1) ^ (0 - (difference >> 63));
}

static inline uint64_t tl_unzigzag(uint64_t z)
{
    return (z >> 1) ^ (0 - (z & 1));
}

/* Seven bits a byte, lowest first. The top bit is 1 if more bytes follow. Returns the new end. */
static inline uint8_t *tl_put_varint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

/* A span of bytes that is being read.  After a failed read `bad` is set and every value is 0. */
typedef struct tl_input {
    const uint8_t *p, *end;
    bool bad;
} tl_input;

uint64_t tl_get_long_varint(tl_input *in);

static inline uint64_t tl_get_varint(tl_input *in)
{
    if (in->p < in->end && *in->p < 0x80)
        return *in->p++;
    return tl_get_long_varint(in);
}

/* The length of the UTF-8 character at `text`; 0 if there is no complete one. *code is its number.
 */
size_t tl_utf8_character(const char *text, uint32_t *code);

typedef struct tl_buffer {
    uint8_t *data;
    size_t size, capacity;
} tl_buffer;

bool tl_buffer_grow(tl_buffer *b, size_t more);

/* Makes room for `more` bytes after the end. False without memory. */
static inline bool tl_buffer_reserve(tl_buffer *b, size_t more)
{
    return more <= b->capacity - b->size || tl_buffer_grow(b, more);
}

/* Appends bytes. False without memory. */
static inline bool tl_buffer_put(tl_buffer *b, const void *data, size_t size)
{
    if (!tl_buffer_reserve(b, size))
        return false;
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
    return true;
}

static inline void tl_buffer_free(tl_buffer *b)
{
    free(b->data);
    *b = (tl_buffer){0};
}

/* The caller must have reserved TL_VARINT_MAX_BYTES. */
static inline void tl_buffer_put_varint(tl_buffer *b, uint64_t v)
{
    b->size = (size_t)(tl_put_varint(b->data + b->size, v) - b->data);
}

#endif
