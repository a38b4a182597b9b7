/* bytes.c - the functions of bytes.h that are not time-critical. */
#include "bytes.h"

uint64_t tl_get_long_varint(tl_input *in)
{
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (in->p == in->end)
            break;
        uint8_t byte = *in->p++;
        if (shift == 63 && byte > 1)
            break;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return v;
    }
    in->bad = true;
    in->p = in->end;
    return 0;
}

bool tl_buffer_grow(tl_buffer *b, size_t more)
{
    size_t capacity = b->capacity ? b->capacity : 1024;
    while (capacity - b->size < more) {
        if (capacity > SIZE_MAX / 2)
            return false;
        capacity *= 2;
    }
    uint8_t *data = realloc(b->data, capacity);
    if (!data)
        return false;
    b->data = data;
    b->capacity = capacity;
    return true;
}

size_t tl_utf8_character(const char *text, uint32_t *code)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t n = *p < 0x80 ? 1 : *p >= 0xf0 ? 4 : *p >= 0xe0 ? 3 : *p >= 0xc2 ? 2 : 0;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    if (!n || *p > 0xf4)
        return 0;
    *code = n == 1 ? *p : *p & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (p[i] & 0x3fU);
    }
    return *code >= least[n] && *code <= 0x10ffff && (*code < 0xd800 || *code > 0xdfff) ? n : 0;
}
