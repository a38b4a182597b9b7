/* extrapolate_merge.c - makes a rank with neighbours on all sides from ranks that lack some.
 *
 * If a grid has two ranks along a dimension that is not periodic, none of them has a neighbour on
 * both sides. An inner rank of a larger grid makes the calls of both, each once. A call to the
 * neighbour below is in the part of the last rank; in the part of the first rank it is absent or
 * has MPI_PROC_NULL. The parts of these corners become one sequence: a call is next if it is the
 * next one in all corners that must have it (doc/EXTRAPOLATION.md, "Inner ranks"). */
#include "extrapolate.h"

#include <inttypes.h>

/* A candidate for the next call. */
typedef struct candidate {
    tl_step step;     /* of the rank that is made */
    unsigned takers;  /* corners whose next event it is */
    unsigned must;    /* corners that have it for certain */
    uint64_t n_taken; /* least number of events that one of the takers is past */
} candidate;

static unsigned all_corners(const tl_merge *m)
{
    return (1U << m->n) - 1;
}

/* ---- requests ---- */

static tl_merged_request *request_of(const tl_merge *m, int64_t id)
{
    return id > 0 && (uint64_t)id <= m->n_requests ? &m->requests[id - 1] : NULL;
}

/* The lowest free id, as the tracer would choose it; 0 without memory. */
static uint32_t new_request(tl_merge *m, unsigned corners, bool persistent)
{
    size_t i = 0;
    while (i < m->n_requests && m->requests[i].live)
        i++;
    if (!tl_make_room(&m->requests, i, &m->requests_capacity, sizeof *m->requests))
        return 0;
    if (i == m->n_requests) {
        m->requests[i].shown_live = false;
        m->n_requests++;
    }
    m->requests[i] = (tl_merged_request){.corners = corners,
                                         .live = true,
                                         .persistent = persistent,
                                         .shown_live = m->requests[i].shown_live};
    return (uint32_t)(i + 1);
}

static void complete(const tl_merge *m, int64_t id, bool is_freed)
{
    tl_merged_request *request = request_of(m, id);
    if (!request || (request->persistent && !is_freed))
        return;
    request->live = false;
    if (request->shown)
        m->requests[request->shown - 1].shown_live = false;
}

static bool starts_request(const tl_step *s)
{
    return (s->row->traits & TL_TRAIT_NB) && s->event.request;
}

static bool lists_requests(const tl_step *s)
{
    return s->row->action == TL_ACTION_WAIT || s->row->action == TL_ACTION_START;
}

/* Translates the requests that a corner's event completes or starts. Requests without a beginning
 * are left out. */
static tl_status translate(tl_merge *m, struct tl_corner *c)
{
    tl_event *e = &c->head.event;
    if (e->request && !starts_request(&c->head)) {
        const uint64_t *id = tl_map_find(&c->requests, e->request);
        e->request = id ? (uint32_t)*id : 0;
    }
    if (!lists_requests(&c->head) || !e->list_len)
        return TL_OK;
    c->list.size = 0;
    if (!tl_buffer_reserve(&c->list, e->list_len * sizeof *e->list))
        return tl_no_memory(m->x->err, tl_reader_path(m->x->r));
    int64_t *ids = (int64_t *)(void *)c->list.data;
    uint32_t n = 0;
    for (uint32_t i = 0; i < e->list_len; i++) {
        const uint64_t *id = tl_map_find(&c->requests, (uint64_t)e->list[i]);
        if (id && *id)
            ids[n++] = (int64_t)*id;
    }
    e->list = ids;
    e->list_len = n;
    return TL_OK;
}

/* ---- the next event of a corner ---- */

static tl_status advance(tl_merge *m, struct tl_corner *c)
{
    /* Other corners may have given volumes before their place in the source. They are subtracted
     * from the source's next volumes, so that the sum stays that of the source. */
    const bool is_source = m->source >= 0 && c == &m->corners[m->source];
    const bool is_ahead = is_source && c->accounted > c->head.event.volume;
    c->accounted = is_ahead ? c->accounted - c->head.event.volume : 0;
    tl_status status = tl_walk_next(&c->walk, &c->head);
    c->at_end = status == TL_END;
    if (c->at_end)
        return TL_OK;
    return status ? status : translate(m, c);
}

/* ---- candidates ---- */

