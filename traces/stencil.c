/* stencil.c - 7-point Jacobi iterations on a 3-D grid of ranks.
 *
 *     stencil N STEPS     N x N x N points a rank; prints the last residual
 *
 * Each step exchanges six faces with nonblocking messages and updates all points; every tenth step
 * sums the residual over all ranks.  Most solvers on regular grids communicate like this. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n;         /* points of a rank in each dimension */
static MPI_Comm grid; /* the ranks, in three dimensions, not periodic */

static size_t at(int i, int j, int k)
{
    return ((size_t)i * (n + 2) + j) * (n + 2) + k;
}

/* The face of thickness one at index `i` of dimension `d`, as an MPI type. */
static MPI_Datatype face(int d)
{
    const int full = n + 2;
    const int sizes[3] = {full, full, full}, starts[3] = {d != 0, d != 1, d != 2};
    const int extent[3] = {d == 0 ? 1 : n, d == 1 ? 1 : n, d == 2 ? 1 : n};
    MPI_Datatype type;
    MPI_Type_create_subarray(3, sizes, extent, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    MPI_Type_commit(&type);
    return type;
}

static void exchange(double *u, const MPI_Datatype *faces)
{
    MPI_Request requests[12];
    int n_requests = 0;
    for (int d = 0; d < 3; d++) {
        const size_t stride = d == 0 ? at(1, 0, 0) : d == 1 ? at(0, 1, 0) : 1;
        int below, above;
        MPI_Cart_shift(grid, d, 1, &below, &above);
        MPI_Irecv(u, 1, faces[d], below, 2 * d, grid, &requests[n_requests++]);
        MPI_Irecv(u + (n + 1) * stride, 1, faces[d], above, 2 * d + 1, grid,
                  &requests[n_requests++]);
        MPI_Isend(u + n * stride, 1, faces[d], above, 2 * d, grid, &requests[n_requests++]);
        MPI_Isend(u + stride, 1, faces[d], below, 2 * d + 1, grid, &requests[n_requests++]);
    }
    MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
}

/* One Jacobi step; returns the sum of the squared changes. */
static double update(double *to, const double *u)
{
    double change = 0;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= n; j++)
            for (int k = 1; k <= n; k++) {
                const size_t p = at(i, j, k);
                to[p] = (u[p - at(1, 0, 0)] + u[p + at(1, 0, 0)] + u[p - at(0, 1, 0)] +
                         u[p + at(0, 1, 0)] + u[p - 1] + u[p + 1]) /
                        6;
                change += (to[p] - u[p]) * (to[p] - u[p]);
            }
    return change;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 16;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 20;
    int size, rank, dims[3] = {0}, periods[3] = {0};
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 3, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    const MPI_Datatype faces[3] = {face(0), face(1), face(2)};
    double *u = calloc(at(n + 2, 0, 0), sizeof *u), *next = calloc(at(n + 2, 0, 0), sizeof *u);
    if (!u || !next)
        MPI_Abort(MPI_COMM_WORLD, 1);
    u[at(n / 2, n / 2, n / 2)] = rank + 1;
    double residual = 0;
    for (int step = 0; step < steps; step++) {
        exchange(u, faces);
        const double change = update(next, u);
        double *swap = u;
        u = next;
        next = swap;
        if (step % 10 == 9)
            MPI_Allreduce(&change, &residual, 1, MPI_DOUBLE, MPI_SUM, grid);
    }
    if (!rank)
        printf("residual %g\n", sqrt(residual));
    free(u);
    free(next);
    MPI_Finalize();
    return 0;
}
