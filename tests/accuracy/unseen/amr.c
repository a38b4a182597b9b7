/* A ring whose processes refine where a function of the position is large: sizes depend on data,
 * and change. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, steps = argc > 2 ? atoi(argv[2]) : 5;
    double *out = calloc(16 * n, 8), *in = calloc(16 * n, 8);
    for (int t = 0; t < steps; t++) {
        double x = (double)rank / size - 0.1 * t;
        int mine = n * (1 + 8 * exp(-40 * x * x)), other;
        MPI_Sendrecv(&mine, 1, MPI_INT, (rank + 1) % size, 0, &other, 1, MPI_INT,
                     (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, mine, MPI_DOUBLE, (rank + 1) % size, 1, in, other, MPI_DOUBLE,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
