/* pool.c - memory for messages under way and for posted receives.
 *
 * A pool is one range of addresses. The system gives its pages when they are first used, so an
 * index names an item for all threads while other threads take new items. Each thread first hands
 * out the item that was freed last, because it is still in the thread's cache. Threads exchange
 * batches of unused items (Bonwick, Adams, "Magazines and Vmem", USENIX 2001). */
#include "config.h"

#include "simulate.h"

#include <sys/mman.h>

/* The number of new items that a thread takes at once. */
enum { NEW_ITEMS = 512 };
enum { FEWEST_ITEMS = 1 << 16, HUGE_PAGES_FROM_RANKS = 1 << 16 };

int loggops_pool_open(pool *p, size_t item_bytes, uint32_t n_ranks)
{
    const int protection = PROT_READ | PROT_WRITE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    const uint64_t most = UINT32_MAX - NEW_ITEMS;
    for (uint64_t n = most; n >= FEWEST_ITEMS; n /= 2) {
        void *memory = mmap(NULL, n * item_bytes, protection, flags, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        if (n < most) { /* addresses are few: others need some, too */
            munmap(memory, n * item_bytes);
            n /= 2;
            memory = mmap(NULL, n * item_bytes, protection, flags, -1, 0);
            if (memory == MAP_FAILED)
                return 0;
        }
        if (n_ranks >= HUGE_PAGES_FROM_RANKS)
            madvise(memory, n * item_bytes, MADV_HUGEPAGE); /* faster where there are any */
        *p = (pool){.memory = memory, .item_bytes = item_bytes, .n_items = n, .batches = NONE};
        pthread_mutex_init(&p->lock, NULL);
        return 1;
    }
    return 0;
}

void loggops_pool_close(pool *p)
{
    if (!p->memory)
        return;
    pthread_mutex_destroy(&p->lock);
    munmap(p->memory, p->n_items * p->item_bytes);
    p->memory = NULL;
}

static void hand_over(pool *p, uint32_t batch)
{
    pthread_mutex_lock(&p->lock);
    loggops_pool_at(p, batch)->next_batch = p->batches;
    __atomic_store_n(&p->batches, batch, __ATOMIC_RELAXED); /* read without the lock, too */
    pthread_mutex_unlock(&p->lock);
}

/* NONE if there is none. */
static uint32_t take_batch(pool *p)
{
    if (__atomic_load_n(&p->batches, __ATOMIC_RELAXED) == NONE)
        return NONE;
    pthread_mutex_lock(&p->lock);
    const uint32_t batch = p->batches;
    if (batch != NONE)
        __atomic_store_n(&p->batches, loggops_pool_at(p, batch)->next_batch, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&p->lock);
    return batch;
}

static uint32_t take_new(pool *p, stock *k)
{
    if (k->next == k->end) {
        const uint64_t first = __atomic_fetch_add(&p->n_taken, NEW_ITEMS, __ATOMIC_RELAXED);
        if (first + NEW_ITEMS > p->n_items)
            return NONE;
        k->next = (uint32_t)first;
        k->end = (uint32_t)first + NEW_ITEMS;
    }
    return k->next++;
}

uint32_t loggops_pool_take_more(pool *p, stock *k)
{
    k->unused = k->batch != NONE ? k->batch : take_batch(p);
    k->n_unused = k->unused != NONE ? BATCH_ITEMS : 0;
    k->batch = NONE;
    return k->unused != NONE ? loggops_pool_take(p, k) : take_new(p, k);
}

void loggops_pool_set_aside(pool *p, stock *k)
{
    if (k->batch != NONE)
        hand_over(p, k->batch);
    k->batch = k->unused;
    k->unused = NONE;
    k->n_unused = 0;
}