/* The corners that have a neighbour in this direction. */
static unsigned corners_with(const tl_merge *m, tl_way way)
{
    unsigned corners = 0;
    for (int i = 0; i < m->n; i++) {
        bool has = true;
        for (int d = 0; d < m->x->from.n_dims; d++)
            if (m->dims & 1U << d)
                has &= way.step[d] == 0 || (way.step[d] < 0) == (m->corners[i].place.at[d] > 0);
        corners |= has ? 1U << i : 0;
    }
    return corners;
}

static unsigned corners_that_must(const tl_merge *m, const tl_step *s)
{
    unsigned corners = all_corners(m);
    for (int i = 0; i < 2; i++)
        if (s->halves[i].kind == TL_HALF_WAY)
            corners &= corners_with(m, s->halves[i].way);
    const tl_merged_request *request = starts_request(s) ? NULL : request_of(m, s->event.request);
    if (request)
        corners &= request->corners;
    if (!lists_requests(s) || !s->event.list_len)
        return corners;
    unsigned some = 0;
    for (uint32_t i = 0; i < s->event.list_len; i++) {
        request = request_of(m, s->event.list[i]);
        some |= request ? request->corners : 0;
    }
    return corners & some;
}

/* Whether two halves can be one: one corner has the peer, and the other lacks it. */
static bool join_half(const tl_merge *m, tl_half *half, const tl_half *other, int corner)
{
    const unsigned bit = 1U << corner;
    if (other->kind == half->kind)
        return other->kind != TL_HALF_WAY || tl_way_is(other->way, half->way);
    if (half->kind == TL_HALF_WAY && other->kind == TL_HALF_NULL)
        return !(corners_with(m, half->way) & bit);
    if (half->kind != TL_HALF_NULL || other->kind != TL_HALF_WAY)
        return false;
    *half = *other;
    return true;
}

static bool has_id(const tl_event *e, int64_t id)
{
    for (uint32_t i = 0; i < e->list_len; i++)
        if (e->list[i] == id)
            return true;
    return false;
}

/* Whether the list of corner b contains those elements of corner a's list that b must have. */
static bool list_has(const tl_merge *m, int a, int b)
{
    const tl_event *e = &m->corners[a].head.event, *f = &m->corners[b].head.event;
    for (uint32_t i = 0; i < e->list_len; i++) {
        const tl_merged_request *request = request_of(m, e->list[i]);
        if (!request || ((request->corners & 1U << b) && !has_id(f, e->list[i])))
            return false;
    }
    return true;
}

static bool lists_agree(const tl_merge *m, unsigned takers, int corner)
{
    for (int i = 0; i < m->n; i++)
        if ((takers & 1U << i) && !(list_has(m, i, corner) && list_has(m, corner, i)))
            return false;
    return true;
}

/* Joins the head of a corner to a candidate if it is the same call. */
static bool join(const tl_merge *m, candidate *c, int corner)
{
    const tl_step *head = &m->corners[corner].head;
    tl_half halves[2] = {c->step.halves[0], c->step.halves[1]};
    for (int i = 0; i < 2; i++)
        if (!join_half(m, &halves[i], &head->halves[i], corner))
            return false;
    tl_step a = c->step, b = *head;
    memset(a.halves, 0, sizeof a.halves);
    memset(b.halves, 0, sizeof b.halves);
    if (starts_request(head))
        b.event.request = a.event.request;
    if (lists_requests(head)) {
        if (!lists_agree(m, c->takers, corner))
            return false;
        a.event.list_len = b.event.list_len = 0;
    }
    if (!tl_step_is(&a, &b))
        return false;
    memcpy(c->step.halves, halves, sizeof halves);
    c->takers |= 1U << corner;
    if (m->corners[corner].n_taken < c->n_taken)
        c->n_taken = m->corners[corner].n_taken;
    return true;
}

static void take_list(candidate *c, const tl_event *from)
{
    c->step.event.list = from->list;
    c->step.event.list_len = from->list_len;
}

/* Sets the sizes of a gather or scatter for the new rank. The new rank is the root only if all
 * corners from which it is made are roots. So if one of these corners is not the root, its sizes
 * are right for the new rank. */
