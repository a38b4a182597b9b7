/* batch.c - many replays, several at the same time, each in a process of its own. */
#include "config.h"

#include "batch.h"

#include "clock.h"
#include "results/chosen.h"
#include "results/usage.h"
#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <timeless_files.h>
#include <unistd.h>

typedef struct worker {
    pid_t pid; /* 0: idle */
    size_t point;
    int output;
} worker;

tlr_point *tlr_points_create(size_t n, tl_error *err)
{
    tlr_point *points = tlr_shared_alloc(n * sizeof *points);
    if (!points)
        tl_error_set(err, TL_ERR_MEMORY, "out of memory for the replays");
    return points;
}

void tlr_points_free(tlr_point *points, size_t n)
{
    if (points)
        tlr_shared_free(points, n * sizeof *points);
}

void tlr_point_fail(tlr_point *point, const tl_error *err)
{
    point->known = 1;
    point->status = err->status;
    snprintf(point->error, sizeof point->error, "%.*s", (int)sizeof point->error - 1,
             tl_printable(err->text));
}

bool tlr_point_is_impossible(const tlr_point *point)
{
    return !strncmp(point->error, TLR_NOT_POSSIBLE, sizeof TLR_NOT_POSSIBLE - 1);
}

tl_status tlr_points_status(const tlr_point *points, size_t n)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < n; i++) {
        if (!points[i].error[0] || tlr_point_is_impossible(&points[i]))
            continue;
        if (status != TL_OK && tl_status_exit_code(status) != tl_status_exit_code(points[i].status))
            return TL_ERR_INPUT;
        status = points[i].status;
    }
    return status;
}

/* ---- in the child ---- */

static void fill(const tlr_prediction *p, tlr_point *point)
{
    point->makespan_s = p->makespan_s;
    point->quiet_s = p->noise ? p->quiet_s : 0;
    point->n_events = p->n_events;
    if (p->sampled) {
        point->half_s = p->sampled->high_s - p->makespan_s;
        point->share = p->sampled->share;
    }
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        point->compute_s += p->ranks[r].compute_s / p->n_ranks;
        point->noise_s += p->ranks[r].noise_s / p->n_ranks;
    }
    point->n_crowded = p->n_crowded;
    point->is_too_fast = p->ignores_crowd || p->ignores_limiter || p->links.n || p->memories.n;
    point->has_efficiency = tlr_efficiency_of(p, &point->efficiency);
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        point->estimated[by] = tlr_estimated_share(p, by);
    snprintf(point->collectives, sizeof point->collectives, "%.*s",
             (int)strcspn(p->coll_selector, " "), p->coll_selector);
    if (p->free_kernels)
        snprintf(point->free_kernels, sizeof point->free_kernels, "%s", p->free_kernels);
    if (p->usage) {
        point->has_energy = 1;
        point->job_j = p->usage->job_j;
        point->is_at_least = p->usage->is_at_least;
        point->has_cost = p->usage->has_price;
        point->cost = p->usage->has_price ? tlr_usage_cost(p->usage) : 0;
    }
}

/* Only a replay with a timeline finds out what the ideal network takes. This one keeps no states.
 */
static tl_status begin_timeline(tlr_stage *stage, tl_error *err)
{
    tlr_chosen *none = NULL;
    tl_status status = tlr_timeline_create(&stage->options.timeline, err);
    if (status == TL_OK)
        status =
            tlr_chosen_read("0@0s:0s", tl_reader_run(stage->jobs[0].trace)->n_ranks, &none, err);
    if (status == TL_OK)
        tlr_timeline_choose(stage->options.timeline, none);
    return status;
}

/* The process ends with it: nothing is freed. */
static void replay(const tlr_batch *b, const tlr_scenario *s, tlr_point *point)
{
    tl_error err;
    tlr_stage stage;
    tl_status status = tlr_stage_open(s, &stage, &err);
    if (status == TL_OK && b->finds_efficiency)
        status = begin_timeline(&stage, &err);
    if (status == TL_OK)
        status = tlr_stage_replay(&stage, &err);
    if (status != TL_OK) {
        tlr_point_fail(point, &err);
        return;
    }
    fill(stage.predictions[0], point);
    if (b->take)
        b->take(stage.predictions[0], point);
}

/* ---- processes ---- */

/* Starts the replay, which ends itself after so many seconds (0: never); out->pid stays 0 if it has
 * failed before. */
