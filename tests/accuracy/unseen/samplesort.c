/* Sample sort with regular samples (PSRS). */
#include <mpi.h>
#include <stdlib.h>
static int less(const void *a, const void *b)
{
    return (*(int *)a > *(int *)b) - (*(int *)a < *(int *)b);
}

int main(int argc, char **argv)
{
    int rank, p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    int n = (argc > 1 ? atoi(argv[1]) : 10000) / p;
    int *key = malloc(n * 4), *sample = malloc(p * 4), *all = malloc(p * p * 4),
        *cut = malloc(p * 4);
    srand(rank + 7);
    for (int i = 0; i < n; i++)
        key[i] = rand();
    qsort(key, n, 4, less);
    for (int i = 0; i < p; i++)
        sample[i] = key[(long)i * n / p];
    MPI_Gather(sample, p, MPI_INT, all, p, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        qsort(all, p * p, 4, less);
        for (int i = 0; i < p - 1; i++)
            cut[i] = all[(i + 1) * p + p / 2 - 1];
    }
    MPI_Bcast(cut, p - 1, MPI_INT, 0, MPI_COMM_WORLD);
    int *sc = calloc(p, 4), *rc = calloc(p, 4), *sd = calloc(p + 1, 4), *rd = calloc(p + 1, 4);
    for (int i = 0, b = 0; i < n; i++) {
        while (b < p - 1 && key[i] > cut[b])
            b++;
        sc[b]++;
    }
    MPI_Alltoall(sc, 1, MPI_INT, rc, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < p; i++)
        sd[i + 1] = sd[i] + sc[i], rd[i + 1] = rd[i] + rc[i];
    int *out = malloc((rd[p] + 1) * 4);
    MPI_Alltoallv(key, sc, sd, MPI_INT, out, rc, rd, MPI_INT, MPI_COMM_WORLD);
    qsort(out, rd[p], 4, less);
    MPI_Finalize();
    return 0;
}
