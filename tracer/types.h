/* types.h - the sizes of datatypes. */
#ifndef TLT_TYPES_H
#define TLT_TYPES_H

#include <stdatomic.h>
#include <stdint.h>

#include "pmpi.h"
#include "runtime.h"

/* Handle and size in one word, which threads read and write at once: the size in the lowest 16
 * bits, in which a handle, which is an integer or a user's address, has none. */
enum { TLT_TYPE_BITS = 6, TLT_SIZE_BITS = 16, TLT_NO_SIZE = (1 << TLT_SIZE_BITS) - 1 };

/* By a hash of the handle. */
extern _Atomic uint64_t tlt_known_types[1 << TLT_TYPE_BITS];

static inline uint64_t tlt_type_key(MPI_Datatype type)
{
    return (uint64_t)(uintptr_t)TLT_HANDLE(type) << TLT_SIZE_BITS;
}

static inline _Atomic uint64_t *tlt_type_place(uint64_t key)
{
    return &tlt_known_types[key * 0x9e3779b97f4a7c15U >> (64 - TLT_TYPE_BITS)];
}

/* Asks MPI. */
int64_t tlt_type_ask(MPI_Datatype type);

/* Bytes of an element. MPI is asked once for a predefined type: its size never changes, and no
 * other type gets its handle. */
static inline int64_t tlt_type_bytes(MPI_Datatype type)
{
    const uint64_t key = tlt_type_key(type),
                   size = atomic_load_explicit(tlt_type_place(key), memory_order_relaxed) - key;
    return TLT_LIKELY(size < TLT_NO_SIZE) ? (int64_t)size : tlt_type_ask(type);
}

#endif
