/* burst_class.c - bursts by the call sites between which they run.
 *
 * The time of an instruction differs from loop to loop. Between the same two calls, however, a
 * program does the same work. A rank looks up the class of a pair of call sites by their names
 * once, and then remembers its number. */
#include "rank_model.h"

#include "core/map.h"

#include <stdlib.h>
#include <string.h>

enum { SITE_BYTES = 1024 };

int tlr_compare_classes(const void *a, const void *b)
{
    const tlr_burst_class *x = a, *y = b;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

size_t tlr_find_class(tl_map *known, const tl_reader *trace, uint32_t rank, uint32_t from,
                      uint32_t to, const void *classes, size_t n, size_t size,
                      int (*compare)(const void *key, const void *entry))
{
    /* The number, from 1 on; n + 1: no class. Without memory, it is looked up each time. */
    uint64_t *number = tl_map_at(known, (uint64_t)from << 32 | to);
    if (number && *number)
        return (size_t)*number - 1;
    char from_text[SITE_BYTES], to_text[SITE_BYTES];
    tl_site_text(trace, rank, from, from_text, sizeof from_text);
    tl_site_text(trace, rank, to, to_text, sizeof to_text);
    const tlr_burst_class key = {.from = from_text, .to = to_text};
    const char *found = bsearch(&key, classes, n, size, compare);
    const size_t i = found ? (size_t)(found - (const char *)classes) / size : n;
    if (number)
        *number = i + 1;
    return i;
}

double tlr_class_rate(tl_map *known, const tlr_unit_rate *unit, const tl_reader *trace,
                      uint32_t rank, uint32_t from, uint32_t to)
{
    const size_t i = tlr_find_class(known, trace, rank, from, to, unit->classes, unit->n_classes,
                                    sizeof *unit->classes, tlr_compare_classes);
    return i < unit->n_classes ? unit->classes[i].s_per_unit : unit->s_per_unit;
}
