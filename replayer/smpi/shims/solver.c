/* solver.c - SimGrid 3.32's max-min solver, with fewer instructions and the same results.
 *
 * Whenever an activity begins or ends, SimGrid computes the shares of all activities that are
 * connected with it by links or hosts. At 1,024 ranks that takes a third of the time of a replay.
 * The functions here make the same floating-point operations in the same order, so that all results
 * are equal to the last digit. They differ in three things:
 *   - The elements of a constraint that have no value yet are in an array, not in a list.
 *   - A link that is not shared (a loopback) needs the largest use of all elements without a value.
 *     SimGrid searches all elements for it each time. Here the search ends at the first element
 *     that is as large as the last result. Nothing larger can follow.
 *   - The search for connected constraints does not follow variables of one constraint.
 *
 * The functions below replace functions of libsimgrid, and call them: symbols are looked up in the
 * module first (replayer/module.c). inside.h has the layout of SimGrid's objects. solver_fits
 * builds a small system to check it; if it differs, SimGrid's own functions are called. */
#include "config.h"

#include "inside.h"
#include "shims.h"
#include "smpi/rank.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A constraint that is not saturated yet. */
typedef struct open_constraint {
    double remaining_over_usage;
    sg_constraint *constraint;
    struct user *users; /* without a value; those with one are removed now and then */
    size_t n, n_without_value;
} open_constraint;

/* A variable that uses a constraint. */
typedef struct user {
    sg_variable *variable;
    double use; /* the weight of the element divided by the penalty of the variable */
} user;

/* Of a variable that has none yet. */
#define NO_VALUE (-1)

static open_constraint *opened; /* SimGrid's cnst_light_tab */
static size_t n_opened, opened_room;
static user *users;
static size_t users_room;
static sg_variable **variables; /* that get a value now */
static size_t n_variables, variables_room;
static size_t *saturated, n_saturated;
static double min_usage, precision;
static int is_any_left;    /* perhaps a variable without a value, of a constraint that is used up */
static sg_list *concerned; /* actions of the variables that are solved, if they are wanted */

/* ---- what SimGrid calls ---- */

void solve_shares(sg_system *system) SMPI_REPLACES(SG_DO_SOLVE);
void solve(sg_system *system) SMPI_REPLACES(SG_SOLVE);
void mark_connected(sg_system *system, const sg_constraint *from) SMPI_REPLACES(SG_MARK_CONNECTED);

static void theirs_solve_shares(sg_system *system)
{
    static void (*theirs)(sg_system *);
    SMPI_BEHIND(theirs, SG_DO_SOLVE);
    theirs(system);
}

/* ---- the layout ---- */

static int system_fits(const sg_system *s, const sg_constraint *c, const sg_variable *v)
{
    const sg_element *e = v->first;
    return s->is_modified && s->is_selective && s->modified.n == 1 &&
           s->modified.root.next == &c->modified && c->bound == 3 && c->policy == SG_SHARED &&
           !c->light && c->enabled.n == 1 && c->enabled.root.next == &e->enabled &&
           c->enabled.root.previous == &e->enabled && e + 1 == v->past && e->constraint == c &&
           e->variable == v && e->weight == 0.5 && v->penalty == 2 && v->bound == 5 && !v->action &&
           v->value == 0 && s->variables.n == 1 && s->variables.root.next == &v->all &&
           s->modified_actions && s->modified_actions->n == 0;
}

/* Builds a system of one variable and one constraint. It is not freed: its variable belongs to no
 * action. */
static int solver_fits(void)
{
#ifdef __x86_64__
    static sg_system *(*build)(size_t length, const char *name, bool is_selective);
    static sg_constraint *(*add_constraint)(sg_system *, void *, double);
    static sg_variable *(*add_variable)(sg_system *, void *, double, double, size_t);
    static void (*expand)(sg_system *, sg_constraint *, sg_variable *, double, bool);
    const double *their_precision = dlsym(RTLD_DEFAULT, SG_MAXMIN_PRECISION);
    *(void **)&build = dlsym(RTLD_DEFAULT, SG_BUILD_SYSTEM);
    *(void **)&add_constraint = dlsym(RTLD_DEFAULT, SG_CONSTRAINT_NEW);
    *(void **)&add_variable = dlsym(RTLD_DEFAULT, SG_VARIABLE_NEW);
    *(void **)&expand = dlsym(RTLD_DEFAULT, SG_EXPAND);
    if (!their_precision || !build || !add_constraint || !add_variable || !expand)
        return 0;
    sg_system *s = build(strlen("maxmin"), "maxmin", true);
    sg_constraint *c = add_constraint(s, NULL, 3);
    sg_variable *v = add_variable(s, NULL, 2, 5, 1);
    expand(s, c, v, 0.5, false);
    precision = *their_precision;
    return system_fits(s, c, v);
#else
    return 0;
#endif
}

static int is_used; /* the functions here replace SimGrid's */

void smpi_solver_prepare(void)
{
    is_used = smpi_shim_holds(SMPI_SHIM_SOLVER) && solver_fits();
}

