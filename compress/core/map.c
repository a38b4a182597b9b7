/* map.c - open addressing with linear probing, at most 3/4 full. */
#include "map.h"

#include "room.h"

#include <stdlib.h>
#include <string.h>

static size_t mix(uint64_t key)
{
    key ^= key >> 32;
    key *= 0x9e3779b97f4a7c15U;
    return (size_t)(key ^ key >> 29);
}

static struct tl_map_entry *probe(const tl_map *map, uint64_t key)
{
    size_t i = mix(key) & (map->capacity - 1);
    while (map->entries[i].used && map->entries[i].key != key)
        i = (i + 1) & (map->capacity - 1);
    return &map->entries[i];
}

static bool grow(tl_map *map)
{
    tl_map wider = {.n = map->n, .capacity = map->capacity ? map->capacity * 2 : 16};
    wider.entries = calloc(wider.capacity, sizeof *wider.entries);
    if (!wider.entries)
        return false;
    for (size_t i = 0; i < map->capacity; i++)
        if (map->entries[i].used)
            *probe(&wider, map->entries[i].key) = map->entries[i];
    free(map->entries);
    *map = wider;
    return true;
}

uint64_t *tl_map_find(const tl_map *map, uint64_t key)
{
    if (!map->capacity)
        return NULL;
    struct tl_map_entry *e = probe(map, key);
    return e->used ? &e->value : NULL;
}

uint64_t *tl_map_at(tl_map *map, uint64_t key)
{
    uint64_t *found = tl_map_find(map, key);
    if (found)
        return found;
    if (map->n >= map->capacity / 4 * 3 && !grow(map))
        return NULL;
    struct tl_map_entry *e = probe(map, key);
    *e = (struct tl_map_entry){.key = key, .used = true};
    map->n++;
    return &e->value;
}

void *tl_map_item(tl_map *positions, uint64_t key, void *list, size_t *n, size_t *room,
                  size_t element_bytes)
{
    uint64_t *position = tl_map_at(positions, key);
    char *items;
    if (!position || (!*position && !tl_make_room(list, *n, room, element_bytes)))
        return NULL;
    memcpy(&items, list, sizeof items);
    if (!*position) {
        memset(items + *n * element_bytes, 0, element_bytes);
        *position = ++*n;
    }
    return items + (*position - 1) * element_bytes;
}

void tl_map_free(tl_map *map)
{
    free(map->entries);
    *map = (tl_map){0};
}
