/* measure.c - the time of each repetition of an operation, on a global clock.
 *
 * Clock: rank 0 exchanges messages with each other rank before the first repetition, whenever the
 * size changes, and after the last one. The exchange with the shortest round trip gives the offset
 * of the rank's clock (Cristian, Distributed Computing 3, 1989); a line through these offsets is
 * the drift; uncertainty_of() bounds their error.
 *
 * Start: rank 0 announces a time at which all ranks begin (the window of Hoefler et al., NBC
 * benchmarks, 2008; announced anew for each repetition as the round-time scheme of Hunold and
 * Carpen-Amarie, CLUSTER 2018). A rank that gets the announcement too late is marked as late, and
 * the next announcement is given earlier. */
#include "config.h"

#include "measure.h"

#include "clock.h"
#include "counters.h"
#include "inside.h"

#include <actions.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/perf_event.h>
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { TAG_PING = 1, TAG_PONG, TAG_CLOCK, TAG_ROWS, TAG_INSIDE, TAG_NONE };
enum { N_PINGS = 30, N_POLLS = 10, MAX_POINTS = 4096 };
/* The time from the announcement to the start, and its changes after a repetition. */
#define FIRST_SLACK_S 5e-6
#define MOST_SLACK_S 0.1
#define LONGER_AT_FIRST 2
#define LONGER 1.25
#define SHORTER 0.99
/* A rank that waits longer lets others have its core. */
#define YIELD_S 5e-5
/* Clocks gain less than this in a second. */
#define USUAL_DRIFT 1e-4

/* How the ranks begin a repetition together. */
typedef enum way {
    WINDOW, /* at a time that rank 0 has announced */
    BARRIER,
    LOOP, /* after a barrier that follows the call before at once; counters are not read */
    CALLS /* not together: each call of the trace is timed where it stands */
} way;
static const char *const starts[] = {"window", "barrier", "loop", "calls"};

/* An offset of this rank's clock to that of rank 0, at a time of this rank. */
typedef struct point {
    double at_s, offset_s, trip_s;
} point;

/* The line through the points: offset_s at at_s, and what it gains in a second. */
typedef struct clock_line {
    double at_s, offset_s, drift, uncertainty_s;
    char host[64];
    size_t n_samples, n_inside; /* of the rank: rows, and bytes of samples of the stack */
} clock_line;

/* The counters of the thread. */
typedef struct counts {
    double wall_s, cpu_s;
    int64_t switches, faults;
    uint64_t instructions, cycles;
    int64_t counters[PERFORM_MAX_COUNTERS];
} counts;

/* One repetition on this rank; times of its own clock. */
typedef struct sample {
    int64_t bytes, repetition;
    uint32_t site; /* of a call of a trace */
    uint16_t call;
    int32_t cpu, cpu_end, is_late, has_begun;
    double begin_s, end_s, without_cpu_s, clock_hz, celsius;
    int64_t switches, faults, instructions, cycles; /* instructions -1: no counter */
    int64_t counters[PERFORM_MAX_COUNTERS];
} sample;

struct perform_measure {
    way sync;
    long n_in_loop;
    int n_ranks, is_open;
    double slack_s;       /* from the announcement to the start */
    bool was_all_on_time; /* in a repetition */
    size_t n, room;
    sample *samples;
    int n_points;
    point points[MAX_POINTS];
    clock_line line;
    counts before;
    int counter;       /* of instructions, -1: there is none */
    const char *names; /* of the counters; NULL: none */
    unsigned inside_hz;
};

static sample *at_hand(struct perform_measure *m)
{
    return &m->samples[m->n - 1];
}

/* ---- the clock ---- */

static double residual(const clock_line *l, const point *p)
{
    return p->offset_s - l->offset_s - l->drift * (p->at_s - l->at_s);
}

/* A line through the points, with weights by their round trips. If the points are so near to each
 * other that clocks differ less than their drift is known, there is none. */
static void fit(struct perform_measure *m)
{
    const point *first = m->points;
    double w = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int i = 0; i < m->n_points; i++) {
        const point *p = &m->points[i];
        const double weight = 1 / (p->trip_s * p->trip_s), at = p->at_s - first->at_s;
        const double offset = p->offset_s - first->offset_s;
        w += weight, x += weight * at, y += weight * offset;
        xx += weight * at * at, xy += weight * at * offset;
    }
    const double spread = xx - x * x / w;
    m->line.drift = spread > 0 && 0.5 / sqrt(spread) < USUAL_DRIFT ? (xy - x * y / w) / spread : 0;
    m->line.at_s = first->at_s + x / w;
    m->line.offset_s = first->offset_s + y / w;
}

