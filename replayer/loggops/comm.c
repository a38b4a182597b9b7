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
    *to = (loggops_comm){from->n_members, from->members, NULL, from->n_first};
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

int loggops_read_comms(loggops_run *run, const tlr_plan *plan)
{
    run->comms = calloc(plan->n_comms + 1, sizeof *run->comms);
    if (!run->comms)
        return 0;
    for (size_t i = 0; i < plan->n_comms; i++, run->n_comms++)
        if (!read_comm(plan, &plan->comms[i], &run->comms[i]))
            return 0;
    run->n_comms++;
    return 1;
}
