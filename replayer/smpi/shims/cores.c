/* cores.c - computation and sleeps of ranks, without SimGrid's activities.
 *
 * SimGrid 3.32 makes several objects for each computation and each sleep. Whenever one of them
 * begins or ends, SimGrid computes anew the share of each computation of this host, what remains of
 * it, and when it ends. With 32 ranks per host, that is most of the time of a replay of HPL. But
 * all ranks of a host have the same share: a core, or if there are too few cores, an equal part of
 * them. Here the ranks that compute on a host are in arrays. The heap of dates (dates.c) has one
 * entry for the host: the date of the rank that ends first.
 *
 * The functions here make the floating-point operations of SimGrid at the same moments, and wake
 * ranks of the same date in the same order, so that all results are equal to the last digit.
 *
 * SimGrid's activities are used if the ranks of a host have different shares (interference), and if
 * something watches them (has_watchers). */
#include "config.h"

#include "dates.h"
#include "shims.h"
#include "results/usage.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <simgrid/plugins/energy.h>
#include <xbt/config.h>

typedef struct crew crew;

/* A rank. */
typedef struct worker {
    sg_action token; /* stands for its sleep in the heap; SimGrid does not know it */
    void *actor;
    crew *crew;
    enum { IDLE, COMPUTES, SLEEPS, GONE } state;
    double amount; /* of the work in flops, or of the sleep in seconds */
    double begin_s;
    struct worker *before; /* the last one that fell asleep before it, at the same date */
    struct worker *next_ended;
} worker;

/* The ranks that compute on a host, in the order in which they began. */
struct crew {
    sg_action token; /* stands for the rank that ends first */
    sg_host_t host;
    double speed, all_cores; /* of a core and of all cores */
    double rate;             /* of each rank since the last update */
    double updated_s;
    uint64_t order; /* among those that end at the same date: of the rank that began last */
    size_t n, n_new, room, first; /* n_new: have begun since the last update */
    worker **workers;
    double *remains, *ends_s;
    int has_changed;
    crew *next_changed;
};

/* Open addressing by the address of an actor or of a host. */
typedef struct table {
    struct {
        const void *key;
        void *value;
    } * entries;
    size_t n, room; /* room is a power of two, or 0 */
} table;

static table workers, crews, crews_of_constraints;
static smpi_dates *dates; /* of computation; NULL: SimGrid's activities are used */
static crew *learning;    /* its first action tells whether all this can be used */
static int does_fit;
static worker *asleep; /* the last one that fell asleep and has no date yet */
static crew *first_changed, **last_changed = &first_changed;
static worker *first_ended, **last_ended = &first_ended; /* are to be woken */
static int has_energy;
static double probe_s; /* the cost of MPI_Iprobe, which is simulated here */

/* ---- tables ---- */

