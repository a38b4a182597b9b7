/* Prefix sums of n numbers on a hypercube: local sums, then log2 P rounds. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 1000, m = argc > 2 ? atoi(argv[2]) : 4;
    int local = n / size;
    double *x = malloc(local * m * 8), *sum = calloc(m, 8), *total = calloc(m, 8),
           *got = calloc(m, 8);
    for (int i = 0; i < local * m; i++) {
        x[i] = i % 10;
        sum[i % m] += x[i];
    }
    for (int i = 0; i < m; i++)
        total[i] = sum[i];
    for (int bit = 1; bit < size; bit <<= 1) {
        int peer = rank ^ bit;
        MPI_Sendrecv(total, m, MPI_DOUBLE, peer, bit, got, m, MPI_DOUBLE, peer, bit, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        for (int i = 0; i < m; i++) {
            total[i] += got[i];
            if (peer < rank)
                sum[i] += got[i];
        }
    }
    for (int i = 0; i < local * m; i++)
        x[i] += sum[i % m];
    MPI_Finalize();
    return 0;
}
