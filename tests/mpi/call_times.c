/* call_times.c - ROUNDS messages from rank 0 to rank 1, and back. Before one of them, rank 0 stands
 * still for 200 ms, as if its link did: no call that the tracer knows, and no computation. Then
 * rank 1 polls for a message that comes 120 ms late. With a second argument it polls for another
 * 120 ms, a kernel takes these polls, and calls follow that are short, or without a time. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <timeless_kernel.h>
#include <unistd.h>

static void stall(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    syscall(SYS_nanosleep, &time, NULL);
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void poll_in_vain(void)
{
    int value, flag;
    MPI_Comm comm;
    MPI_Request request;
    const double end = now_s() + 0.12;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Irecv(&value, 1, MPI_INT, 0, 0, comm, &request);
    while (now_s() < end)
        MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    TIMELESS_KERNEL_BEGIN("after_polls", 0);
    timeless_kernel_end();
    MPI_Pcontrol(0);
    MPI_Wtime();
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    int rank, flag = 0, value = 0;
    const int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 50;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            if (i == rounds / 2)
                stall(200);
            MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == 1) {
            MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        stall(120);
        MPI_Send(&value, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    }
    if (argc > 2 && rank == 1)
        poll_in_vain();
    MPI_Finalize();
    return 0;
}
