/* wait.c - ranks that wait sleep. With many ranks on a core, each of those that spin would get its
 * turn before the one that has something to do, even if they yield.
 *
 * A rank that looks for messages in vain calls this again and again: Open MPI calls sched_yield(),
 * if it was told so (--folded), and for MPICH ucx.c calls it. A rank sleeps for a quarter of the
 * time for which it has waited. In a chain of ranks that wait for each other, the delays add up:
 * therefore no sleep is longer than necessary for all ranks of the host, each looking for messages
 * after each sleep, to leave three quarters of the cores to those that have something to do. Where
 * few ranks share a core, a rank looks for a hundredth of its time. */
#include "config.h"

#include "skip/skip.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

enum {
    SPIN_NS = 50000,          /* at the beginning of a wait */
    PART = 4,                 /* of the wait; of the cores */
    LOOK_NS = 20000,          /* CPU time of a sleep and a look; measured, 256 ranks */
    LEAST_NS = 100 * LOOK_NS, /* of the longest sleep */
    MOST_NS = 50000000        /* of a sleep: a collective may be many waits, one after the other */
};

bool tlt_skip_waits;
static uint64_t longest_ns = MOST_NS;

void tlt_skip_seat(const tlt_hosts *hosts)
{
    const uint64_t ns = (uint64_t)PART * LOOK_NS * (unsigned)hosts->n_ranks /
                        (unsigned)(hosts->n_cores ? hosts->n_cores : 1);
    longest_ns = ns < LEAST_NS ? LEAST_NS : ns < MOST_NS ? ns : MOST_NS;
}

int tlt_skip_wait(void)
{
    static __thread uint64_t began_ns, n_calls;
    const uint64_t now_ns = tlt_monotonic_ns();
    if (n_calls != tlt_self.n_calls || !began_ns) { /* kernels between two polls end no wait */
        began_ns = now_ns;
        n_calls = tlt_self.n_calls;
    }
    const uint64_t waited_ns = now_ns - began_ns;
    if (waited_ns < SPIN_NS)
        return (int)syscall(SYS_sched_yield);
    const uint64_t sleep_ns = waited_ns / PART < longest_ns ? waited_ns / PART : longest_ns;
    const struct timespec sleep = {.tv_nsec = (long)sleep_ns};
    syscall(SYS_nanosleep, &sleep, NULL);
    return 0;
}
