/* algorithms.c - algorithms that do not serve a number of ranks for which SMPI's selectors choose
 * them.
 *
 * The libraries have these algorithms for any number of ranks. MPICH exchanges blocks in pairs
 * among a power of two of ranks, and otherwise sends to the rank at distance k and receives from
 * the rank at distance -k (src/mpi/coll/alltoall), which Open MPI always does
 * (coll_base_alltoall.c, pairwise). SimGrid's rab_rdb is Rabenseifner's algorithm for any number of
 * ranks. If an option chooses the algorithm itself, SimGrid still refuses it. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

typedef int alltoall_function(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, MPI_Comm);
typedef int alltoallv_function(const void *, const int *, const int *, MPI_Datatype, void *,
                               const int *, const int *, MPI_Datatype, MPI_Comm);
typedef int allreduce_function(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

alltoall_function alltoall_pair SMPI_REPLACES(SG_ALLTOALL_PAIR);
alltoallv_function alltoallv_pair SMPI_REPLACES(SG_ALLTOALLV_PAIR);
allreduce_function allreduce_rab1 SMPI_REPLACES(SG_ALLREDUCE_RAB1);

/* The functions that the options chose. */
extern alltoall_function *alltoall SMPI_THEIRS(SG_ALLTOALL);
extern alltoallv_function *alltoallv SMPI_THEIRS(SG_ALLTOALLV);
extern allreduce_function *allreduce SMPI_THEIRS(SG_ALLREDUCE);

/* The function that is to be called. */
static void *serving(bool is_chosen, const char *symbol, const char *instead, MPI_Comm comm)
{
    int n_ranks;
    MPI_Comm_size(comm, &n_ranks);
    if ((n_ranks & (n_ranks - 1)) && smpi_shim_holds(SMPI_SHIM_ALGORITHMS) && !is_chosen)
        symbol = instead;
    return dlsym(RTLD_NEXT, symbol);
}

int alltoall_pair(const void *out, int n_out, MPI_Datatype out_type, void *in, int n_in,
                  MPI_Datatype in_type, MPI_Comm comm)
{
    alltoall_function *function;
    *(void **)&function =
        serving(&alltoall && alltoall == alltoall_pair, SG_ALLTOALL_PAIR, SG_ALLTOALL_RING, comm);
    return function(out, n_out, out_type, in, n_in, in_type, comm);
}

int alltoallv_pair(const void *out, const int *n_out, const int *out_at, MPI_Datatype out_type,
                   void *in, const int *n_in, const int *in_at, MPI_Datatype in_type, MPI_Comm comm)
{
    alltoallv_function *function;
    *(void **)&function = serving(&alltoallv && alltoallv == alltoallv_pair, SG_ALLTOALLV_PAIR,
                                  SG_ALLTOALLV_RING, comm);
    return function(out, n_out, out_at, out_type, in, n_in, in_at, in_type, comm);
}

int allreduce_rab1(const void *out, void *in, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm)
{
    allreduce_function *function;
    *(void **)&function = serving(&allreduce && allreduce == allreduce_rab1, SG_ALLREDUCE_RAB1,
                                  SG_ALLREDUCE_RAB_RDB, comm);
    return function(out, in, count, type, op, comm);
}
