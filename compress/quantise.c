/* quantise.c - rounds volumes and clocks to a given precision and keeps their sums. */
#include "quantise.h"

/* What is rounded: volumes, and the times between the clocks of a rank. */
enum { VOLUMES, INTERVALS };

/* Values are rounded down. The carried rest is therefore never negative, and the last event can
 * take it. If a value can be rounded to the last one of its call site, it is, because that costs
 * nothing in the file. Other values lose their low bits. */
static uint64_t choose(uint64_t value, uint64_t carry, double precision, uint64_t last)
{
    uint64_t slack = (uint64_t)((double)value * precision);
    if (!slack)
        return value;
    uint64_t low = value - slack, high = value + (carry < slack ? carry : slack);
    if (last >= low && last <= high)
        return last;
    uint64_t step = UINT64_C(1) << (63 - __builtin_clzll(slack)); /* at most the slack */
    return high / step * step;
}

static uint64_t *last_of(tl_quantiser *q, const tl_event *event, unsigned what)
{
    return tl_map_at(&q->last, ((uint64_t)event->site << 16 | event->call) << 1 | what);
}

static bool round_volume(tl_quantiser *q, tl_event *event, bool is_last)
{
    /* Above 2^53 the arithmetic here is not exact. */
    if (is_last || event->volume >> 53) {
        event->volume += q->carry;
        q->carry = 0;
        return true;
    }
    uint64_t *last = last_of(q, event, VOLUMES);
    if (!last)
        return false;
    uint64_t chosen = choose(event->volume, q->carry, q->precision, *last);
    q->carry += event->volume - chosen;
    *last = event->volume = chosen;
    return true;
}

/* A clock is never rounded up, so that clocks stay in their order. The first clock of a rank and
 * its last event keep theirs, and so does a clock that goes back. */
static bool round_clock(tl_quantiser *q, tl_event *event, bool is_last)
{
    const uint64_t now = event->clock_ns;
    const uint64_t interval = now - q->clock_ns, carry = q->clock_ns - q->written_ns;
    if (is_last || !q->has_clock || now < q->clock_ns || interval >> 53) {
        q->has_clock = true;
        q->clock_ns = q->written_ns = now;
        return true;
    }
    uint64_t *last = last_of(q, event, INTERVALS);
    if (!last)
        return false;
    const uint64_t slack = (uint64_t)((double)interval * q->precision);
    uint64_t chosen = interval + carry; /* exact */
    if (slack && *last <= chosen && chosen - *last <= slack)
        chosen = *last;
    else if (slack)
        chosen -= chosen % (UINT64_C(1) << (63 - __builtin_clzll(slack)));
    *last = chosen;
    q->clock_ns = now;
    event->clock_ns = q->written_ns += chosen;
    return true;
}

bool tl_quantise(tl_quantiser *q, tl_event *event, bool is_last)
{
    const tl_call_info *row = tl_call_by_code(event->call);
    if (row && row->slots & TL_SLOT_CLOCK && !round_clock(q, event, is_last))
        return false;
    return round_volume(q, event, is_last);
}

void tl_quantiser_free(tl_quantiser *q)
{
    tl_map_free(&q->last);
}
