/* dumpi_comms.c - the members of the communicators of a run that DUMPI recorded.
 *
 * All members of the parent make a communicator together, and all of them make the children of a
 * parent in the same order. The i-th communicator made from a parent is therefore the same one on
 * every member. */
#include "config.h"

#include "dumpi.h"

#include "core/error.h"

#include <inttypes.h>

/* A communicator as all of its members see it: its position in the list of each of them. */
typedef struct shared {
    const tl_dumpi_group *group;
    uint32_t *positions;
} shared;

typedef struct queue {
    shared *items;
    size_t n, capacity;
} queue;

typedef struct member {
    int64_t key;
    uint32_t in_parent;
} member;

uint32_t tl_dumpi_comms_note(tl_dumpi_list *list, uint32_t parent, tl_dumpi_made made)
{
    if (list->n >= UINT32_MAX - 1 ||
        !tl_make_room(&list->made, list->n, &list->capacity, sizeof *list->made))
        return 0;
    uint32_t position = (uint32_t)list->n;
    made.parent = parent + 1;
    list->made[list->n++] = made;
    if (position < TL_DUMPI_MADE_FIRST)
        return position + 1; /* no call has made it */
    tl_dumpi_made *p = &list->made[parent];
    if (p->last)
        list->made[p->last - 1].next = position + 1;
    else
        p->first = position + 1;
    p->last = position + 1;
    return position;
}

static tl_dumpi_group *new_group(tl_dumpi_comms *c, uint32_t n)
{
    if (!tl_make_room(&c->groups, c->n_groups, &c->groups_capacity, sizeof *c->groups))
        return NULL;
    tl_dumpi_group *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    c->groups[c->n_groups++] = g;
    g->n = n;
    g->members = malloc((n ? n : 1) * sizeof *g->members);
    return g->members ? g : NULL;
}

tl_status tl_dumpi_comms_begin(tl_dumpi_comms *c, char *const *names, uint32_t n_ranks,
                               tl_error *err)
{
    *c = (tl_dumpi_comms){.names = names, .n_ranks = n_ranks};
    c->ranks = calloc(n_ranks, sizeof *c->ranks);
    tl_dumpi_group *world = new_group(c, n_ranks);
    if (!c->ranks || !world)
        return tl_no_memory(err, "communicators");
    for (uint32_t r = 0; r < n_ranks; r++) {
        world->members[r] = (int32_t)r;
        tl_dumpi_group *self = new_group(c, 1);
        if (!self || !tl_dumpi_comms_note(&c->ranks[r], 0, (tl_dumpi_made){.group = world}) ||
            !tl_dumpi_comms_note(&c->ranks[r], 0, (tl_dumpi_made){.group = self}))
            return tl_no_memory(err, "communicators");
        self->members[0] = (int32_t)r;
    }
    return TL_OK;
}

/* Adds a communicator, with its position in the list of each member. */
static tl_status enter(tl_dumpi_comms *c, queue *q, const tl_dumpi_group *group,
                       const uint32_t *positions, tl_error *err)
{
    if (!tl_make_room(&q->items, q->n, &q->capacity, sizeof *q->items))
        return tl_no_memory(err, "communicators");
    shared *s = &q->items[q->n++];
    *s = (shared){.group = group, .positions = calloc(group->n + 1, sizeof *s->positions)};
    if (!s->positions)
        return tl_no_memory(err, "communicators");
    for (uint32_t i = 0; i < group->n; i++) {
        s->positions[i] = positions[i];
        c->ranks[group->members[i]].made[positions[i]].group = group;
    }
    return TL_OK;
}

static int by_key(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->in_parent > y->in_parent) - (x->in_parent < y->in_parent);
}

/* MPI_Comm_create is a split: the first rank of the group is the colour, the place in it the key.
 */
