/* actions.h - the columns of actions.def: the meaning of an action, in one place for tracer, plan,
 * engines, waits and exports.
 *
 * Internal. All functions are inlined: if the action is a constant, as in the tracer's wrappers,
 * the result is a constant, too. */
#ifndef TL_ACTIONS_H
#define TL_ACTIONS_H

#include "timeless.h"

typedef enum tl_kind {
    TL_KIND_NONE = 0, /* no row: a test refuses it */
    TL_KIND_PROGRAM,  /* the program's start and end, computation, threads; and what is opaque */
    TL_KIND_SEND,     /* messages from one rank to another ... */
    TL_KIND_RECEIVE,
    TL_KIND_SENDRECV,
    TL_KIND_PROBE,        /* what is known of a message: a probe, the outcome of a receive */
    TL_KIND_REQUEST,      /* start, completion, release of a request */
    TL_KIND_COLLECTIVE,   /* data of a communicator's members ... */
    TL_KIND_NEIGHBORHOOD, /* ... and of neighbours in its topology */
    TL_KIND_CONSTRUCTOR,  /* makes a communicator; collective, but for MPI_Comm_create_group */
    TL_KIND_DESTRUCTOR,
    TL_KIND_WINDOW,     /* collective over the ranks of a window */
    TL_KIND_FILE,       /* collective over the ranks that have opened the file */
    TL_KIND_FILE_ALONE, /* a rank's own access to a file */
    TL_KIND_ACCESS,     /* data to or from the window of rank `peer` */
    TL_KIND_EPOCH       /* synchronisation of a window that is not collective */
} tl_kind;

typedef enum tl_who { TL_WHO_NOBODY, TL_WHO_ROOT, TL_WHO_ALL } tl_who;

typedef enum tl_size {
    TL_SIZE_NONE,
    TL_SIZE_WHOLE,
    TL_SIZE_EACH,
    TL_SIZE_LIST,
    TL_SIZE_BYTES,
    TL_SIZE_AS_SENT,
    TL_SIZE_OWN
} tl_size;

typedef enum tl_in_place {
    TL_IN_PLACE_NOWHERE,
    TL_IN_PLACE_SENT,
    TL_IN_PLACE_SENT_AT_ROOT,
    TL_IN_PLACE_RECEIVED_AT_ROOT
} tl_in_place;

typedef enum tl_needs {
    TL_NEEDS_NOTHING,
    TL_NEEDS_ALL,
    TL_NEEDS_ROOT,
    TL_NEEDS_ALL_AT_ROOT,
    TL_NEEDS_LOWER,
    TL_NEEDS_NEIGHBOURS
} tl_needs;

/* A row: enumerators of the types above, in bytes. */
typedef struct tl_meaning {
    uint8_t kind, from, to, sent, received, in_place, needs;
    uint8_t blocking; /* the tl_action of a collective's blocking form; of others their own */
    uint8_t family;   /* the tl_action whose algorithms serve a collective; otherwise 0 */
} tl_meaning;

/* Each parameter is pasted where it first appears, so that no macro of an includer can change it.
 */
