/* messages.c - the buffers, types and partners of a call. */
#include "config.h"

#include "performer.h"

#include <actions.h>
#include <limits.h>
#include <stdlib.h>

int perform_peer(int32_t peer)
{
    switch (peer) {
    case TL_PROC_NULL: return MPI_PROC_NULL;
    case TL_ANY_SOURCE: return MPI_ANY_SOURCE;
    case TL_ROOT: return MPI_ROOT;
    default: return peer;
    }
}

/* ---- types and operations ---- */

static MPI_Datatype predefined(int64_t bytes)
{
    switch (bytes) {
    case 1: return MPI_INT8_T;
    case 2: return MPI_INT16_T;
    case 4: return MPI_INT32_T;
    case 8: return MPI_INT64_T;
    default: return MPI_DATATYPE_NULL;
    }
}

MPI_Datatype perform_type_of(performer *p, int64_t bytes)
{
    MPI_Datatype type = predefined(bytes);
    if (type != MPI_DATATYPE_NULL)
        return type;
    for (size_t i = p->n_types; i-- > 0;)
        if (p->types[i].bytes == bytes)
            return p->types[i].type;
    perform_type *types = realloc(p->types, (p->n_types + 1) * sizeof *types);
    if (!types)
        perform_give_up(p, "out of memory for types; use fewer ranks on a host");
    p->types = types;
    MPI_Type_contiguous((int)bytes, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    types[p->n_types++] = (perform_type){bytes, type};
    return type;
}

MPI_Op perform_op_of(performer *p)
{
    if (p->event.flags & TL_NONCOMMUTATIVE)
        return p->ordered;
    return predefined(p->event.type_bytes) == MPI_DATATYPE_NULL ? p->commutative : MPI_SUM;
}

MPI_Op perform_accumulate_of(const performer *p)
{
    const tl_event *e = &p->event;
    if (!e->count)
        return MPI_NO_OP;
    return predefined(e->type_bytes) == MPI_DATATYPE_NULL ? MPI_REPLACE : MPI_SUM;
}

/* ---- requests ---- */

perform_request *perform_request_of(performer *p, uint32_t slot)
{
    if (slot >= p->n_requests) {
        size_t n = p->n_requests ? p->n_requests : 64;
        while (n <= slot)
            n *= 2;
        perform_request *more = realloc(p->requests, n * sizeof *more);
        if (!more)
            perform_give_up(p, "out of memory for requests; use fewer ranks on a host");
        for (size_t i = p->n_requests; i < n; i++)
            more[i] = (perform_request){.handle = MPI_REQUEST_NULL};
        p->requests = more;
        p->n_requests = n;
    }
    return &p->requests[slot];
}

static bool has_object(const void *performing, uint32_t comm)
{
    const performer *p = performing;
    return comm < p->n_objects && comm != TL_COMM_NULL;
}

void perform_find_source(performer *p)
{
    tl_error err;
    tl_status status = TL_OK;
    int32_t source = p->event.peer, tag = p->event.tag;
    if (!p->open)
        status = tlr_open_receives_make(p->trace, p->rank, 1, has_object, p, &p->open, &err);
    if (status == TL_OK)
        status = tlr_open_receives_next(p->open, &source, &tag, &err);
    if (status != TL_OK)
        perform_give_up(p, "%s", err.text);
    p->source = perform_peer(source);
    p->tag = tag == TL_ANY_TAG ? MPI_ANY_TAG : tag;
}

/* ---- counts and buffers ---- */

static void make_room(performer *p, perform_request *r, size_t n)
{
    if (n <= r->room)
        return;
    r->counts = realloc(r->counts, n * sizeof *r->counts);
    r->displs = realloc(r->displs, n * sizeof *r->displs);
    r->addresses = realloc(r->addresses, n * sizeof *r->addresses);
    r->types = realloc(r->types, n * sizeof *r->types);
    if (!r->counts || !r->displs || !r->addresses || !r->types)
        perform_give_up(p, "out of memory for the counts of a call; use fewer ranks on a host");
    r->room = n;
}

/* The blocks of one side follow each other. Those that an int cannot address lie at the beginning:
 * the content does not matter. */
static void place_blocks(perform_request *r, uint32_t first, uint32_t n, const int64_t *counts)
{
    int64_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        r->counts[first + i] = (int)counts[i];
        r->displs[first + i] = at <= INT_MAX ? (int)at : 0;
        r->addresses[first + i] = at;
        r->types[first + i] = MPI_BYTE;
        at += counts[i];
    }
}

/* How many values of the event's list belong to the sending side. */
static uint32_t n_sent_counts(const performer *p, const tl_meaning *m)
{
    const tl_event *e = &p->event;
    if (!tl_is_listed(m->received))
        return m->received == TL_SIZE_OWN ? 0 : e->list_len;
    if (!tl_is_listed(m->sent))
        return 0;
    const tl_comm *comm = p->objects[e->comm].definition;
    if (m->kind != TL_KIND_NEIGHBORHOOD || !comm)
        return e->list_len / 2;
    return comm->n_destinations;
}

void perform_prepare(performer *p)
{
    tl_event *e = &p->event;
    const tl_call_info *info = tl_call_by_code(e->call);
    const tl_meaning *m = tl_meaning_of(info->action);
    /* The sizes of a rank that takes no part are not in the trace, and MPI ignores them. Open MPI
     * 4.1 ends a nonblocking call without elements early, and the next one then waits forever. */
    if (tl_is_rooted(info->action) && e->peer == TL_PROC_NULL)
        e->count = e->type_bytes = e->recv_count = e->recv_type_bytes = 1;
    const int in_place = (e->flags & TL_IN_PLACE) != 0;
    p->send_argument = p->sent;
    p->receive_argument = p->received;
    if (in_place && m->in_place == TL_IN_PLACE_RECEIVED_AT_ROOT)
        p->receive_argument = MPI_IN_PLACE;
    else if (in_place)
        p->send_argument = MPI_IN_PLACE;
    p->tag = e->tag;
    if (!tl_is_collective(info->action) || !e->list_len)
        return;
    perform_request *r = perform_request_of(p, info->traits & TL_TRAIT_NB ? e->request : 0);
    make_room(p, r, e->list_len);
    const uint32_t n = n_sent_counts(p, m);
    p->n_sent_counts = (int)n;
    place_blocks(r, 0, n, e->list);
    place_blocks(r, n, e->list_len - n, e->list + n);
}
