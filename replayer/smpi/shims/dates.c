/* dates.c - when the next activity ends: SimGrid 3.32's heap of dates, and its update.
 *
 * SimGrid keeps the date at which each action ends in a heap of Boost. When shares change, it
 * computes the dates of all actions concerned anew, by several virtual functions for each. The
 * functions here make the same floating-point operations in the same order, and take actions of the
 * same date in the same order: that of their last update. The heap is an array here, in which
 * cores.c has dates, too.
 *
 * The functions below replace functions of libsimgrid, and call them: symbols are looked up in the
 * module first (replayer/module.c). inside.h has the layout of SimGrid's objects. The first action
 * that gets a date decides: if it has another layout, SimGrid's own functions are called. The
 * layout of the solver's objects is checked by a small system. */
#include "config.h"

#include "dates.h"
#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct date {
    double at_s;
    uint64_t order; /* of the last update */
    sg_action *action;
} date;

/* The heap of one model. Each entry has up to four below it. */
struct smpi_dates {
    void *root;       /* SimGrid's heap */
    uint64_t n_dated; /* so far */
    size_t n, room;
    date *dates;
};
typedef smpi_dates heap;

enum { MAX_HEAPS = 8, WIDTH = 4 };

static heap heaps[MAX_HEAPS];
static size_t n_heaps;
static enum { UNDECIDED, OURS, THEIRS } decision;
static int does_solver_fit; /* its objects have the expected layout */
static double precision, remains_precision;
static void (*update_cpu)(sg_action *, double), (*end_action)(sg_action *, int);
static size_t update_place; /* of update_remains_lazy among the virtual functions */

/* Where SimGrid's heap is empty, it has a null pointer here. */
static void **root_of(void *their_heap)
{
    return &SG_OBJECT(sg_model, heap, their_heap)->heap.root;
}

/* ---- the decision ---- */

static int system_fits(const sg_system *s, const sg_constraint *c, const sg_variable *v)
{
    const sg_element *e = v->first;
    return s->is_selective && c->bound == 3 && c->policy == SG_SHARED && e + 1 == v->past &&
           e->constraint == c && e->weight == 0.5 && v->penalty == 2 && v->bound == 5 &&
           !v->action && v->value == 0 && s->modified_actions && s->modified_actions->n == 0;
}

/* Builds a system of one variable and one constraint. It is not freed: its variable belongs to no
 * action. */
void smpi_dates_prepare(void)
{
#ifdef __x86_64__
    static sg_system *(*build)(size_t length, const char *name, bool is_selective);
    static sg_constraint *(*add_constraint)(sg_system *, void *, double);
    static sg_variable *(*add_variable)(sg_system *, void *, double, double, size_t);
    static void (*expand)(sg_system *, sg_constraint *, sg_variable *, double, bool);
    if (!smpi_shim_holds(SMPI_SHIM_DATES))
        return;
    *(void **)&build = dlsym(RTLD_DEFAULT, SG_BUILD_SYSTEM);
    *(void **)&add_constraint = dlsym(RTLD_DEFAULT, SG_CONSTRAINT_NEW);
    *(void **)&add_variable = dlsym(RTLD_DEFAULT, SG_VARIABLE_NEW);
    *(void **)&expand = dlsym(RTLD_DEFAULT, SG_EXPAND);
    sg_system *s = build(strlen("maxmin"), "maxmin", true);
    sg_constraint *c = add_constraint(s, NULL, 3);
    sg_variable *v = add_variable(s, NULL, 2, 5, 1);
    expand(s, c, v, 0.5, false);
    does_solver_fit = system_fits(s, c, v);
#endif
}

/* The place of CpuAction::update_remains_lazy in the table of its class. */
static int find_update_place(void)
{
    void *const *functions = dlsym(RTLD_DEFAULT, SG_CPU_ACTION_TABLE);
    *(void **)&update_cpu = dlsym(RTLD_DEFAULT, SG_CPU_UPDATE);
    *(void **)&end_action = dlsym(RTLD_DEFAULT, SG_ACTION_FINISH);
    enum { FIRST = 2, N_FUNCTIONS = 16 };
    for (size_t i = FIRST; functions && i < FIRST + N_FUNCTIONS; i++)
        if (functions[i] == *(void **)&update_cpu) {
            update_place = i - FIRST;
            return 1;
        }
    return 0;
}