static void take_sizes(const tl_merge *m, candidate *c)
{
    int like = -1;
    for (int i = 0; i < m->n && tl_step_varies_at_root(&c->step); i++)
        if ((c->takers & m->shown & 1U << i) &&
            (like < 0 || tl_walk_at_root(&m->corners[like].walk, &m->corners[like].head)))
            like = i;
    if (like < 0)
        return;
    const tl_event *e = &m->corners[like].head.event;
    c->step.event.count = e->count;
    c->step.event.type_bytes = e->type_bytes;
    c->step.event.recv_count = e->recv_count;
    c->step.event.recv_type_bytes = e->recv_type_bytes;
    take_list(c, e);
}

/* Takes the threads of a region from the corner whose volumes the new rank gets; without one, from
 * the first corner that is shown. */
static void take_threads(const tl_merge *m, candidate *c)
{
    const unsigned takers = c->takers & m->shown ? c->takers & m->shown : c->takers;
    int like = m->source;
    if (c->step.event.call != TL_MPI_Parallel)
        return;
    if (like < 0 || !(takers & 1U << like))
        for (like = 0; !(takers & 1U << like);)
            like++;
    take_list(c, &m->corners[like].head.event);
}

/* Copies a list, because its corner is about to drop it. */
static tl_status keep_list(tl_merge *m, tl_event *e)
{
    m->list.size = 0;
    if (!tl_buffer_reserve(&m->list, (e->list_len + 1) * sizeof *e->list))
        return tl_no_memory(m->x->err, tl_reader_path(m->x->r));
    if (e->list_len)
        memcpy(m->list.data, e->list, e->list_len * sizeof *e->list);
    e->list = (const int64_t *)(const void *)m->list.data;
    return TL_OK;
}

/* Of the next requests in the lists of the takers, the lowest one that no other taker has later; 0:
 * none. */
static int64_t next_of_lists(const tl_merge *m, unsigned takers, const size_t *at)
{
    int64_t next = 0;
    for (int i = 0; i < m->n; i++) {
        const tl_event *e = &m->corners[i].head.event;
        if (!(takers & 1U << i) || at[i] == e->list_len)
            continue;
        const int64_t id = e->list[at[i]];
        bool later = false;
        for (int j = 0; j < m->n; j++) {
            const tl_event *f = &m->corners[j].head.event;
            const bool has = takers & request_of(m, id)->corners & 1U << j;
            later |= has && (at[j] == f->list_len || f->list[at[j]] != id);
        }
        if (!later && (!next || id < next))
            next = id;
    }
    return next;
}

/* The list of all requests for which the takers wait, in an order that agrees with each of them. */
static tl_status join_lists(tl_merge *m, candidate *c)
{
    size_t n = 0, at[TL_MAX_CORNERS] = {0};
    for (int i = 0; i < m->n; i++)
        n += m->corners[i].at_end ? 0 : m->corners[i].head.event.list_len;
    m->list.size = 0;
    if (!tl_buffer_reserve(&m->list, (n + 1) * sizeof(int64_t)))
        return tl_no_memory(m->x->err, tl_reader_path(m->x->r));
    int64_t *ids = (int64_t *)(void *)m->list.data;
    uint32_t n_ids = 0;
    for (int64_t next; (next = next_of_lists(m, c->takers, at));) {
        ids[n_ids++] = next;
        for (int i = 0; i < m->n; i++) {
            const tl_event *e = &m->corners[i].head.event;
            if ((c->takers & 1U << i) && at[i] < e->list_len && e->list[at[i]] == next)
                at[i]++;
        }
    }
    c->step.event.list = ids;
    c->step.event.list_len = n_ids;
    return TL_OK;
}

/* Finds the next call of corner `first` and all corners that agree. False: another corner must have
 * the call, too, but has another one before it. */
static bool find_candidate(const tl_merge *m, int first, candidate *c)
{
    *c = (candidate){.step = m->corners[first].head,
                     .takers = 1U << first,
                     .n_taken = m->corners[first].n_taken};
    for (int i = 0; i < m->n; i++)
        if (i != first && !m->corners[i].at_end)
            join(m, c, i);
    c->must = corners_that_must(m, &c->step);
    for (int i = 0; i < m->n && lists_requests(&c->step); i++)
        if (c->takers & 1U << i) {
            tl_step part = m->corners[i].head;
            part.event.request = 0;
            if (part.event.list_len)
                c->must |= corners_that_must(m, &part);
        }
    return (c->must & c->takers) == c->must;
}

