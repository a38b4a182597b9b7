/* memory_loops.c - the loops by which cores and memory are measured: arithmetic in registers,
 * STREAM's triad, and a chase of pointers. */
#include "config.h"

#include "memory_loops.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { CHUNK_ROUNDS = 4096, ARRAYS = 3 };

/* Eight independent chains: as many as hide the latency of an addition and a multiplication. */
double tlp_arithmetic(tlp_pair *x)
{
    const tlp_pair a = {0.999999, 0.999998}, b = {1e-6, 2e-6};
    tlp_pair x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3], x4 = x[4], x5 = x[5], x6 = x[6], x7 = x[7];
    for (int i = 0; i < CHUNK_ROUNDS; i++) {
        x0 = x0 * a + b;
        x1 = x1 * a + b;
        x2 = x2 * a + b;
        x3 = x3 * a + b;
        x4 = x4 * a + b;
        x5 = x5 * a + b;
        x6 = x6 * a + b;
        x7 = x7 * a + b;
    }
    const tlp_pair result[8] = {x0, x1, x2, x3, x4, x5, x6, x7};
    memcpy(x, result, sizeof result);
    return 32.0 * CHUNK_ROUNDS;
}

static void triad(tlp_pair *restrict a, const tlp_pair *restrict b, const tlp_pair *restrict c,
                  size_t n)
{
    const tlp_pair s = {3, 3};
    for (size_t i = 0; i < n; i++)
        a[i] = b[i] + s * c[i];
}

/* A part of the arrays from *at on, or small arrays several times. */
double tlp_triad(char *arrays, size_t bytes, size_t chunk_bytes, size_t *at)
{
    const size_t each = bytes / ARRAYS / LINE_BYTES * LINE_BYTES, n = each / sizeof(tlp_pair);
    const size_t chunk = chunk_bytes / ARRAYS / sizeof(tlp_pair);
    tlp_pair *a = (tlp_pair *)arrays, *b = (tlp_pair *)(arrays + each),
             *c = (tlp_pair *)(arrays + 2 * each);
    size_t done = 0;
    if (n < chunk) {
        for (; done < chunk; done += n)
            triad(a, b, c, n);
    } else {
        *at = *at + chunk <= n ? *at : 0;
        triad(a + *at, b + *at, c + *at, chunk);
        *at += done = chunk;
    }
    return (double)done * ARRAYS * sizeof(tlp_pair);
}

double tlp_chase(tlp_line **at, int n_loads)
{
    tlp_line *now = *at;
    for (int i = 0; i < n_loads; i++)
        now = now->next;
    *at = now;
    return n_loads;
}

int tlp_pin_thread(int processor)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(processor, &one);
    return pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

void *tlp_make_set(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    /* Processes that are started meanwhile, regions and programs, do not need it. */
    madvise(memory, bytes, MADV_DONTFORK);
    memset(memory, 0, bytes);
    return memory;
}

/* A ring through all lines of the working set in random order (Sattolo). */
tlp_line *tlp_make_ring(size_t bytes, unsigned long seed)
{
    const size_t n = bytes / LINE_BYTES;
    tlp_line *lines = tlp_make_set(bytes);
    uint64_t state = seed * 2 + 1;
    if (!lines)
        return NULL;
    for (size_t i = 0; i < n; i++)
        lines[i].next = &lines[i];
    for (size_t i = n - 1; i > 0; i--) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const size_t other = (size_t)(state >> 33) % i;
        tlp_line *swap = lines[i].next;
        lines[i].next = lines[other].next;
        lines[other].next = swap;
    }
    return lines;
}
