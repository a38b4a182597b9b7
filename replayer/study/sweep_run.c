/* sweep_run.c - runs the points of a sweep, several at the same time, each in a process of its own.
 */
#include "config.h"

#include "sweep.h"

#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct worker {
    pid_t pid; /* 0: idle */
    size_t point;
    int output;
} worker;

static tl_status start(tlr_sweep *sweep, size_t i, tlr_point_body *body, void *arg, worker *out,
                       tl_error *err)
{
    const int output = memfd_create("timeless-point", MFD_CLOEXEC);
    if (output < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "no memory for a point's output: %s", strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        close(output);
        return tl_fail(err, TL_ERR_SYSTEM, "cannot start a process: %s", strerror(errno));
    }
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
            _exit(127);
        const int code = body(arg, i, &sweep->points[i]);
        fflush(NULL);
        _exit(code);
    }
    *out = (worker){.pid = child, .point = i, .output = output};
    return TL_OK;
}

/* Copies a line. The trace that a point makes is a file without a name, and its path in this
 * process means nothing to users. */
static void copy_reason(const char *line, char *reason, size_t size)
{
    static const char path[] = "/proc/self/fd/", name[] = "the made trace";
    size_t used = 0;
    while (*line && used + 1 < size) {
        if (strncmp(line, path, sizeof path - 1) != 0) {
            reason[used++] = *line++;
            continue;
        }
        line += sizeof path - 1;
        line += strspn(line, "0123456789");
        used += (size_t)snprintf(reason + used, size - used, "%s", name);
        used = used < size ? used : size - 1;
    }
    reason[used] = '\0';
}

/* The first line of the child's error, without the name of the command. The second line only names
 * the manual. */
static void take_reason(int output, char *reason, size_t size)
{
    static const char *const heads[] = {"timeless: ", "timeless replay: "};
    char text[4096];
    const ssize_t got = pread(output, text, sizeof text - 1, 0);
    text[got > 0 ? got : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    const char *from = text;
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (!strncmp(from, heads[i], strlen(heads[i])))
            from += strlen(heads[i]);
    copy_reason(from, reason, size);
}

/* That a command with this exit code had; a child that a signal ended has none. */
static tl_status status_of(int end)
{
    static const tl_status statuses[] = {TL_ERR_USAGE, TL_ERR_SYSTEM};
    for (size_t i = 0; WIFEXITED(end) && i < sizeof statuses / sizeof *statuses; i++)
        if (WEXITSTATUS(end) == tl_status_exit_code(statuses[i]))
            return statuses[i];
    return TL_ERR_INPUT;
}

static void take_end(tlr_sweep *sweep, const worker *w, int end)
{
    tlr_point *point = &sweep->points[w->point];
    point->known = 1;
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0)
        return;
    point->makespan_s = point->quiet_s = point->compute_s = 0;
    point->n_events = 0;
    point->status = status_of(end);
    take_reason(w->output, point->error, sizeof point->error);
    if (WIFSIGNALED(end))
        snprintf(point->error, sizeof point->error, "ended by signal %d%s", WTERMSIG(end),
                 WTERMSIG(end) == SIGKILL ? "; it may need more memory than there is" : "");
    else if (!point->error[0])
        snprintf(point->error, sizeof point->error, "ended with exit code %d", WEXITSTATUS(end));
}

/* Waits until one of the workers ends. */
static tl_status wait_for_one(tlr_sweep *sweep, worker *workers, unsigned n_jobs, worker **idle,
                              tl_error *err)
{
    int end = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &end, 0)) < 0 && errno == EINTR)
        ;
    if (pid < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "a point's process is lost: %s", strerror(errno));
    *idle = NULL;
    for (unsigned j = 0; j < n_jobs; j++)
        if (workers[j].pid == pid)
            *idle = &workers[j];
    if (*idle) {
        take_end(sweep, *idle, end);
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

tl_status tlr_sweep_run(tlr_sweep *sweep, size_t first, size_t stride, unsigned n_jobs,
                        tlr_point_body *body, tl_status (*done)(void *arg, size_t i, tl_error *err),
                        void *arg, tl_error *err)
{
    worker *workers = calloc(n_jobs, sizeof *workers);
    tl_status status =
        workers ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory for the sweep's processes");
    unsigned n_running = 0;
    size_t next = first;
    while (status == TL_OK) {
        while (next < sweep->n_points && sweep->points[next].known)
            next += stride;
        if (next >= sweep->n_points && !n_running)
            break;
        worker *w = find_idle(workers, n_jobs);
        if (w && next < sweep->n_points) {
            status = start(sweep, next, body, arg, w, err);
            next += stride;
            n_running += status == TL_OK;
            continue;
        }
        status = wait_for_one(sweep, workers, n_jobs, &w, err);
        if (status == TL_OK && w) {
            n_running--;
            status = done(arg, w->point, err);
        }
    }
    for (unsigned j = 0; workers && j < n_jobs; j++)
        if (workers[j].pid) {
            kill(workers[j].pid, SIGKILL);
            waitpid(workers[j].pid, NULL, 0);
            close(workers[j].output);
        }
    free(workers);
    return status;
}
