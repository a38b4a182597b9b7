/* open_receives.c - finds the message that a receive from any source, or with any tag, took. */
#include "config.h"

#include "open_receives.h"

#include "core/room.h"
#include "request_slots.h"

#include <stdlib.h>

/* An open receive that the second cursor has passed and the rank has not. */
typedef struct posted {
    bool is_matched;
    int32_t source, tag;
} posted;

struct tlr_open_receives {
    tl_cursor *cursor;
    bool (*has_comm)(const void *arg, uint32_t comm);
    const void *arg;
    bool is_sparse;
    tlr_renumbering renumbering;
    int at_end;
    size_t first, past, room; /* of posted: the queue is [first, past) */
    posted *posted;
    uint64_t n_dropped; /* receives that have left the queue */
    size_t n_ids;
    uint64_t *last;          /* by request: number of its open receive, 0 none, from 1 */
    unsigned char *persists; /* by request: a persistent receive that is open */
};

bool tlr_receive_is_open(const tl_event *e)
{
    return (e->call == TL_MPI_Irecv || e->call == TL_MPI_Recv_init) && e->peer != TL_PROC_NULL &&
           (e->peer == TL_ANY_SOURCE || e->tag == TL_ANY_TAG);
}

/* The functions below that return an int return 0 without memory. */
static int make_room(tlr_open_receives *a, int64_t id)
{
    size_t n = a->n_ids;
    return tl_reach(&a->last, &n, (size_t)id, sizeof *a->last) &&
           tl_reach(&a->persists, &a->n_ids, (size_t)id, 1);
}

static int post(tlr_open_receives *a, int64_t id)
{
    if (a->past == a->room && a->first > a->room / 2) {
        for (size_t i = a->first; i < a->past; i++)
            a->posted[i - a->first] = a->posted[i];
        a->past -= a->first;
        a->first = 0;
    } else if (!tl_make_room(&a->posted, a->past, &a->room, sizeof *a->posted)) {
        return 0;
    }
    a->posted[a->past++] = (posted){0};
    a->last[id] = a->n_dropped + (a->past - a->first);
    return 1;
}

static int start_receive(tlr_open_receives *a, int64_t id)
{
    return make_room(a, id) && (!a->persists[id] || post(a, id));
}

static int match(tlr_open_receives *a, const tl_event *e)
{
    if (!make_room(a, e->request))
        return 0;
    const uint64_t number = a->last[e->request];
    if (number > a->n_dropped)
        a->posted[a->first + (number - a->n_dropped) - 1] = (posted){1, e->peer, e->tag};
    a->last[e->request] = 0;
    return 1;
}

static int begin_receive(tlr_open_receives *a, const tl_event *e)
{
    if (!make_room(a, e->request))
        return 0;
    const bool is_open = tlr_receive_is_open(e) && a->has_comm(a->arg, e->comm);
    a->persists[e->request] = e->call == TL_MPI_Recv_init && is_open;
    return !is_open || e->call != TL_MPI_Irecv || post(a, e->request);
}

/* Takes the next event into account. */
static int follow(tlr_open_receives *a, const tl_event *e)
{
    if (e->call == TL_MPI_Match)
        return match(a, e);
    if (tl_call_by_code(e->call)->traits & TL_TRAIT_NB)
        return begin_receive(a, e);
    if (e->call == TL_MPI_Start)
        return start_receive(a, e->request);
    for (uint32_t i = 0; e->call == TL_MPI_Startall && i < e->list_len; i++)
        if (!start_receive(a, e->list[i]))
            return 0;
    return 1;
}

tl_status tlr_open_receives_make(tl_reader *trace, uint32_t rank, bool is_sparse,
                                 bool (*has_comm)(const void *arg, uint32_t comm), const void *arg,
                                 tlr_open_receives **out, tl_error *err)
{
    tlr_open_receives *a = calloc(1, sizeof *a);
    *out = a;
    if (!a)
        return tl_no_memory(err, "requests");
    a->is_sparse = is_sparse;
    a->has_comm = has_comm;
    a->arg = arg;
    return tl_cursor_open(trace, rank, &a->cursor, err);
}

tl_status tlr_open_receives_next(tlr_open_receives *a, int32_t *source, int32_t *tag, tl_error *err)
{
    while (!a->at_end && (a->first == a->past || !a->posted[a->first].is_matched)) {
        tl_event event;
        if (tl_cursor_next(a->cursor, &event) != TL_OK)
            a->at_end = 1;
        else if ((a->is_sparse && !tlr_renumber(&a->renumbering, &event)) || !follow(a, &event))
            return tl_no_memory(err, "requests");
    }
    if (a->first == a->past)
        return TL_OK;
    const posted p = a->posted[a->first++];
    a->n_dropped++;
    if (!p.is_matched) /* never completed in the run: it takes nothing that others wait for */
        *source = TL_PROC_NULL;
    else {
        *source = p.source;
        *tag = p.source == TL_PROC_NULL ? *tag : p.tag;
    }
    return TL_OK;
}

void tlr_open_receives_free(tlr_open_receives *a)
{
    if (!a)
        return;
    tl_cursor_close(a->cursor);
    tlr_renumbering_free(&a->renumbering);
    free(a->posted);
    free(a->last);
    free(a->persists);
    free(a);
}
