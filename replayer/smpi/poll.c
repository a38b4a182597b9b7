/* poll.c - replays the events of a rank that polls (--polls adaptive). Probes succeed when the
 * message is there on this platform, not where they succeeded in the recorded run. */
#include "config.h"

#include "rank.h"
#include "poll.h"
#include "smpi/shims/shims.h"

#include <stdlib.h>

/* A block (the moved calls of doc/FORMAT.md, "Polls") that was taken from its recorded place. */
typedef struct moved_block {
    smpi_waiting items[SMPI_MAX_BLOCK];
    size_t n;
    uint32_t n_polls; /* directly before it */
    uint32_t before;  /* call site of the event before its own place, where it is the first */
} moved_block;

int smpi_has_arrived(void *rank, const tl_event *probe)
{
    smpi_rank *r = rank;
    int flag = 0;
    smpi_compute(r);
    if (probe->peer < 0 || r->comms[probe->comm] == MPI_COMM_NULL)
        return 1;
    smpi_cores_probe();
    MPI_Iprobe(probe->peer + (int)r->peer_offset[probe->comm], probe->tag, r->comms[probe->comm],
               &flag, MPI_STATUS_IGNORE);
    return flag;
}

static tl_status next_of_rank(void *rank, tl_event *event)
{
    smpi_rank *r = rank;
    return tlr_streams_next(r->job->streams, r->rank, event);
}

static void play(smpi_rank *r, const smpi_waiting *item)
{
    r->event = item->event;
    smpi_play(r, item->index);
}

static void play_first(smpi_rank *r)
{
    play(r, smpi_peek(r->window, 0));
    smpi_advance(r->window);
}

/* ---- blocks ---- */

static void take_block(smpi_window *w, moved_block *block)
{
    block->n = w->block_n;
    block->n_polls = smpi_peek(w, w->block)->event.polls;
    block->before = w->before;
    for (size_t i = 0; i < block->n; i++) {
        smpi_waiting *item = smpi_peek(w, w->block + i);
        block->items[i] = *item;
        block->items[i].event.polls = 0;
        item->event.list = NULL; /* that of the moved one now */
    }
    smpi_drop(w, w->block, block->n);
    w->block = SMPI_NO_BLOCK;
}

static void play_block(smpi_rank *r, moved_block *block)
{
    for (size_t i = 0; i < block->n; i++) {
        play(r, &block->items[i]);
        free((int64_t *)block->items[i].event.list);
    }
}

static int is_there(smpi_rank *r, const moved_block *block)
{
    return smpi_has_arrived(r, &block->items[0].event);
}

/* ---- the rest of the work ---- */

/* To be called after a block was replayed early, in front of n events that preceded it. If work in
 * pieces is among them, or directly behind them, the program would have done all remaining work at
 * once. */
static void play_rest(smpi_rank *r, size_t n)
{
    while (n > 0 && !smpi_merge_pieces(r->window)) {
        play_first(r);
        n--;
    }
    if (n == 0)
        smpi_merge_pieces(r->window);
}

/* Replays work piece by piece, as the program does while it waits. Returns nonzero once the message
 * is there. */
static int play_in_pieces(smpi_rank *r, const moved_block *block)
{
    size_t n;
    while ((n = smpi_cut_piece(r->window)) > 0) {
        while (n-- > 0)
            play_first(r);
        if (is_there(r, block))
            return 1;
    }
    return 0;
}

/* The message of the block was there in the run, but is not here. The rank continues until it is.
 */
static void play_until_there(smpi_rank *r, const moved_block *block)
{
    smpi_window *w = r->window;
    int in_kernels = 0;
    const smpi_waiting *item = smpi_peek(w, 0);
    /* A program that polls again and again at one place waits there. */
    if (block->n_polls || (item && smpi_action_at(w, 0) != TL_ACTION_KERNEL &&
                           !smpi_polls_have(w->polls, block->before, SMPI_GOES_ON)))
        return;
    while ((item = smpi_peek(w, 0)) && !item->event.polls) {
        const int is_kernel = smpi_action_at(w, 0) == TL_ACTION_KERNEL;
        const uint64_t index = item->index;
        if (!is_kernel && (in_kernels || !smpi_polls_have(w->polls, item->site, SMPI_MAY_PASS)))
            return;
        if ((in_kernels || (!is_kernel && smpi_polls_have(w->polls, item->site, SMPI_IS_PLACE))) &&
            is_there(r, block))
            return;
        if (is_kernel && play_in_pieces(r, block))
            return;
        in_kernels = is_kernel;
        item = smpi_peek(w, 0);
        if (item && item->index == index)
            play_first(r);
    }
}

/* At a polling place of a block: nonzero if the block has been replayed, there or later. */
static int play_polled(smpi_rank *r)
{
    smpi_window *w = r->window;
    moved_block block = {.n = 0};
    const size_t n = w->block;
    const int has_come = smpi_has_arrived(r, &smpi_peek(w, n)->event);
    if (!has_come && n)
        return 0;
    take_block(w, &block);
    if (!has_come)
        play_until_there(r, &block);
    play_block(r, &block);
    if (has_come)
        play_rest(r, n);
    return 1;
}

tl_status smpi_play_adaptively(smpi_rank *r)
{
    smpi_job *job = r->job;
    if (!job->polls)
        job->polls = smpi_polls_learn(job->trace, job->plan->n_ranks);
    job->n_polling++;
    smpi_window w = {.next = next_of_rank,
                     .arg = r,
                     .polls = job->polls,
                     .rank = r->rank,
                     .block = SMPI_NO_BLOCK};
    const smpi_waiting *item;
    r->window = &w;
    while ((item = smpi_peek(&w, 0))) {
        smpi_find_block(&w);
        const int polls = w.block == 0 || (w.block != SMPI_NO_BLOCK && item->event.polls);
        if (!polls || !play_polled(r))
            play_first(r);
    }
    free(w.items);
    r->window = NULL;
    if (--job->n_polling == 0) {
        smpi_polls_free(job->polls);
        job->polls = NULL;
    }
    return w.status;
}
