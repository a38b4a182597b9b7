/* workers.c - the list of threads, their regions, and the CPU time that no event has. */
#include "config.h"

#include "workers.h"

#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parallel.h"
#include "teams.h"
#include "timeless_files.h"

/* Where threads may call MPI, one that computes for so long without a call is a worker. */
enum { PERIOD_NS = 1000000, SETTLED_NS = 1000000000 };

/* Who uses a thread. */
typedef enum owner { PROGRAM, MPI, RUNTIME /* of OpenMP or BLAS */ } owner;

typedef struct worker {
    struct worker *next, **link; /* link: where the list has it; NULL: nowhere */
    void *(*routine)(void *);
    void *argument;
    owner owner;
    bool is_recorded;
    uint32_t lane; /* of the program's */
    pid_t id;
    clockid_t clock;
    uint64_t from_ns;        /* its CPU time when recording began */
    uint64_t taken_ns;       /* its CPU time that events have, and from_ns */
    uint64_t in_kernels_ns;  /* CPU time that is not in volumes */
    uint64_t kernel_from_ns; /* CPU time when its kernel began; 0: it is in none */
} worker;

static struct {
    pthread_mutex_t lock;
    pid_t process; /* whose threads these are */
    pthread_key_t at_end;
    bool is_ready;
    bool counts, checks; /* workers become regions; what is not counted is stated */
    bool is_off;         /* recording began with neither */
    worker *first;
    uint32_t n_users[TLT_MOST_OF_TEAM]; /* of each lane: threads whose lives do not overlap */
    uint64_t work[TLT_MOST_OF_TEAM];    /* of each lane, which no event has yet */
    uint32_t n_lanes;
    uint64_t last_ns;                           /* of the latest reading */
    uint64_t process_from_ns, recorder_from_ns; /* CPU times when recording began */
    uint64_t ended_ns; /* CPU time since then of threads that have ended, and that are counted */
    char names[256];   /* of threads that are not counted */
} workers = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool tlt_workers_busy;
static __thread worker *self __attribute__((tls_model("initial-exec")));
static __thread bool starts_mpi __attribute__((tls_model("initial-exec")));
/* What the recorded thread computed before the first worker of the region began. */
static __thread uint64_t before __attribute__((tls_model("initial-exec")));

static void notice_fork(void);

static void lock(void)
{
    notice_fork();
    pthread_mutex_lock(&workers.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&workers.lock);
}

static void set_busy(bool busy)
{
    __atomic_store_n(&tlt_workers_busy, busy, __ATOMIC_RELAXED);
}

/* ---- one thread ---- */

static uint64_t cpu_ns(const worker *w)
{
    return tlt_read_clock_ns(w->clock);
}

static bool becomes_region(const worker *w)
{
    return workers.counts && w->owner == PROGRAM && !w->is_recorded;
}

static bool is_counted(const worker *w)
{
    return w->owner == MPI || w->is_recorded || becomes_region(w) ||
           (w->owner == RUNTIME && tlt_teams_are_measured());
}

/* Adds its computation since the latest reading to its lane. */
static void collect(worker *w)
{
    const uint64_t now_ns = w->kernel_from_ns ? w->kernel_from_ns : cpu_ns(w);
    const uint64_t gone_ns = w->taken_ns + w->in_kernels_ns;
    if (now_ns <= gone_ns)
        return;
    w->taken_ns += now_ns - gone_ns;
    workers.work[w->lane] += now_ns - gone_ns;
}

/* "name (function)": threads have the name of the program unless they got another one. */
static void add_name(pid_t id, const worker *w)
{
    char path[64], comm[32], text[128], room[sizeof text];
    Dl_info at = {0};
    snprintf(path, sizeof path, "/proc/self/task/%d/comm", (int)id);
    tlt_read_text(path, comm, sizeof comm);
    const bool is_named = w && dladdr((void *)(uintptr_t)w->routine, &at) && at.dli_fname;
    const char *slash = is_named ? strrchr(at.dli_fname, '/') : NULL;
    snprintf(text, sizeof text, is_named ? "%s (%.80s)" : "%s", comm,
             at.dli_sname ? at.dli_sname
             : slash      ? slash + 1
                          : at.dli_fname);
    const size_t used = strlen(workers.names);
    if (!strstr(workers.names, text))
        snprintf(workers.names + used, sizeof workers.names - used, "%s%s", used ? ", " : "",
                 tlt_utf8(text, room, sizeof room));
}

