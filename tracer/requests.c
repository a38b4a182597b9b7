/* requests.c - chained hashes of requests by handle, and by handle and variable; ids index the
 * pool.
 *
 * The lowest free id is given out, so that a loop gets the same ids each time round.
 */
#include "config.h"

#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 1 << 12, FIRST_POOL = 1 << 10, WORD_BITS = 64 };

static struct {
    uint32_t first, last;
} buckets[N_BUCKETS];
static uint32_t exact_buckets[N_BUCKETS]; /* newest first */
static tlt_request *pool;                 /* by id; 0 is unused */
static uint32_t pool_size;
static uint64_t *free_ids; /* a bit per id */
static uint32_t free_word; /* no word before it has a free id */
static uint32_t n_need_status;

static uint32_t bucket_of(const void *handle)
{
    return (uint32_t)((uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15U >> 52);
}

static uint32_t *exact_bucket_of(const tlt_request *r)
{
    const uintptr_t key = (uintptr_t)r->handle ^ (uintptr_t)r->variable << 1;
    return &exact_buckets[bucket_of((const void *)key)];
}

static bool grow_pool(uint32_t size)
{
    tlt_request *larger = realloc(pool, size * sizeof *pool);
    if (larger)
        pool = larger;
    uint64_t *bits = realloc(free_ids, size / WORD_BITS * sizeof *bits);
    if (bits)
        free_ids = bits;
    if (!larger || !bits)
        return false;
    for (uint32_t word = pool_size / WORD_BITS; word < size / WORD_BITS; word++)
        free_ids[word] = ~UINT64_C(0);
    if (pool_size == 0)
        free_ids[0] &= ~UINT64_C(1); /* 0 is no request */
    pool_size = size;
    return true;
}

/* 0 when memory is short. */
static uint32_t take_id(void)
{
    while (free_word < pool_size / WORD_BITS && !free_ids[free_word])
        free_word++;
    if (free_word == pool_size / WORD_BITS && !grow_pool(pool_size * 2))
        return 0;
    uint32_t bit = (uint32_t)__builtin_ctzll(free_ids[free_word]);
    free_ids[free_word] &= free_ids[free_word] - 1;
    return free_word * WORD_BITS + bit;
}

static void give_back_id(uint32_t id)
{
    free_ids[id / WORD_BITS] |= UINT64_C(1) << id % WORD_BITS;
    if (id / WORD_BITS < free_word)
        free_word = id / WORD_BITS;
}

bool tlt_requests_reset(void)
{
    tlt_requests_free();
    return grow_pool(FIRST_POOL);
}

void tlt_requests_free(void)
{
    for (size_t b = 0; b < N_BUCKETS; b++)
        for (uint32_t id = buckets[b].first; id; id = pool[id].next)
            free(pool[id].partitions);
    free(pool);
    free(free_ids);
    pool = NULL;
    free_ids = NULL;
    pool_size = free_word = n_need_status = 0;
    memset(buckets, 0, sizeof buckets);
    memset(exact_buckets, 0, sizeof exact_buckets);
}

bool tlt_requests_need_status(void)
{
    return n_need_status > 0;
}

static bool needs_status(uint32_t flags)
{
    return flags & (TLT_WILDCARD | TLT_CANCELLED);
}

/* At the end of the bucket by handle, so that equal handles are found oldest first. */
static void link_request(tlt_request *r)
{
    uint32_t *exactly = exact_bucket_of(r);
    r->next_exactly = *exactly;
    *exactly = r->id;
    uint32_t b = bucket_of(r->handle);
    r->next = 0;
    if (buckets[b].first)
        pool[buckets[b].last].next = r->id;
    else
        buckets[b].first = r->id;
    buckets[b].last = r->id;
}

static void unlink_request(const tlt_request *r)
{
    uint32_t *exactly = exact_bucket_of(r);
    while (*exactly != r->id)
        exactly = &pool[*exactly].next_exactly;
    *exactly = r->next_exactly;
    uint32_t b = bucket_of(r->handle), previous = 0, id = buckets[b].first;
    while (id != r->id) {
        previous = id;
        id = pool[id].next;
    }
    if (previous)
        pool[previous].next = r->next;
    else
        buckets[b].first = r->next;
    if (buckets[b].last == r->id)
        buckets[b].last = previous;
}

uint32_t tlt_request_reserve(void)
{
    uint32_t id = take_id();
    if (!id)
        tlt_fail("out of memory for requests");
    return id;
}

void tlt_request_release(uint32_t id)
{
    give_back_id(id);
}

uint32_t tlt_request_add(const void *handle, const void *variable, uint32_t flags)
{
    uint32_t id = TLT_UNLIKELY(tlt.shared) ? tlt_thread_begun_request() : 0;
    if (!id)
        id = tlt_request_reserve();
    if (!id)
        return 0;
    tlt_request *r = &pool[id];
    *r = (tlt_request){.handle = handle, .variable = variable, .id = id, .flags = flags};
    n_need_status += needs_status(flags);
    link_request(r);
    return r->id;
}

tlt_request *tlt_request_find(const void *handle, const void *variable)
{
    const tlt_request wanted = {.handle = handle, .variable = variable};
    uint32_t id = *exact_bucket_of(&wanted);
    while (id && (pool[id].handle != handle || pool[id].variable != variable))
        id = pool[id].next_exactly;
    if (id)
        return &pool[id];
    id = buckets[bucket_of(handle)].first;
    while (id && pool[id].handle != handle)
        id = pool[id].next;
    return id ? &pool[id] : NULL;
}

void tlt_request_remove(tlt_request *r)
{
    n_need_status -= needs_status(r->flags);
    unlink_request(r);
    free(r->partitions);
    give_back_id(r->id);
    if (r->received)
        give_back_id(r->received);
}

void tlt_request_start(tlt_request *r)
{
    tlt_request_set_flags(r, r->flags | TLT_ACTIVE);
    if (!r->partitions)
        return;
    r->partitions->n_left = r->partitions->n;
    if (!(r->flags & TLT_SENDS_PARTS))
        memset(r->partitions->seen, 0, r->partitions->n);
}

void tlt_request_rename(tlt_request *r, const void *handle)
{
    unlink_request(r);
    r->handle = handle;
    link_request(r);
}

void tlt_request_set_flags(tlt_request *r, uint32_t flags)
{
    n_need_status -= needs_status(r->flags);
    n_need_status += needs_status(flags);
    r->flags = flags;
}
