/* select.c - a run of three sections with a region in the middle one.  Four times, of which the
 * second lies in the region, every rank computes, calls a kernel and passes a message around.
 *
 *     select [RANK [LEVEL]]     this rank gets a signal in the first section, and another in the
 *                               second; threads of this level of MPI's are asked for
 */
#include <cblas.h>
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int rank, n_ranks, signalled = -1;

/* Thirty milliseconds: the CPU clock of a virtual machine can go in steps of several. */
static void compute(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    long long start = t.tv_sec * 1000000000LL + t.tv_nsec, now = start;
    while (now < start + 30000000) {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
        now = t.tv_sec * 1000000000LL + t.tv_nsec;
    }
}

static void work(void)
{
    static double a[64], b[64], c[64];
    MPI_Request request;
    int flag = 0, got = 0;
    compute();
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 8, 8, 8, 1, a, 8, b, 8, 0, c, 8);
    MPI_Irecv(&got, 1, MPI_INT, (rank + n_ranks - 1) % n_ranks, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % n_ranks, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(&rank, 1, MPI_INT, rank, 4, MPI_COMM_WORLD);
    while (!flag)
        MPI_Iprobe(rank, 4, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&got, 1, MPI_INT, rank, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    MPI_Comm other;
    int level = argc > 2 ? (int)strtol(argv[2], NULL, 10) : MPI_THREAD_SINGLE;
    signalled = argc > 1 ? (int)strtol(argv[1], NULL, 10) : -1;
    MPI_Init_thread(&argc, &argv, level, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    work();
    if (rank == signalled)
        kill(getpid(), SIGUSR2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    work();
    MPI_Pcontrol(0);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    work();
    if (rank == signalled)
        kill(getpid(), SIGUSR2);
    MPI_Barrier(other);
    work();
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