static int fits(void *their_heap, const sg_action *a)
{
#ifdef __x86_64__
    const double *date_precision = dlsym(RTLD_DEFAULT, SG_SURF_PRECISION);
    const double *share_precision = dlsym(RTLD_DEFAULT, SG_MAXMIN_PRECISION);
    const sg_model *m = SG_OBJECT(sg_model, heap, their_heap);
    if (!does_solver_fit || !date_precision || !share_precision || !find_update_place())
        return 0;
    precision = *date_precision;
    remains_precision = *share_precision * *date_precision;
    return a->model == m && !m->heap.root && !a->place.is_set && a->state == &m->started &&
           m->started.n > 0 && (!a->variable || a->variable->action == a) && a->suspended >= 0 &&
           a->suspended <= SG_SLEEPING;
#else
    (void)their_heap, (void)a;
    return 0;
#endif
}

static int is_ours(void *their_heap, const sg_action *a)
{
    if (decision == UNDECIDED)
        decision = fits(their_heap, a) ? OURS : THEIRS;
    return decision == OURS;
}

/* ---- the heap ---- */

static heap *find_heap(const void *their_heap)
{
    for (size_t i = 0; i < n_heaps; i++)
        if (heaps[i].root == their_heap)
            return &heaps[i];
    return NULL;
}

static heap *heap_of(void *their_heap)
{
    heap *known = find_heap(their_heap);
    if (known)
        return known;
    if (n_heaps == MAX_HEAPS)
        smpi_give_up(TL_ERR_SYSTEM, "SimGrid has more than %d models", MAX_HEAPS);
    heaps[n_heaps].root = their_heap;
    return &heaps[n_heaps++];
}

static int is_before(const date *a, const date *b)
{
    return a->at_s < b->at_s || (a->at_s == b->at_s && a->order < b->order);
}

static void put(heap *h, size_t i, const date *d)
{
    h->dates[i] = *d;
    d->action->place.index = i;
}

static size_t rise(heap *h, size_t i, const date *d)
{
    for (; i > 0 && is_before(d, &h->dates[(i - 1) / WIDTH]); i = (i - 1) / WIDTH)
        put(h, i, &h->dates[(i - 1) / WIDTH]);
    return i;
}

static size_t sink(heap *h, size_t i, const date *d)
{
    for (size_t first; (first = WIDTH * i + 1) < h->n;) {
        const size_t past = first + WIDTH < h->n ? first + WIDTH : h->n;
        size_t least = first;
        for (size_t j = first + 1; j < past; j++)
            if (is_before(&h->dates[j], &h->dates[least]))
                least = j;
        if (!is_before(&h->dates[least], d))
            break;
        put(h, i, &h->dates[least]);
        i = least;
    }
    return i;
}

/* Puts the date in the place of the one at i. */
static void replace(heap *h, size_t i, const date *d)
{
    const size_t higher = rise(h, i, d);
    put(h, higher < i ? higher : sink(h, i, d), d);
}

void smpi_dates_put(smpi_dates *h, sg_action *a, double at_s, uint64_t order)
{
    const date d = {at_s, order, a};
    if (a->place.is_set) {
        replace(h, a->place.index, &d);
        return;
    }
    if (h->n == h->room) {
        h->room = h->room ? 2 * h->room : 1024;
        h->dates = realloc(h->dates, h->room * sizeof *h->dates);
        if (!h->dates)
            smpi_give_up(TL_ERR_MEMORY, "out of memory in the replay");
    }
    a->place.is_set = true;
    put(h, rise(h, h->n++, &d), &d);
    *root_of(h->root) = h;
}

static void remove_at(heap *h, size_t i)
{
    const date last = h->dates[--h->n];
    h->dates[i].action->place.is_set = false;
    if (i < h->n)
        replace(h, i, &last);
    if (!h->n)
        *root_of(h->root) = NULL;
}

static void set_date(heap *h, sg_action *a, double at_s, int type)
{
    a->type = type;
    smpi_cores_learn(h, a);
    smpi_dates_put(h, a, at_s, h->n_dated++);
}

void smpi_dates_take(smpi_dates *h, sg_action *a)
{
    if (a->place.is_set)
        remove_at(h, a->place.index);
}

