/* open.h - the open frames of a recording, in a file that survives a killed process (doc/FORMAT.md,
 * "The open frames of a recording").
 *
 * The file is TRACE.open. A rank encodes its frame in a shared mapping of its slot, so the kernel
 * has every byte as soon as it is stored. Two states alternate, and one of them is valid. All pages
 * are allocated before they are used: a page for which a full disk has no room would end the
 * program by SIGBUS. */
#ifndef TL_OPEN_H
#define TL_OPEN_H

#include "codec.h"

#include <endian.h>
#include <stdbool.h>

#define TL_OPEN_MAGIC "\x89TLo\r\n\x1a\n"
#define TL_OPEN_SUFFIX ".open"
enum {
    TL_OPEN_VERSION = 1,
    TL_OPEN_HEADER_BYTES = 32, /* magic, version, bytes of a slot, seed, slots, open slots */
    TL_OPEN_SLOT_BYTES = 1 << 20,
    TL_OPEN_STREAM_BYTES = 1 << 16, /* from one stream to the next; the first ones are the state */
    TL_OPEN_DEFINITIONS = TL_N_STREAMS, /* follow the streams of the frame */
    TL_OPEN_N_AREAS,
    TL_OPEN_MAX_SLOTS = 1 << 24,
    /* Offsets in a slot: */
    TL_OPEN_RANK = 0,
    TL_OPEN_COMMITS = 8,
    TL_OPEN_STATES = 64,
    TL_OPEN_STATE_BYTES = 64,
    TL_OPEN_LEAD_BYTES = TL_OPEN_STATES + 2 * TL_OPEN_STATE_BYTES
};

/* If the node dies and the file is on another one, some pages may be older than the state, or lost.
 * This hash finds out: `events` is that of the codec. */
static inline uint64_t tl_open_check(uint64_t definitions, uint64_t events)
{
    return (definitions + events) | 1;
}
/* Adds the definitions that begin at byte `from` to their hash. */
static inline uint64_t tl_open_mix(uint64_t hash, const tl_buffer *definitions, size_t from)
{
    for (size_t i = from; i < definitions->size; i++)
        hash = tl_check_mix(hash, definitions->data[i]);
    return hash;
}

static inline size_t tl_open_area(unsigned i)
{
    return (size_t)TL_OPEN_STREAM_BYTES * (1 + i);
}

/* The state of a slot. On the disk the members follow each other, little-endian. */
typedef struct tl_open_state {
    uint32_t sequence; /* of the next chunk of the rank */
    uint32_t n_events;
    uint64_t first_event, volume;
    uint32_t definitions_bytes;
    uint32_t control_bytes, run; /* events that the codec has not written yet */
    uint32_t volumes_bytes, same_volumes;
    uint32_t unused;
    uint64_t check; /* of definitions and events; odd, or 0 if an older version wrote the file */
} tl_open_state;

/* ---- writing ---- */

typedef struct tl_open_slot {
    uint8_t *file; /* its header */
    uint8_t *data; /* the slot */
    uint64_t offset;
    uint64_t n_commits;
    size_t room, page;
    uint64_t device, inode;
    char *path;
} tl_open_slot;

/* Makes TRACE.open for a trace whose header has this seed. An older file is replaced. */
tl_status tl_open_create(const char *trace_path, uint64_t seed, tl_error *err);
/* Takes a slot for a rank. */
tl_status tl_open_join(const char *trace_path, uint64_t seed, uint32_t rank, tl_open_slot **out,
                       tl_error *err);
static inline uint8_t *tl_open_data(const tl_open_slot *slot, unsigned area)
{
    return slot->data + tl_open_area(area);
}
/* Gives each area more room. False if the disk has none, or if the areas have their full size. */
bool tl_open_grow(tl_open_slot *slot);
/* Atomic stores, so that the compiler does not first collect several members in a vector: to read
 * the vector, a processor waits until the members have left its store buffer. */
static inline void tl_open_store32(uint32_t *to, uint32_t v)
{
    __atomic_store_n(to, htole32(v), __ATOMIC_RELAXED);
}
static inline void tl_open_store64(uint64_t *to, uint64_t v)
{
    __atomic_store_n(to, htole64(v), __ATOMIC_RELAXED);
}

/* Makes a new state valid. A process can only be killed between two of its stores, so it is enough
 * that the stores are in the order of the program. */
static inline void tl_open_commit(tl_open_slot *slot, const tl_open_state *s)
{
    const uint64_t n = ++slot->n_commits;
    void *at = slot->data + TL_OPEN_STATES + (n & 1) * TL_OPEN_STATE_BYTES;
    tl_open_state *to = at;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    tl_open_store32(&to->sequence, s->sequence);
    tl_open_store32(&to->n_events, s->n_events);
    tl_open_store64(&to->first_event, s->first_event);
    tl_open_store64(&to->volume, s->volume);
    tl_open_store32(&to->definitions_bytes, s->definitions_bytes);
    tl_open_store32(&to->control_bytes, s->control_bytes);
    tl_open_store32(&to->run, s->run);
    tl_open_store32(&to->volumes_bytes, s->volumes_bytes);
    tl_open_store32(&to->same_volumes, s->same_volumes);
    tl_open_store64(&to->check, s->check);
    uint64_t *commits = (uint64_t *)(void *)(slot->data + TL_OPEN_COMMITS);
    __atomic_store_n(commits, htole64(n), __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
/* The rank's part has ended. The last rank removes the file. */
void tl_open_leave(tl_open_slot *slot);
/* Releases the slot and changes nothing in the file. */
void tl_open_forget(tl_open_slot *slot);

/* Removes TRACE.open, if it exists and is such a file. */
void tl_open_remove(const char *trace_path);

/* ---- reading ---- */

struct tl_reader;
/* Reads the events of ranks without an end from TRACE.open into r->recovered, as the chunks that
 * would have been written next. */
tl_status tl_open_recover(struct tl_reader *r, tl_error *err);

#endif
