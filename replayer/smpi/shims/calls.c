/* calls.c - requests of a rank to SimGrid that are answered at once.
 *
 * SimGrid's own objects are changed by its scheduler only. A rank that wants to change one stops,
 * the scheduler runs all other ranks of the present moment until they stop, too, then it handles
 * the requests in this order, and the ranks continue. A message needs about ten such requests:
 * the lock of a mailbox, looking into it, sending, unlocking. That is a seventh of a replay of HPL.
 * If no other rank runs at the present moment, which is the usual case, the order is known:
 * the request is handled at once, on the stack of the rank, and the rank continues.
 *
 * If a request wakes other ranks, or if the rank has to wait, SimGrid's lists are brought into the
 * state that they would have, and the rank stops.
 *
 * The functions below replace functions of libsimgrid, and call them: symbols are looked up in the
 * module first (replayer/module.c). The layout of SimGrid's objects is checked at the first
 * request. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <xbt/config.h>

enum kind { NO_CALL, ANSWERED, BLOCKING };

/* Of simgrid::kernel::actor::ActorImpl. */
typedef struct actor {
    char before[160];
    void *context;
    char between[216 - 168];
    struct {
        int kind;
        struct actor *issuer;
        void *timeout, *observer;
        unsigned limit;
        const void *code;
    } call;
} actor;

/* Of simgrid::kernel::EngineImpl. */
typedef struct engine {
    char before[344];
    actor **first, **past, **limit; /* a vector of the actors of this moment */
    actor **ran[3];
    char between[464 - 392];
    actor *maestro; /* the scheduler */
} engine;

#ifdef __x86_64__
_Static_assert(offsetof(actor, context) == 160 && offsetof(actor, call) == 216 &&
                   offsetof(actor, call.code) == 256 && offsetof(engine, maestro) == 464,
               "layout of SimGrid 3.32");
#endif

/* libstdc++'s layout of a std::function. */
typedef struct function {
    char content[16];
    int (*manage)(void *to, const void *from, int operation);
    void (*call)(const void *content);
} function;

static enum { UNDECIDED, USED, UNUSED } decision;
static pthread_t scheduler;
static engine *the_engine;
static actor *(*self)(void);
static void (*handle)(actor *, int), (*answer)(actor *), (*add_to_run)(engine *, actor *);
static int is_locking; /* the next request locks a mutex */
static actor **woken;  /* by a request that was handled at once */
static size_t n_woken, woken_room;

void smpi_calls_prepare(void)
{
    scheduler = pthread_self();
}

/* ---- the decision ---- */

static int find_functions(void)
{
    engine *const *instance = dlsym(RTLD_DEFAULT, SG_ENGINE_INSTANCE);
    the_engine = instance ? *instance : NULL;
    *(void **)&self = dlsym(RTLD_DEFAULT, SG_ACTOR_SELF);
    *(void **)&handle = dlsym(RTLD_DEFAULT, SG_CALL_HANDLE);
    *(void **)&answer = dlsym(RTLD_DEFAULT, SG_CALL_ANSWER);
    *(void **)&add_to_run = dlsym(RTLD_DEFAULT, SG_ADD_TO_RUN);
    return the_engine && self && handle && answer && add_to_run;
}

/* Called by a rank. Threads instead of contexts are another way of scheduling. */
static int fits(void)
{
#ifdef __x86_64__
    if (!smpi_shim_holds(SMPI_SHIM_CALLS) || !pthread_equal(scheduler, pthread_self()) ||
        sg_cfg_get_int("contexts/nthreads") != 1 || !find_functions())
        return 0;
    const actor *me = self(), *maestro = the_engine->maestro;
    return me->context == smpi_shortcuts_context() && me->call.issuer == me && maestro &&
           maestro != me && maestro->call.issuer == maestro && maestro->context &&
           maestro->context != me->context && the_engine->first < the_engine->past &&
           the_engine->past <= the_engine->limit;
#else
    return 0;
#endif
}

/* The calling rank, if it is the only one that runs at this moment. */
static actor *find_alone(void)
{
    if (decision == UNUSED || !smpi_shortcuts_context())
        return NULL;
    if (decision == UNDECIDED)
        decision = fits() ? USED : UNUSED;
    if (decision != USED || the_engine->past - the_engine->first != 1)
        return NULL;
    actor *me = self();
    return *the_engine->first == me ? me : NULL;
}

