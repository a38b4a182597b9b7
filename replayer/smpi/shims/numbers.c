/* numbers.c - a faster table of message numbers than SMPI 3.32's.
 *
 * SMPI numbers the messages of each communicator, source, destination and tag. A receive takes the
 * message whose number is the count of messages received. SMPI keeps both counts in maps whose key
 * is a text made of three integers, with four look-ups for each message, and never removes an
 * entry. Here both counts are in one table. If the number of received messages equals the number of
 * sent ones, both may begin again at 0. The entry is then removed, so that the table contains only
 * what is under way.
 *
 * The four functions replace functions of libsimgrid (table.h). */
#include "config.h"

#include "shims.h"
#include "smpi/hash.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>

/* A communicator, by SMPI's object of it. */
typedef struct number {
    smpi_entry entry;
    uint32_t number; /* the same for all objects of one communicator */
} number;

/* The messages of a communicator, source, destination and tag. */
typedef struct counts {
    smpi_entry entry;
    uint32_t sent, received;
} counts;

static smpi_table numbers, table;
static bool is_used; /* else SMPI counts by itself */

static number *number_of(const void *comm)
{
    static uint32_t n;
    number *found = smpi_find(&numbers, (uintptr_t)comm, 0);
    if (!found) {
        found = smpi_alloc(1, sizeof *found);
        smpi_add(&numbers, &found->entry, (uintptr_t)comm, 0, found);
        found->number = n++;
    }
    return found;
}

void smpi_numbers_share(const void *comm, const void *same)
{
    number_of(comm)->number = number_of(same)->number;
}

void smpi_numbers_prepare(void)
{
    is_used = smpi_shim_holds(SMPI_SHIM_NUMBERS);
}

static counts *find(const void *comm, int source, int destination, int tag, bool adds)
{
    const uint64_t key = (uint64_t)number_of(comm)->number << 32 | (uint32_t)tag,
                   ends = (uint64_t)(uint32_t)source << 32 | (uint32_t)destination;
    counts *c = smpi_find(&table, key, ends);
    if (!c && adds) {
        c = smpi_alloc(1, sizeof *c);
        smpi_add(&table, &c->entry, key, ends, c);
    }
    return c;
}

unsigned messages_sent(const void *comm, int source, int destination, int tag)
    SMPI_REPLACES(SG_SENT);
void count_sent(const void *comm, int source, int destination, int tag)
    SMPI_REPLACES(SG_COUNT_SENT);
unsigned messages_received(const void *comm, int source, int destination, int tag)
    SMPI_REPLACES(SG_RECEIVED);
void count_received(const void *comm, int source, int destination, int tag)
    SMPI_REPLACES(SG_COUNT_RECEIVED);
typedef unsigned get_function(const void *comm, int source, int destination, int tag);
typedef void count_function(const void *comm, int source, int destination, int tag);

unsigned messages_sent(const void *comm, int source, int destination, int tag)
{
    static get_function *theirs;
    if (is_used) {
        const counts *c = find(comm, source, destination, tag, 0);
        return c ? c->sent : 0;
    }
    SMPI_BEHIND(theirs, SG_SENT);
    return theirs(comm, source, destination, tag);
}

void count_sent(const void *comm, int source, int destination, int tag)
{
    static count_function *theirs;
    if (is_used) {
        find(comm, source, destination, tag, 1)->sent++;
        return;
    }
    SMPI_BEHIND(theirs, SG_COUNT_SENT);
    theirs(comm, source, destination, tag);
}

unsigned messages_received(const void *comm, int source, int destination, int tag)
{
    static get_function *theirs;
    if (is_used) {
        const counts *c = find(comm, source, destination, tag, 0);
        return c ? c->received : 0;
    }
    SMPI_BEHIND(theirs, SG_RECEIVED);
    return theirs(comm, source, destination, tag);
}

void count_received(const void *comm, int source, int destination, int tag)
{
    static count_function *theirs;
    if (is_used) {
        counts *c = find(comm, source, destination, tag, 1);
        if (++c->received == c->sent) {
            smpi_remove(&table, &c->entry);
            free(c);
        }
        return;
    }
    SMPI_BEHIND(theirs, SG_COUNT_RECEIVED);
    theirs(comm, source, destination, tag);
}
