/* fft.c - transforms of N x N x N points in pencils on a grid of ranks: transposed within the rows,
 * then within the columns of the grid, and back. N is a multiple of both sizes of the grid.
 * Arguments: N, transforms. */
#include "bar.h"

int main(int argc, char **argv)
{
    int dims[2], at[2];
    MPI_Comm row, column;
    bar_start(&argc, &argv, 400000);
    const int n = bar_argument(argc, argv, 1), n_transforms = bar_argument(argc, argv, 2);
    bar_grid(2, dims, at);
    MPI_Comm_split(MPI_COMM_WORLD, at[0], 0, &row);
    MPI_Comm_split(MPI_COMM_WORLD, at[1], 0, &column);
    const int own = n / dims[0] * (n / dims[1]) * n; /* complex points of a rank */
    double *half = bar_data + 200000;
    for (int i = 0; i < n_transforms; i++) {
        bar_work(own);
        MPI_Alltoall(bar_data, own / dims[1], MPI_C_DOUBLE_COMPLEX, half, own / dims[1],
                     MPI_C_DOUBLE_COMPLEX, row);
        bar_work(own);
        MPI_Alltoall(bar_data, own / dims[0], MPI_C_DOUBLE_COMPLEX, half, own / dims[0],
                     MPI_C_DOUBLE_COMPLEX, column);
        bar_work(own);
        MPI_Reduce(bar_data, half, 1, MPI_C_DOUBLE_COMPLEX, MPI_SUM, 0, MPI_COMM_WORLD);
    }
    MPI_Comm_free(&column);
    MPI_Comm_free(&row);
    bar_end();
    return 0;
}
