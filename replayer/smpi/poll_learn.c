/* poll_learn.c - learns what the ranks of a trace do while they poll, before the replay begins.
 *
 * The marks of call sites hold for all ranks: what one rank does at a call site, any other rank may
 * do there, too. So all ranks wait at the same places, and no rank waits where the program would
 * not. */
#include "config.h"

#include "poll.h"

#include <stdlib.h>
#include <string.h>

/* ---- call sites of all ranks ---- */

/* Different ranks have their call sites in nearly the same order. */
static uint32_t number_of(smpi_polls *p, const tl_site *site, size_t hint)
{
    for (size_t i = 0; i < p->n_sites; i++) {
        const size_t k = (i + hint) % p->n_sites;
        if (p->sites[k].offset == site->offset && !strcmp(p->sites[k].object, site->object))
            return (uint32_t)k + 1;
    }
    if (p->n_sites == p->room) {
        p->room = p->room ? 2 * p->room : 64;
        p->sites = realloc(p->sites, p->room * sizeof *p->sites);
        p->marks = realloc(p->marks, p->room);
        if (!p->sites || !p->marks)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for call sites");
    }
    p->sites[p->n_sites] = *site;
    p->marks[p->n_sites] = 0;
    return (uint32_t)++p->n_sites;
}

static void number_sites(smpi_polls *p, tl_reader *trace, uint32_t rank)
{
    const tl_site *sites;
    const size_t n = tl_reader_sites(trace, rank, &sites);
    uint32_t n_ids = 0;
    for (size_t i = 0; i < n; i++)
        n_ids = sites[i].id < UINT32_MAX && sites[i].id >= n_ids ? sites[i].id + 1 : n_ids;
    if (n_ids > 2 * n + 64) /* numbers far apart: without them */
        n_ids = 0;
    p->n_ids[rank] = n_ids;
    p->site_of[rank] = smpi_alloc(n_ids + 1, sizeof **p->site_of);
    for (size_t i = 0; i < n && n_ids; i++)
        if (sites[i].id < n_ids)
            p->site_of[rank][sites[i].id] = number_of(p, &sites[i], i);
}

static void mark(smpi_polls *p, uint32_t site, unsigned what)
{
    if (site)
        p->marks[site - 1] |= (uint8_t)what;
}

int smpi_polls_have(const smpi_polls *p, uint32_t site, unsigned what)
{
    return site && (p->marks[site - 1] & what);
}

const smpi_sweep *smpi_polls_sweep(const smpi_polls *p, uint32_t site)
{
    for (size_t i = 0; site && i < p->n_sweeps; i++)
        if (p->sweeps[i].piece_site == site || p->sweeps[i].rest_site == site)
            return &p->sweeps[i];
    return NULL;
}

/* ---- the events before a block ---- */

/* The last piece begins at `at`; the rest begins behind the block. */
static void learn_sweep(smpi_window *w, size_t at, size_t period)
{
    smpi_polls *p = w->polls;
    smpi_sweep sweep = {.period = (uint32_t)period};
    for (size_t i = 0; i < period; i++) {
        const smpi_waiting *rest = smpi_peek(w, w->block + w->block_n + i);
        const smpi_waiting *piece = smpi_peek(w, at + i);
        if (!rest || tl_call_by_code(rest->event.call)->action != TL_ACTION_KERNEL)
            return;
        const int dimension = smpi_differing_dimension(&piece->event, &rest->event);
        if (dimension < 0 || (i && piece->event.list[dimension] != sweep.unit))
            return;
        sweep.call[i] = piece->event.call;
        sweep.dimension[i] = (uint32_t)dimension;
        sweep.unit = piece->event.list[dimension];
        if (i == 0) {
            sweep.piece_site = piece->site;
            sweep.rest_site = rest->site;
        }
    }
    if (!sweep.piece_site || !sweep.rest_site || smpi_polls_sweep(p, sweep.piece_site) ||
        smpi_polls_sweep(p, sweep.rest_site) || p->n_sweeps == SMPI_MAX_SWEEPS)
        return;
    p->sweeps[p->n_sweeps++] = sweep;
}

static void learn_block(smpi_window *w)
{
    size_t n_kernels = 0, last_polled = SMPI_NO_BLOCK;
    for (size_t i = 0; i < w->block; i++) {
        const smpi_waiting *item = smpi_peek(w, i);
        if (item->event.polls) {
            mark(w->polls, item->site, SMPI_IS_PLACE);
            if (smpi_action_at(w, i) != TL_ACTION_KERNEL)
                mark(w->polls, i ? smpi_peek(w, i - 1)->site : w->before, SMPI_GOES_ON);
        }
        if (smpi_action_at(w, i) != TL_ACTION_KERNEL) {
            mark(w->polls, item->site, SMPI_MAY_PASS);
            n_kernels = 0;
            last_polled = SMPI_NO_BLOCK;
            continue;
        }
        n_kernels++;
        if (item->event.polls)
            last_polled = i;
    }
    const size_t period = last_polled == SMPI_NO_BLOCK ? n_kernels : w->block - last_polled;
    if (period && period <= SMPI_MAX_PERIOD)
        learn_sweep(w, w->block - period, period);
}

static tl_status next_of_cursor(void *cursor, tl_event *event)
{
    return tl_cursor_next(cursor, event);
}

static void learn_rank(smpi_polls *p, tl_reader *trace, uint32_t rank)
{
    tl_error err;
    tl_cursor *cursor = NULL;
    const tl_status status = tl_cursor_open(trace, rank, &cursor, &err);
    if (status != TL_OK)
        smpi_give_up(status, "%s", err.text);
    smpi_window w = {
        .next = next_of_cursor, .arg = cursor, .polls = p, .rank = rank, .block = SMPI_NO_BLOCK};
    while (smpi_peek(&w, 0)) {
        smpi_find_block(&w);
        if (w.block != SMPI_NO_BLOCK) {
            learn_block(&w);
            smpi_drop(&w, 0, w.block + w.block_n);
            w.block = SMPI_NO_BLOCK;
        } else {
            smpi_advance(&w);
        }
    }
    free(w.items);
    tl_cursor_close(cursor);
}

smpi_polls *smpi_polls_learn(tl_reader *trace, uint32_t n_ranks)
{
    smpi_polls *p = smpi_alloc(1, sizeof *p);
    p->n_ranks = n_ranks;
    p->site_of = smpi_alloc(n_ranks, sizeof *p->site_of);
    p->n_ids = smpi_alloc(n_ranks, sizeof *p->n_ids);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        number_sites(p, trace, rank);
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        learn_rank(p, trace, rank);
    return p;
}

void smpi_polls_free(smpi_polls *p)
{
    for (uint32_t rank = 0; rank < p->n_ranks; rank++)
        free(p->site_of[rank]);
    free(p->site_of);
    free(p->n_ids);
    free(p->sites);
    free(p->marks);
    free(p);
}
