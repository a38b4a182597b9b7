/* volumes.c - rank 0 computes 100 ms and sends, twice; before the second time it sleeps, and then
 * it also looks at the clock while it computes. Rank 1 waits in MPI_Recv, then by polling.  Each
 * prints the CPU time in nanoseconds that it has taken, rank 0 before each send, rank 1 for its
 * polls: on a busy machine it is more than on an idle one. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static long cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000000000 + t.tv_nsec;
}

static void compute_until(long end_ns)
{
    while (cpu_ns() < end_ns)
        ;
}

int main(int argc, char **argv)
{
    const long burst_ns = 100000000;
    int rank, flag = 0, value = 0;
    MPI_Init(&argc, &argv);
    long begin_ns = cpu_ns(), computed_ns[2];
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        compute_until(begin_ns + burst_ns);
        computed_ns[0] = cpu_ns() - begin_ns;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        begin_ns = cpu_ns();
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        MPI_Wtime();
        while (cpu_ns() < begin_ns + burst_ns)
            MPI_Wtime();
        computed_ns[1] = cpu_ns() - begin_ns;
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        printf("computed %ld %ld\n", computed_ns[0], computed_ns[1]);
    } else {
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        begin_ns = cpu_ns();
        while (!flag)
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        printf("polled %ld\n", cpu_ns() - begin_ns);
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
