/* otf2_events.c - the events of a rank in the form of OTF2.
 *
 * Each call is a region of one nanosecond. The duration of computation follows from the given
 * rates. Messages and collectives are recorded inside the calls that begin and complete them. */
#include "config.h"

#include "actions.h"
#include "core/room.h"
#include "otf2.h"
#include "parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REQUEST = 1 << 24, CALL_NS = 1 };

/* Writes a record, unless this is the first pass or an earlier record failed. */
#define PUT(x, ...)                                                                                \
    do {                                                                                           \
        if ((x)->writer && (x)->code == OTF2_SUCCESS)                                              \
            (x)->code = (__VA_ARGS__);                                                             \
    } while (0)

static void refuse(otf2_export *x, const char *why)
{
    if (!tl_refusals_add(&x->refusals, x->row->name, why, x->rank, x->index))
        x->out_of_memory = true;
}

/* ---- regions ---- */

static OTF2_RegionRef add_region(otf2_export *x, const char *name)
{
    if (!tl_make_room(&x->regions, x->n_regions, &x->regions_room, sizeof *x->regions)) {
        x->out_of_memory = true;
        return 0;
    }
    x->regions[x->n_regions] = (otf2_region){name, x->row};
    return (OTF2_RegionRef)x->n_regions++;
}

/* Kernels of the program are found by name, because each rank has ids of its own. */
static OTF2_RegionRef region_of(otf2_export *x, const tl_event *e)
{
    if (e->call == TL_KERNEL_user) {
        const char *name = tl_reader_kernel_name(x->trace, x->rank, e);
        for (size_t i = 0; name && i < x->n_regions; i++)
            if (x->regions[i].row == x->row && !strcmp(x->regions[i].name, name))
                return (OTF2_RegionRef)i;
        if (name)
            return add_region(x, name);
    }
    if (!x->region_of[e->call])
        x->region_of[e->call] = add_region(x, x->row->name) + 1;
    return x->region_of[e->call] - 1;
}

/* What rounding adds or takes goes to the next computation, so that many short ones keep their sum.
 */
static void pass(otf2_export *x, double ns)
{
    if (!(ns < 0x1p62)) {
        refuse(x, "behind more computation than there is time");
        return;
    }
    const double whole = fmax(0, rint(ns + x->rest_ns));
    x->rest_ns += ns - whole;
    x->now_ns += (uint64_t)whole;
}

/* ---- communicators ---- */

static OTF2_CommRef comm_of(otf2_export *x, const tl_event *e)
{
    const int32_t index = tlr_plan_find_comm(x->plan, x->rank, e->comm);
    size_t ref = index == TLR_PLAN_SELF ? x->plan->n_comms : (size_t)index;
    if (index == TLR_PLAN_NO_COMM) {
        refuse(x, "on a communicator that is not defined");
        ref = TLR_PLAN_WORLD;
    } else if (index >= 0 && x->plan->comms[index].n_first) {
        refuse(x, "between two groups");
    }
    if (!x->comm_use[ref])
        x->comm_use[ref] = OTF2_IS_USED;
    return (OTF2_CommRef)ref;
}

static int64_t size_of(const otf2_export *x, OTF2_CommRef comm)
{
    return comm == x->plan->n_comms ? 1 : x->plan->comms[comm].n_members;
}

static uint64_t bytes_of(otf2_export *x, int64_t count, int64_t type_bytes)
{
    int64_t bytes;
    if (__builtin_mul_overflow(count, type_bytes, &bytes) || bytes < 0) {
        refuse(x, "with an impossible size");
        return 0;
    }
    return (uint64_t)bytes;
}

/* ---- requests ---- */

static otf2_request *request_at(otf2_export *x, int64_t id)
{
    static otf2_request nobody;
    if (id <= 0 || id >= MAX_REQUEST) {
        if (id)
            refuse(x, "of a request beyond number 16,777,215");
        nobody = (otf2_request){0};
        return &nobody;
    }
    if ((size_t)id >= x->n_requests) {
        size_t n = x->n_requests ? x->n_requests : 64;
        while (n <= (size_t)id)
            n *= 2;
        otf2_request *more = realloc(x->requests, n * sizeof *more);
        if (!more) {
            x->out_of_memory = true;
            nobody = (otf2_request){0};
            return &nobody;
        }
        memset(more + x->n_requests, 0, (n - x->n_requests) * sizeof *more);
        x->requests = more;
        x->n_requests = n;
    }
    return &x->requests[id];
}

