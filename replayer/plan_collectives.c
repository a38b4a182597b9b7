/* plan_collectives.c - do all members of a communicator make the same collective calls in the same
 * order?  Each rank's calls on a communicator are hashed as they pass; two ranks that disagree are
 * read once more to find the first call that differs. */
#include "plan.h"

#include "actions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* The call, and its root; 0 for one that is not collective over a communicator's members. */
static uint64_t signature(const tl_event *event, const tl_call_info *info)
{
    const int constructs =
        info->action == TL_ACTION_COMM_DUP || info->action == TL_ACTION_COMM_SPLIT ||
        (info->action == TL_ACTION_COMM_CREATE && event->call != TL_MPI_Comm_create_group);
    if (!constructs && !tl_is_collective(info->action))
        return 0;
    const uint32_t root = info->slots & TL_SLOT_PEER ? (uint32_t)event->peer : 0;
    return ((uint64_t)root << 16) | event->call;
}

/* A nonblocking collective has no choice of algorithms. */
static void note_algorithm(tlr_plan_comm *comm, tl_action action)
{
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        action = TL_ACTION_REDUCE_SCATTER;
    if (action < 64 && tl_meaning_of(action)->kind == TL_KIND_COLLECTIVE &&
        !tl_is_nonblocking(action))
        comm->calls |= UINT64_C(1) << action;
}

/* All messages of a collective together have no more bytes than all blocks of all members. */
static void note_sizes(tlr_plan *plan, int32_t comm, const tl_event *e, const tl_call_info *info)
{
    enum { MOST_AGREED_BYTES = 16 };
    const double sent = (double)e->count * (double)e->type_bytes,
                 received = (double)e->recv_count * (double)e->recv_type_bytes;
    double bytes = sent > received ? sent : received;
    const tl_kind kind = (tl_kind)tl_meaning_of(info->action)->kind;
    if (kind == TL_KIND_CONSTRUCTOR || kind == TL_KIND_WINDOW) /* what they agree on */
        bytes = MOST_AGREED_BYTES * (double)plan->n_ranks;
    if (kind == TL_KIND_COLLECTIVE && comm >= 0)
        bytes *= plan->comms[comm].n_members;
    if (info->traits & TL_TRAIT_SIZED) {
        double n = 0, unit = 1;
        for (uint32_t i = 0; i < e->list_len; i++)
            n += (double)e->list[i];
        unit = e->type_bytes > 1 ? (double)e->type_bytes : unit;
        unit = (double)e->recv_type_bytes > unit ? (double)e->recv_type_bytes : unit;
        bytes = n * unit > bytes ? n * unit : bytes;
    }
    if (kind != TL_KIND_FILE && kind != TL_KIND_FILE_ALONE && bytes > plan->most_bytes)
        plan->most_bytes = bytes;
    plan->has_synchronous |= kind == TL_KIND_ACCESS || e->call == TL_MPI_Ssend ||
                             e->call == TL_MPI_Issend || e->call == TL_MPI_Ssend_init;
}

void tlr_plan_note_collective(tlr_plan *plan, uint32_t rank, const tl_event *event,
                              const tl_call_info *info)
{
    const int32_t comm = tlr_plan_find_comm(plan, rank, event->comm);
    const uint64_t sign = signature(event, info);
    note_sizes(plan, comm, event, info);
    if (comm >= 0)
        note_algorithm(&plan->comms[comm], info->action);
    /* The groups of an intercommunicator name their roots differently. */
    if (!sign || comm < 0 || plan->comms[comm].n_first)
        return;
    tlr_plan_sequence *s = &plan->ranks[rank]->sequences[event->comm];
    s->hash = XXH64(&sign, sizeof sign, s->hash);
    s->n_calls++;
}

/* The k-th call of a rank on a communicator. */
typedef struct found {
    tl_cursor *cursor;
    tl_event event;
    uint64_t sign;
} found;

static int next_call(found *f, uint32_t comm)
{
    while (tl_cursor_next(f->cursor, &f->event) == TL_OK) {
        f->sign = f->event.comm == comm ? signature(&f->event, tl_call_by_code(f->event.call)) : 0;
        if (f->sign)
            return 1;
    }
    f->sign = 0;
    return 0;
}

static void describe(tl_reader *trace, uint32_t rank, const found *f, char *text, size_t size)
{
    char site[96];
    tl_site_name(trace, rank, f->event.site, site, sizeof site);
    if (!f->sign)
        snprintf(text, size, "rank %u makes no further one", rank);
    else
        snprintf(text, size, "rank %u calls %s (event %" PRIu64 ", %s)", rank,
                 tl_call_by_code(f->event.call)->name, tl_cursor_position(f->cursor) - 1, site);
}

/* Finds where two ranks part, and says it. */
static tl_status tell_difference(tl_reader *trace, const tlr_plan *plan, const uint32_t ranks[2],
                                 const uint32_t ids[2], tl_error *err)
{
    found f[2] = {{0}};
    char text[2][200];
    const tlr_plan_comm *comm = &plan->comms[tlr_plan_find_comm(plan, ranks[0], ids[0])];
    tl_status status = TL_OK;
    for (int i = 0; i < 2 && status == TL_OK; i++)
        status = tl_cursor_open(trace, ranks[i], &f[i].cursor, err);
    if (status != TL_OK)
        goto cleanup;
    uint64_t n = 0;
    int more;
    do {
        n++;
        more = next_call(&f[0], ids[0]) | next_call(&f[1], ids[1]);
    } while (more && f[0].sign == f[1].sign);
    for (int i = 0; i < 2; i++)
        describe(trace, ranks[i], &f[i], text[i], sizeof text[i]);
    const int same_call = f[0].sign && f[1].sign && f[0].event.call == f[1].event.call;
    status = tl_fail(err, TLR_ERR_DEADLOCK,
                     "%s: collective number %" PRIu64 " on a communicator of %u ranks differs: %s, "
                     "%s%s; all members must make the same calls in the same order",
                     tl_reader_path(trace), n, comm->n_members, text[0], text[1],
                     same_call ? " with another root" : "");
cleanup:
    tl_cursor_close(f[0].cursor);
    tl_cursor_close(f[1].cursor);
    return status;
}

tl_status tlr_plan_check_collectives(tl_reader *trace, const tlr_plan *plan, tl_error *err)
{
    tl_status status = TL_OK;
    /* The first member seen of each communicator. */
    struct {
        uint32_t rank, id;
    } *first = calloc(plan->n_comms, sizeof *first);
    if (!first)
        return tl_no_memory(err, "communicators");
    for (uint32_t r = 0; r < plan->n_ranks && status == TL_OK; r++)
        for (uint32_t id = 0; id < plan->ranks[r]->n_comms && status == TL_OK; id++) {
            const int32_t comm = plan->ranks[r]->comms[id];
            if (comm < 0 || plan->ranks[r]->first != r)
                continue;
            if (!first[comm].id) {
                first[comm].rank = r;
                first[comm].id = id;
                continue;
            }
            const uint32_t ranks[2] = {first[comm].rank, r}, ids[2] = {first[comm].id, id};
            const tlr_plan_sequence *a = &plan->ranks[ranks[0]]->sequences[ids[0]];
            const tlr_plan_sequence *b = &plan->ranks[r]->sequences[id];
            if (a->n_calls != b->n_calls || a->hash != b->hash)
                status = tell_difference(trace, plan, ranks, ids, err);
        }
    free(first);
    return status;
}
