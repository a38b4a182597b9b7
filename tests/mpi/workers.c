/* workers.c - threads that do not call MPI: two after each other, four at the same time, one that
 * calls dgemm three times, and one that works while the first thread is in MPI_Barrier; each
 * computes for 50 ms.  "strange": one more, which pthread_create does not make.  "multiple": with
 * MPI_THREAD_MULTIPLE. */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);

/* Of <threads.h>, whose name a header of the tracer has, too. */
int thrd_create(unsigned long *thread, int (*function)(void *), void *argument);
int thrd_join(unsigned long thread, int *result);

static pthread_barrier_t all_run;

static void *compute(void *side_by_side)
{
    struct timespec t;
    if (side_by_side)
        pthread_barrier_wait(&all_run);
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec == 0 && t.tv_nsec < 50000000);
    return NULL;
}

static void *multiply(void *unused)
{
    static double a[64 * 64], b[64 * 64], c[64 * 64];
    const int n = 64;
    const double one = 1;
    for (int i = 0; i < 3; i++)
        dgemm_("N", "N", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n);
    return unused;
}

static int compute_strangely(void *unused)
{
    compute(unused);
    return 0;
}

int main(int argc, char **argv)
{
    const int multiple = argc > 1 && !strcmp(argv[1], "multiple");
    int provided;
    pthread_t threads[4];
    unsigned long stranger;
    MPI_Init_thread(&argc, &argv, multiple ? MPI_THREAD_MULTIPLE : MPI_THREAD_FUNNELED, &provided);
    pthread_barrier_init(&all_run, NULL, 4);
    for (int i = 0; i < 2; i++) {
        pthread_create(&threads[0], NULL, compute, NULL);
        pthread_join(threads[0], NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, compute, &all_run);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_create(&threads[0], NULL, multiply, NULL);
    pthread_join(threads[0], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_create(&threads[0], NULL, compute, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    pthread_join(threads[0], NULL);
    if (argc > 1 && !strcmp(argv[1], "strange") &&
        thrd_create(&stranger, compute_strangely, NULL) == 0)
        thrd_join(stranger, NULL);
    MPI_Finalize();
    return 0;
}