/* The order of two calls if no corner has both: first the call of the corner that is less far in
 * its part; then the lower call site; then the lower neighbour. */
static bool comes_before(const candidate *a, const candidate *b)
{
    if (a->n_taken != b->n_taken)
        return a->n_taken < b->n_taken;
    const tl_site *s = a->step.site, *t = b->step.site;
    if (s && t && strcmp(s->object, t->object) != 0)
        return strcmp(s->object, t->object) < 0;
    if (s && t && s->offset != t->offset)
        return s->offset < t->offset;
    const tl_way v = a->step.halves[0].way, w = b->step.halves[0].way;
    return tl_way_index(v) < tl_way_index(w);
}

static tl_status refuse_order(const tl_merge *m)
{
    const struct tl_corner *a = NULL, *b = NULL;
    for (int i = 0; i < m->n; i++) {
        if (!a && !m->corners[i].at_end)
            a = &m->corners[i];
        else if (!b)
            b = &m->corners[i];
    }
    if (!a || !b)
        return TL_ERR_CORRUPT;
    return tl_refuse(m->x,
                     "rank %" PRIu32 ", event %" PRIu64 " (%s), and rank %" PRIu32
                     ", event %" PRIu64 " (%s): the trace does not show what a rank between them "
                     "does; record with 3 ranks or more along each dimension",
                     a->walk.rank, a->walk.event - 1, a->head.row->name, b->walk.rank,
                     b->walk.event - (b->at_end ? 0 : 1),
                     b->at_end ? "its end" : b->head.row->name);
}

static tl_status choose(tl_merge *m, candidate *best)
{
    bool any = false, several = false;
    for (int i = 0; i < m->n; i++) {
        candidate c;
        if (m->corners[i].at_end || (any && (best->takers & 1U << i)) || !find_candidate(m, i, &c))
            continue;
        several |= any && !(c.takers & best->takers);
        if (!any || comes_before(&c, best))
            *best = c;
        any = true;
    }
    m->n_ordered += several;
    return any ? TL_OK : refuse_order(m);
}

/* ---- the rank that is made ---- */

/* The mean volume that the takers computed since their last events, minus what was already counted;
 * if the source is one of them, its volume. */
static uint64_t merged_volume(tl_merge *m, unsigned takers)
{
    uint64_t n = 0, sum = 0;
    if (m->source >= 0 && (takers & 1U << m->source))
        takers = 1U << m->source;
    for (int i = 0; i < m->n; i++) {
        const struct tl_corner *c = &m->corners[i];
        if (!(takers & 1U << i))
            continue;
        n++;
        sum += c->head.event.volume > c->accounted ? c->head.event.volume - c->accounted : 0;
    }
    const uint64_t mean = n ? sum / n : 0;
    for (int i = 0; i < m->n; i++)
        m->corners[i].accounted += mean;
    return mean;
}

/* The number of a call site in the new rank; 0 without memory, or if it is unknown. */
static uint32_t number_site(tl_merge *m, const tl_site *site)
{
    if (!site)
        return 0;
    for (size_t i = 0; i < m->n_sites; i++)
        if (m->sites[i]->offset == site->offset && !strcmp(m->sites[i]->object, site->object))
            return (uint32_t)(i + 1);
    if (!tl_make_room(&m->sites, m->n_sites, &m->sites_capacity, sizeof(const tl_site *)))
        return 0;
    m->sites[m->n_sites++] = site;
    return (uint32_t)m->n_sites;
}

/* The lowest free request id of the new rank. */
static uint32_t show_request(tl_merge *m)
{
    uint32_t id = 1;
    while (m->requests[id - 1].shown_live)
        id++;
    m->requests[id - 1].shown_live = true;
    return id;
}

static tl_status begin_request(tl_merge *m, candidate *c)
{
    const uint32_t id = new_request(m, c->takers, c->step.row->traits & TL_TRAIT_PERSISTENT);
    if (!id)
        return tl_no_memory(m->x->err, tl_reader_path(m->x->r));
    for (int i = 0; i < m->n; i++) {
        struct tl_corner *corner = &m->corners[i];
        uint64_t *known = c->takers & 1U << i
                              ? tl_map_at(&corner->requests, corner->head.event.request)
                              : &(uint64_t){0};
        if (!known)
            return tl_no_memory(m->x->err, tl_reader_path(m->x->r));
        *known = id;
    }
    if (c->takers & m->shown)
        m->requests[id - 1].shown = show_request(m);
    c->step.event.request = m->requests[id - 1].shown;
    return TL_OK;
}

