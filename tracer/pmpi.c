/* pmpi.c - the functions and handles of one family's library. */
#include "config.h"

#include "pmpi.h"

#include <stdlib.h>

#include "mpi/interface.h"

tlt_pmpi_table tlt_pmpi;

/* An extension: under its own name, under that of the version of MPI that has it, or in a library
 * of the program's that stands in for it. */
static void *find_extension(const char *const names[4])
{
    void *address = NULL;
    for (int i = 0; i < 4 && !address; i++)
        address = tlt_find_function(names[i]);
    return address;
}

bool tlt_pmpi_resolve(void)
{
    tlt_pmpi_table t;
    bool complete = true;
#define TL_CALL(code, name, ...) t.name = (__typeof__(t.name))tlt_find_function("PMPI_" #name);
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
/* Not in every build of the library; who calls one is linked with it. */
#define TL_EXTENSION(code, name, ...)                                                              \
    t.X##name = (__typeof__(t.X##name))find_extension(                                             \
        (const char *const[]){"PMPI_" #name, "PMPIX_" #name, "MPI_" #name, "MPIX_" #name});
#include "mpi_calls.def"
#define TL_CALL(code, name, ...)                                                                   \
    LARGE_##name(t.name##_c = (__typeof__(t.name##_c))tlt_find_function("PMPI_" #name "_c");)
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
#define HELPER(name)                                                                               \
    t.name = (__typeof__(t.name))tlt_find_function("PMPI_" #name);                                 \
    complete = complete && t.name;
    TLT_LOCAL_HELPERS(HELPER)
    t.Type_get_envelope_c =
        (__typeof__(t.Type_get_envelope_c))tlt_find_function("PMPI_Type_get_envelope_c");
#define PREDEFINED(name, origin) t.name = TLT_PREDEFINED_HANDLE(name, origin);
    TLT_PREDEFINED(PREDEFINED)
    tlt_pmpi = t;
    return complete;
}
