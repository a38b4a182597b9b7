/* skeleton_comm.c - the communicators of a skeleton: which ranks are together, found once for all
 * ranks from the expressions of colour and key. */
#include "config.h"

#include "skeleton.h"

#include "actions.h"
#include "core/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A rank with its colour and key. */
typedef struct place {
    int64_t colour, key;
    int32_t rank;
} place;

static int by_place(const void *left, const void *right)
{
    const place *a = left, *b = right;
    if (a->colour != b->colour)
        return a->colour < b->colour ? -1 : 1;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Colour and key of all ranks that are members. */
static size_t evaluate(skel_parser *p, uint32_t colour, uint32_t key, place *places)
{
    const skeleton *s = p->s;
    int64_t *slots = s->values.items;
    size_t n = 0;
    for (int64_t rank = 0; rank < s->n_ranks && p->status == TL_OK; rank++) {
        place own = {.key = rank, .rank = (int32_t)rank};
        slots[0] = rank;
        p->status = skel_evaluate(s, slots, colour, rank, &own.colour, p->err);
        if (p->status == TL_OK && own.colour != SKEL_NULL && key)
            p->status = skel_evaluate(s, slots, key, rank, &own.key, p->err);
        if (own.colour != SKEL_NULL)
            places[n++] = own;
    }
    slots[0] = 0;
    if (p->status != TL_OK)
        p->token.kind = SKEL_T_END;
    return n;
}

static void set_groups(skel_comm *c, const place *places, size_t n)
{
    for (size_t i = 0, past; i < n; i = past) {
        for (past = i; past < n && places[past].colour == places[i].colour; past++) {
            c->members[past] = places[past].rank;
            c->place[places[past].rank] = (int32_t)(past - i);
            c->first[places[past].rank] = (uint32_t)i;
        }
        for (size_t k = i; k < past; k++)
            c->size[places[k].rank] = (uint32_t)(past - i);
    }
}

/* COLOUR [, KEY]; returns the number of the communicator. */
uint32_t skel_read_comm(skel_parser *p, const skel_token *name, uint32_t line)
{
    const size_t n_ranks = (size_t)p->s->n_ranks;
    const uint32_t colour = skel_expression(p), key = skel_accept(p, ",") ? skel_expression(p) : 0;
    if (p->s->values.n < p->s->n_slots)
        skel_wrong(p, line,
                   "comm is behind a statement that differs between ranks; write it "
                   "before");
    skel_comm *c = skel_new(p, &p->s->comms, sizeof *c);
    place *places = c ? calloc(n_ranks, sizeof *places) : NULL;
    if (c) {
        *c = (skel_comm){.name = strndup(name->start, name->size),
                         .line = line,
                         .members = calloc(n_ranks, sizeof *c->members),
                         .first = calloc(n_ranks, sizeof *c->first),
                         .size = calloc(n_ranks, sizeof *c->size),
                         .place = calloc(n_ranks, sizeof *c->place)};
    }
    if (places && c->name && c->members && c->first && c->size && c->place)
        set_groups(c, places, 0);
    else
        skel_out_of_memory(p);
    if (places && p->status == TL_OK) {
        const size_t n = evaluate(p, colour, key, places);
        qsort(places, n, sizeof *places, by_place);
        set_groups(c, places, n);
    }
    free(places);
    return p->s->comms.n ? (uint32_t)p->s->comms.n - 1 : 0;
}

const skel_comm *skel_comm_at(const skeleton *s, uint32_t number)
{
    return number < SKEL_FIRST_COMM ? NULL
                                    : (const skel_comm *)s->comms.items + number - SKEL_FIRST_COMM;
}

uint32_t skel_comm_id(const skeleton *s, uint32_t number, uint32_t rank)
{
    const skel_comm *all = s->comms.items;
    uint32_t id = TL_COMM_FIRST;
    if (number < SKEL_FIRST_COMM)
        return number == SKEL_SELF ? TL_COMM_SELF : TL_COMM_WORLD;
    for (uint32_t i = 0; i < number - SKEL_FIRST_COMM; i++)
        id += all[i].size[rank] > 0;
    return all[number - SKEL_FIRST_COMM].size[rank] ? id : TL_COMM_NULL;
}

/* ---- the calls that make them ---- */

/* Whether the group of a rank is a part of one group of the parent; `same`: the whole, in the same
 * order. */
static bool is_within(const skel_comm *c, const skel_comm *parent, uint32_t rank, bool same,
                      int64_t n_ranks)
{
    const uint32_t n = c->size[rank];
    const uint32_t n_parent = parent ? parent->size[rank] : (uint32_t)n_ranks;
    if (same && n != n_parent)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        const int32_t member = c->members[c->first[rank] + i];
        if (parent && (!parent->size[member] || parent->first[member] != parent->first[rank]))
            return false;
        if (same && (parent ? parent->place[member] : member) != (int32_t)i)
            return false;
    }
    return true;
}

