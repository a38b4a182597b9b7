/* comm_tags_late.c - a library between the tracer and MPI: the constructor of one thread returns to
 * the tracer after the one of the other thread has returned to the program. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>

#include "comm_tags.h"

__thread int comm_tags_own;
int comm_tags_late, comm_tags_recorded;

static int returns(int result)
{
    while (comm_tags_own && comm_tags_own == comm_tags_late &&
           !__atomic_load_n(&comm_tags_recorded, __ATOMIC_ACQUIRE))
        sched_yield();
    return result;
}

int PMPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
{
    int (*real)(MPI_Comm, MPI_Group, int, MPI_Comm *) =
        (int (*)(MPI_Comm, MPI_Group, int, MPI_Comm *))dlsym(RTLD_NEXT, "PMPI_Comm_create_group");
    return returns(real(comm, group, tag, made));
}

int PMPI_Comm_dup(MPI_Comm comm, MPI_Comm *made)
{
    int (*real)(MPI_Comm, MPI_Comm *) =
        (int (*)(MPI_Comm, MPI_Comm *))dlsym(RTLD_NEXT, "PMPI_Comm_dup");
    return returns(real(comm, made));
}
