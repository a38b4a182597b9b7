/* memory_measure.c - loops on several cores at the same time: arithmetic in registers, STREAM's
 * triad, and a chase of pointers. */
#include "config.h"

#include "memory.h"

#include "clock.h"
#include "memory_loops.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

/* All cores work for so long. Their rates are of their CPU time, so that a core that another
 * program interrupts does not look slower. */
#define WINDOW_S 5e-3
/* Between two looks at the clock. */
enum { CHUNK_BYTES = 1 << 20, CHUNK_LOADS = 1024, LEAST_ROUNDS = 3, MAX_PROCESSORS = 4096 };

/* What belongs to a processor; made when it first works, by its own thread, so that the memory is
 * near to it. */
typedef struct place {
    int processor;
    char *arrays;                   /* of the triad, largest_bytes */
    tlp_line *rings[TLP_MAX_SIZES]; /* of the chase, one for each size */
} place;

typedef struct bench {
    const tlp_memory_options *options;
    tlp_memory_result *result;
    gsl_rng *random;
    size_t n_sizes, sizes[TLP_MAX_SIZES];
    unsigned n_counts, counts[TLP_MAX_CORE_COUNTS];
    unsigned n_places, n_apart;
    place *places;
    int *processors;
} bench;

/* One loop, once. */
typedef struct run {
    const bench *bench;
    tlp_loop loop;
    size_t size; /* index */
    unsigned n_cores;
    atomic_uint ready, failed;
} run;

typedef struct worker {
    pthread_t thread;
    run *run;
    place *place;
    double work, cpu_s, wall_s;
} worker;

static int prepare(const run *r, place *p)
{
    const bench *b = r->bench;
    const size_t largest = b->sizes[b->n_sizes - 1];
    if (r->loop == TLP_TRIAD && !p->arrays && !(p->arrays = tlp_make_set(largest)))
        return 0;
    if (r->loop == TLP_CHASE && !p->rings[r->size])
        p->rings[r->size] = tlp_make_ring(b->sizes[r->size], b->options->seed);
    return r->loop != TLP_CHASE || p->rings[r->size];
}

static double do_chunk(const run *r, place *p, tlp_pair *x, size_t *at, tlp_line **on)
{
    switch (r->loop) {
    case TLP_TRIAD: return tlp_triad(p->arrays, r->bench->sizes[r->size], CHUNK_BYTES, at);
    case TLP_CHASE: return tlp_chase(on, CHUNK_LOADS);
    default: return tlp_arithmetic(x);
    }
}

/* Brings a small working set into the caches. */
static void warm_up(const run *r, place *p, tlp_pair *x, size_t *at, tlp_line **on)
{
    const size_t bytes = r->loop == TLP_ARITHMETIC ? 0 : r->bench->sizes[r->size];
    const double per_chunk = r->loop == TLP_CHASE ? CHUNK_LOADS * LINE_BYTES : CHUNK_BYTES;
    const double end_s = tl_now_s(CLOCK_MONOTONIC) + 4 * WINDOW_S;
    for (double done = 0; done <= (double)bytes && tl_now_s(CLOCK_MONOTONIC) < end_s;)
        done += per_chunk + 0 * do_chunk(r, p, x, at, on);
}

static void *work(void *data)
{
    worker *w = data;
    run *r = w->run;
    tlp_pair x[8] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 3}, {3, 1}, {2, 3}, {3, 2}};
    size_t at = 0;
    tlp_line alone = {.next = &alone}, *on = &alone;
    if (!tlp_pin_thread(w->place->processor) || !prepare(r, w->place))
        atomic_store(&r->failed, 1);
    else {
        if (r->loop == TLP_CHASE)
            on = w->place->rings[r->size];
        warm_up(r, w->place, x, &at, &on);
    }
    atomic_fetch_add(&r->ready, 1);
    while (atomic_load(&r->ready) < r->n_cores)
        ;
    if (atomic_load(&r->failed))
        return NULL;
    const double begin_s = tl_now_s(CLOCK_MONOTONIC), cpu_s = tl_now_s(CLOCK_THREAD_CPUTIME_ID);
    double end_s = begin_s;
    while (end_s < begin_s + WINDOW_S) {
        w->work += do_chunk(r, w->place, x, &at, &on);
        end_s = tl_now_s(CLOCK_MONOTONIC);
    }
    w->cpu_s = tl_now_s(CLOCK_THREAD_CPUTIME_ID) - cpu_s;
    w->wall_s = end_s - begin_s;
    /* The compiler must not see that nobody reads the result. */
    __asm__ volatile("" : : "r"(on), "m"(x) : "memory");
    return NULL;
}

