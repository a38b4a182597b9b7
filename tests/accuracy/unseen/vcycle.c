/* 1-D multigrid: V-cycles over log2(n / P) levels, the coarsest solved on rank 0. */
#include <mpi.h>
#include <stdlib.h>

static int rank, size;
static void exchange(double *u, int n)
{
    int left = rank > 0 ? rank - 1 : MPI_PROC_NULL,
        right = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
    MPI_Request req[4];
    MPI_Irecv(u, 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &req[0]);
    MPI_Irecv(u + n + 1, 1, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &req[1]);
    MPI_Isend(u + 1, 1, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &req[2]);
    MPI_Isend(u + n, 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &req[3]);
    MPI_Waitall(4, req, MPI_STATUSES_IGNORE);
}
static void smooth(double *u, int n, int times)
{
    for (int t = 0; t < times; t++) {
        exchange(u, n);
        for (int i = 1; i <= n; i++)
            u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    }
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = (argc > 1 ? atoi(argv[1]) : 1024) / size, cycles = argc > 2 ? atoi(argv[2]) : 2;
    int levels = 0;
    double *u[32];
    for (int m = n; m >= 1; m /= 2)
        u[levels++] = calloc(m + 2, 8);
    double *all = malloc(size * 8);
    for (int c = 0; c < cycles; c++) {
        for (int l = 0; l < levels - 1; l++) {
            smooth(u[l], n >> l, 2);
            for (int i = 1; i <= n >> (l + 1); i++)
                u[l + 1][i] = u[l][2 * i];
        }
        MPI_Gather(u[levels - 1] + 1, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        MPI_Scatter(all, 1, MPI_DOUBLE, u[levels - 1] + 1, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        for (int l = levels - 2; l >= 0; l--) {
            for (int i = 1; i <= n >> (l + 1); i++)
                u[l][2 * i] += u[l + 1][i];
            smooth(u[l], n >> l, 1);
        }
        double r = u[0][1], sum;
        MPI_Allreduce(&r, &sum, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