uint64_t smpi_dates_order(smpi_dates *h, size_t n)
{
    h->n_dated += n;
    return h->n_dated - n;
}

double smpi_dates_precision(void)
{
    return precision;
}

/* ---- what SimGrid calls ---- */

double top_date(void *their_heap) SMPI_REPLACES(SG_HEAP_TOP);
void insert_date(void *their_heap, sg_action *a, double at_s, int type)
    SMPI_REPLACES(SG_HEAP_INSERT);
void update_date(void *their_heap, sg_action *a, double at_s, int type)
    SMPI_REPLACES(SG_HEAP_UPDATE);
void remove_date(void *their_heap, sg_action *a) SMPI_REPLACES(SG_HEAP_REMOVE);
sg_action *pop_date(void *their_heap) SMPI_REPLACES(SG_HEAP_POP);
double next_event(sg_model *m, double now_s) SMPI_REPLACES(SG_NEXT_EVENT);
void end_computation(sg_model *m, double now_s, double took_s) SMPI_REPLACES(SG_CPU_END);
sg_action *next_ended(sg_model *m) SMPI_REPLACES(SG_NEXT_ENDED);

double top_date(void *their_heap)
{
    static double (*theirs)(void *);
    if (decision == OURS)
        return heap_of(their_heap)->dates[0].at_s;
    SMPI_BEHIND(theirs, SG_HEAP_TOP);
    return theirs(their_heap);
}

void insert_date(void *their_heap, sg_action *a, double at_s, int type)
{
    static void (*theirs)(void *, sg_action *, double, int);
    SMPI_BEHIND(theirs, SG_HEAP_INSERT);
    if (is_ours(their_heap, a))
        set_date(heap_of(their_heap), a, at_s, type);
    else
        theirs(their_heap, a, at_s, type);
}

void update_date(void *their_heap, sg_action *a, double at_s, int type)
{
    static void (*theirs)(void *, sg_action *, double, int);
    SMPI_BEHIND(theirs, SG_HEAP_UPDATE);
    if (is_ours(their_heap, a))
        set_date(heap_of(their_heap), a, at_s, type);
    else
        theirs(their_heap, a, at_s, type);
}

void remove_date(void *their_heap, sg_action *a)
{
    static void (*theirs)(void *, sg_action *);
    if (decision == OURS) {
        a->type = SG_UNSET;
        smpi_dates_take(heap_of(their_heap), a);
        return;
    }
    SMPI_BEHIND(theirs, SG_HEAP_REMOVE);
    theirs(their_heap, a);
}

sg_action *pop_date(void *their_heap)
{
    static sg_action *(*theirs)(void *);
    if (decision == OURS) {
        heap *h = heap_of(their_heap);
        sg_action *a = h->dates[0].action;
        remove_at(h, 0);
        return a;
    }
    SMPI_BEHIND(theirs, SG_HEAP_POP);
    return theirs(their_heap);
}

/* ---- new dates ---- */

enum { UPDATED_BY_CPU, UPDATED_BY_NETWORK, UPDATED_OTHERWISE };

/* The kind of an action, by the table of its class. The class of network actions is hidden; its
 * name is in the table. */
static int kind_of(const sg_action *a)
{
    static void *const *known[2];
    if (a->functions == known[UPDATED_BY_CPU])
        return UPDATED_BY_CPU;
    if (a->functions == known[UPDATED_BY_NETWORK])
        return UPDATED_BY_NETWORK;
    const char *const *type = a->functions[-1];
    if (a->functions[update_place] == *(void **)&update_cpu)
        known[UPDATED_BY_CPU] = a->functions;
    else if (!strcmp(type[1], SG_NETWORK_ACTION_NAME))
        known[UPDATED_BY_NETWORK] = a->functions;
    else
        return UPDATED_OTHERWISE;
    return kind_of(a);
}

static void subtract(double *from, double value, double least)
{
    *from -= value;
    if (*from < least)
        *from = 0;
}

void smpi_dates_subtract(double *remains, double done)
{
    subtract(remains, done, remains_precision);
}

static double rate_of(const sg_action *a)
{
    return a->variable ? a->variable->value * a->factor : 0;
}

