/* N bodies in 3-D: blocks of positions and masses travel round the ring. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 256, steps = argc > 2 ? atoi(argv[2]) : 3;
    int most = (n + size - 1) / size;
    int mine = rank * most >= n ? 0 : (n - rank * most < most ? n - rank * most : most);
    double *x = calloc(4 * most, 8), *v = calloc(3 * most, 8), *f = calloc(3 * most, 8);
    double *buf[2] = {calloc(4 * most, 8), calloc(4 * most, 8)};
    for (int i = 0; i < mine; i++) {
        x[4 * i] = rank + 0.1 * i, x[4 * i + 1] = 0.3 * i, x[4 * i + 2] = i % 7, x[4 * i + 3] = 1;
    }
    for (int t = 0; t < steps; t++) {
        memset(f, 0, 3 * most * 8);
        memcpy(buf[0], x, 4 * most * 8);
        for (int k = 0; k < size; k++) {
            MPI_Request req[2];
            if (k < size - 1) {
                MPI_Isend(buf[k % 2], 4 * most, MPI_DOUBLE, (rank + 1) % size, k, MPI_COMM_WORLD,
                          &req[0]);
                MPI_Irecv(buf[(k + 1) % 2], 4 * most, MPI_DOUBLE, (rank + size - 1) % size, k,
                          MPI_COMM_WORLD, &req[1]);
            }
            double *o = buf[k % 2];
            for (int i = 0; i < mine; i++)
                for (int j = 0; j < most; j++) {
                    double dx = o[4 * j] - x[4 * i], dy = o[4 * j + 1] - x[4 * i + 1],
                           dz = o[4 * j + 2] - x[4 * i + 2];
                    double r2 = dx * dx + dy * dy + dz * dz + 1e-3,
                           w = o[4 * j + 3] / (r2 * sqrt(r2));
                    f[3 * i] += w * dx, f[3 * i + 1] += w * dy, f[3 * i + 2] += w * dz;
                }
            if (k < size - 1)
                MPI_Waitall(2, req, MPI_STATUSES_IGNORE);
        }
        double e = 0, sum;
        for (int i = 0; i < mine; i++)
            for (int d = 0; d < 3; d++) {
                v[3 * i + d] += 1e-3 * f[3 * i + d];
                x[4 * i + d] += 1e-3 * v[3 * i + d];
                e += v[3 * i + d] * v[3 * i + d];
            }
        MPI_Reduce(&e, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
