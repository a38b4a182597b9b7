/* requests.c - chained hashes of requests by handle and variable, and by handle; ids index the
 * pool.
 *
 * Most programs complete each request in the variable in which they made it. The hash by handle is
 * therefore kept only from the first request on that is looked for in another place.
 *
 * The lowest free id is given out, so that a loop gets the same ids each time round.
 */
#include "config.h"

#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { N_BUCKETS = 1 << 12, FIRST_POOL = 1 << 10, WORD_BITS = 64 };

static uint32_t exact_buckets[N_BUCKETS]; /* newest first */
static struct {
    uint32_t first, last;
} buckets[N_BUCKETS]; /* by handle, oldest first; used if is_by_handle */
static bool is_by_handle;
static uint64_t n_linked;
static tlt_request *pool; /* by id; 0 is unused; handle NULL: no request */
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
    memset(&pool[pool_size], 0, (size - pool_size) * sizeof *pool);
    if (pool_size == 0)
        free_ids[0] &= ~UINT64_C(1); /* 0 is no request */
    pool_size = size;
    return true;
}

/* 0 when memory is short. */
static inline uint32_t take_id(void)
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
    for (uint32_t id = 1; id < pool_size; id++)
        if (pool[id].handle)
            free(pool[id].partitions);
    free(pool);
    free(free_ids);
    pool = NULL;
    free_ids = NULL;
    pool_size = free_word = n_need_status = 0;
    is_by_handle = false;
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

/* Behind all older requests in the bucket of its handle. */
static void link_by_handle(tlt_request *r)
{
    const uint32_t b = bucket_of(r->handle), last = buckets[b].last;
    uint32_t *at = &buckets[b].first;
    if (last && pool[last].serial < r->serial)
        at = &pool[last].next;
    while (*at && pool[*at].serial < r->serial)
        at = &pool[*at].next;
    r->next = *at;
    *at = r->id;
    if (!r->next)
        buckets[b].last = r->id;
}

static void unlink_by_handle(const tlt_request *r)
{
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

static void keep_by_handle(void)
{
    is_by_handle = true;
    for (uint32_t id = 1; id < pool_size; id++)
        if (pool[id].handle)
            link_by_handle(&pool[id]);
}

static void link_request(tlt_request *r)
{
    uint32_t *exactly = exact_bucket_of(r);
    r->next_exactly = *exactly;
    *exactly = r->id;
    r->serial = ++n_linked;
    if (TLT_UNLIKELY(is_by_handle))
        link_by_handle(r);
}

static inline void unlink_request(const tlt_request *r)
{
    uint32_t *exactly = exact_bucket_of(r);
    while (*exactly != r->id)
        exactly = &pool[*exactly].next_exactly;
    *exactly = r->next_exactly;
    if (TLT_UNLIKELY(is_by_handle))
        unlink_by_handle(r);
}

static inline uint32_t reserve_id(void)
{
    uint32_t id = take_id();
    if (TLT_UNLIKELY(!id))
        tlt_fail("out of memory for requests");
    return id;
}

uint32_t tlt_request_reserve(void)
{
    return reserve_id();
}

void tlt_request_release(uint32_t id)
{
    give_back_id(id);
}

uint32_t tlt_request_add(const void *handle, const void *variable, uint32_t flags)
{
    uint32_t id = TLT_UNLIKELY(tlt.shared) ? tlt_thread_begun_request() : 0;
    if (!id)
        id = reserve_id();
    if (TLT_UNLIKELY(!id))
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
    if (TLT_LIKELY(id))
        return &pool[id];
    if (!is_by_handle)
        keep_by_handle();
    id = buckets[bucket_of(handle)].first;
    while (id && pool[id].handle != handle)
        id = pool[id].next;
    return id ? &pool[id] : NULL;
}

void tlt_request_remove(tlt_request *r)
{
    n_need_status -= needs_status(r->flags);
    unlink_request(r);
    if (TLT_UNLIKELY(r->partitions))
        free(r->partitions);
    r->handle = NULL;
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
