/* long_run.c - many cheap MPI calls on a grid of ranks, for traces of up to 10^9 events.
 *
 *     long_run EVENTS        about so many events of all ranks together
 *
 * A step: computation, then for each of four neighbours 32 messages are received and 32 are sent,
 * and one MPI_Waitall.  Every tenth step ends with an MPI_Allreduce.  Rank 0 prints the private
 * memory of the largest rank, in KiB, after each tenth of the run. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NEIGHBOURS = 4, BURST = 32, BYTES = 64, STEPS_OF_REDUCTION = 10, N_REPORTS = 10 };

static long private_kib(void)
{
    char line[256];
    long sum = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "Private_", 8) && strchr(line, ':'))
            sum += strtol(strchr(line, ':') + 1, NULL, 10);
    if (f)
        fclose(f);
    return sum;
}

static void exchange(MPI_Comm grid, const int *neighbours, long step)
{
    static char in[NEIGHBOURS][BURST][BYTES], out[BYTES];
    MPI_Request requests[NEIGHBOURS * BURST * 2];
    int n = 0;
    for (int k = 0; k < NEIGHBOURS; k++)
        for (int i = 0; i < BURST; i++)
            MPI_Irecv(in[k][i], BYTES, MPI_CHAR, neighbours[k], i, grid, &requests[n++]);
    for (int k = 0; k < NEIGHBOURS;
         k++) /* what one sends to the left, the other gets from the right */
        for (int i = 0; i < BURST; i++)
            MPI_Isend(out, 1 + (int)((step + i) % BYTES), MPI_CHAR, neighbours[k ^ 1], i, grid,
                      &requests[n++]);
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
}

static double compute(long step)
{
    double x = 1;
    for (long i = 0; i < 200 + step % 7 * 20; i++)
        x += 1 / (x + (double)i);
    return x;
}

int main(int argc, char **argv)
{
    const double wanted = argc > 1 ? strtod(argv[1], NULL) : 1e6;
    int n_ranks, rank, dims[2] = {0, 0}, periods[2] = {1, 1}, neighbours[NEIGHBOURS];
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Dims_create(n_ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &neighbours[0], &neighbours[1]);
    MPI_Cart_shift(grid, 1, 1, &neighbours[2], &neighbours[3]);
    const double events_of_step = NEIGHBOURS * BURST * 2 + 1 + 1.0 / STEPS_OF_REDUCTION;
    const long n_steps = (long)(wanted / n_ranks / events_of_step) + 1;
    long reported = 0;
    double sum = 0;
    for (long step = 0; step < n_steps; step++) {
        double mine = compute(step);
        exchange(grid, neighbours, step);
        if (step % STEPS_OF_REDUCTION == STEPS_OF_REDUCTION - 1)
            MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
        if ((step + 1) * N_REPORTS / n_steps == reported)
            continue;
        long kib = private_kib(), most = 0;
        reported = (step + 1) * N_REPORTS / n_steps;
        MPI_Reduce(&kib, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            printf("%ld %ld\n", step + 1, most);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
