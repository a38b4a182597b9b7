/* grid.c - what programs on a grid of ranks do: for tests/mpi/extrapolate.sh.
 *
 *     grid CASE [PERIODIC]   a 2-D grid as MPI_Dims_create makes it
 *
 * skip        a halo exchange that leaves out the neighbours that are not there
 * persistent  the same with persistent requests
 * shift       MPI_Sendrecv along each dimension and back
 * cart        neighbourhood collectives, and collectives of rows and columns
 * corners     exchange with 8 neighbours
 * blocking    each rank sends to those below, then receives from those above, and back
 * windows     MPI_Put between fences
 * split       rows and columns by MPI_Comm_split: broadcasts, alltoall, vectors of equal shares
 * parity      even ranks send first, odd ones receive first
 * roots       the root goes round
 * wild        receives from any source */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8, STEPS = 3, MAX_RANKS = 256 };

static MPI_Comm grid;
static int rank, n_ranks, dims[2], next[4]; /* north, south, west, east */
static double out[MAX_RANKS * N], in[MAX_RANKS * N];

static void skip(void)
{
    MPI_Request r[8];
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (next[i] != MPI_PROC_NULL)
            MPI_Irecv(in, N, MPI_DOUBLE, next[i], i, grid, &r[n++]);
    for (int i = 0; i < 4; i++)
        if (next[i] != MPI_PROC_NULL)
            MPI_Isend(out, N, MPI_DOUBLE, next[i], i ^ 1, grid, &r[n++]);
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

static void persistent(void)
{
    MPI_Request r[8];
    int n = 0;
    for (int i = 0; i < 4; i++)
        if (next[i] != MPI_PROC_NULL) {
            MPI_Recv_init(in, N, MPI_DOUBLE, next[i], i, grid, &r[n++]);
            MPI_Send_init(out, N, MPI_DOUBLE, next[i], i ^ 1, grid, &r[n++]);
        }
    for (int step = 0; step < STEPS; step++) {
        MPI_Startall(n, r);
        MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < n; i++)
        MPI_Request_free(&r[i]);
}

static void shift(void)
{
    for (int d = 0; d < 2; d++)
        for (int back = 0; back < 2; back++)
            MPI_Sendrecv(out, N, MPI_DOUBLE, next[2 * d + !back], 7, in, N, MPI_DOUBLE,
                         next[2 * d + back], 7, grid, MPI_STATUS_IGNORE);
}

static void cart(void)
{
    for (int d = 0; d < 2; d++) {
        MPI_Comm line;
        int remain[2] = {d == 0, d == 1};
        MPI_Cart_sub(grid, remain, &line);
        MPI_Allreduce(out, in, N, MPI_DOUBLE, MPI_SUM, line);
        MPI_Neighbor_allgather(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, line);
        MPI_Comm_free(&line);
    }
    MPI_Neighbor_alltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, grid);
}

static void corners(void)
{
    MPI_Request r[16];
    int where[2], n = 0;
    MPI_Cart_coords(grid, rank, 2, where);
    for (int send = 0; send < 2; send++)
        for (int i = -1; i <= 1; i++)
            for (int j = -1; j <= 1; j++) {
                int at[2] = {where[0] + i, where[1] + j}, other = MPI_PROC_NULL;
                if (at[0] >= 0 && at[0] < dims[0] && at[1] >= 0 && at[1] < dims[1])
                    MPI_Cart_rank(grid, at, &other);
                if (i == 0 && j == 0)
                    continue;
                if (send)
                    MPI_Isend(out, N, MPI_DOUBLE, other, 4 + 3 * i + j, grid, &r[n++]);
                else
                    MPI_Irecv(in, N, MPI_DOUBLE, other, 4 - 3 * i - j, grid, &r[n++]);
            }
    MPI_Waitall(n, r, MPI_STATUSES_IGNORE);
}

static void blocking(void)
{
    for (int back = 0; back < 2; back++) {
        for (int d = 0; d < 2; d++)
            if (next[2 * d + back] != MPI_PROC_NULL)
                MPI_Recv(in, N + d, MPI_DOUBLE, next[2 * d + back], 1, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
        for (int d = 0; d < 2; d++)
            if (next[2 * d + !back] != MPI_PROC_NULL)
                MPI_Send(out, N + d, MPI_DOUBLE, next[2 * d + !back], 1, MPI_COMM_WORLD);
    }
}

static void windows(void)
{
    MPI_Win win;
    MPI_Win_create(in, sizeof in, sizeof *in, MPI_INFO_NULL, grid, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < 4; i++)
        if (next[i] != MPI_PROC_NULL)
            MPI_Put(out, N, MPI_DOUBLE, next[i], (MPI_Aint)i * N, N, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
}

static void split(void)
{
    static int counts[MAX_RANKS], displacements[MAX_RANKS];
    MPI_Comm line[2];
    for (int i = 0; i < n_ranks; i++) {
        counts[i] = N;
        displacements[i] = i * N;
    }
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &line[0]);
    MPI_Comm_split(MPI_COMM_WORLD, rank % dims[1], rank, &line[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Bcast(out, N, MPI_DOUBLE, 0, line[i]);
        MPI_Alltoall(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, line[i]);
        MPI_Alltoallv(out, counts, displacements, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE,
                      line[i]);
        MPI_Reduce_scatter(out, in, counts, MPI_DOUBLE, MPI_SUM, line[i]);
    }
    MPI_Gatherv(out, N, MPI_DOUBLE, in, counts, displacements, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Scatter(out, N, MPI_DOUBLE, in, N, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Comm_free(&line[0]);
    MPI_Comm_free(&line[1]);
}

static void parity(void)
{
    for (int i = 0; i < 2; i++)
        if ((rank + i) % 2)
            MPI_Send(out, N, MPI_DOUBLE, next[3], 1, grid);
        else
            MPI_Recv(in, N, MPI_DOUBLE, next[2], 1, grid, MPI_STATUS_IGNORE);
}

static void roots(void)
{
    for (int i = 0; i < n_ranks; i++)
        MPI_Bcast(out, N, MPI_DOUBLE, i, MPI_COMM_WORLD);
}

static void wild(void)
{
    if (next[3] != MPI_PROC_NULL)
        MPI_Send(out, N, MPI_DOUBLE, next[3], 1, grid);
    if (next[2] != MPI_PROC_NULL)
        MPI_Recv(in, N, MPI_DOUBLE, MPI_ANY_SOURCE, 1, grid, MPI_STATUS_IGNORE);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"skip", skip},       {"persistent", persistent}, {"shift", shift},     {"cart", cart},
    {"corners", corners}, {"blocking", blocking},     {"windows", windows}, {"split", split},
    {"parity", parity},   {"roots", roots},           {"wild", wild}};
enum { N_CASES = sizeof cases / sizeof *cases };

/* CASE,CASE,...: one after the other. */
int main(int argc, char **argv)
{
    int periods[2] = {argc > 2, argc > 2}, n_run = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    MPI_Dims_create(n_ranks, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Cart_shift(grid, 0, 1, &next[0], &next[1]);
    MPI_Cart_shift(grid, 1, 1, &next[2], &next[3]);
    for (char *name = argc > 1 ? strtok(argv[1], ",") : NULL; name; name = strtok(NULL, ","))
        for (int i = 0; i < N_CASES; i++)
            for (int step = 0; step < STEPS && !strcmp(name, cases[i].name); step++) {
                cases[i].run();
                MPI_Barrier(grid);
                n_run++;
            }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return n_run == 0;
}
