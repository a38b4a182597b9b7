/* fit_draw.c - sizes that have no expression, and are drawn from the captured distribution: which
 * calls belong together, and what the skeleton says of them. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- calls whose sizes must agree ---- */

typedef struct matcher {
    fitting *f;
    uint32_t capture, rank;
    tl_map turns; /* how many messages or collectives of a kind came before */
    tl_map first; /* symbol + 1 of the side that came first */
} matcher;

static uint64_t mix(uint64_t key, int64_t part)
{
    return tl_draw(key, (uint64_t)part);
}

static uint32_t group_of(const fitting *f, uint32_t symbol)
{
    while (f->groups[symbol] != symbol)
        symbol = f->groups[symbol];
    return symbol;
}

static void join(fitting *f, uint32_t a, uint32_t b)
{
    a = group_of(f, a);
    b = group_of(f, b);
    f->groups[a > b ? a : b] = a > b ? b : a;
}

/* `kind`: the same on all sides, which `side` tells apart. */
static void match(matcher *m, uint64_t kind, int64_t side, uint32_t symbol)
{
    uint64_t *turn = tl_map_at(&m->turns, mix(kind, side));
    uint64_t *first = turn ? tl_map_at(&m->first, mix(kind, (int64_t)(*turn)++)) : NULL;
    if (!first)
        fit_out_of_memory(m->f);
    else if (*first)
        join(m->f, symbol, (uint32_t)*first - 1);
    else
        *first = symbol + 1ULL;
}

static int32_t world_rank(const matcher *m, uint32_t comm, int32_t rank)
{
    const tl_comm *own =
        comm < SKEL_FIRST_COMM ? NULL : fit_comm_of(m->f, m->capture, m->rank, comm);
    return own ? own->members[rank] : comm == SKEL_SELF ? (int32_t)m->rank : rank;
}

static void match_message(matcher *m, const fit_event *event, bool receives)
{
    const tl_event *e = &event->e;
    const bool is_second = receives && m->f->symbols[event->symbol].row->slots & TL_SLOT_RECV_PEER;
    const int32_t peer = is_second ? e->recv_peer : e->peer, me = (int32_t)m->rank;
    if (peer < 0)
        return;
    const int32_t other = world_rank(m, e->comm, peer);
    uint64_t kind = mix(mix(m->capture, e->comm), is_second ? e->recv_tag : e->tag);
    kind = mix(mix(kind, receives ? other : me), receives ? me : other);
    match(m, kind, receives, event->symbol);
}

static void match_event(matcher *m, const fit_event *event)
{
    const tl_call_info *row = m->f->symbols[event->symbol].row;
    const int kind = tl_meaning_of(row->action)->kind;
    if (kind == TL_KIND_SEND || kind == TL_KIND_SENDRECV)
        match_message(m, event, false);
    if (kind == TL_KIND_RECEIVE || kind == TL_KIND_SENDRECV)
        match_message(m, event, true);
    if (tl_is_collective(row->action)) {
        const uint64_t comm = mix(mix(m->capture, -1), event->e.comm);
        match(m, mix(comm, world_rank(m, event->e.comm, 0)), m->rank, event->symbol);
    }
}

void fit_draw_groups(fitting *f)
{
    matcher m = {.f = f};
    f->groups = calloc(f->n_symbols + 1, sizeof *f->groups);
    if (!f->groups) {
        fit_out_of_memory(f);
        return;
    }
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->groups[i] = i;
    for (m.capture = 0; m.capture < f->n_captures; m.capture++) {
        const fit_capture *c = &f->captures[m.capture];
        for (m.rank = 0; m.rank < c->n_ranks && f->status == TL_OK; m.rank++)
            for (size_t i = c->first[m.rank]; i < c->first[m.rank + 1]; i++)
                match_event(&m, &c->events[i]);
        tl_map_free(&m.turns);
        tl_map_free(&m.first);
    }
    for (uint32_t i = 0; i < f->n_symbols; i++)
        f->groups[i] = group_of(f, i);
}

void fit_draws_free(fitting *f)
{
    free(f->groups);
    free(f->draws.items);
    tl_map_free(&f->turns);
    tl_map_free(&f->sent);
}

/* ---- what is drawn ---- */

fit_draw *fit_draw_of(const fitting *f, uint32_t symbol)
{
    fit_draw *all = f->draws.items;
    for (size_t i = 0; i < f->draws.n; i++)
        if (all[i].group == f->groups[symbol])
            return &all[i];
    return NULL;
}

/* Whether all of these calls can draw their sizes. */
static bool can_draw(const fitting *f, uint32_t group)
{
    for (uint32_t i = 0; i < f->n_symbols; i++) {
        const uint32_t slots = f->symbols[i].row->slots;
        if (f->groups[i] == group && slots & TL_SLOT_RECV_PEER && !(slots & TL_SLOT_RECV_COUNT))
            return false;
    }
    return true;
}

bool fit_draw_lack(fitting *f)
{
    return f->may_draw && f->first_lack.is_size && fit_draw_add(f, f->first_lack.symbol);
}

bool fit_draw_add(fitting *f, uint32_t symbol)
{
    if (fit_draw_of(f, symbol) || !can_draw(f, f->groups[symbol]))
        return false;
    fit_draw *made = skel_push(&f->draws, sizeof *made);
    if (!made) {
        fit_out_of_memory(f);
        return false;
    }
    made->group = f->groups[symbol];
    snprintf(made->name, sizeof made->name, "sizes%zu", f->draws.n - 1);
    return true;
}

void fit_draw_prepare(fitting *f)
{
    for (size_t i = 0; i < f->draws.n && f->status == TL_OK; i++)
        fit_draw_choose(f, (fit_draw *)f->draws.items + i);
}

/* ---- the text ---- */

void fit_draw_statements(const fitting *f, FILE *out)
{
    const fit_draw *all = f->draws.items;
    for (size_t i = 0; i < f->draws.n; i++)
        fprintf(out, "distribution %s = %s seed draw_seed\n", all[i].name, all[i].sizes);
}

void fit_draw_report(const fitting *f, FILE *out)
{
    const fit_draw *all = f->draws.items;
    char text[300];
    if (f->draws.n)
        fprintf(out, "# contains draws with the seed draw_seed=1: these sizes have the captured "
                     "distribution, not the captured values\n");
    for (size_t i = 0; i < f->draws.n; i++) {
        const fit_sums *c = &all[i].captured;
        const char *separator = " of";
        fprintf(out, "# %s: drawn from the %.0f sizes", all[i].name, c->n);
        for (uint32_t k = 0; k < f->n_symbols; k++) {
            if (f->groups[k] != all[i].group)
                continue;
            fprintf(out, "%s %s", separator, fit_call_text(f, k, text));
            separator = " and";
        }
        fprintf(out, ", %" PRId64 " to %" PRId64 ", mean %.2f, %s\n", c->least, c->greatest,
                c->n > 0 ? c->sum / c->n : 0, all[i].scale);
    }
}
