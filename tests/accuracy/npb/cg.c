/* cg.c - the messages of CG of the NAS Parallel Benchmarks: ranks in rows and columns (as many
 * columns as rows, or twice as many), sums along a row by exchanges at distances that halve, and an
 * exchange with the transposed rank. Arguments: n, iterations. */
#include "../bars/bar.h"

static int column, row, n_columns, n_rows, n_exchanges;
static int partner[16], sent[16], received[16];

/* Sends to and receives from one rank. */
static void exchange(int peer, int n_sent, int n_received)
{
    MPI_Request request;
    MPI_Irecv(bar_data, n_received, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD, &request);
    MPI_Send(bar_data, n_sent, MPI_DOUBLE, peer, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sum_numbers(int n)
{
    for (int i = 0; i < n_exchanges; i++)
        exchange(partner[i], n, n);
}

static void multiply(int transposed, int own, int n_received)
{
    for (int i = n_exchanges - 1; i >= 0; i--)
        exchange(partner[i], sent[i], received[i]);
    if (n_exchanges)
        exchange(transposed, own, n_received);
}

static void solve(int transposed, int own, int n_received)
{
    sum_numbers(1);
    for (int i = 0; i < 25; i++) {
        multiply(transposed, own, n_received);
        sum_numbers(1);
        sum_numbers(1);
    }
    multiply(transposed, own, n_received);
    sum_numbers(1);
}

int main(int argc, char **argv)
{
    bar_start(&argc, &argv, 100000);
    const int n = bar_argument(argc, argv, 1), n_iterations = bar_argument(argc, argv, 2);
    for (n_rows = 1; n_rows * n_rows * 4 <= bar_ranks; n_rows *= 2)
        ;
    n_columns = bar_ranks / n_rows;
    row = bar_rank / n_columns;
    column = bar_rank % n_columns;
    const int is_square = n_rows == n_columns, is_even = bar_rank % 2 == 0;
    const int rows = bar_local(n, row, n_rows);
    const int own = is_square ? rows : (rows + is_even) / 2;
    const int columns = is_square ? bar_local(n, column, n_columns)
                                  : (bar_local(n, column / 2, n_rows) + is_even) / 2;
    const int transposed =
        is_square ? bar_rank % n_rows * n_rows + bar_rank / n_rows
                  : 2 * (bar_rank / 2 % n_rows * n_rows + bar_rank / 2 / n_rows) + bar_rank % 2;
    for (int width = n_columns; width > 1; width /= 2)
        partner[n_exchanges++] =
            row * n_columns + (column + width / 2) % width + column / width * width;
    for (int i = 0; i < n_exchanges; i++) {
        sent[i] = is_square ? rows : i == n_exchanges - 1 ? rows - own : own;
        received[i] = is_square ? rows : own;
    }
    for (int i = 0; i <= n_iterations; i++) { /* the first one is not timed */
        solve(transposed, own, columns);
        sum_numbers(2);
        if (!i)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Reduce(bar_data, bar_data + 1, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    bar_end();
    return 0;
}
