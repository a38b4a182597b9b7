/* extrapolate.h - makes the ranks of a larger grid from the ranks of a trace
 * (doc/EXTRAPOLATION.md). */
#ifndef TL_EXTRAPOLATE_H
#define TL_EXTRAPOLATE_H

#include "core/bytes.h"
#include "core/map.h"
#include "reader.h"
#include "timeless_convert.h"

#include <stdbool.h>

/* ---- grids ---- */

enum { TL_MAX_DIMS = 3, TL_N_DIRECTIONS = 27, TL_GRID_TEXT_BYTES = 48 };

/* A grid of ranks; their numbers grow fastest along the last dimension. */
typedef struct tl_grid {
    int n_dims;
    int32_t size[TL_MAX_DIMS]; /* 1 beyond n_dims */
    bool periodic[TL_MAX_DIMS];
} tl_grid;

typedef struct tl_coords {
    int32_t at[TL_MAX_DIMS];
} tl_coords;

/* The way to a neighbour: -1, 0 or 1 along each dimension. TL_EITHER: -1 or 1; both ways lead to
 * the same rank, so the trace does not show which. */
enum { TL_EITHER = 2 };
typedef struct tl_way {
    int8_t step[TL_MAX_DIMS];
} tl_way;

/* "4x4"; "4px2p" if the dimensions are periodic. */
bool tl_grid_parse(const char *text, tl_grid *out);
void tl_grid_text(const tl_grid *g, char text[TL_GRID_TEXT_BYTES]);
int64_t tl_grid_n_ranks(const tl_grid *g);
/* The most equal sizes, the largest first, as MPI_Dims_create returns them. */
void tl_grid_create(int64_t n_ranks, int n_dims, int32_t size[TL_MAX_DIMS]);
tl_coords tl_grid_coords(const tl_grid *g, uint32_t rank);
uint32_t tl_grid_rank(const tl_grid *g, tl_coords place);
/* The place of a rank along each dimension (first, inner or last) as a number from 0 to
 * TL_N_DIRECTIONS - 1. */
int tl_grid_class(const tl_grid *g, uint32_t rank);
/* False if `to` is no neighbour of `from`. */
bool tl_grid_way(const tl_grid *g, uint32_t from, uint32_t to, tl_way *out);
/* The rank at the end of a way; -1 outside the grid. */
int64_t tl_grid_go(const tl_grid *g, uint32_t from, tl_way way);
/* Whether both neighbours along a dimension are the same rank. */
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
/* The number of a way without TL_EITHER, 0 to 26. */
static inline int tl_way_index(tl_way way)
{
    return (way.step[0] + 1) * 9 + (way.step[1] + 1) * 3 + way.step[2] + 1;
}

/* A slice: ranks that differ only along the dimensions `dims` (bits). */
uint32_t tl_slice_size(const tl_grid *g, unsigned dims);
/* The ranks of a slice, as members of a communicator. */
void tl_slice_members(const tl_grid *g, uint32_t rank, unsigned dims, int32_t *out);
/* The number of a rank in a slice. */
uint32_t tl_slice_index(const tl_grid *g, uint32_t rank, unsigned dims);

/* ---- the trace on its grid ---- */

/* A communicator or window. On each rank, its members are the slice of this rank. */
typedef struct tl_comm_kind {
    uint32_t id;
    unsigned dims; /* of the slice */
} tl_comm_kind;

/* Two ranks that communicate, and the first event of `rank` that shows it. */
typedef struct tl_partner {
    uint32_t rank, peer;
    uint64_t event;
    uint16_t call;
} tl_partner;

/* The state of an extrapolation. */
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
    tl_extrapolation done;
    uint64_t median; /* of the volumes of the ranks */
    uint32_t *drawn; /* by new rank, if volumes are drawn */
    tl_error *err;
} tl_extrapolating;

/* The formats are texts behind the path, and behind the place of an event. */
#define tl_refuse(x, format, ...)                                                                  \
    tl_fail((x)->err, TL_ERR_UNSUPPORTED, "%s: " format, tl_reader_path((x)->r), __VA_ARGS__)
#define tl_refuse_event(x, rank, event, format, ...)                                               \
    tl_refuse(x, "rank %" PRIu32 ", event %" PRIu64 ": " format, rank, event, __VA_ARGS__)

