/* exchange.c - what SMPI 3.32 does not have, made of messages between two ranks each:
 * neighbourhood collectives, collectives of intercommunicators, persistent collectives.
 *
 * All receives are posted, then all sends, and the call, or the wait for its request, completes
 * them.  In an intercommunicator each rank sends what the other group's ranks need to each of them:
 * no group combines or distributes data among its own ranks.  The messages travel on a twin of the
 * communicator, where no receive of the trace can take them. */
#include "config.h"

#include "rank.h"

#include <stdlib.h>
#include <string.h>

/* ---- bundles ---- */

smpi_bundle *smpi_open_bundle(smpi_rank *r, int64_t id)
{
    smpi_request(r, id); /* makes room */
    if (!r->bundles[id])
        r->bundles[id] = smpi_alloc(1, sizeof *r->bundles[id]);
    return r->bundles[id];
}

MPI_Request *smpi_add_request(smpi_bundle *bundle)
{
    if (bundle->n == bundle->room) {
        bundle->room = bundle->room ? 2 * bundle->room : 8;
        bundle->items = realloc(bundle->items, (size_t)bundle->room * sizeof *bundle->items);
        if (!bundle->items)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
    }
    return &bundle->items[bundle->n++];
}

void smpi_close_bundle(smpi_rank *r, int64_t id)
{
    smpi_bundle *bundle = r->bundles[id];
    if (!bundle)
        return;
    free(bundle->items);
    free(bundle->list);
    free(bundle);
    r->bundles[id] = NULL;
}

int smpi_finish_bundle(smpi_rank *r, int64_t id)
{
    smpi_bundle *bundle = r->bundles[id];
    int rc = MPI_Waitall(bundle->n, bundle->items, MPI_STATUSES_IGNORE);
    bundle->n = 0;
    if (bundle->done) {
        sg_sem_acquire(bundle->done);
        sg_sem_destroy(bundle->done);
        bundle->done = NULL;
    }
    if (!bundle->info)
        smpi_close_bundle(r, id);
    return rc == MPI_ERR_TRUNCATE ? MPI_SUCCESS : rc;
}

/* ---- the exchange ---- */

/* Messages of one call, on their way. */
typedef struct exchange {
    smpi_rank *r;
    MPI_Comm comm; /* the twin */
    uint32_t offset;
    smpi_bundle *bundle;
    int rc;
} exchange;

static void receive(exchange *x, int32_t from, int64_t count, int64_t type_bytes)
{
    MPI_Datatype type;
    const int n = smpi_message_count(x->r, count, type_bytes, &type);
    if (from >= 0 && x->rc == MPI_SUCCESS)
        x->rc = MPI_Irecv(replay.recv_buffer, n, type, (int)x->offset + from, 0, x->comm,
                          smpi_add_request(x->bundle));
}

static void deliver(exchange *x, int32_t to, int64_t count, int64_t type_bytes)
{
    MPI_Datatype type;
    const int n = smpi_message_count(x->r, count, type_bytes, &type);
    if (to >= 0 && x->rc == MPI_SUCCESS)
        x->rc = MPI_Isend(replay.send_buffer, n, type, (int)x->offset + to, 0, x->comm,
                          smpi_add_request(x->bundle));
}

static exchange begin(smpi_rank *r)
{
    const tl_event *e = &r->event;
    return (exchange){.r = r,
                      .comm = r->twins[e->comm],
                      .offset = r->peer_offset[e->comm],
                      .bundle = smpi_open_bundle(r, r->entering ? r->entering : e->request),
                      .rc = MPI_SUCCESS};
}

/* A blocking call has request 0, whose bundle nobody else uses. */
static int end(exchange *x)
{
    if (x->rc == MPI_SUCCESS && !(x->r->info->traits & TL_TRAIT_NB) && !x->r->entering)
        return smpi_finish_bundle(x->r, 0);
    return x->rc;
}

static void need_counts(const smpi_rank *r, size_t n)
{
    if (r->event.list_len != n)
        smpi_give_up_at(r, TL_ERR_CORRUPT, "%u counts for %zu ranks", r->event.list_len, n);
}

/* ---- neighbourhoods ---- */

