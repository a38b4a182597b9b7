/* ticks.h - the time on one CPU. If the processor's time stamp counter can be used, reading it
 * costs one instruction. Otherwise ticks are nanoseconds of the wall clock. */
#ifndef TLT_TICKS_H
#define TLT_TICKS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "volume.h"

/* Nanoseconds of a tick, in units of 2^-32. Any thread may measure it again. */
extern uint64_t tlt_tick_scale;
extern bool tlt_ticks_are_tsc;

/* Chooses the clock. To be called first in a process. */
void tlt_ticks_choose(void);
/* Measures the rate of the counter from tlt_ticks_choose until now. */
void tlt_ticks_measure(void);

/* Does not wait for unfinished instructions of the processor. */
static inline uint64_t tlt_ticks(void)
{
#ifdef __x86_64__
    if (__builtin_expect(tlt_ticks_are_tsc, 1))
        return __builtin_ia32_rdtsc();
#endif
    return tlt_read_clock_ns(CLOCK_MONOTONIC);
}

/* Waits for unfinished instructions. Otherwise the end of a burst would be read while its last
 * loads are not complete: a burst of eight loads from memory would lose six sevenths of its time.
 */
static inline uint64_t tlt_ticks_after_all(void)
{
#ifdef __x86_64__
    if (__builtin_expect(tlt_ticks_are_tsc, 1)) {
        unsigned processor;
        return __builtin_ia32_rdtscp(&processor);
    }
#endif
    return tlt_read_clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t tlt_ticks_ns(uint64_t ticks)
{
    uint64_t scale = __atomic_load_n(&tlt_tick_scale, __ATOMIC_RELAXED);
    return (uint64_t)(((unsigned __int128)ticks * scale + (UINT64_C(1) << 31)) >> 32);
}

#endif
