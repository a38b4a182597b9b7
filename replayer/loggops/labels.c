/* labels.c - what a timeline shows of the operations of a program. */
#include "config.h"

#include "reading.h"
#include "results/parallel_regions.h"
#include "results/state_of_event.h"

#include <stdlib.h>
#include <string.h>

static loggops_label *add_label(loggops_reading *t)
{
    if (!loggops_has_room(t, &t->labels, t->n_labels + 1, &t->labels_room, sizeof *t->labels))
        return NULL;
    loggops_label *label = &t->labels[t->n_labels++];
    memset(label, 0, sizeof *label);
    label->op = (uint32_t)t->n_ops;
    label->peer = LOGGOPS_NOBODY;
    return label;
}

/* The operation is added before the next event that takes time, as the next one. */
void loggops_label_computation(loggops_reading *t, const tl_event *e, bool is_kernel,
                               uint32_t before, double seconds)
{
    loggops_label *label = seconds > 0 ? add_label(t) : NULL;
    if (!label)
        return;
    const bool has_site = is_kernel || e->call == TL_MPI_Parallel;
    label->share_s = seconds;
    label->kind = is_kernel ? TLR_STATE_KERNEL : TLR_STATE_COMPUTE;
    label->call = is_kernel ? e->call : 0;
    label->site = has_site ? e->site : 0;
    label->before = has_site ? 0 : before;
    label->after = has_site ? 0 : e->site;
    label->tag = is_kernel ? e->tag : tlr_region_tag(e, t->n_regions);
}

void loggops_label_none(loggops_reading *t)
{
    for (size_t i = t->n_labels; i-- > 0 && t->labels[i].op == t->n_ops;)
        t->labels[i].share_s = 0;
}

static tlr_state_kind kind_of(tl_action action)
{
    switch (tl_meaning_of(action)->kind) {
    case TL_KIND_SEND:
    case TL_KIND_SENDRECV: return TLR_STATE_SEND;
    case TL_KIND_RECEIVE: return TLR_STATE_RECEIVE;
    case TL_KIND_COLLECTIVE:
    case TL_KIND_NEIGHBORHOOD:
    case TL_KIND_CONSTRUCTOR: return TLR_STATE_COLLECTIVE;
    case TL_KIND_ACCESS: return TLR_STATE_SEND;
    case TL_KIND_WINDOW:
    case TL_KIND_EPOCH: return TLR_STATE_WAIT;
    case TL_KIND_FILE:
    case TL_KIND_FILE_ALONE: return TLR_STATE_IO;
    default: break;
    }
    return action == TL_ACTION_START  ? TLR_STATE_SEND
           : action == TL_ACTION_WAIT ? TLR_STATE_WAIT
                                      : TLR_STATE_OTHER;
}

/* Ranks that do the same have one program: a partner is relative to the rank, a root is not. */
static void take_peer(const loggops_reading *t, const tl_event *e, loggops_label *label)
{
    const loggops_comm *c = &t->run->comms[label->comm];
    const uint32_t me = c->n_first ? loggops_rank_in(c, t->rank) : 0;
    const bool is_collective = tl_is_collective(tl_call_by_code(e->call)->action);
    if (is_collective && (e->peer >= 0 || e->peer == TL_ROOT)) {
        label->flags |= LOGGOPS_TO_ROOT;
        label->peer =
            e->peer < 0 ? (int32_t)me : e->peer + (int32_t)(me < c->n_first ? c->n_first : 0);
    } else if (e->peer >= 0) {
        label->peer = loggops_partner_in(t, label->comm, e->peer);
    }
}

/* The collectives of a call that makes a window or opens a file are on what it makes. */
static int makes_its_comm(tl_action action)
{
    return action == TL_ACTION_WIN_CREATE || action == TL_ACTION_FILE_OPEN;
}

/* The bytes of a persistent request are those of its starts. */
static int64_t bytes_of(loggops_reading *t, const tl_event *e, const tl_call_info *info,
                        int64_t bytes)
{
    int64_t sum = 0;
    if (info->traits & TL_TRAIT_PERSISTENT && e->request) {
        loggops_request_of(t, e->request)->bytes =
            info->action == TL_ACTION_RECV_INIT ? -bytes : bytes;
        return 0;
    }
    if (info->action != TL_ACTION_START)
        return bytes;
    for (uint32_t i = 0; i <= e->list_len; i++) {
        const int64_t id = i < e->list_len ? e->list[i] : e->request;
        if (id > 0)
            sum = tlr_add_started(sum, loggops_request_of(t, id)->bytes);
    }
    return llabs(sum);
}

/* The messages that it starts have labels already: theirs follow. */
void loggops_label_event(loggops_reading *t, const tl_event *e, const tl_call_info *info,
                         size_t n_before)
{
    tlr_state state = {0};
    loggops_label *label = add_label(t);
    if (!label)
        return;
    tlr_state_of_event(t->plan, t->rank, e, info, &state);
    label->call = state.call;
    label->site = state.site;
    label->tag = state.tag;
    label->plan_comm = state.comm;
    label->bytes = bytes_of(t, e, info, state.bytes);
    label->kind = kind_of(info->action);
    if (info->slots & TL_SLOT_COMM) {
        label->own_comm = makes_its_comm(info->action) ? e->new_comm : e->comm;
        label->comm = loggops_comm_of(t, e);
        if (info->slots & TL_SLOT_PEER)
            take_peer(t, e, label);
    }
    if (tlr_needs_certainly(e, info) && !t->run->comms[label->comm].n_first)
        label->flags |= LOGGOPS_IS_CERTAIN;
    if (t->n_ops > n_before) {
        label->flags |= LOGGOPS_TAKES_TIME;
        label->op--;
    }
}

void loggops_label_started(loggops_reading *t, const loggops_op *op)
{
    const bool is_message = op->kind == LOGGOPS_SEND && op->peer != LOGGOPS_NOBODY;
    loggops_label *label = is_message ? add_label(t) : NULL;
    if (!label)
        return;
    label->op--;
    label->kind = TLR_STATE_MESSAGE;
    label->call = TL_MPI_Start;
    label->comm = op->comm;
    label->plan_comm = op->comm < t->plan->n_comms ? op->comm + 1 : 0;
    label->peer = op->peer;
    label->bytes = (int64_t)op->amount;
}

void loggops_keep_labels(loggops_reading *t, size_t op)
{
    size_t n = 0;
    for (size_t i = 0; i < t->n_labels; i++)
        if (t->labels[i].op >= op) {
            t->labels[n] = t->labels[i];
            t->labels[n++].op -= (uint32_t)op;
        }
    t->n_labels = n;
}
