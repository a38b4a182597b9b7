/* memory_regions.c - the start and end of a parallel region, by the entry point of the runtime of
 * OpenMP that programs compiled by GCC call. */
#include "config.h"

#include "memory.h"

#include "clock.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The median of so many batches; a batch is so short that other programs rarely interrupt it. */
enum { BATCHES = 101, REGIONS_IN_BATCH = 10, WARM_REGIONS = 50 };

typedef void parallel_function(void (*function)(void *), void *data, unsigned n_threads,
                               unsigned flags);

static void do_nothing(void *data)
{
    (void)data;
}

static double time_regions(parallel_function *parallel, unsigned n_threads)
{
    double batches[BATCHES];
    for (int i = 0; i < WARM_REGIONS; i++)
        parallel(do_nothing, NULL, n_threads, 0);
    for (int b = 0; b < BATCHES; b++) {
        const double before_s = tl_now_s(CLOCK_MONOTONIC);
        for (int i = 0; i < REGIONS_IN_BATCH; i++)
            parallel(do_nothing, NULL, n_threads, 0);
        batches[b] = (tl_now_s(CLOCK_MONOTONIC) - before_s) / REGIONS_IN_BATCH;
    }
    return tlp_median(batches, BATCHES);
}

/* In the process that measures: the runtime reads the variables when it is loaded. */
static double measure_here(const char *runtime, unsigned n_threads, const int *processors,
                           unsigned n, int sleeps)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (unsigned i = 0; i < n; i++)
        CPU_SET(processors[i], &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        return -1;
    setenv("OMP_PROC_BIND", sleeps ? "false" : "true", 1);
    setenv("OMP_DYNAMIC", "false", 1);
    unsetenv("OMP_PLACES");
    unsetenv("GOMP_CPU_AFFINITY");
    unsetenv("OMP_THREAD_LIMIT");
    unsetenv("GOMP_SPINCOUNT");
    unsetenv("OMP_WAIT_POLICY");
    if (sleeps)
        setenv("OMP_WAIT_POLICY", "passive", 1);
    void *library = dlopen(runtime, RTLD_NOW);
    void *found = library ? dlsym(library, "GOMP_parallel") : NULL;
    parallel_function *parallel;
    memcpy(&parallel, &found, sizeof parallel);
    return found ? time_regions(parallel, n_threads) : -1;
}

double tlp_region_s(const char *runtime, unsigned n_threads, const int *processors, unsigned n,
                    int sleeps)
{
    int ends[2], result = 0;
    double seconds = -1;
    if (pipe(ends) != 0)
        return -1;
    const pid_t child = fork();
    if (child == 0) {
        seconds = measure_here(runtime, n_threads, processors, n, sleeps);
        _exit(write(ends[1], &seconds, sizeof seconds) == sizeof seconds ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &seconds, sizeof seconds) != sizeof seconds)
        seconds = -1;
    close(ends[0]);
    if (child > 0)
        waitpid(child, &result, 0);
    return seconds;
}
