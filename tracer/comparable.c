/* comparable.c - decides whether the rank's clock can be compared with a prediction.
 *
 * On an overloaded machine a rank is ready to run and waits for a core. The kernel counts this time
 * in schedstat. Without schedstat, the time is at most the wall time minus the CPU time, and about
 * a time slice for each involuntary context switch. A rank that sleeps or waits for a disk has few
 * of these switches, and a rank that other processes displace has many. */
#include "config.h"

#include "comparable.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

#define MAX_SHARE 0.05 /* of the wall time; more makes the clock not comparable */
#define SLICE_S 4e-3   /* of a kernel with 250 ticks a second */

typedef struct usage {
    double wall_s, cpu_s;
    double waited_s; /* for a core; below 0: the kernel does not count it */
    uint64_t n_switches;
} usage;

static struct {
    pid_t thread;
    clockid_t cpu_clock;
    bool started;
    usage start;
    pthread_mutex_t lock;
    char reasons[256];
} state = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds_of(clockid_t clock)
{
    struct timespec now = {0};
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A file of the thread's folder in /proc, "" if there is none. */
static void read_file(const char *name, char *text, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)state.thread, name);
    FILE *in = fopen(path, "re");
    const size_t n = in ? fread(text, 1, size - 1, in) : 0;
    text[n] = '\0';
    if (in)
        fclose(in);
}

static usage measure(void)
{
    static const char key[] = "nonvoluntary_ctxt_switches:";
    char text[4096];
    usage u = {.wall_s = seconds_of(CLOCK_MONOTONIC),
               .cpu_s = seconds_of(state.cpu_clock),
               .waited_s = -1};
    read_file("schedstat", text, sizeof text); /* ns on a core, ns waiting for one */
    char *after_cpu, *after_wait;
    const uint64_t on_cpu_ns = strtoull(text, &after_cpu, 10);
    const uint64_t waited_ns = strtoull(after_cpu, &after_wait, 10);
    if (on_cpu_ns && after_wait != after_cpu)
        u.waited_s = 1e-9 * (double)waited_ns;
    read_file("status", text, sizeof text);
    const char *at = strstr(text, key);
    if (at)
        u.n_switches = strtoull(at + strlen(key), NULL, 10);
    return u;
}

void tlt_comparable_start(void)
{
    state.thread = gettid();
    state.started = pthread_getcpuclockid(pthread_self(), &state.cpu_clock) == 0;
    if (state.started)
        state.start = measure();
}

void tlt_not_comparable(const char *reason)
{
    pthread_mutex_lock(&state.lock);
    const size_t used = strlen(state.reasons);
    snprintf(state.reasons + used, sizeof state.reasons - used, "%s%s", used ? "; " : "", reason);
    pthread_mutex_unlock(&state.lock);
}

static void check_load(void)
{
    if (!state.started)
        return;
    const usage now = measure();
    const double wall_s = now.wall_s - state.start.wall_s;
    const double idle_s = wall_s - (now.cpu_s - state.start.cpu_s);
    const uint64_t n_switches = now.n_switches - state.start.n_switches;
    const bool counted = now.waited_s >= 0 && state.start.waited_s >= 0;
    double waited_s = counted ? now.waited_s - state.start.waited_s : SLICE_S * (double)n_switches;
    if (!counted && waited_s > idle_s)
        waited_s = idle_s;
    if (!(waited_s > MAX_SHARE * wall_s))
        return;
    char reason[160];
    snprintf(reason, sizeof reason,
             "it waited for a core in %s%.0f %% of its time (%" PRIu64
             " involuntary context switches)",
             counted ? "" : "about ", 100 * waited_s / wall_s, n_switches);
    tlt_not_comparable(reason);
}

void tlt_comparable_write(tl_writer *writer)
{
    check_load();
    if (*state.reasons)
        tl_writer_clock(writer, state.reasons);
}