/* ---- a run ---- */

/* Fewer cores than there are: others in each run, since they may differ. Cores that share one with
 * another processor are taken last. */
static void choose_places(bench *b, unsigned n, worker *workers)
{
    const unsigned among = n <= b->n_apart ? b->n_apart : b->n_places,
                   first = (unsigned)gsl_rng_uniform_int(b->random, among);
    for (unsigned i = 0; i < n; i++)
        workers[i].place = &b->places[(first + i) % among];
}

static tl_status out_of_memory(tl_error *err)
{
    return tl_fail(err, TL_ERR_MEMORY, "out of memory while measuring; give --max-bytes");
}

static tl_status run_loop(bench *b, tlp_memory_sample *sample, size_t size, tl_error *err)
{
    const unsigned n = sample->cores;
    run r = {.bench = b, .loop = sample->loop, .size = size, .n_cores = n};
    worker *workers = calloc(n, sizeof *workers);
    if (!workers)
        return out_of_memory(err);
    choose_places(b, n, workers);
    unsigned started = 0;
    for (; started < n; started++) {
        workers[started].run = &r;
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0)
            break;
    }
    if (started < n) { /* the others do not wait for those that did not start */
        atomic_store(&r.failed, 1);
        atomic_fetch_add(&r.ready, n - started);
    }
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    for (unsigned i = 0; i < n; i++) {
        const worker *w = &workers[i];
        if (sample->loop == TLP_CHASE)
            sample->value += w->cpu_s / w->work / n;
        else
            sample->value += w->work / w->cpu_s;
        if (1 - w->cpu_s / w->wall_s > sample->lost)
            sample->lost = 1 - w->cpu_s / w->wall_s;
    }
    free(workers);
    return atomic_load(&r.failed) ? out_of_memory(err) : TL_OK;
}

static void run_region(bench *b, tlp_memory_sample *sample)
{
    const bool is_shared = sample->loop == TLP_SHARED_REGION;
    /* As many cores as threads, so that they do not move; or one core. */
    sample->value = tlp_region_s(b->options->runtime, sample->cores, b->processors,
                                 is_shared ? 1 : sample->cores, is_shared);
    if (sample->value < 0)
        *b->result->runtime = '\0';
}

/* ---- rounds ---- */

/* What a round measures, in any order; size is an index. */
typedef struct item {
    tlp_loop loop;
    unsigned cores;
    size_t size;
} item;

static size_t list_items(const bench *b, item *items)
{
    size_t n = 0;
    for (unsigned i = 0; i < b->n_counts; i++) {
        const unsigned cores = b->counts[i];
        items[n++] = (item){TLP_ARITHMETIC, cores, 0};
        items[n++] = (item){TLP_REGION, cores, 0};
        for (size_t s = 0; s < b->n_sizes; s++) {
            items[n++] = (item){TLP_TRIAD, cores, s};
            items[n++] = (item){TLP_CHASE, cores, s};
        }
    }
    items[n++] = (item){TLP_SHARED_REGION, 1, 0};
    items[n++] = (item){TLP_SHARED_REGION, 2, 0};
    return n;
}

static tl_status run_round(bench *b, const item *items, size_t n, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < n && status == TL_OK; i++) {
        const bool is_region = items[i].loop >= TLP_REGION;
        const bool has_bytes = items[i].loop == TLP_TRIAD || items[i].loop == TLP_CHASE;
        tlp_memory_sample sample = {.loop = items[i].loop,
                                    .cores = items[i].cores,
                                    .bytes = has_bytes ? b->sizes[items[i].size] : 0};
        if (is_region && !*b->result->runtime)
            continue;
        if (is_region)
            run_region(b, &sample);
        else
            status = run_loop(b, &sample, items[i].size, err);
        if (status == TL_OK && sample.value > 0 && tlp_memory_add(b->result, &sample) != TL_OK)
            status = out_of_memory(err);
    }
    return status;
}

