/* ompt.c - LLVM's OpenMP runtime, and others that have OMPT, the interface for tools of OpenMP 5.
 * The runtime calls us where regions, tasks and waits begin and end.
 *
 * The runtime keeps a word for the tool with each region and each task. For a measured region this
 * word is its team. For a task it is its team and, while the task is suspended, whether it worked.
 */
#include "config.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "teams.h"

/* ---- as much of OMPT as is used here; the names and numbers are the standard's ---- */

typedef union ompt_data_t {
    uint64_t value;
    void *ptr;
} ompt_data_t;

enum { ompt_scope_begin = 1, ompt_scope_end = 2 };
enum { ompt_task_initial = 0x1, ompt_parallel_league = 0x40000000 };
enum { ompt_work_single_executor = 3 };
enum { ompt_task_complete = 1, ompt_task_cancel = 3 };
enum {
    ompt_mutex_lock = 1,
    ompt_mutex_critical = 5,
    ompt_mutex_atomic = 6,
    ompt_mutex_ordered = 7
};
enum {
    ompt_callback_parallel_begin = 3,
    ompt_callback_parallel_end = 4,
    ompt_callback_task_create = 5,
    ompt_callback_task_schedule = 6,
    ompt_callback_implicit_task = 7,
    ompt_callback_sync_region_wait = 16,
    ompt_callback_mutex_released = 17,
    ompt_callback_work = 20,
    ompt_callback_mutex_acquire = 26,
    ompt_callback_mutex_acquired = 27
};

typedef void (*ompt_callback_t)(void);
typedef ompt_callback_t (*ompt_function_lookup_t)(const char *name);
typedef int (*ompt_set_callback_t)(int event, ompt_callback_t callback);

typedef struct ompt_start_tool_result_t {
    int (*initialize)(ompt_function_lookup_t lookup, int initial_device, ompt_data_t *tool_data);
    void (*finalize)(ompt_data_t *tool_data);
    ompt_data_t tool_data;
} ompt_start_tool_result_t;

/* ---- regions ---- */

/* The teams whose master is the calling thread, the innermost one last. */
enum { MAX_DEPTH = 8 };
static __thread struct {
    tlt_team team;
    tlt_region region;
    tlt_membership before; /* what the master did otherwise */
} own[MAX_DEPTH] __attribute__((tls_model("initial-exec")));
static __thread unsigned depth __attribute__((tls_model("initial-exec")));

static void begin_parallel(ompt_data_t *task, const void *frame, ompt_data_t *parallel,
                           unsigned n_wanted, int flags, const void *code)
{
    (void)task, (void)frame, (void)n_wanted, (void)code;
    parallel->ptr = NULL;
    if (!(flags & ompt_parallel_league) && depth < MAX_DEPTH &&
        tlt_team_begin(&own[depth].team, &own[depth].region))
        parallel->ptr = &own[depth++].team;
}

static void end_parallel(ompt_data_t *parallel, ompt_data_t *task, int flags, const void *code)
{
    (void)task, (void)flags;
    if (!parallel->ptr)
        return;
    depth--;
    tlt_team_end(parallel->ptr, (tlt_place){.caller = (void *)(uintptr_t)code});
}

/* ---- tasks ---- */

enum { WORKS = 1, ALONE = 2 };

static void keep_membership(ompt_data_t *task, tlt_team *team, bool works, bool alone)
{
    task->value = (uintptr_t)team | (works ? WORKS : 0u) | (alone ? ALONE : 0u);
}

static tlt_membership kept(const ompt_data_t *task)
{
    tlt_team *team = (tlt_team *)(uintptr_t)(task->value & ~(uint64_t)(WORKS | ALONE));
    return (tlt_membership){.team = team,
                            .part = task->value & ALONE ? TLT_ALONE : TLT_BESIDE,
                            .works = team && (task->value & WORKS)};
}

/* The runtime reports the end of a helper's part when the next region begins. The team may then no
 * longer exist. */
static void implicit_task(int endpoint, ompt_data_t *parallel, ompt_data_t *task, unsigned n,
                          unsigned index, int flags)
{
    (void)n;
    if (flags & ompt_task_initial)
        return;
    if (endpoint == ompt_scope_begin) {
        tlt_team *team = parallel ? parallel->ptr : NULL;
        if (!team)
            return;
        tlt_membership before = tlt_team_enter(team, (int)index);
        if (depth && team == &own[depth - 1].team)
            own[depth - 1].before = before;
        keep_membership(task, tlt_member.team, true, false);
    } else if (depth && tlt_member.team == &own[depth - 1].team) {
        tlt_team_leave(own[depth - 1].before);
    } else {
        tlt_team_drop();
    }
}

