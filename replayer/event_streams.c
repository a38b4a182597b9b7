/* event_streams.c - the events of all ranks; ranks with the same events share one cursor. */
#include "event_streams.h"

#include <stdlib.h>
#include <string.h>

enum { PIECE_EVENTS = 128 };

/* A piece: consecutive events of one cursor. */
typedef struct piece {
    struct piece *next;
    uint32_t n_here; /* ranks whose last event stands in it, or before the first one of all */
    uint32_t n_events;
    int64_t *lists; /* of its events, one behind the other */
    tl_event events[];
} piece;

/* A group: ranks with the same events. */
typedef struct group {
    tl_cursor *cursor;
    uint32_t first; /* the rank that the cursor reads */
    uint32_t n_pieces, max_pieces;
    piece *oldest, *newest;
    bool has_ended;
} group;

/* The position of one rank. */
typedef struct place {
    group *group; /* NULL: none any more */
    piece *piece;
    uint32_t n_taken;  /* of the piece */
    uint64_t position; /* in the group */
    tl_cursor *own;
} place;

struct tlr_streams {
    tl_reader *trace;
    const tlr_plan *plan;
    group **groups; /* by their first rank */
    place *places;
    tl_error error;
};

static tl_status no_memory(tl_error *err)
{
    return tl_no_memory(err, "events of the ranks");
}

static piece *new_piece(uint32_t n_events)
{
    piece *p = malloc(sizeof *p + n_events * sizeof *p->events);
    if (p)
        *p = (piece){.n_events = 0};
    return p;
}

static void free_piece(piece *p)
{
    if (p)
        free(p->lists);
    free(p);
}

/* Frees the pieces that all ranks of the group have passed. */
static void drop_passed(group *g)
{
    while (g->oldest != g->newest && !g->oldest->n_here) {
        piece *next = g->oldest->next;
        free_piece(g->oldest);
        g->oldest = next;
        g->n_pieces--;
    }
}

static group *new_group(uint32_t first, uint32_t n_ranks)
{
    group *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->first = first;
    g->n_pieces = 1;
    /* A cursor takes more memory than two pieces. */
    g->max_pieces = 2 * n_ranks;
    g->oldest = g->newest = new_piece(0);
    if (!g->oldest) {
        free(g);
        return NULL;
    }
    g->oldest->n_here = n_ranks;
    return g;
}

static void free_group(group *g)
{
    if (!g)
        return;
    while (g->oldest) {
        piece *next = g->oldest->next;
        free_piece(g->oldest);
        g->oldest = next;
    }
    tl_cursor_close(g->cursor);
    free(g);
}

tl_status tlr_streams_open(tl_reader *trace, const tlr_plan *plan, tlr_streams **out, tl_error *err)
{
    tlr_streams *s = calloc(1, sizeof *s);
    *out = NULL;
    if (!s)
        return no_memory(err);
    s->trace = trace;
    s->plan = plan;
    s->groups = calloc(plan->n_ranks, sizeof(group *));
    s->places = calloc(plan->n_ranks, sizeof *s->places);
    bool has_room = s->groups && s->places;
    for (uint32_t r = 0; r < plan->n_ranks && has_room; r++) {
        const tlr_plan_rank *like = plan->ranks[r];
        if (like->n_alike < 2)
            continue;
        if (like->first == r)
            has_room = (s->groups[r] = new_group(r, like->n_alike)) != NULL;
        if (has_room)
            s->places[r] =
                (place){.group = s->groups[like->first], .piece = s->groups[like->first]->oldest};
    }
    if (!has_room) {
        tlr_streams_close(s);
        return no_memory(err);
    }
    *out = s;
    return TL_OK;
}

static void leave_piece(place *p)
{
    p->piece->n_here--;
    p->piece = NULL;
    drop_passed(p->group);
}

/* From here on the rank reads with a cursor of its own. */
static tl_status go_alone(tlr_streams *s, uint32_t rank)
{
    place *p = &s->places[rank];
    tl_status status = tl_cursor_open(s->trace, rank, &p->own, &s->error);
    if (status == TL_OK && p->position && (status = tl_cursor_seek(p->own, p->position)) != TL_OK)
        s->error = *tl_cursor_error(p->own);
    if (p->group) {
        leave_piece(p);
        p->group = NULL;
    }
    return status;
}

