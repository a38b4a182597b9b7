/* overheads.c - what the processor pays for messages within a host.
 *
 * SMPI 3.32 knows one set of overheads, os, or and ois, for all messages.  On a platform whose
 * overheads were measured between hosts they are those of TCP, say, tens of microseconds, which a
 * message through shared memory, or of a rank to itself, does not pay: its time is the loopback's.
 * The option timeless/local-overheads:no says so.
 *
 * The three functions below take the place of libsimgrid's, and call them: symbols are looked up in
 * the module first (replayer/module.c).  They know nothing of SimGrid's objects but whether two
 * hosts are the same one. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

static int are_free; /* overheads within a host */
static int *skipped; /* set: the next MPI_Isend's is none, and here is said whether it is local */

void smpi_overheads_set(int is_yes)
{
    are_free = !is_yes;
}

void smpi_overheads_skip(int *is_local)
{
    skipped = is_local;
}

typedef double overhead(void *self, size_t bytes, const void *from, const void *to);
overhead send_overhead SMPI_REPLACES(SG_OSEND);
overhead isend_overhead SMPI_REPLACES(SG_OISEND);
overhead receive_overhead SMPI_REPLACES(SG_ORECV);

static double ask(overhead **theirs, const char *name, void *self, size_t bytes, const void *from,
                  const void *to)
{
    if (are_free && from == to)
        return 0;
    SMPI_BEHIND(*theirs, name);
    return (*theirs)(self, bytes, from, to);
}

double send_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_OSEND, self, bytes, from, to);
}

double isend_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    if (skipped) {
        *skipped = from == to;
        skipped = NULL;
        return 0;
    }
    return ask(&theirs, SG_OISEND, self, bytes, from, to);
}

double receive_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_ORECV, self, bytes, from, to);
}
