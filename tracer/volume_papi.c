/* volume_papi.c - any event that PAPI can count, instructions unless another is named; PAPI is
 * loaded only when this source is tried.
 *
 * PAPI reads by rdpmc, in user space, where the kernel lets it and it was built so; not for events
 * of the kernel's own (perf::...) and not when the threads that a thread starts count for it.  They
 * do where OpenMP is loaded and would use several, and MPI calls come from one thread alone:
 * otherwise what a recorded thread does would count twice.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "papi_set.h"
#include "mpi/interface.h"
#include "teams.h"
#include "volume.h"

#define DEFAULT_EVENT "PAPI_TOT_INS"

static char event[PAPI_MAX_STR_LEN] = DEFAULT_EVENT;
static char name[sizeof event + 8] = "papi:" DEFAULT_EVENT;
static char unit[sizeof event] = "instructions";

static TLT_PER_THREAD int event_set = PAPI_NULL;
static TLT_PER_THREAD uint64_t marked;

static const char *unit_of(const char *wanted)
{
    if (!strcmp(wanted, "PAPI_TOT_INS") || strstr(wanted, "::INSTRUCTIONS"))
        return "instructions";
    if (!strcmp(wanted, "PAPI_TOT_CYC"))
        return "cycles";
    if (!strcmp(wanted, "perf::TASK-CLOCK") || !strcmp(wanted, "perf::CPU-CLOCK"))
        return "cpu-ns";
    return wanted;
}

static const char *choose_event(const char *wanted)
{
    if (!*wanted || strlen(wanted) >= sizeof event)
        return "name an event of PAPI as in papi:PAPI_TOT_CYC";
    snprintf(event, sizeof event, "%s", wanted);
    snprintf(name, sizeof name, "papi:%s", wanted);
    snprintf(unit, sizeof unit, "%s", unit_of(wanted));
    return NULL;
}

static uint64_t read_event(void)
{
    long long values[TLT_PAPI_MAX_EVENTS + 1] = {0};
    tlt_papi_read(event_set, values);
    return (uint64_t)values[0];
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked = read_event();
}

static uint64_t since_mark(void)
{
    const uint64_t before = marked;
    mark(0);
    return marked - before;
}

/* Virtual machines list counters that then fail or stand still: believe what has been counted. */
static bool counts(void)
{
    enum { LOOPS = 100000 };
    uint64_t before = read_event();
    for (volatile int i = 0; i < LOOPS; i++) {
    }
    return read_event() - before >= LOOPS;
}

static void stop(void)
{
    tlt_papi_stop(event_set);
}

static bool has_helpers(void)
{
    int (*omp_get_max_threads)(void) =
        (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads"); /* NULL: no OpenMP */
    const bool several = tlt_mpi_is_known() && tlt_mpi->permits_threads();
    return !several && !tlt_gomp_is_there() && !tlt_ompt_is_there() && omp_get_max_threads &&
           omp_get_max_threads() > 1;
}

static const char *start(void)
{
    const char *names[TLT_PAPI_MAX_EVENTS + 1] = {event};
    bool beside = tlt_beside.n && tlt_beside.set == PAPI_NULL;
    int n_beside = beside ? tlt_beside.n : 0;
    for (int i = 0; i < n_beside; i++)
        names[i + 1] = tlt_beside.names[i];
    const char *why = tlt_papi_start(names, 1 + n_beside, has_helpers(), &event_set);
    if (why)
        return why;
    if (!strcmp(unit, "instructions") && !counts()) {
        stop();
        return "the counter stands still";
    }
    if (beside) {
        tlt_beside.set = event_set;
        tlt_beside.first = 1;
    }
    mark(0);
    return NULL;
}

const tlt_volume_source tlt_volume_papi = {.option = "papi",
                                           .name = name,
                                           .unit = unit,
                                           .is_per_thread = true,
                                           .choose_event = choose_event,
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
