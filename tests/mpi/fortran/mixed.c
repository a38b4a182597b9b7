/* mixed.c - the C part of mixed.F90. */
#include <mpi.h>

static int value;

/* A request that Fortran started. */
void finish(MPI_Fint *request)
{
    MPI_Request r = MPI_Request_f2c(*request);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    *request = MPI_Request_c2f(r);
}

/* A request that Fortran will complete. */
void begin(MPI_Fint *comm, int *peer, MPI_Fint *request)
{
    MPI_Request r;
    MPI_Irecv(&value, 1, MPI_INT, *peer, 8, MPI_Comm_f2c(*comm), &r);
    *request = MPI_Request_c2f(r);
}

/* What communicates is recorded by whatever name it is called. */
void by_profiling_name(MPI_Fint *comm)
{
    PMPI_Barrier(MPI_Comm_f2c(*comm));
}
