/* interfere.c - computation that depends on what the other ranks of the host compute.
 *
 * Whenever a rank begins or ends a burst, the others of its host find out how fast they go on. A
 * rank waits for the end of its burst at a semaphore with a timeout, so that another rank can wake
 * it. The cores are shared as SimGrid shares them: equally, and no rank has more than one. */
#include "config.h"

#include "hosts.h"
#include "results/usage.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>

/* A host: its ranks that compute now. */
struct smpi_crowd {
    sg_host_t host;
    uint32_t n, room;
    smpi_rank **busy;
    const tlr_bending **others; /* [room], for one look */
};

static struct {
    size_t n;
    smpi_crowd *hosts;
} all;

/* Ranks look for their host once. */
static smpi_crowd *crowd_of(smpi_rank *r)
{
    if (r->crowd)
        return r->crowd;
    const sg_host_t host = sg_host_self();
    if (!all.hosts)
        all.hosts = smpi_alloc(sg_host_count(), sizeof *all.hosts);
    size_t i = 0;
    while (i < all.n && all.hosts[i].host != host)
        i++;
    if (i == all.n)
        all.hosts[all.n++].host = host;
    r->crowd = &all.hosts[i];
    r->wake = sg_sem_init(0);
    return r->crowd;
}

static void enter(smpi_crowd *c, smpi_rank *r)
{
    if (c->n == c->room) {
        c->room = 2 * c->room + 4;
        c->busy = realloc(c->busy, c->room * sizeof(smpi_rank *));
        c->others = realloc(c->others, c->room * sizeof(tlr_bending *));
        if (!c->busy || !c->others)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for the ranks that compute");
    }
    c->busy[c->n++] = r;
}

static void leave(smpi_crowd *c, const smpi_rank *r)
{
    uint32_t i = 0;
    while (c->busy[i] != r)
        i++;
    memmove(&c->busy[i], &c->busy[i + 1], (--c->n - i) * sizeof(smpi_rank *));
}

/* By how much the rank is slower than alone on a core, now. */
static double slowness(smpi_crowd *c, const smpi_rank *r)
{
    const int n_cores = sg_host_core_count(c->host);
    const unsigned cores = n_cores > 0 ? (unsigned)n_cores : 1;
    size_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->busy[i] != r)
            c->others[n++] = c->busy[i]->bending;
    const double turns = c->n > cores ? (double)c->n / cores : 1;
    return turns * tlr_bending_beside(r->bending, c->others, n, cores);
}

/* Those whose pace another one changed. */
static void wake_others(smpi_crowd *c, const smpi_rank *r)
{
    for (uint32_t i = 0; i < c->n; i++) {
        smpi_rank *other = c->busy[i];
        if (other != r && other->slowness > 0 && slowness(c, other) != other->slowness) {
            other->slowness = 0; /* once is enough */
            sg_sem_release(other->wake);
        }
    }
}

/* The energy of a host depends on the load that SimGrid sees: an execution that lasts longer than
 * any burst. */
static sg_exec_t show_load(void)
{
    const double endless_flops = 1e30;
    if (!replay.options->usage || !replay.options->usage->has_energy)
        return NULL;
    const sg_exec_t load = sg_actor_exec_init(endless_flops);
    sg_exec_start(load);
    return load;
}

void smpi_compute_among(smpi_rank *r, double alone_s)
{
    smpi_crowd *c = crowd_of(r);
    r->slowness = 0;
    enter(c, r);
    wake_others(c, r);
    sg_actor_yield(); /* those that begin at this moment */
    const sg_exec_t load = show_load();
    double left_s = alone_s;
    while (left_s > 0) {
        const double from_s = simgrid_get_clock(), now = r->slowness = slowness(c, r);
        if (sg_sem_acquire_timeout(r->wake, left_s * now)) /* nobody woke it */
            break;
        left_s -= (simgrid_get_clock() - from_s) / now;
    }
    r->slowness = 0;
    leave(c, r);
    wake_others(c, r);
    if (load)
        sg_exec_cancel(load); /* in SimGrid 3.32 to 4.1 it also drops the reference to it */
}
