/* yield.c - preloaded by conformance.py: a rank of MPICH that waits yields its core, with and
 * without the tracer.  There are more ranks than cores. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*real)(void *);
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned done = real(worker);
    if (!done)
        sched_yield();
    return done;
}
