/* halo.c - a wrapper around MPI with two callers, and a call in a function that is inlined. With
 * -DWRAPPER the wrapper alone, for a library. */
#include <mpi.h>

void transfer(double *cells, int n, int to, int from);

#if defined WRAPPER || !defined IN_LIBRARY
__attribute__((noinline)) void transfer(double *cells, int n, int to, int from)
{
    MPI_Sendrecv_replace(cells, n, MPI_DOUBLE, to, 1, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    cells[0]++; /* so that the call is not the last thing, which would be a jump */
}
#endif

#ifndef WRAPPER
static inline __attribute__((always_inline)) void meet(int *n_steps)
{
    MPI_Barrier(MPI_COMM_WORLD);
    ++*n_steps;
}

static __attribute__((noinline)) void step(double *cells, int right, int left, int *n_steps)
{
    transfer(cells, 100, right, left);
    meet(n_steps);
}

static __attribute__((noinline)) void finish(double *cells, int right, int left, int *n_steps)
{
    transfer(cells, 1000, right, left);
    ++*n_steps;
}

int main(int argc, char **argv)
{
    static double cells[1000];
    int rank, n_ranks, n_steps = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int right = (rank + 1) % n_ranks, left = (rank + n_ranks - 1) % n_ranks;
    for (int i = 0; i < 10; i++)
        step(cells, right, left, &n_steps);
    finish(cells, right, left, &n_steps);
    MPI_Finalize();
    return n_steps != 11;
}
#endif
