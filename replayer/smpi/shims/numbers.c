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
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>

/* What an object of SMPI's is an object of. */
typedef struct meaning {
    const void *comm, *same;
} meaning;

static meaning *meanings;
static size_t meanings_room, n_meanings; /* room is a power of two */

typedef struct counts {
    const void *comm; /* NULL: the entry is free */
    int source, destination, tag;
    uint32_t sent, received;
} counts;

static counts *table;     /* NULL: SMPI counts by itself */
static size_t room, used; /* room is a power of two */

static size_t meaning_home(const void *comm)
{
    return (size_t)((uintptr_t)comm * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (meanings_room - 1);
}

static meaning *find_meaning(const void *comm)
{
    size_t i = meaning_home(comm);
    while (meanings[i].comm && meanings[i].comm != comm)
        i = (i + 1) & (meanings_room - 1);
    return &meanings[i];
}

void smpi_numbers_share(const void *comm, const void *same)
{
    if (2 * n_meanings >= meanings_room) {
        meaning *old = meanings;
        const size_t n = meanings_room;
        meanings_room = n ? 2 * n : 1024;
        meanings = smpi_alloc(meanings_room, sizeof *meanings);
        for (size_t i = 0; i < n; i++)
            if (old[i].comm)
                *find_meaning(old[i].comm) = old[i];
        free(old);
    }
    meaning *m = find_meaning(comm);
    n_meanings += !m->comm;
    *m = (meaning){comm, same};
}

static const void *meaning_of(const void *comm)
{
    const meaning *m = meanings ? find_meaning(comm) : NULL;
    return m && m->comm ? m->same : comm;
}

static size_t home_of(const counts *key)
{
    uint64_t h = (uintptr_t)key->comm * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 29 ^ (uint32_t)key->source) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 31 ^ (uint32_t)key->destination) * UINT64_C(0x94d049bb133111eb);
    h = (h ^ h >> 30 ^ (uint32_t)key->tag) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return (size_t)(h >> 32) & (room - 1);
}

/* The place of the key, or the place for it. */
static counts *search(const counts *key)
{
    size_t i = home_of(key);
    while (table[i].comm && (table[i].comm != key->comm || table[i].source != key->source ||
                             table[i].destination != key->destination || table[i].tag != key->tag))
        i = (i + 1) & (room - 1);
    return &table[i];
}

static void make_room(void)
{
    counts *old = table;
    const size_t n = room;
    room = n ? 2 * n : 4096;
    table = calloc(room, sizeof *table);
    if (!table)
        abort(); /* called from C++ that expects no failure */
    for (size_t i = 0; i < n; i++)
        if (old[i].comm)
            *search(&old[i]) = old[i];
    free(old);
}

void smpi_numbers_prepare(void)
{
    if (smpi_shim_holds(SMPI_SHIM_NUMBERS))
        make_room();
}

static counts *find(const void *comm, int source, int destination, int tag, int adds)
{
    static counts none;
    const counts key = {
        .comm = meaning_of(comm), .source = source, .destination = destination, .tag = tag};
    if (2 * used >= room)
        make_room();
    counts *c = search(&key);
    if (c->comm)
        return c;
    if (!adds) {
        none = key;
        return &none;
    }
    *c = key;
    used++;
    return c;
}

static void drop(counts *c)
{
    size_t hole = (size_t)(c - table);
    for (size_t i = (hole + 1) & (room - 1); table[i].comm; i = (i + 1) & (room - 1)) {
        /* Entries that could not be found behind the hole move into it. */
        if (((i - home_of(&table[i])) & (room - 1)) >= ((i - hole) & (room - 1))) {
            table[hole] = table[i];
            hole = i;
        }
    }
    table[hole].comm = NULL;
    used--;
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
    if (table)
        return find(comm, source, destination, tag, 0)->sent;
    SMPI_BEHIND(theirs, SG_SENT);
    return theirs(comm, source, destination, tag);
}

void count_sent(const void *comm, int source, int destination, int tag)
{
    static count_function *theirs;
    if (table) {
        find(comm, source, destination, tag, 1)->sent++;
        return;
    }
    SMPI_BEHIND(theirs, SG_COUNT_SENT);
    theirs(comm, source, destination, tag);
}

unsigned messages_received(const void *comm, int source, int destination, int tag)
{
    static get_function *theirs;
    if (table)
        return find(comm, source, destination, tag, 0)->received;
    SMPI_BEHIND(theirs, SG_RECEIVED);
    return theirs(comm, source, destination, tag);
}

void count_received(const void *comm, int source, int destination, int tag)
{
    static count_function *theirs;
    if (table) {
        counts *c = find(comm, source, destination, tag, 1);
        if (++c->received == c->sent)
            drop(c);
        return;
    }
    SMPI_BEHIND(theirs, SG_COUNT_RECEIVED);
    theirs(comm, source, destination, tag);
}
