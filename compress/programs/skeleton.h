/* skeleton.h - a parametric program as a text: loops, expressions and calls (doc/SKELETON.md).
 *
 * The text is parsed once. Each rank then walks through the statements and makes its events one at
 * a time, with memory for its variables, its open loops and its requests under way. */
#ifndef TL_SKELETON_H
#define TL_SKELETON_H

#include <stdarg.h>
#include <stdbool.h>

#include "core/map.h"
#include "program.h"

enum {
    SKEL_MAX_BLOCKS = 64,  /* one in another */
    SKEL_MAX_DEPTH = 100,  /* of an expression's parentheses and operators */
    SKEL_MAX_NODES = 1000, /* of an expression */
    SKEL_MAX_DIMENSIONS = 6
};

/* The value of `null`, which is a peer and no number. */
#define SKEL_NULL INT64_MIN

/* An array that grows; `room` is in elements. */
typedef struct skel_array {
    void *items;
    size_t n, room;
} skel_array;

typedef enum skel_op {
    SKEL_NUMBER,   /* value */
    SKEL_VARIABLE, /* slots[value] */
    SKEL_NEGATE,
    SKEL_NOT,
    SKEL_OR, /* binary operators, from here on in the order of skel_operators */
    SKEL_AND,
    SKEL_EQUAL,
    SKEL_UNEQUAL,
    SKEL_AT_MOST,
    SKEL_AT_LEAST,
    SKEL_SHIFT_LEFT,
    SKEL_SHIFT_RIGHT,
    SKEL_BELOW,
    SKEL_ABOVE,
    SKEL_BIT_OR,
    SKEL_BIT_XOR,
    SKEL_BIT_AND,
    SKEL_ADD,
    SKEL_SUBTRACT,
    SKEL_MULTIPLY,
    SKEL_DIVIDE,
    SKEL_MODULO,
    SKEL_CONDITION, /* a ? b : c */
    SKEL_MIN,       /* functions, from here on in the order of skel_functions */
    SKEL_MAX,
    SKEL_ABS,
    SKEL_BITS,
    SKEL_ROOT,
    SKEL_OWNER,
    SKEL_LOCAL,
    SKEL_DIMS,
    SKEL_PERMUTE,
    SKEL_UNPERMUTE,
    SKEL_COORD, /* value: the grid; also of those that follow */
    SKEL_NEIGHBOUR,
    SKEL_AROUND,
    SKEL_RANK_IN, /* value: the communicator; also of the one that follows */
    SKEL_RANKS_IN,
    SKEL_DRAW,   /* value: the distribution */
    SKEL_COPIED, /* value: the copies; also of the one that follows */
    SKEL_PARTNER
} skel_op;

/* A node of an expression; operands are numbers of nodes. */
typedef struct skel_node {
    skel_op op;
    uint32_t line;
    uint32_t operand[4];
    int64_t value;
} skel_node;

typedef struct skel_grid {
    uint32_t n_dimensions;
    int64_t size[SKEL_MAX_DIMENSIONS]; /* the last one varies fastest */
    bool periodic[SKEL_MAX_DIMENSIONS];
    uint32_t expression[SKEL_MAX_DIMENSIONS]; /* of its size */
} skel_grid;

/* How a statement names a communicator: these, then SKEL_FIRST_COMM + index. */
enum { SKEL_WORLD, SKEL_SELF, SKEL_FIRST_COMM };

/* A communicator: a group of ranks for each colour. */
typedef struct skel_comm {
    char *name;
    uint32_t line;
    uint32_t maker;         /* the call that makes it; 0: none */
    uint32_t parent;        /* what that call is made on */
    int32_t *members;       /* of all groups, one behind the other */
    uint32_t *first, *size; /* by rank: its group; size 0: it is no member */
    int32_t *place;         /* by rank: its rank in the group */
} skel_comm;

typedef enum skel_kind {
    SKEL_LET,
    SKEL_FOR, /* expressions: first, last, step (node 0: 1) */
    SKEL_IF,  /* expressions: condition; body, other */
    SKEL_COMPUTE,
    SKEL_CALL,
    /* of schedules (schedule.h) */
    SCHED_SEND, /* expressions: peer; body: its blocks */
    SCHED_SEND_ALL,
    SCHED_RECV,
    SCHED_COMBINE, /* a receive whose data is combined with the rank's own */
    SCHED_WAIT,
    SCHED_BLOCK /* expressions: the block; of alltoall: source, destination */
} skel_kind;

