/* 2-D Jacobi on an N x N grid; process grid px x py, px = the largest divisor of P that is at most
 * sqrt(P). */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 100, iters = argc > 2 ? atoi(argv[2]) : 20;
    int px = 1;
    for (int d = 1; d * d <= size; d++)
        if (size % d == 0)
            px = d;
    int py = size / px, x = rank % px, y = rank / px;
    int nx = n / px + (x < n % px), ny = n / py + (y < n % py);
    int west = x > 0 ? rank - 1 : -1, east = x < px - 1 ? rank + 1 : -1;
    int north = y > 0 ? rank - px : -1, south = y < py - 1 ? rank + px : -1;
    int w = nx + 2;
    double *a = calloc(w * (ny + 2), sizeof *a), *b = calloc(w * (ny + 2), sizeof *b);
    double *sw = malloc(ny * 8), *se = malloc(ny * 8), *rw = malloc(ny * 8), *re = malloc(ny * 8);
    for (int i = 0; i < w; i++)
        a[i] = 1;
    for (int k = 0; k < iters; k++) {
        MPI_Request req[8];
        int m = 0;
        if (north >= 0)
            MPI_Irecv(a + 1, nx, MPI_DOUBLE, north, 1, MPI_COMM_WORLD, &req[m++]);
        if (south >= 0)
            MPI_Irecv(a + (ny + 1) * w + 1, nx, MPI_DOUBLE, south, 2, MPI_COMM_WORLD, &req[m++]);
        if (west >= 0)
            MPI_Irecv(rw, ny, MPI_DOUBLE, west, 3, MPI_COMM_WORLD, &req[m++]);
        if (east >= 0)
            MPI_Irecv(re, ny, MPI_DOUBLE, east, 4, MPI_COMM_WORLD, &req[m++]);
        for (int j = 0; j < ny; j++) {
            sw[j] = a[(j + 1) * w + 1];
            se[j] = a[(j + 1) * w + nx];
        }
        if (north >= 0)
            MPI_Isend(a + w + 1, nx, MPI_DOUBLE, north, 2, MPI_COMM_WORLD, &req[m++]);
        if (south >= 0)
            MPI_Isend(a + ny * w + 1, nx, MPI_DOUBLE, south, 1, MPI_COMM_WORLD, &req[m++]);
        if (west >= 0)
            MPI_Isend(sw, ny, MPI_DOUBLE, west, 4, MPI_COMM_WORLD, &req[m++]);
        if (east >= 0)
            MPI_Isend(se, ny, MPI_DOUBLE, east, 3, MPI_COMM_WORLD, &req[m++]);
        MPI_Waitall(m, req, MPI_STATUSES_IGNORE);
        double diff = 0, all;
        for (int j = 1; j <= ny; j++)
            for (int i = 1; i <= nx; i++) {
                b[j * w + i] = (a[j * w + i - 1] + a[j * w + i + 1] + a[(j - 1) * w + i] +
                                a[(j + 1) * w + i]) /
                               4;
                diff += (b[j * w + i] - a[j * w + i]) * (b[j * w + i] - a[j * w + i]);
            }
        MPI_Allreduce(&diff, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
        double *s = a;
        a = b;
        b = s;
    }
    MPI_Finalize();
    return 0;
}