/* At a point, the line is wrong by half of the round trip and the residual at most. Two points then
 * bound the error at all times, as it is linear; the best two count, at the first and last time. */
static double uncertainty_of(const struct perform_measure *m)
{
    const point *points = m->points, *last = &points[m->n_points - 1];
    double best_s = INFINITY;
    for (const point *p = points; p < last; p++)
        for (const point *q = p + 1; q <= last; q++) {
            const double a = p->trip_s / 2 + fabs(residual(&m->line, p));
            const double b = q->trip_s / 2 + fabs(residual(&m->line, q));
            const double before = p->at_s - points->at_s, after = last->at_s - q->at_s;
            const double span = q->at_s - p->at_s;
            best_s = fmin(best_s, fmax((a * (before + span) + b * before) / span,
                                       (a * after + b * (after + span)) / span));
        }
    return best_s;
}

/* Rank 0 has the global clock. */
static double to_global(const clock_line *l, double local_s)
{
    return local_s - l->offset_s - l->drift * (local_s - l->at_s);
}

/* Rank 0: its part of the exchanges with `rank`. The result is the best one. */
static point ping(int rank)
{
    point best = {.trip_s = INFINITY};
    for (int i = 0; i < N_PINGS; i++) {
        double theirs_s;
        const double begin_s = tl_now_s(CLOCK_MONOTONIC);
        PMPI_Send(NULL, 0, MPI_BYTE, rank, TAG_PING, MPI_COMM_WORLD);
        PMPI_Recv(&theirs_s, 1, MPI_DOUBLE, rank, TAG_PONG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double end_s = tl_now_s(CLOCK_MONOTONIC);
        if (end_s - begin_s < best.trip_s)
            best = (point){theirs_s, theirs_s - (begin_s + end_s) / 2, end_s - begin_s};
    }
    return best;
}

/* Another rank sleeps until it is its turn, so that it takes no core from those that measure. */
static void pong(void)
{
    for (int there = 0; !there;) {
        PMPI_Iprobe(0, TAG_PING, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        if (!there)
            usleep(20);
    }
    for (int i = 0; i < N_PINGS; i++) {
        PMPI_Recv(NULL, 0, MPI_BYTE, 0, TAG_PING, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        const double now_s = tl_now_s(CLOCK_MONOTONIC);
        PMPI_Send(&now_s, 1, MPI_DOUBLE, 0, TAG_PONG, MPI_COMM_WORLD);
    }
}

static void synchronise(performer *p)
{
    struct perform_measure *m = p->measure;
    point mine = {.at_s = tl_now_s(CLOCK_MONOTONIC)};
    if (m->n_points == MAX_POINTS)
        perform_give_up(p, "too many sizes for one launch; measure fewer");
    for (int rank = 1; rank < m->n_ranks && p->rank == 0; rank++) {
        const point theirs = ping(rank);
        PMPI_Send(&theirs, 3, MPI_DOUBLE, rank, TAG_CLOCK, MPI_COMM_WORLD);
    }
    if (p->rank) {
        pong();
        PMPI_Recv(&mine, 3, MPI_DOUBLE, 0, TAG_CLOCK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        m->points[m->n_points++] = mine;
        fit(m);
    }
}

/* ---- counters ---- */

static int open_counter(uint64_t config, int group)
{
    struct perf_event_attr attr = {.type = PERF_TYPE_HARDWARE,
                                   .size = sizeof attr,
                                   .config = config,
                                   .read_format = PERF_FORMAT_GROUP,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, group, 0UL);
}

static int open_counters(void)
{
    const int group = open_counter(PERF_COUNT_HW_INSTRUCTIONS, -1);
    if (group >= 0)
        open_counter(PERF_COUNT_HW_CPU_CYCLES, group);
    return group;
}

static counts read_counts(const struct perform_measure *m)
{
    counts c = {0};
    struct rusage usage;
    uint64_t values[3] = {0}; /* their number, instructions, cycles */
    if (m->counter >= 0 && read(m->counter, values, sizeof values) > 0) {
        c.instructions = values[1];
        c.cycles = values[2];
    }
    perform_counters_read(c.counters);
    getrusage(RUSAGE_THREAD, &usage);
    c.switches = usage.ru_nivcsw;
    c.faults = usage.ru_minflt + usage.ru_majflt;
    c.wall_s = tl_now_s(CLOCK_MONOTONIC);
    c.cpu_s = tl_now_s(CLOCK_THREAD_CPUTIME_ID);
    return c;
}

/* The number in a file of the system, which stays open; 0: there is none. */
static double number_in(const char *format, int number, int *file)
{
    char text[80];
    if (!*file) {
        snprintf(text, sizeof text, format, number);
        *file = open(text, O_RDONLY | O_CLOEXEC);
    }
    const ssize_t n = *file < 0 ? -1 : pread(*file, text, sizeof text - 1, 0);
    text[n < 0 ? 0 : n] = '\0';
    return strtod(text, NULL);
}

/* Of the hottest zone; 0: the system does not tell. */
static double temperature(void)
{
    enum { MOST_ZONES = 8 };
    static int files[MOST_ZONES];
    double hottest = 0;
    for (int i = 0; i < MOST_ZONES; i++)
        hottest = fmax(hottest, number_in("/sys/class/thermal/thermal_zone%d/temp", i, &files[i]));
    return 1e-3 * hottest;
}

/* 0: the system does not tell. */
static double clock_rate(int cpu)
{
    static int file, of;
    if (file > 0 && of != cpu) {
        close(file);
        file = 0;
    }
    of = cpu;
    return 1e3 * number_in("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu, &file);
}

/* ---- the start ---- */

static void wait_until(const clock_line *l, double global_s)
{
    for (double left_s; (left_s = global_s - to_global(l, tl_now_s(CLOCK_MONOTONIC))) > 0;)
        if (left_s > YIELD_S)
            sched_yield();
}

/* The time that rank 0 announces. */
static double announced(const performer *p)
{
    const struct perform_measure *m = p->measure;
    double start_s = tl_now_s(CLOCK_MONOTONIC) + m->slack_s;
    PMPI_Bcast(&start_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    return start_s;
}

/* Reading the counters leaves the caches of the processor cold. Polling warms up the MPI library,
 * as in a program that communicates all the time. */
static void warm_up(void)
{
    int there;
    for (int i = 0; i < N_POLLS; i++)
        PMPI_Iprobe(MPI_ANY_SOURCE, TAG_NONE, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
}

/* The announcement is as late as the slowest rank allows in about 19 of 20 repetitions: the longer
 * a rank waits, the slower its next call is. It doubles until the first repetition on time, so that
 * a slow network does not make most repetitions late. */
static void adapt_slack(struct perform_measure *m, bool was_late)
{
    int all, mine = was_late;
    PMPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    m->was_all_on_time |= !all && m->n > 1;
    const double longer = m->was_all_on_time ? LONGER : LONGER_AT_FIRST;
    m->slack_s = fmin(MOST_SLACK_S, m->slack_s * (all ? longer : SHORTER));
}

static void start_together(performer *p)
{
    struct perform_measure *m = p->measure;
    sample *s = at_hand(m);
    const bool is_window = m->sync == WINDOW;
    double start_s = 0;
    if (is_window) {
        adapt_slack(m, m->n > 1 && s[-1].is_late);
        start_s = announced(p);
    } else if (m->sync == BARRIER) {
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    if (m->sync != LOOP) {
        s->cpu = sched_getcpu();
        m->before = read_counts(m);
    }
    if (is_window) {
        warm_up();
        s->is_late = to_global(&m->line, tl_now_s(CLOCK_MONOTONIC)) > start_s;
        wait_until(&m->line, start_s);
    } else {
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    s->has_begun = 1;
    perform_inside_begin();
    s->begin_s = s->end_s = tl_now_s(CLOCK_MONOTONIC);
}

/* ---- a repetition ---- */

static void finish(performer *p)
{
    struct perform_measure *m = p->measure;
    if (!m->is_open)
        return;
    sample *s = at_hand(m);
    if (!s->has_begun) /* this rank makes no call */
        start_together(p);
    perform_inside_end();
    const counts now = read_counts(m);
    perform_inside_keep(m->n - 1);
    s->cpu_end = sched_getcpu();
    s->switches = now.switches - m->before.switches;
    s->faults = now.faults - m->before.faults;
    s->without_cpu_s = fmax(0, now.wall_s - m->before.wall_s - (now.cpu_s - m->before.cpu_s));
    s->instructions = m->counter < 0 ? -1 : (int64_t)(now.instructions - m->before.instructions);
    s->cycles = (int64_t)(now.cycles - m->before.cycles);
    for (int i = 0; i < PERFORM_MAX_COUNTERS; i++)
        s->counters[i] = now.counters[i] - m->before.counters[i];
    s->clock_hz = clock_rate(s->cpu_end);
    s->celsius = temperature();
    m->is_open = 0;
}

void perform_measure_open(performer *p, const char *start, const char *counters, unsigned inside_hz)
{
    struct perform_measure *m = calloc(1, sizeof *m);
    if (!m)
        perform_give_up(p, "out of memory for the measurement");
    p->measure = m;
    while (m->sync < CALLS && strncmp(start, starts[m->sync], strlen(starts[m->sync])) != 0)
        m->sync++;
    m->n_in_loop = m->sync == LOOP ? strtol(start + strlen("loop:"), NULL, 10) : 0;
    m->slack_s = FIRST_SLACK_S;
    m->counter = open_counters();
    m->names = counters;
    m->inside_hz = inside_hz;
    const char *unknown = counters ? perform_counters_open(counters) : NULL;
    if (unknown)
        perform_give_up(p,
                        "--counters: the MPI library has no variable %s that is a number; give "
                        "mpit: and its name",
                        unknown);
    PMPI_Comm_size(MPI_COMM_WORLD, &m->n_ranks);
    if (m->n_ranks < 2)
        perform_give_up(p, "a measurement needs 2 ranks or more; give mpirun -n 2, of the MPI "
                           "library with which Timeless was built");
    const char *why = inside_hz ? perform_inside_open(inside_hz) : NULL;
    if (why)
        perform_give_up(p, "--inside: %s; measure without it", why);
    gethostname(m->line.host, sizeof m->line.host - 1);
    synchronise(p);
}

static void add_sample(performer *p, sample s)
{
    struct perform_measure *m = p->measure;
    if (m->n == m->room) {
        m->room = m->room ? 2 * m->room : 1024;
        if (m->room > INT_MAX / sizeof *m->samples) /* one message has the rows of a rank */
            perform_give_up(p, "too many rows for one launch; measure fewer repetitions or sizes");
        m->samples = realloc(m->samples, m->room * sizeof *m->samples);
        if (!m->samples)
            perform_give_up(p, "out of memory for the rows; measure fewer repetitions");
    }
    m->samples[m->n++] = s;
    m->is_open = 1;
}

void perform_measure_mark(performer *p, int64_t bytes)
{
    const struct perform_measure *m = p->measure;
    if (m->sync == CALLS)
        return;
    finish(p);
    if (bytes < 0)
        return;
    const bool is_new = !m->n || at_hand(p->measure)->bytes != bytes;
    const int64_t repetition = is_new ? 0 : at_hand(p->measure)->repetition + 1;
    if (is_new)
        synchronise(p);
    sample s = {.bytes = bytes, .repetition = repetition, .cpu = sched_getcpu()};
    add_sample(p, s);
    while (++s.repetition < m->n_in_loop) /* for perform_measure_again() */
        add_sample(p, s);
    p->measure->n -= (size_t)(s.repetition - repetition - 1);
}

/* What the rank sends; if nothing, what it receives. */
static int64_t bytes_of(const performer *p)
{
    const tl_event *e = &p->event;
    const tl_action action = tl_call_by_code(e->call)->action;
    const bool is_sent = tl_meaning_of(action)->received == TL_SIZE_OWN;
    int64_t sent = e->count * e->type_bytes, received = e->recv_count * e->recv_type_bytes;
    for (uint32_t i = 0; tl_is_collective(action) && i < e->list_len; i++)
        if (is_sent || i < (uint32_t)p->n_sent_counts)
            sent += e->list[i] * (e->type_bytes ? e->type_bytes : 1);
        else
            received += e->list[i] * (e->recv_type_bytes ? e->recv_type_bytes : 1);
    return sent ? sent : received;
}

static void begin_call(performer *p)
{
    struct perform_measure *m = p->measure;
    const tl_event *e = &p->event;
    add_sample(p, (sample){.bytes = bytes_of(p),
                           .site = e->site,
                           .call = e->call,
                           .cpu = sched_getcpu(),
                           .has_begun = 1});
    m->before = read_counts(m);
    perform_inside_begin();
    at_hand(m)->begin_s = at_hand(m)->end_s = tl_now_s(CLOCK_MONOTONIC);
}

void perform_measure_before(performer *p)
{
    const struct perform_measure *m = p->measure;
    if (m->sync == CALLS && !strncmp(tl_call_by_code(p->event.call)->name, "MPI_", 4))
        begin_call(p); /* "Sleep" and the like are no calls of MPI */
    else if (m->is_open && !at_hand(p->measure)->has_begun)
        start_together(p);
    else if (m->is_open)
        perform_inside_begin();
}

void perform_measure_after(performer *p)
{
    if (!p->measure->is_open)
        return;
    perform_inside_end();
    at_hand(p->measure)->end_s = tl_now_s(CLOCK_MONOTONIC);
    if (p->measure->sync == CALLS)
        finish(p);
}

bool perform_measure_again(performer *p)
{
    struct perform_measure *m = p->measure;
    if (m->sync != LOOP || !m->is_open)
        return 0;
    m->is_open = at_hand(m)->repetition + 1 < m->n_in_loop;
    m->n += m->is_open; /* it was added at the mark */
    return m->is_open;
}

/* ---- rows ---- */

/* "Open MPI v4.1.4", "MPICH 4.0.2" */
static void print_head(const struct perform_measure *m)
{
    static const char of_mpich[] = "MPICH Version:";
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    PMPI_Get_library_version(library, &length);
    library[strcspn(library, ",\n")] = '\0';
    if (!strncmp(library, of_mpich, sizeof of_mpich - 1))
        printf("# mpi MPICH %s\n", library + sizeof of_mpich);
    else
        printf("# mpi %s\n", library);
    printf("# ranks %d\n", m->n_ranks);
    if (m->names)
        printf("# counters %s\n", m->names);
    if (m->inside_hz)
        printf("# inside_hz %u\n", m->inside_hz);
    struct timespec tick; /* this clock moves at ticks only */
    if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) == 0)
        printf("# tick_s %.6f\n", (double)tick.tv_sec + 1e-9 * (double)tick.tv_nsec);
}

/* By site, call and size: less than 0, 0 or more. */
static int compare_calls(const sample *x, const sample *y)
{
    if (x->site != y->site)
        return x->site < y->site ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    return (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

/* The same calls in the order in which they were made. */
static int compare_samples(const void *a, const void *b)
{
    const sample *x = *(sample *const *)a, *y = *(sample *const *)b;
    const int order = compare_calls(x, y);
    return order ? order : (x > y) - (x < y);
}

/* Numbers the samples with the same call, site and size. */
static void number_calls(performer *p)
{
    const struct perform_measure *m = p->measure;
    sample **sorted = malloc((m->n + 1) * sizeof *sorted);
    if (!sorted)
        perform_give_up(p, "out of memory for the rows; measure fewer repetitions");
    for (size_t i = 0; i < m->n; i++)
        sorted[i] = &m->samples[i];
    qsort(sorted, m->n, sizeof *sorted, compare_samples);
    for (size_t i = 1; i < m->n; i++)
        if (!compare_calls(sorted[i - 1], sorted[i]))
            sorted[i]->repetition = sorted[i - 1]->repetition + 1;
    free(sorted);
}

/* "MPI_Send at main (app.c:12)," without commas of its own */
static void print_call(const performer *p, int rank, const sample *s)
{
    char text[256];
    int n = snprintf(text, sizeof text, "%s at ", tl_call_by_code(s->call)->name);
    tl_site_text(p->trace, (uint32_t)rank, s->site, text + n, sizeof text - (size_t)n);
    for (char *at = text; (at = strpbrk(at, ",\n\r"));)
        *at = ';';
    printf("%s,", text);
}

/* The samples of the stack of a row; returns those of the next rows. */
static const char *print_inside(const char *inside, size_t row)
{
    for (char *end; *inside && strtoull(inside, &end, 10) == row; inside += *inside == '\n') {
        inside = end + strcspn(end, "\n");
        printf("# inside%.*s\n", (int)(inside - end), end);
    }
    return inside;
}

/* The line of a rank's clock, its rows, and the samples of each. */
static void print_rank(const performer *p, int rank, const clock_line *l, const sample *samples,
                       const char *inside)
{
    const struct perform_measure *m = p->measure;
    int64_t values[PERFORM_MAX_COUNTERS];
    const int n_counters = perform_counters_read(values);
    printf("# clock rank %d host %s at_s %.9f offset_s %.9f drift %.6e uncertainty_s %.3e\n", rank,
           l->host, l->at_s, l->offset_s, l->drift, l->uncertainty_s);
    for (size_t i = 0; i < l->n_samples; i++) {
        const sample *s = &samples[i];
        if (m->sync == CALLS)
            print_call(p, rank, s);
        printf("%lld,%lld,%d,%s,%d,%d,%s,%d,%.9f,%.9f,%.3e,", (long long)s->bytes,
               (long long)s->repetition, rank, l->host, s->cpu, s->cpu_end, starts[m->sync],
               s->is_late, to_global(l, s->begin_s), to_global(l, s->end_s), l->uncertainty_s);
        if (m->sync == LOOP) {
            puts(",,,,,,,");
            continue;
        }
        printf("%lld,%lld,%.9f,", (long long)s->switches, (long long)s->faults, s->without_cpu_s);
        if (s->clock_hz > 0)
            printf("%.0f", s->clock_hz);
        if (s->instructions >= 0)
            printf(",%lld,%lld,", (long long)s->instructions, (long long)s->cycles);
        else
            printf(",,,");
        if (s->celsius > 0)
            printf("%.1f", s->celsius);
        for (int k = 0; k < n_counters; k++)
            printf("%c%lld", k ? ';' : ',', (long long)s->counters[k]);
        puts(n_counters ? "" : ",");
        inside = print_inside(inside, i);
    }
}

/* Rank 0: receives the rows of another rank, and prints them. */
static size_t print_other(performer *p, int rank)
{
    struct perform_measure *m = p->measure;
    clock_line line;
    PMPI_Recv(&line, (int)sizeof line, MPI_BYTE, rank, TAG_CLOCK, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE);
    m->samples = realloc(m->samples, (line.n_samples + 1) * sizeof *m->samples);
    if (!m->samples)
        perform_give_up(p, "out of memory for the rows; measure fewer repetitions");
    PMPI_Recv(m->samples, (int)(line.n_samples * sizeof *m->samples), MPI_BYTE, rank, TAG_ROWS,
              MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    char *inside = calloc(1, line.n_inside + 1);
    if (!inside)
        perform_give_up(p, "out of memory for the samples; give --inside a lower rate");
    PMPI_Recv(inside, (int)line.n_inside, MPI_BYTE, rank, TAG_INSIDE, MPI_COMM_WORLD,
              MPI_STATUS_IGNORE);
    print_rank(p, rank, &line, m->samples, inside);
    free(inside);
    return line.n_samples;
}

int perform_measure_close(performer *p)
{
    struct perform_measure *m = p->measure;
    finish(p);
    char *inside = perform_inside_close();
    if (!inside || strlen(inside) > INT_MAX)
        perform_give_up(p, "out of memory for the samples; give --inside a lower rate");
    PMPI_Barrier(MPI_COMM_WORLD);
    synchronise(p);
    m->line.n_samples = m->n;
    m->line.n_inside = strlen(inside);
    if (m->sync == CALLS)
        number_calls(p);
    if (p->rank) {
        m->line.uncertainty_s = uncertainty_of(m);
        PMPI_Send(&m->line, (int)sizeof m->line, MPI_BYTE, 0, TAG_CLOCK, MPI_COMM_WORLD);
        PMPI_Send(m->samples, (int)(m->n * sizeof *m->samples), MPI_BYTE, 0, TAG_ROWS,
                  MPI_COMM_WORLD);
        PMPI_Send(inside, (int)m->line.n_inside, MPI_BYTE, 0, TAG_INSIDE, MPI_COMM_WORLD);
        free(inside);
        return 1;
    }
    print_head(m);
    print_rank(p, 0, &m->line, m->samples, inside);
    free(inside);
    size_t n = m->n;
    for (int rank = 1; rank < m->n_ranks; rank++)
        n += print_other(p, rank);
    printf("# end %zu\n", n);
    return fflush(stdout) == 0;
}
