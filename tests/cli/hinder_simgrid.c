/* hinder_simgrid.c - preloaded, takes two functions of SimGrid from Timeless: libsimgrid finds
 * these here, which call its own.  So a version of SimGrid looks whose calls do not reach Timeless.
 */
#include "config.h" /* _GNU_SOURCE */
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

#include "smpi/shims/table.h"

#define SENT SG_SENT
#define RECEIVE_OVERHEAD SG_ORECV
unsigned sent(const void *comm, int source, int destination, int tag) __asm__(SENT);
double overhead(void *host, size_t bytes, const void *from,
                const void *to) __asm__(RECEIVE_OVERHEAD);

static void *theirs(const char *name)
{
    void *simgrid = dlopen(getenv("LIBSIMGRID"), RTLD_LAZY | RTLD_NOLOAD);
    void *found = simgrid ? dlsym(simgrid, name) : NULL;
    if (!found)
        abort();
    return found;
}

unsigned sent(const void *comm, int source, int destination, int tag)
{
    static unsigned (*function)(const void *, int, int, int);
    if (!function)
        *(void **)&function = theirs(SENT);
    return function(comm, source, destination, tag);
}

double overhead(void *host, size_t bytes, const void *from, const void *to)
{
    static double (*function)(void *, size_t, const void *, const void *);
    if (!function)
        *(void **)&function = theirs(RECEIVE_OVERHEAD);
    return function(host, bytes, from, to);
}
