/* lulesh.c - a cube of ranks with n x n x n elements each: 6 faces, 12 edges and 8 corners, each
 * with a call of its own; the smallest time step of all ranks. Arguments: n, steps. */
#include "bar.h"

static int dims[3], at[3], n_requests;
static MPI_Request requests[52];

#define RECEIVE(z, y, x, points)                                                                   \
    if (bar_at(dims, at, z, y, x) != MPI_PROC_NULL)                                                \
    MPI_Irecv(bar_data, points, MPI_DOUBLE, bar_at(dims, at, z, y, x), 1024, MPI_COMM_WORLD,       \
              &requests[n_requests++])
#define SEND(z, y, x, points)                                                                      \
    if (bar_at(dims, at, z, y, x) != MPI_PROC_NULL)                                                \
    MPI_Isend(bar_data, points, MPI_DOUBLE, bar_at(dims, at, z, y, x), 1024, MPI_COMM_WORLD,       \
              &requests[n_requests++])

#define ALL(CALL, face, edge, corner)                                                              \
    CALL(-1, 0, 0, face);                                                                          \
    CALL(1, 0, 0, face);                                                                           \
    CALL(0, -1, 0, face);                                                                          \
    CALL(0, 1, 0, face);                                                                           \
    CALL(0, 0, -1, face);                                                                          \
    CALL(0, 0, 1, face);                                                                           \
    CALL(-1, -1, 0, edge);                                                                         \
    CALL(-1, 1, 0, edge);                                                                          \
    CALL(1, -1, 0, edge);                                                                          \
    CALL(1, 1, 0, edge);                                                                           \
    CALL(-1, 0, -1, edge);                                                                         \
    CALL(-1, 0, 1, edge);                                                                          \
    CALL(1, 0, -1, edge);                                                                          \
    CALL(1, 0, 1, edge);                                                                           \
    CALL(0, -1, -1, edge);                                                                         \
    CALL(0, -1, 1, edge);                                                                          \
    CALL(0, 1, -1, edge);                                                                          \
    CALL(0, 1, 1, edge);                                                                           \
    CALL(-1, -1, -1, corner);                                                                      \
    CALL(-1, -1, 1, corner);                                                                       \
    CALL(-1, 1, -1, corner);                                                                       \
    CALL(-1, 1, 1, corner);                                                                        \
    CALL(1, -1, -1, corner);                                                                       \
    CALL(1, -1, 1, corner);                                                                        \
    CALL(1, 1, -1, corner);                                                                        \
    CALL(1, 1, 1, corner)

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    bar_grid(3, dims, at);
    const int nodes = n + 1;
    for (int step = 0; step < n_steps; step++) {
        n_requests = 0;
        ALL(RECEIVE, 3 * nodes * nodes, 3 * nodes, 3);
        bar_work(10L * n * n * n);
        ALL(SEND, 3 * nodes * nodes, 3 * nodes, 3);
        MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
        bar_work(5L * n * n * n);
        MPI_Allreduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    }
    bar_end();
    return 0;
}
