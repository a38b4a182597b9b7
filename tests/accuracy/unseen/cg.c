/* Conjugate gradients, dense rows, a fixed number of iterations; n need not be a multiple of P. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, iters = argc > 2 ? atoi(argv[2]) : 10;
    int *counts = malloc(size * sizeof(int)), *displs = malloc(size * sizeof(int));
    for (int r = 0, at = 0; r < size; r++) {
        counts[r] = n / size + (r < n % size ? 1 : 0);
        displs[r] = at;
        at += counts[r];
    }
    int m = counts[rank], first = displs[rank];
    double *A = malloc((m + 1) * n * 8), *p = malloc(n * 8), *x = calloc(m + 1, 8),
           *r = malloc((m + 1) * 8), *q = malloc((m + 1) * 8);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            A[i * n + j] = first + i == j ? n : 1.0 / (1 + abs(first + i - j));
    double rho = 0, local = 0;
    for (int i = 0; i < m; i++)
        r[i] = 1, local += 1;
    for (int i = 0; i < n; i++)
        p[i] = 1;
    MPI_Allreduce(&local, &rho, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int k = 0; k < iters; k++) {
        double pq = 0, alpha, next;
        for (int i = 0; i < m; i++) {
            q[i] = 0;
            for (int j = 0; j < n; j++)
                q[i] += A[i * n + j] * p[j];
            pq += q[i] * p[first + i];
        }
        MPI_Allreduce(MPI_IN_PLACE, &pq, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        alpha = rho / pq;
        local = 0;
        for (int i = 0; i < m; i++)
            x[i] += alpha * p[first + i], r[i] -= alpha * q[i], local += r[i] * r[i];
        MPI_Allreduce(&local, &next, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        for (int i = 0; i < m; i++)
            p[first + i] = r[i] + next / rho * p[first + i];
        rho = next;
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, p, counts, displs, MPI_DOUBLE,
                       MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
