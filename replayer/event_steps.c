/* event_steps.c - the events of one rank as steps, for both engines. */
#include "config.h"

#include "event_steps.h"

#include <stdlib.h>

static tlr_step_kind kind_of(const tlr_walk *w, const tl_event *e, const tl_call_info *info)
{
    switch (info->action) {
    case TL_ACTION_ENTER: return TLR_STEP_NOTHING;
    case TL_ACTION_NONE:
    case TL_ACTION_THREAD:
    case TL_ACTION_MATCH:
    case TL_ACTION_KERNEL:
    case TL_ACTION_PROBE: /* the receive that follows waits */
    case TL_ACTION_FILE_DELETE:
    case TL_ACTION_COMM_FREE: return TLR_STEP_LOCAL;
    default: break;
    }
    if (!tlr_plan_is_modelled(w->plan, w->rank, e, info))
        return TLR_STEP_LOCAL;
    switch (info->action) {
    case TL_ACTION_SEND_INIT:
    case TL_ACTION_RECV_INIT:
    case TL_ACTION_REQUEST_FREE:
    case TL_ACTION_CANCEL: return TLR_STEP_REQUEST;
    default: return TLR_STEP_CALL;
    }
}

/* ---- receives ---- */

static void note_match(tlr_walk *w, const tl_event *e)
{
    if (e->request || w->is_free) /* with a request: open_receives.c finds its receive */
        return;
    w->has_match = 1;
    w->match_source = e->peer;
    w->match_tag = e->tag;
}

static void settle(tlr_walk *w, tl_event *e, tl_action action)
{
    if (!w->has_match || (action != TL_ACTION_RECV && action != TL_ACTION_SENDRECV))
        return;
    const bool is_recv = action == TL_ACTION_RECV;
    *(is_recv ? &e->peer : &e->recv_peer) = w->match_source;
    *(is_recv ? &e->tag : &e->recv_tag) = w->match_tag;
    w->has_match = 0;
}

static bool has_comm(const void *walk, uint32_t comm)
{
    const tlr_walk *w = walk;
    return tlr_plan_find_comm(w->plan, w->rank, comm) != TLR_PLAN_NO_COMM;
}

tl_status tlr_walk_outcome(tlr_walk *w, int32_t *source, int32_t *tag, tl_error *err)
{
    if (!w->ahead)
        TL_TRY(tlr_open_receives_make(w->trace, w->rank, w->plan->ranks[w->rank]->is_sparse,
                                      has_comm, w, &w->ahead, err));
    return tlr_open_receives_next(w->ahead, source, tag, err);
}

/* ---- marks ---- */

static tl_status pass_mark(tlr_walk *w, const tl_event *e, size_t *mark, tl_error *err)
{
    tlr_plan_rank *own = w->plan->ranks[w->rank];
    const tlr_plan_site *site = tlr_plan_find_site(own, e->call, e->site);
    if (!site || !site->marks)
        return TL_OK;
    if (!w->n_passed && !(w->n_passed = calloc(own->n_sites, sizeof *w->n_passed)))
        return tl_no_memory(err, "marks");
    *mark = site->marks->first + w->n_passed[site - own->sites]++;
    if (w->measured_s)
        w->measured_s[*mark * w->plan->n_ranks + w->rank] = (double)e->clock_ns * 1e-9;
    return TL_OK;
}

tl_status tlr_walk_step(tlr_walk *w, tl_event *event, tlr_step *out, tl_error *err)
{
    const tl_call_info *info = tl_call_by_code(event->call);
    const uint32_t entered = w->entered;
    if (w->plan->ranks[w->rank]->is_sparse && !tlr_renumber(&w->renumbering, event))
        return tl_no_memory(err, "requests");
    *out = (tlr_step){
        .info = info, .kind = kind_of(w, event, info), .entered = entered, .mark = TLR_NO_MARK};
    w->entered = out->kind == TLR_STEP_NOTHING ? event->request : 0;
    if (info->action == TL_ACTION_MATCH)
        note_match(w, event);
    else
        settle(w, event, info->action);
    return out->kind >= TLR_STEP_REQUEST && (info->traits & TL_TRAIT_MARK) && !entered
               ? pass_mark(w, event, &out->mark, err)
               : TL_OK;
}

bool tlr_walk_is_entered(const tlr_walk *w, uint32_t comm)
{
    const int32_t index = tlr_plan_find_comm(w->plan, w->rank, comm);
    return index >= 0 && w->plan->comms[index].is_entered;
}

void tlr_walk_close(tlr_walk *w)
{
    free(w->n_passed);
    tlr_renumbering_free(&w->renumbering);
    tlr_open_receives_free(w->ahead);
    w->n_passed = NULL;
    w->ahead = NULL;
}
