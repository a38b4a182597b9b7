/* turns.c - the ranks of a folded run take long turns on their cores.
 *
 * A turn of Linux takes a few milliseconds or less (1.4 ms on two processors). After each turn the
 * caches of the core contain the data of another rank, so the CPU time of a rank contains misses
 * that it does not have on a core of its own. Longer turns need no privilege. Linux before 6.12
 * ignores them. A rank that spins while it waits would keep its core for as long, and the rank that
 * it waits for would come late: turns are long only where MPI gives the core away. */
#include "config.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "mpi/interface.h"
#include "turns.h"

/* The longest turn that Linux accepts. */
enum { TURN_NS = 100000000 };

/* That of sched_setattr(2), in its first version; the headers that define it differ. */
typedef struct tlt_sched_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime_ns, deadline_ns, period_ns;
} tlt_sched_attr;

/* Open MPI does by a parameter of its own. MPICH does in UCX (ucx.c), but a folded run under QEMU
 * with long turns did not end: one rank looked for messages in MPI_Finalize, while the others had
 * left it. */
static bool waits_yield(void)
{
    const char *yields = getenv("OMPI_MCA_mpi_yield_when_idle");
    return strcmp(tlt_mpi->name, "MPICH") != 0 && yields &&
           (!strcmp(yields, "1") || !strcmp(yields, "true"));
}

void tlt_take_long_turns(void)
{
    const char *folded = getenv("TIMELESS_FOLDED");
    tlt_sched_attr attr = {.size = sizeof attr};
    if (!folded || !*folded || !strcmp(folded, "0") || !waits_yield())
        return;
    /* Another policy than the usual one is the user's choice. A failure changes nothing. */
    if (syscall(SYS_sched_getattr, 0, &attr, sizeof attr, 0) == 0 && attr.policy == SCHED_OTHER) {
        attr.runtime_ns = TURN_NS;
        syscall(SYS_sched_setattr, 0, &attr, 0);
    }
}