static void *find(const table *t, const void *key)
{
    if (!t->room)
        return NULL;
    size_t i = (uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (t->room - 1);
    while (t->entries[i].key && t->entries[i].key != key)
        i = (i + 1) & (t->room - 1);
    return t->entries[i].value;
}

static void put(table *t, const void *key, void *value)
{
    if (2 * t->n >= t->room) {
        const table old = *t;
        t->n = 0;
        t->room = old.room ? 2 * old.room : 64;
        t->entries = smpi_alloc(t->room, sizeof *t->entries);
        for (size_t i = 0; i < old.room; i++)
            if (old.entries[i].key)
                put(t, old.entries[i].key, old.entries[i].value);
        free(old.entries);
    }
    size_t i = (uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (t->room - 1);
    while (t->entries[i].key && t->entries[i].key != key)
        i = (i + 1) & (t->room - 1);
    t->n += !t->entries[i].key;
    t->entries[i].key = key;
    t->entries[i].value = value;
}

/* ---- whether all this can be used ---- */

static void find_speed(crew *c)
{
    const double peak = sg_host_get_speed(c->host), scale = sg_host_get_available_speed(c->host);
    c->speed = scale * peak;
    c->all_cores = sg_host_core_count(c->host) * scale * peak;
}

/* SimGrid's first action of computation on a host: its share must be what is computed here. */
void smpi_cores_learn(smpi_dates *h, const sg_action *a)
{
    crew *c = learning;
    if (!c)
        return;
    learning = NULL;
    const sg_variable *v = a->variable;
    const sg_element *e = v ? v->first : NULL;
    const sg_system *s = a->model->system;
    does_fit = v && v->past - v->first == 1 && v->penalty == 1 && v->bound == c->speed &&
               e->weight == 1 && e->constraint->policy == SG_SHARED &&
               e->constraint->bound == c->all_cores && a->penalty == 1 && a->factor == 1 &&
               a->max_duration == -1 && s->is_selective && (!dates || dates == h) &&
               s->functions[SG_DO_SOLVE_PLACE] == dlsym(RTLD_DEFAULT, SG_DO_SOLVE);
    if (!does_fit)
        return;
    dates = h;
    put(&crews_of_constraints, e->constraint, c);
}

/* Computes nothing on the host. */
static int look_at(sg_host_t host)
{
    crew *c = smpi_alloc(1, sizeof *c);
    c->host = host;
    c->token.type = SG_NORMAL;
    find_speed(c);
    put(&crews, host, c);
    does_fit = 0;
    learning = c;
    const sg_exec_t nothing = sg_actor_exec_init(0);
    sg_exec_set_host(nothing, host);
    sg_exec_start(nothing);
    sg_exec_wait(nothing);
    learning = NULL;
    return does_fit;
}

int smpi_cores_use(const smpi_dates *h)
{
    return dates && dates == h;
}

static int may_probe(void)
{
    size_t n_calls = 0;
    for (size_t j = 0; j < replay.n_jobs; j++)
        if (tl_reader_calls(replay.jobs[j].trace, &n_calls))
            return 1;
    return 0;
}

/* SimGrid lets an MPI_Iprobe compute for a while. 0: not as it is done here. */
static int take_probes(void)
{
    const double seconds = sg_cfg_get_double("smpi/iprobe");
    if (!may_probe() || !(seconds > 0))
        return 1;
    if (replay.tests_grow || sg_cfg_get_double("smpi/iprobe-cpu-usage") != 1)
        return 0;
    probe_s = seconds;
    sg_cfg_set_double("smpi/iprobe", 0);
    return 1;
}

static void give_back_probes(void)
{
    if (probe_s > 0)
        sg_cfg_set_double("smpi/iprobe", probe_s);
    probe_s = 0;
}

/* Plugins and tracing follow SimGrid's activities. */
static int is_watcher(const char *option)
{
    static const char plugin[] = "plugin:", tracing[] = "tracing";
    return !strncmp(option, plugin, sizeof plugin - 1) ||
           !strncmp(option, tracing, sizeof tracing - 1);
}

static int has_watchers(void)
{
    for (size_t i = 0; i < replay.options->n_cfg; i++)
        if (is_watcher(replay.options->cfg[i]))
            return 1;
    for (size_t i = 0; i < replay.platform->n_options; i++)
        if (is_watcher(replay.platform->options[i]))
            return 1;
    return 0;
}

void smpi_cores_prepare(void)
{
    if (!smpi_shim_holds(SMPI_SHIM_CORES) || tlr_interferes(replay.model) || has_watchers() ||
        sg_cfg_get_int("contexts/nthreads") != 1 ||
        sg_cfg_get_int("maxmin/concurrency-limit") >= 0 || !take_probes())
        return;
    has_energy = replay.options->usage && replay.options->usage->has_energy;
    for (uint32_t r = 0; r < replay.n_ranks; r++) {
        const sg_host_t host = sg_host_by_name(replay.ranks[r].result->host);
        if (find(&crews, host))
            continue;
        if (!look_at(host)) {
            give_back_probes();
            dates = NULL;
            return;
        }
    }
}

void smpi_cores_join(void)
{
    const sg_host_t host = sg_host_self();
    if (!dates)
        return;
    worker *w = smpi_alloc(1, sizeof *w);
    w->actor = (void *)(uintptr_t)smpi_actor_self();
    w->crew = find(&crews, host);
    w->token.type = SG_MAX_DURATION;
    put(&workers, w->actor, w);
}

/* ---- what begins and ends ---- */

static void note_change(crew *c)
{
    if (c->has_changed)
        return;
    c->has_changed = 1;
    c->next_changed = NULL;
    *last_changed = c;
    last_changed = &c->next_changed;
}

static void *resize(void *memory, size_t n, size_t size)
{
    void *larger = realloc(memory, n * size);
    if (!larger)
        smpi_give_up(TL_ERR_MEMORY, "out of memory in the replay");
    return larger;
}

static void enter(crew *c, worker *w)
{
    if (c->n == c->room) {
        c->room = 2 * c->room + 4;
        c->workers = resize(c->workers, c->room, sizeof *c->workers);
        c->remains = resize(c->remains, c->room, sizeof *c->remains);
        c->ends_s = resize(c->ends_s, c->room, sizeof *c->ends_s);
    }
    c->workers[c->n] = w;
    c->remains[c->n++] = w->amount;
    c->n_new++;
}

static void leave(crew *c, size_t i)
{
    const size_t behind = --c->n - i;
    c->n_new -= behind < c->n_new;
    memmove(c->workers + i, c->workers + i + 1, behind * sizeof *c->workers);
    memmove(c->remains + i, c->remains + i + 1, behind * sizeof *c->remains);
    memmove(c->ends_s + i, c->ends_s + i + 1, behind * sizeof *c->ends_s);
}

/* Puts the token at the date of the rank that ends first. Of several with the same date, this is
 * the one that began last: SimGrid updates it first. */
static void find_first(crew *c)
{
    const size_t n = c->n - c->n_new;
    if (!n) {
        smpi_dates_take(dates, &c->token);
        return;
    }
    c->first = 0;
    for (size_t i = 1; i < n; i++)
        if (c->ends_s[i] <= c->ends_s[c->first])
            c->first = i;
    smpi_dates_put(dates, &c->token, c->ends_s[c->first], c->order);
}

/* SimGrid's plugin counts the energy until now when an activity of computation begins, and when one
 * or a sleep ends. It asks for the load of the host (host_load). */
static void count_energy(const crew *c)
{
    if (has_energy)
        sg_host_get_consumed_energy(c->host);
}

static void begin(void *argument)
{
    worker *w = argument;
    w->begin_s = simgrid_get_clock();
    if (w->state == SLEEPS) {
        w->before = asleep;
        asleep = w;
    } else {
        count_energy(w->crew);
        enter(w->crew, w);
    }
    note_change(w->crew);
}

static void note_end(worker *w)
{
    w->next_ended = NULL;
    *last_ended = w;
    last_ended = &w->next_ended;
}

int smpi_cores_end(sg_action *a)
{
    if (a->functions)
        return 0;
    if (a->type == SG_MAX_DURATION) {
        worker *w = SG_OBJECT(worker, token, a);
        count_energy(w->crew);
        smpi_dates_take(dates, a);
        note_end(w);
        return 1;
    }
    crew *c = SG_OBJECT(crew, token, a);
    worker *w = c->workers[c->first];
    count_energy(c);
    leave(c, c->first);
    find_first(c);
    note_end(w);
    return 1;
}

int smpi_cores_have_ended(void)
{
    return first_ended != NULL;
}

void smpi_cores_wake(void)
{
    for (worker *w = first_ended; w; w = w->next_ended) {
        if (w->state == GONE)
            continue;
        if (w->state == COMPUTES)
            note_change(w->crew);
        w->state = IDLE;
        smpi_calls_answer(w->actor);
    }
    first_ended = NULL;
    last_ended = &first_ended;
}

/* ---- new dates ---- */

static void update(crew *c, double now_s)
{
    const size_t n_old = c->n - c->n_new;
    const double done = c->rate * (now_s - c->updated_s);
    const double part = c->n ? c->all_cores / (double)c->n : 0;
    for (size_t i = 0; i < c->n; i++)
        if (c->remains[i] > 0)
            smpi_dates_subtract(&c->remains[i], i < n_old ? done : 0);
    c->rate = c->speed < part ? c->speed : part;
    if (c->n && !(c->rate > 0))
        smpi_dates_no_end();
    for (size_t i = 0; i < c->n; i++)
        c->ends_s[i] = now_s + (c->remains[i] > 0 ? c->remains[i] / c->rate : 0);
    c->n_new = 0;
    c->updated_s = now_s;
    c->order = smpi_dates_order(dates, c->n);
    find_first(c);
}

void smpi_cores_update(double now_s)
{
    for (; asleep; asleep = asleep->before)
        smpi_dates_put(dates, &asleep->token, asleep->begin_s + asleep->amount,
                       smpi_dates_order(dates, 1));
    for (crew *c = first_changed; c; c = c->next_changed) {
        c->has_changed = 0;
        update(c, now_s);
    }
    first_changed = NULL;
    last_changed = &first_changed;
}

/* ---- what ranks do ---- */

static int begin_work(int state, double amount, unsigned n_requests)
{
    worker *w = dates ? find(&workers, smpi_actor_self()) : NULL;
    if (!w || w->state != IDLE || !isfinite(amount))
        return 0;
    w->state = state;
    w->amount = amount;
    smpi_calls_pass(n_requests);
    smpi_calls_block(begin, w);
    return 1;
}

/* SimGrid makes an activity of computation by some requests before the one that begins it. */
enum { COMPUTE_REQUESTS = 2, PROBE_REQUESTS = 3 };

void smpi_cores_compute(double flops)
{
    if (!begin_work(COMPUTES, flops, COMPUTE_REQUESTS))
        smpi_execute_flops(flops);
}

void smpi_cores_probe(void)
{
    if (probe_s > 0)
        begin_work(COMPUTES, probe_s * sg_host_get_speed(sg_host_self()), PROBE_REQUESTS);
}

/* ---- what SimGrid calls ---- */

void sleep_for(double seconds) SMPI_REPLACES(SG_SLEEP_FOR);
double host_load(const void *host) SMPI_REPLACES(SG_HOST_LOAD);
void set_constraint_bound(sg_system *system, sg_constraint *c, double bound)
    SMPI_REPLACES(SG_SET_CONSTRAINT_BOUND);

void sleep_for(double seconds)
{
    static void (*theirs)(double);
    SMPI_BEHIND(theirs, SG_SLEEP_FOR);
    if (!(seconds > 0) || !begin_work(SLEEPS, fmax(seconds, smpi_dates_precision()), 0))
        theirs(seconds);
}

/* Flops per second. What has begun at this moment has no share yet. */
double host_load(const void *host)
{
    static double (*theirs)(const void *);
    const crew *c = dates ? find(&crews, host) : NULL;
    double load = 0;
    for (size_t i = 0; c && i < c->n - c->n_new; i++)
        load += c->rate;
    if (c)
        return load;
    SMPI_BEHIND(theirs, SG_HOST_LOAD);
    return theirs(host);
}

/* SimGrid begins a sleep without end when a rank waits for a message, to notice that a host fails.
 * Like other sleeps it changes the host. */
void smpi_cores_sleep(const sg_variable *v)
{
    crew *c =
        dates && v->past > v->first ? find(&crews_of_constraints, v->first->constraint) : NULL;
    if (c)
        note_change(c);
}

/* Perhaps the speed of a host has changed. */
void set_constraint_bound(sg_system *system, sg_constraint *constraint, double bound)
{
    static void (*theirs)(sg_system *, sg_constraint *, double);
    SMPI_BEHIND(theirs, SG_SET_CONSTRAINT_BOUND);
    theirs(system, constraint, bound);
    for (size_t i = 0; i < crews.room; i++) {
        crew *c = crews.entries[i].value;
        const double before = c ? c->speed : 0;
        if (!c)
            continue;
        find_speed(c);
        if (c->speed != before)
            note_change(c);
    }
}

/* The process of a rank has ended. If it still sleeps, nobody wakes up. */
void smpi_cores_forget(const void *actor)
{
    worker *w = find(&workers, actor);
    if (!w || w->state == GONE)
        return;
    crew *c = w->crew;
    size_t i = 0;
    while (w->state == COMPUTES && i < c->n && c->workers[i] != w)
        i++;
    if (w->state == COMPUTES && i < c->n) {
        leave(c, i);
        find_first(c);
        note_change(c);
    }
    w->state = GONE;
}
