/* volume_rseq.c - CPU time of the thread, without a system call as long as the thread keeps its
 * CPU.
 *
 * glibc registers an area for restartable sequences for each thread. The field rseq_cs of this area
 * may point to the description of a piece of code. Whenever the kernel has taken the CPU from the
 * thread, has moved the thread or has sent it a signal, and the thread is outside of this piece of
 * code, the kernel sets the field to zero. Here the field points to an empty piece, so that the
 * thread is always outside of it. While the field is set, the thread has kept its CPU since the
 * field was set. Its CPU time has then advanced with the wall clock, which the vDSO reads in user
 * space. Another user of such sequences in the process overwrites the field, which looks like an
 * interruption. So does the field of a child of fork(), which nobody reads.
 *
 * The thread's CPU clock is read only after an interruption. At the end of a burst: if the burst
 * itself was not interrupted, the difference of the wall clock is enough, whatever happened before.
 * At the end of a call: unless the call is a failed poll, because programs poll thousands of times
 * in a row, and MPI may yield the CPU in each poll. The CPU time at the end of such a poll is then
 * assumed to be that at its beginning, which is never too much.
 *
 * A burst is therefore exact to the duration of reading the clock (well below a microsecond). There
 * is one exception: if the burst was interrupted, and failed polls since the last reading were,
 * too, the burst is too long by at most the CPU time of these polls, and by at most the time that
 * it was off the CPU itself.
 *
 * If the kernel keeps the wall clock by the processor's time stamp counter, this file reads that
 * counter instead. As long as the thread keeps its CPU, only the rate of the counter matters. It is
 * measured against the wall clock over the whole run so far (ticks.h).
 *
 * The wall clock also contains the time that interrupt handlers and the host of a virtual machine
 * take from the thread. The CPU clock of some kernels does not contain it. An uninterrupted burst
 * is longer by this time, and an interrupted burst after it is shorter, down to 0. */
#include "config.h"

#include "volume.h"

#include "ticks.h"

#if __has_include(<sys/rseq.h>)
#include <stdbool.h>
#include <stddef.h>
#include <sys/rseq.h>

/* The kernel accepts a description only if the signature precedes the address to which it goes
 * after an interruption inside the piece of code. It never goes there, because the piece is empty.
 */
static const uint32_t signature[2] = {RSEQ_SIG, 0};
static const struct rseq_cs empty_piece = {.start_ip = (uintptr_t)&signature[1],
                                           .abort_ip = (uintptr_t)&signature[1]};

static TLT_PER_THREAD struct {
    volatile uint64_t *field; /* rseq_cs of the thread */
    uint64_t last_ticks;      /* at the last mark or end of a burst */
    /* The moment when the clock was last read or the field was last set. Since then, CPU time has
     * advanced with the ticks. After an interrupted failed poll, it has advanced less. */
    uint64_t base_ticks, base_cpu_ns;
} self;

static volatile uint64_t *field_of_this_thread(void)
{
    return (volatile uint64_t *)((char *)__builtin_thread_pointer() + __rseq_offset +
                                 offsetof(struct rseq, rseq_cs));
}

static void watch(void)
{
    *self.field = (uintptr_t)&empty_piece;
}

/* The clock must be read before the field is set, so that an interruption in between counts as one.
 */
static int uninterrupted(void)
{
    return __builtin_expect(*self.field == (uintptr_t)&empty_piece, 1);
}

/* The CPU time at the last mark or at the end of the last burst. */
static uint64_t last_cpu_ns(void)
{
    return self.base_cpu_ns + tlt_ticks_ns(self.last_ticks - self.base_ticks);
}

static void begin_at(uint64_t cpu_ns)
{
    self.base_cpu_ns = cpu_ns;
    self.base_ticks = self.last_ticks = tlt_ticks();
}

__attribute__((noinline)) static void mark_after_interruption(int after_poll)
{
    watch();
    begin_at(after_poll ? last_cpu_ns() : tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID));
}

static void mark(int after_poll)
{
    uint64_t ticks = tlt_ticks();
    if (uninterrupted())
        self.last_ticks = ticks;
    else
        mark_after_interruption(after_poll);
}

__attribute__((noinline)) static uint64_t interrupted_burst(uint64_t burst_ns)
{
    watch();
    uint64_t cpu_ns = tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID), before_ns = last_cpu_ns();
    uint64_t spent_ns = cpu_ns > before_ns ? cpu_ns - before_ns : 0;
    tlt_ticks_measure();
    begin_at(cpu_ns);
    return spent_ns < burst_ns ? spent_ns : burst_ns;
}

static uint64_t since_mark(void)
{
    uint64_t ticks = tlt_ticks_after_all(), burst_ns = tlt_ticks_ns(ticks - self.last_ticks);
    if (!uninterrupted())
        return interrupted_burst(burst_ns);
    self.last_ticks = ticks;
    return burst_ns;
}

static void stop(void)
{
    if (self.field)
        *self.field = 0;
}

/* Some kernels check the field only after interrupts, not when a system call gives up the CPU. A
 * signal, or a hypervisor that stops this CPU for as long as the nap, lets the thread return
 * without sleep; therefore it tries again. */
static const char *check_sleep_is_seen(void)
{
    enum { NAP_NS = 1000000, MAX_NAP_NS = 16 * NAP_NS };
    for (long nap_ns = NAP_NS; nap_ns <= MAX_NAP_NS; nap_ns *= 2) {
        const struct timespec nap = {.tv_nsec = nap_ns};
        nanosleep(&nap, NULL);
        if (!uninterrupted())
            return NULL;
    }
    return "the kernel does not tell when a thread slept";
}

static const char *start(void)
{
    static bool checked;
    if (__rseq_size == 0)
        return "restartable sequences are not registered (glibc.pthread.rseq=0, or an old kernel)";
    self.field = field_of_this_thread();
    /* A thread that starts later is not watched yet. Its first burst is its CPU time so far. */
    if (checked)
        return NULL;
    tlt_ticks_choose();
    watch();
    const char *reason = check_sleep_is_seen();
    tlt_ticks_measure();
    if (reason)
        stop();
    else
        mark(0);
    checked = !reason;
    return reason;
}

#else

static const char *start(void)
{
    return "built with a C library that has no restartable sequences (glibc has from 2.35 on)";
}

static void mark(int after_poll)
{
    (void)after_poll;
}

static uint64_t since_mark(void)
{
    return 0;
}

static void stop(void)
{
}

#endif

const tlt_volume_source tlt_volume_rseq = {.option = "rseq",
                                           .name = "rseq:thread-cputime",
                                           .unit = "cpu-ns",
                                           .is_per_thread = true,
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
