/* requests.h - MPI_Request -> small id, with what the tracer must know about each request. */
#ifndef TLT_REQUESTS_H
#define TLT_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime.h"

enum {
    TLT_WILDCARD = 1 << 0,   /* receive whose source or tag only its status tells */
    TLT_PERSISTENT = 1 << 1, /* survives its completion */
    TLT_ACTIVE = 1 << 2,     /* started, not completed */
    TLT_CANCELLED = 1 << 3,  /* MPI_Cancel was called: its status tells whether it took effect */
    TLT_SENDS_PARTS = 1 << 4 /* its message begins when the last partition is ready */
};

/* The partitions of a request of MPI_Psend_init or MPI_Precv_init. */
typedef struct tlt_partitions {
    uint32_t n;
    uint32_t n_left; /* that are not ready, or that the program has not seen to arrive */
    uint8_t seen[];  /* by partition, of a receive */
} tlt_partitions;

typedef struct tlt_request {
    const void *handle;   /* pmpi.h, TLT_HANDLE */
    const void *variable; /* where the application had it when it was made */
    uint32_t id;
    uint32_t next_exactly; /* in its bucket by handle and variable */
    uint32_t next;         /* in its bucket by handle, if these are kept */
    uint32_t flags;
    uint32_t received; /* of MPI_Isendrecv: the id of its receive, `id` is its send; otherwise 0 */
    uint64_t serial;   /* greater than that of each older request */
    tlt_partitions *partitions; /* NULL: none */
} tlt_request;

/* Forgets all requests.  False when memory is short. */
bool tlt_requests_reset(void);
void tlt_requests_free(void);

/* An id for an operation whose handle is not known yet, and back; 0 when memory is short. */
uint32_t tlt_request_reserve(void);
void tlt_request_release(uint32_t id);

/* Gives an id to a request that the application has in `variable`. */
uint32_t tlt_request_add(const void *handle, const void *variable, uint32_t flags);

/* MPI hands out one shared, completed request for many operations (small sends that left at
 * once), so a handle may stand for several requests: the last one that was made in the same
 * variable is taken, as it has replaced the others there; else the oldest.  NULL for requests that
 * are not recorded.  Valid until the next add. */
tlt_request *tlt_request_find(const void *handle, const void *variable);
void tlt_request_remove(tlt_request *request);
/* MPI starts it. */
void tlt_request_start(tlt_request *request);
/* MPI_Start may replace the handle of a persistent request. */
void tlt_request_rename(tlt_request *request, const void *handle);
void tlt_request_set_flags(tlt_request *request, uint32_t flags);

/* True while some request's completion needs a status (wildcard or cancelled). */
bool tlt_requests_need_status(void);

#endif
