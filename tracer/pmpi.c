/* pmpi.c - find the MPI library of the process. */
#include "config.h"

#include "pmpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

tlt_pmpi_table tlt_pmpi;

/* Programs that load libmpi themselves (Python) may have kept it out of the global scope. */
static void *mpi_library(void)
{
    static void *library;
    if (!library)
        library = dlopen("libmpi.so.40", RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void *found(void *address, const char *name)
{
    if (!address && mpi_library())
        address = dlsym(mpi_library(), name);
    if (!address) {
        fprintf(
            stderr,
            "timeless: %s is not in this process, the MPI call cannot be passed on; run without "
            "the tracer\n",
            name);
        abort();
    }
    return address;
}

static void *find_optional(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    return address || !mpi_library() ? address : dlsym(mpi_library(), name);
}

/* An extension: under its own name, under that of the version of MPI that has it, or in a library
 * of the program's that stands in for it. */
static void *find_extension(const char *const names[4])
{
    void *address = NULL;
    for (int i = 0; i < 4 && !address; i++)
        address = find_optional(names[i]);
    return address;
}

/* The tracer has functions of these names, too. */
static void *find_function(const char *name)
{
    return found(dlsym(RTLD_NEXT, name), name);
}

/* The program may hold the library's data in its own copy. */
static void *find_data(const char *name)
{
    return found(dlsym(RTLD_DEFAULT, name), name);
}

void tlt_pmpi_resolve(void)
{
    tlt_pmpi_table t;
#define TL_CALL(code, name, ...) t.name = (__typeof__(t.name))find_function("PMPI_" #name);
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
/* Not in every build of the library; who calls one is linked with it. */
#define TL_EXTENSION(code, name, ...)                                                              \
    t.X##name = (__typeof__(t.X##name))find_extension(                                             \
        (const char *const[]){"PMPI_" #name, "PMPIX_" #name, "MPI_" #name, "MPIX_" #name});
#include "mpi_calls.def"
#define HELPER(name) t.name = (__typeof__(t.name))find_function("PMPI_" #name);
    TLT_LOCAL_HELPERS(HELPER)
    t.comm_world = find_data("ompi_mpi_comm_world");
    t.comm_self = find_data("ompi_mpi_comm_self");
    t.comm_null = find_data("ompi_mpi_comm_null");
    t.message_no_proc = find_data("ompi_message_no_proc");
    t.request_null = find_data("ompi_request_null");
    t.datatype_null = find_data("ompi_mpi_datatype_null");
    t.byte = find_data("ompi_mpi_byte");
    t.integer = find_data("ompi_mpi_int");
    t.min = find_data("ompi_mpi_op_min");
    t.no_op = find_data("ompi_mpi_op_no_op");
    tlt_pmpi = t;
}
