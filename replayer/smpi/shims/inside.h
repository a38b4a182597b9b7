/* inside.h - objects of SimGrid 3.32's solver, as libstdc++ and Boost lay them out.
 *
 * A *system* shares resources among activities: its *constraints* are links or hosts, its
 * *variables* are the activities, and an *element* is the use of a constraint by a variable. An
 * *action* of a model has a variable, whose value is the rate of the action. dates.c and cores.c
 * check the layout on real objects before they rely on it. */
#ifndef TLR_SMPI_INSIDE_H
#define TLR_SMPI_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of Boost's intrusive lists. A hook that is in no list contains two null pointers. */
typedef struct sg_hook {
    struct sg_hook *next, *previous;
} sg_hook;

typedef struct sg_list {
    size_t n;
    sg_hook root;
} sg_list;

typedef struct sg_action sg_action;
typedef struct sg_variable sg_variable;
typedef struct sg_constraint sg_constraint;

typedef struct sg_element {
    sg_hook enabled, disabled, active;
    sg_constraint *constraint;
    sg_variable *variable;
    double weight, largest_weight;
} sg_element;

enum { SG_SHARED = 1 };

struct sg_constraint {
    sg_hook all, active_constraints, modified, saturated;
    sg_list enabled, disabled, active;
    double remaining, usage, bound, dynamic_bound;
    int concurrency, most_concurrency;
    int policy;
    int number;
    double lambda[2];
    void *light;
};

struct sg_variable {
    sg_hook all, saturated;
    sg_element *first, *past, *limit; /* a std::vector */
    double penalty, staged_penalty, bound, value;
    sg_action *action;
    int number;
    unsigned visited;
    double mu;
};

typedef struct sg_system {
    void *const *functions;
    bool is_modified;
    sg_list variables, active_constraints, saturated_variables, saturated_constraints;
    bool is_selective;
    sg_list modified; /* constraints */
    unsigned visits;
    sg_list constraints;
    void *variable_pool;
    sg_list *modified_actions;
} sg_system;

typedef struct sg_model {
    void *const *functions;
    int update_algorithm;
    sg_system *system;
    sg_list inited, started; /* actions */
    char other_sets[176 - 72];
    struct {
        size_t counter;
        void *root; /* NULL: the heap is empty */
    } heap;
} sg_model;

/* Kinds of dates in a heap. */
enum { SG_LATENCY = 100, SG_MAX_DURATION, SG_NORMAL, SG_UNSET };
enum { SG_RUNNING, SG_SUSPENDED, SG_SLEEPING };

struct sg_action {
    void *const *functions;
    int n_references;
    double penalty, max_duration, remains, start_s;
    char name_and_finish[96 - 48];
    sg_model *model;
    char others[120 - 104];
    double factor, last_update_s, last_value;
    sg_variable *variable;
    double user_bound;
    int type;
    struct { /* a boost::optional */
        bool is_set;
        uint64_t index; /* SimGrid's is a pointer */
    } place;
    sg_hook modified, same_state;
    sg_list *state;
    int suspended;
};

/* The object whose member is at this address. */
#define SG_OBJECT(type, member, address)                                                           \
    ((type *)(void *)((char *)(uintptr_t)(address)-offsetof(type, member)))

static inline sg_hook *sg_take_first(sg_list *list)
{
    sg_hook *hook = list->root.next, *second = hook->next;
    list->root.next = second;
    second->previous = &list->root;
    hook->next = hook->previous = NULL;
    list->n--;
    return hook;
}

#ifdef __x86_64__
#define SG_ASSERT_PLACE(type, member, bytes)                                                       \
    _Static_assert(offsetof(type, member) == (bytes), "layout of SimGrid 3.32")
SG_ASSERT_PLACE(sg_element, weight, 64);
_Static_assert(sizeof(sg_element) == 80, "layout of SimGrid 3.32");
SG_ASSERT_PLACE(sg_constraint, policy, 176);
SG_ASSERT_PLACE(sg_constraint, light, 200);
SG_ASSERT_PLACE(sg_variable, penalty, 56);
SG_ASSERT_PLACE(sg_variable, visited, 100);
SG_ASSERT_PLACE(sg_system, modified, 120);
SG_ASSERT_PLACE(sg_system, visits, 144);
SG_ASSERT_PLACE(sg_system, modified_actions, 184);
SG_ASSERT_PLACE(sg_model, started, 48);
SG_ASSERT_PLACE(sg_model, heap, 176);
SG_ASSERT_PLACE(sg_action, model, 96);
SG_ASSERT_PLACE(sg_action, factor, 120);
SG_ASSERT_PLACE(sg_action, variable, 144);
SG_ASSERT_PLACE(sg_action, place, 168);
SG_ASSERT_PLACE(sg_action, modified, 184);
SG_ASSERT_PLACE(sg_action, state, 216);
SG_ASSERT_PLACE(sg_action, suspended, 224);
#endif

#endif
