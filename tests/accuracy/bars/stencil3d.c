/* stencil3d.c - N x N x N points on a Cartesian communicator: six neighbours by MPI_Cart_shift.
 * Arguments: N, steps. */
#include "bar.h"

int main(int argc, char **argv)
{
    int dims[3], at[3], size[3];
    const int periods[3] = {0, 0, 0};
    MPI_Comm cart;
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_steps = bar_argument(argc, argv, 2);
    bar_grid(3, dims, at);
    MPI_Cart_create(MPI_COMM_WORLD, 3, dims, periods, 0, &cart);
    for (int d = 0; d < 3; d++)
        size[d] = bar_local(n, at[d], dims[d]);
    for (int step = 0; step < n_steps; step++) {
        for (int d = 0; d < 3; d++) {
            int below, above;
            const int points = size[(d + 1) % 3] * size[(d + 2) % 3];
            MPI_Cart_shift(cart, d, 1, &below, &above);
            MPI_Sendrecv(bar_data, points, MPI_DOUBLE, above, d, bar_data + points, points,
                         MPI_DOUBLE, below, d, cart, MPI_STATUS_IGNORE);
            MPI_Sendrecv(bar_data, points, MPI_DOUBLE, below, d + 3, bar_data + points, points,
                         MPI_DOUBLE, above, d + 3, cart, MPI_STATUS_IGNORE);
        }
        bar_work((long)size[0] * size[1] * size[2]);
    }
    MPI_Reduce(bar_rank ? bar_data : MPI_IN_PLACE, bar_data, 1, MPI_DOUBLE, MPI_SUM, 0, cart);
    MPI_Comm_free(&cart);
    bar_end();
    return 0;
}
