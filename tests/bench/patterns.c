/* patterns.c - the communication of common codes, for the size of traces.
 *
 *     patterns PATTERN ITERATIONS [WORK]
 *
 * WORK is how many additions a rank computes between two steps (default 0).
 *
 * stencil2d   halo exchange with 4 neighbours, not periodic: Irecv, Isend, Waitall; Allreduce every
 *             10 iterations
 * stencil3d   with 6 neighbours, periodic
 * wavefront   as NPB LU: blocking sweeps of 30 planes down and up a 2-D grid, a halo exchange, and
 *             a residual every 20 iterations
 * irregular   a random graph of neighbours with sizes of their own, another one every 100
 *             iterations; messages are taken as they come (Waitany)
 * fft         pencils: Alltoall in rows and columns of the grid, forth and back, then Alltoallv of
 *             uneven shares */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_RANKS = 1024, MAX_BYTES = 8192, PLANES = 30 };

static int rank, n_ranks;
static char *buffer;
static long work;

static void compute(void)
{
    volatile double sum = 0;
    for (long i = 0; i < work; i++)
        sum = sum + 1;
}

static int at(const int *dims, const int *periodic, const int *where)
{
    int r = 0;
    for (int d = 0; d < 3; d++) {
        int x = where[d];
        if (periodic[d])
            x = (x + dims[d]) % dims[d];
        if (x < 0 || x >= dims[d])
            return MPI_PROC_NULL;
        r = r * dims[d] + x;
    }
    return r;
}

