/* stencil.c - a 2-D stencil, periodic, that exchanges its halo at each step.
 *
 *     stencil N STEPS [STEP_US]   N x N points per rank; prints the seconds of the loop
 *
 * Built with -DFIELDS=F -DWIDTH=W each point has F values, and its 4 W neighbours along the axes
 * give the next one: finite differences of order 2 W.
 *
 * With STEP_US a step is not computed but waited for, as if an accelerator did it, and is a kernel
 * of the trace, `step`: for hosts that are emulated on fewer cores. */
#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <timeless_kernel.h>

#ifndef FIELDS
#define FIELDS 1
#endif
#ifndef WIDTH
#define WIDTH 1
#endif

static int n;

/* The first value of a point; those of the rank begin at WIDTH. */
#define STRIDE ((size_t)(n + 2 * WIDTH) * FIELDS)
#define AT(a, i, j) (a)[(size_t)(i)*STRIDE + (size_t)(j)*FIELDS]

static void step(double *to, const double *from)
{
    const size_t stride = STRIDE, length = (size_t)n * FIELDS;
    for (int i = WIDTH; i < n + WIDTH; i++) {
        double *row = &AT(to, i, WIDTH);
        const double *at = &AT(from, i, WIDTH);
        for (size_t x = 0; x < length; x++) {
            double sum = 0;
            for (size_t w = 1; w <= WIDTH; w++)
                sum += at[x - w * stride] + at[x + w * stride] + at[x - w * FIELDS] +
                       at[x + w * FIELDS];
            row[x] = 0.25 / WIDTH * sum;
        }
    }
}

static void wait_for_step(long step_us)
{
    struct timespec until;
    TIMELESS_KERNEL_BEGIN("step", n);
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += 1000 * step_us;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
    timeless_kernel_end();
}

/* Rows to the ranks above and below, columns to those left and right. */
static void exchange(double *a, MPI_Comm grid, MPI_Datatype rows, MPI_Datatype columns)
{
    MPI_Request r[8];
    int up, down, left, right;
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    MPI_Irecv(&AT(a, 0, WIDTH), 1, rows, up, 0, grid, &r[0]);
    MPI_Irecv(&AT(a, n + WIDTH, WIDTH), 1, rows, down, 1, grid, &r[1]);
    MPI_Irecv(&AT(a, WIDTH, 0), 1, columns, left, 2, grid, &r[2]);
    MPI_Irecv(&AT(a, WIDTH, n + WIDTH), 1, columns, right, 3, grid, &r[3]);
    MPI_Isend(&AT(a, n, WIDTH), 1, rows, down, 0, grid, &r[4]);
    MPI_Isend(&AT(a, WIDTH, WIDTH), 1, rows, up, 1, grid, &r[5]);
    MPI_Isend(&AT(a, WIDTH, n), 1, columns, right, 2, grid, &r[6]);
    MPI_Isend(&AT(a, WIDTH, WIDTH), 1, columns, left, 3, grid, &r[7]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char **argv)
{
    enum { RESIDUAL_EVERY = 10 };
    int rank, size, dims[2] = {0}, periods[2] = {1, 1};
    MPI_Init(&argc, &argv);
    n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 64;
    long steps = argc > 2 ? strtol(argv[2], NULL, 10) : 10000;
    long step_us = argc > 3 ? strtol(argv[3], NULL, 10) : 0;
    prctl(PR_SET_TIMERSLACK, 1);
    MPI_Comm grid;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Dims_create(size, 2, dims);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 1, &grid);
    MPI_Comm_rank(grid, &rank);
    MPI_Datatype rows, columns;
    MPI_Type_vector(WIDTH, n * FIELDS, (int)STRIDE, MPI_DOUBLE, &rows);
    MPI_Type_vector(n, WIDTH * FIELDS, (int)STRIDE, MPI_DOUBLE, &columns);
    MPI_Type_commit(&rows);
    MPI_Type_commit(&columns);
    double *a = calloc((size_t)(n + 2 * WIDTH) * STRIDE, sizeof *a);
    double *b = calloc((size_t)(n + 2 * WIDTH) * STRIDE, sizeof *b);
    AT(a, WIDTH, WIDTH) = rank + 1;
    MPI_Barrier(grid);
    double start = MPI_Wtime(), local, sum = 0;
    for (long s = 0; s < steps; s++) {
        exchange(a, grid, rows, columns);
        if (step_us)
            wait_for_step(step_us);
        else
            step(b, a);
        double *swap = a;
        a = b;
        b = swap;
        if (s % RESIDUAL_EVERY == 0) {
            local = AT(a, WIDTH, WIDTH);
            MPI_Allreduce(&local, &sum, 1, MPI_DOUBLE, MPI_SUM, grid);
        }
    }
    local = MPI_Wtime() - start;
    MPI_Reduce(&local, &sum, 1, MPI_DOUBLE, MPI_MAX, 0, grid);
    if (rank == 0)
        printf("%.6f\n", sum);
    free(a);
    free(b);
    MPI_Type_free(&rows);
    MPI_Type_free(&columns);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
