/* types.c - which datatypes are predefined, and their sizes. */
#include "config.h"

#include "types.h"

_Atomic uint64_t tlt_known_types[1 << TLT_TYPE_BITS];

/* The older function calls a type that was made with large counts an error, and the program's error
 * handler, which ends it. */
static bool is_predefined(MPI_Datatype type)
{
    int n[3], combiner = MPI_COMBINER_DUP;
    MPI_Count large[4];
    if (tlt_pmpi.Type_get_envelope_c)
        tlt_pmpi.Type_get_envelope_c(type, &large[0], &large[1], &large[2], &large[3], &combiner);
    else
        tlt_pmpi.Type_get_envelope(type, &n[0], &n[1], &n[2], &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

int64_t tlt_type_ask(MPI_Datatype type)
{
    MPI_Count bytes = 0;
    if (type == tlt_pmpi.datatype_null)
        return 0;
    tlt_pmpi.Type_size_x(type, &bytes);
    const uint64_t key = tlt_type_key(type);
    _Atomic uint64_t *known = tlt_type_place(key);
    if (atomic_load_explicit(known, memory_order_relaxed) - key != TLT_NO_SIZE) {
        const uint64_t size = is_predefined(type) && bytes >= 0 && bytes < TLT_NO_SIZE
                                  ? (uint64_t)bytes
                                  : TLT_NO_SIZE;
        atomic_store_explicit(known, key + size, memory_order_relaxed);
    }
    return bytes;
}
