/* extrapolate.h - ranks of a larger grid, made of those of a trace (doc/EXTRAPOLATION.md). */
#ifndef TL_EXTRAPOLATE_H
#define TL_EXTRAPOLATE_H

#include "bytes.h"
#include "map.h"
#include "reader.h"
#include "timeless_convert.h"

/* ---- grids ---- */

enum { TL_MAX_DIMS = 3, TL_N_DIRECTIONS = 27, TL_GRID_TEXT_BYTES = 48 };

/* Ranks in the order of their places, the last dimension fastest. */
typedef struct tl_grid {
    int n_dims;
    int32_t size[TL_MAX_DIMS]; /* 1 beyond n_dims */
    bool periodic[TL_MAX_DIMS];
} tl_grid;

typedef struct tl_coords {
    int32_t at[TL_MAX_DIMS];
} tl_coords;

/* The way to a neighbour: -1, 0 or 1 along each dimension.  TL_EITHER: -1 or 1, which of them
 * cannot be seen, since both lead to the same rank. */
enum { TL_EITHER = 2 };
typedef struct tl_way {
    int8_t step[TL_MAX_DIMS];
} tl_way;

/* "4x4", "4px2p" where the dimensions are periodic. */
bool tl_grid_parse(const char *text, tl_grid *out);
void tl_grid_text(const tl_grid *g, char text[TL_GRID_TEXT_BYTES]);
int64_t tl_grid_n_ranks(const tl_grid *g);
/* Sizes as equal as they get, the largest first, as MPI_Dims_create gives them. */
void tl_grid_create(int64_t n_ranks, int n_dims, int32_t size[TL_MAX_DIMS]);
tl_coords tl_grid_coords(const tl_grid *g, uint32_t rank);
uint32_t tl_grid_rank(const tl_grid *g, tl_coords place);
/* Where a rank stands along each dimension, first, inner or last: 0 to TL_N_DIRECTIONS - 1. */
int tl_grid_class(const tl_grid *g, uint32_t rank);
/* False: `to` is no neighbour of `from`. */
bool tl_grid_way(const tl_grid *g, uint32_t from, uint32_t to, tl_way *out);
/* The rank at the end of a way; -1: outside the grid. */
int64_t tl_grid_go(const tl_grid *g, uint32_t from, tl_way way);
/* Whether both neighbours along a dimension are one rank. */
static inline bool tl_grid_is_folded(const tl_grid *g, int dim)
{
    return g->periodic[dim] && g->size[dim] <= 2;
}
static inline bool tl_way_is(tl_way a, tl_way b)
{
    return !memcmp(&a, &b, sizeof a);
}
static inline tl_way tl_way_back(tl_way way)
{
    for (int d = 0; d < TL_MAX_DIMS; d++)
        way.step[d] = (int8_t)(way.step[d] == TL_EITHER ? TL_EITHER : -way.step[d]);
    return way;
}
/* 0 to 26 of a way without TL_EITHER. */
static inline int tl_way_index(tl_way way)
{
    return (way.step[0] + 1) * 9 + (way.step[1] + 1) * 3 + way.step[2] + 1;
}

/* A slice: the ranks that differ from one of them along the dimensions `dims` (bits) alone. */
uint32_t tl_slice_size(const tl_grid *g, unsigned dims);
/* Its ranks, as so many members of a communicator. */
void tl_slice_members(const tl_grid *g, uint32_t rank, unsigned dims, int32_t *out);
/* Which of them a rank is. */
uint32_t tl_slice_index(const tl_grid *g, uint32_t rank, unsigned dims);

/* ---- the trace on its grid ---- */

/* A communicator or window, the same on all ranks but for its members. */
typedef struct tl_comm_kind {
    uint32_t id;
    unsigned dims; /* of the slice that its members are */
} tl_comm_kind;

/* Two ranks that send one another something: the first event of `rank` that says so. */
typedef struct tl_partner {
    uint32_t rank, peer;
    uint64_t event;
    uint16_t call;
} tl_partner;

