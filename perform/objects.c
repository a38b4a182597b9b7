/* objects.c - communicators and windows with the members that they had in the run.
 *
 * The trace contains what a constructor made, not its arguments. These follow from the members:
 * a colour is the first member of the group, a key the rank in it. The dimensions of a grid follow
 * from the neighbours of its ranks (find_grid). */
#include "config.h"

#include "performer.h"

#include <actions.h>
#include <stdlib.h>
#include <string.h>

static void *must(const performer *p, void *memory)
{
    if (!memory)
        perform_give_up(p, "out of memory for communicators; use fewer ranks on a host");
    return memory;
}

static int index_in(const int32_t *ranks, uint32_t n, uint32_t rank)
{
    for (uint32_t i = 0; i < n; i++)
        if (ranks[i] >= 0 && (uint32_t)ranks[i] == rank)
            return (int)i;
    return -1;
}

/* ---- topologies ---- */

static int same_members(const tl_comm *a, const tl_comm *b)
{
    return a->call == b->call && tl_tag_mark(a) == tl_tag_mark(b) && a->n_members == b->n_members &&
           memcmp(a->members, b->members, a->n_members * sizeof *a->members) == 0;
}

/* What another member says of a communicator that `rank` defines: the n-th with these members and
 * this tag. */
static const tl_comm *as_seen_by(const performer *p, uint32_t rank, const tl_comm *mine,
                                 uint32_t member)
{
    const tl_comm *own, *theirs;
    size_t n = tl_reader_comms(p->trace, rank, &own), ordinal = 0;
    for (size_t i = 0; i < n && &own[i] != mine; i++)
        ordinal += (size_t)same_members(&own[i], mine);
    n = tl_reader_comms(p->trace, (uint32_t)mine->members[member], &theirs);
    for (size_t i = 0; i < n; i++)
        if (same_members(&theirs[i], mine) && ordinal-- == 0)
            return &theirs[i];
    perform_give_up(p, "the members of communicator %u disagree about it; check the trace",
                    mine->id);
}

static uint32_t first_member(const performer *p, uint32_t comm)
{
    const tl_comm *d = p->objects[comm].definition;
    return d && d->n_members ? (uint32_t)d->members[0] : comm == TL_COMM_SELF ? p->rank : 0;
}

static int same_parent(const performer *p, uint32_t comm, uint32_t rank, const tl_comm *made)
{
    const tl_comm *d = p->objects[comm].definition, *comms;
    const size_t n = tl_reader_comms(p->trace, rank, &comms);
    if (!d)
        return made->parent == comm;
    for (size_t i = 0; i < n; i++)
        if (comms[i].id == made->parent)
            return same_members(d, &comms[i]);
    return 0;
}

/* The topology that the call at hand makes, as the first rank of the communicator sees it: this
 * rank is always in it, and another one need not be. */
static const tl_comm *seen_first(performer *p)
{
    const uint32_t comm = p->event.comm, rank = first_member(p, comm);
    uint32_t ordinal = p->objects[comm].n_topologies++;
    const tl_comm *comms;
    const size_t n = tl_reader_comms(p->trace, rank, &comms);
    for (size_t i = 0; i < n; i++)
        if ((comms[i].call == TL_MPI_Cart_create || comms[i].call == TL_MPI_Graph_create) &&
            same_parent(p, comm, rank, &comms[i]) && ordinal-- == 0)
            return &comms[i];
    perform_give_up(p, "rank %u does not define the topology; check the trace", rank);
}

static int *numbers(const performer *p, const int32_t *from, uint32_t n)
{
    int *to = must(p, malloc((n + 1) * sizeof *to));
    for (uint32_t i = 0; i < n; i++)
        to[i] = perform_peer(from[i]);
    return to;
}

/* The dimensions of a grid in which ranks are counted row by row. Each rank names its neighbours
 * by one step back and one forward in each dimension. The step forward adds the size of a row, as
 * long as it does not go round; a dimension in which no step does so has one rank. */
static void find_grid(performer *p)
{
    const uint32_t first = first_member(p, p->event.comm);
    const tl_comm *d = seen_first(p);
    perform_made *m = &p->made;
    m->n_dims = (int)d->n_destinations / 2;
    m->dims = must(p, calloc((size_t)m->n_dims + 1, sizeof *m->dims));
    m->periods = must(p, calloc((size_t)m->n_dims + 1, sizeof *m->periods));
    for (uint32_t i = 0; i < d->n_members; i++) {
        const tl_comm *seen = as_seen_by(p, first, d, i);
        for (int k = 0; k < m->n_dims && 2 * (uint32_t)k + 1 < seen->n_destinations; k++) {
            const int forward = seen->destinations[2 * (size_t)k + 1];
            if (forward > (int)i)
                m->dims[k] = forward - (int)i; /* for now: what a step adds */
            if (i == 0)
                m->periods[k] = seen->destinations[2 * (size_t)k] != TL_PROC_NULL;
        }
    }
    int n = (int)d->n_members;
    for (int k = 0; k < m->n_dims; k++) {
        const int step = m->dims[k];
        m->dims[k] = step ? n / step : 1;
        n = step ? step : n;
    }
}