/* Fields beyond the slots of an event that are one number. */
enum {
    SKEL_SLOT_IN_PLACE = 1 << 24,
    SKEL_SLOT_NONCOMMUTATIVE = 1 << 25,
    SKEL_SLOT_COUNTS = 1 << 26, /* of a list: for each member of the communicator */
    SKEL_SLOT_RECV_COUNTS = 1 << 27
};

/* The slot of `each`, the member of a communicator that a count is for, and that of the key of the
 * draw: it differs between draws, and is the same on both sides of a message. */
enum { SKEL_EACH = 2, SKEL_KEY = 3 };

/* Sizes from the least to the greatest, at equal distances of probability; between two of them, all
 * sizes have the same probability. */
typedef struct skel_distribution {
    skel_array values; /* int64_t: at least two */
    int64_t seed;
} skel_distribution;

/* The values of the nearest capture, in a row for each of its ranks (skeleton_copy.c). */
typedef struct skel_copies {
    uint32_t slot;        /* of a rank's place in its row */
    bool by_grid;         /* ranks have the row of their place in a grid */
    bool in_blocks;       /* the captured grid repeats in blocks, and else from the edges */
    skel_grid own, there; /* this grid, and the same of the capture */
    skel_array rows, runs;
} skel_copies;

/* A NAME=EXPRESSION of a call. */
typedef struct skel_field {
    int slot; /* one of TL_SLOT_* or SKEL_SLOT_*; TL_SLOT_LIST: the next size of a kernel */
    uint32_t expression;
    uint32_t draw; /* number of the distribution in it + 1; 0: none */
} skel_field;

typedef struct skel_statement {
    skel_kind kind;
    uint32_t line;
    uint32_t next;        /* in its block; 0: none */
    uint32_t body, other; /* first statements of blocks */
    uint32_t expressions[3];
    uint32_t slot; /* of LET and FOR */
    /* of CALL */
    const tl_call_info *row;
    size_t first_field, n_fields;
    uint32_t request; /* number of the request's name + 1; 0: all of them */
    uint32_t index;   /* expression in its brackets; 0: none */
    uint32_t site;
    uint32_t comm;     /* SKEL_WORLD... */
    uint32_t new_comm; /* likewise; 0: none */
} skel_statement;

typedef struct skel_parameter {
    char *name;
    int64_t value;
} skel_parameter;

typedef struct skel_parser skel_parser;

/* A language: what it has besides expressions, let, for and if. */
typedef struct skel_language {
    bool names_size;     /* messages about a rank have the number of ranks */
    const char *endless; /* what is wrong with too many statements */
    /* Parses what is before the statements. */
    void (*read_head)(skel_parser *p);
    /* Parses another statement; returns its number; 0: it holds for all ranks, or after a failure.
     */
    uint32_t (*read_statement)(skel_parser *p, uint32_t depth);
} skel_language;

typedef struct skeleton {
    const skel_language *language;
    char *path, *text, *unit; /* path: of a pattern, its name */
    char *mpi;                /* the MPI library of the captures; NULL: unknown */
    bool is_pattern;
    uint64_t hash;
    int64_t n_ranks;
    uint32_t n_slots;
    uint32_t first;           /* statement */
    skel_array nodes;         /* skel_node; number 0 is none */
    skel_array statements;    /* skel_statement; likewise */
    skel_array fields;        /* skel_field */
    skel_array grids;         /* skel_grid */
    skel_array parameters;    /* skel_parameter */
    skel_array requests;      /* char *: their names */
    skel_array comms;         /* skel_comm */
    skel_array distributions; /* skel_distribution */
    skel_array copies;        /* skel_copies */
    uint32_t n_captures, nearest;
    double distance;        /* of the nearest capture */
    int64_t captured_ranks; /* likewise */
    skel_array captured;    /* int64_t: by slot, of the nearest capture; SKEL_NULL: not named */
    skel_array values; /* int64_t: first slots of each rank: rank, ranks, each, key, parameters */
    tl_comm *definitions; /* of the communicators, by rank */
    size_t *first_definition;
    tl_site *sites;
    tl_source *sources;
    size_t n_sites;
} skeleton;

/* A new element of `size` bytes, zero; NULL without memory. */
void *skel_push(skel_array *array, size_t size);

