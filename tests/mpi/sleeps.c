/* sleeps.c - each way to sleep once, sleeps that a signal ends or the system refuses, and sleeps
 * between polls.  Rank 0 prints what the refused ones returned. */
#include <errno.h>
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void nothing(int number)
{
    (void)number;
}

/* A signal ends a sleep after a fifth of a second. */
static void sleep_until_signal(time_t seconds)
{
    struct sigaction action = {.sa_handler = nothing};
    sigaction(SIGALRM, &action, NULL);
    const struct timespec long_time = {.tv_sec = seconds};
    ualarm(200000, 0);
    nanosleep(&long_time, NULL);
}

/* Times that the system refuses: none at all, a negative one, one of too many nanoseconds. */
static void sleep_wrongly(void)
{
    static const struct timespec negative = {.tv_sec = -1}, too_many = {.tv_nsec = 1000000000};
    const struct timespec *volatile wrong[] = {NULL, &negative, &too_many};
    for (int i = 0; i < 3; i++) {
        errno = 0;
        int result = nanosleep(wrong[i], NULL);
        printf("nanosleep: %d, %s\n", result, strerror(errno));
        result = clock_nanosleep(CLOCK_MONOTONIC, 0, wrong[i], NULL);
        printf("clock_nanosleep: %s\n", strerror(result));
    }
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
        sleep_until_signal(10);
        sleep_until_signal((time_t)300 * 365 * 86400);
        sleep_until_signal((time_t)INT64_MAX);
        sleep_wrongly();
        MPI_Send(&waits, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Irecv(&waits, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
        while (MPI_Test(&request, &flag, MPI_STATUS_IGNORE), !flag)
            usleep(1000);
    }
    MPI_Finalize();
    return 0;
}