static void begin(otf2_export *x, otf2_request *q)
{
    q->active = true;
    q->cancelled = false;
    q->serial = x->next_serial++;
    if (q->kind == OTF2_COLLECTS) {
        PUT(x, OTF2_EvtWriter_NonBlockingCollectiveRequest(x->writer, NULL, x->now_ns, q->serial));
        return;
    }
    if (q->kind == OTF2_RECEIVES) {
        q->peer = q->open_peer;
        q->tag = q->open_tag;
    }
    if (q->peer == TL_PROC_NULL)
        return;
    if (q->kind == OTF2_SENDS)
        PUT(x, OTF2_EvtWriter_MpiIsend(x->writer, NULL, x->now_ns, (uint32_t)q->peer, q->comm,
                                       (uint32_t)q->tag, q->bytes, q->serial));
    else
        PUT(x, OTF2_EvtWriter_MpiIrecvRequest(x->writer, NULL, x->now_ns, q->serial));
}

static void complete(otf2_export *x, int64_t id)
{
    if (!id)
        return;
    otf2_request *q = request_at(x, id);
    const uint64_t ns = x->now_ns + CALL_NS;
    if (q->kind == OTF2_NOTHING) {
        refuse(x, "of a request that was not begun");
        return;
    }
    if (q->active && q->kind == OTF2_COLLECTS) {
        PUT(x, OTF2_EvtWriter_NonBlockingCollectiveComplete(x->writer, NULL, ns, q->op, q->comm,
                                                            q->root, q->sent_bytes,
                                                            q->received_bytes, q->serial));
    } else if (q->active && q->cancelled) {
        PUT(x, OTF2_EvtWriter_MpiRequestCancelled(x->writer, NULL, ns, q->serial));
    } else if (q->active && q->peer != TL_PROC_NULL) {
        if (q->kind == OTF2_SENDS) {
            PUT(x, OTF2_EvtWriter_MpiIsendComplete(x->writer, NULL, ns, q->serial));
        } else {
            if (q->peer < 0 || q->tag < 0)
                refuse(x, "of a receive whose message was not recorded");
            PUT(x, OTF2_EvtWriter_MpiIrecv(x->writer, NULL, ns, (uint32_t)q->peer, q->comm,
                                           (uint32_t)q->tag, q->bytes, q->serial));
        }
    }
    q->active = false;
    if (!q->persistent)
        q->kind = OTF2_NOTHING;
}

static void complete_all(otf2_export *x, const tl_event *e)
{
    if (!e->list_len)
        complete(x, e->request);
    for (uint32_t i = 0; i < e->list_len; i++)
        complete(x, e->list[i]);
}

static void start(otf2_export *x, int64_t id)
{
    otf2_request *q = request_at(x, id);
    if (!q->persistent)
        refuse(x, "of a request that was not made");
    else
        begin(x, q);
}

static void start_all(otf2_export *x, const tl_event *e)
{
    if (e->call == TL_MPI_Start)
        start(x, e->request);
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i])
            start(x, e->list[i]);
}

static void release(otf2_export *x, const tl_event *e)
{
    otf2_request *q = request_at(x, e->request);
    if (q->active)
        refuse(x, "of a request that is under way");
    *q = (otf2_request){0};
}

/* ---- messages ---- */

static void check_peer(otf2_export *x, int32_t peer, OTF2_CommRef comm)
{
    if (peer != TL_PROC_NULL && (peer < 0 || peer >= size_of(x, comm)))
        refuse(x, "with a partner that is not in the communicator");
}