static void leave_lane(const worker *w)
{
    if (w->owner == PROGRAM)
        workers.n_users[w->lane]--;
}

static void take_lane(worker *w)
{
    while (w->lane + 1 < TLT_MOST_OF_TEAM && workers.n_users[w->lane])
        w->lane++;
    workers.n_users[w->lane]++;
    if (w->lane >= workers.n_lanes)
        workers.n_lanes = w->lane + 1;
}

/* ---- threads come and go ---- */

static void ends(void *given)
{
    worker *w = given;
    lock();
    if (w->link) { /* it is no copy in the child of fork() */
        *w->link = w->next;
        if (w->next)
            w->next->link = w->link;
        if (becomes_region(w))
            collect(w);
        if (is_counted(w))
            workers.ended_ns += cpu_ns(w) - w->from_ns;
        else if (workers.checks)
            add_name(w->id, w);
        leave_lane(w);
    }
    unlock();
    self = NULL;
    free(w);
}

static void *begins(void *given)
{
    worker *w = given;
    void *(*routine)(void *) = w->routine;
    void *argument = w->argument;
    w->id = gettid();
    lock();
    if (pthread_getcpuclockid(pthread_self(), &w->clock) == 0 &&
        pthread_setspecific(workers.at_end, w) == 0) {
        self = w;
        w->next = workers.first;
        w->link = &workers.first;
        if (w->next)
            w->next->link = &w->next;
        workers.first = w;
        if (w->owner == PROGRAM)
            set_busy(true);
    } else {
        leave_lane(w);
    }
    unlock();
    if (!self)
        free(w);
    return routine(argument);
}

/* The child of fork() has none of the threads, also where one of them held the lock. It may begin
 * threads before our handler of fork() is called: other handlers do so. */
static void notice_fork(void)
{
    if (workers.process == getpid())
        return;
    workers.process = getpid();
    workers.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    for (worker *w = workers.first; w; w = w->next)
        w->link = NULL;
    workers.first = NULL;
    workers.counts = workers.checks = false;
    memset(workers.n_users, 0, sizeof workers.n_users);
    set_busy(false);
}

static void prepare(void)
{
    workers.process = getpid();
    workers.is_ready = pthread_key_create(&workers.at_end, ends) == 0 &&
                       pthread_atfork(NULL, NULL, notice_fork) == 0;
}

static bool is_of(const char *object, const char *const prefixes[])
{
    for (; *prefixes; prefixes++)
        if (!strncmp(object, *prefixes, strlen(*prefixes)))
            return true;
    return false;
}

/* The object that creates the thread shows it. Threads of a runtime that a worker of the program
 * uses work as the worker does. */
static owner owner_of(void *caller)
{
    static const char *const mpis[] = {"libmpi.",   "libmpich", "libopen-", "libpmix",
                                       "libprrte",  "libucs",   "libuct",   "libucp",
                                       "libfabric", "libpsm",   "mca_",     NULL};
    static const char *const runtimes[] = {"libgomp",           "libomp",  "libiomp", "libopenblas",
                                           "libscipy_openblas", "libblis", NULL};
    Dl_info at;
    if (starts_mpi || tlt_role == TLT_INSIDE || (self && self->owner == MPI))
        return MPI;
    if (!dladdr(caller, &at) || !at.dli_fname)
        return PROGRAM;
    const char *slash = strrchr(at.dli_fname, '/'), *object = slash ? slash + 1 : at.dli_fname;
    const bool may_be_team = !self || self->owner == RUNTIME;
    return is_of(object, mpis) ? MPI : may_be_team && is_of(object, runtimes) ? RUNTIME : PROGRAM;
}

static bool is_recording(void)
{
    return __atomic_load_n(&workers.counts, __ATOMIC_RELAXED) && tlt_role == TLT_RECORDING &&
           !tlt_member.team;
}

