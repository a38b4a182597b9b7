/* requests.h - the requests of one rank while its events are read. */
#ifndef TL_REQUESTS_H
#define TL_REQUESTS_H

#include "core/map.h"
#include "timeless.h"

#include <stdbool.h>

typedef struct tl_request {
    tl_event begun;  /* the event that made it, without list */
    uint64_t serial; /* order in which the requests were made */
    bool live, persistent, active;
    bool before; /* what is under way was begun before the part */
    bool open;   /* a wildcard receive of the part whose match has not been seen */
} tl_request;

typedef struct tl_requests {
    tl_map index; /* id -> position + 1 */
    tl_request *items;
    size_t n, capacity;
    uint64_t next_serial;
} tl_requests;

/* The request with an id; NULL if there is none. */
tl_request *tl_requests_find(const tl_requests *all, uint32_t id);
/* Follows an event: the requests that it makes, starts, completes and frees. False without memory.
 */
bool tl_requests_follow(tl_requests *all, const tl_event *e, const tl_call_info *row, bool before);
void tl_requests_free(tl_requests *all);

#endif
