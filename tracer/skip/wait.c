/* wait.c - ranks that wait sleep. With many ranks on a core, each of those that spin would get its
 * turn before the one that has something to do, even if they yield.
 *
 * A rank that looks for messages in vain calls this again and again: Open MPI calls sched_yield(),
 * if it was told so (--folded), and for MPICH ucx.c calls it. A rank sleeps for a quarter of the
 * time for which it has waited, so the run takes at most a quarter longer than the waits. */
#include "config.h"

#include "skip/skip.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"

enum {
    SPIN_NS = 50000,   /* at the beginning of a wait */
    PART = 4,          /* of the wait */
    MOST_NS = 50000000 /* of a sleep: a collective may be many waits, one after the other */
};

bool tlt_skip_waits;

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
    const uint64_t sleep_ns = waited_ns / PART < MOST_NS ? waited_ns / PART : MOST_NS;
    const struct timespec sleep = {.tv_nsec = (long)sleep_ns};
    syscall(SYS_nanosleep, &sleep, NULL);
    return 0;
}
