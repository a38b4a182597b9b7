/* hinder_speed.c - preloaded, takes from Timeless one function of each of the parts DATES and
 * CALLS (replayer/smpi/shims/table.h). The functions here call SimGrid's own ones, so that the
 * replay uses these parts of SimGrid as they are. */
#include "config.h" /* _GNU_SOURCE */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "smpi/shims/table.h"

double next_event(void *model, double now_s) __asm__(SG_NEXT_EVENT);
void lock_mutex(void *mutex) __asm__(SG_MUTEX_LOCK);

static void *theirs(const char *name)
{
    void *simgrid = dlopen(getenv("LIBSIMGRID"), RTLD_LAZY | RTLD_NOLOAD);
    void *found = simgrid ? dlsym(simgrid, name) : NULL;
    if (!found)
        abort();
    return found;
}

double next_event(void *model, double now_s)
{
    static double (*function)(void *, double);
    if (!function)
        *(void **)&function = theirs(SG_NEXT_EVENT);
    return function(model, now_s);
}

void lock_mutex(void *mutex)
{
    static void (*function)(void *);
    if (!function)
        *(void **)&function = theirs(SG_MUTEX_LOCK);
    function(mutex);
}
