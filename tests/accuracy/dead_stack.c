/* dead_stack.c - an interposer that records nothing: after some calls it fills a local array of its
 * own, as any function may, and returns.  A program whose findings differ under it reads what it
 * has not set (tests/accuracy/README.md: xdsyevr; with -DBYTE='(37 * rank + 64)', other values on
 * every rank, xslu).
 *
 *     mpicc -shared -fPIC -o dead_stack.so dead_stack.c
 *     mpirun -x LD_PRELOAD=$PWD/dead_stack.so PROGRAM */
#include <mpi.h>

#ifndef BYTE
#define BYTE 0xff /* a NaN, read as a double */
#endif

static void fill(void)
{
    volatile unsigned char own[16384];
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (unsigned i = 0; i < sizeof own; i++)
        own[i] = (unsigned char)(BYTE);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    const int result = PMPI_Comm_split(comm, color, key, made);
    fill();
    return result;
}

int MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    const int result = PMPI_Allreduce(from, to, n, type, op, comm);
    fill();
    return result;
}

int MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    const int result = PMPI_Bcast(data, n, type, root, comm);
    fill();
    return result;
}
