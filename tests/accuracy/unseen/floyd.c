/* All-pairs shortest paths (Floyd-Warshall), block rows; the owner of row k broadcasts it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define LOW(r, p, n) ((long)(r) * (n) / (p))
#define OWNER(k, p, n) (((long)(p) * ((k) + 1) - 1) / (n))

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 64;
    int first = LOW(rank, size, n), rows = LOW(rank + 1, size, n) - first;
    int *d = malloc((rows + 1) * n * sizeof *d), *line = malloc(n * sizeof *line);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < n; j++)
            d[i * n + j] = ((first + i) * 7 + j * 13) % 101 + 1;
    for (int k = 0; k < n; k++) {
        int owner = OWNER(k, size, n);
        if (owner == rank)
            memcpy(line, d + (k - first) * n, n * sizeof *line);
        MPI_Bcast(line, n, MPI_INT, owner, MPI_COMM_WORLD);
        for (int i = 0; i < rows; i++)
            for (int j = 0; j < n; j++)
                if (d[i * n + k] + line[j] < d[i * n + j])
                    d[i * n + j] = d[i * n + k] + line[j];
    }
    /* rank 0 prints: the others send their rows in order */
    if (rank == 0) {
        long sum = 0;
        for (int i = 0; i < rows * n; i++)
            sum += d[i];
        for (int r = 1; r < size; r++) {
            int m = LOW(r + 1, size, n) - LOW(r, size, n);
            int *part = malloc((m + 1) * n * sizeof *part);
            MPI_Recv(part, m * n, MPI_INT, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < m * n; i++)
                sum += part[i];
            free(part);
        }
        printf("sum %ld\n", sum);
    } else
        MPI_Send(d, rows * n, MPI_INT, 0, 5, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
