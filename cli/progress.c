/* progress.c - how far a command is, on a terminal. */
#include "progress.h"

#include "clock.h"

#include <timeless_files.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Short commands print nothing. */
#define QUIET_S 2.0
#define STEP_S 0.5
/* Between lines that stay. */
#define LINE_S 5.0

/* A replay runs in a process of its own, so the counts are in shared memory. */
typedef struct counts {
    _Atomic uint64_t n_read, n_written;
} counts;

static struct {
    const char *name;
    counts *counts;
    _Atomic uint64_t n_expected;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    pid_t owner; /* a forked process has no thread; 0: nothing is shown */
    double start_s;
    bool is_over, has_line; /* under the mutex */
} watched = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void count(void *arg, uint64_t n_read, uint64_t n_written)
{
    counts *c = arg;
    atomic_fetch_add_explicit(&c->n_read, n_read, memory_order_relaxed);
    atomic_fetch_add_explicit(&c->n_written, n_written, memory_order_relaxed);
}

/* stdio would wait for a command that holds its locks. */
static void put(const char *text, size_t length)
{
    if (write(STDERR_FILENO, text, length) < 0)
        watched.is_over = 1;
}

static void remove_line(void)
{
    static const char text[] = "\r\033[K";
    if (watched.has_line)
        put(text, sizeof text - 1);
    watched.has_line = 0;
}

/* Behind the line the cursor goes back, so that a message of somebody else overwrites it. */
static void show_line(void)
{
    char text[160];
    const double n_read = (double)atomic_load(&watched.counts->n_read),
                 n_written = (double)atomic_load(&watched.counts->n_written),
                 n_expected = (double)atomic_load(&watched.n_expected);
    const double share = fmin(n_read / fmax(n_expected, 1), 1);
    int n = snprintf(text, sizeof text, "\r\033[Ktimeless: %s: %.0f s", watched.name,
                     tl_now_s(CLOCK_MONOTONIC) - watched.start_s);
    if (n_expected >= n_read && n_read > 0)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      ", %.0f %% of the events, about %.0f s left", 100 * share,
                      (tl_now_s(CLOCK_MONOTONIC) - watched.start_s) * (1 / share - 1));
    else if (n_read > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %.4g million events read",
                      1e-6 * n_read);
    if (n_expected == 0 && n_written > 0)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %.4g million events written",
                      1e-6 * n_written);
    text[n++] = '\r';
    put(text, (size_t)n);
    watched.has_line = 1;
}

static void *keep_showing(void *arg)
{
    (void)arg;
    double next_s = watched.start_s + QUIET_S;
    pthread_mutex_lock(&watched.mutex);
    while (!watched.is_over) {
        const struct timespec until = {(time_t)next_s, (long)(1e9 * (next_s - floor(next_s)))};
        pthread_cond_timedwait(&watched.changed, &watched.mutex, &until);
        if (watched.is_over || tl_now_s(CLOCK_MONOTONIC) < next_s)
            continue;
        show_line();
        next_s = tl_now_s(CLOCK_MONOTONIC) + STEP_S;
    }
    remove_line();
    pthread_mutex_unlock(&watched.mutex);
    return NULL;
}

void cli_progress_watch(const char *name)
{
    pthread_condattr_t attributes;
    struct stat out;
    if (!isatty(STDERR_FILENO))
        return;
    /* Behind a pipe there may be a pager, whose screen the line would spoil. */
    if (fstat(STDOUT_FILENO, &out) != 0 || S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode))
        return;
    watched.counts = mmap(NULL, sizeof *watched.counts, PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (watched.counts == MAP_FAILED)
        return;
    watched.name = name;
    watched.start_s = tl_now_s(CLOCK_MONOTONIC);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&watched.changed, &attributes);
    pthread_condattr_destroy(&attributes);
    if (pthread_create(&watched.thread, NULL, keep_showing, NULL) != 0)
        return;
    watched.owner = getpid();
    tl_watch(count, watched.counts);
    atexit(cli_progress_stop);
}

void cli_progress_expect(const tl_reader *r, int64_t only, uint64_t first, uint64_t past)
{
    uint64_t n = 0;
    const uint32_t n_ranks = watched.owner ? tl_reader_run(r)->n_ranks : 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        tl_rank_summary summary = {0};
        if ((only >= 0 && rank != only) || tl_reader_rank(r, rank, &summary) != TL_OK)
            continue;
        const uint64_t end = past < summary.n_events ? past : summary.n_events;
        n += end > first ? end - first : 0;
    }
    atomic_fetch_add(&watched.n_expected, n);
}

void cli_progress_clear(void)
{
    if (watched.owner != getpid())
        return;
    pthread_mutex_lock(&watched.mutex);
    remove_line();
    pthread_mutex_unlock(&watched.mutex);
}

void cli_progress_stop(void)
{
    if (watched.owner != getpid())
        return;
    pthread_mutex_lock(&watched.mutex);
    watched.is_over = 1;
    pthread_cond_signal(&watched.changed);
    pthread_mutex_unlock(&watched.mutex);
    pthread_join(watched.thread, NULL);
    watched.owner = 0;
}

static int prints_lines;

void cli_progress_print(void)
{
    prints_lines = 1;
}

cli_progress cli_progress_begin(const char *what, size_t n)
{
    const double now = tl_now_s(CLOCK_MONOTONIC);
    return (cli_progress){.what = what,
                          .n = n,
                          .start_s = now,
                          .next_s = now + (prints_lines ? 0 : QUIET_S),
                          .is_on = prints_lines || isatty(2)};
}

void cli_progress_step(cli_progress *p)
{
    const double now = p->is_on ? tl_now_s(CLOCK_MONOTONIC) : 0;
    p->n_done++;
    if (!p->is_on || now < p->next_s)
        return;
    const double left_s = (now - p->start_s) / (double)p->n_done *
                          (double)(p->n - (p->n_done < p->n ? p->n_done : p->n));
    fprintf(stderr, "%stimeless: %zu of %zu %s, about %.0f s left%s",
            prints_lines ? "" : "\r\033[K", p->n_done, p->n, p->what, left_s,
            prints_lines ? "\n" : "");
    p->next_s = now + (prints_lines ? LINE_S : STEP_S);
    p->has_line = !prints_lines;
}

void cli_progress_end(cli_progress *p)
{
    if (p->has_line)
        fputs("\r\033[K", stderr);
    p->has_line = 0;
}
