/* waits.c - the sides of messages and collectives that a rank's calls begin and end, for the
 * timeline: replayer/results/waits.c finds out who waits for whom. */
#include "config.h"

#include "calls.h"
#include "notes.h"
#include "actions.h"
#include "core/room.h"
#include "results/timeline.h"

#include <stdlib.h>

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <xbt/config.h>

/* The source of the message that a persistent receive takes. */
typedef struct source {
    int32_t comm, peer, tag; /* peer negative: nobody's */
    bool is_known;
} source;

struct smpi_waits {
    size_t n_ids;
    tlr_half **by_id;     /* of requests */
    source *sources;      /* by request id */
    uint64_t *n_meetings; /* by the rank's id of a communicator */
    size_t n_now, room;
    tlr_half **now; /* what the call at hand completes */
    tlr_clocks clocks;
    tlr_phase_place place;
};

static struct {
    bool is_known;
    int64_t bound_bytes, eager_bytes; /* a send of so many bytes ends with its receive; does not
                                         wait for it */
} limits;

static tlr_halves halves = {.allocate = smpi_alloc};

/* ---- overheads: smpi/os and smpi/or ---- */

static tlr_segments of_receives, of_sends;

void smpi_waits_overheads(const char *receives, const char *sends)
{
    /* SimGrid takes negative overheads, too: they count as none. */
    (void)tlr_segments_read("smpi/or", receives, TLR_OVERHEADS, &of_receives, NULL);
    (void)tlr_segments_read("smpi/os", sends, TLR_OVERHEADS, &of_sends, NULL);
}

static smpi_waits *waits_of(smpi_rank *r)
{
    if (!limits.is_known) {
        limits.is_known = 1;
        limits.bound_bytes = sg_cfg_get_int("smpi/send-is-detached-thresh");
        limits.eager_bytes = sg_cfg_get_int("smpi/async-small-thresh");
    }
    if (!r->waits) {
        r->waits = smpi_alloc(1, sizeof *r->waits);
        r->waits->n_meetings =
            smpi_alloc(r->job->plan->ranks[r->rank]->n_comms, sizeof *r->waits->n_meetings);
        smpi_clocks_open(r, &r->waits->clocks);
    }
    return r->waits;
}

void smpi_close_waits(smpi_rank *r)
{
    smpi_waits *w = r->waits;
    if (!w)
        return;
    r->result->on_ideal_network_s = w->clocks.s[CLOCK_NETWORK];
    r->result->balanced_s = w->clocks.s[CLOCK_BALANCE];
    r->result->twice_the_cpu_s = w->clocks.s[CLOCK_CPU];
    for (size_t i = 0; i < w->n_ids; i++)
        if (w->by_id[i])
            tlr_release_half(&halves, w->by_id[i]);
    free(w->by_id);
    free(w->sources);
    free(w->n_meetings);
    free(w->now);
    free(w);
    r->waits = NULL;
}

static void make_room(smpi_waits *w, int64_t id)
{
    size_t n = w->n_ids;
    if (!tl_reach(&w->by_id, &n, (size_t)id, sizeof(tlr_half *)) ||
        !tl_reach(&w->sources, &w->n_ids, (size_t)id, sizeof *w->sources))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
}

/* ---- what begins ---- */

/* The half belongs to the request, or to the current call (id 0). */
static void hold(smpi_rank *r, tlr_half *half, int64_t id)
{
    smpi_waits *w = r->waits;
    if (id) {
        make_room(w, id);
        if (w->by_id[id])
            tlr_release_half(&halves, w->by_id[id]);
        w->by_id[id] = half;
        return;
    }
    if (!tl_make_room(&w->now, w->n_now, &w->room, sizeof *w->now))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
    w->now[w->n_now++] = half;
}

/* What begins now. */
static tlr_half side_of(const smpi_rank *r)
{
    return (tlr_half){.job = (uint32_t)(r->job - replay.jobs),
                      .rank = r->rank,
                      .at_s = simgrid_get_clock(),
                      .clocks = r->waits->clocks};
}