static tl_status place(const tl_dumpi_comms *c, uint32_t rank, tl_dumpi_made *m, tl_error *err)
{
    const tl_dumpi_group *base = c->ranks[rank].made[m->chosen.position].group;
    if (!base)
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s:%" PRIu64 ": MPI_Comm_create: its group is of a communicator that was "
                       "made in more steps from MPI_COMM_WORLD; record the program with 'timeless "
                       "record'",
                       c->names[rank], m->offset);
    bool ok = true;
    m->key = -1;
    for (uint32_t i = 0; i < m->chosen.n && ok; i++) {
        const uint32_t in_base = (uint32_t)m->chosen.ranks[i];
        ok = in_base < base->n || m->chosen.is_rest;
        if (in_base >= base->n)
            continue;
        if (!m->size)
            m->colour = base->members[in_base];
        if (base->members[in_base] == (int32_t)rank)
            m->key = m->size;
        m->size++;
    }
    return ok && m->key >= 0 ? TL_OK
                             : tl_fail(err, TL_ERR_INPUT,
                                       "%s:%" PRIu64 ": rank %" PRIu32
                                       " gets a communicator from MPI_Comm_create, but its group "
                                       "is without it, or damaged; give the files of one run",
                                       c->names[rank], m->offset, rank);
}

typedef struct coloured {
    int64_t colour;
    member member;
    const tl_dumpi_made *made;
} coloured;

static int by_colour(const void *a, const void *b)
{
    const coloured *x = a, *y = b;
    if (x->colour != y->colour)
        return x->colour < y->colour ? -1 : 1;
    return by_key(&x->member, &y->member);
}

/* The members of a communicator by MPI_Comm_create are those of their groups. */
static tl_status check_group(const tl_dumpi_comms *c, const tl_dumpi_group *parent,
                             const coloured *all, uint32_t n, tl_error *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const tl_dumpi_made *m = all[i].made;
        if (m->function != TL_DUMPI_Comm_create || (m->size == n && m->key == i))
            continue;
        const int32_t rank = parent->members[all[i].member.in_parent];
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%" PRIu64 ": rank %" PRId32 " calls MPI_Comm_create with a group of "
                       "%" PRIu32 " ranks, which others do not; give the files of one run",
                       c->names[rank], m->offset, rank, m->size);
    }
    return TL_OK;
}

/* Divides the children at `positions` of all members of a parent into communicators. */
static tl_status split(tl_dumpi_comms *c, queue *q, const tl_dumpi_group *parent,
                       const uint32_t *positions, tl_error *err)
{
    coloured *all = calloc(parent->n + 1, sizeof *all);
    uint32_t *places = calloc(parent->n + 1, sizeof *places);
    uint32_t n = 0;
    tl_status status = all && places ? TL_OK : tl_no_memory(err, "communicators");
    for (uint32_t i = 0; i < parent->n && !status; i++) {
        const uint32_t rank = (uint32_t)parent->members[i];
        tl_dumpi_made *m = &c->ranks[rank].made[positions[i]];
        if (m->is_null)
            continue;
        if (m->function == TL_DUMPI_Comm_create)
            status = place(c, rank, m, err);
        all[n++] = (coloured){m->colour, {m->key, i}, m};
    }
    if (!status && n)
        qsort(all, n, sizeof *all, by_colour);
    for (uint32_t i = 0, past; i < n && !status; i = past) {
        for (past = i; past < n && all[past].colour == all[i].colour;)
            past++;
        status = check_group(c, parent, all + i, past - i, err);
        if (status)
            break;
        tl_dumpi_group *g = new_group(c, past - i);
        if (!g) {
            status = tl_no_memory(err, "communicators");
            break;
        }
        for (uint32_t k = i; k < past; k++) {
            g->members[k - i] = parent->members[all[k].member.in_parent];
            places[k - i] = positions[all[k].member.in_parent];
        }
        status = enter(c, q, g, places, err);
    }
    free(all);
    free(places);
    return status;
}

