/* actions.h - the meaning of each action: its kind, who sends, who receives, how much, and for whom
 * a rank waits. These are the columns of actions.def.
 *
 * Tracer, plan, engines, waits and exports use them. All functions are inlined: if the action is a
 * constant, as in the tracer's wrappers, the result is a constant, too. */
#ifndef TL_ACTIONS_H
#define TL_ACTIONS_H

#include "timeless.h"

#include <stdbool.h>

typedef enum tl_kind {
    TL_KIND_NONE = 0, /* the action has no row; a test refuses this */
    TL_KIND_PROGRAM,  /* start and end of the program, computation, threads, opaque calls */
    TL_KIND_SEND,     /* point to point */
    TL_KIND_RECEIVE,
    TL_KIND_SENDRECV,
    TL_KIND_PROBE,        /* information about a message: a probe, the outcome of a receive */
    TL_KIND_REQUEST,      /* start, completion, release of a request */
    TL_KIND_COLLECTIVE,   /* data of all members of a communicator */
    TL_KIND_NEIGHBORHOOD, /* data of neighbours in the topology of a communicator */
    TL_KIND_CONSTRUCTOR,  /* makes a communicator; collective, except MPI_Comm_create_group */
    TL_KIND_DESTRUCTOR,
    TL_KIND_WINDOW,     /* collective over the ranks of a window */
    TL_KIND_FILE,       /* collective over the ranks that have opened the file */
    TL_KIND_FILE_ALONE, /* access of one rank to a file */
    TL_KIND_ACCESS,     /* data to or from the window of rank `peer` */
    TL_KIND_EPOCH       /* synchronisation of a window that is not collective */
} tl_kind;

/* Who sends data in a collective, or receives data. */
typedef enum tl_who { TL_WHO_NOBODY, TL_WHO_ROOT, TL_WHO_ALL } tl_who;

/* How the size of one side of a call is given; actions.def describes each. */
typedef enum tl_size {
    TL_SIZE_NONE,
    TL_SIZE_WHOLE,
    TL_SIZE_EACH,
    TL_SIZE_LIST,
    TL_SIZE_BYTES,
    TL_SIZE_AS_SENT,
    TL_SIZE_OWN
} tl_size;

/* Which side of a call MPI_IN_PLACE can replace. */
typedef enum tl_in_place {
    TL_IN_PLACE_NOWHERE,
    TL_IN_PLACE_SENT,
    TL_IN_PLACE_SENT_AT_ROOT,
    TL_IN_PLACE_RECEIVED_AT_ROOT
} tl_in_place;

/* For which ranks a rank waits in a collective. */
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
    uint8_t
        blocking;   /* the tl_action of the blocking form of a collective; else the action itself */
    uint8_t family; /* of a collective: the tl_action whose algorithms it uses; else 0 */
} tl_meaning;

/* Parameters are pasted directly (##), so no macro of an includer changes them. */
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

/* Greater than every action. */
enum { TL_N_ACTIONS = sizeof tl_meanings / sizeof *tl_meanings };

static inline const tl_meaning *tl_meaning_of(tl_action action)
{
    return &tl_meanings[action];
}

/* ---- what sort of call ---- */

/* Whether the call has a partner, or has information about one. */
static inline bool tl_is_message(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_SEND || kind == TL_KIND_RECEIVE || kind == TL_KIND_SENDRECV ||
           kind == TL_KIND_PROBE;
}

/* Whether the action moves data among the members of a communicator, or among neighbours. */
static inline bool tl_is_collective(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_COLLECTIVE || kind == TL_KIND_NEIGHBORHOOD;
}

/* Whether every rank of a communicator, window or file makes the call (except
 * MPI_Comm_create_group). */
static inline bool tl_is_made_by_all(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return tl_is_collective(action) || kind == TL_KIND_CONSTRUCTOR || kind == TL_KIND_DESTRUCTOR ||
           kind == TL_KIND_WINDOW || kind == TL_KIND_FILE;
}

/* A number that distinguishes communicators with different tags (FORMAT.md, "The same communicator
 * on several ranks"); 0: no tag. All members pass the same tag to MPI_Comm_create_group. The tag of
 * MPI_Intercomm_create matters only to the two leaders, so the tracer does not write it. */