static void post_send(smpi_rank *r, const tl_event *e, int64_t id)
{
    const int32_t peer = smpi_world_rank(r, e->comm, e->peer);
    tlr_half half = side_of(r);
    half.bytes = e->count * e->type_bytes;
    half.is_send = half.is_certain = 1;
    if (peer < 0 || replay.options->wildcards_first)
        return;
    switch (e->call) {
    case TL_MPI_Ssend:
    case TL_MPI_Issend:
    case TL_MPI_Ssend_init: half.is_bound = 1; break;
    case TL_MPI_Bsend:
    case TL_MPI_Ibsend:
    case TL_MPI_Bsend_init: half.is_eager = half.bytes < limits.eager_bytes; break;
    default:
        half.is_bound = half.bytes >= limits.bound_bytes;
        half.is_eager = half.bytes < limits.eager_bytes;
    }
    const int32_t comm = tlr_plan_find_comm(r->job->plan, r->rank, e->comm);
    hold(r, tlr_post_half(&halves, &half, comm, peer, e->tag), id);
}

static void post_receive(smpi_rank *r, source from, int64_t id)
{
    tlr_half half = side_of(r);
    half.is_certain = 1;
    if (from.peer >= 0 && !replay.options->wildcards_first)
        hold(r, tlr_post_half(&halves, &half, from.comm, from.peer, from.tag), id);
}

static source source_of(const smpi_rank *r, uint32_t comm, int32_t peer, int32_t tag)
{
    return (source){tlr_plan_find_comm(r->job->plan, r->rank, comm), smpi_world_rank(r, comm, peer),
                    tag, 1};
}

void smpi_wait_for_match(smpi_rank *r, int32_t peer, int32_t tag)
{
    const tl_event *e = &r->event;
    waits_of(r);
    post_receive(r, source_of(r, e->comm, peer, tag), e->request);
}

/* The rule of the schema, except for calls that share their action with others. */
static tl_needs needs_of(const tl_event *e, const tl_call_info *info)
{
    const tl_meaning *m = tl_meaning_of(info->action);
    /* In these calls the members of the parent exchange nothing in SMPI. */
    if (e->call == TL_MPI_Comm_split_type || e->call == TL_MPI_Comm_create_group)
        return TL_NEEDS_NOTHING;
    if (m->kind == TL_KIND_FILE && (info->traits & TL_TRAIT_NB))
        return TL_NEEDS_NOTHING;
    if (info->action == TL_ACTION_FINALIZE && !replay.finalize_barrier)
        return TL_NEEDS_NOTHING;
    return (tl_needs)m->needs;
}

/* Whether this holds for every algorithm, independently of the network. */
static bool needs_certainly(const smpi_rank *r, const tl_event *e, const tl_call_info *info)
{
    if (info->action == TL_ACTION_COMM_SPLIT)
        return e->new_comm != TL_COMM_NULL && !tlr_walk_is_entered(&r->walk, e->comm);
    return tlr_needs_certainly(e, info);
}

/* The rank's part in the current collective, or in the collective that is started. */
static void enter(smpi_rank *r, const tl_event *e, const tl_call_info *info, int64_t id)
{
    tlr_half half = side_of(r);
    half.needs = needs_of(e, info);
    half.other = -1;
    uint32_t own = e->comm;
    if (info->action == TL_ACTION_FINALIZE)
        own = TL_COMM_WORLD;
    else if (info->action == TL_ACTION_FILE_OPEN || info->action == TL_ACTION_WIN_CREATE)
        own = e->new_comm;
    const int32_t comm = tlr_plan_find_comm(r->job->plan, r->rank, own);
    if (half.needs == TL_NEEDS_NOTHING || comm < 0)
        return;
    if (half.needs == TL_NEEDS_ROOT || half.needs == TL_NEEDS_ALL_AT_ROOT)
        half.other = e->peer == TL_ROOT ? (int32_t)r->rank : smpi_world_rank(r, own, e->peer);
    half.topology = r->job->plan->ranks[r->rank]->definitions[own];
    half.is_certain = !r->job->plan->comms[comm].n_first && needs_certainly(r, e, info);
    hold(r, tlr_enter_meeting(&halves, &half, r->job->plan, comm, r->waits->n_meetings[own]++), id);
}

/* ---- requests ---- */

static void start(smpi_rank *r, int64_t id)
{
    const smpi_bundle *kept = id > 0 && (size_t)id < r->n_requests ? r->bundles[id] : NULL;
    smpi_waits *w = r->waits;
    if (kept && kept->info) {
        if (kept->info->action == TL_ACTION_SEND_INIT)
            post_send(r, &kept->event, id);
        else if (kept->info->action != TL_ACTION_RECV_INIT) /* its match is found later */
            enter(r, &kept->event, kept->info, id);
    } else if (id > 0 && (size_t)id < w->n_ids && w->sources[id].is_known) {
        post_receive(r, w->sources[id], id);
    }
}