static void send_message(otf2_export *x, const tl_event *e)
{
    const OTF2_CommRef comm = comm_of(x, e);
    const uint64_t bytes = bytes_of(x, e->count, e->type_bytes);
    check_peer(x, e->peer, comm);
    if (e->peer >= 0)
        PUT(x, OTF2_EvtWriter_MpiSend(x->writer, NULL, x->now_ns, (uint32_t)e->peer, comm,
                                      (uint32_t)e->tag, bytes));
}

static void receive_message(otf2_export *x, const tl_event *e, bool exchanges)
{
    const OTF2_CommRef comm = comm_of(x, e);
    const bool own = exchanges && e->call == TL_MPI_Sendrecv;
    const uint64_t bytes =
        own ? bytes_of(x, e->recv_count, e->recv_type_bytes) : bytes_of(x, e->count, e->type_bytes);
    int32_t peer = exchanges ? e->recv_peer : e->peer, tag = exchanges ? e->recv_tag : e->tag;
    if (peer == TL_PROC_NULL)
        return;
    if (x->is_matched) {
        peer = x->match_peer;
        tag = x->match_tag;
    }
    if (peer == TL_ANY_SOURCE || tag == TL_ANY_TAG)
        refuse(x, "whose message was not recorded");
    else
        check_peer(x, peer, comm);
    PUT(x, OTF2_EvtWriter_MpiRecv(x->writer, NULL, x->now_ns + CALL_NS, (uint32_t)peer, comm,
                                  (uint32_t)tag, bytes));
}

static void begin_message(otf2_export *x, const tl_event *e, bool receives, bool persistent)
{
    otf2_request *q = request_at(x, e->request);
    *q = (otf2_request){.kind = receives ? OTF2_RECEIVES : OTF2_SENDS,
                        .persistent = persistent,
                        .peer = e->peer,
                        .tag = e->tag,
                        .open_peer = e->peer,
                        .open_tag = e->tag,
                        .comm = comm_of(x, e),
                        .bytes = bytes_of(x, e->count, e->type_bytes)};
    if (!receives || e->peer != TL_ANY_SOURCE)
        check_peer(x, e->peer, q->comm);
    if (!persistent)
        begin(x, q);
}

static void match(otf2_export *x, const tl_event *e)
{
    if (!e->request) {
        x->is_matched = true;
        x->match_peer = e->peer;
        x->match_tag = e->tag;
        return;
    }
    otf2_request *q = request_at(x, e->request);
    q->cancelled = e->peer == TL_PROC_NULL && q->open_peer != TL_PROC_NULL;
    q->peer = e->peer;
    q->tag = e->tag;
}

/* ---- collectives ---- */

/* The collective, by the action of its blocking form. */
static const OTF2_CollectiveOp operations[] = {
#define OPERATION(name) [TL_ACTION_##name] = OTF2_COLLECTIVE_OP_##name,
#include "exchange/otf2_operations.def"
};

/* The bytes of one side: of n_ranks blocks, or of one block that counts n_equal times. `skipped` is
 * the rank whose block does not count, or -1. */
static uint64_t bytes_of_side(otf2_export *x, const tl_side *side, int64_t n_ranks, int64_t n_equal,
                              int64_t skipped)
{
    int64_t sum = 0;
    if (side->size == TL_SIZE_LIST) {
        for (uint32_t i = 0; i < side->n; i++)
            if (i != skipped && __builtin_add_overflow(sum, tl_count_at(side, i), &sum))
                sum = INT64_MIN / 2;
        return bytes_of(x, sum, side->type_bytes);
    }
    return bytes_of(x, side->count, side->type_bytes) *
           (uint64_t)((side->size == TL_SIZE_EACH ? n_ranks : n_equal) - (skipped >= 0));
}

/* The bytes that this rank sends and receives, counted as Score-P does: a block that goes to all
 * ranks counts once for each of them. With MPI_IN_PLACE, and in MPI_Exscan, the own block does not
 * count. */