/* "FILE:LINE: what is wrong; what to do" */
tl_status skel_fail(tl_error *err, const skeleton *s, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Reads a file into *source, which is to be freed also after a failure. what: "skeleton". */
tl_status skel_load(const char *path, const char *what, char **source, tl_error *err);

/* Frees what a skeleton contains. */
void skel_clear(skeleton *s);

/* ---- skeleton_read.c: from text to statements ---- */

/* `given`: values for parameters, "ranks" among them. */
tl_status skel_read(skeleton *s, const char *source, const skel_parameter *given, size_t n_given,
                    tl_error *err);

/* ---- skeleton_lex.c ---- */

typedef enum skel_token_kind {
    SKEL_T_END,
    SKEL_T_LINE, /* the end of a line */
    SKEL_T_NAME,
    SKEL_T_NUMBER,
    SKEL_T_TEXT,
    SKEL_T_SIGN
} skel_token_kind;

typedef struct skel_token {
    skel_token_kind kind;
    const char *start; /* of a text: behind the quotation mark */
    size_t size;
    int64_t number;
    uint32_t line;
} skel_token;

struct skel_parser {
    skeleton *s;
    const char *at;
    uint32_t line;
    skel_token token; /* the next one */
    tl_status status; /* the first failure; the next token is then the end */
    tl_error *err;
    skel_array names; /* skel_name */
    const skel_parameter *given;
    size_t n_given;
    uint32_t depth, n_nodes; /* of the expression */
    bool is_constant;        /* the expression must have the same value for all ranks */
    bool varies;             /* it has not */
    bool may_draw;           /* it may have a draw */
    uint32_t draw;           /* number of the distribution in it + 1; 0: none */
    bool uses_captured;      /* a statement uses a parameter that needs the value of a capture */
};

/* What a name is of. */
typedef enum skel_thing {
    SKEL_A_NUMBER,
    SKEL_A_GRID,
    SKEL_A_COMM,
    SKEL_A_DISTRIBUTION,
    SKEL_COPIED_ROWS
} skel_thing;

typedef struct skel_name {
    const char *start;
    size_t size;
    skel_thing thing;
    uint32_t slot; /* of a number; otherwise which grid, ... */
    bool is_constant;
    bool is_captured; /* a parameter that does not choose the capture */
    bool needs_value; /* that of the nearest capture */
} skel_name;

void skel_advance(skel_parser *p);
bool skel_is(const skel_parser *p, const char *word); /* a name or a sign */
bool skel_accept(skel_parser *p, const char *word);   /* takes it if it is next */
void skel_expect(skel_parser *p, const char *word, const char *what_for);
void skel_wrong(skel_parser *p, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* What the next token is, for messages. */
const char *skel_found(const skel_parser *p, char text[64]);

/* What the files that parse share, also in skeleton_read.c. Numbers are 0 after a failure. */
void skel_out_of_memory(skel_parser *p);
/* A new element of `size` bytes, zero; NULL after a failure. */
void *skel_new(skel_parser *p, skel_array *array, size_t size);
skel_statement *skel_statement_at(const skel_parser *p, uint32_t number);
uint32_t skel_add(skel_parser *p, skel_kind kind, uint32_t line);
/* A copy of a word, kept in an array of the skeleton. */
char *skel_keep(skel_parser *p, const skel_token *token, skel_array *texts);
/* Parses a text of any language; frees what the parser has. */
tl_status skel_parse(skel_parser *p);
/* Parses WORD 1, the first statement. */
void skel_read_version(skel_parser *p, const char *word, const char *where);
void skel_skip_lines(skel_parser *p);
void skel_define_constant(skel_parser *p, const skel_token *token, int64_t value);
/* { ... } with names of its own; returns its first statement. */
uint32_t skel_read_braces(skel_parser *p, uint32_t depth);

/* ---- skeleton_calls.c ---- */

/* Whether the language has this call. */
bool skel_knows(const tl_call_info *row);
/* Parses a call; returns the number of its statement. */
uint32_t skel_read_call(skel_parser *p);

/* Whether a field of the call is a list with a number for each member. */
bool skel_has_counts(const tl_call_info *row, int slot);

/* ---- skeleton_comm.c ---- */

/* Parses COLOUR [, KEY] of a communicator; returns its index. */
uint32_t skel_read_comm(skel_parser *p, const skel_token *name, uint32_t line);
/* Refuses communicators that no call makes, or with members that its parent does not have. */
void skel_check_comms(skel_parser *p);
/* NULL: world or self. */
const skel_comm *skel_comm_at(const skeleton *s, uint32_t number);
/* Its id in the events of a rank; TL_COMM_NULL: the rank is no member. */
uint32_t skel_comm_id(const skeleton *s, uint32_t number, uint32_t rank);
/* The communicators of each rank, as a trace defines them. */
tl_status skel_define_comms(skeleton *s, tl_error *err);
size_t skel_comms(const void *program, uint32_t rank, const tl_comm **out);
void skel_free_comms(skeleton *s);

/* ---- skeleton_draw.c ---- */

/* Parses SIZE, SIZE... [seed NUMBER] of a distribution; returns its index. */
uint32_t skel_read_distribution(skel_parser *p, uint32_t line);
void skel_free_distributions(skeleton *s);
/* Whether a field of the call may be drawn. */
bool skel_may_draw(const tl_call_info *row, int slot);
/* Refuses a call whose two sides would not agree. */
void skel_check_draws(skel_parser *p, uint32_t call, int seen);
/* The size that belongs to a key. */
int64_t skel_drawn(const skeleton *s, int64_t distribution, uint64_t key);

/* What a rank draws for a call. */
typedef struct skel_draw {
    const skeleton *s;
    const skel_statement *call;
    const tl_event *event; /* with all fields that are not drawn */
    uint32_t rank;
    int64_t *slots;
    tl_map *counts; /* of the rank's draws up to now, by kind */
    uint64_t turn;  /* of this draw among those of its kind */
} skel_draw;

/* Begins with a field that may have a draw, and counts it if it is the size of a message. False
 * without memory. */
bool skel_draw_start(skel_draw *d, const skel_field *field);
/* Sets the key for the next evaluation. */
void skel_draw_key(const skel_draw *d, const skel_field *field, int32_t each);
/* Counts the draws of a collective. False without memory. */
bool skel_draw_done(const skel_draw *d);

/* ---- skeleton_copy.c ---- */

/* Parses NAME = NUMBER, ... of a capture. */
void skel_read_capture(skel_parser *p);
/* Parses the values for the ranks of all captures; returns the index. NULL: ranks have the rows in
 * blocks. */
uint32_t skel_read_copies(skel_parser *p, uint32_t line, const skel_grid *grid, bool in_blocks);
void skel_free_copies(skeleton *s);
/* The next value of a rank; the rank that is as far away as it says, as a rank of `comm`, whose
 * number among the communicators begins with 1; 0: as a rank of the world. It may be null. */
int64_t skel_copied(const skeleton *s, int64_t *slots, int64_t number);
int64_t skel_partner(const skeleton *s, int64_t *slots, int64_t number, int64_t comm);

/* ---- skeleton_expression.c ---- */

/* A number that is the same for all ranks. */
int64_t skel_constant(skel_parser *p);

/* Parses one; returns its node. */
uint32_t skel_expression(skel_parser *p);
bool skel_is_reserved(const skel_token *name);
const skel_name *skel_find_name(const skel_parser *p, const skel_token *name);
/* The next token, if it is the name of such a thing; otherwise NULL. */
const skel_name *skel_name_of(const skel_parser *p, skel_thing thing);

/* ---- skeleton_evaluate.c ---- */

/* The result, which is never SKEL_NULL unless the expression is `null`, a neighbour or copied.
 * `rank` is for messages; below 0: none. */
tl_status skel_evaluate(const skeleton *s, int64_t *slots, uint32_t node, int64_t rank,
                        int64_t *out, tl_error *err);

/* ---- skeleton_walk.c: the events of a rank ---- */

typedef struct skel_walk skel_walk;

/* Begins with a rank. After calls, a walk cannot begin again. */
void skel_restart(skel_walk *w, uint32_t rank);
/* Goes on to the next statement that is no let, for or if; NULL: there is none. */
tl_status skel_walk_on(skel_walk *w, const skel_statement **st);
/* The statements of a block are next. */
void skel_walk_enter(skel_walk *w, uint32_t first);
/* The value of an expression; of skel_walk_number: a number, not null. */
tl_status skel_walk_value(skel_walk *w, uint32_t expression, int64_t *out);
tl_status skel_walk_number(skel_walk *w, uint32_t line, uint32_t expression, int64_t *out);
tl_status skel_walk_wrong(skel_walk *w, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

tl_status skel_start(const void *program, uint32_t rank, void **state);
tl_status skel_next(void *state, tl_event *event);
const tl_error *skel_error(const void *state);
void skel_stop(void *state);

#endif
