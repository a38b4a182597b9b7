/* call.h - from the arguments of an MPI call to its event, for the wrappers made from the rows.
 *
 * A wrapper stores its arguments by kind in a call_args and says with `has` (a constant) which
 * kinds its row names; everything here is inlined, so that each wrapper keeps only its own part.
 */
#ifndef TLT_CALL_H
#define TLT_CALL_H

#include "actions.h"
#include "comms.h"
#include "pmpi.h"
#include "requests.h"
#include "runtime.h"
#include "types.h"

#include <stdbool.h>

#define TLT_INLINE static inline __attribute__((always_inline))

enum {
    HAS_SBUF = 1 << 0,
    HAS_RBUF = 1 << 1,
    HAS_COUNT = 1 << 2,
    HAS_TYPE = 1 << 3,
    HAS_RCOUNT = 1 << 4,
    HAS_RTYPE = 1 << 5,
    HAS_COUNTS = 1 << 6,
    HAS_RCOUNTS = 1 << 7,
    HAS_TYPES = 1 << 8,
    HAS_RTYPES = 1 << 9,
    HAS_PEER = 1 << 10,
    HAS_TAG = 1 << 11,
    HAS_OP = 1 << 12,
    HAS_REQ = 1 << 13,
    HAS_NEWCOMM = 1 << 14,
    HAS_NEWWIN = 1 << 15,
    HAS_NEWFILE = 1 << 16,
    HAS_LOCK = 1 << 17,
    HAS_GROUP = 1 << 18,
    HAS_RMAOP = 1 << 19,
    HAS_MODE = 1 << 20,
    HAS_LARGE = 1 << 21, /* counts and rcounts point to MPI_Count */
    HAS_NEWTAG = 1 << 22,
    HAS_ELEMENT = HAS_COUNT | HAS_TYPE | HAS_RCOUNT | HAS_RTYPE
};

typedef struct call_args {
    const void *sbuf, *rbuf;
    MPI_Offset count, rcount;
    MPI_Datatype type, rtype;
    const void *counts, *rcounts; /* of int, or of MPI_Count: HAS_LARGE */
    const MPI_Datatype *types, *rtypes;
    int peer, tag, lock;
    MPI_Op op;
    MPI_Group group;
    const void *on; /* communicator, window or file */
    const MPI_Request *request;
    const void *made; /* where the handle of a new one is put */
    const char *name;
} call_args;

TLT_INLINE int32_t tlt_peer(int rank)
{
    switch (rank) {
    case MPI_PROC_NULL: return TL_PROC_NULL;
    case MPI_ANY_SOURCE: return TL_ANY_SOURCE;
    case MPI_ROOT: return TL_ROOT;
    default: return rank;
    }
}

TLT_INLINE int32_t tlt_tag(int tag)
{
    return tag == MPI_ANY_TAG ? TL_ANY_TAG : tag;
}

/* The role of this rank in a call of which `peer` is the root. */
TLT_INLINE tl_role role_of(const tlt_comm *c, int peer)
{
    return TLT_UNLIKELY(c->is_inter) ? tl_role_between(tlt_peer(peer))
                                     : tl_role_within(peer, c->rank);
}

/* How many ranks the lists of counts are for. */
TLT_INLINE int n_receivers(const tl_meaning *m, const tlt_comm *c)
{
    return m->kind == TL_KIND_NEIGHBORHOOD ? c->n_destinations : c->n_peers;
}

TLT_INLINE int n_senders(const tl_meaning *m, const tlt_comm *c)
{
    if (m->kind == TL_KIND_NEIGHBORHOOD)
        return c->n_sources;
    return m->received == TL_SIZE_OWN ? c->size : c->n_peers;
}

