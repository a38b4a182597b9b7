/* shortcuts.c - questions that SMPI 3.32 asks of itself many times a message, and whose
 * answers are known here.
 *
 * Each call of MPI asks whether MPI_Init was called and MPI_Finalize was not, and begins and ends
 * the measurement of the program's own computation; each request gets a number for Fortran, in a
 * hash table; the engine and the running context are asked for some forty times a message.  That
 * is an eighth of the replay of HPL on 16 ranks.
 *
 * The functions below take the place of libsimgrid's: symbols are looked up in the module first
 * (replayer/module.c).  Until smpi_shortcuts_take they only call the functions that they stand for,
 * and so they do on if SimGrid is another one; those of the running context hold from the first one
 * on, and only a module for this SimGrid has them. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <smpi/mpi.h>

static int are_taken;

void smpi_shortcuts_take(void)
{
    are_taken = smpi_is_known_simgrid();
}

/* ---- MPI_Init and MPI_Finalize ---- */

static int ask(int (**theirs)(int *), const char *name, int *flag)
{
    SMPI_BEHIND(*theirs, name);
    return (*theirs)(flag);
}

/* All ranks have called the first one, and none calls anything after the second one. */
int PMPI_Initialized(int *flag)
{
    static int (*theirs)(int *);
    if (!are_taken)
        return ask(&theirs, "PMPI_Initialized", flag);
    *flag = 1;
    return MPI_SUCCESS;
}

int PMPI_Finalized(int *flag)
{
    static int (*theirs)(int *);
    if (!are_taken)
        return ask(&theirs, "PMPI_Finalized", flag);
    *flag = 0;
    return MPI_SUCCESS;
}

/* ---- the program's own computation: the trace tells it ---- */

void smpi_bench_begin(void) SMPI_REPLACES("smpi_bench_begin");
void smpi_bench_end(void) SMPI_REPLACES("smpi_bench_end");

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
    measure(&theirs, "smpi_bench_begin");
}

void smpi_bench_end(void)
{
    static void (*theirs)(void);
    measure(&theirs, "smpi_bench_end");
}

/* ---- simgrid::smpi::F2C::add_f(): an object without a number is not in the table ---- */

#define NUMBER "_ZN7simgrid4smpi3F2C5add_fEv"
int number_for_fortran(void *object) SMPI_REPLACES(NUMBER);

int number_for_fortran(void *object)
{
    static int (*theirs)(void *);
    if (are_taken)
        return -1;
    SMPI_BEHIND(theirs, NUMBER);
    return theirs(object);
}

/* ---- simgrid::s4u::Engine::get_instance() ---- */

#define ENGINE "_ZN7simgrid3s4u6Engine12get_instanceEv"
void *engine_instance(void) SMPI_REPLACES(ENGINE);

void *engine_instance(void)
{
    static void *(*theirs)(void), *known;
    if (known)
        return known;
    SMPI_BEHIND(theirs, ENGINE);
    void *engine = theirs();
    if (are_taken)
        known = engine;
    return engine;
}

/* ---- simgrid::kernel::context::Context::self() and set_current(Context *) ---- */

#if SIMGRID_VERSION_MAJOR == 3 && SIMGRID_VERSION_MINOR == 32
/* A module's thread-local variables are found by a call, unless they lie in the static block. */
static __thread __attribute__((tls_model("initial-exec"))) void *running;

void *running_context(void) SMPI_REPLACES("_ZN7simgrid6kernel7context7Context4selfEv");
void set_running(void *context)
    SMPI_REPLACES("_ZN7simgrid6kernel7context7Context11set_currentEPS2_");

void *running_context(void)
{
    return running;
}

void set_running(void *context)
{
    running = context;
}
#endif