/* Finds the kinds of all communicators on grid `from`. Refuses communicators of other kinds. */
tl_status tl_comm_kinds_find(tl_extrapolating *x);
/* The dimensions of a communicator; all dimensions for TL_COMM_WORLD. */
unsigned tl_comm_dims(const tl_extrapolating *x, uint32_t comm);
/* Writes, for `rank` of grid `to`, the communicators that rank `like` has defined. */
tl_status tl_comm_kinds_define(const tl_extrapolating *x, uint32_t like, uint32_t rank,
                               tl_writer *w);

/* Collects the partners, and refuses calls that cannot be extrapolated. */
tl_status tl_partners_find(tl_extrapolating *x);
/* Finds the grid `from` of the recorded ranks, or checks the grid that was given. */
tl_status tl_grid_find(tl_extrapolating *x, const tl_grid *given);

/* ---- events on the grid ---- */

/* A peer of an event, in terms of the grid. */
typedef enum tl_half_kind {
    TL_HALF_NONE, /* the event has no such peer */
    TL_HALF_NULL, /* MPI_PROC_NULL */
    TL_HALF_ANY,  /* MPI_ANY_SOURCE */
    TL_HALF_WAY,  /* a neighbour */
    TL_HALF_FIRST /* a root: the first rank of its communicator */,
    TL_HALF_LAST /* a root: the last rank of its communicator */
} tl_half_kind;

typedef struct tl_half {
    tl_half_kind kind;
    tl_way way;
    bool sends;
} tl_half;

/* An event whose peers (peer, recv_peer) are replaced by ways. */
typedef struct tl_step {
    tl_event event;
    const tl_call_info *row;
    tl_half halves[2];
    const tl_site *site; /* NULL: unknown */
} tl_step;

/* The events of a rank, one after the other. */
typedef struct tl_walk {
    tl_extrapolating *x;
    uint32_t rank;
    tl_cursor *cursor;
    uint64_t event;    /* number of the next event */
    tl_map directions; /* the directions of messages, from its receives: extrapolate_walk.c */
    tl_map counts;
    double scale, carry; /* of its volumes: the factor, and the rounding error so far */
} tl_walk;

/* `resolve`: replace TL_EITHER in the ways of messages by a direction. */
tl_status tl_walk_open(tl_walk *w, tl_extrapolating *x, uint32_t rank, bool resolve);
/* The list of the step is valid until the next step. TL_END: no more steps. */
tl_status tl_walk_next(tl_walk *w, tl_step *out);
void tl_walk_close(tl_walk *w);
/* Whether a call can be extrapolated at all; *why is the reason if it cannot. */
const char *tl_refusal_of(const tl_call_info *row);
/* Whether two steps of ranks with the same place are equal, except for values that may vary. */
bool tl_step_is(const tl_step *a, const tl_step *b);
/* Whether the root of the call may have other sizes than the other ranks. Its sizes may then vary,
 * too. */
bool tl_step_varies_at_root(const tl_step *step);
/* Whether the step is a collective whose root is this rank. */
bool tl_walk_at_root(const tl_walk *w, const tl_step *step);
uint64_t tl_step_hash(uint64_t hash, const tl_step *step);
/* A hash of steps, with the sizes at roots. Ranks with the same hash can replace each other. */
uint64_t tl_step_script(const tl_walk *w, uint64_t hash, const tl_step *step);
static inline uint64_t tl_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}
/* Makes the event of a step for `rank` of grid `to`; *list holds its list if the list changes. */
tl_status tl_step_put(const tl_extrapolating *x, const tl_step *step, uint32_t rank,
                      tl_buffer *list, tl_event *out);

/* ---- ranks without a model in the trace ---- */

enum { TL_MAX_CORNERS = 1 << TL_MAX_DIMS };

/* A request of a merged rank. */
typedef struct tl_merged_request {
    unsigned corners; /* bits: the corners that have it */
    bool live, persistent;
    uint32_t shown;  /* its id in the new rank; 0: the new rank does not have it */
    bool shown_live; /* in the new rank, the id 1 + index of this entry is in use */
} tl_merged_request;

/* A corner is a rank of a grid that has only two ranks along some dimensions. tl_merge combines all
 * corners of such a grid into one rank with neighbours on all sides. A new rank at a side makes
 * only those of its events that corners at this side make, too. */
