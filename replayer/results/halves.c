/* halves.c - which send meets which receive, and which ranks take part in which collective.
 *
 * Both follow from the order of the calls. Messages with the same communicator, ranks and tag
 * cannot overtake each other, nor can collectives of one communicator. This file keeps the sides of
 * messages that have not met, and the collectives under way. */
#include "config.h"

#include "halves.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/engine.h>

/* ---- slots by key ---- */

typedef struct slot_key {
    uint32_t job;
    int32_t comm;
    uint32_t from, to; /* of a collective: its number */
    int32_t tag;
    int32_t is_meeting;
} slot_key;

typedef struct smpi_slot {
    slot_key key;
    struct smpi_slot *next; /* in the bucket */
    smpi_half *first, *last;
    smpi_meeting *meeting;
} smpi_slot;

static struct {
    size_t n, n_buckets; /* a power of two */
    smpi_slot **buckets;
} slots;

static size_t bucket_of(const slot_key *key, size_t n_buckets)
{
    uint64_t h = (uint64_t)key->from << 32 | key->to;
    h = (h ^ (uint64_t)(uint32_t)key->comm << 48 ^ key->job) * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uint32_t)key->tag ^ (uint64_t)key->is_meeting << 40) *
        UINT64_C(0xbf58476d1ce4e5b9);
    return (size_t)(h >> 24) & (n_buckets - 1);
}

static void grow(void)
{
    const size_t n_buckets = slots.n_buckets ? 2 * slots.n_buckets : 1024;
    smpi_slot **buckets = smpi_alloc(n_buckets, sizeof *buckets);
    for (size_t b = 0; b < slots.n_buckets; b++)
        for (smpi_slot *s = slots.buckets[b], *next; s; s = next) {
            smpi_slot **place = &buckets[bucket_of(&s->key, n_buckets)];
            next = s->next;
            s->next = *place;
            *place = s;
        }
    free(slots.buckets);
    slots.buckets = buckets;
    slots.n_buckets = n_buckets;
}

static smpi_slot *find_slot(const slot_key *key)
{
    if (slots.n >= slots.n_buckets)
        grow();
    smpi_slot **place = &slots.buckets[bucket_of(key, slots.n_buckets)];
    for (smpi_slot *s = *place; s; s = s->next)
        if (!memcmp(&s->key, key, sizeof *key))
            return s;
    smpi_slot *s = smpi_alloc(1, sizeof *s);
    s->key = *key;
    s->next = *place;
    *place = s;
    slots.n++;
    return s;
}

static void drop_slot(smpi_slot *slot)
{
    smpi_slot **place = &slots.buckets[bucket_of(&slot->key, slots.n_buckets)];
    while (*place != slot)
        place = &(*place)->next;
    *place = slot->next;
    slots.n--;
    free(slot);
}

static uint32_t job_number(const smpi_rank *r)
{
    return (uint32_t)(r->job - replay.jobs);
}

/* ---- messages ---- */

static void meet(smpi_half *half, const smpi_half *other)
{
    half->is_met = 1;
    half->other_s = other->at_s;
    half->other = (int32_t)other->rank;
    half->other_is_eager = other->is_eager;
    half->other_clocks = other->clocks;
}

static void queue(smpi_half *half, smpi_slot *slot)
{
    half->slot = slot;
    if (slot->last)
        slot->last->next = half;
    else
        slot->first = half;
    slot->last = half;
}

static void unqueue(smpi_half *half)
{
    smpi_slot *slot = half->slot;
    smpi_half *before = NULL;
    for (smpi_half *h = slot->first; h != half; h = h->next)
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
        drop_slot(slot);
}

smpi_half *smpi_post_half(const smpi_rank *r, const smpi_half *what, int32_t comm, int32_t peer,
                          int32_t tag)
{
    const slot_key key = {.job = job_number(r),
                          .comm = comm,
                          .from = what->is_send ? r->rank : (uint32_t)peer,
                          .to = what->is_send ? (uint32_t)peer : r->rank,
                          .tag = tag};
    smpi_half *half = smpi_alloc(1, sizeof *half);
    smpi_slot *slot = find_slot(&key);
    *half = *what;
    half->rank = r->rank;
    half->at_s = simgrid_get_clock();
    half->is_held = 1;
    smpi_half *first = slot->first;
    if (!first || first->is_send == half->is_send) {
        queue(half, slot);
        return half;
    }
    meet(half, first);
    meet(first, half);
    unqueue(first);
    if (!first->is_held)
        free(first);
    return half;
}