/* Reads the next piece. If reading fails, the ranks that reach the failed place report it. */
static tl_status read_piece(group *g, tl_reader *trace, tl_error *err)
{
    tl_status status = TL_OK;
    if (!g->cursor && (status = tl_cursor_open(trace, g->first, &g->cursor, err)) != TL_OK)
        return status;
    piece *p = new_piece(PIECE_EVENTS);
    size_t n_listed = 0, starts[PIECE_EVENTS] = {0};
    if (!p)
        return no_memory(err);
    while (p->n_events < PIECE_EVENTS) {
        tl_event *e = &p->events[p->n_events];
        if ((status = tl_cursor_next(g->cursor, e)) != TL_OK)
            break;
        starts[p->n_events++] = n_listed;
        if (!e->list_len)
            continue;
        int64_t *lists = realloc(p->lists, (n_listed + e->list_len) * sizeof *lists);
        if (!lists) {
            free_piece(p);
            return no_memory(err);
        }
        p->lists = lists;
        memcpy(lists + n_listed, e->list, e->list_len * sizeof *lists);
        n_listed += e->list_len;
    }
    for (uint32_t i = 0; i < p->n_events; i++)
        p->events[i].list = p->events[i].list_len ? p->lists + starts[i] : NULL;
    g->has_ended = status != TL_OK;
    if (!p->n_events) {
        free_piece(p);
        return status;
    }
    g->newest->next = p;
    g->newest = p;
    g->n_pieces++;
    return TL_OK;
}

/* Moves to the next piece. There is none at the end of the trace, or if the rank is too far ahead
 * of its group. */
static int next_piece(tlr_streams *s, place *p)
{
    group *g = p->group;
    if (!p->piece->next && !g->has_ended && g->n_pieces != g->max_pieces)
        read_piece(g, s->trace, &s->error);
    piece *next = p->piece->next;
    if (!next)
        return 0;
    next->n_here++;
    leave_piece(p);
    p->piece = next;
    p->n_taken = 0;
    return 1;
}

tl_status tlr_streams_next(tlr_streams *s, uint32_t rank, tl_event *event)
{
    place *p = &s->places[rank];
    tl_status status = TL_OK;
    if (p->group && p->n_taken == p->piece->n_events && !next_piece(s, p)) {
        if (p->group->has_ended && p->position == s->plan->ranks[rank]->n_events)
            return TL_END;
        status = go_alone(s, rank);
    } else if (!p->group && !p->own) {
        status = go_alone(s, rank);
    }
    if (status != TL_OK)
        return status;
    if (!p->group) {
        status = tl_cursor_next(p->own, event);
        if (status != TL_OK && status != TL_END)
            s->error = *tl_cursor_error(p->own);
        return status;
    }
    *event = p->piece->events[p->n_taken++];
    p->position++;
    tl_event_move(event, p->group->first, rank);
    return TL_OK;
}

static void close_place(place *p)
{
    tl_cursor_close(p->own);
    p->own = NULL;
}

uint64_t tlr_streams_position(const tlr_streams *s, uint32_t rank)
{
    const place *p = &s->places[rank];
    return p->own ? tl_cursor_position(p->own) : p->position;
}

tl_status tlr_streams_set_asker(tlr_streams *s, uint32_t rank, tl_asker *ask, void *arg)
{
    place *p = &s->places[rank];
    const tl_status status = p->own ? TL_OK : go_alone(s, rank);
    if (status == TL_OK)
        tl_cursor_set_asker(p->own, ask, arg);
    return status;
}

const tl_error *tlr_streams_error(const tlr_streams *s)
{
    return &s->error;
}

void tlr_streams_leave(tlr_streams *s, uint32_t rank)
{
    place *p = &s->places[rank];
    if (p->group && p->piece)
        leave_piece(p);
    p->group = NULL;
    close_place(p);
}

void tlr_streams_close(tlr_streams *s)
{
    if (!s)
        return;
    for (uint32_t r = 0; r < s->plan->n_ranks; r++) {
        if (s->places)
            close_place(&s->places[r]);
        if (s->groups)
            free_group(s->groups[r]);
    }
    free(s->places);
    free(s->groups);
    free(s);
}
