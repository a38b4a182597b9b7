/* stencil.c - a solver on a grid of 4 x 4 ranks, such as the core of a weather model.
 *
 *     stencil STEPS [TEAM]
 *
 * Each rank has a block of 64 x 64 columns with 64 levels.  In each step it computes its block, and
 * exchanges the sides of the block with its neighbours.  Then all ranks find the largest change.
 * If the number of a team is given, one node stops once for 200 ms. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { COLUMNS = 64, LEVELS = 64, RANKS_PER_NODE = 2 };

static double field[COLUMNS + 2][COLUMNS + 2][LEVELS];

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void compute_row(int i, double *largest)
{
    for (int j = 1; j <= COLUMNS; j++)
        for (int k = 0; k < LEVELS; k++) {
            double north = field[i - 1][j][k], south = field[i + 1][j][k];
            double west = field[i][j - 1][k], east = field[i][j + 1][k];
            double mean = (north + south + west + east) / 4, change = fabs(mean - field[i][j][k]);
            field[i][j][k] = mean;
            if (change > *largest)
                *largest = change;
        }
}

/* Computes for a given CPU time, so that all laptops get the same answers. */
static double compute(double ms)
{
    double largest = 0, end = cpu_ms() + ms;
    for (int i = 1; cpu_ms() < end; i = i % COLUMNS + 1)
        compute_row(i, &largest);
    return largest;
}

static double work_ms(int rank)
{
#ifdef BALANCED
    (void)rank;
    return 2.25;
#else
    return rank == 5 ? 6 : 2;
#endif
}

static void exchange(const int next[4], MPI_Datatype side, MPI_Comm grid)
{
    double *out[4] = {field[1][1], field[COLUMNS][1], field[1][1], field[1][COLUMNS]};
    double *in[4] = {field[0][1], field[COLUMNS + 1][1], field[1][0], field[1][COLUMNS + 1]};
    MPI_Request requests[8];
    for (int i = 0; i < 4; i++) {
        int count = i < 2 ? COLUMNS * LEVELS : 1;
        MPI_Datatype type = i < 2 ? MPI_DOUBLE : side;
        MPI_Irecv(in[i], count, type, next[i], i ^ 1, grid, &requests[i]);
        MPI_Isend(out[i], count, type, next[i], i, grid, &requests[4 + i]);
    }
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
}

static void stop_node(int rank, int step, long team)
{
    const struct timespec stop = {.tv_nsec = 200000000};
    if (team > 0 && rank / RANKS_PER_NODE == team * 5 % 8 && step == 4 + team * 7 % 12)
        nanosleep(&stop, NULL);
}

int main(int argc, char **argv)
{
    int rank, n_ranks, next[4], dims[2] = {4, 4}, periodic[2] = {0, 0};
    double change = 0, largest_change = 0;
    MPI_Comm grid;
    MPI_Datatype side;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc < 2 || n_ranks != 16) {
        fprintf(stderr, "usage: 16 ranks of stencil STEPS [TEAM]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    long steps = strtol(argv[1], NULL, 10), team = argc > 2 ? strtol(argv[2], NULL, 10) : 0;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periodic, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &next[0], &next[1]);
    MPI_Cart_shift(grid, 1, 1, &next[2], &next[3]);
    MPI_Type_vector(COLUMNS, LEVELS, (COLUMNS + 2) * LEVELS, MPI_DOUBLE, &side);
    MPI_Type_commit(&side);
    for (int step = 1; step <= steps; step++) {
        change = compute(work_ms(rank));
        stop_node(rank, step, team);
        exchange(next, side, grid);
        MPI_Allreduce(&change, &largest_change, 1, MPI_DOUBLE, MPI_MAX, grid);
    }
    MPI_Type_free(&side);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