static tl_status start(const tlr_batch *b, size_t i, unsigned most_s, worker *out, tl_error *err)
{
    tl_error wrong;
    tlr_scenario s = {0};
    tl_status status = b->make(b->arg, i, &s, &wrong);
    if (status == TL_OK)
        status = tlr_scenario_finish(&s, &wrong);
    if (status == TL_OK)
        status = tlr_engine_load(s.engine, &wrong); /* else each child would load it */
    if (status != TL_OK) {
        tlr_point_fail(&b->points[i], &wrong);
        tlr_scenario_free(&s);
        return TL_OK;
    }
    const int output = memfd_create("timeless-point", MFD_CLOEXEC);
    fflush(NULL);
    const pid_t self = getpid(), child = output < 0 ? -1 : fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != self) /* it was killed before */
            _exit(127);
        alarm(most_s);
        if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
            _exit(127);
        replay(b, &s, &b->points[i]);
        fflush(NULL);
        _exit(0);
    }
    tlr_scenario_free(&s);
    if (child > 0) {
        *out = (worker){.pid = child, .point = i, .output = output};
        return TL_OK;
    }
    status = tl_fail(err, TL_ERR_SYSTEM, "cannot start a process: %s", strerror(errno));
    if (output >= 0)
        close(output);
    return status;
}

/* The first line of what the child has printed. */
static void take_reason(int output, char *reason, size_t size)
{
    const ssize_t got = pread(output, reason, size - 1, 0);
    reason[got > 0 ? got : 0] = '\0';
    reason[strcspn(reason, "\n")] = '\0';
}

static void take_end(tlr_point *point, const worker *w, int end)
{
    if (WIFSIGNALED(end) && WTERMSIG(end) == SIGALRM)
        return;
    if (!WIFEXITED(end) || WEXITSTATUS(end) != 0) {
        *point = (tlr_point){.key = point->key, .status = TL_ERR_INPUT};
        take_reason(w->output, point->error, sizeof point->error);
        if (WIFSIGNALED(end))
            snprintf(point->error, sizeof point->error, "ended by signal %d%s", WTERMSIG(end),
                     WTERMSIG(end) == SIGKILL ? "; it may need more memory than there is" : "");
        else if (!point->error[0])
            snprintf(point->error, sizeof point->error, "ended with exit code %d",
                     WEXITSTATUS(end));
    }
    point->known = 1;
}

/* Waits until one of the workers ends. */
static tl_status wait_for_one(const tlr_batch *b, worker *workers, worker **idle, tl_error *err)
{
    int end = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &end, 0)) < 0 && errno == EINTR)
        ;
    if (pid < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "a point's process is lost: %s", strerror(errno));
    *idle = NULL;
    for (unsigned j = 0; j < b->n_jobs; j++)
        if (workers[j].pid == pid)
            *idle = &workers[j];
    if (*idle) {
        take_end(&b->points[(*idle)->point], *idle, end);
        close((*idle)->output);
        (*idle)->pid = 0;
    }
    return TL_OK;
}

static worker *find_idle(worker *workers, unsigned n_jobs)
{
    for (unsigned j = 0; j < n_jobs; j++)
        if (!workers[j].pid)
            return &workers[j];
    return NULL;
}

static tl_status end_replay(const tlr_batch *b, size_t i, tl_error *err)
{
    if (b->show)
        b->show(b->shown);
    return b->done ? b->done(b->arg, i, err) : TL_OK;
}

tl_status tlr_batch_run(const tlr_batch *b, tl_error *err)
{
    worker *workers = calloc(b->n_jobs, sizeof *workers);
    tl_status status = workers ? TL_OK : tl_no_memory(err, "processes");
    unsigned n_running = 0;
    size_t next = 0;
    const double end_s = tl_now_s(CLOCK_MONOTONIC) + b->max_s;
    while (status == TL_OK) {
        const double left_s = end_s - tl_now_s(CLOCK_MONOTONIC);
        if (b->max_s && left_s <= 0)
            next = b->n;
        while (next < b->n && b->points[next].known)
            next++;
        if (next >= b->n && !n_running)
            break;
        worker *w = find_idle(workers, b->n_jobs);
        if (w && next < b->n) {
            status = start(b, next, b->max_s ? (unsigned)left_s + 1 : 0, w, err);
            if (w->pid)
                n_running++;
            else if (status == TL_OK)
                status = end_replay(b, next, err);
            next++;
            continue;
        }
        status = wait_for_one(b, workers, &w, err);
        if (status == TL_OK && w) {
            n_running--;
            status = b->points[w->point].known ? end_replay(b, w->point, err) : TL_OK;
        }
    }
    for (unsigned j = 0; workers && j < b->n_jobs; j++)
        if (workers[j].pid) {
            kill(workers[j].pid, SIGKILL);
            waitpid(workers[j].pid, NULL, 0);
            close(workers[j].output);
        }
    free(workers);
    return status;
}