TLT_INLINE int64_t count_at(const void *counts, unsigned has, int i)
{
    return has & HAS_LARGE ? (int64_t)((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

/* Calls with MPI_IN_PLACE read as if the other side's arguments had been given, so that nobody
 * after the tracer needs to know the rule of each call. */
TLT_INLINE void fill_in_place(call_args *a, unsigned has, const tlt_comm *c)
{
    if ((has & HAS_SBUF) && a->sbuf == MPI_IN_PLACE) {
        if (has & HAS_RCOUNT)
            a->count = a->rcount;
        if ((has & HAS_RCOUNTS) && (has & HAS_COUNT))
            a->count = count_at(a->rcounts, has, c->rank);
        if (has & HAS_RTYPE)
            a->type = a->rtype;
        if (has & HAS_COUNTS)
            a->counts = a->rcounts;
        if (has & HAS_TYPES)
            a->types = a->rtypes;
    }
    if ((has & HAS_RBUF) && a->rbuf == MPI_IN_PLACE) {
        if ((has & HAS_RCOUNT) && (has & HAS_COUNT))
            a->rcount = a->count;
        if ((has & HAS_RCOUNT) && (has & HAS_COUNTS))
            a->rcount = count_at(a->counts, has, c->rank);
        if (has & HAS_RTYPE)
            a->rtype = a->type;
    }
}

/* Appends one value per rank to the event's list: elements, or bytes where each rank has its type.
 */
TLT_INLINE void append_counts(tl_event *e, const void *counts, unsigned has,
                              const MPI_Datatype *types, int size)
{
    if (!tlt_reserve_list(e->list_len + (size_t)size))
        return;
    int64_t *list = tlt_self.list + e->list_len;
    for (int i = 0; i < size; i++) {
        const int64_t count = count_at(counts, has, i);
        list[i] = types && count ? count * tlt_type_bytes(types[i]) : count;
    }
    e->list = tlt_self.list;
    e->list_len += (uint32_t)size;
}

/* Fills what is known before the call.  Calls on a communicator that is not recorded keep comm =
 * TL_COMM_NULL and no other slot. */
TLT_INLINE void describe(tl_event *e, call_args *a, unsigned has, tl_action action)
{
    const tlt_comm *c = tlt_comm_find(a->on);
    if (!c)
        return;
    e->comm = c->id;
    const tl_meaning *m = tl_meaning_of(action);
    const tl_role role = role_of(c, a->peer);
    const bool sends = tl_fills_sent(m, c->is_inter, role);
    const bool receives = tl_fills_received(m, c->is_inter, role);

    if (((has & HAS_SBUF) && a->sbuf == MPI_IN_PLACE) ||
        ((has & HAS_RBUF) && a->rbuf == MPI_IN_PLACE)) {
        e->flags |= TL_IN_PLACE;
        fill_in_place(a, has, c);
    }
    if (has & HAS_PEER)
        e->peer = tlt_peer(a->peer);
    if (has & HAS_TAG)
        e->tag = tlt_tag(a->tag);
    if (has & HAS_MODE)
        e->tag = tlt_mode(a->tag);
    if ((has & HAS_COUNT) && sends)
        e->count = a->count;
    if ((has & HAS_TYPE) && sends)
        e->type_bytes = tlt_type_bytes(a->type);
    if ((has & HAS_RCOUNT) && receives)
        e->recv_count = a->rcount;
    if ((has & HAS_RTYPE) && receives)
        e->recv_type_bytes = tlt_type_bytes(a->rtype);
    if ((has & HAS_COUNTS) && sends)
        append_counts(e, a->counts, has, (has & HAS_TYPES) ? a->types : NULL, n_receivers(m, c));
    if ((has & HAS_RCOUNTS) && receives)
        append_counts(e, a->rcounts, has, (has & HAS_RTYPES) ? a->rtypes : NULL, n_senders(m, c));
    if (has & HAS_OP) {
        int commutative = 1;
        tlt_pmpi.Op_commutative(a->op, &commutative);
        if (!commutative)
            e->flags |= TL_NONCOMMUTATIVE;
    }
    if ((has & HAS_RMAOP) && a->op == tlt_pmpi.no_op)
        e->count = 0;
    if ((has & HAS_LOCK) && a->lock == MPI_LOCK_EXCLUSIVE)
        e->flags |= TL_EXCLUSIVE;
    if (has & HAS_GROUP)
        tlt_list_group(e, a->group, TLT_WIN(a->on));
}

/* Where the application has the i-th request of this array: for Fortran, not in the binding's copy.
 */
static inline const void *tlt_variable(const MPI_Request requests[], int i)
{
    const int32_t *integers = tlt_binding.requests;
    return integers ? (const void *)&integers[i] : (const void *)&requests[i];
}

/* The id of the request just stored in *request; 0 for MPI_REQUEST_NULL. */
static inline uint32_t tlt_request_made(const MPI_Request *request, uint32_t flags)
{
    return *request == tlt_pmpi.request_null
               ? 0
               : tlt_request_add(TLT_HANDLE(*request), tlt_variable(request, 0), flags);
}

TLT_INLINE uint32_t request_flags(const tl_event *e, tl_action action, unsigned traits)
{
    uint32_t flags = (traits & TL_TRAIT_PERSISTENT) ? TLT_PERSISTENT : TLT_ACTIVE;
    if ((action == TL_ACTION_IRECV || action == TL_ACTION_RECV_INIT) && e->peer != TL_PROC_NULL &&
        (e->peer == TL_ANY_SOURCE || e->tag == TL_ANY_TAG))
        flags |= TLT_WILDCARD;
    return flags;
}

/* What others may write of a call that is under way: nothing on a communicator that is not
 * recorded. */
#define BEGUN(event) ((event)->comm != TL_COMM_NULL ? (event) : NULL)

/* Fills what is known after the call, and writes the event.  A call that failed did not take place:
 * what was computed before it goes to the next event. */
/* Whether a call did what its event says: a receive takes a message that is too long for it, too.
 * After any other error it did nothing. */
TLT_INLINE bool took_part(int result)
{
    return TLT_LIKELY(result == MPI_SUCCESS) || tlt_error_class(result) == TLT_ERR_TRUNCATE;
}

/* After the event of a call that returned this: the error's class. */
static inline void put_error(int result)
{
    if (TLT_LIKELY(result == MPI_SUCCESS))
        return;
    tl_event event = {.call = TL_MPI_Error, .tag = tlt_error_class(result)};
    tlt_put(&event);
}

TLT_INLINE void conclude(tl_event *e, const call_args *a, unsigned has, tl_action action,
                         unsigned traits, int result)
{
    enum { makes = HAS_REQ | HAS_NEWCOMM | HAS_NEWWIN | HAS_NEWFILE };
    if (has & makes ? result == MPI_SUCCESS : took_part(result)) {
        if ((has & HAS_REQ) && e->comm != TL_COMM_NULL)
            e->request = tlt_request_made(a->request, request_flags(e, action, traits));
        if (has & HAS_NEWCOMM)
            e->new_comm =
                tlt_comm_define(*(const MPI_Comm *)a->made,
                                traits & TL_TRAIT_NB ? TLT_COMM(a->on) : *(const MPI_Comm *)a->made,
                                e->comm, e->call, has & HAS_NEWTAG ? &a->tag : NULL);
        if (has & HAS_NEWWIN)
            e->new_comm = tlt_win_define(*(const MPI_Win *)a->made, e->comm, e->call);
        if (has & HAS_NEWFILE)
            e->new_comm = tlt_file_define(*(const MPI_File *)a->made, e->comm, e->call, a->name);
        if (traits & TL_TRAIT_MARK)
            e->clock_ns = tlt_clock_ns();
        tlt_put(e);
        put_error(result);
    }
    tlt_leave();
}

/* The library's function, or its twin with large counts; `large` is a constant. */
#define CALL(name, large, ...)                                                                     \
    ((large) ? tlt_pmpi.name##_c(__VA_ARGS__) : tlt_pmpi.name(__VA_ARGS__))

/* The same for an extension. */
#define EXTENSION_CALL(name, large, ...)                                                           \
    ((large) ? tlt_pmpi.name##_c(__VA_ARGS__) : tlt_pmpi.X##name(__VA_ARGS__))

/* The wrappers of a function and of its twin: both call `body`. */
#define TWINS(name, body, parameters, large_parameters, ...)                                       \
    int TLT_WRAPPER(name) parameters                                                               \
    {                                                                                              \
        return body(false, __VA_ARGS__);                                                           \
    }                                                                                              \
    int TLT_WRAPPER(name##_c) large_parameters                                                     \
    {                                                                                              \
        return body(true, __VA_ARGS__);                                                            \
    }

/* A wildcard's outcome is read from a status, ours if the application wants none. */
#define STATUS_OR_OWN(status) ((status) == MPI_STATUS_IGNORE ? &own_status : (status))

/* A probe that found a message, which its status describes.  Returns the event. */
static inline tl_event put_probe(uint16_t call, uint32_t site, int source, int tag, MPI_Comm comm,
                                 const MPI_Status *status)
{
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
    tl_event event;
    tlt_event_init(&event, call, site);
    if (c) {
        event.comm = c->id;
        event.peer = tlt_peer(source == MPI_ANY_SOURCE ? status->MPI_SOURCE : source);
        event.tag = tlt_tag(tag == MPI_ANY_TAG ? status->MPI_TAG : tag);
    }
    tlt_put(&event);
    return event;
}

/* The rest of a wrapper, behind tlt_enter. `call` is of the library; `is_poll`: it found nothing;
 * `put` writes the event; `error`: the one to record; MPI_SUCCESS: the event is written only
 * without an error. */
#define FINISH(call, is_poll, is_event, put, error)                                                \
    int result = TLT_OUTSIDE(NULL, call);                                                          \
    if (result == MPI_SUCCESS && (is_poll)) {                                                      \
        tlt_leave_poll();                                                                          \
        return result;                                                                             \
    }                                                                                              \
    if (is_event) {                                                                                \
        put;                                                                                       \
        put_error(error);                                                                          \
    }                                                                                              \
    tlt_leave();                                                                                   \
    return result;

#endif
