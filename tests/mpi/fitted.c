/* fitted.c - heat in N x N points, divided in rows: for fitted.sh. Arguments: N, steps. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int n = (int)strtol(argv[1], NULL, 10), n_steps = (int)strtol(argv[2], NULL, 10);
    const int rows = n / size + (rank < n % size);
    const int above = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    const int below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    double *t = calloc((size_t)(rows + 2) * (size_t)n, sizeof *t), change, sum;
    for (int step = 0; step < n_steps; step++) {
        MPI_Sendrecv(t + n, n, MPI_DOUBLE, above, 1, t + (size_t)(rows + 1) * (size_t)n, n,
                     MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(t + (size_t)rows * (size_t)n, n, MPI_DOUBLE, below, 2, t, n, MPI_DOUBLE, above,
                     2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        change = 0;
        for (int i = n; i < (rows + 1) * n; i++) {
            const double now = 0.25 * (t[i - n] + t[i + n] + 2 * t[i]) + 1e-3 * step;
            change += now - t[i];
            t[i] = now;
        }
        if (step % 5 == 4)
            MPI_Allreduce(&change, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    if (rank)
        MPI_Send(&t[n], rows * n, MPI_DOUBLE, 0, 3, MPI_COMM_WORLD);
    else
        for (int r = 1; r < size; r++) {
            const int theirs = (n / size + (r < n % size)) * n;
            double *part = malloc((size_t)theirs * sizeof *part);
            MPI_Recv(part, theirs, MPI_DOUBLE, r, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            free(part);
        }
    free(t);
    MPI_Finalize();
    return 0;
}
