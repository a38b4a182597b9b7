/* file.c - files of the simulated ranks.
 *
 * Data goes to and from the first disk of the rank's host. If a bandwidth was given, it takes bytes
 * / bandwidth instead. A collective call is a barrier, the rank's own data, and another barrier,
 * because the trace does not show which ranks aggregate data and where the file is. Calls that only
 * describe a file take no time except their barrier. */
#include "config.h"

#include "calls.h"

#include <stdio.h>
#include <stdlib.h>

#include <simgrid/actor.h>
#include <simgrid/disk.h>
#include <simgrid/host.h>

static sg_disk_t disk_of(sg_host_t host)
{
    unsigned n = 0;
    sg_disk_t *disks = NULL;
    sg_host_get_disks(host, &n, &disks);
    sg_disk_t first = n ? disks[0] : NULL;
    free(disks);
    return first;
}

bool smpi_has_disk(const char *host)
{
    return disk_of(sg_host_by_name(host)) != NULL;
}

static bool is_write(tl_action action)
{
    return action == TL_ACTION_FILE_WRITE || action == TL_ACTION_FILE_WRITE_ALL ||
           action == TL_ACTION_FILE_WRITE_BEGIN;
}

static void move(int writes, double bytes)
{
    if (bytes <= 0)
        return;
    sg_disk_t disk = disk_of(sg_host_self());
    double bandwidth = replay.options->io_bandwidth;
    if (bandwidth <= 0 && !disk && !replay.options->allow_opaque)
        bandwidth = TLR_IO_BANDWIDTH;
    if (bandwidth > 0)
        sg_actor_sleep_for(bytes / bandwidth);
    else if (disk && writes)
        sg_disk_write(disk, (sg_size_t)bytes);
    else if (disk)
        sg_disk_read(disk, (sg_size_t)bytes);
}

/* An actor for operations that continue while the rank does other work. */
static void mover_main(int argc, char **argv)
{
    void *done = NULL;
    if (argc > 3 && sscanf(argv[1], "%p", &done) == 1)
        move(argv[2][0] == 'w', strtod(argv[3], NULL));
    if (done)
        sg_sem_release(done);
}

/* The semaphore signals that the data has arrived. */
static sg_sem_t move_beside(int writes, double bytes)
{
    const sg_sem_t done = sg_sem_init(0);
    char name[] = "file", direction[] = {writes ? 'w' : 'r', '\0'}, address[32], size[32];
    snprintf(address, sizeof address, "%p", (void *)done);
    snprintf(size, sizeof size, "%.17g", bytes);
    char *argv[] = {name, address, direction, size, NULL};
    sg_actor_create("file", sg_host_self(), mover_main, 4, argv);
    return done;
}

/* Waits for the operation that the split collective of this file has begun. */
static int end_split(smpi_rank *r)
{
    sg_sem_t *done = &r->file_done[r->event.comm];
    if (*done) {
        sg_sem_acquire(*done);
        sg_sem_destroy(*done);
        *done = NULL;
    }
    return MPI_Barrier(r->comms[r->event.comm]);
}

static int access_file(smpi_rank *r, bool is_collective)
{
    const tl_event *e = &r->event;
    const int writes = is_write(r->info->action);
    const double bytes = (double)e->count * (double)e->type_bytes;
    int rc = MPI_SUCCESS;
    if (r->info->traits & TL_TRAIT_NB) {
        smpi_open_bundle(r, e->request)->done = move_beside(writes, bytes);
        return rc;
    }
    if (is_collective)
        rc = MPI_Barrier(r->comms[e->comm]);
    if (rc == MPI_SUCCESS)
        move(writes, bytes);
    return rc == MPI_SUCCESS && is_collective ? MPI_Barrier(r->comms[e->comm]) : rc;
}

int smpi_file_event(smpi_rank *r)
{
    const tl_event *e = &r->event;
    switch (r->info->action) {
    case TL_ACTION_FILE_OPEN: return MPI_Barrier(r->comms[e->new_comm]);
    case TL_ACTION_FILE_CLOSE:
    case TL_ACTION_FILE_SETUP:
    case TL_ACTION_FILE_PREALLOCATE:
    case TL_ACTION_FILE_SYNC: return MPI_Barrier(r->comms[e->comm]);
    case TL_ACTION_FILE_READ_BEGIN:
    case TL_ACTION_FILE_WRITE_BEGIN: /* one at a time for each file */
        r->file_done[e->comm] =
            move_beside(is_write(r->info->action), (double)e->count * (double)e->type_bytes);
        return MPI_SUCCESS;
    case TL_ACTION_FILE_READ_END:
    case TL_ACTION_FILE_WRITE_END: return end_split(r);
    case TL_ACTION_FILE_READ_ALL:
    case TL_ACTION_FILE_WRITE_ALL: return access_file(r, 1);
    default: return access_file(r, 0);
    }
}