static void exchange(const int *neighbours, const int *bytes, int n)
{
    MPI_Request requests[12];
    compute();
    for (int i = 0; i < n; i++)
        MPI_Irecv(buffer, bytes[i], MPI_BYTE, neighbours[i], i, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(buffer, bytes[i], MPI_BYTE, neighbours[i], i ^ 1, MPI_COMM_WORLD,
                  &requests[n + i]);
    MPI_Waitall(2 * n, requests, MPI_STATUSES_IGNORE);
}

static void residual(void)
{
    double mine = 1, all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* The neighbours below and above in each dimension of a grid. */
static void find_neighbours(int *dims, int n_dims, int periodic, int *neighbours)
{
    int periods[3] = {0, 0, 0}, where[3], rest = rank;
    MPI_Dims_create(n_ranks, n_dims, dims);
    for (int d = 2; d >= 0; d--) {
        where[d] = rest % dims[d];
        rest /= dims[d];
        periods[d] = periodic;
    }
    for (int d = 0; d < n_dims; d++)
        for (int side = 0; side < 2; side++) {
            where[d] += 2 * side - 1;
            neighbours[2 * d + side] = at(dims, periods, where);
            where[d] -= 2 * side - 1;
        }
}

static void stencil(int n_dims, int periodic, int n)
{
    int dims[3] = {0, 0, 0}, neighbours[6], bytes[6] = {4096, 4096, 2048, 2048, 1024, 1024};
    dims[2] = n_dims < 3;
    find_neighbours(dims, n_dims, periodic, neighbours);
    for (int i = 0; i < n; i++) {
        exchange(neighbours, bytes, 2 * n_dims);
        if (i % 10 == 9)
            residual();
    }
}

static void wavefront(int n)
{
    int dims[3] = {0, 0, 1}, next[4], bytes[4] = {2000, 2000, 1600, 1600};
    find_neighbours(dims, 2, 0, next);
    for (int i = 0; i < n; i++) {
        for (int down = 1; down >= 0; down--) {
            for (int k = 0; k < PLANES; k++) {
                for (int d = 0; d < 2; d++)
                    if (next[2 * d + !down] != MPI_PROC_NULL)
                        MPI_Recv(buffer, 40 * (d + 1), MPI_DOUBLE, next[2 * d + !down], d,
                                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                compute();
                for (int d = 0; d < 2; d++)
                    if (next[2 * d + down] != MPI_PROC_NULL)
                        MPI_Send(buffer, 40 * (d + 1), MPI_DOUBLE, next[2 * d + down], d,
                                 MPI_COMM_WORLD);
            }
        }
        exchange(next, bytes, 4);
        if (i % 20 == 19)
            residual();
    }
}

static unsigned draw(unsigned long *state)
{
    *state = *state * 6364136223846793005UL + 1442695040888963407UL;
    return (unsigned)(*state >> 33);
}

static void irregular(int n)
{
    unsigned long graph = 1;
    static unsigned char linked[MAX_RANKS][MAX_RANKS];
    static int bytes[MAX_RANKS][MAX_RANKS];
    MPI_Request requests[2 * MAX_RANKS];
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < n_ranks; a++)
            for (int b = 0; b < a; b++) {
                if (i % 100)
                    continue;
                linked[a][b] = linked[b][a] = draw(&graph) % (unsigned)n_ranks < 6;
                bytes[a][b] = 1 + (int)(draw(&graph) % MAX_BYTES);
                bytes[b][a] = 1 + (int)(draw(&graph) % MAX_BYTES);
            }
        int n_requests = 0, done;
        for (int r = 0; r < n_ranks; r++)
            if (r != rank && linked[rank][r])
                MPI_Irecv(buffer, MAX_BYTES, MPI_BYTE, r, 7, MPI_COMM_WORLD,
                          &requests[n_requests++]);
        int n_receives = n_requests;
        compute();
        for (int r = 0; r < n_ranks; r++)
            if (r != rank && linked[rank][r])
                MPI_Isend(buffer, bytes[rank][r], MPI_BYTE, r, 7, MPI_COMM_WORLD,
                          &requests[n_requests++]);
        for (int k = 0; k < n_receives; k++)
            MPI_Waitany(n_receives, requests, &done, MPI_STATUS_IGNORE);
        MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
    }
}

static void fft(int n)
{
    int dims[2] = {0, 0}, *send, *receive, *displacement;
    MPI_Comm row, column;
    MPI_Dims_create(n_ranks, 2, dims);
    MPI_Comm_split(MPI_COMM_WORLD, rank / dims[1], rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % dims[1], rank, &column);
    send = calloc(3 * (size_t)n_ranks, sizeof *send);
    receive = send + n_ranks;
    displacement = receive + n_ranks;
    for (int r = 0; r < n_ranks; r++) {
        send[r] = 16 + (rank * 7 + r * 3) % 5;
        receive[r] = 16 + (r * 7 + rank * 3) % 5;
    }
    for (int i = 0; i < n; i++) {
        for (int way = 0; way < 2; way++) {
            compute();
            MPI_Alltoall(buffer, 64, MPI_DOUBLE, buffer + 65536, 64, MPI_DOUBLE,
                         way ? column : row);
            MPI_Alltoall(buffer, 64, MPI_DOUBLE, buffer + 65536, 64, MPI_DOUBLE,
                         way ? row : column);
        }
        MPI_Alltoallv(buffer, send, displacement, MPI_DOUBLE, buffer + 65536, receive, displacement,
                      MPI_DOUBLE, MPI_COMM_WORLD);
    }
    free(send);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    int n = argc >= 3 ? (int)strtol(argv[2], NULL, 10) : 0, code = 0;
    work = argc == 4 ? strtol(argv[3], NULL, 10) : 0;
    const char *pattern = n > 0 && n_ranks <= MAX_RANKS ? argv[1] : "";
    buffer = calloc(1, 1 << 21);
    if (!strcmp(pattern, "stencil2d"))
        stencil(2, 0, n);
    else if (!strcmp(pattern, "stencil3d"))
        stencil(3, 1, n);
    else if (!strcmp(pattern, "wavefront"))
        wavefront(n);
    else if (!strcmp(pattern, "irregular"))
        irregular(n);
    else if (!strcmp(pattern, "fft"))
        fft(n);
    else
        code = 2;
    if (code && !rank)
        fprintf(stderr, "usage: patterns "
                        "stencil2d|stencil3d|wavefront|irregular|fft ITERATIONS [WORK]\n");
    free(buffer);
    MPI_Finalize();
    return code;
}
