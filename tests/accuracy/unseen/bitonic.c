/* Bitonic sort of n keys per process on 2^d processes. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
static int less(const void *a, const void *b)
{
    return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b);
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, d = 0;
    while (1 << d < size)
        d++;
    int *mine = malloc(n * 4), *other = malloc(n * 4), *both = malloc(n * 8);
    srand(rank + 1);
    for (int i = 0; i < n; i++)
        mine[i] = rand();
    qsort(mine, n, 4, less);
    for (int i = 0; i < d; i++)
        for (int j = i; j >= 0; j--) {
            int partner = rank ^ (1 << j), up = !(rank & (2 << i));
            MPI_Sendrecv(mine, n, MPI_INT, partner, 3, other, n, MPI_INT, partner, 3,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            memcpy(both, mine, n * 4);
            memcpy(both + n, other, n * 4);
            qsort(both, 2 * n, 4, less);
            memcpy(mine, up == (rank < partner) ? both : both + n, n * 4);
        }
    MPI_Finalize();
    return 0;
}
