/* volume_rseq.c - CPU time of the thread without a system call, as long as it keeps its CPU.
 *
 * glibc registers an area per thread for restartable sequences.  Its field rseq_cs may point to the
 * description of a piece of code; whenever the kernel has taken the CPU from the thread, moved it
 * or sent it a signal, and finds it outside of that piece, it sets the field to zero.  Here the
 * field points to an empty piece, outside of which a thread always is: while it is set, the thread
 * has not been off its CPU since it was set, and CPU time has gone on with the wall clock, which
 * the vDSO reads in user space.  Another user of such sequences in the process overwrites the
 * field, which looks like an interruption; so does the field of a child of fork(), that nobody
 * reads.
 *
 * Only after an interruption is the thread's CPU clock asked.  At the end of a burst: if the burst
 * was not interrupted itself, the wall clock's difference is all that is needed, whatever was
 * before. At the end of a call: unless it is a failed poll, since programs poll thousands of times
 * in a row, and MPI may yield the CPU in each.  The CPU time at the end of such a poll is then
 * taken for that at its start, which is never too much.
 *
 * So a burst is right to the duration of asking (well below a microsecond); or, when it was
 * interrupted and so were failed polls since the clock was last asked, too long by no more than the
 * CPU time of those polls, and by no more than the time that it was itself off the CPU.
 *
 * Where the kernel keeps the wall clock by the processor's time stamp counter, that is read in its
 * place: as long as the thread keeps its CPU only the counter's rate matters, which is measured
 * against the wall clock over all of the run so far (ticks.h).
 *
 * The wall clock also holds what interrupt handlers and the host of a virtual machine take from the
 * thread, which the CPU clock of some kernels leaves out: that much an uninterrupted burst is
 * longer, and one interrupted after it shorter, down to nothing.
 */
#include "config.h"

#include "volume.h"

#include "ticks.h"

#if __has_include(<sys/rseq.h>)
#include <stdbool.h>
#include <stddef.h>
#include <sys/rseq.h>

/* The kernel accepts a description only if the signature stands before the address to go to after
 * an interruption inside of the piece; nothing ever goes there. */
static const uint32_t signature[2] = {RSEQ_SIG, 0};
static const struct rseq_cs empty_piece = {.start_ip = (uintptr_t)&signature[1],
                                           .abort_ip = (uintptr_t)&signature[1]};

static TLT_PER_THREAD struct {
    volatile uint64_t *field; /* rseq_cs of the thread */
    uint64_t last_ticks;      /* at the last mark or end of a burst */
    /* When the clock was last asked, or the field last set: CPU time has gone on with the ticks
     * since.  Less CPU time after an interrupted failed poll. */
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

/* The clock is to be read before: an interruption in between then counts as one. */
static int uninterrupted(void)
{
    return __builtin_expect(*self.field == (uintptr_t)&empty_piece, 1);
}

/* CPU time at the last mark or end of a burst. */
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

/* Some kernels look at the field only after interrupts, not when a system call gives up the CPU. */
static const char *check_sleep_is_seen(void)
{
    struct timespec nap = {.tv_nsec = 1000000};
    nanosleep(&nap, NULL);
    return uninterrupted() ? "the kernel does not tell when a thread slept" : NULL;
}

static const char *start(void)
{
    static bool checked;
    if (__rseq_size == 0)
        return "restartable sequences are not registered (glibc.pthread.rseq=0, or an old kernel)";
    self.field = field_of_this_thread();
    /* A thread that comes later is not watched yet: its first burst is its CPU time so far. */
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
