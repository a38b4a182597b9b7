/* burst_class.c - bursts by the call sites between which they run.
 *
 * The time of an instruction differs from loop to loop. Between the same two calls, however, a
 * program does the same work. A rank looks up the class of a pair of call sites by their names
 * once, and then caches it. */
#include "rank_model.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_ROOM = 64, SITE_BYTES = 1024 };

/* Open addressing; a free slot has a negative value. */
struct tlr_class_cache {
    size_t room, used; /* a power of two */
    struct slot {
        uint64_t pair;
        double value; /* s_per_unit, or the number of a class */
    } * slots;
};

int tlr_compare_classes(const void *a, const void *b)
{
    const tlr_burst_class *x = a, *y = b;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

static struct slot *make_slots(size_t room)
{
    struct slot *slots = calloc(room, sizeof *slots);
    for (size_t i = 0; slots && i < room; i++)
        slots[i].value = -1;
    return slots;
}

tlr_class_cache *tlr_class_cache_create(void)
{
    tlr_class_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->room = FIRST_ROOM;
    cache->slots = make_slots(cache->room);
    if (cache->slots)
        return cache;
    free(cache);
    return NULL;
}

void tlr_class_cache_free(tlr_class_cache *cache)
{
    if (!cache)
        return;
    free(cache->slots);
    free(cache);
}

static struct slot *find_slot(struct slot *slots, size_t room, uint64_t pair)
{
    size_t i = (size_t)((pair * 0x9e3779b97f4a7c15U) >> 32) & (room - 1);
    while (slots[i].value >= 0 && slots[i].pair != pair)
        i = (i + 1) & (room - 1);
    return &slots[i];
}

/* Without memory the cache does not grow. A pair that finds no place in it is looked up each time.
 */
static void make_room(tlr_class_cache *cache)
{
    if (2 * (cache->used + 1) <= cache->room)
        return;
    struct slot *larger = make_slots(2 * cache->room);
    if (!larger)
        return;
    for (size_t i = 0; i < cache->room; i++)
        if (cache->slots[i].value >= 0)
            *find_slot(larger, 2 * cache->room, cache->slots[i].pair) = cache->slots[i];
    free(cache->slots);
    cache->slots = larger;
    cache->room *= 2;
}

static double look_up(const tlr_unit_rate *unit, const tl_reader *trace, uint32_t rank,
                      uint32_t from, uint32_t to)
{
    char from_text[SITE_BYTES], to_text[SITE_BYTES];
    tl_site_text(trace, rank, from, from_text, sizeof from_text);
    tl_site_text(trace, rank, to, to_text, sizeof to_text);
    const tlr_burst_class key = {.from = from_text, .to = to_text};
    const tlr_burst_class *found =
        bsearch(&key, unit->classes, unit->n_classes, sizeof key, tlr_compare_classes);
    return found ? found->s_per_unit : unit->s_per_unit;
}

double tlr_class_cached(const tlr_class_cache *cache, uint32_t from, uint32_t to)
{
    const struct slot *slot = find_slot(cache->slots, cache->room, (uint64_t)from << 32 | to);
    return slot->value;
}

void tlr_class_remember(tlr_class_cache *cache, uint32_t from, uint32_t to, double value)
{
    const uint64_t pair = (uint64_t)from << 32 | to;
    make_room(cache);
    if (cache->used + 1 < cache->room) {
        *find_slot(cache->slots, cache->room, pair) = (struct slot){pair, value};
        cache->used++;
    }
}

double tlr_class_rate(tlr_class_cache *cache, const tlr_unit_rate *unit, const tl_reader *trace,
                      uint32_t rank, uint32_t from, uint32_t to)
{
    double s_per_unit = tlr_class_cached(cache, from, to);
    if (s_per_unit >= 0)
        return s_per_unit;
    s_per_unit = look_up(unit, trace, rank, from, to);
    tlr_class_remember(cache, from, to, s_per_unit);
    return s_per_unit;
}
