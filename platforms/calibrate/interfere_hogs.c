/* interfere_hogs.c - loops that keep other cores busy, and count what they do. */
#include "config.h"

#include "interfere.h"
#include "memory.h"
#include "memory_loops.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

/* Parts of work between two looks at the clock take 10 to 20 us. */
enum { PART_BYTES = 1 << 17, PART_LOADS = 128, MAX_PROCESSORS = 4096, LEAST_BYTES = 1 << 16 };
/* A hog is measured beside another one for so much CPU time, or at most for so many naps; before
 * that, it works for the first of them. */
static const uint64_t window_ns = 40000000;
enum { NAP_NS = 5000000, MOST_NAPS = 200 };

static const char *const names[] = {"arithmetic", "cache", "stream", "chase", "none"};

const char *tlp_hog_name(tlp_hog hog)
{
    return names[hog];
}

typedef struct hog_thread {
    tlp_hogs *hogs;
    tlp_hog hog;
    int processor;
    pthread_t thread;
    volatile uint64_t *count; /* NULL: nobody wants to know */
    char *arrays;             /* its own memory, kept between runs */
    tlp_line *ring;
    int is_started;
    atomic_int is_ready, has_failed;
} hog_thread;

struct tlp_hogs {
    const tlp_interfere_result *result; /* the sizes of working sets */
    gsl_rng *random;
    unsigned n_processors;
    int *processors;     /* the first one is the program's */
    hog_thread *threads; /* [n_processors] */
    atomic_int is_over;
};

unsigned tlp_hogs_most(const tlp_hogs *hogs)
{
    return hogs->n_processors - 1;
}

int tlp_hogs_free_processor(const tlp_hogs *hogs)
{
    return hogs->processors[0];
}

static uint64_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static int prepare(hog_thread *t)
{
    const size_t bytes = t->hogs->result->memory_bytes;
    if (t->hog == TLP_HOG_CHASE && !t->ring)
        t->ring = tlp_make_ring(bytes, 1);
    if ((t->hog == TLP_HOG_CACHE || t->hog == TLP_HOG_STREAM) && !t->arrays &&
        !(t->arrays = tlp_make_set(bytes)))
        return 0;
    return t->hog != TLP_HOG_CHASE || t->ring;
}

static void do_part(const hog_thread *t, tlp_pair *x, size_t *at, tlp_line **on)
{
    switch (t->hog) {
    case TLP_HOG_CACHE: tlp_triad(t->arrays, t->hogs->result->cache_bytes, PART_BYTES, at); break;
    case TLP_HOG_STREAM: tlp_triad(t->arrays, t->hogs->result->memory_bytes, PART_BYTES, at); break;
    case TLP_HOG_CHASE: tlp_chase(on, PART_LOADS); break;
    default: tlp_arithmetic(x); break;
    }
}

static void *work(void *data)
{
    hog_thread *t = data;
    tlp_pair x[8] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 2}};
    size_t at = 0;
    if (!tlp_pin_thread(t->processor) || !prepare(t)) {
        atomic_store(&t->has_failed, 1);
        atomic_store(&t->is_ready, 1);
        return NULL;
    }
    tlp_line *on = t->ring;
    uint64_t before_ns = cpu_ns();
    while (!atomic_load_explicit(&t->hogs->is_over, memory_order_relaxed)) {
        do_part(t, x, &at, &on);
        const uint64_t now_ns = cpu_ns();
        if (t->count)
            *t->count += (now_ns - before_ns) * TLP_PACKED_NS + 1;
        before_ns = now_ns;
        atomic_store_explicit(&t->is_ready, 1, memory_order_relaxed);
    }
    /* The compiler must not see that nobody reads the result. */
    __asm__ volatile("" : : "r"(on), "m"(x) : "memory");
    return NULL;
}

/* ---- start and stop ---- */

static tl_status start_one(tlp_hogs *hogs, unsigned place, tlp_hog hog, volatile uint64_t *count,
                           tl_error *err)
{
    hog_thread *t = &hogs->threads[place];
    t->hog = hog;
    t->count = count;
    atomic_store(&t->is_ready, 0);
    atomic_store(&t->has_failed, 0);
    if (pthread_create(&t->thread, NULL, work, t) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "a thread cannot be started; check the limits");
    t->is_started = 1;
    const struct timespec pause = {.tv_nsec = 100000};
    while (!atomic_load(&t->is_ready))
        nanosleep(&pause, NULL);
    return atomic_load(&t->has_failed) ? tl_fail(err, TL_ERR_SYSTEM,
                                                 "no memory for a loop beside the program, or its "
                                                 "processor is taken; give --max-bytes")
                                       : TL_OK;
}

tl_status tlp_hogs_start(tlp_hogs *hogs, tlp_hog hog, unsigned cores, volatile uint64_t *count,
                         tl_error *err)
{
    tl_status status = TL_OK;
    atomic_store(&hogs->is_over, 0);
    for (unsigned i = 1; i <= cores && hog != TLP_NO_HOG && status == TL_OK; i++)
        status = start_one(hogs, i, hog, i == 1 ? count : NULL, err);
    if (status != TL_OK)
        tlp_hogs_stop(hogs);
    return status;
}

void tlp_hogs_stop(tlp_hogs *hogs)
{
    atomic_store(&hogs->is_over, 1);
    for (unsigned i = 0; i < hogs->n_processors; i++) {
        if (hogs->threads[i].is_started)
            pthread_join(hogs->threads[i].thread, NULL);
        hogs->threads[i].is_started = 0;
    }
}

/* ---- hogs beside hogs ---- */

