/* sleep.c - records how long the program sleeps. A sleep is no computation, and takes the same time
 * on every machine.
 *
 * The time of the event is the one that the call takes if the system wakes the program immediately:
 * the requested time, minus the time that a signal saved. A sleep between two polls is no event. It
 * belongs to the same wait as the polls, and a replay need not poll as often.
 *
 * While the thread sleeps, it is recorded as usual, because a signal handler may call MPI, or may
 * never return. */
#include "config.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

#include "kernel.h"

enum { NS_PER_S = 1000000000 };

static void put_sleep(tlt_place place, int64_t ns)
{
    const int error = errno;
    if (tlt_self.polls || !tlt_enter_kernel())
        return;
    if (TLT_UNLIKELY(tlt.shared))
        tlt_lock();
    tl_event event = {.call = TL_MPI_Sleep, .site = tlt_site_from(place), .count = ns > 0 ? ns : 0};
    tlt_put(&event);
    tlt_leave();
    errno = error;
}

/* 0 for times that the system refuses: NULL and negative times. An endless time is reduced to 73
 * years, so that the sum of two does not overflow. */
static int64_t ns_of(const struct timespec *t)
{
    const int64_t most_s = INT64_MAX / NS_PER_S / 4;
    if (!t || t->tv_sec < 0)
        return 0;
    return (t->tv_sec < most_s ? t->tv_sec : most_s) * NS_PER_S + t->tv_nsec % NS_PER_S;
}

static int64_t now(clockid_t clock)
{
    struct timespec t = {0};
    clock_gettime(clock, &t);
    return ns_of(&t);
}

/* The original function, with the type of the function given here. */
#define NEXT(name)                                                                                 \
    ({                                                                                             \
        static __typeof__(&(name)) next;                                                           \
        if (TLT_UNLIKELY(!next))                                                                   \
            next = (__typeof__(next))tlt_next(#name, __builtin_return_address(0));                 \
        next;                                                                                      \
    })

TLT_API unsigned sleep(unsigned seconds)
{
    unsigned left = NEXT(sleep)(seconds);
    put_sleep(TLT_PLACE(), (int64_t)(seconds - left) * NS_PER_S);
    return left;
}

/* The time of a sleep that began at `from` and should end at `until`. */
static int64_t took(clockid_t clock, int64_t from, int64_t until, bool ended_early)
{
    const int64_t end = ended_early ? now(clock) : until;
    return (end < until ? end : until) - from;
}

TLT_API int usleep(useconds_t us)
{
    const int64_t from = now(CLOCK_MONOTONIC);
    int result = NEXT(usleep)(us);
    put_sleep(TLT_PLACE(), took(CLOCK_MONOTONIC, from, from + (int64_t)us * 1000, result != 0));
    return result;
}

TLT_API int nanosleep(const struct timespec *request, struct timespec *left)
{
    const int64_t from = now(CLOCK_MONOTONIC), until = from + ns_of(request);
    int result = NEXT(nanosleep)(request, left);
    put_sleep(TLT_PLACE(), took(CLOCK_MONOTONIC, from, until, result != 0));
    return result;
}

TLT_API int clock_nanosleep(clockid_t clock, int flags, const struct timespec *request,
                            struct timespec *left)
{
    const int64_t from = now(clock);
    const int64_t until = (flags & TIMER_ABSTIME ? 0 : from) + ns_of(request);
    int result = NEXT(clock_nanosleep)(clock, flags, request, left);
    put_sleep(TLT_PLACE(), took(clock, from, until, result != 0));
    return result;
}
