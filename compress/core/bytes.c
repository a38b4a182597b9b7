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
