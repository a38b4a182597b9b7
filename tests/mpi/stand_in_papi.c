/* stand_in_papi.c - as much of PAPI as the tracer uses, with a counter where there is none: it
 * counts the CPU nanoseconds of the thread, of all threads when told to inherit.
 * Like PAPI 7.1, it crashes where a thread that was not registered asks for an event.
 * STAND_IN_PAPI=still: the counter stands still; alone: it refuses to inherit. */
#include <papi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static __thread clockid_t source = CLOCK_THREAD_CPUTIME_ID;

static __thread int n_events, is_registered;

static int is_told(const char *what)
{
    const char *told = getenv("STAND_IN_PAPI");
    return told && !strcmp(told, what);
}

int PAPI_library_init(int version)
{
    is_registered = 1;
    return version;
}

int PAPI_thread_init(unsigned long (*this_thread)(void))
{
    return this_thread() ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_register_thread(void)
{
    is_registered = 1;
    return PAPI_OK;
}

char *PAPI_strerror(int status)
{
    static char text[] = "so it was told";
    return status == PAPI_OK ? NULL : text;
}

int PAPI_event_name_to_code(const char *name, int *code)
{
    if (!is_registered)
        abort();
    *code = 7;
    return !strcmp(name, "PAPI_TOT_INS") || !strcmp(name, "OTHER") ? PAPI_OK : PAPI_ENOEVNT;
}

int PAPI_get_event_component(int code)
{
    return code == 7 ? 3 : -1;
}

int PAPI_create_eventset(int *set)
{
    *set = 1;
    n_events = 0;
    return PAPI_OK;
}

int PAPI_assign_eventset_component(int set, int component)
{
    return set == 1 && component == 3 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_set_opt(int what, PAPI_option_t *option)
{
    if (is_told("alone") || what != PAPI_INHERIT || option->inherit.eventset != 1 ||
        option->inherit.inherit != PAPI_INHERIT_ALL)
        return PAPI_EINVAL;
    source = CLOCK_PROCESS_CPUTIME_ID;
    return PAPI_OK;
}

int PAPI_add_event(int set, int code)
{
    n_events++;
    return set == 1 && code == 7 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_start(int set)
{
    return set == 1 ? PAPI_OK : PAPI_EINVAL;
}

int PAPI_read(int set, long long *values)
{
    struct timespec t;
    clock_gettime(source, &t);
    for (int i = 0; i < n_events; i++)
        values[i] = is_told("still") ? 0 : 10LL * set * (t.tv_sec * 1000000000LL + t.tv_nsec);
    return PAPI_OK;
}

int PAPI_stop(int set, long long *values)
{
    return PAPI_read(set, values);
}