static void measure(otf2_export *x, const tl_event *e, otf2_request *q)
{
    const tl_meaning *m = tl_meaning_of(x->row->action);
    const uint32_t n = (uint32_t)size_of(x, q->comm);
    const int32_t me = q->comm == x->plan->n_comms
                           ? 0
                           : tlr_plan_rank_in(&x->plan->comms[q->comm], (int32_t)x->rank);
    const tl_extent extent = {.n_own = n, .n_to = n, .n_from = n, .me = (uint32_t)me};
    /* In MPI_COMM_SELF the only rank is the root. */
    const tl_role role = tl_role_within(q->comm == x->plan->n_comms ? me : e->peer, me);
    tl_side sent, received;
    if (!tl_take_sides(e, m, &extent, role, &sent, &received))
        refuse(x, "without the counts of all ranks");
    const bool to_upper = m->needs == TL_NEEDS_LOWER;
    const bool skips_own =
        m->blocking == TL_ACTION_EXSCAN ||
        (e->flags & TL_IN_PLACE && (m->in_place == TL_IN_PLACE_SENT || role == TL_ROLE_ROOT));
    const int64_t n_to = m->to != TL_WHO_ALL ? 1 : to_upper ? (int64_t)n - me : n;
    const int64_t n_from = m->from != TL_WHO_ALL ? 1 : to_upper ? me + INT64_C(1) : n;
    q->sent_bytes = bytes_of_side(x, &sent, n, n_to, skips_own ? me : -1);
    q->received_bytes = bytes_of_side(x, &received, n, n_from, skips_own ? me : -1);
}

/* The communicator that a call makes. */
static void create(otf2_export *x, const tl_event *e)
{
    const int32_t made = e->new_comm ? tlr_plan_find_comm(x->plan, x->rank, e->new_comm) : -1;
    if (made < 0 || x->plan->comms[made].n_first)
        return;
    x->comm_use[made] = OTF2_IS_MADE;
    PUT(x, OTF2_EvtWriter_CommCreate(x->writer, NULL, x->now_ns, (OTF2_CommRef)made));
}