static void create_task(ompt_data_t *creator, const void *frame, ompt_data_t *task, int flags,
                        bool has_dependences, const void *code)
{
    (void)creator, (void)frame, (void)has_dependences, (void)code;
    if (!(flags & ompt_task_initial))
        keep_membership(task, tlt_is_in_team() ? tlt_member.team : NULL, true, false);
}

static void schedule_task(ompt_data_t *prior, int status, ompt_data_t *next)
{
    if (!tlt_is_in_team() || !next)
        return;
    if (status != ompt_task_complete && status != ompt_task_cancel)
        keep_membership(prior, tlt_member.team, tlt_member.works, tlt_member.part == TLT_ALONE);
    tlt_team_switch(kept(next));
}

/* ---- waits ---- */

static void end_wait(void)
{
    if (tlt_is_in_team() && !tlt_member.works)
        tlt_wait_end();
}

/* A helper returns from the end of a region when the next region begins. The old region no longer
 * exists then. */
static void wait_for_others(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task,
                            const void *code)
{
    (void)kind, (void)task, (void)code;
    if (endpoint == ompt_scope_begin)
        tlt_wait_begin();
    else if (parallel)
        end_wait();
}

/* These other waits may also be tests that do not wait. */
static bool is_waited_for(int kind)
{
    return kind == ompt_mutex_lock || kind == ompt_mutex_critical || kind == ompt_mutex_atomic ||
           kind == ompt_mutex_ordered;
}

static void wait_for_lock(int kind, unsigned hint, unsigned implementation, uint64_t lock,
                          const void *code)
{
    (void)hint, (void)implementation, (void)lock, (void)code;
    if (is_waited_for(kind))
        tlt_wait_begin();
}

static void got_lock(int kind, uint64_t lock, const void *code)
{
    (void)lock, (void)code;
    if (!is_waited_for(kind))
        return;
    if (tlt_is_in_team() && !tlt_member.works)
        tlt_member.part = TLT_ONE_AT_A_TIME;
    end_wait();
}

static void release_lock(int kind, uint64_t lock, const void *code)
{
    (void)lock, (void)code;
    if (is_waited_for(kind))
        tlt_work_as(TLT_BESIDE);
}

/* A part that one thread does while the others wait. */
static void share_work(int kind, int endpoint, ompt_data_t *parallel, ompt_data_t *task, uint64_t n,
                       const void *code)
{
    (void)parallel, (void)task, (void)n, (void)code;
    if (kind == ompt_work_single_executor)
        tlt_work_as(endpoint == ompt_scope_begin ? TLT_ALONE : TLT_BESIDE);
}

/* ---- the runtime asks for tools when it starts ---- */

static bool has_other_tool;

static bool another_is_named(void)
{
    const char *libraries = getenv("OMP_TOOL_LIBRARIES");
    return libraries && *libraries;
}

static int initialize(ompt_function_lookup_t lookup, int device, ompt_data_t *tool_data)
{
    ompt_set_callback_t set = (ompt_set_callback_t)lookup("ompt_set_callback");
    (void)device, (void)tool_data;
    if (!set)
        return 0;
    set(ompt_callback_parallel_begin, (ompt_callback_t)begin_parallel);
    set(ompt_callback_parallel_end, (ompt_callback_t)end_parallel);
    set(ompt_callback_implicit_task, (ompt_callback_t)implicit_task);
    set(ompt_callback_task_create, (ompt_callback_t)create_task);
    set(ompt_callback_task_schedule, (ompt_callback_t)schedule_task);
    set(ompt_callback_sync_region_wait, (ompt_callback_t)wait_for_others);
    set(ompt_callback_mutex_acquire, (ompt_callback_t)wait_for_lock);
    set(ompt_callback_mutex_acquired, (ompt_callback_t)got_lock);
    set(ompt_callback_mutex_released, (ompt_callback_t)release_lock);
    set(ompt_callback_work, (ompt_callback_t)share_work);
    return 1;
}

static void finalize(ompt_data_t *tool_data)
{
    (void)tool_data;
}

/* There can be one tool only. A tool of the user has priority. */
TLT_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime);
TLT_API ompt_start_tool_result_t *ompt_start_tool(unsigned version, const char *runtime)
{
    static ompt_start_tool_result_t result = {.initialize = initialize, .finalize = finalize};
    __typeof__(&ompt_start_tool) next =
        (__typeof__(&ompt_start_tool))dlsym(RTLD_NEXT, "ompt_start_tool");
    ompt_start_tool_result_t *other = next ? next(version, runtime) : NULL;
    has_other_tool = other || another_is_named();
    return has_other_tool ? other : &result;
}

/* The runtime itself has the function, too. */
bool tlt_ompt_is_there(void)
{
    return !has_other_tool && !another_is_named() && dlsym(RTLD_NEXT, "__kmpc_fork_call") &&
           dlsym(RTLD_NEXT, "ompt_start_tool");
}
