/* sleeps.c - each way to sleep once, 20 ms in all but the last, and between polls. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void nothing(int number)
{
    (void)number;
}

/* A signal ends a sleep of 10 s after a fifth of one. */
static void sleep_until_signal(void)
{
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGALRM, &action, NULL);
    const struct timespec long_time = {.tv_sec = 10};
    ualarm(200000, 0);
    nanosleep(&long_time, NULL);
}

int main(int argc, char **argv)
{
    const struct timespec nap = {.tv_nsec = 3000000};
    struct timespec until;
    int rank, flag = 0, waits = 1;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        usleep(2000);
        nanosleep(&nap, NULL);
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 12000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        sleep(1);
        sleep_until_signal();
        MPI_Send(&waits, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&waits, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE), !flag)
            usleep(1000);
    }
    MPI_Finalize();
    return 0;
}