typedef struct tl_extrapolating {
    tl_reader *r;
    uint32_t n_ranks;
    tl_grid from, to;
    tl_comm_kind *kinds; /* ordered by id */
    size_t n_kinds;
    tl_partner *partners; /* in the order of ranks and events */
    size_t n_partners, partners_capacity;
    bool has_null; /* messages to MPI_PROC_NULL */
    const tl_extrapolate_options *options;
    tl_recorded_rank *recorded; /* by rank of the trace; by tl_check_alike */
    tl_like_ranks *groups;
    size_t n_groups;
    uint32_t *members; /* of the groups */
    uint64_t median;   /* volume of the ranks */
    tl_new_rank *sources;
    uint32_t *drawn;    /* by new rank, if they are drawn */
    uint64_t n_ordered; /* see tl_merge; of all likenesses */
    tl_error *err;
} tl_extrapolating;

#define tl_refuse(x, ...) tl_fail((x)->err, TL_ERR_UNSUPPORTED, __VA_ARGS__)

/* Finds the kinds of all communicators on grid `from`.  Refuses others. */
tl_status tl_comm_kinds_find(tl_extrapolating *x);
/* The dimensions of a communicator; every one for TL_COMM_WORLD. */
unsigned tl_comm_dims(const tl_extrapolating *x, uint32_t comm);
/* Writes for `rank` of grid `to` what rank `like` has defined of communicators. */
tl_status tl_comm_kinds_define(const tl_extrapolating *x, uint32_t like, uint32_t rank,
                               tl_writer *w);

/* Collects the partners, and refuses calls that cannot be extrapolated. */
tl_status tl_partners_find(tl_extrapolating *x);
/* Finds the grid `from` that the trace's ranks have; or checks the one that was given. */
tl_status tl_grid_find(tl_extrapolating *x, const tl_grid *given);

/* ---- events on the grid ---- */

typedef enum tl_half_kind {
    TL_HALF_NONE, /* the event has no such peer */
    TL_HALF_NULL, /* MPI_PROC_NULL */
    TL_HALF_ANY,  /* MPI_ANY_SOURCE */
    TL_HALF_WAY,  /* a neighbour */
    TL_HALF_FIRST /* the root of a collective is the first rank of its communicator ... */,
    TL_HALF_LAST /* ... the last */
} tl_half_kind;

typedef struct tl_half {
    tl_half_kind kind;
    tl_way way;
    bool sends;
} tl_half;

/* An event whose peers (peer, recv_peer) are told by their places. */
typedef struct tl_step {
    tl_event event;
    const tl_call_info *row;
    tl_half halves[2];
    const tl_site *site; /* NULL: unknown */
} tl_step;

/* A rank's events, one after the other. */
typedef struct tl_walk {
    tl_extrapolating *x;
    uint32_t rank;
    tl_cursor *cursor;
    uint64_t event;    /* number of the one that was returned last, + 1 */
    tl_map directions; /* what its receives tell of the directions of messages: see walk.c */
    tl_map counts;
    double scale, carry; /* of its volumes: what rounding left over is carried on */
} tl_walk;

/* `resolve`: no way of a message has TL_EITHER. */
tl_status tl_walk_open(tl_walk *w, tl_extrapolating *x, uint32_t rank, bool resolve);
/* The step's list is valid until the next one.  TL_END: no more. */
tl_status tl_walk_next(tl_walk *w, tl_step *out);
void tl_walk_close(tl_walk *w);
/* Whether a call can be extrapolated at all; why not. */
const char *tl_refusal_of(const tl_call_info *row);
/* Whether two steps of ranks with the same place are the same, but for what may vary. */
bool tl_step_is(const tl_step *a, const tl_step *b);
/* Whether the root of the call may have other sizes than the other ranks; they may vary, too. */
bool tl_step_varies_at_root(const tl_step *step);
/* Whether the step is a collective whose root the rank is. */
bool tl_walk_at_root(const tl_walk *w, const tl_step *step);
uint64_t tl_step_hash(uint64_t hash, const tl_step *step);
/* Ranks with the same hash can stand for each other: sizes and roots are the same, too. */
uint64_t tl_step_script(const tl_walk *w, uint64_t hash, const tl_step *step);
static inline uint64_t tl_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}
/* The event as rank `rank` of grid `to` has it; *list is its list's, if it changes. */
tl_status tl_step_put(const tl_extrapolating *x, const tl_step *step, uint32_t rank,
                      tl_buffer *list, tl_event *out);

