/* volume_sources.c - one burst of a fixed number of instructions before the second barrier; then a
 * million probes.  Prints the CPU nanoseconds of the burst and of a probe. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    enum { TURNS = 30000000, PROBES = 1000000, ROUNDS = 5 };
    static double a[1024];
    int flag;
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    double start = cpu_ns();
    for (int i = 0; i < TURNS; i++)
        a[i % 1024] = a[(i + 7) % 1024] * 0.5 + i;
    double burst = cpu_ns() - start, probe = 1e9;
    MPI_Barrier(MPI_COMM_WORLD);
    for (int round = 0; round < ROUNDS && argc > 1; round++) {
        start = cpu_ns();
        for (int i = 0; i < PROBES; i++)
            MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        double now = (cpu_ns() - start) / PROBES;
        probe = now < probe ? now : probe;
    }
    printf("%.0f %.1f %g\n", burst, probe, a[5]);
    MPI_Finalize();
    return 0;
}
