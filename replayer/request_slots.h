/* request_slots.h - the requests of one rank while its events are read.
 *
 * A trace may use any numbers for requests, up to 2^32 - 1. Here each request in use has a slot,
 * and slots are used again. The memory is therefore that of the requests that are in use at the
 * same time. */
#ifndef TLR_REQUEST_SLOTS_H
#define TLR_REQUEST_SLOTS_H

#include <timeless.h>

typedef struct tlr_request {
    uint32_t id;
    uint32_t next;    /* slot in the same bucket, or the next free slot; 0: none */
    uint32_t n_peers; /* of a message's communicator: ranks that its peer can be; otherwise 0 */
    uint8_t is_persistent, is_active;
    uint64_t done_by; /* 1 + the event that completed it last */
} tlr_request;

/* All zero: no requests. */
typedef struct tlr_requests {
    tlr_request *slots;    /* from 1 on */
    uint32_t n_slots;      /* that were ever in use at one time */
    uint32_t room, unused; /* slots that there is memory for; the first one of those given back */
    uint32_t *buckets;     /* by the low bits of the id: the first slot */
    uint32_t n_buckets;    /* 0 or a power of two */
} tlr_requests;

/* The slot of a request in use; 0 if there is none with this id. */
uint32_t tlr_requests_find(const tlr_requests *all, uint32_t id);
/* The slot of a new request; 0 without memory. */
uint32_t tlr_requests_add(tlr_requests *all, uint32_t id);
void tlr_requests_drop(tlr_requests *all, uint32_t slot);
void tlr_requests_free(tlr_requests *all);

/* Replaces the numbers of requests by slots, for ranks with widely spread numbers
 * (tlr_plan_rank.is_sparse). All zero before the rank's first event. */
typedef struct tlr_renumbering {
    tlr_requests requests;
    int64_t *list; /* of the last event */
    size_t list_room;
} tlr_renumbering;

/* Changes the numbers of requests in the next event of a rank. The list of the event is valid until
 * the next call. The events of the rank must have been validated. 0 without memory. */
int tlr_renumber(tlr_renumbering *n, tl_event *event);
void tlr_renumbering_free(tlr_renumbering *n);

#endif
