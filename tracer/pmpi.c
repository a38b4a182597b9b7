/* pmpi.c - find the MPI library of the process. */
#include "config.h"

#include "pmpi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

tlt_pmpi_table tlt_pmpi;

/* Programs that load MPI themselves (Python) may have kept it out of the global scope. */
static void *mpi_library(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpi.so.12", "libmpich.so.12"};
    static void *library;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    return library;
}

static void *find_optional(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    return address || !mpi_library() ? address : dlsym(mpi_library(), name);
}

static void *found(void *address, const char *name)
{
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

/* An extension: under its own name, under that of the version of MPI that has it, or in a library
 * of the program's that stands in for it. */
static void *find_extension(const char *const names[4])
{
    void *address = NULL;
    for (int i = 0; i < 4 && !address; i++)
        address = find_optional(names[i]);
    return address;
}

/* The tracer has functions of these names, too.  NULL: an MPI that is not Open MPI may lack one,
 * and its program does not call it then. */
static void *find_function(const char *pmpi_name, bool is_open_mpi)
{
    void *address = find_optional(pmpi_name);
    if (!address && !is_open_mpi)
        address = find_optional(pmpi_name + 1); /* without the P: no profiling interface */
    return is_open_mpi ? found(address, pmpi_name) : address;
}

/* The program may hold the library's data in its own copy. */
static void *find_data(const char *name)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    return address || !mpi_library() ? address : dlsym(mpi_library(), name);
}

static void find_handles(tlt_pmpi_table *t)
{
    t->comm_world = found(find_data("ompi_mpi_comm_world"), "ompi_mpi_comm_world");
    t->comm_self = found(find_data("ompi_mpi_comm_self"), "ompi_mpi_comm_self");
    t->comm_null = found(find_data("ompi_mpi_comm_null"), "ompi_mpi_comm_null");
    t->message_no_proc = found(find_data("ompi_message_no_proc"), "ompi_message_no_proc");
    t->request_null = found(find_data("ompi_request_null"), "ompi_request_null");
    t->datatype_null = found(find_data("ompi_mpi_datatype_null"), "ompi_mpi_datatype_null");
    t->byte = found(find_data("ompi_mpi_byte"), "ompi_mpi_byte");
    t->integer = found(find_data("ompi_mpi_int"), "ompi_mpi_int");
    t->min = found(find_data("ompi_mpi_op_min"), "ompi_mpi_op_min");
    t->no_op = found(find_data("ompi_mpi_op_no_op"), "ompi_mpi_op_no_op");
}

void tlt_pmpi_resolve(void)
{
    tlt_pmpi_table t = {.is_open_mpi = find_data("ompi_mpi_comm_world") != NULL};
#define TL_CALL(code, name, ...)                                                                   \
    t.name = (__typeof__(t.name))find_function("PMPI_" #name, t.is_open_mpi);
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
/* Not in every build of the library; who calls one is linked with it. */
#define TL_EXTENSION(code, name, ...)                                                              \
    t.X##name = (__typeof__(t.X##name))find_extension(                                             \
        (const char *const[]){"PMPI_" #name, "PMPIX_" #name, "MPI_" #name, "MPIX_" #name});
#include "mpi_calls.def"
#define HELPER(name) t.name = (__typeof__(t.name))find_function("PMPI_" #name, t.is_open_mpi);
    TLT_LOCAL_HELPERS(HELPER)
    if (t.is_open_mpi)
        find_handles(&t);
    found((void *)t.Init, "PMPI_Init");
    tlt_pmpi = t;
}
