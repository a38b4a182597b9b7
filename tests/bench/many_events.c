/* many_events.c - a given number of MPI calls on each rank; then what the process holds, and what
 * MPI_Finalize takes.
 *
 *     many_events CALLS        each rank prints: private KiB before MPI_Finalize, its seconds */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static long private_kib(void)
{
    char line[256];
    long sum = 0;
    FILE *f = fopen("/proc/self/smaps_rollup", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "Private_", 8) && strchr(line, ':'))
            sum += strtol(strchr(line, ':') + 1, NULL, 10);
    if (f)
        fclose(f);
    return sum;
}

int main(int argc, char **argv)
{
    enum { CALLS_PER_ROUND = 4, MANY_SIZES = 97 };
    long calls = argc > 1 ? strtol(argv[1], NULL, 10) : 100000;
    char data[MANY_SIZES], other[MANY_SIZES];
    MPI_Init(&argc, &argv);
    for (long i = 0; i < calls / CALLS_PER_ROUND; i++) {
        const int size = (int)(i * i % MANY_SIZES), tag = (int)(i % 5);
        MPI_Request r[2];
        memset(data, 1, sizeof data);
        MPI_Irecv(other, size, MPI_CHAR, 0, tag, MPI_COMM_SELF, &r[0]);
        MPI_Isend(data, size, MPI_CHAR, 0, tag, MPI_COMM_SELF, &r[1]);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        MPI_Allreduce(data, other, size, MPI_CHAR, MPI_MAX, MPI_COMM_SELF);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const long kib = private_kib();
    MPI_Barrier(MPI_COMM_WORLD);
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    MPI_Finalize();
    clock_gettime(CLOCK_MONOTONIC, &to);
    printf("%ld %.6f\n", kib,
           (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
    return 0;
}
