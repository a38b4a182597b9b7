/* hosts.h - where ranks run: hosts, threads and cores, buffers, and what these cost. */
#ifndef TLR_SMPI_HOSTS_H
#define TLR_SMPI_HOSTS_H

#include "state.h"

#include "results/usage.h"

#include <simgrid/host.h>
#include <simgrid/link.h>

/* A host, and what its ranks compute. */
struct smpi_host {
    sg_host_t host;
    unsigned n_cores;
    uint32_t n_ranks;
    double load;           /* cores that are busy now */
    double since_s;        /* the last change of the load */
    double busy_s, core_s; /* with a load, until then; the sum over all cores */
    /* interfere.c: the ranks that compute now */
    uint32_t n, room;
    smpi_rank **busy;
    const tlr_disturbance **others; /* [room], for one look */
};

/* ---- cores.c ---- */

/* The record of SimGrid's host. */
smpi_host *smpi_host_of(sg_host_t host);
/* So many cores more, or fewer, are busy on the host. */
void smpi_change_load(smpi_host *h, double cores);
/* The rank that calls this computes, with so many cores beside its own. */
void smpi_compute_flops(const smpi_rank *r, double flops, double more_cores);
/* What the host has consumed until now; it has the property wattage_per_state. */
double smpi_energy_j(sg_host_t host);

/* ---- hosts.c ---- */

/* Changes the platform as the options require, and finds the host of each rank. */
void smpi_place_ranks(void);
/* Starts the ranks on their hosts. */
void smpi_deploy(void);

/* ---- buffers.c ---- */

/* Sets replay.send_buffer, recv_buffer and buffer_bytes. */
void smpi_reserve_buffers(void);
/* Gives up if the message of the rank's event is larger than buffers that 'ulimit -v' made small.
 */
void smpi_check_room(const smpi_rank *r);

/* ---- thread.c ---- */

/* The following events belong to the thread that the current event names. */
void smpi_switch_thread(smpi_rank *r);
/* Waits until the thread has computed for this number of seconds of the reference speed. */
void smpi_compute_beside(const smpi_rank *r, double reference_s, double more_cores);

/* ---- interfere.c ---- */

/* Simulates computation that takes so many seconds on this host if no other rank computes there. */
void smpi_compute_among(smpi_rank *r, double alone_s, double more_cores);

/* ---- usage.c: what options->usage asks for ---- */

/* To be called after the platform was read, and when the simulation is over. */
void smpi_usage_open(void);
void smpi_usage_close(void);

/* ---- payload.c: the bytes of messages on the links, if the options ask for the use of links ----
 */

/* To be called by each rank before the trace begins: from now on its messages count. */
void smpi_payload_join(void);
/* Sets `sent_bytes` of the resources of these links; to -1 if the bytes are unknown. */
void smpi_payload_take(const sg_link_t *links, size_t n, tlr_resource *resources);

#endif
