/* waits.c - what a call waits for: a late sender, a late receiver, the last rank of a collective;
 * and the moment from which the event that ended the call was under way.
 *
 * The terms are those of Scalasca's patterns (scalasca.org, Late Sender, Late Receiver, Wait at
 * Barrier, Wait at N x N, Late Broadcast, Early Reduce, Early Scan). */
#include "config.h"

#include "halves.h"

#include <math.h>
#include <stdlib.h>

/* ---- clocks ---- */

/* Advances the clocks by a call that waited for no other rank. */
static void clock_call(tlr_clocks *clocks, double took_s, int on_any_network)
{
    for (int c = 0; c < N_CLOCKS; c++)
        if (c != CLOCK_NETWORK || on_any_network)
            clocks->s[c] += took_s;
}

void tlr_clock_join(tlr_clocks *clocks, const tlr_clocks *other)
{
    for (int c = 0; c < N_CLOCKS; c++)
        clocks->s[c] = fmax(clocks->s[c], other->s[c]);
}

/* A message or a collective ended, which took this time since both sides had come. */
static void clock_message(tlr_clocks *clocks, const tlr_half *half, const tlr_clocks *other,
                          double took_s)
{
    for (int c = 0; c < N_CLOCKS; c++) {
        double from_s = other->s[c];
        if (c != CLOCK_NETWORK)
            from_s = (half->other_is_eager ? from_s : fmax(from_s, half->clocks.s[c])) + took_s;
        if (c != CLOCK_NETWORK || half->is_certain)
            clocks->s[c] = fmax(clocks->s[c], from_s);
    }
}

/* ---- causes ---- */

/* The rank for which a half waited, and the moment from which the event that ended the wait was
 * under way. */
typedef struct cause {
    bool is_known;
    double late_s; /* when the other side was there */
    double from_s;
    double took_s;     /* the message alone, about */
    double overhead_s; /* what the processor of this side pays for it */
    int32_t rank;
    tlr_wait wait;
    tlr_clocks clocks; /* of the other side */
    tlr_walked walked; /* what leads to from_s */
} cause;

static cause cause_of(const tlr_half *half, const tlr_message_times *times)
{
    cause c = {.wait = TLR_WAIT_COLLECTIVE, .rank = -1};
    if (half->meeting) {
        c.rank = tlr_last_needed(half, &c.late_s, &c.clocks, &c.walked);
    } else if (half->is_met && (!half->is_send || half->is_bound)) {
        c.wait = half->is_send ? TLR_WAIT_LATE_RECEIVER : TLR_WAIT_LATE_SENDER;
        c.rank = half->other;
        c.late_s = half->other_s;
        c.clocks = half->other_clocks;
        c.walked = half->other_walked;
        c.took_s = times->message_s(times->context, half);
        c.overhead_s = times->overhead_s(times->context, half);
    }
    c.is_known = c.rank >= 0;
    c.from_s = c.late_s;
    if (c.is_known && half->at_s >= c.late_s && !half->other_is_eager) {
        c.from_s = half->at_s;
        c.rank = (int32_t)half->rank;
        c.walked = half->walked;
    }
    return c;
}

/* The time of the call since its last message was under way is the time of this message. The other
 * messages were there before. */
static void advance_clocks(tlr_half *const *now, size_t n, const cause *causes, const cause *last,
                           const tlr_state *state, int on_any_network, tlr_clocks *clocks)
{
    tlr_clocks to = *clocks;
    for (size_t i = 0; i < n; i++) {
        const cause *c = &causes[i];
        double room_s = state->end_s - c->from_s;
        if (!now[i]->meeting) /* it may have waited for this call, which has no part in its time */
            room_s = fmin(room_s, 2 * c->took_s + (state->end_s - state->begin_s));
        if (c->is_known)
            clock_message(&to, now[i], &c->clocks,
                          c == last            ? room_s
                          : c->took_s < room_s ? c->took_s
                                               : room_s);
    }
    if (!last)
        clock_call(&to, state->end_s - state->begin_s, on_any_network);
    *clocks = to;
}

/* The message should have come before the call, and the call took less time than a message and the
 * overheads of all that it completes. This is the call's own time. */
static bool was_there(const cause *c, const tlr_state *state, double overheads_s)
{
    return c->from_s + c->took_s <= state->begin_s &&
           state->end_s - state->begin_s <= c->took_s + overheads_s;
}

/* ---- the way of the critical path ---- */

tlr_part tlr_part_of(const tlr_state *s)
{
    switch (s->kind) {
    case TLR_STATE_COMPUTE: return TLR_PART_COMPUTE;
    case TLR_STATE_KERNEL: return TLR_PART_KERNEL;
    case TLR_STATE_COLLECTIVE: return TLR_PART_COLLECTIVE;
    case TLR_STATE_IO: return TLR_PART_IO;
    case TLR_STATE_OTHER: return TLR_PART_OTHER;
    default: break;
    }
    return s->wait == TLR_WAIT_COLLECTIVE ? TLR_PART_COLLECTIVE : TLR_PART_MESSAGE;
}

void tlr_walk_on(tlr_walked *walked, const tlr_state *state)
{
    walked->parts_s[tlr_part_of(state)] += state->end_s - state->begin_s;
}

/* The path to the end of the call goes by what ended it. */
static void walk_by(tlr_walked *walked, const cause *c, const tlr_state *state)
{
    *walked = c->walked;
    walked->parts_s[tlr_part_of(state)] += state->end_s - c->from_s;
    walked->n_jumps += state->cause_rank != (int32_t)state->rank;
}

int tlr_end_waits(tlr_half *const *now, size_t n, const tlr_message_times *times,
                  int on_any_network, tlr_clocks *clocks, tlr_walked *walked, tlr_state *state)
{
    cause few[16], *causes = few;
    const cause *last = NULL;
    if (n > sizeof few / sizeof *few && !(causes = calloc(n, sizeof *causes)))
        return 0;
    double overheads_s = 0;
    for (size_t i = 0; i < n; i++) {
        causes[i] = cause_of(now[i], times);
        overheads_s += causes[i].overhead_s;
    }
    overheads_s *= 1 + 1e-6; /* rounding of the clock */
    for (size_t i = 0; i < n; i++) {
        const cause *c = &causes[i];
        if (c->is_known && c->from_s < state->end_s && state->end_s > state->begin_s &&
            !was_there(c, state, overheads_s) &&
            (!last || c->from_s + c->took_s > last->from_s + last->took_s))
            last = c;
    }
    advance_clocks(now, n, causes, last, state, on_any_network, clocks);
    state->cause_rank = -1;
    if (last) {
        state->cause_rank = last->rank;
        state->cause_s = last->from_s;
        state->wait = (uint8_t)last->wait;
        if (last->late_s > state->begin_s)
            state->wait_s = last->late_s - state->begin_s;
    }
    if (walked && last)
        walk_by(walked, last, state);
    else if (walked)
        tlr_walk_on(walked, state);
    if (causes != few)
        free(causes);
    return 1;
}
