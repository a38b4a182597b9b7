/* loggops_queue.c - messages in the order of their arrival; posted receives and unexpected messages
 * in the order in which MPI matches them; the memory of both. */
#include "loggops_simulate.h"

#include <stdlib.h>

int loggops_has_room(void **array, uint32_t n, uint32_t *room, size_t size)
{
    if (n < *room)
        return 1;
    const uint32_t more = *room ? *room + *room / 2 : 64;
    void *grown = realloc(*array, more * size);
    if (!grown)
        return 0;
    *array = grown;
    *room = more;
    return 1;
}

/* Index of an unused node; NONE, and the simulation ends, without memory. */
uint32_t loggops_take_node(block *b)
{
    if (b->n_free)
        return b->free[--b->n_free];
    if (!loggops_has_room((void **)&b->nodes, b->n_nodes, &b->nodes_room, sizeof *b->nodes)) {
        b->out_of_memory = 1;
        return NONE;
    }
    return b->n_nodes++;
}

void loggops_drop_node(block *b, uint32_t i)
{
    if (loggops_has_room((void **)&b->free, b->n_free, &b->free_room, sizeof *b->free))
        b->free[b->n_free++] = i;
    else
        b->out_of_memory = 1;
}

static int comes_before(const node *a, const node *b)
{
    return a->time_ps != b->time_ps ? a->time_ps < b->time_ps : a->source <= b->source;
}

/* Merges two lists of arrivals in order; where they are equal, `a` stays ahead. */
uint32_t loggops_merge(node *nodes, uint32_t a, uint32_t b)
{
    uint32_t first = NONE, *end = &first;
    while (a != NONE && b != NONE) {
        uint32_t *from = comes_before(&nodes[a], &nodes[b]) ? &a : &b;
        *end = *from;
        end = &nodes[*from].next;
        *from = *end;
    }
    *end = a != NONE ? a : b;
    return first;
}

/* Sorts a list bottom up: sorted[i] holds a sorted run of 2^i nodes. */
static uint32_t sort(node *nodes, uint32_t list)
{
    uint32_t sorted[32];
    unsigned n = 0;
    while (list != NONE) {
        uint32_t run = list;
        list = nodes[list].next;
        nodes[run].next = NONE;
        unsigned i = 0;
        for (; i < n && sorted[i] != NONE; i++) {
            run = loggops_merge(nodes, sorted[i], run);
            sorted[i] = NONE;
        }
        if (i == n)
            n++;
        sorted[i] = run;
    }
    for (unsigned i = 0; i < n; i++)
        list = sorted[i] == NONE ? list : loggops_merge(nodes, sorted[i], list);
    return list;
}

static uint32_t reverse(node *nodes, uint32_t list)
{
    uint32_t turned = NONE;
    while (list != NONE) {
        const uint32_t next = nodes[list].next;
        nodes[list].next = turned;
        turned = list;
        list = next;
    }
    return turned;
}

/* Puts what has come in since into the order of arrival. */
void loggops_sort_arrivals(block *b, sim_rank *rank)
{
    uint32_t fresh = rank->fresh;
    rank->fresh = NONE;
    if (fresh == NONE)
        return;
    if (b->nodes[fresh].next != NONE)
        fresh = sort(b->nodes, reverse(b->nodes, fresh));
    rank->arrivals =
        rank->arrivals == NONE ? fresh : loggops_merge(b->nodes, rank->arrivals, fresh);
}

void loggops_queue_append(node *nodes, queue *q, uint32_t i)
{
    nodes[i].next = NONE;
    if (q->first == NONE)
        q->first = i;
    else
        nodes[q->last].next = i;
    q->last = i;
}

static int fits(const node *receive, const node *message)
{
    if (receive->source != message->source && receive->source != LOGGOPS_ANY)
        return 0;
    if (receive->tag != message->tag && receive->tag != LOGGOPS_ANY)
        return 0;
    return receive->context == message->context;
}

/* Takes the first one out that fits; NONE if there is none.  `wanted` is a receive if the queue
 * holds messages, and a message if it holds receives. */
uint32_t loggops_queue_take(node *nodes, queue *q, const node *wanted, int wants_message)
{
    uint32_t before = NONE;
    for (uint32_t i = q->first; i != NONE; before = i, i = nodes[i].next) {
        if (wants_message ? !fits(wanted, &nodes[i]) : !fits(&nodes[i], wanted))
            continue;
        if (before == NONE)
            q->first = nodes[i].next;
        else
            nodes[before].next = nodes[i].next;
        if (q->last == i)
            q->last = before;
        return i;
    }
    return NONE;
}

int loggops_queue_holds_receive(const node *nodes, const queue *q, const node *message)
{
    uint32_t i = q->first;
    while (i != NONE && !fits(&nodes[i], message))
        i = nodes[i].next;
    return i != NONE;
}