static int neighbor_exchange(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_comm *topology = r->job->plan->ranks[r->rank]->definitions[e->comm];
    const uint32_t n_from = topology->n_sources, n_to = topology->n_destinations;
    exchange x = begin(r);
    int to_varies = 0, from_varies = 0, in_bytes = 0;
    switch (r->info->action) {
    case TL_ACTION_NEIGHBOR_ALLGATHERV:
    case TL_ACTION_INEIGHBOR_ALLGATHERV: from_varies = 1; break;
    case TL_ACTION_NEIGHBOR_ALLTOALLV:
    case TL_ACTION_INEIGHBOR_ALLTOALLV: to_varies = from_varies = 1; break;
    case TL_ACTION_NEIGHBOR_ALLTOALLW:
    case TL_ACTION_INEIGHBOR_ALLTOALLW: to_varies = from_varies = in_bytes = 1; break;
    default: break;
    }
    const uint32_t first_from = to_varies ? n_to : 0;
    if (from_varies)
        need_counts(r, (size_t)first_from + n_from);
    for (uint32_t i = 0; i < n_from; i++)
        receive(&x, topology->sources[i], from_varies ? e->list[first_from + i] : e->recv_count,
                in_bytes ? 1 : e->recv_type_bytes);
    for (uint32_t i = 0; i < n_to; i++)
        deliver(&x, topology->destinations[i], to_varies ? e->list[i] : e->count,
                in_bytes ? 1 : e->type_bytes);
    return end(&x);
}

/* ---- intercommunicators ---- */

/* What this rank sends to each rank of the other group, or to its root, and receives from them. */
typedef struct flow {
    int sends, receives;
    int64_t count, recv_count;  /* negative: it stands in the list ... */
    uint32_t first, recv_first; /* ... from here */
    int64_t bytes, recv_bytes;
} flow;

static flow symmetric_flow(const smpi_rank *r, uint32_t n_own, uint32_t n_other)
{
    const tl_event *e = &r->event;
    flow f = {1, 1, e->count, e->recv_count, 0, 0, e->type_bytes, e->recv_type_bytes};
    switch (r->info->action) {
    case TL_ACTION_BARRIER:
    case TL_ACTION_IBARRIER: f.count = f.recv_count = 0; break;
    case TL_ACTION_ALLREDUCE:
    case TL_ACTION_IALLREDUCE:
        f.recv_count = f.count;
        f.recv_bytes = f.bytes;
        break;
    case TL_ACTION_REDUCE_SCATTER_BLOCK: /* as many elements in all on both sides */
    case TL_ACTION_IREDUCE_SCATTER_BLOCK:
        f.recv_count = e->count;
        f.recv_bytes = f.bytes;
        f.count = e->count * n_own / n_other;
        break;
    case TL_ACTION_ALLGATHERV:
    case TL_ACTION_IALLGATHERV: f.recv_count = -1; break;
    case TL_ACTION_ALLTOALLV:
    case TL_ACTION_IALLTOALLV:
    case TL_ACTION_ALLTOALLW:
    case TL_ACTION_IALLTOALLW:
        f.count = f.recv_count = -1;
        f.recv_first = n_other;
        if (r->info->action == TL_ACTION_ALLTOALLW || r->info->action == TL_ACTION_IALLTOALLW)
            f.bytes = f.recv_bytes = 1;
        break;
    default: break; /* Allgather, Alltoall */
    }
    return f;
}

/* The root exchanges with all of the other group, its group's other ranks with nobody. */
static flow rooted_flow(const smpi_rank *r)
{
    const tl_event *e = &r->event;
    const int is_root = e->peer == TL_ROOT, takes_part = is_root || e->peer >= 0;
    flow f = {.count = e->count, .bytes = e->type_bytes};
    f.recv_count = e->recv_count;
    f.recv_bytes = e->recv_type_bytes;
    switch (r->info->action) {
    case TL_ACTION_BCAST:
    case TL_ACTION_IBCAST:
        f.sends = is_root;
        f.recv_count = f.count;
        f.recv_bytes = f.bytes;
        break;
    case TL_ACTION_REDUCE:
    case TL_ACTION_IREDUCE:
        f.sends = !is_root;
        f.recv_count = f.count;
        f.recv_bytes = f.bytes;
        break;
    case TL_ACTION_GATHERV:
    case TL_ACTION_IGATHERV: f.recv_count = -1; __attribute__((fallthrough));
    case TL_ACTION_GATHER:
    case TL_ACTION_IGATHER: f.sends = !is_root; break;
    case TL_ACTION_SCATTERV:
    case TL_ACTION_ISCATTERV: f.count = -1; __attribute__((fallthrough));
    default: f.sends = is_root; break; /* Scatter */
    }
    f.receives = takes_part && !f.sends;
    f.sends = takes_part && f.sends;
    return f;
}

