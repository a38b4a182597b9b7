/* definitions.h - hosts, communicators, call sites and the program's kernels: encoding and
 * decoding. */
#ifndef TL_DEFINITIONS_H
#define TL_DEFINITIONS_H

#include "bytes.h"
#include "map.h"
#include "timeless.h"
#include "timeless_source.h"

#include <stdbool.h>

bool tl_define_host(tl_buffer *out, const char *host);
bool tl_define_comm(tl_buffer *out, const tl_comm *comm);
bool tl_define_site(tl_buffer *out, const tl_site *site);
bool tl_define_object(tl_buffer *out, const tl_object *object);
bool tl_define_kernel(tl_buffer *out, const tl_user_kernel *kernel);
bool tl_define_counter(tl_buffer *out, const tl_counter *counter);
bool tl_define_remark(tl_buffer *out, const char *text);
bool tl_define_clock(tl_buffer *out, const char *reason);

/* Shared by all ranks: equal texts and equal lists of members are stored once. */
typedef struct tl_pool {
    tl_map index;
    void **blocks; /* everything that was allocated */
    size_t n_blocks, blocks_capacity;
    uint64_t expanded_members, max_expanded_members;
    uint32_t n_ranks;
} tl_pool;

/* The definitions of one kind; those before TL_OBJECTS are ordered by id. */
enum { TL_COMMS, TL_SITES, TL_KERNELS, TL_COUNTERS, TL_OBJECTS, TL_N_LISTS };
typedef struct tl_list {
    void *items;
    size_t n, capacity;
} tl_list;

/* The definitions of one rank. */
typedef struct tl_definitions {
    const char *host, *remark, *clock; /* NULL until defined */
    tl_list lists[TL_N_LISTS];
} tl_definitions;

void tl_pool_free(tl_pool *pool);
void tl_definitions_free(tl_definitions *d);
/* False without memory; *to must then be freed, too. */
bool tl_definitions_copy(tl_definitions *to, const tl_definitions *from);
/* Adds the definitions in the payload of a chunk, ordered by id. If it fails, nothing is added.
 * TL_ERR_CORRUPT also if an id is defined twice. */
tl_status tl_definitions_read(tl_definitions *d, tl_pool *pool, const uint8_t *raw, size_t size);
/* Compares definitions, or a number and a definition, by the id with which each kind begins. */
int tl_by_id(const void *a, const void *b);

#endif
