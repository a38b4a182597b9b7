/* thread.c - a rank with several threads, whose events are in one order that really happened.
 *
 * The rank issues the events in this order. The computation of a thread between two of its own
 * calls runs at the same time as the other threads, on a core of its own. Only the order of the
 * events shows how the threads of a rank wait for each other. */
#include "config.h"

#include "hosts.h"

#include <math.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

static void save(smpi_rank *r)
{
    r->threads[r->thread] =
        (smpi_thread){.ready_s = r->ready_s, .burst_s = r->burst_s, .kernel_s = r->kernel_s};
}

/* A thread with its first event is assumed to begin where thread 0 last left MPI. */
static void make_room(smpi_rank *r, uint32_t n)
{
    smpi_thread *larger = realloc(r->threads, n * sizeof *larger);
    if (!larger)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for threads");
    r->threads = larger;
    const double begin_s = r->n_threads ? larger[0].ready_s : simgrid_get_clock();
    for (uint32_t t = r->n_threads; t < n; t++)
        larger[t] = (smpi_thread){.ready_s = begin_s};
    r->n_threads = n;
}

void smpi_switch_thread(smpi_rank *r)
{
    const int32_t thread = r->event.tag;
    if (!r->n_threads) {
        r->ready_s = simgrid_get_clock();
        make_room(r, 1);
    }
    save(r);
    if ((uint32_t)thread >= r->n_threads)
        make_room(r, (uint32_t)thread + 1);
    const smpi_thread *next = &r->threads[thread];
    r->thread = (uint32_t)thread;
    r->ready_s = next->ready_s;
    r->burst_s = next->burst_s;
    r->kernel_s = next->kernel_s;
}

void smpi_compute_beside(const smpi_rank *r, double reference_s, double more_cores)
{
    const double took_s = reference_s * r->flops_per_s / sg_host_get_speed(sg_host_self()),
                 end_s = r->ready_s + took_s, left_s = fmax(0, end_s - simgrid_get_clock());
    /* The core of a rank that polls is that of thread 0. */
    const double cores = more_cores + (r->thread ? 1 : 1 - replay.waiting_cores);
    r->host->core_s += cores * (took_s - left_s);
    if (!(left_s > 0))
        return;
    smpi_change_load(r->host, cores);
    sg_actor_sleep_until(end_s);
    smpi_change_load(r->host, -cores);
}
