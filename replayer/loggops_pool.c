/* loggops_pool.c - memory for messages under way and for posted receives.
 *
 * A pool is one range of addresses, of which the system gives pages as they are first used, so that
 * an index names an item for all threads while others take new ones.  Each thread hands out what
 * it was last given back, which its cache still holds. */
#include "config.h"

#include "loggops_simulate.h"

#include <sys/mman.h>

/* What a thread takes at a time. */
enum { CHUNK_ITEMS = 512, FEWEST_ITEMS = 1 << 16, HUGE_PAGES_FROM_RANKS = 1 << 16 };

int loggops_pool_open(pool *p, size_t item_bytes, uint32_t n_ranks)
{
    const int protection = PROT_READ | PROT_WRITE;
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    for (uint64_t n = UINT32_MAX - CHUNK_ITEMS; n >= FEWEST_ITEMS; n /= 2) {
        void *memory = mmap(NULL, n * item_bytes, protection, flags, -1, 0);
        if (memory == MAP_FAILED)
            continue;
        if (n_ranks >= HUGE_PAGES_FROM_RANKS)
            madvise(memory, n * item_bytes, MADV_HUGEPAGE); /* faster where there are any */
        *p = (pool){.memory = memory, .bytes = n * item_bytes, .n_items = n};
        return 1;
    }
    return 0;
}

void loggops_pool_close(pool *p)
{
    if (p->memory)
        munmap(p->memory, p->bytes);
}

/* An item that nobody had yet; NONE, and the simulation ends, without memory. */
static uint32_t take_new(pool *p, stock *k, block *b)
{
    if (k->next == k->end) {
        const uint64_t first = __atomic_fetch_add(&p->n_taken, CHUNK_ITEMS, __ATOMIC_RELAXED);
        if (first + CHUNK_ITEMS > p->n_items) {
            b->out_of_memory = 1;
            return NONE;
        }
        k->next = (uint32_t)first;
        k->end = (uint32_t)first + CHUNK_ITEMS;
    }
    return k->next++;
}

uint32_t loggops_take_message(simulation *s, block *b)
{
    stock *k = &b->worker->messages;
    const uint32_t i = k->unused;
    if (i == NONE)
        return take_new(&s->message_pool, k, b);
    k->unused = s->messages[i].next;
    k->n_unused--;
    return i;
}

void loggops_drop_message(simulation *s, block *b, uint32_t i)
{
    stock *k = &b->worker->messages;
    s->messages[i].next = k->unused;
    k->unused = i;
    k->n_unused++;
}

uint32_t loggops_take_receive(simulation *s, block *b)
{
    stock *k = &b->worker->receives;
    const uint32_t i = k->unused;
    if (i == NONE)
        return take_new(&s->receive_pool, k, b);
    k->unused = s->receives[i].next;
    k->n_unused--;
    return i;
}

void loggops_drop_receive(simulation *s, block *b, uint32_t i)
{
    stock *k = &b->worker->receives;
    s->receives[i].next = k->unused;
    k->unused = i;
    k->n_unused++;
}

/* Where one thread's ranks send and another's receive, unused messages gather with the latter. */
void loggops_balance_stocks(simulation *s)
{
    worker *richest = s->workers, *poorest = s->workers;
    for (unsigned i = 1; i < s->n_threads; i++) {
        worker *w = &s->workers[i];
        if (w->messages.n_unused > richest->messages.n_unused)
            richest = w;
        if (w->messages.n_unused < poorest->messages.n_unused)
            poorest = w;
    }
    const stock rich = richest->messages, poor = poorest->messages;
    richest->messages.unused = poor.unused;
    richest->messages.n_unused = poor.n_unused;
    poorest->messages.unused = rich.unused;
    poorest->messages.n_unused = rich.n_unused;
}