static void collect(otf2_export *x, const tl_event *e, OTF2_CollectiveOp op)
{
    otf2_request q = {.kind = OTF2_COLLECTS, .op = op, .comm = comm_of(x, e)};
    q.root = OTF2_COLLECTIVE_ROOT_NONE;
    if (tl_is_rooted(x->row->action)) {
        q.root = (uint32_t)e->peer;
        check_peer(x, e->peer, q.comm);
    }
    measure(x, e, &q);
    if (x->row->traits & TL_TRAIT_NB) {
        otf2_request *kept = request_at(x, e->request);
        q.persistent = x->row->traits & TL_TRAIT_PERSISTENT;
        *kept = q;
        if (!q.persistent)
            begin(x, kept);
        return;
    }
    PUT(x, OTF2_EvtWriter_MpiCollectiveBegin(x->writer, NULL, x->now_ns));
    if (op == OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        create(x, e);
    else if (op == OTF2_COLLECTIVE_OP_DESTROY_HANDLE && x->comm_use[q.comm] == OTF2_IS_MADE)
        PUT(x, OTF2_EvtWriter_CommDestroy(x->writer, NULL, x->now_ns, q.comm));
    PUT(x, OTF2_EvtWriter_MpiCollectiveEnd(x->writer, NULL, x->now_ns + CALL_NS, op, q.comm, q.root,
                                           q.sent_bytes, q.received_bytes));
}

/* ---- events ---- */

static void communicate(otf2_export *x, const tl_event *e)
{
    const tl_action action = x->row->action;
    if (tl_meaning_of(action)->kind == TL_KIND_COLLECTIVE) {
        collect(x, e, operations[tl_meaning_of(action)->blocking]);
        return;
    }
    switch (action) {
    case TL_ACTION_NONE:
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_ABORT:
    case TL_ACTION_REGION:
    case TL_ACTION_CLOCK:
    case TL_ACTION_SLEEP:
    case TL_ACTION_PROBE:
    case TL_ACTION_CANCEL: return; /* the region says it */
    case TL_ACTION_SEND: send_message(x, e); return;
    case TL_ACTION_RECV: receive_message(x, e, false); return;
    case TL_ACTION_SENDRECV:
        send_message(x, e);
        receive_message(x, e, true);
        return;
    case TL_ACTION_ISEND: begin_message(x, e, false, false); return;
    case TL_ACTION_IRECV: begin_message(x, e, true, false); return;
    case TL_ACTION_SEND_INIT: begin_message(x, e, false, true); return;
    case TL_ACTION_RECV_INIT: begin_message(x, e, true, true); return;
    case TL_ACTION_START: start_all(x, e); return;
    case TL_ACTION_WAIT: complete_all(x, e); return;
    case TL_ACTION_REQUEST_FREE: release(x, e); return;
    case TL_ACTION_COMM_CREATE:
        if (e->call == TL_MPI_Comm_create_group)
            return; /* not of all members */
        collect(x, e, OTF2_COLLECTIVE_OP_CREATE_HANDLE);
        return;
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT: collect(x, e, OTF2_COLLECTIVE_OP_CREATE_HANDLE); return;
    case TL_ACTION_COMM_FREE: collect(x, e, OTF2_COLLECTIVE_OP_DESTROY_HANDLE); return;
    default: refuse(x, ""); return;
    }
}

static void play_kernel(otf2_export *x, const tl_event *e)
{
    if (x->rates->no_compute)
        return;
    const double rate = tl_rates_per_work(x->rates, e->call);
    if (rate <= 0)
        refuse(x, "without a rate (--kernel)");
    const OTF2_RegionRef region = region_of(x, e);
    PUT(x, OTF2_EvtWriter_Enter(x->writer, NULL, x->now_ns, region));
    pass(x, rate * tl_kernel_work(e->call, e->list, e->list_len));
    PUT(x, OTF2_EvtWriter_Leave(x->writer, NULL, x->now_ns, region));
}

static void play(otf2_export *x, const tl_event *e)
{
    if (!x->rates->no_compute)
        x->computed_ns += (double)e->volume * x->rates->per_unit *
                          (e->call == TL_MPI_Parallel ? tl_parallel_share(e, 0, 0, 1) : 1);
    switch (x->row->action) {
    case TL_ACTION_MATCH: match(x, e); return;
    case TL_ACTION_THREAD:
    case TL_ACTION_ENTER: refuse(x, "of several threads"); return;
    default: break;
    }
    pass(x, x->computed_ns);
    x->computed_ns = 0;
    if (e->call == TL_MPI_Parallel)
        return;
    if (x->row->action == TL_ACTION_KERNEL) {
        play_kernel(x, e);
        return;
    }
    const OTF2_RegionRef region = region_of(x, e);
    PUT(x, OTF2_EvtWriter_Enter(x->writer, NULL, x->now_ns, region));
    communicate(x, e);
    x->now_ns += CALL_NS;
    PUT(x, OTF2_EvtWriter_Leave(x->writer, NULL, x->now_ns, region));
    x->is_matched = false;
}

tl_status otf2_play_rank(otf2_export *x, uint32_t rank, tl_error *err)
{
    tl_cursor *cursor;
    tl_event event;
    TL_TRY(tl_cursor_open(x->trace, rank, &cursor, err));
    tl_status status = TL_OK;
    x->rank = rank;
    x->now_ns = x->next_serial = 0;
    x->computed_ns = x->rest_ns = 0;
    x->is_matched = false;
    x->code = OTF2_SUCCESS;
    if (x->n_requests)
        memset(x->requests, 0, x->n_requests * sizeof *x->requests);
    /* Region 0 is the program, which contains all other regions. */
    PUT(x, OTF2_EvtWriter_Enter(x->writer, NULL, 0, 0));
    while (!x->out_of_memory && (status = tl_cursor_next(cursor, &event)) == TL_OK) {
        x->index = tl_cursor_position(cursor) - 1;
        x->row = tl_call_by_code(event.call);
        play(x, &event);
    }
    PUT(x, OTF2_EvtWriter_Leave(x->writer, NULL, x->now_ns, 0));
    if (x->now_ns > x->longest_ns)
        x->longest_ns = x->now_ns;
    if (x->out_of_memory)
        status = tl_no_memory(err, tl_reader_path(x->trace));
    else if (status == TL_END)
        status = TL_OK;
    else if (err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status;
}