static int is_rooted(tl_action action)
{
    switch (action) {
    case TL_ACTION_BCAST:
    case TL_ACTION_IBCAST:
    case TL_ACTION_REDUCE:
    case TL_ACTION_IREDUCE:
    case TL_ACTION_GATHER:
    case TL_ACTION_IGATHER:
    case TL_ACTION_GATHERV:
    case TL_ACTION_IGATHERV:
    case TL_ACTION_SCATTER:
    case TL_ACTION_ISCATTER:
    case TL_ACTION_SCATTERV:
    case TL_ACTION_ISCATTERV: return 1;
    default: return 0;
    }
}

static int inter_exchange(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_comm *comm = r->job->plan->ranks[r->rank]->definitions[e->comm];
    const int rooted = is_rooted(r->info->action);
    const flow f = rooted ? rooted_flow(r) : symmetric_flow(r, comm->n_members, comm->n_remote);
    /* With a root in the other group there is one partner, otherwise all of them. */
    const int one = rooted && e->peer >= 0;
    const uint32_t n = one ? 1 : comm->n_remote;
    exchange x = begin(r);
    if ((f.sends && f.count < 0) || (f.receives && f.recv_count < 0))
        need_counts(r, f.recv_first + (size_t)comm->n_remote);
    for (uint32_t i = 0; i < n && f.receives; i++)
        receive(&x, one ? e->peer : (int32_t)i,
                f.recv_count < 0 ? e->list[f.recv_first + i] : f.recv_count, f.recv_bytes);
    for (uint32_t i = 0; i < n && f.sends; i++)
        deliver(&x, one ? e->peer : (int32_t)i, f.count < 0 ? e->list[f.first + i] : f.count,
                f.bytes);
    return end(&x);
}

/* ---- all of them ---- */

int smpi_keep(smpi_rank *r)
{
    smpi_bundle *bundle = smpi_open_bundle(r, r->event.request);
    bundle->event = r->event;
    bundle->info = r->info;
    free(bundle->list);
    bundle->list = smpi_alloc(r->event.list_len, sizeof *bundle->list);
    if (r->event.list_len)
        memcpy(bundle->list, r->event.list, r->event.list_len * sizeof *bundle->list);
    bundle->event.list = bundle->list;
    return MPI_SUCCESS;
}

static int issue(smpi_rank *r)
{
    if (r->info->action == TL_ACTION_RECV_INIT)
        return smpi_receive_match(r);
    if (r->info->action == TL_ACTION_SEND_INIT)
        return smpi_start_send(r);
    if (r->info->action >= TL_ACTION_NEIGHBOR_ALLGATHER &&
        r->info->action <= TL_ACTION_INEIGHBOR_ALLTOALLW)
        return neighbor_exchange(r);
    if (r->job->plan->ranks[r->rank]->definitions[r->event.comm] &&
        r->job->plan->ranks[r->rank]->definitions[r->event.comm]->n_remote)
        return inter_exchange(r);
    return smpi_collective(r);
}

int smpi_any_collective(smpi_rank *r)
{
    return r->info->traits & TL_TRAIT_PERSISTENT ? smpi_keep(r) : issue(r);
}

int smpi_start_kept(smpi_rank *r, int64_t id)
{
    const tl_event event = r->event;
    const tl_call_info *info = r->info;
    r->event = r->bundles[id]->event;
    r->event.request = (uint32_t)id;
    r->info = r->bundles[id]->info;
    const int rc = issue(r);
    r->event = event;
    r->info = info;
    return rc;
}
