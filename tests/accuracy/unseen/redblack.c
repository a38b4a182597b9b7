/* Red-black SOR by rows with nonblocking exchange; stops when the residual is small. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 32;
    int first = rank * n / size, rows = (rank + 1) * n / size - first, w = n + 2, k = 0;
    double *u = calloc((rows + 2) * w, 8), omega = 2 / (1 + sin(M_PI / n)), res = 1;
    for (k = 0; res > 1e-3; k++) {
        double r = 0;
        for (int color = 0; color < 2; color++) {
            MPI_Request q[4];
            int m = 0;
            if (rank > 0) {
                MPI_Irecv(u + 1, n, MPI_DOUBLE, rank - 1, color, MPI_COMM_WORLD, &q[m++]);
                MPI_Isend(u + w + 1, n, MPI_DOUBLE, rank - 1, color, MPI_COMM_WORLD, &q[m++]);
            }
            if (rank < size - 1) {
                MPI_Irecv(u + (rows + 1) * w + 1, n, MPI_DOUBLE, rank + 1, color, MPI_COMM_WORLD,
                          &q[m++]);
                MPI_Isend(u + rows * w + 1, n, MPI_DOUBLE, rank + 1, color, MPI_COMM_WORLD,
                          &q[m++]);
            }
            MPI_Waitall(m, q, MPI_STATUSES_IGNORE);
            for (int i = 1; i <= rows; i++)
                for (int j = 1 + (first + i + color) % 2; j <= n; j += 2) {
                    double d = (u[i * w + j - 1] + u[i * w + j + 1] + u[(i - 1) * w + j] +
                                u[(i + 1) * w + j] + 1) /
                                   4 -
                               u[i * w + j];
                    u[i * w + j] += omega * d;
                    r += d * d;
                }
        }
        MPI_Allreduce(&r, &res, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank == 0)
        printf("%d iterations\n", k);
    MPI_Finalize();
    return 0;
}