/* ---- requests ---- */

void run_answered(const function *code, void *observer) SMPI_REPLACES(SG_RUN_ANSWERED);
void run_blocking(const function *code, void *observer) SMPI_REPLACES(SG_RUN_BLOCKING);
void lock_mutex(void *mutex) SMPI_REPLACES(SG_MUTEX_LOCK);

static void theirs_run_blocking(const function *code, void *observer)
{
    static void (*theirs)(const function *, void *);
    SMPI_BEHIND(theirs, SG_RUN_BLOCKING);
    theirs(code, observer);
}

/* The scheduler calls this instead of the request. */
static void wake(const void *rank)
{
    actor *me;
    memcpy(&me, rank, sizeof me);
    for (size_t i = 0; i < n_woken; i++)
        if (woken[i] == me)
            answer(me);
        else
            add_to_run(the_engine, woken[i]);
}

static int manage(void *to, const void *from, int operation)
{
    (void)to, (void)from, (void)operation;
    return 0;
}

/* Others were woken, or the rank waits. The rank is not in the list of the next round yet. */
static void stop(actor *me)
{
    n_woken = (size_t)(the_engine->past - the_engine->first) - 1;
    if (n_woken > woken_room) {
        free(woken);
        woken_room = 2 * n_woken;
        woken = smpi_alloc(woken_room, sizeof(actor *));
    }
    for (size_t i = 0; i < n_woken; i++)
        woken[i] = the_engine->first[i + 1];
    the_engine->past = the_engine->first + 1;
    function later = {.manage = manage, .call = wake};
    memcpy(later.content, &me, sizeof me);
    theirs_run_blocking(&later, NULL);
}

/* What the scheduler does for a rank that stops. */
typedef struct errand {
    void (*run)(void *argument);
    void *argument;
} errand;

static void run_errand(const void *content)
{
    errand e;
    memcpy(&e, content, sizeof e);
    e.run(e.argument);
}

void smpi_calls_block(void (*run)(void *argument), void *argument)
{
    const errand e = {run, argument};
    function later = {.manage = manage, .call = run_errand};
    memcpy(later.content, &e, sizeof e);
    theirs_run_blocking(&later, NULL);
}

static void do_nothing(const void *content)
{
    (void)content;
}

void smpi_calls_pass(unsigned n)
{
    static void (*theirs)(const function *, void *);
    const function nothing = {.manage = manage, .call = do_nothing};
    SMPI_BEHIND(theirs, SG_RUN_ANSWERED);
    for (unsigned i = 0; i < n && !find_alone(); i++)
        theirs(&nothing, NULL);
}

void smpi_calls_answer(void *rank)
{
    if (!answer)
        *(void **)&answer = dlsym(RTLD_DEFAULT, SG_CALL_ANSWER);
    answer(rank);
}

static void handle_at_once(actor *me, enum kind kind, const function *code, void *observer)
{
    me->call.kind = (int)kind;
    me->call.code = code;
    me->call.observer = observer;
    smpi_shortcuts_run_as(the_engine->maestro->context);
    handle(me, 0);
    smpi_shortcuts_run_as(me->context);
    me->call.observer = NULL;
    if (the_engine->past - the_engine->first == 2 && the_engine->first[1] == me)
        the_engine->past--;
    else
        stop(me);
}

void run_answered(const function *code, void *observer)
{
    static void (*theirs)(const function *, void *);
    actor *me = find_alone();
    if (me) {
        handle_at_once(me, ANSWERED, code, observer);
        return;
    }
    SMPI_BEHIND(theirs, SG_RUN_ANSWERED);
    theirs(code, observer);
}

/* Most of these requests wait for a later moment. */
void run_blocking(const function *code, void *observer)
{
    actor *me = is_locking ? find_alone() : NULL;
    is_locking = 0;
    if (me)
        handle_at_once(me, BLOCKING, code, observer);
    else
        theirs_run_blocking(code, observer);
}

void lock_mutex(void *mutex)
{
    static void (*theirs)(void *);
    SMPI_BEHIND(theirs, SG_MUTEX_LOCK);
    is_locking = 1;
    theirs(mutex);
    is_locking = 0;
}
