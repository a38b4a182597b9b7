/* Cannon's matrix multiplication, C = A B, on q x q processes. */
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size, rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int n = argc > 1 ? atoi(argv[1]) : 120;
    int q = (int)(sqrt(size) + 0.5);
    if (q * q != size || n % q)
        MPI_Abort(MPI_COMM_WORLD, 1);
    int dims[2] = {q, q}, periods[2] = {1, 1}, coords[2];
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_coords(grid, rank, 2, coords);
    int nb = n / q;
    double *a = malloc(nb * nb * 8), *b = malloc(nb * nb * 8), *c = calloc(nb * nb, 8);
    for (int i = 0; i < nb * nb; i++)
        a[i] = b[i] = rank + i;
    int src, dst, left, right, up, down;
    MPI_Cart_shift(grid, 1, -1, &right, &left);
    MPI_Cart_shift(grid, 0, -1, &down, &up);
    /* alignment */
    MPI_Cart_shift(grid, 1, -coords[0], &src, &dst);
    MPI_Sendrecv_replace(a, nb * nb, MPI_DOUBLE, dst, 1, src, 1, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 0, -coords[1], &src, &dst);
    MPI_Sendrecv_replace(b, nb * nb, MPI_DOUBLE, dst, 1, src, 1, grid, MPI_STATUS_IGNORE);
    for (int k = 0; k < q; k++) {
        for (int i = 0; i < nb; i++)
            for (int l = 0; l < nb; l++)
                for (int j = 0; j < nb; j++)
                    c[i * nb + j] += a[i * nb + l] * b[l * nb + j];
        MPI_Sendrecv_replace(a, nb * nb, MPI_DOUBLE, left, 1, right, 1, grid, MPI_STATUS_IGNORE);
        MPI_Sendrecv_replace(b, nb * nb, MPI_DOUBLE, up, 1, down, 1, grid, MPI_STATUS_IGNORE);
    }
    /* bring the blocks home */
    MPI_Cart_shift(grid, 1, coords[0], &src, &dst);
    MPI_Sendrecv_replace(a, nb * nb, MPI_DOUBLE, dst, 1, src, 1, grid, MPI_STATUS_IGNORE);
    MPI_Cart_shift(grid, 0, coords[1], &src, &dst);
    MPI_Sendrecv_replace(b, nb * nb, MPI_DOUBLE, dst, 1, src, 1, grid, MPI_STATUS_IGNORE);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
