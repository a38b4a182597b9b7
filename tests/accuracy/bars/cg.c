/* cg.c - conjugate gradients on a square grid of ranks, as in the NAS benchmark: sums along the
 * rows, an exchange with the transposed rank, dot products along the columns.
 * Arguments: N, iterations. */
#include "bar.h"

int main(int argc, char **argv)
{
    int dims[2], at[2];
    MPI_Comm row, column;
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_iterations = bar_argument(argc, argv, 2);
    bar_grid(2, dims, at);
    const int rows = bar_local(n, at[0], dims[0]), columns = bar_local(n, at[1], dims[1]);
    const int transposed = at[1] * dims[0] + at[0];
    MPI_Comm_split(MPI_COMM_WORLD, at[0], at[1], &row);
    MPI_Comm_split(MPI_COMM_WORLD, at[1], at[0], &column);
    MPI_Bcast(bar_data, 3, MPI_INT, 0, MPI_COMM_WORLD);
    for (int i = 0; i < n_iterations; i++) {
        bar_work((long)rows * columns);
        MPI_Allreduce(MPI_IN_PLACE, bar_data, rows, MPI_DOUBLE, MPI_SUM, row);
        MPI_Sendrecv(bar_data, rows, MPI_DOUBLE, transposed, 5, bar_data + rows, columns,
                     MPI_DOUBLE, transposed, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, bar_data, 1, MPI_DOUBLE, MPI_SUM, column);
        bar_work(columns);
        MPI_Allreduce(MPI_IN_PLACE, bar_data, 1, MPI_DOUBLE, MPI_SUM, column);
    }
    MPI_Reduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    bar_end();
    return 0;
}
