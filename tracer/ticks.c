/* ticks.c - whether the time stamp counter can be used, and its rate. */
#include "config.h"

#include "ticks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

uint64_t tlt_tick_scale = UINT64_C(1) << 32;
bool tlt_ticks_are_tsc;

static uint64_t first_ticks, first_ns;

/* The kernel uses the counter as its clock only if the counter runs at one rate, also during sleep
 * and on every CPU. */
static int kernel_trusts_counter(void)
{
    char name[8] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t n = read(fd, name, sizeof name - 1);
    close(fd);
    return n == 4 && !memcmp(name, "tsc\n", 4);
}

void tlt_ticks_choose(void)
{
    tlt_ticks_are_tsc = kernel_trusts_counter();
    first_ticks = tlt_ticks();
    first_ns = tlt_read_clock_ns(CLOCK_MONOTONIC);
}

void tlt_ticks_measure(void)
{
    uint64_t ticks = tlt_ticks() - first_ticks;
    uint64_t ns = tlt_read_clock_ns(CLOCK_MONOTONIC) - first_ns;
    if (tlt_ticks_are_tsc && ticks)
        __atomic_store_n(&tlt_tick_scale, (uint64_t)(((unsigned __int128)ns << 32) / ticks),
                         __ATOMIC_RELAXED);
}
