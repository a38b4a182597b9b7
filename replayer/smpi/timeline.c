/* timeline.c - writes the states of the ranks to the timeline. */
#include "config.h"

#include "notes.h"
#include "core/room.h"
#include "results/parallel_regions.h"
#include "results/state_of_event.h"

#include <stdlib.h>

#include <simgrid/engine.h>

/* Computation that is pending. */
typedef struct piece {
    double reference_s;
    uint32_t thread, site;
    uint32_t before, after; /* call sites around it */
    int32_t tag;
    uint16_t call;
} piece;

/* The data that a persistent request sends or receives. */
typedef struct message {
    int64_t bytes; /* negative: it receives */
    uint32_t site, comm;
    int32_t peer; /* -1: it sends nothing */
} message;

struct smpi_notes {
    size_t n_pieces, piece_room;
    piece *pieces;
    size_t n_messages;
    message *messages; /* by request id */
};

static smpi_notes *notes_of(smpi_rank *r)
{
    if (!r->notes)
        r->notes = smpi_alloc(1, sizeof *r->notes);
    return r->notes;
}

void smpi_close_notes(smpi_rank *r)
{
    if (r->notes) {
        free(r->notes->pieces);
        free(r->notes->messages);
        free(r->notes);
    }
    r->notes = NULL;
}

static void put(const smpi_rank *r, tlr_state state)
{
    state.job = (uint32_t)(r->job - replay.jobs);
    state.rank = r->rank;
    state.begin_s -= r->job->start_s;
    state.end_s -= r->job->start_s;
    state.cause_s -= r->job->start_s;
    tlr_timeline_put(replay.options->timeline, &state);
}

void smpi_note_piece(smpi_rank *r, bool is_kernel, uint32_t before, double reference_s)
{
    smpi_notes *notes = notes_of(r);
    const bool has_site = is_kernel || r->event.call == TL_MPI_Parallel;
    if (reference_s <= 0)
        return;
    if (!tl_make_room(&notes->pieces, notes->n_pieces, &notes->piece_room, sizeof *notes->pieces))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
    notes->pieces[notes->n_pieces++] =
        (piece){.reference_s = reference_s,
                .thread = r->thread,
                .call = is_kernel ? r->event.call : 0,
                .site = has_site ? r->event.site : 0,
                .before = has_site ? 0 : before,
                .after = has_site ? 0 : r->event.site,
                .tag = is_kernel ? r->event.tag : tlr_region_tag(&r->event, r->n_regions)};
}

/* Pieces that were simulated as one share its time, in the order of the trace. */
void smpi_note_computation(smpi_rank *r, double from_s, double reference_s)
{
    smpi_notes *notes = notes_of(r);
    const double took_s = simgrid_get_clock() - from_s;
    smpi_wait_computed(r, took_s, reference_s);
    double done_s = 0, begin_s = from_s;
    size_t n_left = 0;
    for (size_t i = 0; i < notes->n_pieces; i++) {
        const piece p = notes->pieces[i];
        if (p.thread != r->thread) {
            notes->pieces[n_left++] = p;
            continue;
        }
        done_s += p.reference_s;
        const double end_s =
            done_s < reference_s ? from_s + took_s * (done_s / reference_s) : from_s + took_s;
        const tlr_state state = {.begin_s = begin_s,
                                 .end_s = end_s,
                                 .call = p.call,
                                 .site = p.site,
                                 .before = p.before,
                                 .after = p.after,
                                 .tag = p.tag,
                                 .peer = -1,
                                 .cause_rank = -1,
                                 .kind = p.call ? TLR_STATE_KERNEL : TLR_STATE_COMPUTE};
        put(r, state);
        begin_s = end_s;
    }
    notes->n_pieces = n_left;
}

/* ---- calls ---- */

