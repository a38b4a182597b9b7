/* core_distance.c - prints how many nanoseconds a cache line takes from one processor to another
 * one and back: the median of 500 round trips, or "?" if something interrupts them for too long.
 *
 *     core_distance [A B]        default: 0 1
 *
 * Processors that share a cache are about 100 ns apart, others 200 to 500 ns. A virtual machine
 * may change this at any moment. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { TRIPS = 500, PATIENCE = 20000000 };

static _Alignas(128) atomic_int ball;
static atomic_int has_failed;
static int processors[2] = {0, 1};
static double trips_ns[TRIPS];

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* Gives up after some 10 ms: the other thread has no processor. */
static void await(int value)
{
    for (int i = 0; atomic_load_explicit(&ball, memory_order_acquire) != value; i++)
        if (i == PATIENCE || atomic_load_explicit(&has_failed, memory_order_relaxed)) {
            atomic_store(&has_failed, 1);
            return;
        }
}

static void *play(void *data)
{
    const int *processor = data, is_second = processor == &processors[1];
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(*processor, &one);
    if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0)
        atomic_store(&has_failed, 1);
    for (int i = 0; i < TRIPS && !atomic_load(&has_failed); i++) {
        const double begin_ns = now_ns();
        if (is_second)
            await(2 * i + 1);
        atomic_store_explicit(&ball, 2 * i + 1 + is_second, memory_order_release);
        if (!is_second) {
            await(2 * i + 2);
            trips_ns[i] = now_ns() - begin_ns;
        }
    }
    return NULL;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    for (int i = 0; i < 2 && argc == 3; i++)
        processors[i] = (int)strtol(argv[1 + i], NULL, 10);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, play, &processors[i]) != 0)
            return 1;
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    qsort(trips_ns, TRIPS, sizeof *trips_ns, compare);
    if (atomic_load(&has_failed))
        puts("?");
    else
        printf("%.0f\n", trips_ns[TRIPS / 2]);
    return 0;
}
