/* quantise.c - rounds volumes to a given precision and keeps their sum. */
#include "quantise.h"

/* Volumes are rounded down. The carried rest is therefore never negative, and the last event can
 * take it. If a volume can be rounded to the last one of its call site, it is, because that costs
 * nothing in the file. Other volumes lose their low bits. */
static uint64_t choose(uint64_t volume, uint64_t carry, double precision, uint64_t last)
{
    uint64_t slack = (uint64_t)((double)volume * precision);
    if (!slack)
        return volume;
    uint64_t low = volume - slack, high = volume + (carry < slack ? carry : slack);
    if (last >= low && last <= high)
        return last;
    uint64_t step = UINT64_C(1) << (63 - __builtin_clzll(slack)); /* at most the slack */
    return high / step * step;
}

bool tl_quantise(tl_quantiser *q, tl_event *event, bool is_last)
{
    /* Above 2^53 the arithmetic here is not exact. */
    if (is_last || event->volume >> 53) {
        event->volume += q->carry;
        q->carry = 0;
        return true;
    }
    uint64_t *last = tl_map_at(&q->last, (uint64_t)event->site << 16 | event->call);
    if (!last)
        return false;
    uint64_t chosen = choose(event->volume, q->carry, q->precision, *last);
    q->carry += event->volume - chosen;
    *last = event->volume = chosen;
    return true;
}

void tl_quantiser_free(tl_quantiser *q)
{
    tl_map_free(&q->last);
}
