/* fit_draw_check.c - the drawn sizes of a skeleton beside those of a capture: both sides of each
 * message, mean and range. */
#include "config.h"

#include "fit.h"

#include "actions.h"
#include "draw.h"

#include <inttypes.h>
#include <stdio.h>

void fit_draw_restart(fitting *f)
{
    fit_draw *all = f->draws.items;
    tl_map_free(&f->turns);
    tl_map_free(&f->sent);
    for (size_t i = 0; i < f->draws.n; i++)
        all[i].drawn = all[i].there = (fit_sums){0};
}

static void add_size(void *arg, int64_t size)
{
    fit_sums *s = arg;
    s->least = s->n > 0 && s->least < size ? s->least : size;
    s->greatest = s->n > 0 && s->greatest > size ? s->greatest : size;
    s->sum += (double)size;
    s->n++;
}

/* ---- both sides of each message ---- */

static uint64_t mix(uint64_t key, int64_t part)
{
    return tl_draw(key, (uint64_t)part);
}

/* One side; false if the other one has been noted with other bytes. */
static bool agrees(fitting *f, uint32_t capture, uint32_t rank, const tl_event *e, bool receives)
{
    const bool is_second = receives && tl_call_by_code(e->call)->slots & TL_SLOT_RECV_PEER;
    const int32_t peer = is_second ? e->recv_peer : e->peer;
    if (peer < 0)
        return true;
    const tl_comm *comm = e->comm < SKEL_FIRST_COMM ? NULL : fit_comm_of(f, capture, rank, e->comm);
    const int64_t other = comm ? comm->members[peer] : e->comm == SKEL_SELF ? (int64_t)rank : peer;
    uint64_t kind = mix(e->comm, is_second ? e->recv_tag : e->tag);
    kind = mix(mix(kind, receives ? other : (int64_t)rank), receives ? (int64_t)rank : other);
    uint64_t *turn = tl_map_at(&f->turns, mix(kind, receives));
    uint64_t *noted = turn ? tl_map_at(&f->sent, mix(kind, (int64_t)(*turn)++)) : NULL;
    const uint64_t count = (uint64_t)(is_second ? e->recv_count : e->count);
    const uint64_t bytes = count * (uint64_t)(is_second ? e->recv_type_bytes : e->type_bytes);
    if (!noted)
        fit_out_of_memory(f);
    const bool agrees = !noted || !*noted || *noted == bytes + 1;
    if (noted)
        *noted = bytes + 1;
    return agrees;
}

bool fit_draw_note(fitting *f, uint32_t capture, uint32_t rank, const fit_event *made,
                   const fit_event *recorded)
{
    fit_draw *d = fit_draw_of(f, recorded->symbol);
    const int kind = tl_meaning_of(tl_call_by_code(made->e.call)->action)->kind;
    fit_sample at = {.capture = capture, .rank = rank, .event = made};
    bool ok = true;
    fit_each_size(f, &at, add_size, &d->drawn);
    at.event = recorded;
    fit_each_size(f, &at, add_size, &d->there);
    if (kind == TL_KIND_SEND || kind == TL_KIND_SENDRECV)
        ok = agrees(f, capture, rank, &made->e, false);
    if (kind == TL_KIND_RECEIVE || kind == TL_KIND_SENDRECV)
        ok = agrees(f, capture, rank, &made->e, true) && ok;
    return ok;
}

/* ---- the comparison ---- */

static double mean_of(const fit_sums *s)
{
    return s->n > 0 ? s->sum / s->n : 0;
}

void fit_draw_compare(const fitting *f, size_t capture, FILE *out)
{
    const fit_draw *all = f->draws.items;
    for (size_t i = 0; i < f->draws.n; i++) {
        const fit_sums *a = &all[i].drawn, *b = &all[i].there;
        fprintf(out,
                "# %s of capture %zu: mean %.2f drawn, %.2f captured; %" PRId64 " to %" PRId64
                " drawn, %" PRId64 " to %" PRId64 " captured\n",
                all[i].name, capture + 1, mean_of(a), mean_of(b), a->least, a->greatest, b->least,
                b->greatest);
    }
}