int smpi_solver_is_used(void)
{
    return is_used;
}

/* ---- the shares ---- */

static void *grow(void *memory, size_t *room, size_t needed, size_t size)
{
    if (needed <= *room)
        return memory;
    *room = 2 * needed;
    void *larger = realloc(memory, *room * size);
    if (!larger)
        smpi_give_up(TL_ERR_MEMORY, "out of memory in the replay");
    return larger;
}

/* Nonzero if the functions here can solve these constraints. Makes room for them. */
static int is_ordinary(const sg_list *constraints)
{
    size_t n = 0;
    for (const sg_hook *h = constraints->root.next; h != &constraints->root; h = h->next) {
        const sg_constraint *c = SG_OBJECT(sg_constraint, modified, h);
        if ((c->policy != SG_FATPIPE && c->policy != SG_SHARED) ||
            !(c->bound > c->bound * precision))
            return 0;
        n += c->enabled.n;
    }
    const size_t room = opened_room;
    opened = grow(opened, &opened_room, constraints->n, sizeof *opened);
    if (opened_room != room) {
        free(saturated);
        saturated = smpi_alloc(opened_room, sizeof *saturated);
    }
    users = grow(users, &users_room, n, sizeof *users);
    variables = grow(variables, &variables_room, n, sizeof *variables);
    return 1;
}

static void note_saturated(size_t i)
{
    const double usage = opened[i].remaining_over_usage;
    if (min_usage < 0 || min_usage > usage) {
        min_usage = usage;
        n_saturated = 0;
    } else if (min_usage != usage) {
        return;
    }
    saturated[n_saturated++] = i;
}

static void note_concerned(sg_action *a)
{
    if (concerned && !a->modified.next)
        sg_append(concerned, &a->modified);
}

/* SimGrid's list has the opposite order of the enabled elements. */
static void turn_round(user *first, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        const user u = first[i];
        first[i] = first[n - 1 - i];
        first[n - 1 - i] = u;
    }
}

static user *open_constraint_of(sg_constraint *c, user *at)
{
    user *past = at;
    c->dynamic_bound = c->remaining = c->bound;
    c->usage = 0;
    for (sg_hook *h = c->enabled.root.next; h != &c->enabled.root; h = h->next) {
        const sg_element *e = SG_OBJECT(sg_element, enabled, h);
        sg_variable *v = e->variable;
        if (!(e->weight > 0)) {
            v->value = v->value == NO_VALUE ? NO_VALUE : 0;
            continue;
        }
        const double use = e->weight / v->penalty;
        if (c->policy != SG_FATPIPE)
            c->usage += use;
        else if (c->usage < use)
            c->usage = use;
        *past++ = (user){v, use};
        if (v->value != NO_VALUE) {
            v->value = NO_VALUE;
            note_concerned(v->action);
        }
    }
    if (!(c->usage > 0))
        return at;
    const size_t n = (size_t)(past - at);
    turn_round(at, n);
    opened[n_opened] = (open_constraint){c->remaining / c->usage, c, at, n, n};
    c->light = &opened[n_opened];
    note_saturated(n_opened++);
    return past;
}

/* The variables of the saturated constraints, each one once. */
static void choose_variables(void)
{
    n_variables = 0;
    for (size_t i = 0; i < n_saturated; i++) {
        open_constraint *o = &opened[saturated[i]];
        size_t n = 0;
        for (size_t j = 0; j < o->n; j++) {
            sg_variable *v = o->users[j].variable;
            if (v->value > 0)
                continue;
            o->users[n++] = o->users[j];
            if (v->mu == 0) {
                v->mu = 1;
                variables[n_variables++] = v;
            }
        }
        o->n = n;
    }
}

/* Below 0 if no variable reaches its bound. */
static double smallest_bound(void)
{
    double min_bound = -1;
    for (size_t i = 0; i < n_variables; i++) {
        const sg_variable *v = variables[i];
        const double bound = v->bound * v->penalty;
        if (v->bound > 0 && bound < min_usage && (min_bound < 0 || bound < min_bound))
            min_bound = bound;
    }
    return min_bound;
}

/* The largest use of a constraint that is not shared, by elements without a value. It was `largest`
 * before one of them got its value. */
static double largest_use(const open_constraint *o, double largest)
{
    double found = 0;
    for (size_t i = o->n; i > 0 && found != largest; i--)
        if (!(o->users[i - 1].variable->value > 0))
            found = fmax(found, o->users[i - 1].use);
    return found;
}

static void subtract(double *from, double value, double least)
{
    *from -= value;
    if (*from < least)
        *from = 0;
}

