/* goal.h - internal header of the readers of GOAL: one rank's schedule at a time. */
#ifndef TL_GOAL_H
#define TL_GOAL_H

#include "core/bytes.h"
#include "core/map.h"
#include "timeless.h"
#include "timeless_convert.h"

#include <stdbool.h>

/* An edge from a label that the text had not defined before. */
typedef struct tl_goal_open_edge {
    size_t edge, label; /* in `names` */
    uint64_t line;
} tl_goal_open_edge;

struct tl_goal {
    FILE *in;
    const char *name;
    char *own_name; /* NULL: the caller's */
    tl_error *err;
    bool is_binary;
    uint32_t rank, n_ranks; /* rank: the next one */
    tl_goal_operation *operations;
    size_t n, capacity;
    tl_goal_edge *edges;
    size_t n_edges, edges_capacity;
    /* Of a text. */
    uint64_t line;
    char word[256];
    bool has_word; /* a word that was read ahead */
    tl_buffer names;
    size_t *labels; /* by operation: 1 + offset in `names`; 0: none */
    size_t labels_capacity;
    tl_map by_label; /* hash -> index + 1 */
    tl_goal_open_edge *open_edges;
    size_t n_open_edges, open_capacity;
    /* Of a binary file. */
    uint64_t size, end; /* bytes; where the schedule before has ended */
    uint64_t at;        /* what comes next in `in` */
    uint8_t *table;     /* where the schedules begin and end */
    uint8_t *block;
    size_t block_capacity;
    uint32_t *n_required; /* as the file says, less those that it has */
    size_t required_capacity;
};

/* Begins to read: the number of ranks. TL_ERR_NOT_A_TRACE: the file is not GOAL. */
tl_status tl_goal_begin(tl_goal *g);
/* Reads the schedule of rank g->rank, the next one. */
tl_status tl_goal_read_rank(tl_goal *g);
void tl_goal_end(tl_goal *g);
/* Refuses a place. */
tl_status tl_goal_wrong(tl_goal *g, uint64_t place, const char *what, const char *word);
#define tl_goal_out_of_memory(g) tl_no_memory((g)->err, (g)->name)
/* The label of an operation, for messages. */
const char *tl_goal_label(const tl_goal *g, size_t operation);

/* ---- goal_text.c, goal_binary.c ---- */

tl_status tl_goal_begin_text(tl_goal *g);
tl_status tl_goal_read_text(tl_goal *g);
tl_status tl_goal_begin_binary(tl_goal *g);
tl_status tl_goal_read_binary(tl_goal *g);

#endif