/* ---- ranks that the trace has not ---- */

enum { TL_MAX_CORNERS = 1 << TL_MAX_DIMS };

/* A request of an inner rank. */
typedef struct tl_merged_request {
    unsigned corners; /* that have it, as bits */
    bool live, persistent;
    uint32_t shown;  /* its id in the rank that is made; 0: this has none */
    bool shown_live; /* (of another one:) the id that is this one's position is taken */
} tl_merged_request;

/* What the corners of a grid with two ranks along some dimensions do, as one rank that has
 * neighbours on all sides; of that, what a rank at some of the sides does. */
typedef struct tl_merge {
    tl_extrapolating *x;
    int n; /* corners: 1 is a rank of the trace as it is */
    struct tl_corner {
        tl_walk walk;
        tl_coords place;
        tl_step head;
        bool at_end;
        uint64_t n_taken;   /* events */
        uint64_t accounted; /* volume of the rank that is made since this corner's last event */
        tl_map requests;    /* its ids -> those of the inner rank */
        tl_buffer list;     /* of the head, with those ids */
    } corners[TL_MAX_CORNERS];
    unsigned dims;  /* along which the corners differ */
    unsigned shown; /* corners that the rank that is made is like */
    int source;     /* the corner whose volumes it has; -1: the mean */
    tl_merged_request *requests;
    size_t n_requests, requests_capacity;
    tl_buffer list;
    const tl_site **sites; /* of the rank that is made, ids from 1 */
    size_t n_sites, sites_capacity;
    uint32_t n_defined; /* of them, so far, by whoever reads */
    uint64_t n_ordered; /* how often no corner shows which of two calls comes first */
} tl_merge;

/* The ranks of grid `from` that a rank of grid `to` is like. */
typedef struct tl_likeness {
    uint32_t ranks[TL_MAX_CORNERS]; /* one, or corners */
    int n;
    unsigned dims, shown; /* see tl_merge */
    uint64_t key;         /* equal for ranks that are like the same */
    /* by tl_volumes_choose: */
    uint32_t sources[TL_MAX_CORNERS]; /* ranks that stand for those above */
    double scale[TL_MAX_CORNERS];     /* of their volumes */
    int source;                       /* see tl_merge */
} tl_likeness;

/* ---- volumes ---- */

/* Finds the recorded ranks that can stand for each other, and their volumes' range. */
tl_status tl_groups_find(tl_extrapolating *x);
tl_status tl_volumes_begin(tl_extrapolating *x);
/* Whose volumes a new rank has. */
tl_status tl_volumes_choose(tl_extrapolating *x, uint32_t rank, tl_likeness *like);

tl_status tl_merge_open(tl_merge *m, tl_extrapolating *x, const tl_likeness *like);
/* The step's list is valid until the next one.  TL_END: no more. */
tl_status tl_merge_next(tl_merge *m, tl_step *out);
void tl_merge_close(tl_merge *m);

/* ---- checks ---- */

/* Ranks with like places do the same, but for their volumes; else they are refused.  Notes volume
 * and script of each rank. */
tl_status tl_check_alike(tl_extrapolating *x);

/* The messages of a rank by the way they go; [0] is received, [1] sent. */
typedef struct tl_messages {
    uint64_t n[2][TL_N_DIRECTIONS], hash[2][TL_N_DIRECTIONS]; /* number; sum over the tags */
    bool is_open; /* receives from any rank or with any tag: not compared */
    tl_map inits; /* persistent request -> position + 1 of what made it */
    tl_step *steps;
    size_t n_steps, steps_capacity;
} tl_messages;

/* False without memory. */
bool tl_messages_count(tl_messages *m, const tl_step *step);
/* After the last event. */
void tl_messages_end(tl_messages *m);
/* What a rank of grid `to` sends is what its neighbours receive. */
tl_status tl_messages_check(const tl_extrapolating *x, const tl_messages *const *of_rank,
                            uint32_t rank);

#endif
