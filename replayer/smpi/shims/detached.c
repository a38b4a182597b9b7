/* detached.c - a faster search for messages under way than SimGrid 3.32's.
 *
 * SimGrid keeps the detached sends of all ranks (those that MPI sends eagerly) in one list.
 * Whenever one of them ends, it walks the whole list. At 1,024 ranks that took most of the time of
 * a replay. The list only holds a reference to each message. Here the nodes of the list are in a
 * hash table while their message is under way. When a message ends, its node goes back into the
 * list, as the only one, before SimGrid walks it. SimGrid's handling of messages does not change.
 *
 * The two functions below know nothing of SimGrid's objects, and of C++ only the
 * node of a std::list. If that or SimGrid is a different one, they only call the functions that
 * they replace. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

/* Of libstdc++'s std::list<pointer>; the list itself begins with the same two pointers. */
typedef struct list_node {
    struct list_node *next, *previous;
    const void *value;
} list_node;

static list_node **heads, *list; /* [1 << table_bits]; SimGrid's */
static unsigned table_bits;

void smpi_detached_prepare(uint32_t n_ranks)
{
    if (!smpi_shim_holds(SMPI_SHIM_DETACHED) || !smpi_shim_holds(SMPI_SHIM_MEMORY))
        return;
    table_bits = 10;
    while (table_bits < 24 && (UINT32_C(1) << table_bits) < 2 * (uint64_t)n_ranks)
        table_bits++;
    heads = calloc((size_t)1 << table_bits, sizeof *heads);
}

static list_node **head_of(const void *message)
{
    return &heads[(uintptr_t)message * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table_bits)];
}

/* The last node of the list, if it belongs to this message. */
static list_node *newest(const void *message)
{
    list_node *node = (list_node *)(uintptr_t)smpi_memory_last();
    if (!node || node->value != message || !node->next || !node->previous ||
        node->next->previous != node || node->previous->next != node)
        return NULL;
    return node;
}

void *detach_message(void *message) SMPI_REPLACES(SG_COMM_DETACH);
void finish_message(void *message) SMPI_REPLACES(SG_COMM_FINISH);

void *detach_message(void *message)
{
    static void *(*detach)(void *);
    SMPI_BEHIND(detach, SG_COMM_DETACH);
    void *self = detach(message);
    list_node *node = heads ? newest(message) : NULL;
    if (!node)
        return self;
    list = node->next;
    node->previous->next = list;
    list->previous = node->previous;
    list_node **head = head_of(message);
    node->next = *head;
    *head = node;
    return self;
}

void finish_message(void *message)
{
    static void (*finish)(void *);
    SMPI_BEHIND(finish, SG_COMM_FINISH);
    list_node **at = heads ? head_of(message) : NULL;
    while (at && *at && (*at)->value != message)
        at = &(*at)->next;
    if (at && *at) {
        list_node *node = *at;
        *at = node->next;
        node->next = list;
        node->previous = list->previous;
        list->previous = list->previous->next = node;
    }
    smpi_buffer_finish(message);
    finish(message);
}
