/* helper_kernels.c - kernels that helpers of a team call.
 *
 * Helpers cannot write events, because one thread writes without a lock. A helper puts its kernels
 * into a queue of the master. The master writes them when it continues after a wait (teams.c). */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "kernel.h"
#include "teams.h"

/* A kernel in the queue: HEAD words, then its sizes. */
enum { CODE, CALLER, VOLUME, N_SIZES, HEAD };

struct tlt_kernel_queue {
    pthread_mutex_t lock;
    size_t n, room; /* words; n is read without the lock, too */
    int64_t *words;
};

static __thread struct tlt_kernel_queue own
    __attribute__((tls_model("initial-exec"))) = {.lock = PTHREAD_MUTEX_INITIALIZER};

tlt_kernel_queue *tlt_workers_kernel_queue(void)
{
    static struct tlt_kernel_queue queue = {.lock = PTHREAD_MUTEX_INITIALIZER};
    return &queue;
}

tlt_kernel_queue *tlt_own_kernel_queue(void)
{
    return &own;
}

void tlt_kernel_queue_free(void)
{
    free(own.words);
    own.words = NULL;
    own.n = own.room = 0;
}

static bool reserve(tlt_kernel_queue *q, size_t n)
{
    if (q->room - q->n >= n)
        return true;
    const size_t room = 2 * (q->n + n);
    int64_t *words = realloc(q->words, room * sizeof *words);
    if (words) {
        q->words = words;
        q->room = room;
    }
    return words != NULL;
}

bool tlt_kernel_queue_put(tlt_kernel_queue *q, uint16_t code, void *caller, uint64_t volume,
                          uint32_t n_sizes, const int64_t *sizes)
{
    pthread_mutex_lock(&q->lock);
    const bool ok = reserve(q, HEAD + n_sizes);
    if (ok) {
        int64_t *kernel = q->words + q->n;
        kernel[CODE] = code;
        kernel[CALLER] = (intptr_t)caller;
        kernel[VOLUME] = (int64_t)volume;
        kernel[N_SIZES] = n_sizes;
        if (n_sizes)
            memcpy(kernel + HEAD, sizes, n_sizes * sizeof *sizes);
        __atomic_store_n(&q->n, q->n + HEAD + n_sizes, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&q->lock);
    return ok;
}

void tlt_kernel_queue_write(tlt_kernel_queue *q)
{
    if (!__atomic_load_n(&q->n, __ATOMIC_RELAXED))
        return;
    tlt_role = TLT_INSIDE;
    if (tlt.shared)
        tlt_lock();
    tlt_kernel_queue_empty(q);
    tlt_leave();
}

void tlt_kernel_queue_empty(tlt_kernel_queue *q)
{
    pthread_mutex_lock(&q->lock);
    for (size_t i = 0; i < q->n; i += HEAD + (size_t)q->words[i + N_SIZES]) {
        const int64_t *kernel = q->words + i;
        tl_event event = {.call = (uint16_t)kernel[CODE],
                          .site = tlt_site((void *)(intptr_t)kernel[CALLER]),
                          .list_len = (uint32_t)kernel[N_SIZES],
                          .list = kernel + HEAD};
        tlt_kernel_volumes[event.call - TL_KERNEL_dgemm] += (uint64_t)kernel[VOLUME];
        tlt_put(&event);
    }
    __atomic_store_n(&q->n, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&q->lock);
}
