/* Transposition of an n x n matrix by exchanges of all pairs: in round k with process rank XOR k.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64, b = n / size;
    double *a = malloc(b * n * 8), *t = malloc(b * n * 8), *out = malloc(b * b * 8),
           *in = malloc(b * b * 8);
    for (int i = 0; i < b * n; i++)
        a[i] = rank * b * n + i;
    for (int k = 0; k < size; k++) {
        int peer = rank ^ k;
        for (int i = 0; i < b; i++)
            for (int j = 0; j < b; j++)
                out[j * b + i] = a[i * n + peer * b + j];
        if (k == 0)
            for (int i = 0; i < b * b; i++)
                in[i] = out[i];
        else
            MPI_Sendrecv(out, b * b, MPI_DOUBLE, peer, k, in, b * b, MPI_DOUBLE, peer, k,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 0; i < b; i++)
            for (int j = 0; j < b; j++)
                t[i * n + peer * b + j] = in[i * b + j];
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
