/* Odd-even transposition sort of n keys per process. */
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
    int n = (argc > 1 ? atoi(argv[1]) : 1000) / size;
    int *mine = malloc(n * 4), *other = malloc(n * 4), *both = malloc(n * 8);
    srand(rank + 1);
    for (int i = 0; i < n; i++)
        mine[i] = rand();
    qsort(mine, n, 4, less);
    for (int phase = 0; phase < size; phase++) {
        int partner = (phase + rank) % 2 == 0 ? rank + 1 : rank - 1;
        if (partner < 0 || partner >= size)
            continue;
        MPI_Sendrecv(mine, n, MPI_INT, partner, phase, other, n, MPI_INT, partner, phase,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        memcpy(both, mine, n * 4);
        memcpy(both + n, other, n * 4);
        qsort(both, 2 * n, 4, less);
        memcpy(mine, partner > rank ? both : both + n, n * 4);
    }
    MPI_Finalize();
    return 0;
}
