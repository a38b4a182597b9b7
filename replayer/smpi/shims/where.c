/* where.c - the hosts of processes, by SimGrid's object of a process and by its number. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>

/* An actor that sends messages for a rank. */
typedef struct sender {
    const void *actor;
    sg_host_t host;
} sender;

static size_t n_places;  /* a power of two, or 0 */
static sender *senders;  /* by the address of their actor */
static sg_host_t *hosts; /* by process id */
static size_t n_pids;

static sender *find_sender(const void *actor)
{
    uint64_t h = (uintptr_t)actor * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t i = h >> 16 & (n_places - 1);
    while (senders[i].actor && senders[i].actor != actor)
        i = (i + 1) & (n_places - 1);
    return &senders[i];
}

void smpi_where_join(void)
{
    if (!n_places) {
        n_places = 64;
        while (n_places < 2 * (size_t)replay.n_ranks)
            n_places *= 2;
        senders = smpi_alloc(n_places, sizeof *senders);
    }
    const size_t pid = (size_t)sg_actor_self_get_pid();
    if (pid >= n_pids) {
        const size_t n = 2 * pid + replay.n_ranks;
        hosts = realloc(hosts, n * sizeof *hosts);
        if (!hosts)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for the hosts of the ranks");
        memset(hosts + n_pids, 0, (n - n_pids) * sizeof *hosts);
        n_pids = n;
    }
    hosts[pid] = sg_host_self();
    const void *actor = smpi_actor_self();
    *find_sender(actor) = (sender){actor, sg_host_self()};
}

sg_host_t smpi_where_sender(const void *actor)
{
    return n_places ? find_sender(actor)->host : NULL;
}

sg_host_t smpi_where_process(long number)
{
    return number > 0 && (size_t)number < n_pids ? hosts[number] : NULL;
}