/* Ends the requests that an event completes or frees, and replaces them by their ids in the new
 * rank. */
static void end_requests(tl_merge *m, candidate *c)
{
    tl_event *e = &c->step.event;
    const bool frees = c->step.row->action == TL_ACTION_REQUEST_FREE;
    const bool completes = c->step.row->action == TL_ACTION_WAIT || frees;
    if (lists_requests(&c->step)) {
        int64_t *ids = (int64_t *)(void *)m->list.data;
        uint32_t n = 0;
        for (uint32_t i = 0; i < e->list_len; i++) {
            const int64_t id = ids[i];
            if (request_of(m, id)->shown)
                ids[n++] = request_of(m, id)->shown;
            if (completes)
                complete(m, id, false);
        }
        e->list_len = n;
    }
    const tl_merged_request *request = request_of(m, e->request);
    const uint32_t id = e->request;
    e->request = request ? request->shown : 0;
    if (completes)
        complete(m, id, frees);
}

/* Removes the neighbours that the new rank does not have. */
static void hide_neighbours(const tl_merge *m, tl_step *step)
{
    for (int i = 0; i < 2; i++)
        if (step->halves[i].kind == TL_HALF_WAY &&
            !(corners_with(m, step->halves[i].way) & m->shown)) {
            step->halves[i].kind = TL_HALF_NULL;
            memset(&step->halves[i].way, 0, sizeof(tl_way));
        }
}

/* The next event of the inner rank. *is_shown: the new rank has it, too. */
static tl_status merge_next(tl_merge *m, tl_step *out, bool *is_shown)
{
    bool at_end = true;
    for (int i = 0; i < m->n; i++)
        at_end &= m->corners[i].at_end;
    if (at_end)
        return TL_END;
    candidate c = {.takers = 0};
    tl_status status = choose(m, &c);
    if (status)
        return status;
    take_sizes(m, &c);
    take_threads(m, &c);
    status = lists_requests(&c.step) ? join_lists(m, &c) : keep_list(m, &c.step.event);
    if (!status && starts_request(&c.step))
        status = begin_request(m, &c);
    else if (!status)
        end_requests(m, &c);
    if (status)
        return status;
    *is_shown = c.takers & m->shown;
    if (*is_shown) {
        hide_neighbours(m, &c.step);
        c.step.event.volume = merged_volume(m, c.takers & m->shown);
        c.step.event.site = number_site(m, c.step.site);
        *out = c.step;
    }
    for (int i = 0; i < m->n && !status; i++)
        if (c.takers & 1U << i) {
            m->corners[i].n_taken++;
            status = advance(m, &m->corners[i]);
        }
    return status;
}

tl_status tl_merge_next(tl_merge *m, tl_step *out)
{
    if (m->n == 1)
        return tl_walk_next(&m->corners[0].walk, out);
    bool is_shown = false;
    tl_status status = TL_OK;
    while (!status && !is_shown)
        status = merge_next(m, out, &is_shown);
    return status;
}

tl_status tl_merge_open(tl_merge *m, tl_extrapolating *x, const tl_likeness *like)
{
    memset(m, 0, sizeof *m);
    m->x = x;
    m->dims = like->dims;
    m->shown = like->shown;
    m->source = like->source;
    tl_status status = TL_OK;
    for (int i = 0; i < like->n && !status; i++) {
        m->n = i + 1;
        m->corners[i].place = tl_grid_coords(&x->from, like->ranks[i]);
        status = tl_walk_open(&m->corners[i].walk, x, like->sources[i], true);
        m->corners[i].walk.scale = like->scale[i];
    }
    for (int i = 0; i < m->n && m->n > 1 && !status; i++)
        status = advance(m, &m->corners[i]);
    return status;
}

void tl_merge_close(tl_merge *m)
{
    for (int i = 0; i < m->n; i++) {
        tl_walk_close(&m->corners[i].walk);
        tl_map_free(&m->corners[i].requests);
        tl_buffer_free(&m->corners[i].list);
    }
    tl_buffer_free(&m->list);
    free(m->requests);
    free(m->sites);
}
