/* A sum over all processes by a binomial tree of point-to-point messages, and the way back; any
 * number of processes. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, repeat = argc > 2 ? atoi(argv[2]) : 3;
    double *v = malloc(n * 8), *w = malloc(n * 8);
    for (int i = 0; i < n; i++)
        v[i] = rank;
    for (int t = 0; t < repeat; t++) {
        int d;
        for (d = 1; d < size; d *= 2) {
            if (rank % (2 * d) == 0) {
                if (rank + d < size) {
                    MPI_Recv(w, n, MPI_DOUBLE, rank + d, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                    for (int i = 0; i < n; i++)
                        v[i] += w[i];
                }
            } else {
                MPI_Send(v, n, MPI_DOUBLE, rank - d, t, MPI_COMM_WORLD);
                break;
            }
        }
        for (d = 1; d < size; d *= 2)
            continue;
        for (d /= 2; d >= 1; d /= 2) {
            if (rank % (2 * d) == 0 && rank + d < size)
                MPI_Send(v, n, MPI_DOUBLE, rank + d, t, MPI_COMM_WORLD);
            else if (rank % (2 * d) == d)
                MPI_Recv(v, n, MPI_DOUBLE, rank - d, t, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    if (rank == 0)
        printf("%g\n", v[0]);
    MPI_Finalize();
    return 0;
}
