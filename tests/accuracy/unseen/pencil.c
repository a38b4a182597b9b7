/* 3-D FFT with pencils: all-to-all within rows, then within columns of the process grid. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

static void lines(double *a, int count, int n)
{
    for (int c = 0; c < count; c++)
        for (int h = 1; h < n; h *= 2)
            for (int i = 0; i + h < n; i++)
                a[2 * (c * n + i)] += 0.5 * a[2 * (c * n + i + h)];
}
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 16, times = argc > 2 ? atoi(argv[2]) : 2;
    int dims[2] = {0, 0};
    MPI_Dims_create(size, 2, dims);
    int p = dims[0], q = dims[1];
    MPI_Comm row, col;
    MPI_Comm_split(MPI_COMM_WORLD, rank / q, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % q, rank, &col);
    int mine = n / p * (n / q) * n;
    double *a = calloc(2 * mine, 8), *b = calloc(2 * mine, 8);
    for (int t = 0; t < times; t++) {
        lines(a, n / p * (n / q), n);
        MPI_Alltoall(a, 2 * mine / q, MPI_DOUBLE, b, 2 * mine / q, MPI_DOUBLE, row);
        lines(b, n / p * (n / q), n);
        MPI_Alltoall(b, 2 * mine / p, MPI_DOUBLE, a, 2 * mine / p, MPI_DOUBLE, col);
        lines(a, n / p * (n / q), n);
    }
    double e = a[0], sum;
    MPI_Allreduce(&e, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Comm_free(&row);
    MPI_Comm_free(&col);
    MPI_Finalize();
    return 0;
}
