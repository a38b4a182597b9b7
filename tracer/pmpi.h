/* pmpi.h - the functions and handles of the MPI library in this process, for the files that are
 * compiled once for each family of MPI.
 *
 * The tracer is preloaded into every process of a run, launchers and shells included, so it must
 * not need MPI at load time: functions are called through a table, which route.c fills when the
 * program first calls MPI.
 */
#ifndef TLT_PMPI_H
#define TLT_PMPI_H

#ifndef TLT_FAMILY_HEADER
#define TLT_FAMILY_HEADER "mpi/openmpi.h"
#endif
#include TLT_FAMILY_HEADER
#include "mpi/names.h"
#include "core/row_parameters.h"
#include "mpi/large_end.h"

#include <stdbool.h>

/* As traces have them. */
enum { TLT_ERR_TRUNCATE = 15, TLT_ERR_IN_STATUS = 18, TLT_ERR_PENDING = 19 };

/* Every recorded call, and the local ones that the tracer calls for itself. */
#define TLT_LOCAL_HELPERS(X)                                                                       \
    X(Cart_shift)                                                                                  \
    X(Cartdim_get)                                                                                 \
    X(Comm_get_parent)                                                                             \
    X(Comm_group)                                                                                  \
    X(Comm_rank)                                                                                   \
    X(Comm_remote_group)                                                                           \
    X(Comm_size)                                                                                   \
    X(Comm_test_inter)                                                                             \
    X(Dist_graph_neighbors)                                                                        \
    X(Dist_graph_neighbors_count)                                                                  \
    X(File_get_group)                                                                              \
    X(Get_library_version)                                                                         \
    X(Graph_neighbors)                                                                             \
    X(Graph_neighbors_count)                                                                       \
    X(Group_free)                                                                                  \
    X(Group_rank)                                                                                  \
    X(Group_size)                                                                                  \
    X(Group_translate_ranks)                                                                       \
    X(Op_commutative)                                                                              \
    X(Query_thread)                                                                                \
    X(Test_cancelled)                                                                              \
    X(Topo_test)                                                                                   \
    X(Type_get_envelope)                                                                           \
    X(Type_size_x)                                                                                 \
    X(Win_get_group)

/* Extensions are declared here: which of their names the library has depends on its version, not on
 * the one that the tracer was built with. */
#define TL_EXTENSION(code, name, action, traits, ...)                                              \
    typedef int tlt_##name##_function(LIST(DECL, __VA_ARGS__));
#include "mpi_calls.def"

/* So are the functions with large counts. */
#include "mpi/large_begin.h"
#define TL_CALL(code, name, action, traits, ...)                                                   \
    LARGE_##name(typedef int tlt_##name##_c_function(LIST(DECL, __VA_ARGS__));)
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
#include "mpi/large_end.h"

typedef struct tlt_pmpi_table {
#define TL_CALL(code, name, ...) __typeof__(&PMPI_##name) name;
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...) tlt_##name##_function *X##name;
#include "mpi_calls.def"
#define TL_CALL(code, name, ...) LARGE_##name(tlt_##name##_c_function *name##_c;)
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
#define HELPER(name) __typeof__(&PMPI_##name) name;
    TLT_LOCAL_HELPERS(HELPER)
#undef HELPER
    /* MPI 4; NULL: the library has no types with large counts. */
    int (*Type_get_envelope_c)(MPI_Datatype, MPI_Count *, MPI_Count *, MPI_Count *, MPI_Count *,
                               int *);

    /* Predefined handles. */
    MPI_Comm comm_world, comm_self, comm_null;
    MPI_Message message_no_proc;
    MPI_Request request_null;
    MPI_Datatype datatype_null, byte, integer, real;
    MPI_Op min, no_op;
} tlt_pmpi_table;

extern tlt_pmpi_table tlt_pmpi;

/* Fills the table.  False: a function that the tracer needs is missing. */
bool tlt_pmpi_resolve(void);

/* completion.c: releases the calling thread's arrays. */
void tlt_completion_free(void);

/* The functions that record. */
#define TL_CALL(code, name, ...) extern __typeof__(PMPI_##name) TLT_WRAPPER(name);
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...) extern tlt_##name##_function TLT_WRAPPER(name);
#include "mpi_calls.def"
#define TL_CALL(code, name, ...) LARGE_##name(extern tlt_##name##_c_function TLT_WRAPPER(name##_c);)
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"

#endif