TLT_API int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                           void *(*routine)(void *), void *argument)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    __typeof__(&pthread_create) real = TLT_NEXT(pthread_create);
    void *caller = __builtin_return_address(0);
    if (__atomic_load_n(&workers.is_off, __ATOMIC_RELAXED))
        return real(thread, attributes, routine, argument);
    pthread_once(&once, prepare);
    worker *w = workers.is_ready ? malloc(sizeof *w) : NULL;
    if (!w)
        return real(thread, attributes, routine, argument);
    *w = (worker){.routine = routine, .argument = argument, .owner = owner_of(caller)};
    if (w->owner == PROGRAM) {
        /* What the recorded thread did before a region is no part of it. */
        if (is_recording() && !__atomic_load_n(&tlt_workers_busy, __ATOMIC_RELAXED)) {
            tlt_stop_working(true);
            before = tlt_self.volume_kept;
            tlt_work_on();
        }
        lock();
        take_lane(w);
        unlock();
    }
    const int error = real(thread, attributes, begins, w);
    if (error) {
        lock();
        leave_lane(w);
        unlock();
        free(w);
    }
    return error;
}

static bool has_workers(void)
{
    bool has = false;
    lock();
    for (const worker *w = workers.first; w && !has; w = w->next)
        has = becomes_region(w);
    unlock();
    return has;
}

/* The region ends with the last of its threads. */
TLT_API int pthread_join(pthread_t thread, void **result)
{
    __typeof__(&pthread_join) real = TLT_NEXT(pthread_join);
    const int error = real(thread, result);
    if (!__atomic_load_n(&tlt_workers_busy, __ATOMIC_RELAXED) || !is_recording() || has_workers())
        return error;
    tlt_end_burst();
    if (tlt.shared)
        tlt_lock();
    tlt_workers_take(tlt_site(__builtin_return_address(0)), true);
    tlt_leave();
    return error;
}

/* ---- regions ---- */

/* The parts of the region, whose sum is *volume. Returns their number, 0 if no worker has computed.
 */
static uint32_t list_parts(int64_t *parts, uint64_t *volume, bool is_last)
{
    const uint64_t own = tlt_self.volume_kept, alone = before <= own ? before : 0;
    uint64_t most = 0;
    uint32_t n = 0, n_busy = 0;
    bool is_over = true;
    lock();
    for (worker *w = workers.first; w; w = w->next)
        if (becomes_region(w)) {
            if (!tlt.shared || is_last || cpu_ns(w) > w->from_ns + SETTLED_NS)
                collect(w);
            is_over = false;
        }
    for (uint32_t i = 0; i < workers.n_lanes; i++)
        most = workers.work[i] > most ? workers.work[i] : most;
    parts[TL_PARALLEL_BEFORE] = (int64_t)alone;
    parts[TL_PARALLEL_ALONE] = parts[TL_PARALLEL_ONE_AT_A_TIME] = 0;
    parts[TL_PARALLEL_THREADS] = (int64_t)(own - alone);
    *volume = own;
    for (uint32_t i = 0; i < workers.n_lanes && most; i++) {
        n = i + 1;
        parts[TL_PARALLEL_THREADS + n] = (int64_t)workers.work[i];
        *volume += workers.work[i];
        n_busy += workers.work[i] > most / 16;
        workers.work[i] = 0;
    }
    if (is_over) {
        workers.n_lanes = 0;
        set_busy(false);
    }
    unlock();
    tlt_teams_count(n_busy);
    return n ? TL_PARALLEL_THREADS + 1 + n : 0;
}

void tlt_workers_take(uint32_t site, bool is_last)
{
    static __thread bool is_taking __attribute__((tls_model("initial-exec")));
    int64_t parts[TL_PARALLEL_THREADS + 1 + TLT_MOST_OF_TEAM];
    const uint64_t now_ns = tlt_monotonic_ns();
    if (is_taking)
        return;
    if (!workers.counts || tlt_self.is_begun ||
        (now_ns - workers.last_ns < PERIOD_NS && !is_last)) {
        before = 0; /* the event takes it */
        return;
    }
    is_taking = true;
    workers.last_ns = now_ns;
    uint64_t volume;
    const uint32_t n = list_parts(parts, &volume, is_last);
    before = 0;
    tlt_self.volume_kept = volume;
    if (n) {
        tl_event region = {.call = TL_MPI_Parallel, .site = site, .list_len = n, .list = parts};
        tlt_put(&region);
    }
    tlt_kernel_queue_empty(tlt_workers_kernel_queue());
    is_taking = false;
}

uint64_t tlt_worker_joins(void)
{
    uint64_t elsewhere_ns = 0;
    lock();
    if (self) {
        self->is_recorded = true;
        elsewhere_ns = workers.counts ? self->taken_ns + self->in_kernels_ns : 0;
    }
    unlock();
    return elsewhere_ns;
}

