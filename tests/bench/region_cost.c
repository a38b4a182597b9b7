/* region_cost.c - nanoseconds of CPU time of the first thread per OpenMP construct without work.
 *
 *     region_cost [CALLS]
 *
 * The best of some rounds counts.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 15 };

static long calls = 20000;

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void regions(void)
{
    for (long i = 0; i < calls; i++) {
#pragma omp parallel
        __asm__ volatile("");
    }
}

static void barriers(void)
{
#pragma omp parallel
    for (long i = 0; i < calls; i++) {
#pragma omp barrier
    }
}

static void loops(void)
{
#pragma omp parallel
    for (long i = 0; i < calls; i++) {
#pragma omp for schedule(dynamic)
        for (int j = 0; j < 2; j++)
            __asm__ volatile("");
    }
}

static void criticals(void)
{
#pragma omp parallel
    for (long i = 0; i < calls; i++) {
#pragma omp critical
        __asm__ volatile("");
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } bodies[] = {
        {"region", regions}, {"barrier", barriers}, {"loop", loops}, {"critical", criticals}};
    int provided;
    if (argc > 1)
        calls = strtol(argv[1], NULL, 10);
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        double best = 1e30;
        for (int round = 0; round < ROUNDS; round++) {
            double start = cpu_ns();
            bodies[i].run();
            double each = (cpu_ns() - start) / (double)calls;
            best = each < best ? each : best;
        }
        printf("%s %d %.1f\n", bodies[i].name, omp_get_max_threads(), best);
    }
    MPI_Finalize();
    return 0;
}
