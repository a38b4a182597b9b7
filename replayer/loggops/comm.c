/* comm.c - the ranks of a communicator. */
#include "program.h"

#include <stdlib.h>

/* The members are in ascending order; otherwise `order` lists their positions in ascending order.
 */
uint32_t loggops_rank_in(const loggops_comm *comm, uint32_t rank)
{
    if (!comm->members)
        return rank;
    uint32_t low = 0, high = comm->n_members;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t at = comm->order ? (uint32_t)comm->order[middle] : middle;
        if ((uint32_t)comm->members[at] <= rank)
            low = middle;
        else
            high = middle;
    }
    return comm->order ? (uint32_t)comm->order[low] : low;
}

int32_t loggops_partner(const loggops_comm *comm, uint32_t rank, int32_t peer)
{
    if (peer == LOGGOPS_ANY || peer == LOGGOPS_NOBODY)
        return peer;
    uint64_t at = (uint64_t)loggops_rank_in(comm, rank) + (uint32_t)peer;
    if (at >= comm->n_members)
        at -= comm->n_members;
    return comm->members ? comm->members[at] : (int32_t)at;
}

static const int32_t *members_to_sort;
static int compare_positions(const void *a, const void *b)
{
    const int32_t x = members_to_sort[*(const int32_t *)a],
                  y = members_to_sort[*(const int32_t *)b];
    return x < y ? -1 : x > y;
}

/* Communicators of all ranks in order need no table. Other communicators whose members do not
 * ascend need one. */
static int read_comm(const tlr_plan *plan, const tlr_plan_comm *from, loggops_comm *to)
{
    int ascends = 1;
    for (uint32_t i = 1; i < from->n_members; i++)
        ascends &= from->members[i - 1] < from->members[i];
    *to = (loggops_comm){
        .n_members = from->n_members, .members = from->members, .n_first = from->n_first};
    if (ascends && from->n_members == plan->n_ranks)
        to->members = NULL;
    if (ascends)
        return 1;
    to->order = malloc(from->n_members * sizeof *to->order);
    if (!to->order)
        return 0;
    for (uint32_t i = 0; i < from->n_members; i++)
        to->order[i] = (int32_t)i;
    members_to_sort = from->members;
    qsort(to->order, from->n_members, sizeof *to->order, compare_positions);
    return 1;
}

/* How many members each host has. `n_on`: zeros, by host. */
static void find_hosts(const loggops_places *places, loggops_comm *comm, uint32_t *n_on)
{
    const uint32_t n = comm->n_members;
    comm->n_on_host = comm->is_in_blocks = 1;
    if (!places || comm->n_first || !n)
        return;
#define HOST_OF(i) places->host_of[comm->members ? (uint32_t)comm->members[i] : (i)]
    for (uint32_t i = 0; i < n; i++)
        n_on[HOST_OF(i)]++;
    const uint32_t each = n_on[HOST_OF(0)];
    bool is_even = 1;
    for (uint32_t i = 0; i < n; i++) {
        is_even &= n_on[HOST_OF(i)] == each;
        comm->is_in_blocks &= HOST_OF(i) == HOST_OF(i - i % each);
    }
    for (uint32_t i = 0; i < n; i++)
        n_on[HOST_OF(i)] = 0;
#undef HOST_OF
    comm->n_on_host = is_even ? each : 0;
}

int loggops_read_comms(loggops_run *run, const tlr_plan *plan, const loggops_places *places)
{
    uint32_t *n_on = calloc(places ? places->cluster.n_hosts : 1, sizeof *n_on);
    run->comms = calloc(plan->n_comms + 1, sizeof *run->comms);
    int is_read = n_on && run->comms;
    for (size_t i = 0; i < plan->n_comms && is_read; i++, run->n_comms++) {
        is_read = read_comm(plan, &plan->comms[i], &run->comms[i]);
        if (is_read)
            find_hosts(places, &run->comms[i], n_on);
    }
    free(n_on);
    run->n_comms++;
    return is_read;
}
