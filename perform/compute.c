/* compute.c - the time of the computation between the calls.
 *
 * The compute model states the seconds of a burst or a kernel on this machine. They pass while the
 * rank sleeps, so that many ranks may share a core, or while it keeps its core busy. Kernels may
 * also be called (kernels.h). */
#include "config.h"

#include "performer.h"

#include "clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The end of a sleep may be late by this time; the rest is waited for with the core. */
#define LATE_S 1e-4

/* By the system call itself: the tracer records sleep() and the like as events of the program. */
static void sleep_s(double seconds)
{
    struct timespec t = {(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))};
    syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &t, NULL);
}

static void let_pass(performer *p, double seconds)
{
    if (!(seconds > 0))
        return;
    p->computed_s += seconds;
    const double end_s = tl_now_s(CLOCK_MONOTONIC) + seconds;
    if (p->compute != PERFORM_SPIN && seconds > LATE_S)
        sleep_s(seconds - LATE_S);
    while (tl_now_s(CLOCK_MONOTONIC) < end_s)
        ;
}

/* Zero: no library has the kernel. */
static int call_kernel(performer *p)
{
    const double begin_s = tl_now_s(CLOCK_MONOTONIC);
    if (!perform_kernels_call(p->kernels, &p->event))
        return 0;
    const double seconds = tl_now_s(CLOCK_MONOTONIC) - begin_s;
    p->computed_s += seconds;
    let_pass(p, (p->dilation - 1) * seconds);
    return 1;
}

void perform_burst(performer *p)
{
    const tl_event *e = &p->event;
    const bool is_kernel = tl_call_by_code(e->call)->action == TL_ACTION_KERNEL;
    if (p->compute == PERFORM_NONE)
        return;
    double seconds = tlr_rank_burst_s(&p->model, e, p->index);
    if (is_kernel && p->kernels) {
        let_pass(p, p->dilation * seconds);
        if (call_kernel(p))
            return;
        seconds = 0;
    }
    if (is_kernel && p->model.model)
        seconds += tlr_rank_kernel_s(&p->model, e, p->index);
    let_pass(p, p->dilation * seconds);
}