static const tl_meaning tl_meanings[] = {
/* clang-format off */
#define TL_COLLECTIVE(action, nonblocking, kind, from, to, sent, received, in_place, needs, family) \
    [TL_ACTION_##action] = {                                                                        \
        TL_KIND_##kind, TL_WHO_##from, TL_WHO_##to, TL_SIZE_##sent, TL_SIZE_##received,             \
        TL_IN_PLACE_##in_place, TL_NEEDS_##needs, TL_ACTION_##action, TL_ACTION_##family},          \
    [TL_ACTION_##nonblocking] = {                                                                   \
        TL_KIND_##kind, TL_WHO_##from, TL_WHO_##to, TL_SIZE_##sent, TL_SIZE_##received,             \
        TL_IN_PLACE_##in_place, TL_NEEDS_##needs, TL_ACTION_##action, TL_ACTION_##family},
#define TL_ACTION(action, kind, sent, received, needs)                                              \
    [TL_ACTION_##action] = {                                                                        \
        TL_KIND_##kind, TL_WHO_ALL, TL_WHO_ALL, TL_SIZE_##sent, TL_SIZE_##received,                 \
        TL_IN_PLACE_NOWHERE, TL_NEEDS_##needs, TL_ACTION_##action, TL_ACTION_NONE},
#include "actions.def"
    /* clang-format on */
};

/* Every action is below. */
enum { TL_N_ACTIONS = sizeof tl_meanings / sizeof *tl_meanings };

static inline const tl_meaning *tl_meaning_of(tl_action action)
{
    return &tl_meanings[action];
}

/* ---- what sort of call ---- */

/* Has a partner, or tells of one. */
static inline int tl_is_message(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_SEND || kind == TL_KIND_RECEIVE || kind == TL_KIND_SENDRECV ||
           kind == TL_KIND_PROBE;
}

/* Whether the action moves data among the members of a communicator, or among neighbours. */
static inline int tl_is_collective(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_COLLECTIVE || kind == TL_KIND_NEIGHBORHOOD;
}

/* Whether every rank of a communicator, window or file makes the call (except
 * MPI_Comm_create_group). */
static inline int tl_is_made_by_all(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return tl_is_collective(action) || kind == TL_KIND_CONSTRUCTOR || kind == TL_KIND_DESTRUCTOR ||
           kind == TL_KIND_WINDOW || kind == TL_KIND_FILE;
}

/* What the tag of a constructor adds to the identity of what it made (FORMAT.md, "The same
 * communicator on several ranks"); 0: it has no tag. All members give MPI_Comm_create_group the
 * same one; that of MPI_Intercomm_create matters to the two leaders alone, so the tracer writes
 * none for it. */
static inline uint64_t tl_tag_mark(const tl_comm *comm)
{
    return comm->has_tag ? UINT64_C(1) << 32 | (uint32_t)comm->tag : 0;
}

/* The other form of a collective, nonblocking or persistent. */
static inline int tl_is_nonblocking(tl_action action)
{
    return tl_meanings[action].blocking != action;
}

static inline int tl_is_on_window(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_WINDOW || kind == TL_KIND_ACCESS || kind == TL_KIND_EPOCH;
}

static inline int tl_is_on_file(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_FILE || kind == TL_KIND_FILE_ALONE;
}

/* Data goes from a rank or to it. */
static inline int tl_moves_data(tl_action action)
{
    return tl_meanings[action].sent || tl_meanings[action].received;
}

static inline int tl_is_rooted(tl_action action)
{
    return tl_meanings[action].from == TL_WHO_ROOT || tl_meanings[action].to == TL_WHO_ROOT;
}

/* Whether the root has other slots than the other ranks: its size on one side, theirs on the other.
 */
static inline int tl_varies_at_root(tl_action action)
{
    return tl_is_rooted(action) && tl_meanings[action].received != TL_SIZE_AS_SENT;
}

static inline int tl_is_listed(int size)
{
    return size == TL_SIZE_LIST || size == TL_SIZE_BYTES;
}

/* MPI has no scan between the groups of an intercommunicator, and the counts of a reduce-scatter do
 * not give those of the other group. */
static inline int tl_is_known_between_groups(tl_action action)
{
    const tl_meaning *m = &tl_meanings[action];
    return m->needs != TL_NEEDS_LOWER && !(m->received == TL_SIZE_OWN && tl_is_listed(m->sent));
}

/* ---- who ---- */

/* The role of a rank in a rooted call. Within one group, the root may also have the role of the
 * others. */
typedef enum tl_role {
    TL_ROLE_OTHER,
    TL_ROLE_ROOT,
    TL_ROLE_NONE /* in an intercommunicator: the other ranks of the root's group */
} tl_role;

static inline tl_role tl_role_within(int32_t root, int32_t me)
{
    return root == me ? TL_ROLE_ROOT : TL_ROLE_OTHER;
}

/* `peer`: of the event. */
static inline tl_role tl_role_between(int32_t peer)
{
    return peer == TL_ROOT ? TL_ROLE_ROOT : peer >= 0 ? TL_ROLE_OTHER : TL_ROLE_NONE;
}

/* Whether a rank gives data to other ranks (or itself), and whether it gets data from them. */
static inline int tl_contributes(const tl_meaning *m, int between_groups, tl_role role)
{
    if (m->from == TL_WHO_ALL)
        return !between_groups || m->to != TL_WHO_ROOT || role == TL_ROLE_OTHER;
    return m->from == TL_WHO_ROOT && role == TL_ROLE_ROOT;
}

static inline int tl_gets_data(const tl_meaning *m, int between_groups, tl_role role)
{
    if (m->to == TL_WHO_ALL)
        return !between_groups || m->from != TL_WHO_ROOT || role == TL_ROLE_OTHER;
    return m->to == TL_WHO_ROOT && role == TL_ROLE_ROOT;
}

/* Whether the event has slots of the sending side, and of the receiving side. */
static inline int tl_fills_sent(const tl_meaning *m, int between_groups, tl_role role)
{
    return tl_contributes(m, between_groups, role) ||
           (m->received == TL_SIZE_AS_SENT && tl_gets_data(m, between_groups, role));
}

static inline int tl_fills_received(const tl_meaning *m, int between_groups, tl_role role)
{
    return tl_gets_data(m, between_groups, role);
}

/* ---- how much ---- */

/* Ranks that a call has to do with. */
typedef struct tl_extent {
    uint32_t n_own;        /* ranks of the own group */
    uint32_t n_to, n_from; /* ranks that data goes to, and comes from: of the own group, of the
                              other one, or neighbours */
    uint32_t me;           /* own rank in the own group */
    int between_groups;
} tl_extent;

/* Values in the list for the two sides. */
static inline uint32_t tl_n_sent_counts(const tl_meaning *m, const tl_extent *x, tl_role role)
{
    if (!tl_is_listed(m->sent) || !tl_fills_sent(m, x->between_groups, role))
        return 0;
    return m->received == TL_SIZE_OWN ? x->n_own : x->n_to;
}

static inline uint32_t tl_n_received_counts(const tl_meaning *m, const tl_extent *x, tl_role role)
{
    return tl_is_listed(m->received) && tl_fills_received(m, x->between_groups, role) ? x->n_from
                                                                                      : 0;
}

/* One side of a call: elements for each rank, or in total. */
typedef struct tl_side {
    uint8_t size;  /* TL_SIZE_NONE, _WHOLE, _EACH or _LIST */
    int64_t count; /* of the first two with data */
    int64_t type_bytes;
    const int64_t *list; /* n of them; or NULL: the list is too short */
    uint32_t n;
} tl_side;

/* Elements for, or from, number i. */
static inline int64_t tl_count_at(const tl_side *side, uint32_t i)
{
    return side->size != TL_SIZE_LIST ? side->count : side->list && i < side->n ? side->list[i] : 0;
}

static inline tl_side tl_side_in(int size, int64_t count, int64_t type_bytes, const int64_t *list,
                                 uint32_t n)
{
    tl_side side = {.size = (uint8_t)size, .count = count, .type_bytes = type_bytes};
    if (!tl_is_listed(size))
        return side;
    side.size = TL_SIZE_LIST;
    side.count = 0;
    side.type_bytes = size == TL_SIZE_BYTES ? 1 : type_bytes;
    side.list = list;
    side.n = n;
    return side;
}

/* With MPI_IN_PLACE, the missing side follows from the other one: from its values for the own rank,
 * or for all ranks. */
static inline void tl_replace_in_place(const tl_meaning *m, const tl_extent *x, tl_role role,
                                       tl_side *sent, tl_side *received)
{
    const int at_root = role == TL_ROLE_ROOT;
    tl_side *gone = NULL;
    const tl_side *kept = sent;
    if (m->in_place == TL_IN_PLACE_RECEIVED_AT_ROOT && at_root)
        gone = received;
    if (m->in_place == TL_IN_PLACE_SENT || (m->in_place == TL_IN_PLACE_SENT_AT_ROOT && at_root)) {
        gone = sent;
        kept = received;
    }
    if (!gone || m->received == TL_SIZE_AS_SENT || m->received == TL_SIZE_OWN)
        return;
    gone->type_bytes = kept->type_bytes;
    if (gone->size == TL_SIZE_LIST) {
        gone->list = kept->list;
        gone->n = kept->n;
    } else {
        gone->count = tl_count_at(kept, x->me);
    }
}

/* The sides of a collective call, with the values for which MPI_IN_PLACE stands. If the rank in its
 * role does not have a side, it is TL_SIZE_NONE. The result is 0 if the event's list does not have
 * the values that the action requires; the sides then have no list. */
static inline int tl_take_sides(const tl_event *e, const tl_meaning *m, const tl_extent *x,
                                tl_role role, tl_side *sent, tl_side *received)
{
    const uint32_t n_sent = tl_n_sent_counts(m, x, role);
    const uint32_t n_received = tl_n_received_counts(m, x, role);
    const int fits = n_sent + n_received == 0 || e->list_len == (uint64_t)n_sent + n_received;
    const int64_t *list = fits ? e->list : NULL;
    *sent = tl_side_in(m->sent, e->count, e->type_bytes, list, n_sent);
    switch (m->received) {
    case TL_SIZE_AS_SENT:
        *received = tl_side_in(TL_SIZE_WHOLE, e->count, e->type_bytes, NULL, 0);
        break;
    case TL_SIZE_OWN:
        *received = tl_side_in(TL_SIZE_WHOLE, tl_count_at(sent, x->me), e->type_bytes, NULL, 0);
        break;
    default:
        *received = tl_side_in(m->received, e->recv_count, e->recv_type_bytes,
                               list ? list + n_sent : NULL, n_received);
    }
    if (e->flags & TL_IN_PLACE)
        tl_replace_in_place(m, x, role, sent, received);
    if (!tl_contributes(m, x->between_groups, role))
        *sent = (tl_side){0};
    if (!tl_gets_data(m, x->between_groups, role))
        *received = (tl_side){0};
    return fits;
}

/* MPI ignores the root's side on the other ranks, but algorithms may read it there. Programs pass
 * the same size everywhere, and it agrees with the side that is used. */
static inline void tl_fill_ignored(const tl_meaning *m, tl_side *sent, tl_side *received)
{
    tl_side *ignored = NULL;
    const tl_side *other = received;
    if (m->sent == TL_SIZE_EACH && !sent->size)
        ignored = sent;
    if (m->received == TL_SIZE_EACH && !received->size) {
        ignored = received;
        other = sent;
    }
    if (!ignored)
        return;
    *ignored = *other;
    ignored->size = TL_SIZE_EACH;
}

#endif
