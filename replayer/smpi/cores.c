/* cores.c - what ranks compute on the cores of their host, and the energy that the host takes.
 *
 * While no host has more ranks than cores, each rank has a core of its own, and its computation
 * takes the same time whatever the others do. The rank then sleeps for this time: at the beginning
 * and at the end of an execution, SimGrid computes the shares and the ends of all others of the
 * host anew. That took half of the CPU time of a replay of HPL with 32 ranks per host.
 *
 * The energy is that of SimGrid's plugin host_energy, which sees executions only: no rank that
 * polls while it waits, and one core for a rank with several threads. */
#include "config.h"

#include "hosts.h"
#include "machine/cluster.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

smpi_host *smpi_host_of(sg_host_t host)
{
    smpi_host *h = sg_host_get_data(host);
    if (h)
        return h;
    const int n_cores = sg_host_core_count(host);
    h = smpi_alloc(1, sizeof *h);
    h->host = host;
    h->n_cores = n_cores > 0 ? (unsigned)n_cores : 1;
    sg_host_set_data(host, h);
    return h;
}

void smpi_change_load(smpi_host *h, double cores)
{
    const double now_s = simgrid_get_clock(), took_s = now_s - h->since_s;
    h->busy_s += h->load > 0 ? took_s : 0;
    h->core_s += took_s * (h->load < h->n_cores ? h->load : h->n_cores);
    h->load += cores;
    h->since_s = now_s;
}

/* SimGrid lengthens a sleep to its precision, but not an execution. */
static bool may_sleep(const smpi_host *h, double seconds)
{
    return !replay.must_execute && h->n_ranks <= h->n_cores && seconds >= replay.precision_s;
}

void smpi_compute_flops(const smpi_rank *r, double flops, double more_cores)
{
    const double seconds = flops / sg_host_get_speed(r->host->host),
                 cores = 1 - replay.waiting_cores + more_cores;
    smpi_change_load(r->host, cores);
    if (may_sleep(r->host, seconds))
        sg_actor_sleep_for(seconds);
    else
        smpi_execute_flops(flops);
    smpi_change_load(r->host, -cores);
}

double smpi_energy_j(sg_host_t host)
{
    smpi_host *h = smpi_host_of(host);
    tlr_watts watts;
    const char *text = sg_host_get_property_value(host, "wattage_per_state");
    for (unsigned long i = sg_host_get_pstate(host); text && i > 0; i--)
        text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL;
    if (!text || !tlr_watts_read(text, &watts))
        smpi_give_up(TL_ERR_INPUT,
                     "%s: host \"%s\": wattage_per_state \"%s\" is not IDLE:FULL or "
                     "IDLE:LEAST:FULL in watts, for each state; correct it",
                     replay.platform->xml_path, sg_host_get_name(host),
                     sg_host_get_property_value(host, "wattage_per_state"));
    smpi_change_load(h, 0);
    return tlr_watts_energy_j(&watts, simgrid_get_clock(), h->busy_s, h->core_s / h->n_cores);
}