/* Whether the members of a communicator differ in their k-th coordinate in the grid. */
static int differs_in(const performer *p, const tl_comm *d, MPI_Comm grid, int n_dims, int k)
{
    const tl_comm *whole = p->objects[p->event.comm].definition;
    int *coords = must(p, calloc((size_t)n_dims + 1, sizeof *coords)), first = 0, differs = 0;
    for (uint32_t i = 0; i < d->n_members && whole; i++) {
        MPI_Cart_coords(grid, index_in(whole->members, whole->n_members, (uint32_t)d->members[i]),
                        n_dims, coords);
        if (i == 0)
            first = coords[k];
        differs |= coords[k] != first;
    }
    free(coords);
    return differs;
}

/* The dimensions that remain: those in which the members differ, and as many of one rank as the
 * neighbours in the trace require. */
static void find_remaining(performer *p, const tl_comm *d)
{
    perform_made *m = &p->made;
    const MPI_Comm grid = p->objects[p->event.comm].comm;
    int n_dims, n_kept = (int)d->n_destinations / 2, at = 0;
    MPI_Cartdim_get(grid, &n_dims);
    int *dims = must(p, calloc((size_t)n_dims + 1, sizeof *dims));
    int *periods = must(p, calloc((size_t)n_dims + 1, sizeof *periods));
    m->dims = must(p, calloc((size_t)n_dims + 1, sizeof *m->dims));
    MPI_Cart_get(grid, n_dims, dims, periods, m->dims);
    for (int k = 0; k < n_dims; k++)
        n_kept -= m->dims[k] = differs_in(p, d, grid, n_dims, k);
    for (int k = 0; k < n_dims; k++) { /* n_kept: dimensions of one rank to be found */
        const int wraps =
            at < (int)d->n_destinations / 2 && d->destinations[2 * (size_t)at] != TL_PROC_NULL;
        if (!m->dims[k] && dims[k] == 1 && n_kept > 0 && !periods[k] == !wraps) {
            m->dims[k] = 1;
            n_kept--;
        }
        at += m->dims[k];
    }
    free(dims);
    free(periods);
}

static void find_graph(performer *p)
{
    const uint32_t first = first_member(p, p->event.comm);
    const tl_comm *d = seen_first(p);
    perform_made *m = &p->made;
    size_t n_edges = 0;
    m->n_nodes = (int)d->n_members;
    m->index = must(p, calloc(d->n_members + 1u, sizeof *m->index));
    for (uint32_t i = 0; i < d->n_members; i++) {
        const tl_comm *seen = as_seen_by(p, first, d, i);
        m->edges =
            must(p, realloc(m->edges, (n_edges + seen->n_destinations + 1) * sizeof *m->edges));
        for (uint32_t k = 0; k < seen->n_destinations; k++)
            m->edges[n_edges++] = seen->destinations[k];
        m->index[i] = (int)n_edges;
    }
}

static void find_neighbours(performer *p, const tl_comm *d)
{
    perform_made *m = &p->made;
    m->indegree = (int)d->n_sources;
    m->outdegree = (int)d->n_destinations;
    m->sources = numbers(p, d->sources, d->n_sources);
    m->destinations = numbers(p, d->destinations, d->n_destinations);
}

/* ---- groups ---- */

/* Those ranks of a group, which is freed. */
static MPI_Group include(MPI_Group all, int *ranks, uint32_t n)
{
    MPI_Group group;
    MPI_Group_incl(all, (int)n, ranks, &group);
    MPI_Group_free(&all);
    free(ranks);
    return group;
}

static MPI_Group group_of(const performer *p, const int32_t *ranks, uint32_t n)
{
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    return include(all, numbers(p, ranks, n), n);
}

/* The ranks that an epoch names. */
static MPI_Group partners(const performer *p)
{
    const tl_event *e = &p->event;
    MPI_Group all;
    int *list = must(p, malloc((e->list_len + 1) * sizeof *list));
    for (uint32_t i = 0; i < e->list_len; i++)
        list[i] = (int)e->list[i];
    MPI_Win_get_group(p->objects[e->comm].win, &all);
    return include(all, list, e->list_len);
}

/* A communicator from before a cut. All ranks make theirs in the order of the run. */
static void make_again(performer *p, const tl_comm *d)
{
    const tl_action made_by = tl_call_by_code(d->call)->action;
    if (made_by == TL_ACTION_WIN_CREATE || made_by == TL_ACTION_FILE_OPEN || d->n_remote)
        return;
    MPI_Group group = group_of(p, d->members, d->n_members);
    MPI_Comm_create_group(MPI_COMM_WORLD, group, 0, &p->objects[d->id].comm);
    MPI_Group_free(&group);
}

