/* validate.c - what an engine may rely on, checked once, as the plan reads the trace. */
#include "validate.h"

#include "actions.h"
#include "parallel.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 1 << 16 };
static const int64_t MAX_SLEEP_NS = INT64_MAX / 1000; /* in picoseconds it has 63 bits */

static tl_status refuse(const tlr_validation *v, const tl_event *e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static tl_status refuse(const tlr_validation *v, const tl_event *e, const char *format, ...)
{
    char what[200], site[160];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    tl_site_name(v->trace, v->rank, e->site, site, sizeof site);
    return tl_fail(v->err, TL_ERR_CORRUPT,
                   "%s: rank %" PRIu32 ", event %" PRIu64
                   " (%s, %s): %s; the trace is not valid, record the run again",
                   tl_reader_path(v->trace), v->rank, v->index, tl_call_by_code(e->call)->name,
                   site, what);
}

tl_status tlr_validation_open(tlr_validation *v, tl_reader *trace, const tlr_plan *plan,
                              uint32_t rank, tl_error *err)
{
    *v = (tlr_validation){.trace = trace, .plan = plan, .err = err, .rank = rank};
    v->windows = calloc(plan->ranks[rank]->n_comms, 1);
    return v->windows ? TL_OK : tl_no_memory(v->err, "reading the trace");
}

void tlr_validation_close(tlr_validation *v, tlr_plan_rank *rank)
{
    enum { FEW = 64 };
    rank->is_sparse = v->max_id > 2 * (uint64_t)v->requests.n_slots + FEW;
    rank->n_requests = rank->is_sparse ? v->requests.n_slots : v->max_id;
    tlr_requests_free(&v->requests);
    free(v->windows);
    free(v->is_named);
}

/* ---- slots and sizes ---- */

static uint32_t filled_slots(const tl_event *e)
{
    return (e->count ? TL_SLOT_COUNT : 0u) | (e->type_bytes ? TL_SLOT_TYPE : 0u) |
           (e->peer ? TL_SLOT_PEER : 0u) | (e->tag ? TL_SLOT_TAG : 0u) |
           (e->recv_count ? TL_SLOT_RECV_COUNT : 0u) |
           (e->recv_type_bytes ? TL_SLOT_RECV_TYPE : 0u) | (e->recv_peer ? TL_SLOT_RECV_PEER : 0u) |
           (e->recv_tag ? TL_SLOT_RECV_TAG : 0u) | (e->comm ? TL_SLOT_COMM : 0u) |
           (e->request ? TL_SLOT_REQUEST : 0u) | (e->new_comm ? TL_SLOT_NEW_COMM : 0u) |
           (e->flags ? TL_SLOT_FLAGS : 0u) | (e->list_len ? TL_SLOT_LIST : 0u);
}

/* Whether the bytes of `n` ranks, each with so many elements, can be counted.  A type of no bytes
 * is taken as one of a byte: elements are counted, too. */
static int fits(int64_t count, int64_t type_bytes, uint32_t n)
{
    int64_t bytes;
    return !__builtin_mul_overflow(count, type_bytes ? type_bytes : 1, &bytes) &&
           !__builtin_mul_overflow(bytes, (int64_t)n, &bytes);
}

static tl_status check_sizes(const tlr_validation *v, const tl_event *e, uint32_t n)
{
    if (e->count < 0 || e->recv_count < 0)
        return refuse(v, e, "a count of %" PRId64, e->count < 0 ? e->count : e->recv_count);
    if (e->type_bytes < 0 || e->recv_type_bytes < 0)
        return refuse(v, e, "elements of %" PRId64 " bytes",
                      e->type_bytes < 0 ? e->type_bytes : e->recv_type_bytes);
    if (!fits(e->count, e->type_bytes, n) || !fits(e->recv_count, e->recv_type_bytes, n))
        return refuse(v, e, "more bytes than 63 bits can count");
    return TL_OK;
}

/* Counts of elements, none of them negative and together not too many. */
static tl_status check_counts(const tlr_validation *v, const tl_event *e)
{
    const int64_t unit = e->type_bytes > e->recv_type_bytes ? e->type_bytes : e->recv_type_bytes;
    int64_t sum = 0;
    for (uint32_t i = 0; i < e->list_len; i++) {
        if (e->list[i] < 0)
            return refuse(v, e, "a count of %" PRId64, e->list[i]);
        if (__builtin_add_overflow(sum, e->list[i], &sum))
            return refuse(v, e, "more bytes than 63 bits can count");
    }
    return fits(sum, unit, 1) ? TL_OK : refuse(v, e, "more bytes than 63 bits can count");
}

/* ---- communicators ---- */

static tlr_kind kind_of(const tlr_validation *v, uint32_t id)
{
    const tlr_plan_rank *r = v->plan->ranks[v->rank];
    if (id >= r->n_comms || r->comms[id] == TLR_PLAN_NO_COMM)
        return TLR_KIND_NOTHING;
    return tlr_kind_of(r->definitions[id]);
}

static tlr_kind wanted_kind(tl_action action)
{
    return tlr_kind_made(action) != TLR_KIND_COMM ? TLR_KIND_COMM /* from which it is made */
           : tl_is_on_window(action)              ? TLR_KIND_WINDOW
           : tl_is_on_file(action)                ? TLR_KIND_FILE
                                                  : TLR_KIND_COMM;
}

static const char *name_of(tlr_kind k)
{
    static const char *const names[] = {"nothing", "a communicator", "a window", "a file"};
    return names[k];
}

static void find_party(tlr_validation *v, uint32_t id)
{
    const tlr_plan_rank *r = v->plan->ranks[v->rank];
    const int32_t comm = tlr_plan_find_comm(v->plan, v->rank, id);
    tlr_party *p = &v->party;
    *p = (tlr_party){.id = id, .kind = kind_of(v, id), .n_own = 1, .n_peers = 1, .n_all = 1};
    if (comm < 0)
        return;
    const tlr_plan_comm *c = &v->plan->comms[comm];
    p->definition = r->definitions[id];
    p->n_own = p->n_peers = p->n_all = c->n_members;
    p->is_inter = c->n_first != 0;
    if (p->definition && p->is_inter) {
        p->n_own = p->definition->n_members;
        p->n_peers = p->definition->n_remote;
    } else if (p->definition) {
        p->n_sources = p->definition->n_sources;
        p->n_destinations = p->definition->n_destinations;
    }
}

/* Of the event's communicator. */
static const tlr_party *party_of(tlr_validation *v, const tl_event *e)
{
    if (v->party.id != e->comm || v->party.kind == TLR_KIND_NOTHING)
        find_party(v, e->comm);
    return &v->party;
}

enum { FREED = 1, STARTED = 2, POSTED = 4 };

/* A window is in use until it is freed; what completes an access or an exposure needs its begin. */
static tl_status check_window(tlr_validation *v, const tl_event *e, tl_action action)
{
    uint8_t *state = &v->windows[e->comm];
    const uint8_t needed = action == TL_ACTION_WIN_COMPLETE ? STARTED
                           : action == TL_ACTION_WIN_WAIT   ? POSTED
                                                            : 0;
    if (*state & FREED)
        return refuse(v, e, "window %" PRIu32 " has been freed before", e->comm);
    if (needed && !(*state & needed))
        return refuse(v, e, "no %s of window %" PRIu32 " before",
                      needed == STARTED ? "MPI_Win_start" : "MPI_Win_post", e->comm);
    *state &= (uint8_t)~needed;
    *state |= action == TL_ACTION_WIN_FREE    ? FREED
              : action == TL_ACTION_WIN_START ? STARTED
              : action == TL_ACTION_WIN_POST  ? POSTED
                                              : 0;
    return TL_OK;
}

static bool names_comm(const tl_call_info *info)
{
    return (info->slots & TL_SLOT_COMM) && info->action != TL_ACTION_COMM_FREE &&
           info->action != TL_ACTION_ABORT;
}

static tl_status check_comms(tlr_validation *v, const tl_event *e, const tl_call_info *info)
{
    const tlr_kind wanted = wanted_kind(info->action);
    if (names_comm(info)) {
        const tlr_kind k = party_of(v, e)->kind;
        if (k != wanted)
            return refuse(v, e, "number %" PRIu32 " is %s, not %s", e->comm, name_of(k),
                          name_of(wanted));
        if (k == TLR_KIND_WINDOW)
            TL_TRY(check_window(v, e, info->action));
    }
    if (e->new_comm && kind_of(v, e->new_comm) != tlr_kind_made(info->action))
        return refuse(v, e, "number %" PRIu32 " is %s, not %s", e->new_comm,
                      name_of(kind_of(v, e->new_comm)), name_of(tlr_kind_made(info->action)));
    const tl_comm *made = e->new_comm ? v->plan->ranks[v->rank]->definitions[e->new_comm] : NULL;
    if (e->new_comm && !made)
        return refuse(v, e, "communicator %" PRIu32 " is there from the start", e->new_comm);
    if (info->action == TL_ACTION_INTERCOMM_CREATE && made && !made->n_remote)
        return refuse(v, e, "communicator %" PRIu32 " has only one group", e->new_comm);
    return TL_OK;
}

/* ---- peers and roots ---- */

static bool is_message(tl_action action)
{
    return tl_is_message(action) && action != TL_ACTION_MATCH;
}

static bool is_receive(tl_action action)
{
    return action == TL_ACTION_RECV || action == TL_ACTION_IRECV || action == TL_ACTION_RECV_INIT ||
           action == TL_ACTION_PROBE;
}

/* A rank among n; on MPI_COMM_WORLD the ranks that do the same have theirs as far away. */
static bool is_peer(const tlr_validation *v, const tl_event *e, int32_t peer, uint32_t n)
{
    const tlr_plan_rank *r = v->plan->ranks[v->rank];
    const uint32_t farther = e->comm == TL_COMM_WORLD ? r->last - r->first : 0;
    return peer == TL_PROC_NULL || (peer >= 0 && (uint64_t)(uint32_t)peer + farther < n);
}

static tl_status refuse_peer(const tlr_validation *v, const tl_event *e, int32_t peer, uint32_t n)
{
    const tlr_plan_rank *r = v->plan->ranks[v->rank];
    if (peer >= 0 && (uint32_t)peer < n)
        return refuse(v, e, "rank %" PRIu32 " does the same and has no rank %" PRId64 " beside it",
                      r->last, (int64_t)peer + (r->last - r->first));
    return refuse(v, e, "there is no rank %" PRId32 " among %" PRIu32, peer, n);
}

static tl_status check_message(tlr_validation *v, const tl_event *e, tl_action action,
                               const tlr_party *p)
{
    const int receives = is_receive(action), exchanges = action == TL_ACTION_SENDRECV;
    if (!is_peer(v, e, e->peer, p->n_peers) && !(receives && e->peer == TL_ANY_SOURCE))
        return refuse_peer(v, e, e->peer, p->n_peers);
    if (exchanges && e->recv_peer != TL_ANY_SOURCE && !is_peer(v, e, e->recv_peer, p->n_peers))
        return refuse_peer(v, e, e->recv_peer, p->n_peers);
    if (e->tag < 0 && e->peer != TL_PROC_NULL && !(receives && e->tag == TL_ANY_TAG))
        return refuse(v, e, "a tag of %" PRId32, e->tag);
    if (exchanges && e->recv_tag < TL_ANY_TAG && e->recv_peer != TL_PROC_NULL)
        return refuse(v, e, "a tag of %" PRId32, e->recv_tag);
    if (v->has_match && (exchanges || action == TL_ACTION_RECV)) {
        v->has_match = 0;
        if (v->match_peer != TL_PROC_NULL &&
            (v->match_peer < 0 || (uint32_t)v->match_peer >= p->n_peers))
            return refuse_peer(v, e, v->match_peer, p->n_peers);
    }
    return TL_OK;
}

static tl_status check_root(const tlr_validation *v, const tl_event *e, tl_action action,
                            const tlr_party *p)
{
    const bool is_rank = e->peer >= 0 && (uint32_t)e->peer < p->n_peers;
    const bool is_constant = e->peer == TL_PROC_NULL || e->peer == TL_ROOT;
    if (action == TL_ACTION_INTERCOMM_CREATE ? e->peer >= 0 && (uint32_t)e->peer < p->n_own
        : tl_is_collective(action)           ? is_rank || (p->is_inter && is_constant)
                                             : is_rank || e->peer == TL_PROC_NULL)
        return TL_OK;
    return refuse(v, e, "there is no rank %" PRId32 " among %" PRIu32, e->peer, p->n_peers);
}

/* ---- lists ---- */

/* Elements of the list of a call with TL_TRAIT_SIZED on this rank.  A rank that is not the root may
 * have the list as well. */
static uint32_t counts_of(const tlr_validation *v, const tl_event *e, tl_action action,
                          const tlr_party *p)
{
    const tl_meaning *m = tl_meaning_of(action);
    const bool has_neighbours = m->kind == TL_KIND_NEIGHBORHOOD;
    const tl_extent extent = {.n_own = p->n_own,
                              .n_to = has_neighbours ? p->n_destinations : p->n_peers,
                              .n_from = has_neighbours ? p->n_sources : p->n_peers,
                              .between_groups = p->is_inter};
    tl_role role = TL_ROLE_OTHER;
    if (tl_is_rooted(action) && p->is_inter) {
        role = tl_role_between(e->peer);
    } else if (tl_is_rooted(action)) {
        const int32_t comm = tlr_plan_find_comm(v->plan, v->rank, e->comm);
        const int32_t root = comm < 0 ? (int32_t)v->rank : v->plan->comms[comm].members[e->peer];
        role = tl_role_within(root, (int32_t)v->rank);
    }
    const uint32_t n = tl_n_sent_counts(m, &extent, role) + tl_n_received_counts(m, &extent, role);
    return n || !e->list_len ? n : p->n_peers;
}

/* The ranks that may access a window, or whose windows are accessed: each once. */
static tl_status check_group(tlr_validation *v, const tl_event *e, uint32_t n)
{
    tl_status status = TL_OK;
    uint32_t i = 0;
    if (!v->is_named && !(v->is_named = calloc(v->plan->n_ranks, 1)))
        return tl_no_memory(v->err, "reading the trace");
    for (; i < e->list_len && status == TL_OK; i++) {
        if (e->list[i] < 0 || e->list[i] >= n)
            status = refuse(v, e, "there is no rank %" PRId64 " among %" PRIu32, e->list[i], n);
        else if (v->is_named[e->list[i]])
            status = refuse(v, e, "rank %" PRId64 " twice in a group", e->list[i]);
        else
            v->is_named[e->list[i]] = 1;
    }
    while (i-- > 0)
        if (e->list[i] >= 0 && e->list[i] < n)
            v->is_named[e->list[i]] = 0;
    return status;
}

/* Three parts, and the work of one thread or more. */
static tl_status check_parallel(const tlr_validation *v, const tl_event *e)
{
    int64_t sum = 0;
    if (e->list_len <= TL_PARALLEL_THREADS)
        return refuse(v, e, "a parallel region without threads");
    const tl_status status = check_counts(v, e);
    for (uint32_t i = TL_PARALLEL_THREADS; status == TL_OK && i < e->list_len; i++)
        sum += e->list[i];
    if (status == TL_OK && e->list[TL_PARALLEL_ONE_AT_A_TIME] > sum)
        return refuse(v, e, "more work one at a time than there is");
    return status;
}

static tl_status check_list(tlr_validation *v, const tl_event *e, const tl_call_info *info,
                            const tlr_party *p)
{
    switch (info->action) {
    case TL_ACTION_START:
    case TL_ACTION_WAIT: return TL_OK;   /* requests */
    case TL_ACTION_KERNEL: return TL_OK; /* one of an unknown form is no work: plan.c */
    case TL_ACTION_WIN_POST:
    case TL_ACTION_WIN_START: return check_group(v, e, p->n_own);
    default: break;
    }
    if (e->call == TL_MPI_Parallel)
        return check_parallel(v, e);
    if (!(info->traits & TL_TRAIT_SIZED))
        return TL_OK;
    const uint32_t n = counts_of(v, e, info->action, p);
    if (e->list_len != n)
        return refuse(v, e, "%" PRIu32 " counts instead of %" PRIu32, e->list_len, n);
    return check_counts(v, e);
}

/* All but requests. */
static tl_status check_slots(tlr_validation *v, const tl_event *e, const tl_call_info *info)
{
    if (filled_slots(e) & ~info->slots)
        return refuse(v, e, "a value that this call does not have");
    if (info->action == TL_ACTION_THREAD && (e->tag < 0 || e->tag >= MAX_THREADS))
        return refuse(v, e, "there is no thread %" PRId32, e->tag);
    if (info->action == TL_ACTION_SLEEP && e->count > MAX_SLEEP_NS)
        return refuse(v, e, "a sleep of %" PRId64 " ns", e->count);
    static const tlr_party nobody;
    const bool has_comm = names_comm(info), is_between = has_comm && is_message(info->action);
    if (has_comm || e->new_comm)
        TL_TRY(check_comms(v, e, info));
    const tlr_party *p = has_comm ? party_of(v, e) : &nobody;
    if (has_comm && tl_meaning_of(info->action)->kind == TL_KIND_NEIGHBORHOOD &&
        (!p->definition || p->is_inter))
        return refuse(v, e, "communicator %" PRIu32 " has no neighbours", e->comm);
    TL_TRY(check_sizes(v, e, has_comm && !is_between ? p->n_all : 1));
    if (is_between)
        TL_TRY(check_message(v, e, info->action, p));
    else if (has_comm && (info->slots & TL_SLOT_PEER))
        TL_TRY(check_root(v, e, info->action, p));
    const bool has_list =
        has_comm ? (info->slots & TL_SLOT_LIST) != 0 : e->list_len || e->call == TL_MPI_Parallel;
    return has_list ? check_list(v, e, info, p) : TL_OK;
}

/* ---- requests ---- */

static tl_status make_request(tlr_validation *v, const tl_event *e, const tl_call_info *info,
                              bool is_modelled)
{
    if (tlr_requests_find(&v->requests, e->request))
        return refuse(v, e, "request %" PRIu32 " is in use", e->request);
    const uint32_t slot = tlr_requests_add(&v->requests, e->request);
    if (!slot)
        return tl_no_memory(v->err, "reading the trace");
    tlr_request *r = &v->requests.slots[slot];
    r->is_persistent = (info->traits & TL_TRAIT_PERSISTENT) != 0;
    r->is_active = !r->is_persistent;
    r->n_peers = is_modelled && is_message(info->action) ? party_of(v, e)->n_peers : 0;
    if (e->request > v->max_id)
        v->max_id = e->request;
    return TL_OK;
}

static tl_status find_request(const tlr_validation *v, const tl_event *e, int64_t id,
                              uint32_t *slot)
{
    *slot = id > 0 && id <= UINT32_MAX ? tlr_requests_find(&v->requests, (uint32_t)id) : 0;
    return *slot ? TL_OK : refuse(v, e, "request %" PRId64 " was never made", id);
}

static tl_status start_request(tlr_validation *v, const tl_event *e, int64_t id)
{
    uint32_t slot;
    TL_TRY(find_request(v, e, id, &slot));
    tlr_request *r = &v->requests.slots[slot];
    if (!r->is_persistent || r->is_active)
        return refuse(v, e, "request %" PRId64 " is not ready to start", id);
    r->is_active = 1;
    return TL_OK;
}

static tl_status complete(tlr_validation *v, const tl_event *e, int64_t id)
{
    uint32_t slot;
    TL_TRY(find_request(v, e, id, &slot));
    tlr_request *r = &v->requests.slots[slot];
    if (r->done_by == v->index + 1)
        return refuse(v, e, "request %" PRId64 " twice in a call", id);
    r->done_by = v->index + 1;
    r->is_active = 0;
    if (!r->is_persistent)
        tlr_requests_drop(&v->requests, slot);
    return TL_OK;
}

/* Of one request, or of those in the list. */
static tl_status for_requests(tlr_validation *v, const tl_event *e,
                              tl_status (*one)(tlr_validation *, const tl_event *, int64_t))
{
    tl_status status = e->request ? one(v, e, e->request) : TL_OK;
    for (uint32_t i = 0; i < e->list_len && status == TL_OK; i++)
        if (e->list[i])
            status = one(v, e, e->list[i]);
    return status;
}

static tl_status note_match(tlr_validation *v, const tl_event *e)
{
    uint32_t slot;
    if (!e->request) {
        v->has_match = 1;
        v->match_peer = e->peer;
        return TL_OK;
    }
    TL_TRY(find_request(v, e, e->request, &slot));
    const uint32_t n = v->requests.slots[slot].n_peers;
    if (e->peer == TL_PROC_NULL || (e->peer >= 0 && (uint32_t)e->peer < n))
        return TL_OK;
    return refuse(v, e, "there is no rank %" PRId32 " among %" PRIu32, e->peer, n);
}

static tl_status follow_requests(tlr_validation *v, const tl_event *e, const tl_call_info *info,
                                 bool is_modelled)
{
    uint32_t slot;
    tl_status status = TL_OK;
    if (info->traits & TL_TRAIT_NB)
        return e->request ? make_request(v, e, info, is_modelled) : TL_OK;
    switch (info->action) {
    case TL_ACTION_MATCH: return note_match(v, e);
    case TL_ACTION_START: return for_requests(v, e, start_request);
    case TL_ACTION_WAIT: return for_requests(v, e, complete);
    case TL_ACTION_CANCEL:
    case TL_ACTION_REQUEST_FREE:
        if (e->request)
            status = find_request(v, e, e->request, &slot);
        if (!e->request || status != TL_OK)
            return status;
        v->n_loose += info->action == TL_ACTION_CANCEL || v->requests.slots[slot].is_active;
        if (info->action == TL_ACTION_REQUEST_FREE)
            tlr_requests_drop(&v->requests, slot);
        return status;
    default: return TL_OK;
    }
}

tl_status tlr_validate(tlr_validation *v, const tl_event *event, const tl_call_info *info,
                       bool is_modelled)
{
    if (is_modelled)
        TL_TRY(check_slots(v, event, info));
    TL_TRY(follow_requests(v, event, info, is_modelled));
    v->index++;
    return TL_OK;
}