static tl_status run_rounds(bench *b, tl_error *err)
{
    const size_t room = (size_t)b->n_counts * (2 + 2 * b->n_sizes) + 2;
    item *items = calloc(room, sizeof *items);
    if (!items)
        return out_of_memory(err);
    const size_t n = list_items(b, items);
    tlp_processor_times before;
    tlp_processors_now(&before);
    const double begin_s = tl_now_s(CLOCK_MONOTONIC);
    tl_status status = TL_OK;
    for (unsigned round = 0; status == TL_OK; round++) {
        if (round >= LEAST_ROUNDS && tl_now_s(CLOCK_MONOTONIC) - begin_s >= b->options->max_seconds)
            break;
        gsl_ran_shuffle(b->random, items, n, sizeof *items);
        status = run_round(b, items, n, err);
    }
    tlp_processors_since(&before, &b->result->other, &b->result->stolen);
    free(items);
    return status;
}

/* ---- the whole ---- */

/* At most half of the memory that is available, for the triad's and the chase's working sets. */
static size_t largest_bytes(const bench *b)
{
    const long pages = sysconf(_SC_AVPHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    const size_t free_bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : 1UL << 30;
    size_t wanted = b->options->max_bytes, bytes = TLP_LEAST_BYTES;
    for (size_t i = 0; i < b->result->n_caches && !b->options->max_bytes; i++)
        if (4 * b->result->caches[i].bytes > wanted)
            wanted = 4 * b->result->caches[i].bytes;
    if (!wanted)
        wanted = 256UL << 20;
    if (wanted > free_bytes / 6 / b->n_places)
        wanted = free_bytes / 6 / b->n_places;
    while (2 * bytes <= wanted)
        bytes *= 2;
    return bytes;
}

static void free_places(bench *b)
{
    const size_t largest = b->n_sizes ? b->sizes[b->n_sizes - 1] : 0;
    for (unsigned i = 0; b->places && i < b->n_places; i++) {
        if (b->places[i].arrays)
            munmap(b->places[i].arrays, largest);
        for (size_t s = 0; s < b->n_sizes; s++)
            if (b->places[i].rings[s])
                munmap(b->places[i].rings[s], b->sizes[s]);
    }
    free(b->places);
    free(b->processors);
    gsl_rng_free(b->random);
}

tl_status tlp_memory_measure(const tlp_memory_options *options, tlp_memory_result **out,
                             tl_error *err)
{
    bench b = {.options = options,
               .result = calloc(1, sizeof *b.result),
               .random = gsl_rng_alloc(gsl_rng_mt19937),
               .processors = calloc(MAX_PROCESSORS, sizeof *b.processors)};
    tl_status status = b.result && b.random && b.processors ? TL_OK : out_of_memory(err);
    if (status == TL_OK) {
        gsl_rng_set(b.random, options->seed);
        b.n_places = tlp_list_processors(b.processors, MAX_PROCESSORS, &b.n_apart);
        b.places = calloc(b.n_places + 1, sizeof *b.places);
        status = b.places ? TL_OK : out_of_memory(err);
    }
    if (status == TL_OK) {
        for (unsigned i = 0; i < b.n_places; i++)
            b.places[i].processor = b.processors[i];
        b.result->seed = options->seed;
        tlp_moment(b.result->moment);
        b.result->n_cores = b.n_places;
        snprintf(b.result->runtime, sizeof b.result->runtime, "%s", options->runtime);
        tlp_find_caches(b.result);
        b.n_counts = tlp_core_counts(b.n_places, b.counts);
        const size_t largest = largest_bytes(&b);
        for (size_t bytes = TLP_LEAST_BYTES; bytes <= largest && b.n_sizes < TLP_MAX_SIZES;
             bytes *= 2)
            b.sizes[b.n_sizes++] = bytes;
        status = run_rounds(&b, err);
    }
    free_places(&b);
    if (status == TL_OK)
        *out = b.result;
    else
        tlp_memory_free(b.result);
    return status;
}

void tlp_memory_free(void *all)
{
    tlp_memory_result *result = all;
    if (result)
        free(result->samples);
    free(result);
}
