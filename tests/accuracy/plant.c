/* plant.c - preloaded into the ranks of timeless measure: plants a cause of slow repetitions.
 *
 *     PLANT=touch     every 40th MPI_Allreduce finds its receive buffer without memory
 *     PLANT=progress  every 5000th time that Open MPI makes progress, planted_progress() takes 200
 * us; with another library, every 40th MPI_Allreduce PLANT=timer:MS  a timer takes 200 us of rank 0
 * every MS ms */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

enum { PAGE = 4096, EACH = 40, EACH_PROGRESS = 5000 };

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void take_time(int number)
{
    (void)number;
    for (const double end_s = now_s() + 2e-4; now_s() < end_s;)
        ;
}

static bool is_in_call;

int planted_progress(void)
{
    static unsigned n_calls;
    if (++n_calls % EACH_PROGRESS == 0)
        take_time(0);
    return 0;
}

int MPI_Init(int *argc, char ***argv)
{
    const char *plant = getenv("PLANT");
    int rank;
    const int result = PMPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (plant && !strcmp(plant, "progress") && !rank) {
        void *symbol = dlsym(RTLD_DEFAULT, "opal_progress_register");
        int (*add)(int (*)(void));
        memcpy(&add, &symbol, sizeof add);
        is_in_call = !add || add(planted_progress) != 0;
    }
    if (plant && !strncmp(plant, "timer:", 6) && !rank) {
        const struct timeval each = {.tv_usec = 1000 * strtol(plant + 6, NULL, 10)};
        const struct itimerval timer = {each, each};
        signal(SIGALRM, take_time);
        setitimer(ITIMER_REAL, &timer, NULL);
    }
    return result;
}

int MPI_Allreduce(const void *sent, void *received, int n, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    static unsigned n_calls;
    const char *plant = getenv("PLANT");
    int bytes;
    PMPI_Type_size(type, &bytes);
    if (is_in_call && ++n_calls % EACH == 0)
        for (unsigned i = 0; i < EACH_PROGRESS; i++)
            planted_progress();
    if (plant && !strcmp(plant, "touch") && ++n_calls % EACH == 0)
        madvise((void *)(((uintptr_t)received + PAGE - 1) / PAGE * PAGE),
                (size_t)n * (size_t)bytes / PAGE * PAGE, MADV_DONTNEED);
    return PMPI_Allreduce(sent, received, n, type, op, comm);
}
