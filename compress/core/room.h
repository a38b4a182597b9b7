/* room.h - arrays that grow. */
#ifndef TL_ROOM_H
#define TL_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for element n of an array, which at least doubles when it grows. `array` is the
 * address of the pointer to it, NULL at first; `room` counts elements. False without memory: the
 * array is then as before. */
static inline bool tl_make_room(void *array, size_t n, size_t *room, size_t element_bytes)
{
    if (n < *room)
        return true;
    size_t wider = *room ? 2 * *room : 16;
    if (wider <= n)
        wider = n + 1;
    void *items;
    memcpy(&items, array, sizeof items);
    items = realloc(items, wider * element_bytes);
    if (!items)
        return false;
    memcpy(array, &items, sizeof items);
    *room = wider;
    return true;
}

#endif