int32_t smpi_world_rank(const smpi_rank *r, uint32_t comm, int32_t peer)
{
    const tlr_plan *plan = r->job->plan;
    const int32_t index = tlr_plan_find_comm(plan, r->rank, comm);
    if (peer < 0)
        return -1;
    if (index < 0)
        return comm == TL_COMM_SELF ? (int32_t)r->rank : -1;
    const uint64_t i = (uint64_t)peer + r->peer_offset[comm];
    return i < plan->comms[index].n_members ? plan->comms[index].members[i] : -1;
}

static tlr_state_kind kind_of(const smpi_rank *r, const double *account)
{
    const tlr_rank_prediction *result = &r->result->times;
    if (account == &result->p2p_s)
        return r->info->action == TL_ACTION_RECV || r->info->action == TL_ACTION_IRECV ||
                       r->info->action == TL_ACTION_RECV_INIT
                   ? TLR_STATE_RECEIVE
                   : TLR_STATE_SEND;
    if (account == &result->wait_s)
        return TLR_STATE_WAIT;
    if (account == &result->collective_s)
        return TLR_STATE_COLLECTIVE;
    return account == &result->io_s ? TLR_STATE_IO : TLR_STATE_OTHER;
}

static void keep_message(smpi_rank *r, const tlr_state *state)
{
    smpi_notes *notes = notes_of(r);
    const size_t id = r->event.request;
    if (id >= notes->n_messages) {
        const size_t n = 2 * id + 16;
        notes->messages = realloc(notes->messages, n * sizeof *notes->messages);
        if (!notes->messages)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for the timeline");
        for (size_t i = notes->n_messages; i < n; i++)
            notes->messages[i].peer = -1;
        notes->n_messages = n;
    }
    notes->messages[id] =
        (message){.bytes = r->info->action == TL_ACTION_RECV_INIT ? -state->bytes : state->bytes,
                  .site = state->site,
                  .comm = state->comm,
                  .peer = r->info->action == TL_ACTION_SEND_INIT ? state->peer : -1};
}

static const message *message_of(smpi_rank *r, int64_t id)
{
    const smpi_notes *notes = notes_of(r);
    return id > 0 && (uint64_t)id < notes->n_messages ? &notes->messages[id] : NULL;
}

static int64_t bytes_started(smpi_rank *r, int64_t sum, int64_t id)
{
    const message *m = message_of(r, id);
    return m ? tlr_add_started(sum, m->bytes) : sum;
}

static void put_started(smpi_rank *r, int64_t id, double now_s)
{
    const message *m = message_of(r, id);
    if (!m || m->peer < 0)
        return;
    const tlr_state state = {.begin_s = now_s,
                             .end_s = now_s,
                             .bytes = m->bytes,
                             .site = m->site,
                             .comm = m->comm,
                             .peer = m->peer,
                             .call = TL_MPI_Start,
                             .cause_rank = -1,
                             .kind = TLR_STATE_MESSAGE};
    put(r, state);
}

void smpi_note_call(smpi_rank *r, double from_s, const double *account)
{
    tlr_state state = {
        .begin_s = from_s, .end_s = simgrid_get_clock(), .peer = -1, .kind = kind_of(r, account)};
    tlr_state_of_event(r->job->plan, r->rank, &r->event, r->info, &state);
    if (r->info->slots & TL_SLOT_PEER)
        state.peer = smpi_world_rank(r, r->event.comm, r->event.peer);
    const tl_action action = r->info->action;
    if (r->info->traits & TL_TRAIT_PERSISTENT) {
        keep_message(r, &state);
        state.bytes = 0; /* the start moves them */
    }
    if (action == TL_ACTION_START) {
        int64_t sum = bytes_started(r, 0, r->event.request);
        for (uint32_t i = 0; i < r->event.list_len; i++)
            sum = bytes_started(r, sum, r->event.list[i]);
        state.bytes = llabs(sum);
    }
    smpi_end_waits(r, &state);
    put(r, state);
    if (action == TL_ACTION_START) {
        put_started(r, r->event.request, state.end_s);
        for (uint32_t i = 0; i < r->event.list_len; i++)
            put_started(r, r->event.list[i], state.end_s);
    }
}
