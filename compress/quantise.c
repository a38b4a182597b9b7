/* quantise.c - volumes to a stated precision, their sum kept. */
#include "quantise.h"

/* Volumes are rounded down, so that what is carried is never negative and the last event can take
 * it.  A volume that may be the same as the last one of its call site becomes so: that costs
 * nothing in the file.  Others lose their low bits. */
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
    /* A sum beyond 2^53 has lost its meaning for the arithmetic here. */
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
