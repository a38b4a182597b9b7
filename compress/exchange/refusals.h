/* refusals.h - the calls that an export cannot express: each call and reason once, all of them in
 * one line. Inline, because the export to OTF2 is not part of this library. */
#ifndef TL_REFUSALS_H
#define TL_REFUSALS_H

#include "timeless.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct tl_refusal {
    const char *call, *why;
    uint64_t n, event; /* how many; the first */
    uint32_t rank;
} tl_refusal;

typedef struct tl_refusals {
    tl_refusal *list;
    size_t n;
} tl_refusals;

/* Counts one more event. `call` and `why` are literals. False without memory. */
static inline bool tl_refusals_add(tl_refusals *all, const char *call, const char *why,
                                   uint32_t rank, uint64_t event)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->list[i].call == call && all->list[i].why == why) {
            all->list[i].n++;
            return true;
        }
    tl_refusal *list = realloc(all->list, (all->n + 1) * sizeof *list);
    if (!list)
        return false;
    all->list = list;
    list[all->n++] = (tl_refusal){.call = call, .why = why, .n = 1, .event = event, .rank = rank};
    return true;
}

/* TL_OK if there are no refusals, else TL_ERR_UNSUPPORTED. `target` is the format that cannot
 * express them. */
static inline tl_status tl_refusals_report(const tl_refusals *all, const char *path,
                                           const char *target, tl_error *err)
{
    char more[300] = "";
    size_t length = 0;
    if (!all->n)
        return TL_OK;
    for (size_t i = 1; i < all->n && length < sizeof more; i++) {
        const tl_refusal *f = &all->list[i];
        length += (size_t)snprintf(more + length, sizeof more - length,
                                   ", nor %s%s%s (%" PRIu64 ", first: rank %" PRIu32
                                   ", event %" PRIu64 ")",
                                   f->call, *f->why ? " " : "", f->why, f->n, f->rank, f->event);
    }
    const tl_refusal *f = &all->list[0];
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: rank %" PRIu32 ", event %" PRIu64 ": %s cannot say %s%s%s (%" PRIu64
                   " events)%s%s; cut a part without them",
                   path, f->rank, f->event, target, f->call, *f->why ? " " : "", f->why, f->n, more,
                   length >= sizeof more ? "..." : "");
}

#endif
