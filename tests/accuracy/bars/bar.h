/* bar.h - what the programs of fit_bars.sh share: arguments, computation, blocks and grids. */
#ifndef BAR_H
#define BAR_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int bar_rank, bar_ranks;
static double *bar_data; /* of all messages: contents do not matter */
static volatile double bar_result;

/* Argument i, a number; ends the run if it is missing. */
static inline int bar_argument(int argc, char **argv, int i)
{
    if (i >= argc) {
        fprintf(stderr, "%s: argument %d is missing; see fit_bars.sh\n", argv[0], i);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    return (int)strtol(argv[i], NULL, 10);
}

/* `most`: the doubles of the largest buffer. */
static inline void bar_start(int *argc, char ***argv, size_t most)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &bar_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &bar_ranks);
    bar_data = calloc(most, sizeof *bar_data);
    if (!bar_data)
        MPI_Abort(MPI_COMM_WORLD, 2);
}

static inline void bar_end(void)
{
    free(bar_data);
    MPI_Finalize();
}

/* Computes on n points. */
static inline void bar_work(long n)
{
    double x = 1;
    for (long i = 0; i < n; i++)
        x = 0.5 * x + 1.0 / (1.0 + x);
    bar_result = x;
}

/* What the owner q of p has of n elements. */
static inline int bar_local(int n, int q, int p)
{
    return n / p + (q < n % p);
}

/* Coordinates in a grid of MPI_Dims_create; the last dimension varies fastest. */
static inline void bar_grid(int k, int *dims, int *at)
{
    int rest = bar_rank;
    for (int d = 0; d < k; d++)
        dims[d] = 0;
    MPI_Dims_create(bar_ranks, k, dims);
    for (int d = k - 1; d >= 0; d--) {
        at[d] = rest % dims[d];
        rest /= dims[d];
    }
}

/* The rank at an offset in a grid of three dimensions; MPI_PROC_NULL beyond an edge. */
static inline int bar_at(const int *dims, const int *at, int z, int y, int x)
{
    z += at[0];
    y += at[1];
    x += at[2];
    if (z < 0 || z >= dims[0] || y < 0 || y >= dims[1] || x < 0 || x >= dims[2])
        return MPI_PROC_NULL;
    return (z * dims[1] + y) * dims[2] + x;
}

#endif