/* The hog is on the program's core, as the program will be. */
static tl_status probe_pair(tlp_hogs *hogs, tlp_hog hog, tlp_hog beside,
                            tlp_interfere_sample *sample, tl_error *err)
{
    volatile uint64_t count = 0;
    tl_status status = tlp_hogs_start(hogs, beside, 1, NULL, err);
    if (status != TL_OK)
        return status;
    status = start_one(hogs, 0, hog, &count, err);
    const struct timespec nap = {.tv_nsec = NAP_NS};
    if (status == TL_OK)
        nanosleep(&nap, NULL);
    const uint64_t begin = count;
    for (int i = 0; status == TL_OK && i < MOST_NAPS; i++) {
        nanosleep(&nap, NULL);
        if ((count - begin) / TLP_PACKED_NS >= window_ns)
            break;
    }
    const uint64_t gained = count - begin, gained_ns = gained / TLP_PACKED_NS;
    tlp_hogs_stop(hogs);
    sample->seconds = 1e-9 * (double)gained_ns;
    sample->work = (double)(gained % TLP_PACKED_NS);
    return status;
}

tl_status tlp_hogs_probe(tlp_hogs *hogs, unsigned repetition, tlp_interfere_result *result,
                         tl_error *err)
{
    enum { N_BESIDE = TLP_N_HOGS + 1 };
    int pairs[TLP_N_HOGS * N_BESIDE];
    const size_t n = sizeof pairs / sizeof *pairs;
    for (size_t i = 0; i < n; i++)
        pairs[i] = (int)i;
    gsl_ran_shuffle(hogs->random, pairs, n, sizeof *pairs);
    tl_status status = TL_OK;
    for (size_t i = 0; i < n && status == TL_OK; i++) {
        char name[16], nothing[1] = "";
        const tlp_hog hog = (tlp_hog)(pairs[i] / N_BESIDE), beside = (tlp_hog)(pairs[i] % N_BESIDE);
        snprintf(name, sizeof name, "%s", tlp_hog_name(hog));
        tlp_interfere_sample sample = {.probe = TLP_PROBE_HOG,
                                       .hog = beside,
                                       .cores = beside != TLP_NO_HOG,
                                       .repetition = repetition,
                                       .from = name,
                                       .to = nothing};
        status = probe_pair(hogs, hog, beside, &sample, err);
        if (status == TL_OK && tlp_interfere_add(result, &sample) != TL_OK)
            status = tl_no_memory(err, "measuring");
    }
    return status;
}

/* ---- the whole ---- */

/* cache: half of the largest cache, which the cores share if they share any; memory: so much that
 * it does not fit the caches. */
static void choose_sizes(size_t max_bytes, tlp_interfere_result *result)
{
    tlp_memory_result machine = {0};
    size_t largest = 4UL << 20; /* assumed if no cache is known */
    tlp_find_caches(&machine);
    if (machine.n_caches)
        largest = machine.caches[machine.n_caches - 1].bytes;
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t available = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 1UL << 30;
    result->memory_bytes = max_bytes ? max_bytes : 4 * largest;
    if (result->memory_bytes > available / 8)
        result->memory_bytes = available / 8;
    if (result->memory_bytes < LEAST_BYTES)
        result->memory_bytes = LEAST_BYTES;
    result->cache_bytes = largest / 2;
    if (result->cache_bytes > result->memory_bytes)
        result->cache_bytes = result->memory_bytes;
    snprintf(result->processor, sizeof result->processor, "%s", machine.processor);
}

tl_status tlp_hogs_open(size_t max_bytes, unsigned long seed, tlp_interfere_result *result,
                        tlp_hogs **out, tl_error *err)
{
    unsigned n_apart = 0;
    tlp_hogs *hogs = calloc(1, sizeof *hogs);
    if (hogs) {
        hogs->result = result;
        hogs->random = gsl_rng_alloc(gsl_rng_mt19937);
        hogs->processors = calloc(MAX_PROCESSORS, sizeof *hogs->processors);
    }
    if (hogs && hogs->processors)
        hogs->n_processors = tlp_list_processors(hogs->processors, MAX_PROCESSORS, &n_apart);
    if (hogs)
        hogs->threads = calloc(hogs->n_processors + 1, sizeof *hogs->threads);
    if (!hogs || !hogs->random || !hogs->processors || !hogs->threads) {
        tlp_hogs_close(hogs);
        return tl_no_memory(err, "loops beside the program");
    }
    if (hogs->n_processors < 2) {
        tlp_hogs_close(hogs);
        return tl_fail(err, TL_ERR_SYSTEM,
                       "this process may use one processor only; the "
                       "measurement needs another one beside the program");
    }
    gsl_rng_set(hogs->random, seed);
    choose_sizes(max_bytes, result);
    for (unsigned i = 0; i < hogs->n_processors; i++) {
        hogs->threads[i].hogs = hogs;
        hogs->threads[i].processor = hogs->processors[i];
    }
    *out = hogs;
    return TL_OK;
}

void tlp_hogs_close(tlp_hogs *hogs)
{
    if (!hogs)
        return;
    for (unsigned i = 0; hogs->threads && i < hogs->n_processors; i++) {
        if (hogs->threads[i].arrays)
            munmap(hogs->threads[i].arrays, hogs->result->memory_bytes);
        if (hogs->threads[i].ring)
            munmap(hogs->threads[i].ring, hogs->result->memory_bytes);
    }
    free(hogs->threads);
    free(hogs->processors);
    if (hogs->random)
        gsl_rng_free(hogs->random);
    free(hogs);
}