void tlt_worker_leaves(uint64_t work)
{
    lock();
    if (workers.counts && work) {
        const uint32_t lane = self ? self->lane : 0;
        workers.work[lane] += work;
        if (lane >= workers.n_lanes)
            workers.n_lanes = lane + 1;
        set_busy(true);
    }
    unlock();
}

/* ---- kernels ---- */

bool tlt_worker_enter_kernel(void)
{
    if (!self || !__atomic_load_n(&workers.counts, __ATOMIC_RELAXED))
        return false;
    lock();
    const bool enters = becomes_region(self);
    if (enters)
        self->kernel_from_ns = cpu_ns(self);
    unlock();
    if (enters) {
        tlt_role = TLT_INSIDE;
        tlt_member.is_in_kernel = true;
    }
    return enters;
}

void tlt_worker_leave_kernel(uint16_t code, void *caller, uint32_t n_sizes, const int64_t *sizes)
{
    tlt_member.is_in_kernel = false;
    tlt_role = TLT_BYSTANDER;
    const uint64_t ns = cpu_ns(self) - self->kernel_from_ns;
    /* Without memory for the kernel its time is computation. */
    const bool kept =
        tlt_kernel_queue_put(tlt_workers_kernel_queue(), code, caller, ns, n_sizes, sizes);
    lock();
    if (kept)
        self->in_kernels_ns += cpu_ns(self) - self->kernel_from_ns;
    self->kernel_from_ns = 0;
    unlock();
}

/* ---- recording begins and ends ---- */

void tlt_workers_expect_mpi(void)
{
    starts_mpi = true;
}

void tlt_workers_start(const tlt_volume_source *source)
{
    starts_mpi = false;
    lock();
    __atomic_store_n(&workers.counts, source->is_per_thread && !strcmp(source->unit, "cpu-ns"),
                     __ATOMIC_RELAXED);
    workers.checks = workers.counts || !strcmp(source->option, "papi");
    __atomic_store_n(&workers.is_off, !workers.checks, __ATOMIC_RELAXED);
    for (worker *w = workers.first; w; w = w->next)
        w->from_ns = w->taken_ns = cpu_ns(w);
    if (self)
        self->is_recorded = true;
    memset(workers.work, 0, sizeof workers.work);
    workers.ended_ns = 0;
    workers.names[0] = '\0';
    workers.process_from_ns = tlt_read_clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    workers.recorder_from_ns = tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    unlock();
}

/* The other threads of the process, which pthread_create did not make. */
static void name_strangers(void)
{
    DIR *tasks = opendir("/proc/self/task");
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        const pid_t id = (pid_t)strtol(task->d_name, NULL, 10);
        const worker *w = workers.first;
        while (w && w->id != id)
            w = w->next;
        if (id > 0 && id != gettid() && !w)
            add_name(id, NULL);
    }
    if (tasks)
        closedir(tasks);
}

void tlt_workers_check(tl_writer *writer)
{
    enum { LEAST_NS = 10000000, LEAST_SHARE = 100 };
    lock();
    const uint64_t process_ns =
        tlt_read_clock_ns(CLOCK_PROCESS_CPUTIME_ID) - workers.process_from_ns;
    uint64_t counted_ns = workers.ended_ns;
    if (!self)
        counted_ns += tlt_read_clock_ns(CLOCK_THREAD_CPUTIME_ID) - workers.recorder_from_ns;
    for (const worker *w = workers.first; w; w = w->next)
        counted_ns += is_counted(w) ? cpu_ns(w) - w->from_ns : 0;
    if (workers.checks && process_ns > counted_ns + LEAST_NS &&
        process_ns - counted_ns > process_ns / LEAST_SHARE) {
        char name[sizeof TL_COUNTER_UNCOUNTED_NAME + sizeof workers.names];
        for (const worker *w = workers.first; w; w = w->next)
            if (!is_counted(w))
                add_name(w->id, w);
        name_strangers();
        snprintf(name, sizeof name, "%s%s", TL_COUNTER_UNCOUNTED_NAME, workers.names);
        const tl_counter counter = {
            .id = TL_COUNTER_UNCOUNTED, .name = name, .value = process_ns - counted_ns};
        tl_writer_define_counter(writer, &counter);
    }
    unlock();
}
