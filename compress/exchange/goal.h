/* goal.h - internal header of the import of GOAL: one rank's schedule at a time. */
#ifndef TL_GOAL_H
#define TL_GOAL_H

#include "bytes.h"
#include "map.h"
#include "timeless.h"

typedef enum tl_goal_kind { TL_GOAL_CALC, TL_GOAL_SEND, TL_GOAL_RECV } tl_goal_kind;

typedef struct tl_goal_operation {
    char *label; /* NULL: none */
    tl_goal_kind kind;
    int64_t amount; /* bytes or nanoseconds */
    int32_t peer, tag;
    uint64_t line;
    uint32_t n_unstarted, n_unfinished; /* of what it requires and irequires */
    uint32_t request;                   /* while it is under way */
    bool finished, in_wait;
} tl_goal_operation;

typedef struct tl_goal_edge {
    char *from_label;
    uint32_t from, to;
    bool ends; /* requires; otherwise irequires */
    uint64_t line;
} tl_goal_edge;

typedef struct tl_goal_list {
    uint32_t *items;
    size_t n, capacity, first;
} tl_goal_list;

typedef struct tl_goal {
    FILE *in;
    const char *name;
    tl_error *err;
    tl_writer *w;
    uint32_t rank, n_ranks;
    uint64_t line;
    char word[256];
    bool has_word; /* a word that was read ahead */
    tl_goal_operation *operations;
    size_t n, capacity;
    tl_goal_edge *edges;
    size_t n_edges, edges_capacity;
    tl_map by_label;         /* hash -> index + 1 */
    size_t *predecessors_of; /* first edge to an operation; the edges are in that order */
    size_t *successors_of, *successors; /* the same for those from it, by their index */
    tl_goal_list transfers, calcs, blocked, under_way;
    size_t n_placed;
    uint64_t volume;
    uint32_t held; /* a transfer that has been begun last, not yet put: index + 1 */
    tl_buffer requests;
    tl_goal_list free_requests;
    uint32_t n_requests;
} tl_goal;

/* Refuses a line. */
tl_status tl_goal_wrong(tl_goal *m, uint64_t line, const char *what, const char *word);
tl_status tl_goal_out_of_memory(tl_goal *m);
/* Takes the next word, which must be this one; or a whole number up to max followed by this word.
 */
tl_status tl_goal_take_keyword(tl_goal *m, const char *keyword);
tl_status tl_goal_take_number(tl_goal *m, const char *what, const char *suffix, int64_t max,
                              int64_t *out);
/* Reads operations and edges up to the closing brace. */
tl_status tl_goal_read_schedule(tl_goal *m);
/* The index of the operation with a label. */
tl_status tl_goal_find_label(tl_goal *m, uint64_t line, const char *label, uint32_t *out);

#endif
