/* Gauss-Seidel as a pipeline: rows are distributed, each process works through its columns in
 * blocks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64, block = argc > 2 ? atoi(argv[2]) : 10,
        sweeps = argc > 3 ? atoi(argv[3]) : 2;
    int rows = n / size, w = n + 2;
    if (rank == size - 1)
        rows += n % size;
    double *u = calloc((rows + 2) * w, 8);
    for (int s = 0; s < sweeps; s++) {
        if (rank > 0)
            MPI_Send(u + w + 1, n, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD);
        if (rank < size - 1)
            MPI_Recv(u + (rows + 1) * w + 1, n, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int b = 1; b <= n; b += block) {
            int m = b + block <= n + 1 ? block : n + 1 - b;
            if (rank > 0)
                MPI_Recv(u + b, m, MPI_DOUBLE, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 1; i <= rows; i++)
                for (int j = b; j < b + m; j++)
                    u[i * w + j] = (u[i * w + j - 1] + u[i * w + j + 1] + u[(i - 1) * w + j] +
                                    u[(i + 1) * w + j] + 1) /
                                   4;
            if (rank < size - 1)
                MPI_Send(u + rows * w + b, m, MPI_DOUBLE, rank + 1, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