/* The variable of this element has got its value. */
static void use_constraint(const sg_element *e)
{
    sg_constraint *c = e->constraint;
    const sg_variable *v = e->variable;
    open_constraint *o = c->light;
    const double use = e->weight / v->penalty;
    if (c->policy != SG_FATPIPE) {
        subtract(&c->remaining, e->weight * v->value, c->dynamic_bound * precision);
        subtract(&c->usage, use, precision);
    } else if (o && use == c->usage) {
        c->usage = largest_use(o, use);
    }
    if (!o)
        return;
    o->n_without_value -= e->weight > 0;
    if (c->usage > precision && c->remaining > c->dynamic_bound * precision) {
        o->remaining_over_usage = c->remaining / c->usage;
        return;
    }
    is_any_left |= o->n_without_value > 0;
    *o = opened[--n_opened];
    o->constraint->light = o;
    c->light = NULL;
}

static void give_values(double min_bound)
{
    for (size_t i = 0; i < n_variables; i++) {
        sg_variable *v = variables[i];
        v->mu = 0;
        if (min_bound < 0)
            v->value = min_usage / v->penalty;
        else if (fabs(min_bound - v->bound * v->penalty) < precision)
            v->value = v->bound;
        else
            continue;
        for (const sg_element *e = v->first; e < v->past; e++)
            use_constraint(e);
    }
}

/* 0: a constraint without variables is left over, for which SimGrid has a message. */
static int find_saturated(void)
{
    min_usage = -1;
    n_saturated = 0;
    for (size_t i = 0; i < n_opened; i++) {
        if (!opened[i].n_without_value)
            return 0;
        note_saturated(i);
    }
    return 1;
}

/* SimGrid's value of a variable whose constraints are used up by others. */
static void set_left_values(const user *past)
{
    for (const user *u = users; u < past; u++)
        if (u->variable->value == NO_VALUE)
            u->variable->value = 0;
}

/* 0: SimGrid has to do it. */
static int solve_ordinary(sg_system *system)
{
    const sg_list *constraints = &system->modified;
    if (!is_used || !system->is_selective || !is_ordinary(constraints))
        return 0;
    user *at = users;
    is_any_left = 0;
    min_usage = -1;
    n_opened = n_saturated = 0;
    for (sg_hook *h = constraints->root.next; h != &constraints->root; h = h->next)
        at = open_constraint_of(SG_OBJECT(sg_constraint, modified, h), at);
    do {
        choose_variables();
        give_values(smallest_bound());
        if (!find_saturated())
            return 0;
    } while (n_opened > 0);
    if (is_any_left)
        set_left_values(at);
    return 1;
}

void solve_shares(sg_system *system)
{
    if (!solve_ordinary(system))
        theirs_solve_shares(system);
}

/* ---- the actions with new shares ---- */

/* After solve_ordinary they are in the list already. */
static void collect_actions(sg_system *system)
{
    for (sg_hook *h = system->modified.root.next; h != &system->modified.root; h = h->next) {
        const sg_list *enabled = &SG_OBJECT(sg_constraint, modified, h)->enabled;
        for (sg_hook *i = enabled->root.next; i != &enabled->root; i = i->next)
            if (SG_OBJECT(sg_element, enabled, i)->weight > 0)
                note_concerned(SG_OBJECT(sg_element, enabled, i)->variable->action);
    }
}

static void forget_modified(sg_system *system)
{
    for (sg_hook *h = system->modified.root.next, *next; h != &system->modified.root; h = next) {
        next = h->next;
        h->next = h->previous = NULL;
    }
    system->modified.root.next = system->modified.root.previous = &system->modified.root;
    system->modified.n = 0;
    system->visits++;
}

void solve(sg_system *system)
{
    static void (*theirs)(sg_system *);
    SMPI_BEHIND(theirs, SG_SOLVE);
    static void *max_min;
    if (is_used && !max_min)
        max_min = dlsym(RTLD_DEFAULT, SG_DO_SOLVE);
    /* SimGrid handles a counter that begins again at 0. */
    if (!is_used || !system->is_selective || !system->visits ||
        system->functions[SG_DO_SOLVE_PLACE] != max_min) {
        theirs(system);
        return;
    }
    if (!system->is_modified)
        return;
    concerned = system->modified_actions;
    if (!solve_ordinary(system)) {
        theirs_solve_shares(system);
        collect_actions(system);
    }
    concerned = NULL;
    system->is_modified = false;
    forget_modified(system);
}

/* ---- constraints that are connected by variables ---- */

static void follow(sg_system *system, const sg_constraint *from)
{
    const unsigned visits = system->visits;
    for (sg_hook *h = from->enabled.root.next; h != &from->enabled.root; h = h->next) {
        sg_variable *v = SG_OBJECT(sg_element, enabled, h)->variable;
        if (v->visited == visits)
            continue;
        if (v->past - v->first > 1)
            for (sg_element *e = v->first; e < v->past && v->visited != visits; e++)
                if (e->constraint != from && !e->constraint->modified.next) {
                    sg_append(&system->modified, &e->constraint->modified);
                    follow(system, e->constraint);
                }
        v->visited = visits;
    }
}

void mark_connected(sg_system *system, const sg_constraint *from)
{
    static void (*theirs)(sg_system *, const sg_constraint *);
    if (is_used) {
        follow(system, from);
        return;
    }
    SMPI_BEHIND(theirs, SG_MARK_CONNECTED);
    theirs(system, from);
}
