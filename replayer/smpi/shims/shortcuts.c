/* shortcuts.c - known answers to questions that SMPI 3.32 asks itself many times for each message.
 *
 * Each request gets a number for Fortran, in a hash table. The engine and the running context are
 * looked up some forty times for each message.
 *
 * Until smpi_shortcuts_take, the functions below only call the functions that they replace.
 * If one of them is not bound (table.h), they always do so. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

#include <xbt/xbt_os_time.h>

static bool are_taken;

void smpi_shortcuts_take(void)
{
    are_taken = smpi_shim_holds(SMPI_SHIM_SHORTCUTS);
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
