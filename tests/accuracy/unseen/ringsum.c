/* Allreduce of n numbers by hand: reduce-scatter and allgather round a ring; the last chunk has the
 * remainder. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 1000, times = argc > 2 ? atoi(argv[2]) : 2, c = n / size;
    double *a = calloc(n, 8), *in = calloc(c + size, 8);
    int next = (rank + 1) % size, prev = (rank + size - 1) % size;
#define LENGTH(i) ((i) == size - 1 ? n - (size - 1) * c : c)
    for (int t = 0; t < times; t++) {
        for (int s = 0; s < size - 1; s++) {
            int out = (rank - s + size) % size, get = (rank - s - 1 + 2 * size) % size;
            MPI_Request q;
            MPI_Irecv(in, LENGTH(get), MPI_DOUBLE, prev, s, MPI_COMM_WORLD, &q);
            MPI_Send(a + out * c, LENGTH(out), MPI_DOUBLE, next, s, MPI_COMM_WORLD);
            MPI_Wait(&q, MPI_STATUS_IGNORE);
            for (int i = 0; i < LENGTH(get); i++)
                a[get * c + i] += in[i];
        }
        for (int s = 0; s < size - 1; s++) {
            int out = (rank + 1 - s + size) % size, get = (rank - s + size) % size;
            MPI_Sendrecv(a + out * c, LENGTH(out), MPI_DOUBLE, next, s, a + get * c, LENGTH(get),
                         MPI_DOUBLE, prev, s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
