/* types.h - the sizes of datatypes. */
#ifndef TLT_TYPES_H
#define TLT_TYPES_H

#include <stdint.h>

#include "pmpi.h"
#include "runtime.h"

enum { TLT_TYPE_BITS = 6 };

typedef struct tlt_known_type {
    MPI_Datatype type;
    int64_t bytes; /* negative: no predefined type */
} tlt_known_type;

/* By a hash of the handle. */
extern tlt_known_type tlt_known_types[1 << TLT_TYPE_BITS];

static inline tlt_known_type *tlt_type_place(MPI_Datatype type)
{
    const uint64_t key = (uint64_t)(uintptr_t)TLT_HANDLE(type);
    return &tlt_known_types[key * 0x9e3779b97f4a7c15U >> (64 - TLT_TYPE_BITS)];
}

/* Asks MPI. */
int64_t tlt_type_ask(MPI_Datatype type);

/* Bytes of an element. MPI is asked once for a predefined type: its size never changes, and no
 * other type gets its handle. */
static inline int64_t tlt_type_bytes(MPI_Datatype type)
{
    const tlt_known_type *known = tlt_type_place(type);
    return TLT_LIKELY(known->type == type && known->bytes >= 0) ? known->bytes : tlt_type_ask(type);
}

#endif