/* Takes the next child of every member; TL_END if no member has one. */
static tl_status next_children(tl_dumpi_comms *c, const shared *s, uint32_t *positions,
                               bool is_first, tl_error *err)
{
    uint32_t n_have = 0, have = 0, lack = 0;
    for (uint32_t i = 0; i < s->group->n; i++) {
        const tl_dumpi_made *made = c->ranks[s->group->members[i]].made;
        uint32_t next = is_first ? made[s->positions[i]].first : made[positions[i]].next;
        if (next) {
            n_have++;
            have = i;
            positions[i] = next - 1;
        } else {
            lack = i;
        }
    }
    if (!n_have)
        return TL_END;
    const uint32_t rank = (uint32_t)s->group->members[have];
    const tl_dumpi_made *m = &c->ranks[rank].made[positions[have]];
    if (n_have < s->group->n)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%" PRIu64 ": rank %" PRIu32 " calls %s, which rank %" PRId32
                       " does not; give the files of one run",
                       c->names[rank], m->offset, rank, tl_dumpi_rows[m->function].name,
                       s->group->members[lack]);
    for (uint32_t i = 0; i < s->group->n; i++) {
        const uint32_t other = (uint32_t)s->group->members[i];
        const tl_dumpi_made *o = &c->ranks[other].made[positions[i]];
        if (o->function != m->function)
            return tl_fail(err, TL_ERR_INPUT,
                           "%s:%" PRIu64 ": rank %" PRIu32 " calls %s where rank %" PRIu32
                           " calls %s; give the files of one run",
                           c->names[other], o->offset, other, tl_dumpi_rows[o->function].name, rank,
                           tl_dumpi_rows[m->function].name);
    }
    return TL_OK;
}

static tl_status resolve_children(tl_dumpi_comms *c, queue *q, size_t at, tl_error *err)
{
    const tl_dumpi_group *group = q->items[at].group;
    uint32_t *positions = calloc(group->n + 1, sizeof *positions);
    if (!positions)
        return tl_no_memory(err, "communicators");
    tl_status status = TL_OK;
    for (bool is_first = true; !status; is_first = false) {
        const shared s = q->items[at];
        status = next_children(c, &s, positions, is_first, err);
        if (status)
            break;
        const tl_dumpi_made *m = &c->ranks[group->members[0]].made[positions[0]];
        status = m->function == TL_DUMPI_Comm_dup ? enter(c, q, group, positions, err)
                                                  : split(c, q, group, positions, err);
    }
    free(positions);
    return status == TL_END ? TL_OK : status;
}

/* An MPI_COMM_SELF has one member. Its children follow from the records of this rank only. */
static tl_status begin_queue(tl_dumpi_comms *c, queue *q, tl_error *err)
{
    uint32_t *positions = calloc(c->n_ranks, sizeof *positions);
    tl_status status =
        positions ? enter(c, q, c->groups[0], positions, err) : tl_no_memory(err, "communicators");
    const uint32_t self = TL_DUMPI_MADE_SELF;
    for (uint32_t r = 0; r < c->n_ranks && !status; r++)
        if (c->ranks[r].made[TL_DUMPI_MADE_SELF].first)
            status = enter(c, q, c->ranks[r].made[TL_DUMPI_MADE_SELF].group, &self, err);
    free(positions);
    return status;
}

tl_status tl_dumpi_comms_resolve(tl_dumpi_comms *c, tl_error *err)
{
    queue q = {0};
    tl_status status = begin_queue(c, &q, err);
    for (size_t i = 0; i < q.n && !status; i++) {
        status = resolve_children(c, &q, i, err);
        free(q.items[i].positions);
        q.items[i].positions = NULL;
    }
    for (size_t i = 0; i < q.n; i++)
        free(q.items[i].positions);
    free(q.items);
    return status;
}

void tl_dumpi_comms_free(tl_dumpi_comms *c)
{
    for (uint32_t r = 0; r < c->n_ranks && c->ranks; r++) {
        for (size_t i = 0; i < c->ranks[r].n; i++)
            free(c->ranks[r].made[i].chosen.ranks);
        free(c->ranks[r].made);
    }
    free(c->ranks);
    for (size_t i = 0; i < c->n_groups; i++) {
        free(c->groups[i]->members);
        free(c->groups[i]);
    }
    free(c->groups);
    *c = (tl_dumpi_comms){0};
}