static void complete(smpi_rank *r, int64_t id)
{
    smpi_waits *w = r->waits;
    if (id <= 0 || (size_t)id >= w->n_ids || !w->by_id[id])
        return;
    tlr_half *half = w->by_id[id];
    w->by_id[id] = NULL;
    hold(r, half, 0);
}

static void forget(smpi_waits *w, int64_t id, bool was_cancelled)
{
    if (id <= 0 || (size_t)id >= w->n_ids || !w->by_id[id])
        return;
    if (was_cancelled)
        tlr_unpost_half(&halves, w->by_id[id]);
    tlr_release_half(&halves, w->by_id[id]);
    w->by_id[id] = NULL;
}

void smpi_begin_waits(smpi_rank *r)
{
    const tl_event *e = &r->event;
    const tl_call_info *info = r->info;
    smpi_waits *w = waits_of(r);
    w->n_now = 0;
    switch (info->action) {
    case TL_ACTION_SEND: post_send(r, e, 0); return;
    case TL_ACTION_ISEND: post_send(r, e, e->request); return;
    case TL_ACTION_RECV: post_receive(r, source_of(r, e->comm, e->peer, e->tag), 0); return;
    case TL_ACTION_IRECV:
        if (!smpi_is_open(r, e))
            post_receive(r, source_of(r, e->comm, e->peer, e->tag), e->request);
        return;
    case TL_ACTION_RECV_INIT:
        make_room(w, e->request);
        w->sources[e->request] = source_of(r, e->comm, e->peer, e->tag);
        return;
    case TL_ACTION_SENDRECV:
        post_send(r, e, 0);
        post_receive(r, source_of(r, e->comm, e->recv_peer, e->recv_tag), 0);
        return;
    case TL_ACTION_START:
        start(r, e->request);
        for (uint32_t i = 0; i < e->list_len; i++)
            start(r, e->list[i]);
        return;
    case TL_ACTION_WAIT:
        complete(r, e->request);
        for (uint32_t i = 0; i < e->list_len; i++)
            complete(r, e->list[i]);
        return;
    case TL_ACTION_CANCEL: forget(w, e->request, 1); return;
    case TL_ACTION_REQUEST_FREE: forget(w, e->request, 0); return;
    default: break;
    }
    if (info->traits & TL_TRAIT_PERSISTENT)
        return;
    const int begins =
        r->step.entered || ((info->traits & TL_TRAIT_NB) && tl_is_collective(info->action));
    enter(r, e, info, !begins ? 0 : r->step.entered ? r->step.entered : e->request);
}

/* ---- what ends ---- */

/* The time of a message that uses the network alone. It decides between messages that are waited
 * for together. */
static double message_s(const void *context, const tlr_half *half)
{
    const smpi_rank *r = context;
    const smpi_rank_result *all = &replay.result->ranks[r->job->first_rank];
    const sg_host_t here = sg_host_by_name(r->result->host);
    const sg_host_t there = sg_host_by_name(all[half->other].host);
    return sg_host_get_route_latency(here, there) +
           (double)half->bytes / sg_host_get_route_bandwidth(here, there);
}

static double overhead_of(const void *context, const tlr_half *half)
{
    (void)context;
    return tlr_overhead_s(half->is_send ? &of_sends : &of_receives, (double)half->bytes);
}

void smpi_end_waits(smpi_rank *r, tlr_state *state)
{
    smpi_waits *w = waits_of(r);
    const tlr_message_times times = {message_s, overhead_of, r};
    /* A sleep takes its time on any network; with several threads, the others may compute
     * meanwhile. */
    const int on_any_network =
        r->info->action == TL_ACTION_INIT || (r->info->action == TL_ACTION_SLEEP && !r->n_threads);
    state->rank = r->rank;
    if (!tlr_end_waits(w->now, w->n_now, &times, on_any_network, &w->clocks, NULL, state))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
    smpi_clock_call(r, &w->place, &w->clocks, state);
    for (size_t i = 0; i < w->n_now; i++)
        tlr_release_half(&halves, w->now[i]);
    w->n_now = 0;
}

void smpi_wait_computed(smpi_rank *r, double took_s, double reference_s)
{
    smpi_waits *w = waits_of(r);
    smpi_clock_computation(r, &w->place, &w->clocks, took_s, reference_s);
}
