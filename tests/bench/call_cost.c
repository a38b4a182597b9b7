/* call_cost.c - nanoseconds of CPU time per loop body, one rank; a line for each: name, MPI calls
 * in it, nanoseconds.  The bodies without MPI calls are the clocks that volume sources read.
 *
 *     call_cost [REPETITIONS [BODY [DEPTH]]]
 *
 * BODY: that one only, for a profiler ("all": each). DEPTH: functions between main and the body. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int data[4], other[4];

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void wtime(void)
{
    MPI_Wtime();
}

static void iprobe(void)
{
    int flag;
    MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

#ifndef MPICH_VERSION /* there MPI_Send to itself waits for the receive */
static void send_recv(void)
{
    MPI_Send(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Recv(other, 0, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
#endif

static void isend_irecv_wait(void)
{
    MPI_Request r[2];
    MPI_Isend(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
    MPI_Irecv(other, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]);
    MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    MPI_Wait(&r[1], MPI_STATUS_IGNORE);
}

static void isend_irecv_waitall(void)
{
    MPI_Request r[2];
    MPI_Isend(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
    MPI_Irecv(other, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void halo(void)
{
    MPI_Request r[8];
    for (int i = 0; i < 4; i++)
        MPI_Irecv(other, 0, MPI_INT, 0, i, MPI_COMM_SELF, &r[i]);
    for (int i = 0; i < 4; i++)
        MPI_Isend(data, 0, MPI_INT, 0, i, MPI_COMM_SELF, &r[4 + i]);
    MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
}

static void allreduce(void)
{
    MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static void read_wall_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
}

static void read_cpu_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
}

static const struct {
    const char *name;
    int calls;
    void (*run)(void);
} bodies[] = {
    {"Iprobe", 1, iprobe},
    {"Wtime", 1, wtime},
#ifndef MPICH_VERSION
    {"Send+Recv", 2, send_recv},
#endif
    {"Isend+Irecv+2Wait", 4, isend_irecv_wait},
    {"Isend+Irecv+Waitall", 3, isend_irecv_waitall},
    {"halo", 9, halo},
    {"Allreduce", 1, allreduce},
    {"wall-clock", 0, read_wall_clock},
    {"cpu-clock", 0, read_cpu_clock},
};

/* The best of several rounds: other load only ever adds. */
static double measure(void (*body)(void), int n)
{
    enum { ROUNDS = 7 };
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        double start = cpu_ns();
        for (int i = 0; i < n; i++)
            body();
        double each = (cpu_ns() - start) / n;
        best = each < best ? each : best;
    }
    return best;
}

/* Calls `measure` from below `depth` further functions. */
static __attribute__((noinline)) double measure_below(long depth, void (*body)(void), int n)
{
    const double ns = depth > 1 ? measure_below(depth - 1, body, n) : measure(body, n);
    __asm__ volatile(""); /* otherwise the call would be a jump */
    return ns;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;
    const long depth = argc > 3 ? strtol(argv[3], NULL, 10) : 2;
    MPI_Init(&argc, &argv);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++)
        if (argc < 3 || !strcmp(argv[2], "all") || !strcmp(argv[2], bodies[i].name))
            printf("%s %d %.1f\n", bodies[i].name, bodies[i].calls,
                   measure_below(depth - 1, bodies[i].run, n));
    MPI_Finalize();
    return 0;
}
