/* exchange.c - collectives that SMPI 3.32 does not have: neighbourhood collectives, collectives of
 * intercommunicators, persistent collectives. They are made of messages between two ranks each.
 *
 * All receives are posted, then all sends. The call, or the wait for its request, completes them.
 * In an intercommunicator each rank sends to each rank of the other group what that rank needs; no
 * group combines or distributes data among its own ranks. The messages use a twin of the
 * communicator, where no receive of the trace can take them. */
#include "config.h"

#include "actions.h"
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

/* The messages of one call that are under way. */
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
    const int n = smpi_receive_count(x->r, count, type_bytes, &type);
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

/* A blocking call has request 0. No other call uses its bundle. */
static int end(exchange *x)
{
    if (x->rc == MPI_SUCCESS && !(x->r->info->traits & TL_TRAIT_NB) && !x->r->entering)
        return smpi_finish_bundle(x->r, 0);
    return x->rc;
}

static void take_sides(const smpi_rank *r, const tl_extent *extent, tl_role role, tl_side *sent,
                       tl_side *received)
{
    const tl_meaning *m = tl_meaning_of(r->info->action);
    if (!tl_take_sides(&r->event, m, extent, role, sent, received))
        smpi_give_up_at(r, TL_ERR_CORRUPT, "%u counts for %u ranks", r->event.list_len,
                        tl_n_sent_counts(m, extent, role) + tl_n_received_counts(m, extent, role));
}

static int neighbor_exchange(smpi_rank *r)
{
    const tl_comm *topology = r->job->plan->ranks[r->rank]->definitions[r->event.comm];
    const tl_extent extent = {.n_to = topology->n_destinations, .n_from = topology->n_sources};
    tl_side sent, received;
    take_sides(r, &extent, TL_ROLE_OTHER, &sent, &received);
    exchange x = begin(r);
    for (uint32_t i = 0; i < extent.n_from; i++)
        receive(&x, topology->sources[i], tl_count_at(&received, i), received.type_bytes);
    for (uint32_t i = 0; i < extent.n_to; i++)
        deliver(&x, topology->destinations[i], tl_count_at(&sent, i), sent.type_bytes);
    return end(&x);
}

/* A collective between the groups of an intercommunicator, or with the root in the other group.
 * Without data the messages are empty. */
static int inter_exchange(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_comm *comm = r->job->plan->ranks[r->rank]->definitions[e->comm];
    const tl_meaning *m = tl_meaning_of(r->info->action);
    const tl_role role = tl_role_between(e->peer);
    const tl_extent extent = {.n_own = comm->n_members,
                              .n_to = comm->n_remote,
                              .n_from = comm->n_remote,
                              .between_groups = 1};
    tl_side sent, received;
    take_sides(r, &extent, role, &sent, &received);
    if (m->received == TL_SIZE_OWN) /* as many elements in all on both sides */
        sent.count = sent.count * comm->n_members / comm->n_remote;
    const int one = tl_is_rooted(r->info->action) && role == TL_ROLE_OTHER;
    const int has_data = tl_moves_data(r->info->action);
    const uint32_t n = one ? 1 : comm->n_remote;
    exchange x = begin(r);
    for (uint32_t i = 0; i < n && (received.size || !has_data); i++)
        receive(&x, one ? e->peer : (int32_t)i, tl_count_at(&received, i), received.type_bytes);
    for (uint32_t i = 0; i < n && (sent.size || !has_data); i++)
        deliver(&x, one ? e->peer : (int32_t)i, tl_count_at(&sent, i), sent.type_bytes);
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
    if (tl_meaning_of(r->info->action)->kind == TL_KIND_NEIGHBORHOOD)
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
