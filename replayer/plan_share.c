/* plan_share.c - finds ranks with the same events, which are then read once.
 *
 * The trace knows which ranks have the same events except for their neighbours on MPI_COMM_WORLD,
 * which are at equal distances. This file reads two such ranks side by side. It checks for values
 * that mean something else on each rank. For example, a wildcard receive may have matched the same
 * rank on both. */
#include "actions.h"
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* Rooted calls with different sizes on both sides mean one thing on the root and another on all
 * other ranks. */
static bool has_sides(const tl_event *e, const tl_call_info *info)
{
    return tl_varies_at_root(info->action) &&
           e->count * e->type_bytes != e->recv_count * e->recv_type_bytes;
}

/* Whether the peers of two ranks, which are so far apart, are the same rank, none, or neighbours at
 * equal distance. */
static bool are_alike(int32_t a, int32_t b, int64_t apart, bool is_neighbour)
{
    return a == b ? a < 0 || !is_neighbour : a >= 0 && is_neighbour && (int64_t)b - a == apart;
}

/* Compares events of two ranks with the same leader. */
static int do_the_same(const tl_event *a, const tl_event *b, int64_t apart)
{
    const tl_call_info *info = tl_call_by_code(a->call);
    if (!info || a->comm > TL_COMM_WORLD || a->new_comm || has_sides(a, info))
        return 0;
    const bool has_peer = (info->slots & TL_SLOT_PEER) != 0;
    const bool has_recv_peer = (info->slots & TL_SLOT_RECV_PEER) != 0;
    const bool is_neighbour = tl_is_message(info->action);
    return (!has_peer || are_alike(a->peer, b->peer, apart, is_neighbour)) &&
           (!has_recv_peer || are_alike(a->recv_peer, b->recv_peer, apart, is_neighbour));
}

/* Reads both ranks. If reading fails, the later passes report it. */
static int read_side_by_side(tl_reader *trace, uint32_t a, uint32_t b)
{
    tl_cursor *cursors[2] = {NULL, NULL};
    tl_event events[2];
    int same = tl_cursor_open(trace, a, &cursors[0], NULL) == TL_OK &&
               tl_cursor_open(trace, b, &cursors[1], NULL) == TL_OK;
    while (same) {
        const tl_status first = tl_cursor_next(cursors[0], &events[0]);
        const tl_status second = tl_cursor_next(cursors[1], &events[1]);
        if (first == TL_END && second == TL_END)
            break;
        same = first == TL_OK && second == TL_OK &&
               do_the_same(&events[0], &events[1], (int64_t)b - a);
    }
    tl_cursor_close(cursors[0]);
    tl_cursor_close(cursors[1]);
    return same;
}

/* Whether the two ranks have the same definitions of call sites and kernels, and no clocks, which
 * would have to be read. */
static int define_the_same(tl_reader *trace, uint32_t a, uint32_t b)
{
    const tl_comm *comms;
    const tl_site *sites[2];
    const tl_user_kernel *kernels[2];
    tl_rank_summary ends[2];
    if (tl_reader_comms(trace, a, &comms) || tl_reader_comms(trace, b, &comms) ||
        tl_reader_rank(trace, a, &ends[0]) != TL_OK ||
        tl_reader_rank(trace, b, &ends[1]) != TL_OK || ends[0].clock_ns || ends[1].clock_ns)
        return 0;
    const size_t n_sites = tl_reader_sites(trace, a, &sites[0]);
    const size_t n_kernels = tl_reader_kernels(trace, a, &kernels[0]);
    if (tl_reader_sites(trace, b, &sites[1]) != n_sites ||
        tl_reader_kernels(trace, b, &kernels[1]) != n_kernels)
        return 0;
    for (size_t i = 0; i < n_sites && sites[0] != sites[1]; i++)
        if (sites[0][i].id != sites[1][i].id || sites[0][i].offset != sites[1][i].offset ||
            sites[0][i].caller != sites[1][i].caller ||
            strcmp(sites[0][i].object, sites[1][i].object) != 0)
            return 0;
    for (size_t i = 0; i < n_kernels && kernels[0] != kernels[1]; i++)
        if (kernels[0][i].id != kernels[1][i].id ||
            strcmp(kernels[0][i].name, kernels[1][i].name) != 0)
            return 0;
    return 1;
}

static tlr_plan_rank *new_rank(uint32_t first)
{
    tlr_plan_rank *rank = calloc(1, sizeof *rank);
    if (rank)
        *rank = (tlr_plan_rank){.first = first, .last = first, .n_alike = 1};
    return rank;
}

tl_status tlr_plan_share_ranks(tl_reader *trace, tlr_plan *plan, tl_error *err)
{
    enum { UNKNOWN = 0, ALIKE, OTHERWISE };
    uint8_t *kinds = calloc(plan->n_ranks, 1); /* by leader */
    plan->ranks = calloc(plan->n_ranks, sizeof *plan->ranks);
    if (!kinds || !plan->ranks)
        goto no_memory;
    for (uint32_t r = 0; r < plan->n_ranks; r++) {
        const uint32_t like = tl_reader_leader(trace, r, 1);
        if (like < r && kinds[like] != OTHERWISE && define_the_same(trace, like, r)) {
            if (kinds[like] == UNKNOWN)
                kinds[like] = read_side_by_side(trace, like, r) ? ALIKE : OTHERWISE;
            if (kinds[like] == ALIKE) {
                plan->ranks[r] = plan->ranks[like];
                plan->ranks[r]->n_alike++;
                plan->ranks[r]->last = r;
                continue;
            }
        }
        if (!(plan->ranks[r] = new_rank(r)))
            goto no_memory;
    }
    free(kinds);
    return TL_OK;
no_memory:
    free(kinds);
    return tl_no_memory(err, "reading the trace");
}

void tlr_plan_free_ranks(tlr_plan *plan)
{
    for (uint32_t r = 0; plan->ranks && r < plan->n_ranks; r++) {
        tlr_plan_rank *rank = plan->ranks[r];
        if (!rank || rank->first != r)
            continue;
        free(rank->comms);
        free(rank->definitions);
        free(rank->sequences);
        free(rank->sites);
    }
    for (uint32_t r = plan->ranks ? plan->n_ranks : 0; r-- > 0;)
        if (plan->ranks[r] && plan->ranks[r]->first == r)
            free(plan->ranks[r]);
    free(plan->ranks);
}
