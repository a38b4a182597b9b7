/* extrapolate_check.c - checks that ranks with like places make the same calls, and that every
 * message is received. */
#include "extrapolate.h"

#include <inttypes.h>
#include <stdio.h>

/* ---- like places ---- */

static tl_status hash_rank(tl_extrapolating *x, uint32_t rank, uint64_t *hash)
{
    tl_walk walk;
    tl_step step;
    tl_recorded_rank *recorded = &x->done.recorded[rank];
    *hash = recorded->script = 1;
    tl_status status = tl_walk_open(&walk, x, rank, true);
    while (!status && !(status = tl_walk_next(&walk, &step))) {
        *hash = tl_step_hash(*hash, &step);
        recorded->script = tl_step_script(&walk, recorded->script, &step);
        recorded->volume += step.event.volume;
    }
    tl_walk_close(&walk);
    return status == TL_END ? TL_OK : status;
}

tl_status tl_ranks_compare(tl_extrapolating *x, uint32_t a, uint32_t b, bool resolve,
                           tl_difference *out)
{
    tl_walk walks[2] = {{0}};
    tl_step steps[2];
    tl_status ends[2] = {TL_OK, TL_OK}, status = tl_walk_open(&walks[0], x, a, resolve);
    *out = (tl_difference){.is_none = true};
    if (!status)
        status = tl_walk_open(&walks[1], x, b, resolve);
    while (!status && out->is_none) {
        for (int i = 0; i < 2; i++) {
            ends[i] = tl_walk_next(&walks[i], &steps[i]);
            status = ends[i] && ends[i] != TL_END ? ends[i] : status;
            out->names[i] = ends[i] ? "the end" : steps[i].row->name;
        }
        if (status || (ends[0] && ends[1]))
            break;
        out->is_none = !ends[0] && !ends[1] && tl_step_is(&steps[0], &steps[1]);
        out->is_same_call = !ends[0] && !ends[1] && steps[0].event.call == steps[1].event.call;
    }
    out->event = (walks[0].event > walks[1].event ? walks[0].event : walks[1].event) - 1;
    tl_walk_close(&walks[0]);
    tl_walk_close(&walks[1]);
    return status;
}

static tl_status refuse_unlike(tl_extrapolating *x, uint32_t a, uint32_t b)
{
    char grid[TL_GRID_TEXT_BYTES];
    tl_difference d;
    tl_grid_text(&x->from, grid);
    TL_TRY(tl_ranks_compare(x, a, b, true, &d));
    return tl_refuse(x,
                     "ranks %" PRIu32 " and %" PRIu32
                     " have like places in a %s grid, but make different calls: event %" PRIu64
                     " is %s of one rank and %s of the other%s",
                     a, b, grid, d.event, d.names[0], d.names[1],
                     d.is_same_call ? ", with other partners, sizes or requests" : "");
}

bool tl_is_common(tl_common *c, const tl_grid *g, uint32_t rank, uint64_t value, uint32_t *other)
{
    const int class = tl_grid_class(g, rank);
    if (!c->of[class].is_used)
        c->of[class].rank = rank;
    *other = c->of[class].rank;
    const bool is_common = !c->of[class].is_used || c->of[class].value == value;
    c->of[class].is_used = true;
    c->of[class].value = value;
    return is_common;
}

tl_status tl_check_alike(tl_extrapolating *x)
{
    tl_common common = {0};
    x->done.recorded = calloc(x->n_ranks, sizeof *x->done.recorded);
    if (!x->done.recorded)
        return tl_no_memory(x->err, tl_reader_path(x->r));
    for (uint32_t rank = 0; rank < x->n_ranks; rank++) {
        uint64_t hash;
        uint32_t other;
        TL_TRY(hash_rank(x, rank, &hash));
        if (!tl_is_common(&common, &x->from, rank, hash, &other))
            return refuse_unlike(x, other, rank);
    }
    return TL_OK;
}

/* ---- messages ---- */

static void count(tl_messages *m, const tl_half *half, int32_t tag, uint32_t comm)
{
    if (half->kind == TL_HALF_ANY || (half->kind == TL_HALF_WAY && tag == TL_ANY_TAG))
        m->is_open = true;
    if (half->kind != TL_HALF_WAY)
        return;
    const int way = tl_way_index(half->way);
    m->n[half->sends][way]++;
    m->hash[half->sends][way] += tl_mix(tl_mix(1, (uint32_t)tag), comm);
}

static bool keep_init(tl_messages *m, const tl_step *step)
{
    uint64_t *known = tl_map_at(&m->inits, step->event.request);
    if (!known || !tl_make_room(&m->steps, m->n_steps, &m->steps_capacity, sizeof *m->steps))
        return false;
    m->steps[m->n_steps++] = *step;
    *known = m->n_steps;
    return true;
}

static void count_start(tl_messages *m, int64_t request)
{
    const uint64_t *known = tl_map_find(&m->inits, (uint64_t)request);
    const tl_step *step = known ? &m->steps[*known - 1] : NULL;
    if (step &&
        (step->row->action == TL_ACTION_SEND_INIT || step->row->action == TL_ACTION_RECV_INIT))
        count(m, &step->halves[0], step->event.tag, step->event.comm);
}

bool tl_messages_count(tl_messages *m, const tl_step *step)
{
    const tl_event *e = &step->event;
    if ((step->row->traits & TL_TRAIT_PERSISTENT) && e->request)
        return keep_init(m, step);
    switch (step->row->action) {
    case TL_ACTION_SEND:
    case TL_ACTION_ISEND:
    case TL_ACTION_RECV:
    case TL_ACTION_IRECV: count(m, &step->halves[0], e->tag, e->comm); break;
    case TL_ACTION_SENDRECV:
        count(m, &step->halves[0], e->tag, e->comm);
        count(m, &step->halves[1], e->recv_tag, e->comm);
        break;
    case TL_ACTION_START:
        count_start(m, e->request);
        for (uint32_t i = 0; i < e->list_len; i++)
            count_start(m, e->list[i]);
        break;
    default: break;
    }
    return true;
}

void tl_messages_end(tl_messages *m)
{
    tl_map_free(&m->inits);
    free(m->steps);
    m->steps = NULL;
}

tl_status tl_messages_check(const tl_extrapolating *x, const tl_messages *const *of_rank,
                            uint32_t rank)
{
    const tl_messages *from = of_rank[rank];
    for (int i = 0; i < TL_N_DIRECTIONS; i++) {
        const tl_way way = {{(int8_t)(i / 9 - 1), (int8_t)(i / 3 % 3 - 1), (int8_t)(i % 3 - 1)}};
        const int64_t peer = tl_grid_go(&x->to, rank, way);
        const tl_messages *to = peer < 0 ? NULL : of_rank[peer];
        const int back = tl_way_index(tl_way_back(way));
        const uint64_t n = to ? to->n[0][back] : 0, hash = to ? to->hash[0][back] : 0;
        if (from->is_open || (to && to->is_open) ||
            (n == from->n[1][i] && hash == from->hash[1][i] && (to || !from->n[0][i])))
            continue;
        return tl_refuse(x,
                         "the rules do not fit this program: of %" PRId64 " ranks, rank %" PRIu32
                         " would send %" PRIu64 " messages to rank %" PRId64
                         ", which would receive %" PRIu64 "%s from it",
                         tl_grid_n_ranks(&x->to), rank, from->n[1][i], peer, n,
                         n == from->n[1][i] ? ", with other tags," : "");
    }
    return TL_OK;
}