typedef struct tl_merge {
    tl_extrapolating *x;
    int n; /* number of corners; 1: a rank of the trace, unchanged */
    struct tl_corner {
        tl_walk walk;
        tl_coords place;
        tl_step head;
        bool at_end;
        uint64_t n_taken;   /* number of its events taken so far */
        uint64_t accounted; /* volume of the new rank since the last event of this corner */
        tl_map requests;    /* ids of the corner -> ids of the merged rank */
        tl_buffer list;     /* of `head`, with ids of the merged rank */
    } corners[TL_MAX_CORNERS];
    unsigned dims;  /* bits: dimensions along which the corners differ */
    unsigned shown; /* bits: the corners with the same sides as the new rank */
    int source;     /* the corner whose volumes the new rank gets; -1: the mean */
    tl_merged_request *requests;
    size_t n_requests, requests_capacity;
    tl_buffer list;
    const tl_site **sites; /* of the new rank, ids from 1 */
    size_t n_sites, sites_capacity;
    uint32_t n_defined; /* number of these sites that the caller has defined */
    uint64_t n_ordered; /* number of pairs of calls whose order no corner shows */
} tl_merge;

/* The ranks of grid `from` from which a rank of grid `to` is made. */
typedef struct tl_likeness {
    uint32_t ranks[TL_MAX_CORNERS]; /* one rank, or corners */
    int n;
    unsigned dims, shown; /* see tl_merge */
    uint64_t key;         /* equal for new ranks that are made from the same ranks */
    /* Filled by tl_volumes_choose: */
    uint32_t sources[TL_MAX_CORNERS]; /* ranks that replace `ranks` */
    double scale[TL_MAX_CORNERS];     /* factors of their volumes */
    int source;                       /* see tl_merge */
} tl_likeness;

/* ---- volumes ---- */

/* Finds the groups of recorded ranks that can replace each other, and the range of their volumes.
 */
tl_status tl_groups_find(tl_extrapolating *x);
tl_status tl_volumes_begin(tl_extrapolating *x);
/* Chooses whose volumes a new rank gets. */
tl_status tl_volumes_choose(tl_extrapolating *x, uint32_t rank, tl_likeness *like);

tl_status tl_merge_open(tl_merge *m, tl_extrapolating *x, const tl_likeness *like);
/* The list of the step is valid until the next step. TL_END: no more steps. */
tl_status tl_merge_next(tl_merge *m, tl_step *out);
void tl_merge_close(tl_merge *m);

/* ---- checks ---- */

/* Checks that ranks with the same kind of place make the same calls, except for their volumes;
 * refuses other traces. Fills in volume and script of each rank. */
tl_status tl_check_alike(tl_extrapolating *x);

/* The first difference of the calls of two ranks. */
typedef struct tl_difference {
    bool is_none;
    uint64_t event;
    const char *names[2]; /* of the calls */
    bool is_same_call;
} tl_difference;

tl_status tl_ranks_compare(tl_extrapolating *x, uint32_t a, uint32_t b, bool resolve,
                           tl_difference *out);

/* What all ranks with a like place (tl_grid_class) have in common. */
typedef struct tl_common {
    struct {
        uint64_t value;
        uint32_t rank;
        bool is_used;
    } of[TL_N_DIRECTIONS];
} tl_common;

/* Whether the ranks with like places that came before have this value; otherwise *other is the
 * first of them. */
bool tl_is_common(tl_common *c, const tl_grid *g, uint32_t rank, uint64_t value, uint32_t *other);

/* The messages of a rank by their way; [0] received, [1] sent. */
typedef struct tl_messages {
    uint64_t n[2][TL_N_DIRECTIONS], hash[2][TL_N_DIRECTIONS]; /* number; sum over the tags */
    bool is_open; /* receives from any rank or with any tag: not compared */
    tl_map inits; /* persistent request -> 1 + index in `steps` of the step that made it */
    tl_step *steps;
    size_t n_steps, steps_capacity;
} tl_messages;

/* False without memory. */
bool tl_messages_count(tl_messages *m, const tl_step *step);
/* Call it after the last step. */
void tl_messages_end(tl_messages *m);
/* Checks that the neighbours of a rank of grid `to` receive the messages that it sends. */
tl_status tl_messages_check(const tl_extrapolating *x, const tl_messages *const *of_rank,
                            uint32_t rank);

#endif
