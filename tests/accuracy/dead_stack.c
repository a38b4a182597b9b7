/* dead_stack.c - an interposer that records nothing: after MPI_Comm_split it fills a local array of
 * its own, as any function may, and returns.  A program whose findings differ under it reads what
 * it has not set (tests/accuracy/README.md, xdsyevr).
 *
 *     mpicc -shared -fPIC -o dead_stack.so dead_stack.c
 *     mpirun -x LD_PRELOAD=$PWD/dead_stack.so PROGRAM */
#include <mpi.h>

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    const int result = PMPI_Comm_split(comm, color, key, made);
    volatile unsigned char own[8192];
    for (unsigned i = 0; i < sizeof own; i++)
        own[i] = 0xff; /* a NaN, read as a double */
    return result;
}
