/* volume_cputime.c - CPU time of the thread by its clock (a system call), and no volume at all. */
#include "config.h"

#include <time.h>

#include "volume.h"

static TLT_PER_THREAD uint64_t marked_ns;

static const char *start(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? NULL : "the system has no such clock";
}

static uint64_t read_cputime_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked_ns = read_cputime_ns();
}

static uint64_t since_mark(void)
{
    return read_cputime_ns() - marked_ns;
}

static const char *start_nothing(void)
{
    return NULL;
}

static void mark_nothing(int after_poll)
{
    (void)after_poll;
}

static uint64_t zero(void)
{
    return 0;
}

static void stop(void)
{
}

const tlt_volume_source tlt_volume_cputime = {.option = "cputime",
                                              .name = "clock:thread-cputime",
                                              .unit = "cpu-ns",
                                              .start = start,
                                              .mark = mark,
                                              .since_mark = since_mark,
                                              .stop = stop};

const tlt_volume_source tlt_volume_none = {.option = "none",
                                           .name = "none",
                                           .unit = "none",
                                           .start = start_nothing,
                                           .mark = mark_nothing,
                                           .since_mark = zero,
                                           .stop = stop};
