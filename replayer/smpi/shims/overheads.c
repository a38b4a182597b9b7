/* overheads.c - no network overheads for messages within a host.
 *
 * SMPI 3.32 has one set of overheads, os, or and ois, for all messages. If a platform's overheads
 * were measured between hosts, they are, for example, those of TCP: tens of microseconds. A message
 * through shared memory, or from a rank to itself, does not pay them; it takes the time of the
 * loopback. The option timeless/local-overheads:no gives this behaviour. If the overheads within a
 * host were measured, too, timeless/loopback-os, timeless/loopback-or and timeless/loopback-ois
 * state them, each in the form of SMPI's option, and replace it within a host.
 *
 * Of SimGrid's objects the functions below only know whether two hosts
 * are the same. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>

static int continues; /* overheads within a host are those between hosts, and never fall */
static bool *skipped; /* set: the next MPI_Isend's is none, and here is said whether it is local */

static void go_on(const char *option, const char *text, tlr_segments *out)
{
    tl_error err;
    smpi_read_segments(option, text, TLR_OVERHEADS, out);
    if (tlr_overheads_continue(option, out, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
}

void smpi_overheads_continue(const char *os, const char *ois, const char * or)
{
    if (!smpi_own.local_overheads || smpi_own.loopback_os.n || smpi_own.loopback_ois.n ||
        smpi_own.loopback_or.n)
        return;
    go_on("smpi/os", os, &smpi_own.loopback_os);
    go_on("smpi/ois", ois, &smpi_own.loopback_ois);
    go_on("smpi/or", or, &smpi_own.loopback_or);
    continues = 1;
}

double smpi_overheads_of_copy(double bytes, double *receive_s)
{
    *receive_s =
        continues ? smpi_own.overheads_factor * tlr_overhead_s(&smpi_own.loopback_or, bytes) : 0;
    return continues ? smpi_own.overheads_factor * tlr_overhead_s(&smpi_own.loopback_ois, bytes)
                     : 0;
}

void smpi_overheads_skip(bool *is_local)
{
    skipped = is_local;
}

typedef double overhead(void *self, size_t bytes, const void *from, const void *to);
overhead send_overhead SMPI_REPLACES(SG_OSEND);
overhead isend_overhead SMPI_REPLACES(SG_OISEND);
overhead receive_overhead SMPI_REPLACES(SG_ORECV);

static double ask(overhead **theirs, const char *name, const tlr_segments *local, void *self,
                  size_t bytes, const void *from, const void *to)
{
    if (continues && from == to && smpi_copies_is_long((double)bytes))
        return 0; /* copies.c */
    if (local->n && from == to)
        return smpi_own.overheads_factor * tlr_overhead_s(local, (double)bytes);
    if (!smpi_own.local_overheads && from == to)
        return 0;
    SMPI_BEHIND(*theirs, name);
    return (*theirs)(self, bytes, from, to);
}

double send_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_OSEND, &smpi_own.loopback_os, self, bytes, from, to);
}

double isend_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    if (skipped) {
        *skipped = from == to;
        skipped = NULL;
        return 0;
    }
    return ask(&theirs, SG_OISEND, &smpi_own.loopback_ois, self, bytes, from, to);
}

double receive_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_ORECV, &smpi_own.loopback_or, self, bytes, from, to);
}
