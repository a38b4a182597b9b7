/* volume_papi.c - instructions by PAPI, which is loaded only when this source is tried. */
#include "config.h"

#include <dlfcn.h>
#include <papi.h>
#include <pthread.h>
#include <stdbool.h>

#include "volume.h"

static struct {
    __typeof__(&PAPI_library_init) library_init;
    __typeof__(&PAPI_thread_init) thread_init;
    __typeof__(&PAPI_create_eventset) create_eventset;
    __typeof__(&PAPI_add_event) add_event;
    __typeof__(&PAPI_start) start;
    __typeof__(&PAPI_read) read;
    __typeof__(&PAPI_stop) stop;
} papi;
static TLT_PER_THREAD int event_set = PAPI_NULL;
static TLT_PER_THREAD uint64_t marked;

static bool load(void)
{
    void *library = dlopen("libpapi.so.7.0", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
#define FIND(name) ((papi.name = (__typeof__(papi.name))dlsym(library, "PAPI_" #name)) != NULL)
    return FIND(library_init) && FIND(thread_init) && FIND(create_eventset) && FIND(add_event) &&
           FIND(start) && FIND(read) && FIND(stop);
#undef FIND
}

static uint64_t read_instructions(void)
{
    long long value = 0;
    papi.read(event_set, &value);
    return (uint64_t)value;
}

static void mark(int after_poll)
{
    (void)after_poll;
    marked = read_instructions();
}

static uint64_t since_mark(void)
{
    return read_instructions() - marked;
}

/* Virtual machines list counters that then fail or stand still: believe what has been counted. */
static bool counts(void)
{
    enum { LOOPS = 100000 };
    uint64_t before = read_instructions();
    for (volatile int i = 0; i < LOOPS; i++) {
    }
    return read_instructions() - before >= LOOPS;
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

static const char *start(void)
{
    const char *reason = start_library();
    if (reason)
        return reason;
    event_set = PAPI_NULL;
    if (papi.create_eventset(&event_set) != PAPI_OK ||
        papi.add_event(event_set, PAPI_TOT_INS) != PAPI_OK || papi.start(event_set) != PAPI_OK)
        return "this machine offers no instruction counter";
    if (!counts()) {
        stop();
        return "the instruction counter stands still";
    }
    mark(0);
    return NULL;
}

const tlt_volume_source tlt_volume_papi = {.option = "papi",
                                           .name = "papi:PAPI_TOT_INS",
                                           .unit = "instructions",
                                           .start = start,
                                           .mark = mark,
                                           .since_mark = since_mark,
                                           .stop = stop};
