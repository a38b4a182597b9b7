/* wheel.c - which ranks of a block go on in which window. */
#include "simulate.h"

/* Puts a rank into the wheel: at the level of the highest digit (of 6 bits) in which its window
 * differs from the present one, in the slot of that digit. */
void loggops_wheel_insert(simulation *s, block *b, uint32_t r, uint64_t window)
{
    sim_rank *rank = &s->ranks[r];
    const uint64_t apart = window ^ b->wheel.now;
    const unsigned level = apart ? (63 - (unsigned)__builtin_clzll(apart)) / WHEEL_BITS : 0;
    const unsigned slot = window >> (WHEEL_BITS * level) & (WHEEL_SLOTS - 1);
    uint32_t *head = &b->wheel.heads[level][slot];
    if (window < b->wheel.next)
        b->wheel.next = window;
    rank->wake_window = window;
    rank->wake_next = *head;
    rank->wake_before = NONE;
    if (*head != NONE)
        s->ranks[*head].wake_before = r;
    *head = r;
    rank->wake_place = (uint16_t)(level * WHEEL_SLOTS + slot);
    rank->is_asleep = 1;
    b->wheel.filled[level] |= UINT64_C(1) << slot;
}

void loggops_wheel_remove(simulation *s, block *b, uint32_t r)
{
    sim_rank *rank = &s->ranks[r];
    const unsigned level = rank->wake_place / WHEEL_SLOTS;
    const unsigned slot = rank->wake_place % WHEEL_SLOTS;
    if (rank->wake_window == b->wheel.next)
        b->wheel.has_next = 0;
    if (rank->wake_next != NONE)
        s->ranks[rank->wake_next].wake_before = rank->wake_before;
    if (rank->wake_before != NONE)
        s->ranks[rank->wake_before].wake_next = rank->wake_next;
    else if ((b->wheel.heads[level][slot] = rank->wake_next) == NONE)
        b->wheel.filled[level] &= ~(UINT64_C(1) << slot);
    rank->is_asleep = 0;
}

/* The first window of a slot. */
static uint64_t begin_of(const wheel *w, unsigned level, unsigned slot)
{
    const unsigned shift = WHEEL_BITS * level;
    const uint64_t above =
        shift + WHEEL_BITS < 64 ? w->now >> (shift + WHEEL_BITS) << (shift + WHEEL_BITS) : 0;
    return above | (uint64_t)slot << shift;
}

/* But for the lowest level, ranks of several windows share a slot; to look at many takes longer
 * than to visit a window in which none wakes up. */
static uint64_t earliest_of(const simulation *s, uint32_t r, uint64_t begin)
{
    enum { FEW = 64 };
    uint64_t earliest = NEVER;
    for (unsigned n = 0; r != NONE && earliest > begin; r = s->ranks[r].wake_next, n++)
        if (n == FEW)
            earliest = begin;
        else if (s->ranks[r].wake_window < earliest)
            earliest = s->ranks[r].wake_window;
    return earliest;
}

uint64_t loggops_wheel_find(const simulation *s, wheel *w)
{
    w->has_next = 1;
    w->next = NEVER;
    for (unsigned level = 0; level < WHEEL_LEVELS && w->next == NEVER; level++)
        if (w->filled[level]) {
            const unsigned slot = (unsigned)__builtin_ctzll(w->filled[level]);
            w->next = earliest_of(s, w->heads[level][slot], begin_of(w, level, slot));
        }
    return w->next;
}

/* Empties a slot and returns its list. */
static uint32_t wheel_take(wheel *w, unsigned level, unsigned slot)
{
    const uint32_t first = w->heads[level][slot];
    w->heads[level][slot] = NONE;
    w->filled[level] &= ~(UINT64_C(1) << slot);
    return first;
}

/* Turns the wheel to a window, which is at most wheel_next; returns the ranks that wake up in it.
 */
uint32_t loggops_wheel_turn(simulation *s, block *b, uint64_t window)
{
    wheel *w = &b->wheel;
    const bool is_same_round = window >> WHEEL_BITS == w->now >> WHEEL_BITS;
    w->now = window;
    w->has_next &= window < w->next;
    if (w->has_next && is_same_round)
        return NONE;
    for (unsigned level = is_same_round ? 0 : WHEEL_LEVELS - 1; level > 0; level--) {
        const unsigned slot = window >> (WHEEL_BITS * level) & (WHEEL_SLOTS - 1);
        if (!(w->filled[level] >> slot & 1))
            continue;
        for (uint32_t r = wheel_take(w, level, slot), next; r != NONE; r = next) {
            next = s->ranks[r].wake_next;
            loggops_wheel_insert(s, b, r, s->ranks[r].wake_window);
        }
    }
    const unsigned slot = window & (WHEEL_SLOTS - 1);
    return w->filled[0] >> slot & 1 ? wheel_take(w, 0, slot) : NONE;
}
