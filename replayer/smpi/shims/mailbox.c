/* mailbox.c - a faster search in long mailboxes than SimGrid 3.32's.
 *
 * A mailbox is a ring buffer of the sends that wait for their receives, and of the receives that
 * wait for their sends. If a sender runs ahead, each send walks past all earlier ones in search of
 * a receive, and each receive that takes the first one moves all others by a place. The time then
 * grows with the square of the number of messages. Here the search begins behind those at the front
 * that have the wrong type, whose number is kept, and what is found is taken out on the shorter
 * side. SimGrid's matching does not change. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include "core/room.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of simgrid::kernel::activity::CommImpl. */
typedef struct comm {
    char before[232];
    int type;
} comm;

/* A boost::circular_buffer_space_optimized of pointers. */
typedef struct ring {
    comm **buffer, **limit, **first, **past;
    size_t n, least_capacity, capacity;
} ring;

/* Of simgrid::kernel::activity::MailboxImpl. */
typedef struct mailbox {
    char before[48];
    ring waiting, done;
    unsigned id;
} mailbox;

#ifdef __x86_64__
_Static_assert(offsetof(comm, type) == 232 && offsetof(mailbox, done) == 104 &&
                   offsetof(mailbox, id) == 160,
               "layout of SimGrid 3.32");
#endif

extern unsigned next_mailbox SMPI_THEIRS(SG_NEXT_MAILBOX);
void release(comm *c) SMPI_THEIRS(SG_RELEASE);

static size_t *n_alike; /* by mailbox: so many at the front have the type of the first one */
static size_t n_mailboxes;

static comm **at(const ring *q, size_t i)
{
    const size_t before_limit = (size_t)(q->limit - q->first);
    return i < before_limit ? q->first + i : q->buffer + (i - before_limit);
}

static size_t *alike_of(const mailbox *m)
{
    if (!tl_reach(&n_alike, &n_mailboxes, m->id, sizeof *n_alike))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the mailboxes");
    return &n_alike[m->id];
}

/* Whether the layout is the expected one: the searcher is of the other type. */
static int fits(const mailbox *m, const ring *q, int type, const comm *searcher)
{
    return &next_mailbox && m->id < next_mailbox && searcher && searcher->type == !type && q->n &&
           q->buffer <= q->first && q->first < q->limit && q->n <= (size_t)(q->limit - q->buffer) &&
           (q->past == at(q, q->n) || q->past == q->buffer);
}

/* So many at the front cannot match. */
static size_t count_others(const mailbox *m, const ring *q, int type)
{
    size_t *n = alike_of(m);
    const int first = (*at(q, 0))->type;
    *n = *n > q->n ? 0 : *n;
    while (*n < q->n && (*at(q, *n))->type == first)
        ++*n;
    return first == type ? 0 : *n;
}

static void take_out(ring *q, size_t i)
{
    if (i < q->n / 2) {
        for (; i > 0; i--)
            *at(q, i) = *at(q, i - 1);
        q->first = q->first + 1 == q->limit ? q->buffer : q->first + 1;
    } else {
        for (; i + 1 < q->n; i++)
            *at(q, i) = *at(q, i + 1);
        q->past = (q->past == q->buffer ? q->limit : q->past) - 1;
    }
    q->n--;
}

#ifdef __x86_64__ /* the place of a result is the first argument */
void *find_comm(comm **result, mailbox *m, int type, const void *match, void *data,
                comm *const *searcher, bool is_done, bool takes_out) SMPI_REPLACES(SG_FIND_COMM);
#endif
void remove_comm(mailbox *m, comm *const *c) SMPI_REPLACES(SG_REMOVE_COMM);

#ifdef __x86_64__
void *find_comm(comm **result, mailbox *m, int type, const void *match, void *data,
                comm *const *searcher, bool is_done, bool takes_out)
{
    static void *(*theirs)(comm **, mailbox *, int, const void *, void *, comm *const *, bool,
                           bool);
    static enum { UNDECIDED, USED, UNUSED } decision;
    SMPI_BEHIND(theirs, SG_FIND_COMM);
    ring *q = is_done ? &m->done : &m->waiting;
    if (decision == UNDECIDED && !smpi_shim_holds(SMPI_SHIM_MAILBOX))
        decision = UNUSED;
    if (decision == UNDECIDED && q->n)
        decision = fits(m, q, type, *searcher) ? USED : UNUSED;
    if (decision != USED || !q->n)
        return theirs(result, m, type, match, data, searcher, is_done, takes_out);
    size_t i = is_done ? 0 : count_others(m, q, type);
    *result = NULL;
    if (i == q->n)
        return result;
    const ring whole = *q;
    q->first = at(&whole, i);
    q->n -= i;
    theirs(result, m, type, match, data, searcher, is_done, false);
    *q = whole;
    if (!*result || !takes_out)
        return result;
    while (*at(q, i) != *result)
        i++;
    if (!is_done && i < *alike_of(m))
        --*alike_of(m);
    take_out(q, i);
    release(*result); /* the mailbox had a reference to it, and so has the result */
    return result;
}
#endif

void remove_comm(mailbox *m, comm *const *c)
{
    static void (*theirs)(mailbox *, comm *const *);
    SMPI_BEHIND(theirs, SG_REMOVE_COMM);
    if (smpi_shim_holds(SMPI_SHIM_MAILBOX))
        *alike_of(m) = 0;
    theirs(m, c);
}
