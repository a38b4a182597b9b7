/* halves.c - which send meets which receive, and which ranks take part in which collective.
 *
 * Both follow from the order of the calls. Messages with the same communicator, ranks and tag
 * cannot overtake each other, nor can collectives of one communicator. This file keeps the sides of
 * messages that have not met, and the collectives under way. */
#include "config.h"

#include "halves.h"

#include <stdlib.h>
#include <string.h>

/* ---- slots by key ---- */

typedef struct slot_key {
    uint32_t job;
    int32_t comm;
    uint32_t from, to; /* of a collective: its number */
    int32_t tag;
    int32_t is_meeting;
} slot_key;

typedef struct tlr_slot {
    slot_key key;
    struct tlr_slot *next; /* in the bucket */
    tlr_half *first, *last;
    tlr_meeting *meeting;
} tlr_slot;

static size_t bucket_of(const slot_key *key, size_t n_buckets)
{
    uint64_t h = (uint64_t)key->from << 32 | key->to;
    h = (h ^ (uint64_t)(uint32_t)key->comm << 48 ^ key->job) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uint32_t)key->tag ^ (uint64_t)key->is_meeting << 40) *
        UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h >> 24) & (n_buckets - 1);
}

static int grow(tlr_halves *halves)
{
    const size_t n_buckets = halves->n_buckets ? 2 * halves->n_buckets : 1024;
    tlr_slot **buckets = halves->allocate(n_buckets, sizeof *buckets);
    if (!buckets)
        return 0;
    for (size_t b = 0; b < halves->n_buckets; b++)
        for (tlr_slot *s = halves->buckets[b], *next; s; s = next) {
            tlr_slot **place = &buckets[bucket_of(&s->key, n_buckets)];
            next = s->next;
            s->next = *place;
            *place = s;
        }
    free(halves->buckets);
    halves->buckets = buckets;
    halves->n_buckets = n_buckets;
    return 1;
}

static tlr_slot *find_slot(tlr_halves *halves, const slot_key *key)
{
    if (halves->n >= halves->n_buckets && !grow(halves))
        return NULL;
    tlr_slot **place = &halves->buckets[bucket_of(key, halves->n_buckets)];
    for (tlr_slot *s = *place; s; s = s->next)
        if (!memcmp(&s->key, key, sizeof *key))
            return s;
    tlr_slot *s = halves->allocate(1, sizeof *s);
    if (!s)
        return NULL;
    s->key = *key;
    s->next = *place;
    *place = s;
    halves->n++;
    return s;
}

static void drop_slot(tlr_halves *halves, tlr_slot *slot)
{
    tlr_slot **place = &halves->buckets[bucket_of(&slot->key, halves->n_buckets)];
    while (*place != slot)
        place = &(*place)->next;
    *place = slot->next;
    halves->n--;
    free(slot);
}

/* ---- messages ---- */

static void meet(tlr_half *half, const tlr_half *other)
{
    half->is_met = 1;
    half->other_s = other->at_s;
    half->other = (int32_t)other->rank;
    half->other_is_eager = other->is_eager;
    half->other_clocks = other->clocks;
    half->other_walked = other->walked;
    if (!half->is_send)
        half->bytes = other->bytes;
}

static void queue(tlr_half *half, tlr_slot *slot)
{
    half->slot = slot;
    if (slot->last)
        slot->last->next = half;
    else
        slot->first = half;
    slot->last = half;
}

static void unqueue(tlr_halves *halves, tlr_half *half)
{
    tlr_slot *slot = half->slot;
    tlr_half *before = NULL;
    for (tlr_half *h = slot->first; h != half; h = h->next)
        before = h;
    if (before)
        before->next = half->next;
    else
        slot->first = half->next;
    if (slot->last == half)
        slot->last = before;
    half->slot = NULL;
    half->next = NULL;
    if (!slot->first)
        drop_slot(halves, slot);
}

tlr_half *tlr_post_half(tlr_halves *halves, const tlr_half *what, int32_t comm, int32_t peer,
                        int32_t tag)
{
    const slot_key key = {.job = what->job,
                          .comm = comm,
                          .from = what->is_send ? what->rank : (uint32_t)peer,
                          .to = what->is_send ? (uint32_t)peer : what->rank,
                          .tag = tag};
    tlr_half *half = halves->allocate(1, sizeof *half);
    tlr_slot *slot = half ? find_slot(halves, &key) : NULL;
    if (!slot) {
        free(half);
        return NULL;
    }
    *half = *what;
    half->is_held = 1;
    tlr_half *first = slot->first;
    if (!first || first->is_send == half->is_send) {
        queue(half, slot);
        return half;
    }
    meet(half, first);
    meet(first, half);
    unqueue(halves, first);
    if (!first->is_held)
        free(first);
    return half;
}

void tlr_unpost_half(tlr_halves *halves, tlr_half *half)
{
    if (half->slot)
        unqueue(halves, half);
}

void tlr_release_half(tlr_halves *halves, tlr_half *half)
{
    tlr_meeting *m = half->meeting;
    if (m && ++m->n_left == m->comm->n_members) {
        drop_slot(halves, m->slot);
        free(m->entries);
        free(m);
    }
    half->is_held = 0;
    if (!half->slot)
        free(half);
}