void smpi_unpost_half(smpi_half *half)
{
    if (half->slot)
        unqueue(half);
}

void smpi_release_half(smpi_half *half)
{
    smpi_meeting *m = half->meeting;
    if (m && ++m->n_left == m->comm->n_members) {
        drop_slot(m->slot);
        free(m->entries);
        free(m);
    }
    half->is_held = 0;
    if (!half->slot)
        free(half);
}

/* ---- collectives ---- */

static smpi_meeting *find_meeting(const smpi_rank *r, int32_t comm, uint64_t number)
{
    const slot_key key = {.job = job_number(r),
                          .comm = comm,
                          .from = (uint32_t)(number >> 32),
                          .to = (uint32_t)number,
                          .is_meeting = 1};
    smpi_slot *slot = find_slot(&key);
    if (!slot->meeting) {
        slot->meeting = smpi_alloc(1, sizeof *slot->meeting);
        *slot->meeting = (smpi_meeting){
            .slot = slot, .comm = &r->job->plan->comms[comm], .last = -1, .root = -1};
    }
    return slot->meeting;
}

static void note_entry(smpi_meeting *m, int32_t member, const smpi_half *half)
{
    if (!m->entries) {
        m->entries = smpi_alloc(m->comm->n_members, sizeof *m->entries);
        for (uint32_t i = 0; i < m->comm->n_members; i++)
            m->entries[i].at_s = -1;
    }
    if (member >= 0)
        m->entries[member] = (struct smpi_entry){half->at_s, half->clocks};
}

smpi_half *smpi_enter_meeting(const smpi_rank *r, const smpi_half *what, int32_t comm,
                              uint64_t number)
{
    smpi_meeting *m = find_meeting(r, comm, number);
    smpi_half *half = smpi_alloc(1, sizeof *half);
    *half = *what;
    half->at_s = simgrid_get_clock();
    half->rank = r->rank;
    half->is_held = 1;
    half->meeting = m;
    m->last_s = half->at_s; /* nobody enters before those who have */
    m->last = (int32_t)r->rank;
    smpi_clock_join(&m->all_clocks, &half->clocks);
    if (half->other == (int32_t)r->rank) {
        m->root = half->other;
        m->root_s = half->at_s;
        m->root_clocks = half->clocks;
    }
    if (half->needs == TL_NEEDS_LOWER || half->needs == TL_NEEDS_NEIGHBOURS)
        note_entry(m, tlr_plan_rank_in(m->comm, (int32_t)r->rank), half);
    return half;
}

/* Takes the later one of this member and the last member so far. */
static int32_t later_of(const smpi_meeting *m, int32_t member, int32_t last, double *entered_s,
                        smpi_clocks *clocks)
{
    if (member < 0 || m->entries[member].at_s < 0)
        return last;
    smpi_clock_join(clocks, &m->entries[member].clocks);
    if (last >= 0 && m->entries[member].at_s <= *entered_s)
        return last;
    *entered_s = m->entries[member].at_s;
    return m->comm->members[member];
}

int32_t smpi_last_needed(const smpi_half *half, double *entered_s, smpi_clocks *clocks)
{
    const smpi_meeting *m = half->meeting;
    const tl_comm *topology = half->topology;
    const int is_root = half->other == (int32_t)half->rank;
    int32_t last = -1;
    switch (half->needs) {
    case TL_NEEDS_ALL_AT_ROOT:
        if (!is_root)
            return -1;
        __attribute__((fallthrough));
    case TL_NEEDS_ALL:
        *entered_s = m->last_s;
        *clocks = m->all_clocks;
        return m->last;
    case TL_NEEDS_ROOT:
        *entered_s = m->root_s;
        *clocks = m->root_clocks;
        return is_root || half->other < 0 ? -1 : m->root;
    case TL_NEEDS_LOWER:
        for (int32_t i = 0; m->comm->members[i] != (int32_t)half->rank; i++)
            last = later_of(m, i, last, entered_s, clocks);
        return last;
    case TL_NEEDS_NEIGHBOURS:
        for (uint32_t i = 0; topology && i < topology->n_sources; i++)
            last = later_of(m, topology->sources[i], last, entered_s, clocks);
        return last;
    default: return -1;
    }
}
