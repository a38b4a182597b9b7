/* queue.c - messages in the order of their arrival; posted receives and unexpected messages
 * in the order in which MPI matches them. */
#include "simulate.h"

#include <stdlib.h>

static int comes_before(const message *a, const message *b)
{
    if (a->time_ps != b->time_ps)
        return a->time_ps < b->time_ps;
    return a->source != b->source ? a->source < b->source : a->operation <= b->operation;
}

uint32_t loggops_merge_two(message *messages, uint32_t a, uint32_t b)
{
    uint32_t first = NONE, *end = &first;
    while (a != NONE && b != NONE) {
        uint32_t *from = comes_before(&messages[a], &messages[b]) ? &a : &b;
        *end = *from;
        end = &messages[*from].next;
        *from = *end;
    }
    *end = a != NONE ? a : b;
    return first;
}

/* Sorts a list bottom up: sorted[i] holds a sorted run of 2^i messages. */
static uint32_t sort(message *messages, uint32_t list)
{
    uint32_t sorted[32];
    unsigned n = 0;
    while (list != NONE) {
        uint32_t run = list;
        list = messages[list].next;
        messages[run].next = NONE;
        unsigned i = 0;
        for (; i < n && sorted[i] != NONE; i++) {
            run = loggops_merge(messages, sorted[i], run);
            sorted[i] = NONE;
        }
        if (i == n)
            n++;
        sorted[i] = run;
    }
    for (unsigned i = 0; i < n; i++)
        list = sorted[i] == NONE ? list : loggops_merge(messages, sorted[i], list);
    return list;
}

static uint32_t reverse(message *messages, uint32_t list)
{
    uint32_t turned = NONE;
    while (list != NONE) {
        const uint32_t next = messages[list].next;
        messages[list].next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

/* Puts a message, which came before those of the list, into its order. */
static uint32_t insert(message *messages, uint32_t list, uint32_t i)
{
    uint32_t *link = &list;
    while (*link != NONE && !comes_before(&messages[i], &messages[*link]))
        link = &messages[*link].next;
    messages[i].next = *link;
    *link = i;
    return list;
}

/* Most lists are so short that nothing is faster than to insert one after the other. */
uint32_t loggops_sort_some(message *messages, uint32_t list)
{
    enum { FEW = 8 };
    uint32_t sorted = NONE, n = 0;
    for (uint32_t i = list; i != NONE && n <= FEW; i = messages[i].next)
        n++;
    if (n > FEW)
        return sort(messages, reverse(messages, list));
    for (uint32_t i = list, next; i != NONE; i = next) {
        next = messages[i].next;
        sorted = insert(messages, sorted, i);
    }
    return sorted;
}

void loggops_append_message(message *messages, queue *q, uint32_t i)
{
    messages[i].next = NONE;
    if (q->first == NONE)
        q->first = i;
    else
        messages[q->last].next = i;
    q->last = i;
}

void loggops_append_receive(receive *receives, queue *q, uint32_t i)
{
    receives[i].next = NONE;
    if (q->first == NONE)
        q->first = i;
    else
        receives[q->last].next = i;
    q->last = i;
}

static inline void take_out(message *messages, queue *q, uint32_t before, uint32_t i)
{
    if (before == NONE)
        q->first = messages[i].next;
    else
        messages[before].next = messages[i].next;
    if (q->last == i)
        q->last = before;
}

/* Whether a receive may take a message. */
static bool can_take(const simulation *s, const receive *wanted, const message *m)
{
    return loggops_fits(wanted, m) && !(m->may_overtake && loggops_has_earlier(s, m, wanted));
}

uint32_t loggops_match_message(const simulation *s, queue *unexpected, const receive *wanted)
{
    const bool in_order = wanted->tag == LOGGOPS_ANY && s->orders;
    uint32_t before = NONE;
    for (uint32_t i = unexpected->first; i != NONE; before = i, i = s->messages[i].next) {
        if (!(in_order ? can_take(s, wanted, &s->messages[i])
                       : loggops_fits(wanted, &s->messages[i])))
            continue;
        take_out(s->messages, unexpected, before, i);
        return i;
    }
    return NONE;
}

uint32_t loggops_match_receive(receive *receives, queue *posted, const message *arrived)
{
    uint32_t before = NONE;
    for (uint32_t i = posted->first; i != NONE; before = i, i = receives[i].next) {
        if (!loggops_fits(&receives[i], arrived))
            continue;
        if (before == NONE)
            posted->first = receives[i].next;
        else
            receives[before].next = receives[i].next;
        if (posted->last == i)
            posted->last = before;
        return i;
    }
    return NONE;
}

bool loggops_has_arrived(const simulation *s, const sim_rank *rank, const receive *wanted,
                         uint64_t at_ps)
{
    const message *messages = s->messages;
    for (uint32_t i = rank->unexpected.first; i != NONE; i = messages[i].next)
        if (can_take(s, wanted, &messages[i]))
            return 1;
    for (uint32_t i = rank->arrivals; i != NONE && messages[i].time_ps <= at_ps;
         i = messages[i].next)
        if (can_take(s, wanted, &messages[i]))
            return 1;
    return 0;
}

const receive *loggops_find_receive(const receive *receives, const queue *posted,
                                    const message *arrived)
{
    uint32_t i = posted->first;
    while (i != NONE && !loggops_fits(&receives[i], arrived))
        i = receives[i].next;
    return i == NONE ? NULL : &receives[i];
}
