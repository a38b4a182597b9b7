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

/* Lengthens an array of *n elements until it has this index; the new elements are 0. False without
 * memory: the array is then as before. */
static inline bool tl_reach(void *array, size_t *n, size_t index, size_t element_bytes)
{
    size_t room = *n;
    if (!tl_make_room(array, index, &room, element_bytes))
        return false;
    char *items;
    memcpy(&items, array, sizeof items);
    if (room > *n)
        memset(items + *n * element_bytes, 0, (room - *n) * element_bytes);
    *n = room;
    return true;
}

#endif
