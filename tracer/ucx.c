/* ucx.c - a rank of a folded run that waits in MPICH gives its core to the others.
 *
 * Ranks of MPICH look for messages in a loop until they have one. In a folded run, the rank that
 * they wait for shares the core with them and must wait until the kernel takes the core away. MPICH
 * has no parameter for this, as Open MPI has. But where MPICH communicates by UCX, each turn of the
 * loop calls ucp_worker_progress. In a run that does not compute, the rank sleeps, as the ranks of
 * Open MPI do (skip/wait.c). */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "runtime.h"
#include "skip/skip.h"

enum { MOST_IDLE = 20 }; /* turns without progress before the core is given away */

TLT_API unsigned ucp_worker_progress(void *worker);
TLT_API unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    static bool is_folded;
    static __thread unsigned n_idle __attribute__((tls_model("initial-exec")));
    if (TLT_UNLIKELY(!real)) {
        const char *folded = getenv("TIMELESS_FOLDED");
        is_folded = folded && *folded && strcmp(folded, "0") != 0;
        real = (unsigned (*)(void *))tlt_next("ucp_worker_progress", __builtin_return_address(0));
    }
    const unsigned progress = real(worker);
    if (!is_folded)
        return progress;
    n_idle = progress ? 0 : n_idle + 1;
    if (n_idle == MOST_IDLE) {
        n_idle = 0;
        if (tlt_skip_waits)
            tlt_skip_wait();
        else
            syscall(SYS_sched_yield);
    }
    return progress;
}
