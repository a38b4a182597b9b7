/* exchange.c - collectives that SMPI 3.32 does not have: neighbourhood collectives, collectives of
 * intercommunicators, persistent collectives. They are made of messages between two ranks each.
 *
 * The messages (replayer/exchange.h) use a twin of the communicator, where no receive of the trace
 * can take them. */
#include "config.h"

#include "exchange.h"
#include "calls.h"

#include "core/room.h"

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

static MPI_Request *add_request(smpi_bundle *bundle)
{
    if (!tl_make_room(&bundle->items, (size_t)bundle->n, &bundle->room, sizeof(MPI_Request)))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
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
                          add_request(x->bundle));
}

static void deliver(exchange *x, int32_t to, int64_t count, int64_t type_bytes)
{
    MPI_Datatype type;
    const int n = smpi_message_count(x->r, count, type_bytes, &type);
    if (to >= 0 && x->rc == MPI_SUCCESS)
        x->rc = MPI_Isend(replay.send_buffer, n, type, (int)x->offset + to, 0, x->comm,
                          add_request(x->bundle));
}

static int exchange_messages(smpi_rank *r, const tlr_exchange *what)
{
    const tl_event *e = &r->event;
    exchange x = {.r = r,
                  .comm = r->twins[e->comm],
                  .offset = r->peer_offset[e->comm],
                  .bundle = smpi_open_bundle(r, r->step.entered ? r->step.entered : e->request),
                  .rc = MPI_SUCCESS};
    for (uint32_t i = 0; i < what->n_from; i++)
        receive(&x, tlr_exchange_source(what, i), tl_count_at(&what->received, i),
                what->received.type_bytes);
    for (uint32_t i = 0; i < what->n_to; i++)
        deliver(&x, tlr_exchange_destination(what, i), tl_count_at(&what->sent, i),
                what->sent.type_bytes);
    /* A blocking call has request 0. No other call uses its bundle. */
    if (x.rc == MPI_SUCCESS && !(r->info->traits & TL_TRAIT_NB) && !r->step.entered)
        return smpi_finish_bundle(r, 0);
    return x.rc;
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
    tlr_exchange x;
    return tlr_exchange_of(r->job->plan, r->rank, &r->event, r->info, &x) ? exchange_messages(r, &x)
                                                                          : smpi_collective(r);
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
