/* map.h - a hash table from 64-bit keys to 64-bit values. */
#ifndef TL_MAP_H
#define TL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct tl_map {
    struct tl_map_entry {
        uint64_t key, value;
        bool used;
    } * entries;
    size_t n, capacity; /* capacity: 0 or a power of two */
} tl_map;

/* The value of a key; NULL if it is absent. Valid until the next tl_map_at. */
uint64_t *tl_map_find(const tl_map *map, uint64_t key);
/* The value of a key, which is 0 if the key was absent. NULL without memory. */
uint64_t *tl_map_at(tl_map *map, uint64_t key);
/* The element of a list that belongs to a key: a new one, which is zero, if there is none. The map
 * has 1 + its position. `list` and `room` are those of tl_make_room. NULL without memory. */
void *tl_map_item(tl_map *positions, uint64_t key, void *list, size_t *n, size_t *room,
                  size_t element_bytes);
void tl_map_free(tl_map *map);

#endif
