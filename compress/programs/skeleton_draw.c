/* skeleton_draw.c - sizes that are drawn from a distribution. The number of a draw depends on the
 * seed and on what both sides of a message know: its source and destination, and how many messages
 * came before. Sender and receiver so draw the same size, in any order of the ranks. */
#include "config.h"

#include "skeleton.h"

#include "actions.h"
#include "draw.h"

#include <inttypes.h>
#include <stdlib.h>

enum { NOBODY = -1, MAX_VALUES = 1000 };

/* ---- distribution NAME = SIZE, SIZE... [seed NUMBER] ---- */

static void add_value(skel_parser *p, uint32_t line, skel_array *values)
{
    const int64_t value = skel_constant(p);
    const int64_t last = values->n ? ((int64_t *)values->items)[values->n - 1] : 0;
    if (p->status != TL_OK)
        return;
    if (value < 0)
        skel_wrong(p, line, "a distribution has the size %" PRId64 "; give sizes of at least 0",
                   value);
    else if (value < last)
        skel_wrong(p, line,
                   "a distribution has the size %" PRId64 " behind %" PRId64
                   "; write sizes from the least to the greatest",
                   value, last);
    else if (values->n == MAX_VALUES)
        skel_wrong(p, line, "a distribution has more than %d sizes; give fewer", MAX_VALUES);
    int64_t *kept = skel_new(p, values, sizeof *kept);
    if (kept)
        *kept = value;
}

uint32_t skel_read_distribution(skel_parser *p, uint32_t line)
{
    skel_distribution read = {.seed = 1};
    do
        add_value(p, line, &read.values);
    while (skel_accept(p, ","));
    if (p->status == TL_OK && read.values.n < 2)
        skel_wrong(p, line,
                   "a distribution has one size; give two or more, from the least to the greatest");
    if (skel_accept(p, "seed"))
        read.seed = skel_constant(p);
    skel_distribution *kept = skel_new(p, &p->s->distributions, sizeof *kept);
    if (!kept) {
        free(read.values.items);
        return 0;
    }
    *kept = read;
    return (uint32_t)(p->s->distributions.n - 1);
}

void skel_free_distributions(skeleton *s)
{
    skel_distribution *all = s->distributions.items;
    for (size_t i = 0; i < s->distributions.n; i++)
        free(all[i].values.items);
    free(all);
}

/* ---- which sizes ---- */

static bool is_message(const tl_call_info *row)
{
    return tl_is_message(row->action);
}

bool skel_may_draw(const tl_call_info *row, int slot)
{
    const bool is_size = slot == TL_SLOT_COUNT || slot == TL_SLOT_RECV_COUNT ||
                         slot == SKEL_SLOT_COUNTS || slot == SKEL_SLOT_RECV_COUNTS;
    return is_size && (is_message(row) || tl_is_collective(row->action));
}

void skel_check_draws(skel_parser *p, uint32_t call, int seen)
{
    const skel_statement *st = skel_statement_at(p, call);
    const skel_field *fields = (const skel_field *)p->s->fields.items + st->first_field;
    if (!(st->row->slots & TL_SLOT_RECV_PEER))
        return;
    for (size_t i = 0; i < st->n_fields && p->status == TL_OK; i++) {
        if (!fields[i].draw)
            continue;
        if (!(st->row->slots & TL_SLOT_RECV_COUNT))
            skel_wrong(p, st->line, "%s draws one size for two messages; use MPI_Sendrecv",
                       st->row->name);
        else if (!(seen & TL_SLOT_RECV_COUNT))
            skel_wrong(p, st->line,
                       "%s draws its count and has no recv_count, which is another size; add "
                       "recv_count=...",
                       st->row->name);
    }
}

/* ---- drawing ---- */

int64_t skel_drawn(const skeleton *s, int64_t distribution, uint64_t key)
{
    const skel_distribution *d =
        (const skel_distribution *)s->distributions.items + (size_t)distribution;
    const int64_t *values = d->values.items;
    const unsigned __int128 at = (unsigned __int128)tl_draw(key, 0) * (d->values.n - 1);
    const size_t i = (size_t)(at >> 64);
    const uint64_t span = (uint64_t)values[i + 1] - (uint64_t)values[i];
    const unsigned __int128 half = (unsigned __int128)1 << 63;
    return values[i] + (int64_t)(((unsigned __int128)span * (uint64_t)at + half) >> 64);
}

static uint64_t mix(uint64_t key, int64_t part)
{
    return tl_draw(key, (uint64_t)part);
}

