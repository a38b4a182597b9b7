/* types.c - which datatypes are predefined, and their sizes. */
#include "config.h"

#include "types.h"

tlt_known_type tlt_known_types[1 << TLT_TYPE_BITS];

static bool is_predefined(MPI_Datatype type)
{
    int n_integers, n_addresses, n_types, combiner = MPI_COMBINER_DUP;
    tlt_pmpi.Type_get_envelope(type, &n_integers, &n_addresses, &n_types, &combiner);
    return combiner == MPI_COMBINER_NAMED;
}

int64_t tlt_type_ask(MPI_Datatype type)
{
    MPI_Count bytes = 0;
    if (type == tlt_pmpi.datatype_null)
        return 0;
    tlt_pmpi.Type_size_x(type, &bytes);
    tlt_known_type *known = tlt_type_place(type);
    if (known->type != type)
        *known = (tlt_known_type){.type = type, .bytes = is_predefined(type) ? bytes : -1};
    return bytes;
}
