/* overheads.c - no network overheads for messages within a host.
 *
 * SMPI 3.32 has one set of overheads, os, or and ois, for all messages. If a platform's overheads
 * were measured between hosts, they are, for example, those of TCP: tens of microseconds. A message
 * through shared memory, or from a rank to itself, does not pay them; it takes the time of the
 * loopback. The option timeless/local-overheads:no gives this behaviour. If the overheads within a
 * host were measured, too, timeless/loopback-os, timeless/loopback-or and timeless/loopback-ois
 * state them, each in the form of SMPI's option, and replace it within a host.
 *
 * The three functions below replace functions of libsimgrid, and call them: symbols are looked up
 * in the module first (replayer/module.c). Of SimGrid's objects they only know whether two hosts
 * are the same. */
#include "config.h"

#include "shims.h"
#include "smpi/rank.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

enum { MAX_SEGMENTS = 64 };

/* Seconds, and seconds per byte, from each size on. */
typedef struct own_overheads {
    size_t n; /* 0: not stated */
    double from_bytes[MAX_SEGMENTS], fixed_s[MAX_SEGMENTS], per_byte_s[MAX_SEGMENTS];
} own_overheads;

static own_overheads of_sends, of_isends, of_receives; /* within a host */
static double scale = 1;
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

/* "0:3e-7:1e-10;8000:4e-6:1e-10": bytes, seconds, seconds per byte. */
static void parse(const char *option, const char *text, own_overheads *out)
{
    out->n = 0;
    for (const char *at = text; out->n < MAX_SEGMENTS; at++) {
        double row[3];
        int n = 0;
        for (; n < 3; n++) {
            char *after;
            row[n] = strtod(at, &after);
            if (after == at || !(row[n] >= 0) || !isfinite(row[n]) || (n < 2 && *after != ':'))
                break;
            at = after + (n < 2);
        }
        const int is_ascending = !out->n || row[0] > out->from_bytes[out->n - 1];
        if (n < 3 || !is_ascending || (*at && *at != ';'))
            break;
        out->from_bytes[out->n] = row[0];
        out->fixed_s[out->n] = row[1];
        out->per_byte_s[out->n++] = row[2];
        if (!*at)
            return;
    }
    smpi_give_up(TL_ERR_INPUT,
                 "option %s: not a list of BYTES:SECONDS:SECONDS_PER_BYTE with ascending bytes, "
                 "separated by ';' (at most %d); correct the value",
                 option, MAX_SEGMENTS);
}

void smpi_overheads_sends(const char *option, const char *value)
{
    parse(option, value, &of_sends);
}

void smpi_overheads_isends(const char *option, const char *value)
{
    parse(option, value, &of_isends);
}

void smpi_overheads_receives(const char *option, const char *value)
{
    parse(option, value, &of_receives);
}

void smpi_overheads_scale(double factor)
{
    scale = factor;
}

/* As in SMPI: the last segment that begins below the size, otherwise the first one. */
static double own_s(const own_overheads *o, size_t bytes)
{
    size_t i = 0;
    while (i + 1 < o->n && o->from_bytes[i + 1] < (double)bytes)
        i++;
    return scale * (o->fixed_s[i] + o->per_byte_s[i] * (double)bytes);
}

typedef double overhead(void *self, size_t bytes, const void *from, const void *to);
overhead send_overhead SMPI_REPLACES(SG_OSEND);
overhead isend_overhead SMPI_REPLACES(SG_OISEND);
overhead receive_overhead SMPI_REPLACES(SG_ORECV);

static double ask(overhead **theirs, const char *name, const own_overheads *own, void *self,
                  size_t bytes, const void *from, const void *to)
{
    if (own->n && from == to)
        return own_s(own, bytes);
    if (are_free && from == to)
        return 0;
    SMPI_BEHIND(*theirs, name);
    return (*theirs)(self, bytes, from, to);
}

double send_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_OSEND, &of_sends, self, bytes, from, to);
}

double isend_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    if (skipped) {
        *skipped = from == to;
        skipped = NULL;
        return 0;
    }
    return ask(&theirs, SG_OISEND, &of_isends, self, bytes, from, to);
}

double receive_overhead(void *self, size_t bytes, const void *from, const void *to)
{
    static overhead *theirs;
    return ask(&theirs, SG_ORECV, &of_receives, self, bytes, from, to);
}