static inline uint64_t tl_tag_mark(const tl_comm *comm)
{
    return comm->has_tag ? UINT64_C(1) << 32 | (uint32_t)comm->tag : 0;
}

/* Whether the action is the nonblocking or persistent form of a collective. */
static inline bool tl_is_nonblocking(tl_action action)
{
    return tl_meanings[action].blocking != action;
}

static inline bool tl_is_on_window(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_WINDOW || kind == TL_KIND_ACCESS || kind == TL_KIND_EPOCH;
}

static inline bool tl_is_on_file(tl_action action)
{
    const int kind = tl_meanings[action].kind;
    return kind == TL_KIND_FILE || kind == TL_KIND_FILE_ALONE;
}

/* Whether the call sends or receives data. */
static inline int tl_moves_data(tl_action action)
{
    return tl_meanings[action].sent || tl_meanings[action].received;
}

static inline bool tl_is_rooted(tl_action action)
{
    return tl_meanings[action].from == TL_WHO_ROOT || tl_meanings[action].to == TL_WHO_ROOT;
}

/* Whether the event of the root has other slots than the events of the other ranks. */
static inline int tl_varies_at_root(tl_action action)
{
    return tl_is_rooted(action) && tl_meanings[action].received != TL_SIZE_AS_SENT;
}

static inline bool tl_is_listed(int size)
{
    return size == TL_SIZE_LIST || size == TL_SIZE_BYTES;
}

/* Whether the sizes are known on an intercommunicator. MPI has no scan there, and the counts of a
 * reduce-scatter do not contain those of the other group. */
static inline bool tl_is_known_between_groups(tl_action action)
{
    const tl_meaning *m = &tl_meanings[action];
    return m->needs != TL_NEEDS_LOWER && !(m->received == TL_SIZE_OWN && tl_is_listed(m->sent));
}

/* ---- who ---- */

/* The role of a rank in a rooted call. */
typedef enum tl_role {
    TL_ROLE_OTHER,
    TL_ROLE_ROOT,
    TL_ROLE_NONE /* in an intercommunicator: the other ranks of the root's group */
} tl_role;

static inline tl_role tl_role_within(int32_t root, int32_t me)
{
    return root == me ? TL_ROLE_ROOT : TL_ROLE_OTHER;
}

/* The same in an intercommunicator; `peer` is tl_event.peer. */
static inline tl_role tl_role_between(int32_t peer)
{
    return peer == TL_ROOT ? TL_ROLE_ROOT : peer >= 0 ? TL_ROLE_OTHER : TL_ROLE_NONE;
}

/* Whether a rank sends data to other ranks or to itself; whether it receives data. */
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

/* Whether the event has the slots of the sending side; of the receiving side. */
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

/* The numbers of ranks in a call. */
typedef struct tl_extent {
    uint32_t n_own;        /* in the own group */
    uint32_t n_to, n_from; /* receivers and senders: in the own group, the other group, or among the
                              neighbours */
    uint32_t me;           /* own rank in the own group */
    int between_groups;
} tl_extent;

/* The number of values in the list of the event for the sending side; for the receiving side. */
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

/* The size of one side of a call. */
typedef struct tl_side {
    uint8_t size;  /* TL_SIZE_NONE, _WHOLE, _EACH or _LIST */
    int64_t count; /* elements: in total (_WHOLE), or for each rank (_EACH) */
    int64_t type_bytes;
    const int64_t *list; /* elements for each of n ranks (_LIST); NULL: the list is too short */
    uint32_t n;
} tl_side;

/* Elements for rank i, or from it. */
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

/* With MPI_IN_PLACE, one side is missing. Its size is that of the other side: for the own rank, or
 * for all ranks. */
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

/* The two sides of a collective call; MPI_IN_PLACE is replaced. If a rank with this role has no
 * such side, the side is TL_SIZE_NONE. Returns 0 if the list of the event does not have the values
 * that the action requires; the sides then have no list. */
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

/* MPI ignores the size of the root's side on the other ranks, but algorithms may read it there.
 * Fills it in from the side that is used, because programs pass the same size on all ranks. */
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
