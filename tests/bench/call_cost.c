/* call_cost.c - nanoseconds of CPU time per loop body, one rank; one line per body. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int data[4], other[4];

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void iprobe(void)
{
    int flag;
    MPI_Iprobe(0, 9, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static void send_recv(void)
{
    MPI_Send(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Recv(other, 0, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void isend_irecv_waitall(void)
{
    MPI_Request r[2];
    MPI_Isend(data, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[0]);
    MPI_Irecv(other, 0, MPI_INT, 0, 1, MPI_COMM_SELF, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

static void allreduce(void)
{
    MPI_Allreduce(data, other, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
}

static void measure(const char *name, void (*body)(void), int n)
{
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        double start = cpu_ns();
        for (int i = 0; i < n; i++)
            body();
        double each = (cpu_ns() - start) / n;
        best = each < best ? each : best;
    }
    printf("%s %.0f\n", name, best);
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100000;
    MPI_Init(&argc, &argv);
    measure("Iprobe", iprobe, n);
    measure("Send+Recv", send_recv, n);
    measure("Isend+Irecv+Waitall", isend_irecv_waitall, n);
    measure("Allreduce", allreduce, n);
    MPI_Finalize();
    return 0;
}
