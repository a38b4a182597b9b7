/* interfere.c - computation that depends on what the other ranks of the host compute.
 *
 * Whenever a rank begins or ends a burst, the others of its host find out how fast they go on. A
 * rank waits for the end of its burst at a semaphore with a timeout, so that another rank can wake
 * it. The cores are shared as SimGrid shares them: equally, and no rank has more than one. */
#include "config.h"

#include "hosts.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>

static void enter(smpi_host *c, smpi_rank *r)
{
    if (c->n == c->room) {
        c->room = 2 * c->room + 4;
        c->busy = realloc(c->busy, c->room * sizeof(smpi_rank *));
        c->others = realloc(c->others, c->room * sizeof(tlr_disturbance *));
        if (!c->busy || !c->others)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for the ranks that compute");
    }
    c->busy[c->n++] = r;
}

static void leave(smpi_host *c, const smpi_rank *r)
{
    uint32_t i = 0;
    while (c->busy[i] != r)
        i++;
    memmove(&c->busy[i], &c->busy[i + 1], (--c->n - i) * sizeof(smpi_rank *));
}

/* By how much the rank is slower than alone on a core, now. */
static double slowness(smpi_host *c, const smpi_rank *r)
{
    const unsigned cores = c->n_cores;
    size_t n = 0;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->busy[i] != r)
            c->others[n++] = c->busy[i]->bending;
    const double turns = c->n > cores ? (double)c->n / cores : 1;
    return turns * tlr_disturbance_beside(r->bending, c->others, n, cores);
}

/* Those whose pace another one changed. */
static void wake_others(smpi_host *c, const smpi_rank *r)
{
    for (uint32_t i = 0; i < c->n; i++) {
        smpi_rank *other = c->busy[i];
        if (other != r && other->slowness > 0 && slowness(c, other) != other->slowness) {
            other->slowness = 0; /* once is enough */
            sg_sem_release(other->wake);
        }
    }
}

void smpi_compute_among(smpi_rank *r, double alone_s, double more_cores)
{
    smpi_host *c = r->host;
    const double cores = 1 - replay.waiting_cores + more_cores;
    if (!r->wake)
        r->wake = sg_sem_init(0);
    r->slowness = 0;
    enter(c, r);
    smpi_change_load(c, cores);
    wake_others(c, r);
    sg_actor_yield(); /* those that begin at this moment */
    double left_s = alone_s;
    while (left_s > 0) {
        const double from_s = simgrid_get_clock(), now = r->slowness = slowness(c, r);
        if (sg_sem_acquire_timeout(r->wake, left_s * now)) /* nobody woke it */
            break;
        left_s -= (simgrid_get_clock() - from_s) / now;
    }
    r->slowness = 0;
    leave(c, r);
    smpi_change_load(c, -cores);
    wake_others(c, r);
}