/* A rank of the call's communicator as a rank of the world. */
static int32_t world_rank(const skel_draw *d, int32_t rank)
{
    const skel_comm *c = skel_comm_at(d->s, d->call->comm);
    if (rank < 0)
        return NOBODY;
    return c                            ? c->members[c->first[d->rank] + (uint32_t)rank]
           : d->call->comm == SKEL_SELF ? (int32_t)d->rank
                                        : rank;
}

/* The other end of the message, and its tag. */
static int32_t partner(const skel_draw *d, const skel_field *field, bool *receives, int32_t *tag)
{
    const tl_event *e = d->event;
    const bool is_second = field->slot == TL_SLOT_RECV_COUNT;
    *receives = is_second || tl_meaning_of(d->call->row->action)->kind == TL_KIND_RECEIVE;
    *tag = is_second ? e->recv_tag : e->tag;
    return world_rank(d, is_second ? e->recv_peer : e->peer);
}

/* Messages with the same tag arrive in the order of their sends, others may not; so each tag has a
 * count, and tags that are equal modulo 64 share one, as a program may have a tag for each step. */
bool skel_draw_start(skel_draw *d, const skel_field *field)
{
    enum { MAX_TAGS = 64 };
    if (!field->draw)
        return true;
    uint64_t scope = mix(field->draw, d->call->comm);
    const bool is_sent = is_message(d->call->row);
    if (is_sent) {
        bool receives;
        int32_t tag;
        const int32_t other = partner(d, field, &receives, &tag);
        scope = mix(mix(mix(scope, other), receives), tag % MAX_TAGS);
    }
    uint64_t *count = tl_map_at(d->counts, scope);
    if (!count)
        return false;
    d->turn = *count;
    *count += is_sent;
    return true;
}

static uint64_t key_of_message(const skel_draw *d, const skel_field *field, uint64_t key)
{
    bool receives;
    int32_t tag;
    const int32_t other = partner(d, field, &receives, &tag), me = (int32_t)d->rank;
    return mix(mix(mix(key, receives ? other : me), receives ? me : other), tag);
}

/* A count for each member belongs to a pair of ranks if both sides have such counts, otherwise to
 * the member; a number beside such counts belongs to the rank itself, and others to all ranks. */
static uint64_t key_of_collective(const skel_draw *d, const skel_field *field, uint64_t key,
                                  int32_t each)
{
    const skel_comm *c = skel_comm_at(d->s, d->call->comm);
    const tl_call_info *row = d->call->row;
    const int32_t me = c ? c->place[d->rank] : d->call->comm == SKEL_SELF ? 0 : (int32_t)d->rank;
    const bool sends = skel_has_counts(row, SKEL_SLOT_COUNTS);
    const bool receives = skel_has_counts(row, SKEL_SLOT_RECV_COUNTS);
    const bool is_list = field->slot == SKEL_SLOT_COUNTS || field->slot == SKEL_SLOT_RECV_COUNTS;
    int32_t from = NOBODY, to = NOBODY;
    if (is_list && sends && receives) {
        const bool in_place = d->event->flags & TL_IN_PLACE;
        const bool swap = in_place ? each < me : field->slot == SKEL_SLOT_RECV_COUNTS;
        from = swap ? each : me;
        to = swap ? me : each;
    } else if (sends || receives) {
        from = is_list ? each : me;
    }
    return mix(mix(mix(key, world_rank(d, 0)), from), to);
}

void skel_draw_key(const skel_draw *d, const skel_field *field, int32_t each)
{
    if (!field->draw)
        return;
    const skel_distribution *from =
        (const skel_distribution *)d->s->distributions.items + field->draw - 1;
    uint64_t key = mix((uint64_t)from->seed, field->draw);
    key = mix(mix(key, d->call->comm), (int64_t)d->turn);
    key = is_message(d->call->row) ? key_of_message(d, field, key)
                                   : key_of_collective(d, field, key, each);
    d->slots[SKEL_KEY] = (int64_t)key;
}

bool skel_draw_done(const skel_draw *d)
{
    const skel_field *fields = (const skel_field *)d->s->fields.items + d->call->first_field;
    for (size_t i = 0; i < d->call->n_fields && !is_message(d->call->row); i++) {
        bool is_new = fields[i].draw > 0;
        for (size_t k = 0; k < i; k++)
            is_new &= fields[k].draw != fields[i].draw;
        if (!is_new)
            continue;
        uint64_t *count = tl_map_at(d->counts, mix(fields[i].draw, d->call->comm));
        if (!count)
            return false;
        ++*count;
    }
    return true;
}
