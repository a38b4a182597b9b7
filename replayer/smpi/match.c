/* match.c - finds the message that a receive from any source, or with any tag, took in the recorded
 * run.
 *
 * The trace contains the match when the receive completes, which is later than it is posted. A
 * second cursor therefore reads ahead of the rank. It follows the open receives in the order in
 * which they are posted, up to the match of the receive that the rank posts now. */
#include "config.h"

#include "rank.h"
#include "request_slots.h"

#include <stdlib.h>

/* An open receive that the second cursor has passed and the rank has not. */
typedef struct posted {
    int is_matched;
    int32_t source, tag;
} posted;

struct smpi_ahead {
    tl_cursor *cursor;
    tlr_renumbering renumbering;
    int at_end;
    size_t first, past, room; /* of posted: the queue is [first, past) */
    posted *posted;
    uint64_t n_dropped; /* receives that have left the queue */
    size_t n_ids;
    uint64_t *last;          /* by request: number of its open receive, 0 none, from 1 */
    unsigned char *persists; /* by request: a persistent receive that is open */
};

int smpi_is_open(const smpi_rank *r, const tl_event *e)
{
    return !replay.options->wildcards_first &&
           (e->call == TL_MPI_Irecv || e->call == TL_MPI_Recv_init) && e->peer != TL_PROC_NULL &&
           (e->peer == TL_ANY_SOURCE || e->tag == TL_ANY_TAG) && r->comms[e->comm] != MPI_COMM_NULL;
}

static void make_room(smpi_ahead *a, int64_t id)
{
    if ((size_t)id < a->n_ids)
        return;
    size_t n = a->n_ids ? a->n_ids : 64;
    while (n <= (size_t)id)
        n *= 2;
    a->last = realloc(a->last, n * sizeof *a->last);
    a->persists = realloc(a->persists, n);
    if (!a->last || !a->persists)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
    for (size_t i = a->n_ids; i < n; i++)
        a->last[i] = a->persists[i] = 0;
    a->n_ids = n;
}

static void post(smpi_ahead *a, int64_t id)
{
    if (a->past == a->room) {
        /* Compacts the table if half of it is free; otherwise doubles it. */
        if (a->first > a->room / 2) {
            for (size_t i = a->first; i < a->past; i++)
                a->posted[i - a->first] = a->posted[i];
            a->past -= a->first;
            a->first = 0;
        } else {
            a->room = a->room ? 2 * a->room : 16;
            a->posted = realloc(a->posted, a->room * sizeof *a->posted);
            if (!a->posted)
                smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
        }
    }
    a->posted[a->past++] = (posted){0};
    a->last[id] = a->n_dropped + (a->past - a->first);
}

static void start(smpi_ahead *a, int64_t id)
{
    make_room(a, id);
    if (a->persists[id])
        post(a, id);
}

static void match(smpi_ahead *a, const tl_event *e)
{
    make_room(a, e->request);
    const uint64_t number = a->last[e->request];
    if (number > a->n_dropped)
        a->posted[a->first + (number - a->n_dropped) - 1] = (posted){1, e->peer, e->tag};
    a->last[e->request] = 0;
}

/* Reads the next event and updates the open receives. */
static void follow(const smpi_rank *r, smpi_ahead *a, const tl_event *e)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    if (e->call == TL_MPI_Match) {
        match(a, e);
    } else if (info->traits & TL_TRAIT_NB) {
        make_room(a, e->request);
        a->persists[e->request] = e->call == TL_MPI_Recv_init && smpi_is_open(r, e);
        if (e->call == TL_MPI_Irecv && smpi_is_open(r, e))
            post(a, e->request);
    } else if (e->call == TL_MPI_Start) {
        start(a, e->request);
    } else if (e->call == TL_MPI_Startall) {
        for (uint32_t i = 0; i < e->list_len; i++)
            start(a, e->list[i]);
    }
}

void smpi_find_match(smpi_rank *r, int32_t *source, int32_t *tag)
{
    if (!r->ahead) {
        tl_error err;
        r->ahead = smpi_alloc(1, sizeof *r->ahead);
        if (tl_cursor_open(r->job->trace, r->rank, &r->ahead->cursor, &err) != TL_OK)
            smpi_give_up(err.status, "%s", err.text);
    }
    smpi_ahead *a = r->ahead;
    const int is_sparse = r->job->plan->ranks[r->rank]->is_sparse;
    while (!a->at_end && (a->first == a->past || !a->posted[a->first].is_matched)) {
        tl_event event;
        if (tl_cursor_next(a->cursor, &event) != TL_OK)
            a->at_end = 1;
        else if (is_sparse && !tlr_renumber(&a->renumbering, &event))
            smpi_give_up(TL_ERR_MEMORY, "out of memory for requests");
        else
            follow(r, a, &event);
    }
    if (a->first == a->past)
        return;
    const posted p = a->posted[a->first++];
    a->n_dropped++;
    if (!p.is_matched) /* never completed in the run: it takes nothing that others wait for */
        *source = TL_PROC_NULL;
    else {
        *source = p.source;
        *tag = p.source == TL_PROC_NULL ? *tag : p.tag;
    }
}

void smpi_close_ahead(smpi_rank *r)
{
    if (!r->ahead)
        return;
    tl_cursor_close(r->ahead->cursor);
    tlr_renumbering_free(&r->ahead->renumbering);
    free(r->ahead->posted);
    free(r->ahead->last);
    free(r->ahead->persists);
    free(r->ahead);
    r->ahead = NULL;
}
