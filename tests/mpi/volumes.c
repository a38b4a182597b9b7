/* volumes.c - rank 0 computes 100 ms and sends, twice, and sleeps before the second time; rank 1
 * waits in MPI_Recv, then by polling. */
#include <mpi.h>
#include <time.h>

static void compute_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    long end_ns = t.tv_sec * 1000000000 + t.tv_nsec + ms * 1000000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1000000000 + t.tv_nsec < end_ns);
}

int main(int argc, char **argv)
{
    int rank, flag = 0, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        compute_ms(100);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        compute_ms(100);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        while (!flag)
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