void perform_open_objects(performer *p, const unsigned char *is_made)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(p->trace, p->rank, &comms);
    p->n_objects = (n ? comms[n - 1].id : TL_COMM_SELF) + 1;
    p->objects = must(p, calloc(p->n_objects, sizeof *p->objects));
    for (uint32_t i = 0; i < p->n_objects; i++) {
        p->objects[i].comm = MPI_COMM_NULL;
        p->objects[i].win = MPI_WIN_NULL;
    }
    for (size_t i = 0; i < n; i++)
        p->objects[comms[i].id].definition = &comms[i];
    p->objects[TL_COMM_WORLD].comm = MPI_COMM_WORLD;
    p->objects[TL_COMM_SELF].comm = MPI_COMM_SELF;
    for (size_t i = 0; i < n; i++)
        if (!is_made[comms[i].id])
            make_again(p, &comms[i]);
}

/* ---- arguments ---- */

static void find_split(performer *p, const tl_comm *d)
{
    perform_made *m = &p->made;
    m->color = MPI_UNDEFINED;
    if (!d)
        return;
    m->color = d->n_members ? d->members[0] : 0;
    if (d->n_remote && d->remote[0] < m->color)
        m->color = d->remote[0];
    m->key = index_in(d->members, d->n_members, p->rank);
}

static void find_partner_group(performer *p, const tl_comm *d)
{
    const tl_comm *local = p->objects[p->event.comm].definition;
    p->made.remote_leader = d && d->n_remote ? d->remote[0] : 0;
    /* Of a merged intercommunicator: is the own group behind the other one? */
    p->made.high =
        d && local && local->n_remote && local->n_members && d->members[0] != local->members[0];
}

static int window_mode(int mode)
{
    static const int flags[][2] = {{TL_MODE_NOCHECK, MPI_MODE_NOCHECK},
                                   {TL_MODE_NOPRECEDE, MPI_MODE_NOPRECEDE},
                                   {TL_MODE_NOPUT, MPI_MODE_NOPUT},
                                   {TL_MODE_NOSTORE, MPI_MODE_NOSTORE},
                                   {TL_MODE_NOSUCCEED, MPI_MODE_NOSUCCEED}};
    int out = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        out |= mode & flags[i][0] ? flags[i][1] : 0;
    return out;
}

/* MPI_Comm_split_type and MPI_Dist_graph_create are performed by calls whose arguments are known.
 */
static uint16_t communicator(performer *p, const tl_comm *d, uint16_t call)
{
    switch (call) {
    case TL_MPI_Comm_split:
    case TL_MPI_Comm_split_type: find_split(p, d); return TL_MPI_Comm_split;
    case TL_MPI_Cart_sub: find_remaining(p, d); return call;
    case TL_MPI_Comm_create:
    case TL_MPI_Comm_create_group:
        p->made.group = d ? group_of(p, d->members, d->n_members) : MPI_GROUP_EMPTY;
        p->made.tag = d && d->has_tag ? d->tag : 0;
        return call;
    case TL_MPI_Cart_create: find_grid(p); return call;
    case TL_MPI_Graph_create: find_graph(p); return call;
    case TL_MPI_Dist_graph_create:
    case TL_MPI_Dist_graph_create_adjacent:
        find_neighbours(p, d);
        return TL_MPI_Dist_graph_create_adjacent;
    case TL_MPI_Intercomm_create:
    case TL_MPI_Intercomm_merge: find_partner_group(p, d); return call;
    default: return call;
    }
}

uint16_t perform_prepare_object(performer *p)
{
    const tl_event *e = &p->event;
    const tl_action action = tl_call_by_code(e->call)->action;
    p->made = (perform_made){.group = MPI_GROUP_NULL, .size = p->window_bytes};
    switch (action) {
    case TL_ACTION_WIN_CREATE:
        if (e->call == TL_MPI_Win_create)
            p->made.memory = must(p, calloc(1, (size_t)p->window_bytes + 1));
        return e->call;
    case TL_ACTION_WIN_POST:
    case TL_ACTION_WIN_START:
        p->made.group = partners(p);
        p->tag = window_mode(e->tag);
        return e->call;
    case TL_ACTION_WIN_FENCE:
    case TL_ACTION_WIN_LOCK:
    case TL_ACTION_WIN_LOCK_ALL: p->tag = window_mode(e->tag); return e->call;
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE:
    case TL_ACTION_INTERCOMM_CREATE:
    case TL_ACTION_INTERCOMM_MERGE:
        return communicator(p, p->objects[e->new_comm].definition, e->call);
    default: return e->call;
    }
}

void perform_keep_object(performer *p)
{
    perform_made *m = &p->made;
    if (m->group != MPI_GROUP_NULL && m->group != MPI_GROUP_EMPTY)
        MPI_Group_free(&m->group);
    if (p->event.call == TL_MPI_Win_create)
        p->objects[p->event.new_comm].memory = m->memory;
    else if (tl_call_by_code(p->event.call)->action == TL_ACTION_WIN_CREATE)
        memset(m->memory, 0, (size_t)p->window_bytes);
    free(m->dims);
    free(m->periods);
    free(m->index);
    free(m->edges);
    free(m->sources);
    free(m->destinations);
}