static bool is_window(skel_parser *p, uint32_t comm)
{
    const skel_comm *c = skel_comm_at(p->s, comm);
    return c && skel_statement_at(p, c->maker)->row->action == TL_ACTION_WIN_CREATE;
}

/* Calls on windows take windows, and all others take communicators. */
static void check_windows(skel_parser *p)
{
    for (uint32_t i = 1; i < p->s->statements.n && p->status == TL_OK; i++) {
        const skel_statement *st = skel_statement_at(p, i);
        if (st->kind != SKEL_CALL || !(st->row->slots & TL_SLOT_COMM))
            continue;
        const bool wants = tl_is_on_window(st->row->action) && !st->new_comm;
        if (wants != is_window(p, st->comm))
            skel_wrong(p, st->line,
                       wants ? "%s: comm= is no window; name one that MPI_Win_allocate makes"
                             : "%s: comm= is a window; name a communicator",
                       st->row->name);
    }
}

void skel_check_comms(skel_parser *p)
{
    const skel_comm *all = p->s->comms.items;
    for (size_t i = 0; i < p->s->comms.n && p->status == TL_OK; i++) {
        const skel_comm *c = &all[i], *parent = skel_comm_at(p->s, c->parent);
        if (!c->maker) {
            skel_wrong(p, c->line,
                       "no call makes the communicator %s; write one, as MPI_Comm_split "
                       "new_comm=%s, or remove it",
                       c->name, c->name);
            return;
        }
        const skel_statement *maker = skel_statement_at(p, c->maker);
        const bool same =
            maker->row->action == TL_ACTION_COMM_DUP || maker->row->action == TL_ACTION_WIN_CREATE;
        for (uint32_t rank = 0; rank < p->s->n_ranks && p->status == TL_OK; rank++)
            if (c->place[rank] == 0 && c->size[rank] && c->parent != SKEL_SELF &&
                !is_within(c, parent, rank, same, p->s->n_ranks))
                skel_wrong(p, maker->line,
                           "%s makes %s with rank %" PRIu32 ", whose members are not %s of %s; "
                           "change its colour or comm=",
                           maker->row->name, c->name, rank, same ? "those" : "members",
                           parent ? parent->name : "world");
            else if (c->parent == SKEL_SELF && c->size[rank] > 1)
                skel_wrong(p, maker->line,
                           "%s makes %s of self with more than one member; change "
                           "its colour or comm=",
                           maker->row->name, c->name);
    }
    if (p->status == TL_OK)
        check_windows(p);
}

/* ---- definitions, as a trace has them ---- */

tl_status skel_define_comms(skeleton *s, tl_error *err)
{
    const skel_comm *all = s->comms.items;
    const skel_statement *statements = s->statements.items;
    const size_t n_ranks = (size_t)s->n_ranks;
    size_t n = 0;
    if (!s->comms.n)
        return TL_OK;
    s->definitions = calloc(n_ranks * s->comms.n, sizeof *s->definitions);
    s->first_definition = calloc(n_ranks + 1, sizeof *s->first_definition);
    if (!s->definitions || !s->first_definition)
        return tl_no_memory(err, s->path);
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        s->first_definition[rank] = n;
        for (uint32_t i = 0; i < s->comms.n; i++)
            if (all[i].size[rank])
                s->definitions[n++] = (tl_comm){.id = skel_comm_id(s, SKEL_FIRST_COMM + i, rank),
                                                .parent = skel_comm_id(s, all[i].parent, rank),
                                                .call = statements[all[i].maker].row->code,
                                                .n_members = all[i].size[rank],
                                                .members = all[i].members + all[i].first[rank],
                                                .name = ""};
    }
    s->first_definition[n_ranks] = n;
    return TL_OK;
}

size_t skel_comms(const void *program, uint32_t rank, const tl_comm **out)
{
    const skeleton *s = program;
    *out = s->definitions ? s->definitions + s->first_definition[rank] : NULL;
    return s->definitions ? s->first_definition[rank + 1] - s->first_definition[rank] : 0;
}

void skel_free_comms(skeleton *s)
{
    skel_comm *all = s->comms.items;
    for (size_t i = 0; i < s->comms.n; i++) {
        free(all[i].name);
        free(all[i].members);
        free(all[i].first);
        free(all[i].size);
        free(all[i].place);
    }
    free(all);
    free(s->definitions);
    free(s->first_definition);
}
