/* pmpi.h - the real MPI functions and handles, found when the program first calls MPI.
 *
 * The tracer is preloaded into every process of a run, launchers and shells included, so it must
 * not need libmpi at load time: functions are called through a table, predefined handles are looked
 * up.
 */
#ifndef TLT_PMPI_H
#define TLT_PMPI_H

#include <mpi.h>
#include <stdbool.h>

#include "rows.h"

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
    X(Type_size_x)                                                                                 \
    X(Win_get_group)

/* Extensions are declared here: which of their names the library has depends on its version, not on
 * the one that the tracer was built with. */
#define TL_EXTENSION(code, name, action, traits, ...)                                              \
    typedef int tlt_##name##_function(LIST(DECL_, __VA_ARGS__));
#include "mpi_calls.def"

typedef struct tlt_pmpi_table {
#define TL_CALL(code, name, ...) __typeof__(&PMPI_##name) name;
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...) tlt_##name##_function *X##name;
#include "mpi_calls.def"
#define HELPER(name) __typeof__(&PMPI_##name) name;
    TLT_LOCAL_HELPERS(HELPER)
#undef HELPER

    /* Predefined handles. */
    MPI_Comm comm_world, comm_self, comm_null;
    MPI_Message message_no_proc;
    MPI_Request request_null;
    MPI_Datatype datatype_null, byte, integer;
    MPI_Op min, no_op;

    /* False: another MPI, whose handles and constants differ.  Calls are passed on as they are,
     * which the calling conventions allow: every parameter is an integer or a pointer. */
    bool is_open_mpi;
} tlt_pmpi_table;

extern tlt_pmpi_table tlt_pmpi;

/* Fills the table; without Open MPI only functions, as far as they are there.  When there is no MPI
 * library to pass the call on to, ends the process with a message: nothing else can be done for the
 * caller. */
void tlt_pmpi_resolve(void);

/* The table for callers that may come before MPI_Init. */
static inline const tlt_pmpi_table *tlt_real(void)
{
    if (__builtin_expect(!tlt_pmpi.Init, 0))
        tlt_pmpi_resolve();
    return &tlt_pmpi;
}

#endif
