/* 1-D heat equation, explicit scheme, block distribution with remainder. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 1000, steps = argc > 2 ? atoi(argv[2]) : 100;
    int local = n / size + (rank < n % size);
    double *u = calloc(local + 2, sizeof *u), *v = calloc(local + 2, sizeof *v);
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    if (rank == 0)
        u[0] = v[0] = 1.0;
    for (int t = 0; t < steps; t++) {
        MPI_Sendrecv(&u[1], 1, MPI_DOUBLE, left, 0, &u[local + 1], 1, MPI_DOUBLE, right, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Sendrecv(&u[local], 1, MPI_DOUBLE, right, 1, &u[0], 1, MPI_DOUBLE, left, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (int i = 1; i <= local; i++)
            v[i] = u[i] + 0.25 * (u[i - 1] - 2 * u[i] + u[i + 1]);
        double *s = u;
        u = v;
        v = s;
        if (rank == 0)
            u[0] = 1.0;
        if (t % 10 == 9) {
            double sum = 0, total;
            for (int i = 1; i <= local; i++)
                sum += u[i];
            MPI_Reduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
            if (rank == 0)
                printf("step %d: heat %g\n", t + 1, total);
        }
    }
    double *all = NULL;
    int *counts = NULL, *displs = NULL;
    if (rank == 0) {
        all = malloc(n * sizeof *all);
        counts = malloc(size * sizeof *counts);
        displs = malloc(size * sizeof *displs);
        for (int r = 0, at = 0; r < size; r++) {
            counts[r] = n / size + (r < n % size);
            displs[r] = at;
            at += counts[r];
        }
    }
    MPI_Gatherv(u + 1, local, MPI_DOUBLE, all, counts, displs, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
