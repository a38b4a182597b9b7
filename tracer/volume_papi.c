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
#include <papi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "pmpi.h"
#include "volume.h"

#define DEFAULT_EVENT "PAPI_TOT_INS"

static struct {
    __typeof__(&PAPI_library_init) library_init;
    __typeof__(&PAPI_thread_init) thread_init;
    __typeof__(&PAPI_strerror) strerror;
    __typeof__(&PAPI_event_name_to_code) event_name_to_code;
    __typeof__(&PAPI_get_event_component) get_event_component;
    __typeof__(&PAPI_create_eventset) create_eventset;
    __typeof__(&PAPI_assign_eventset_component) assign_eventset_component;
    __typeof__(&PAPI_set_opt) set_opt;
    __typeof__(&PAPI_add_event) add_event;
    __typeof__(&PAPI_start) start;
    __typeof__(&PAPI_read) read;
    __typeof__(&PAPI_stop) stop;
} papi;

static char event[PAPI_MAX_STR_LEN] = DEFAULT_EVENT;
static char name[sizeof event + 8] = "papi:" DEFAULT_EVENT;
static char unit[sizeof event] = "instructions";

static TLT_PER_THREAD int event_set = PAPI_NULL;
static TLT_PER_THREAD uint64_t marked;

__attribute__((format(printf, 1, 2))) static const char *reason(const char *format, ...)
{
    static char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

static bool load(void)
{
    void *library = dlopen("libpapi.so.7.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
#define FIND(name) ((papi.name = (__typeof__(papi.name))dlsym(library, "PAPI_" #name)) != NULL)
    return FIND(library_init) && FIND(thread_init) && FIND(strerror) && FIND(event_name_to_code) &&
           FIND(get_event_component) && FIND(create_eventset) && FIND(assign_eventset_component) &&
           FIND(set_opt) && FIND(add_event) && FIND(start) && FIND(read) && FIND(stop);
#undef FIND
}

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
    long long value = 0;
    papi.read(event_set, &value);
    return (uint64_t)value;
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked = read_event();
}

static uint64_t since_mark(void)
{
    return read_event() - marked;
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
    long long value;
    papi.stop(event_set, &value);
}

static unsigned long this_thread(void)
{
    return (unsigned long)pthread_self();
}

static const char *start_library(void)
{
    static bool started;
    if (started)
        return NULL;
    if (!load())
        return "libpapi.so.7.0 cannot be loaded (Debian package libpapi7.0)";
    if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        papi.thread_init(this_thread) != PAPI_OK)
        return "the PAPI library does not start";
    started = true;
    return NULL;
}

static bool has_helpers(void)
{
    int (*omp_get_max_threads)(void) =
        (int (*)(void))dlsym(RTLD_DEFAULT, "omp_get_max_threads"); /* NULL: no OpenMP */
    int level = MPI_THREAD_SINGLE;
    if (tlt_pmpi.Query_thread)
        tlt_pmpi.Query_thread(&level);
    return level < MPI_THREAD_SERIALIZED && omp_get_max_threads && omp_get_max_threads() > 1;
}

/* PAPI_OK, or what PAPI says. */
static int start_event(int code, bool with_helpers)
{
    PAPI_option_t option = {0};
    int status = papi.create_eventset(&event_set);
    if (status == PAPI_OK)
        status = papi.assign_eventset_component(event_set, papi.get_event_component(code));
    option.inherit = (PAPI_inherit_option_t){event_set, PAPI_INHERIT_ALL};
    if (status == PAPI_OK && with_helpers)
        status = papi.set_opt(PAPI_INHERIT, &option);
    if (status == PAPI_OK)
        status = papi.add_event(event_set, code);
    return status == PAPI_OK ? papi.start(event_set) : status;
}

static const char *start(void)
{
    const char *why = start_library();
    int code = 0;
    if (why)
        return why;
    if (papi.event_name_to_code(event, &code) != PAPI_OK)
        return reason("PAPI knows no event %s here (papi_avail and papi_native_avail list them)",
                      event);
    bool with_helpers = has_helpers();
    event_set = PAPI_NULL;
    int status = start_event(code, with_helpers);
    if (status != PAPI_OK && with_helpers)
        return reason(
            "PAPI cannot count %s for the threads that OpenMP starts: %s; OMP_NUM_THREADS=1 "
            "does without",
            event, papi.strerror(status));
    if (status != PAPI_OK)
        return reason("this machine does not count %s: %s", event, papi.strerror(status));
    if (!strcmp(unit, "instructions") && !counts()) {
        stop();
        return reason("the counter of %s stands still", event);
    }
    mark(0);
    return NULL;
}

const tlt_volume_source tlt_volume_papi = {.option = "papi",
                                           .name = name,
                                           .unit = unit,
                                           .choose_event = choose_event,
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
