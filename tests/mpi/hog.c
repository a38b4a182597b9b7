/* hog.c - keeps one CPU busy for 2 ms in every 8 ms, before all other work: hog CPU. Prints a line
 * when it has begun. */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    const struct sched_param first = {.sched_priority = 2};
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(argc > 1 ? strtol(argv[1], NULL, 10) : 0, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0 ||
        sched_setscheduler(0, SCHED_FIFO, &first) != 0)
        return 1;
    puts("hog");
    fflush(stdout);
    for (;;) {
        const double end_s = now_s() + 2e-3;
        while (now_s() < end_s)
            ;
        usleep(6000);
    }
}
