/* call_times.c - ROUNDS messages from rank 0 to rank 1, and back. Before one of them, rank 0 stands
 * still for 200 ms, as if its link did: no call that the tracer knows, and no computation. Then
 * rank 1 polls for a message that comes 120 ms late. */
#include <mpi.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void stall(long ms)
{
    const struct timespec time = {.tv_nsec = ms * 1000000};
    syscall(SYS_nanosleep, &time, NULL);
}

int main(int argc, char **argv)
{
    int rank, flag = 0, value = 0;
    const int rounds = argc > 1 ? atoi(argv[1]) : 50;
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
    MPI_Finalize();
    return 0;
}
