/* papi_set.c - PAPI, which is loaded at its first use. */
#include "config.h"

#include "papi_set.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>

tlt_papi_beside tlt_beside = {.set = PAPI_NULL};

static struct {
    __typeof__(&PAPI_library_init) library_init;
    __typeof__(&PAPI_thread_init) thread_init;
    __typeof__(&PAPI_register_thread) register_thread;
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

__attribute__((format(printf, 1, 2))) static const char *reason(const char *format, ...)
{
    static char text[256];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return text;
}

/* That of the build, that of the header, and that of those who build programs. */
static void *open_library(void)
{
    char of_header[64];
    snprintf(of_header, sizeof of_header, "libpapi.so.%d.%d", PAPI_VERSION_MAJOR(PAPI_VERSION),
             PAPI_VERSION_MINOR(PAPI_VERSION));
    const char *const names[] = {PAPI_LIBRARY, of_header, "libpapi.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    return library;
}

static bool load(void *library)
{
#define FIND(name) ((papi.name = (__typeof__(papi.name))dlsym(library, "PAPI_" #name)) != NULL)
    return FIND(library_init) && FIND(thread_init) && FIND(register_thread) && FIND(strerror) &&
           FIND(event_name_to_code) && FIND(get_event_component) && FIND(create_eventset) &&
           FIND(assign_eventset_component) && FIND(set_opt) && FIND(add_event) && FIND(start) &&
           FIND(read) && FIND(stop);
#undef FIND
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
    void *library = open_library();
    if (!library)
        return "the PAPI library cannot be loaded, neither " PAPI_LIBRARY
               " nor libpapi.so; install PAPI (Debian package libpapi-dev)";
    if (!load(library))
        return "the PAPI library lacks functions; install the version " PAPI_LIBRARY;
    if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT ||
        papi.thread_init(this_thread) != PAPI_OK)
        return "the PAPI library does not start";
    started = true;
    return NULL;
}

const char *tlt_papi_start(const char *const *names, int n, bool inherit, int *set)
{
    PAPI_option_t option = {0};
    int codes[TLT_PAPI_MAX_EVENTS + 1] = {0}, status = PAPI_OK, i;
    const char *why = start_library();
    if (why)
        return why;
    /* PAPI 7.1 crashes where a thread that it does not know asks for an event. */
    if (papi.register_thread() != PAPI_OK)
        return "PAPI does not accept the thread";
    for (i = 0; i < n; i++)
        if (papi.event_name_to_code((char *)names[i], &codes[i]) != PAPI_OK)
            return reason(
                "PAPI knows no event %s here (papi_avail and papi_native_avail list them)",
                names[i]);
    *set = PAPI_NULL;
    status = papi.create_eventset(set);
    if (status == PAPI_OK)
        status = papi.assign_eventset_component(*set, papi.get_event_component(codes[0]));
    option.inherit = (PAPI_inherit_option_t){*set, PAPI_INHERIT_ALL};
    if (status == PAPI_OK && inherit) {
        status = papi.set_opt(PAPI_INHERIT, &option);
        if (status != PAPI_OK)
            return reason("PAPI cannot count %s for the threads that OpenMP starts: %s; "
                          "OMP_NUM_THREADS=1 does without",
                          names[0], papi.strerror(status));
    }
    for (i = 0; status == PAPI_OK && i < n; i++) {
        status = papi.add_event(*set, codes[i]);
        if (status != PAPI_OK)
            return reason("this machine does not count %s%s: %s", names[i],
                          i ? " beside the others" : "", papi.strerror(status));
    }
    if (status == PAPI_OK)
        status = papi.start(*set);
    return status == PAPI_OK
               ? NULL
               : reason("this machine does not count %s: %s", names[0], papi.strerror(status));
}

void tlt_papi_read(int set, long long *values)
{
    papi.read(set, values);
}

void tlt_papi_stop(int set)
{
    long long values[TLT_PAPI_MAX_EVENTS + 1];
    papi.stop(set, values);
}
