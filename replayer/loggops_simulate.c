/* loggops_simulate.c - run the programs of all ranks in the LogGOPS model (loggops.h).
 *
 * A message reaches its receiver o + L after its send started, and so does a rendezvous' reply.  So
 * time goes on in windows of o + L: all that arrives in a window was sent before it, and within the
 * window each rank goes its own way, whatever the order.  There is no queue of events: a block of
 * ranks, small enough for the cache, keeps the messages of the next window in an array and the
 * ranks that have something to do later in a timing wheel.
 */
#include "loggops_simulate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one window ---- */

/* Gives the block's ranks their letters and lets all that have something to do run. */
static void run_block(simulation *s, block *b, uint64_t window)
{
    const uint64_t end_ps = (window + 1) * s->window_ps;
    const outbox in = b->inbox;
    uint32_t active = loggops_wheel_turn(s, b, window);
    for (uint32_t r = active; r != NONE; r = s->ranks[r].wake_next)
        s->ranks[r].wake_place = 0, s->ranks[r].is_active = 1;
    for (uint32_t i = 0; i < in.n; i++) {
        const letter *l = &in.letters[i];
        sim_rank *rank = &s->ranks[l->to];
        const uint32_t n = loggops_take_node(s, b);
        if (n == NONE)
            return;
        b->nodes[n] = l->message;
        b->nodes[n].next = rank->fresh;
        rank->fresh = n;
        if (rank->is_active)
            continue;
        if (rank->wake_place)
            loggops_wheel_remove(s, b, l->to);
        rank->is_active = 1;
        rank->wake_next = active;
        active = l->to;
    }
    b->inbox.n = 0;
    for (uint32_t r = active, next; r != NONE; r = next) {
        next = s->ranks[r].wake_next;
        s->ranks[r].is_active = 0;
        loggops_run_rank(s, b, r, end_ps);
    }
}

/* The earliest window in which something can happen. */
static uint64_t next_window(const simulation *s, uint64_t window)
{
    uint64_t next = NEVER;
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        const block *b = &s->blocks[i];
        const uint64_t due = b->inbox.n ? window + 1 : loggops_wheel_next(&b->wheel);
        if (due < next)
            next = due;
    }
    return next;
}

static void run_windows(simulation *s)
{
    for (uint64_t window = 0; window != NEVER && !s->out_of_memory;
         window = next_window(s, window)) {
        for (uint32_t i = 0; i < s->n_blocks; i++)
            run_block(s, &s->blocks[i], window);
        for (uint32_t i = 0; i < s->n_blocks; i++) {
            const outbox empty = s->blocks[i].inbox;
            s->blocks[i].inbox = s->blocks[i].outbox;
            s->blocks[i].outbox = empty;
        }
    }
}

/* ---- start and end ---- */

static int prepare(simulation *s)
{
    const loggops_run *run = s->run;
    s->n_blocks = (run->n_ranks + BLOCK_RANKS - 1) / BLOCK_RANKS;
    s->blocks = calloc(s->n_blocks, sizeof *s->blocks);
    s->ranks = calloc(run->n_ranks, sizeof *s->ranks);
    if (!s->blocks || !s->ranks)
        return 0;
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        memset(s->blocks[i].wheel.heads, 0xff, sizeof s->blocks[i].wheel.heads);
        s->blocks[i].free = s->blocks[i].free_fiber = NONE;
    }
    uint64_t n_requests = 0;
    for (uint32_t r = run->n_ranks; r-- > 0;) {
        sim_rank *rank = &s->ranks[r];
        rank->program = run->program_of[r];
        rank->requests = n_requests;
        n_requests += run->programs[rank->program].n_requests;
        rank->arrivals = rank->fresh = rank->fibers = NONE;
        rank->posted = rank->unexpected = (queue){NONE, NONE};
        loggops_wheel_insert(s, &s->blocks[r / BLOCK_RANKS], r, 0);
    }
    s->requests = calloc(n_requests + 1, 1);
    return s->requests != NULL;
}

static void release(simulation *s)
{
    for (uint32_t i = 0; s->blocks && i < s->n_blocks; i++) {
        free(s->blocks[i].nodes);
        free(s->blocks[i].fibers);
        free(s->blocks[i].inbox.letters);
        free(s->blocks[i].outbox.letters);
    }
    free(s->blocks);
    free(s->ranks);
    free(s->requests);
}

static tl_status report_deadlock(const simulation *s, tl_error *err)
{
    char text[400] = "";
    size_t used = 0;
    for (uint32_t r = 0; r < s->run->n_ranks && used < sizeof text - 80; r++) {
        static const char *const states[] = {"runs", "is in a send or receive",
                                             "waits for requests", "is in a collective"};
        if (s->ranks[r].state != FINISHED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%srank %" PRIu32 " %s",
                                     used ? "; " : "", r, states[s->ranks[r].state]);
    }
    return tl_fail(err, TL_ERR_DEADLOCK,
                   "the replay cannot go on, %" PRIu32 " ranks wait forever: %s",
                   s->run->n_ranks - s->n_finished, text);
}

tl_status loggops_simulate(const loggops_run *run, const loggops_params *params,
                           const loggops_noise *noise, loggops_result *result, tl_error *err)
{
    tl_status status = TL_OK;
    simulation s = {.run = run,
                    .params = *params,
                    .noise = noise,
                    .window_ps = params->L_ps + params->o_ps,
                    .result = result};
    result->n_operations = result->n_messages = result->makespan_ps = 0;
    memset(result->ranks, 0, run->n_ranks * sizeof *result->ranks);
    if (!prepare(&s))
        s.out_of_memory = 1;
    else
        run_windows(&s);
    if (s.out_of_memory)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory in the simulation");
    else if (s.n_finished < run->n_ranks)
        status = report_deadlock(&s, err);
    for (uint32_t r = 0; r < run->n_ranks && status == TL_OK; r++)
        if (result->makespan_ps < result->ranks[r].end_ps)
            result->makespan_ps = result->ranks[r].end_ps;
    release(&s);
    return status;
}
