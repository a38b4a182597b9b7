/* steps.c - steps N [wait]: N steps of a ring with a reduction; then the ranks end, or wait for a
 * signal. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank, size;
    static double out[500], in[500], sum[500];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    for (int i = 0; i < n; i++) {
        MPI_Sendrecv(out, 500, MPI_DOUBLE, (rank + 1) % size, 7, in, 500, MPI_DOUBLE,
                     (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(in, sum, 500, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    while (argc > 2 && !strcmp(argv[2], "wait"))
        pause();
    MPI_Finalize();
    return 0;
}