/* ---- collectives ---- */

static tlr_meeting *find_meeting(tlr_halves *halves, uint32_t job, const tlr_plan *plan,
                                 int32_t comm, uint64_t number)
{
    const slot_key key = {.job = job,
                          .comm = comm,
                          .from = (uint32_t)(number >> 32),
                          .to = (uint32_t)number,
                          .is_meeting = 1};
    tlr_slot *slot = find_slot(halves, &key);
    if (slot && !slot->meeting && (slot->meeting = halves->allocate(1, sizeof *slot->meeting)))
        *slot->meeting =
            (tlr_meeting){.slot = slot, .comm = &plan->comms[comm], .last = -1, .root = -1};
    return slot ? slot->meeting : NULL;
}

static int note_entry(const tlr_halves *halves, tlr_meeting *m, int32_t member,
                      const tlr_half *half)
{
    if (!m->entries) {
        if (!(m->entries = halves->allocate(m->comm->n_members, sizeof *m->entries)))
            return 0;
        for (uint32_t i = 0; i < m->comm->n_members; i++)
            m->entries[i].at_s = -1;
    }
    if (member >= 0)
        m->entries[member] = (struct tlr_entry){half->at_s, half->clocks, half->walked};
    return 1;
}

tlr_half *tlr_enter_meeting(tlr_halves *halves, const tlr_half *what, const tlr_plan *plan,
                            int32_t comm, uint64_t number)
{
    tlr_meeting *m = find_meeting(halves, what->job, plan, comm, number);
    tlr_half *half = m ? halves->allocate(1, sizeof *half) : NULL;
    if (!half)
        return NULL;
    *half = *what;
    half->is_held = 1;
    half->meeting = m;
    if (m->last < 0 || half->at_s >= m->last_s) {
        m->last_s = half->at_s;
        m->last = (int32_t)half->rank;
        m->last_walked = half->walked;
    }
    tlr_clock_join(&m->all_clocks, &half->clocks);
    if (half->other == (int32_t)half->rank) {
        m->root = half->other;
        m->root_s = half->at_s;
        m->root_clocks = half->clocks;
        m->root_walked = half->walked;
    }
    if ((half->needs == TL_NEEDS_LOWER || half->needs == TL_NEEDS_NEIGHBOURS) &&
        !note_entry(halves, m, tlr_plan_rank_in(m->comm, (int32_t)half->rank), half)) {
        free(half);
        return NULL;
    }
    return half;
}

/* Takes the later one of this member and the last member so far. */
static int32_t later_of(const tlr_meeting *m, int32_t member, int32_t last, double *entered_s,
                        tlr_clocks *clocks, tlr_walked *walked)
{
    if (member < 0 || m->entries[member].at_s < 0)
        return last;
    tlr_clock_join(clocks, &m->entries[member].clocks);
    if (last >= 0 && m->entries[member].at_s <= *entered_s)
        return last;
    *entered_s = m->entries[member].at_s;
    *walked = m->entries[member].walked;
    return m->comm->members[member];
}

int32_t tlr_last_needed(const tlr_half *half, double *entered_s, tlr_clocks *clocks,
                        tlr_walked *walked)
{
    const tlr_meeting *m = half->meeting;
    const tl_comm *topology = half->topology;
    const bool is_root = half->other == (int32_t)half->rank;
    int32_t last = -1;
    switch (half->needs) {
    case TL_NEEDS_ALL_AT_ROOT:
        if (!is_root)
            return -1;
        __attribute__((fallthrough));
    case TL_NEEDS_ALL:
        *entered_s = m->last_s;
        *clocks = m->all_clocks;
        *walked = m->last_walked;
        return m->last;
    case TL_NEEDS_ROOT:
        *entered_s = m->root_s;
        *clocks = m->root_clocks;
        *walked = m->root_walked;
        return is_root || half->other < 0 ? -1 : m->root;
    case TL_NEEDS_LOWER:
        for (int32_t i = 0; m->comm->members[i] != (int32_t)half->rank; i++)
            last = later_of(m, i, last, entered_s, clocks, walked);
        return last;
    case TL_NEEDS_NEIGHBOURS:
        for (uint32_t i = 0; topology && i < topology->n_sources; i++)
            last = later_of(m, topology->sources[i], last, entered_s, clocks, walked);
        return last;
    default: return -1;
    }
}

/* ---- the end ---- */

static void close_slot(tlr_slot *s)
{
    for (tlr_half *h = s->first, *next; h; h = next) {
        next = h->next;
        h->slot = NULL;
        if (!h->is_held)
            free(h);
    }
    if (s->meeting)
        free(s->meeting->entries);
    free(s->meeting);
    free(s);
}

void tlr_halves_close(tlr_halves *halves)
{
    for (size_t b = 0; b < halves->n_buckets; b++)
        for (tlr_slot *s = halves->buckets[b], *next; s; s = next) {
            next = s->next;
            close_slot(s);
        }
    free(halves->buckets);
    halves->buckets = NULL;
    halves->n = halves->n_buckets = 0;
}