static int is_over(const sg_action *a)
{
    return (a->remains <= 0 && a->variable->penalty > 0) ||
           (a->max_duration != -1 && a->max_duration <= 0);
}

enum { FINISHED = 3 };

static void end(heap *h, sg_action *a)
{
    end_action(a, FINISHED);
    a->type = SG_UNSET;
    smpi_dates_take(h, a);
}

/* Updates what remains of the action. */
static void update_remains(heap *h, sg_action *a, int kind, double now_s)
{
    if (kind == UPDATED_OTHERWISE) {
        void (*update)(sg_action *, double);
        *(void **)&update = a->functions[update_place];
        update(a, now_s);
        return;
    }
    if (kind == UPDATED_BY_NETWORK && a->suspended != SG_RUNNING)
        return;
    const double took_s = now_s - a->last_update_s;
    if (a->remains > 0)
        smpi_dates_subtract(&a->remains, a->last_value * took_s);
    if (kind == UPDATED_BY_NETWORK) {
        if (a->max_duration != -1)
            subtract(&a->max_duration, took_s, precision);
        if (is_over(a))
            end(h, a);
    }
    a->last_update_s = now_s;
    a->last_value = rate_of(a);
}

void smpi_dates_no_end(void)
{
    smpi_give_up(TL_ERR_SYSTEM, "SimGrid has an activity without end: its link or its host has no "
                                "bandwidth or no speed; change the platform");
}

static void find_date(heap *h, sg_action *a, double now_s)
{
    double at_s = -1;
    int type = SG_NORMAL;
    const int kind = kind_of(a);
    update_remains(h, a, kind, now_s);
    const double rate = rate_of(a);
    /* SimGrid asks again what remains. For an action that goes on, the second update changes
     * nothing. */
    if (rate > 0 && (kind == UPDATED_OTHERWISE || a->state != &a->model->started))
        update_remains(h, a, kind, now_s);
    if (rate > 0)
        at_s = now_s + (a->remains > 0 ? a->remains / rate : 0);
    if (a->max_duration != -1 && (at_s <= -1 || a->start_s + a->max_duration < at_s)) {
        at_s = a->start_s + a->max_duration;
        type = SG_MAX_DURATION;
    }
    if (!(at_s > -1))
        smpi_dates_no_end();
    set_date(h, a, at_s, type);
}

double next_event(sg_model *m, double now_s)
{
    static double (*theirs)(sg_model *, double);
    static void (*solve)(sg_system *);
    SMPI_BEHIND(theirs, SG_NEXT_EVENT);
    if (decision != OURS)
        return theirs(m, now_s);
    if (!solve)
        *(void **)&solve = dlsym(RTLD_DEFAULT, SG_SOLVE);
    solve(m->system);
    heap *h = heap_of(&m->heap);
    sg_list *changed = m->system->modified_actions;
    for (size_t n = changed->n; n > 0; n--) {
        sg_action *a = SG_OBJECT(sg_action, modified, sg_take_first(changed));
        if (a->state == &m->started && a->penalty > 0 && a->type != SG_LATENCY)
            find_date(h, a, now_s);
    }
    if (smpi_cores_use(h))
        smpi_cores_update(now_s);
    return h->n ? h->dates[0].at_s - now_s : -1;
}

/* Ends what computes or sleeps until now. */
void end_computation(sg_model *m, double now_s, double took_s)
{
    static void (*theirs)(sg_model *, double, double);
    SMPI_BEHIND(theirs, SG_CPU_END);
    heap *h = find_heap(&m->heap);
    if (!smpi_cores_use(h)) {
        theirs(m, now_s, took_s);
        return;
    }
    while (h->n && fabs(h->dates[0].at_s - now_s) < precision) {
        sg_action *a = h->dates[0].action;
        if (smpi_cores_end(a))
            continue;
        remove_at(h, 0);
        end_action(a, FINISHED);
    }
}

/* SimGrid goes through the models, and asks each one for the actions that have ended. */
sg_action *next_ended(sg_model *m)
{
    static sg_action *(*theirs)(sg_model *);
    SMPI_BEHIND(theirs, SG_NEXT_ENDED);
    if (smpi_cores_have_ended() && smpi_cores_use(find_heap(&m->heap)))
        smpi_cores_wake();
    return theirs(m);
}
