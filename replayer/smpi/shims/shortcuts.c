/* shortcuts.c - known answers to questions that SMPI 3.32 asks itself many times for each message.
 *
 * Each MPI call asks whether MPI_Init was called and MPI_Finalize was not. It also begins and ends
 * the measurement of the program's own computation. Each request gets a number for Fortran, in a
 * hash table. The engine and the running context are looked up some forty times for each message.
 * That is an eighth of the replay of HPL on 16 ranks.
 *
 * The functions below replace functions of libsimgrid: symbols are looked up in the module first
 * (replayer/module.c). Until smpi_shortcuts_take, they only call the functions that they replace.
 * If one of them is not bound (table.h), they always do so. */
#include "config.h"

#include "shims.h"

#include "core/room.h"

#include <dlfcn.h>
#include <stdlib.h>

#include <smpi/mpi.h>
#include <xbt/asserts.h>
#include <xbt/xbt_os_time.h>

static bool are_taken;

void smpi_shortcuts_take(void)
{
    are_taken = smpi_shim_holds(SMPI_SHIM_SHORTCUTS);
}

/* ---- MPI_Init and MPI_Finalize ---- */

static int ask(int (**theirs)(int *), const char *name, int *flag)
{
    SMPI_BEHIND(*theirs, name);
    return (*theirs)(flag);
}

/* All ranks have called MPI_Init, and none makes a call after MPI_Finalize. */
int PMPI_Initialized(int *flag)
{
    static int (*theirs)(int *);
    if (!are_taken)
        return ask(&theirs, SG_INITIALIZED, flag);
    *flag = 1;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int *flag)
{
    static int (*theirs)(int *);
    if (!are_taken)
        return ask(&theirs, SG_FINALIZED, flag);
    *flag = 0;
    return MPI_SUCCESS;
}

/* ---- the program's own computation: the trace tells it ---- */

void smpi_bench_begin(void) SMPI_REPLACES(SG_BENCH_BEGIN);
void smpi_bench_end(void) SMPI_REPLACES(SG_BENCH_END);

static void measure(void (**theirs)(void), const char *name)
{
    if (are_taken)
        return;
    SMPI_BEHIND(*theirs, name);
    (*theirs)();
}

void smpi_bench_begin(void)
{
    static void (*theirs)(void);
    measure(&theirs, SG_BENCH_BEGIN);
}

void smpi_bench_end(void)
{
    static void (*theirs)(void);
    measure(&theirs, SG_BENCH_END);
}

/* ---- simgrid::smpi::F2C::add_f(): an object without a number is not in the table ---- */

int number_for_fortran(void *object) SMPI_REPLACES(SG_NUMBER_FOR_FORTRAN);

int number_for_fortran(void *object)
{
    static int (*theirs)(void *);
    if (are_taken)
        return -1;
    SMPI_BEHIND(theirs, SG_NUMBER_FOR_FORTRAN);
    return theirs(object);
}

/* ---- simgrid::s4u::Engine::get_instance() ---- */

void *engine_instance(void) SMPI_REPLACES(SG_ENGINE);

void *engine_instance(void)
{
    static void *(*theirs)(void), *known;
    if (known)
        return known;
    SMPI_BEHIND(theirs, SG_ENGINE);
    void *engine = theirs();
    if (are_taken)
        known = engine;
    return engine;
}

/* ---- simgrid::kernel::context::Context::self() and set_current(Context *) ---- */

/* Thread-local variables of a module are found by a call, unless they are in the static block. */
static __thread __attribute__((tls_model("initial-exec"))) void *running;

void *running_context(void) SMPI_REPLACES(SG_CONTEXT_SELF);
void set_running(void *context) SMPI_REPLACES(SG_CONTEXT_SET);

void *running_context(void)
{
    static void *(*theirs)(void);
    if (are_taken)
        return running;
    SMPI_BEHIND(theirs, SG_CONTEXT_SELF);
    return theirs();
}

void set_running(void *context)
{
    static void (*theirs)(void *);
    running = context;
    if (are_taken)
        return;
    SMPI_BEHIND(theirs, SG_CONTEXT_SET);
    theirs(context);
}

/* ---- simgrid::kernel::EngineImpl::get_actor_by_pid(long) ---- */

/* SimGrid looks up the two ranks of a message some ten times, in a tree. */
enum { MAX_KNOWN = 1 << 20 };
static void **known_actors; /* by number; NULL: unknown */
static size_t n_known;

void *actor_of(void *engine, long number) SMPI_REPLACES(SG_ACTOR_BY_PID);
void end_actor(void *actor) SMPI_REPLACES(SG_ACTOR_CLEANUP);

void *actor_of(void *engine, long number)
{
    static void *(*theirs)(void *, long);
    const size_t i = (size_t)number;
    if (i < n_known && known_actors[i])
        return known_actors[i];
    SMPI_BEHIND(theirs, SG_ACTOR_BY_PID);
    void *actor = theirs(engine, number);
    if (!are_taken || i >= MAX_KNOWN)
        return actor;
    if (tl_reach(&known_actors, &n_known, i, sizeof(void *)))
        known_actors[i] = actor;
    return actor;
}

/* SimGrid removes the actor from its tree. */
void end_actor(void *actor)
{
    static void (*theirs)(void *);
    SMPI_BEHIND(theirs, SG_ACTOR_CLEANUP);
    theirs(actor);
    for (size_t i = 0; i < n_known; i++)
        if (known_actors[i] == actor)
            known_actors[i] = NULL;
}

/* ---- SimGrid's timers ---- */

/* SMPI reads the thread's CPU clock, a system call, when each MPI call begins and ends, to measure
 * the computation between calls. With smpi/simulate-computation:no it ignores the result, but still
 * reads the clock. Here the trace gives the computation. That saves a third of the replay's CPU
 * time (ring of 16 ranks, 640,032 events: 1.5 s instead of 2.4 s). */
void xbt_os_threadtimer_start(xbt_os_timer_t timer) SMPI_REPLACES(SG_TIMER_START);
void xbt_os_threadtimer_stop(xbt_os_timer_t timer) SMPI_REPLACES(SG_TIMER_STOP);

void xbt_os_threadtimer_start(xbt_os_timer_t timer)
{
    (void)timer;
}

void xbt_os_threadtimer_stop(xbt_os_timer_t timer)
{
    (void)timer;
}

/* When SimGrid gives up, it reads the debug information of all its libraries to print the stack.
 * Of what it prints, only the sentence before the stack is reported. An algorithm that fails is
 * known after 0.1 s of CPU time instead of 0.4 s; a study of algorithms has several. */
void xbt_backtrace_display_current(void); /* SimGrid's header has no prototype */

void xbt_backtrace_display_current(void)
{
}
