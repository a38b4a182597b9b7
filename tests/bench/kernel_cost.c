/* kernel_cost.c - nanoseconds of CPU time per daxpy, by the length of the vectors. */
#include <cblas.h>
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { MAX = 4096, CALLS = 40000, ROUNDS = 7 };

static double x[MAX], y[MAX];

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int n = 4; n <= MAX; n *= 4) {
        double best = 1e30;
        for (int round = 0; round < ROUNDS; round++) {
            double start = cpu_ns();
            for (int i = 0; i < CALLS; i++)
                cblas_daxpy(n, 1e-9, x, 1, y, 1);
            double each = (cpu_ns() - start) / CALLS;
            best = each < best ? each : best;
        }
        printf("%d %.1f\n", n, best);
    }
    MPI_Finalize();
    return 0;
}
