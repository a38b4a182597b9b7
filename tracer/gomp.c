/* gomp.c - wrappers of the entry points of GCC's OpenMP runtime, which has no interface for tools.
 *
 * The program passes the code of a region or a task to the runtime. The wrapper replaces it by a
 * function of ours, which measures the thread around the real code. While a thread may wait (at
 * barriers, at the ends of loops, sections and tasks, before locks), it is not measured.
 *
 * LLVM's runtime has these entry points for programs compiled by GCC, too. Its threads are measured
 * in another way (ompt.c), and the wrappers only pass the calls on.
 *
 * GOMP_doacross_wait (loops with "ordered depend(sink: ...)") is not among the waits, because its
 * number of arguments is not known here. */
#include "config.h"

#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#include "teams.h"

typedef void region_function(void *);
typedef void copy_function(void *, void *);

/* ---- the real functions ---- */

static bool is_llvm; /* the runtime is LLVM's; atomic */

static void *base_of(void *address)
{
    Dl_info info;
    return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

/* The first call of one of its functions shows whose runtime it is. */
static void look_at(void *address)
{
    void *llvm = base_of(dlsym(RTLD_NEXT, "__kmpc_fork_call"));
    if (llvm && llvm == base_of(address))
        __atomic_store_n(&is_llvm, true, __ATOMIC_RELAXED);
}

#define REAL(name) TLT_NEXT_SEEN(name, look_at)

static bool is_gcc(void)
{
    return !__atomic_load_n(&is_llvm, __ATOMIC_RELAXED);
}

bool tlt_gomp_is_there(void)
{
    return dlsym(RTLD_NEXT, "GOMP_parallel") && !dlsym(RTLD_NEXT, "__kmpc_fork_call");
}

/* ---- regions ---- */

/* Replaces the data of the region. */
typedef struct region {
    void *reductions; /* what the runtime reads there before a region with task reductions */
    region_function *function;
    void *data;
    tlt_team team;
    tlt_region parts;
} region;

int omp_get_thread_num(void);

static int thread_number(void)
{
    __typeof__(&omp_get_thread_num) real = TLT_NEXT(omp_get_thread_num);
    return real ? real() : 0;
}

static void run_region(void *given)
{
    region *r = given;
    tlt_membership before = tlt_team_enter(&r->team, thread_number());
    r->function(r->data);
    tlt_team_leave(before);
}

/* clang-format off */
#define REGION(type, name, params, reductions_, ...)                                               \
    TLT_API type name params;                                                                      \
    TLT_API type name params                                                                       \
    {                                                                                              \
        __typeof__(&name) real = REAL(name);                                                       \
        region r;                                                                                  \
        r.reductions = (reductions_), r.function = function, r.data = data;                        \
        const bool measured = is_gcc() && tlt_team_begin(&r.team, &r.parts);                       \
        if (measured) {                                                                            \
            r.parts.is_serial = n_threads == 1; /* if(false), num_threads(1) */                    \
            function = run_region;                                                                 \
            data = &r;                                                                             \
        }                                                                                          \
        RESULT_##type(real(function, data, __VA_ARGS__));                                          \
        if (measured)                                                                              \
            tlt_team_end(&r.team, TLT_PLACE());                                                    \
        RETURN_##type;                                                                             \
    }
#define RESULT_void(call) call
#define RETURN_void
#define RESULT_unsigned(call) unsigned result = call
#define RETURN_unsigned return result

#define FUNCTION region_function *function, void *data, unsigned n_threads
#define LOOP long start, long end, long step
REGION(void, GOMP_parallel, (FUNCTION, unsigned flags), NULL, n_threads, flags)
REGION(unsigned, GOMP_parallel_reductions, (FUNCTION, unsigned flags), *(void **)data, n_threads,
       flags)
REGION(void, GOMP_parallel_sections, (FUNCTION, unsigned count, unsigned flags), NULL, n_threads,
       count, flags)
#define LOOP_REGION(kind)                                                                          \
    REGION(void, GOMP_parallel_loop_##kind, (FUNCTION, LOOP, long chunk, unsigned flags), NULL,    \
           n_threads, start, end, step, chunk, flags)
LOOP_REGION(static)
LOOP_REGION(dynamic)
LOOP_REGION(guided)
LOOP_REGION(nonmonotonic_dynamic)
LOOP_REGION(nonmonotonic_guided)
#define RUNTIME_LOOP_REGION(kind)                                                                  \
    REGION(void, GOMP_parallel_loop_##kind, (FUNCTION, LOOP, unsigned flags), NULL, n_threads,     \
           start, end, step, flags)
RUNTIME_LOOP_REGION(runtime)
RUNTIME_LOOP_REGION(nonmonotonic_runtime)
RUNTIME_LOOP_REGION(maybe_nonmonotonic_runtime)

/* ---- where a thread may wait ---- */

#define WAIT(name) WAIT_WITH(void, name, (void), (), tlt_member.part)
#define WAIT_WITH(type, name, params, args, next_part)                                             \
    TLT_API type name params;                                                                      \
    TLT_API type name params                                                                       \
    {                                                                                              \
        __typeof__(&name) real = REAL(name);                                                       \
        const bool measured = is_gcc() && tlt_wait_begin();                                        \
        RESULT_##type(real args);                                                                  \
        if (measured) {                                                                            \
            tlt_member.part = (uint8_t)(next_part);                                                \
            tlt_wait_end();                                                                        \
        }                                                                                          \
        RETURN_##type;                                                                             \
    }
/* The end of what only one thread does at a time. */
#define RELEASE(name, params, args)                                                                \
    TLT_API void name params;                                                                      \
    TLT_API void name params                                                                       \
    {                                                                                              \
        __typeof__(&name) real = REAL(name);                                                       \
        real args;                                                                                 \
        if (is_gcc())                                                                              \
            tlt_work_as(TLT_BESIDE);                                                               \
    }
#define RESULT_bool(call) bool result = call
#define RETURN_bool return result
typedef void *pointer;
#define RESULT_pointer(call) void *result = call
#define RETURN_pointer return result

WAIT_WITH(void, GOMP_barrier, (void), (), TLT_BESIDE)
WAIT(GOMP_loop_end)
WAIT(GOMP_sections_end)
WAIT_WITH(void, GOMP_ordered_start, (void), (), TLT_ONE_AT_A_TIME)
WAIT_WITH(void, GOMP_critical_start, (void), (), TLT_ONE_AT_A_TIME)
WAIT_WITH(void, GOMP_atomic_start, (void), (), TLT_ONE_AT_A_TIME)
WAIT(GOMP_taskwait)
WAIT(GOMP_taskgroup_end)
WAIT_WITH(bool, GOMP_barrier_cancel, (void), (), TLT_BESIDE)
WAIT_WITH(bool, GOMP_loop_end_cancel, (void), (), tlt_member.part)
WAIT_WITH(bool, GOMP_sections_end_cancel, (void), (), tlt_member.part)
WAIT_WITH(void, GOMP_workshare_task_reduction_unregister, (bool cancelled), (cancelled), tlt_member.part)
WAIT_WITH(pointer, GOMP_single_copy_start, (void), (), result ? TLT_BESIDE : TLT_ALONE)
WAIT_WITH(void, GOMP_single_copy_end, (void *data), (data), TLT_BESIDE)
WAIT_WITH(void, GOMP_critical_name_start, (void **lock), (lock), TLT_ONE_AT_A_TIME)
WAIT_WITH(void, GOMP_taskwait_depend, (void **depend), (depend), tlt_member.part)
WAIT_WITH(void, omp_set_lock, (void *lock), (lock), TLT_ONE_AT_A_TIME)
WAIT_WITH(void, omp_set_lock_, (void *lock), (lock), TLT_ONE_AT_A_TIME)
RELEASE(GOMP_ordered_end, (void), ())
RELEASE(GOMP_critical_end, (void), ())
RELEASE(GOMP_critical_name_end, (void **lock), (lock))
RELEASE(GOMP_atomic_end, (void), ())
RELEASE(omp_unset_lock, (void *lock), (lock))
RELEASE(omp_unset_lock_, (void *lock), (lock))

/* One thread does it while the others wait at a barrier; with `nowait` this part lasts until the
 * next barrier, too. */
TLT_API bool GOMP_single_start(void);
TLT_API bool GOMP_single_start(void)
{
    __typeof__(&GOMP_single_start) real = REAL(GOMP_single_start);
    const bool chosen = real();
    if (chosen && is_gcc())
        tlt_work_as(TLT_ALONE);
    return chosen;
}
/* clang-format on */

/* ---- tasks ---- */

enum { FLAG_REDUCTION = 1 << 12, FLAG_DETACH = 1 << 13 };

/* The data that the program passes, as the runtime sees it until the task has its own copy. */
typedef struct parcel {
    void *places[3]; /* which the runtime reads and writes: bounds of a loop, reductions */
    region_function *function;
    copy_function *copy; /* NULL: bytes */
    void *data;
    size_t n_bytes, offset; /* of the data in the copy */
    bool is_loop;
    tlt_team *team;
} parcel;

/* The copy begins with the parcel; the data of the program follow. */
static void copy_parcel(void *to, void *from)
{
    const parcel *p = from;
    char *data = (char *)to + p->offset;
    memcpy(to, p, sizeof *p);
    if (p->copy)
        p->copy(data, p->data);
    else
        memcpy(data, p->data, p->n_bytes);
}

static void run_task(void *given)
{
    parcel *p = given;
    void *data = (char *)given + p->offset;
    if (p->is_loop)
        memcpy(data, p->places, 2 * sizeof *p->places);
    tlt_membership before = tlt_team_enter(p->team, TLT_NOT_NEW);
    p->function(data);
    tlt_team_leave(before);
}

static parcel pack(region_function *function, void *data, copy_function *copy, long n_bytes,
                   long *alignment)
{
    if (*alignment < (long)_Alignof(parcel))
        *alignment = _Alignof(parcel);
    const size_t step = (size_t)*alignment;
    return (parcel){.function = function,
                    .copy = copy,
                    .data = data,
                    .n_bytes = (size_t)n_bytes,
                    .offset = (sizeof(parcel) + step - 1) / step * step,
                    .team = tlt_member.team};
}

/* A task whose event the program completes is not measured, because the runtime knows where this
 * event is in the data. */
TLT_API void GOMP_task(region_function *function, void *data, copy_function *copy, long n_bytes,
                       long alignment, bool deferred, unsigned flags, void **depend, int priority,
                       void *detach);
TLT_API void GOMP_task(region_function *function, void *data, copy_function *copy, long n_bytes,
                       long alignment, bool deferred, unsigned flags, void **depend, int priority,
                       void *detach)
{
    __typeof__(&GOMP_task) real = REAL(GOMP_task);
    if (!function || (flags & FLAG_DETACH) || !is_gcc() || !tlt_wait_begin()) {
        real(function, data, copy, n_bytes, alignment, deferred, flags, depend, priority, detach);
        return;
    }
    parcel p = pack(function, data, copy, n_bytes, &alignment);
    real(run_task, &p, copy_parcel, (long)p.offset + n_bytes, alignment, deferred, flags, depend,
         priority, detach);
    tlt_wait_end();
}

/* clang-format off */
#define TASKLOOP(name, number)                                                                     \
    TLT_API void name(region_function *function, void *data, copy_function *copy, long n_bytes,    \
                      long alignment, unsigned flags, unsigned long n_tasks, int priority,         \
                      number start, number end, number step);                                      \
    TLT_API void name(region_function *function, void *data, copy_function *copy, long n_bytes,    \
                      long alignment, unsigned flags, unsigned long n_tasks, int priority,         \
                      number start, number end, number step)                                       \
    {                                                                                              \
        _Static_assert(sizeof(number) == sizeof(void *), "bounds fill places");                    \
        __typeof__(&name) real = REAL(name);                                                       \
        if (!is_gcc() || !tlt_wait_begin()) {                                                      \
            real(function, data, copy, n_bytes, alignment, flags, n_tasks, priority, start, end,   \
                 step);                                                                            \
            return;                                                                                \
        }                                                                                          \
        parcel p = pack(function, data, copy, n_bytes, &alignment);                                \
        p.is_loop = true;                                                                          \
        if (flags & FLAG_REDUCTION)                                                                \
            p.places[2] = ((void **)data)[2];                                                      \
        real(run_task, &p, copy_parcel, (long)p.offset + n_bytes, alignment, flags, n_tasks,       \
             priority, start, end, step);                                                          \
        tlt_wait_end();                                                                            \
    }
TASKLOOP(GOMP_taskloop, long)
TASKLOOP(GOMP_taskloop_ull, unsigned long long)
/* clang-format on */
