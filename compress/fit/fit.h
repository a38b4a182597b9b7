/* fit.h - a skeleton (doc/SKELETON.md) out of several captures of one program.
 *
 * The calls of all ranks become statements, ordered and in loops. Then each attribute of a
 * statement is explained by the first of a list of expressions that has the recorded value for all
 * captures, ranks and iterations. The expressions are texts, evaluated by the skeleton's own
 * evaluator. In the end the events of the skeleton are compared with those of the captures. */
#ifndef TL_FIT_H
#define TL_FIT_H

#include <stdbool.h>

#include "programs/skeleton.h"
#include "reader.h"
#include "timeless_convert.h"

enum {
    FIT_MAX_CAPTURES = 64,
    FIT_MAX_DEPTH = 4,   /* of nested loops */
    FIT_MAX_UNROLL = 32, /* a loop with at most so many iterations may become a list of calls */
    FIT_MAX_PERIOD = 6,  /* so may a loop that repeats at most so many iterations */
    FIT_EACH = FIT_MAX_DEPTH, /* the variable of counts for each member of a communicator */
    FIT_N_VARIABLES,
    FIT_MAX_CANDIDATE = 300, /* characters */
    FIT_MAX_TEXT = 400       /* characters of an expression that is made of candidates */
};

/* ---- the captures ---- */

/* Requests are numbered in the order of their start, from 1, in `e` and in its list.
 * Communicators have the number that skeletons give them (SKEL_WORLD...), not an id. */
typedef struct fit_event {
    tl_event e;
    uint32_t symbol;
} fit_event;

/* A call of a rank (fit_canonical.c). */
typedef struct fit_call {
    tl_event e;         /* with a list of its own, and requests by number */
    uint32_t init_site; /* of the call that made a persistent request; 0: none */
    bool is_open; /* a receive from any source or with any tag; `e` has those of its message */
    bool is_any;  /* a wait for any of several requests */
} fit_call;

/* How many calls were dropped, or brought into an order. */
typedef struct fit_count {
    const char *name;
    uint64_t n;
} fit_count;

/* A rank has made a communicator, or got none from the call. */
typedef struct fit_made {
    uint32_t rank, id, index; /* index: in fitting.comms */
} fit_made;

typedef struct fit_capture {
    tl_reader *reader;
    const int64_t *values; /* of the parameters */
    uint32_t n_ranks;
    fit_event *events; /* of all ranks, without MPI_Init */
    size_t n_events;
    size_t *first;         /* [n_ranks + 1] */
    skel_array made;       /* fit_made */
    const tl_comm **comms; /* [n_ranks * n_comms] as the rank defined them; NULL: not a member */
    skeleton s;            /* the candidates */
    int64_t *slots;
} fit_capture;

/* Whose copied rows the other ranks have (doc/SKELETON.md, "Holes"). */
typedef struct fit_places {
    const struct fit_grid *grid; /* NULL: blocks of ranks in their order */
    bool in_blocks;              /* blocks along the dimensions of the grid; else by its edges */
} fit_places;

/* A call at a call site. It becomes a statement. */
typedef struct fit_symbol {
    const tl_call_info *row;
    uint64_t site;     /* hash of the call site and its callers; 0 unknown */
    uint64_t place;    /* hash of the first call in the object file */
    uint32_t comm;     /* SKEL_WORLD... */
    uint32_t new_comm; /* the communicator that it makes; 0: none */
    uint32_t position; /* in the order of the statements */
    uint32_t variant;  /* of a call site that makes several communicators; of MPI_Wait, 1: fit made
                          it of an MPI_Waitall */
    uint32_t request;  /* symbols with the same number share the name of their requests */
    uint32_t capture, rank, site_id; /* where it appears first, for messages */
    bool is_partial; /* the first symbol of a name, of which MPI_Waitall completes a part */
    unsigned copied; /* bits: fit_part; see fit_holes.c */
    fit_places places;
    bool is_copied_whole; /* all that differs between ranks is copied, as of the other end of
                             messages */
    bool has_partners;    /* it is in a loop whose iterations grow with the ranks */
} fit_symbol;

/* The communicators that one call site makes; the skeleton sees one of them for each rank. */
typedef struct fit_comm {
    uint32_t symbol;
    bool is_world;  /* it has the ranks of the world in their order */
    bool is_copied; /* its members have no expression */
    char text[900]; /* COLOUR [, KEY] */
} fit_comm;

/* The numbers of a rank's requests. */
typedef struct fit_numbers {
    skel_array of_id; /* uint32_t by id */
    uint32_t n;
    skel_array list; /* int64_t: of the last event */
} fit_numbers;

/* Replaces the ids of requests by numbers. False without memory, or if a request was not started.
 */
bool fit_number(fit_numbers *n, const tl_call_info *row, tl_event *e);
void fit_numbers_free(fit_numbers *n);

/* ---- the program ---- */

/* One time at which a statement or loop is reached. */
typedef struct fit_sample {
    const fit_event *event; /* NULL: a loop, or the call is not made */
    uint32_t capture, rank;
    int32_t index[FIT_N_VARIABLES]; /* of the loops around it, and FIT_EACH */
    int32_t trips;                  /* of a loop */
} fit_sample;

/* A call (low == high, not a loop) or a loop over the calls of these positions. */
typedef struct fit_node {
    bool is_loop;
    uint32_t low, high, depth; /* depth: index of the loop's variable */
    uint32_t body, next;       /* nodes; 0: none */
    bool has_each;             /* the samples have FIT_EACH */
    size_t n_samples, n_calls; /* how many there will be */
    skel_array samples;        /* fit_sample */
    skel_array calls;          /* size_t: the samples with an event; unused if has_each */
} fit_node;

typedef struct fit_interval {
    uint32_t low, high, depth;
} fit_interval;

/* Which of a rank's loops in each other count: all; the outermost and innermost ones; the outermost
 * ones, and repetitions of one call; the outermost ones. A call that is made in every tenth
 * iteration looks like the end of a loop around the others. */
typedef enum fit_shape { FIT_NESTED, FIT_INNER, FIT_RUNS, FIT_FLAT, FIT_N_SHAPES } fit_shape;

typedef enum fit_use {
    FIT_NUMBER = 1,    /* a base of numbers: multiplied, added to */
    FIT_PEER = 2,      /* a peer */
    FIT_CONDITION = 4, /* a condition */
    FIT_LAW = 8,       /* a base of computation, the same for all iterations */
    FIT_OTHER = 16,
    FIT_COLOUR = 32, /* a colour of a communicator; so are numbers */
    FIT_SOME = 64    /* a colour that comes first if not all ranks are members */
} fit_use;

/* Ranks as a grid of n dimensions: the sizes of MPI_Dims_create, the largest or smallest first. */
typedef struct fit_grid {
    const char *name;
    int n_dimensions;
    bool periodic, smallest_first;
    unsigned dimensions; /* bits: those that are periodic, if some are and others are not */
} fit_grid;

/* The grids that are periodic in some dimensions come last. */
enum { FIT_N_PLAIN_GRIDS = 9, FIT_N_GRIDS = 25 };
#define FIT_MIXED_GRIDS (((1U << FIT_N_GRIDS) - 1) & ~((1U << FIT_N_PLAIN_GRIDS) - 1))
extern const fit_grid fit_grids[FIT_N_GRIDS];
/* The number of functions in a text with this grid as an argument. */
unsigned fit_grid_uses(const char *text, const fit_grid *g);
/* The expression of the size of a dimension. */
void fit_grid_size(const fit_grid *g, int d, char text[40]);

typedef struct fit_candidate {
    char *text;
    unsigned use;       /* fit_use */
    unsigned variables; /* bits: variables in it */
    uint32_t comm;      /* the communicator in it; 0: none */
    bool by_rank;       /* it differs between ranks */
    bool is_wide;       /* see fitting.is_wide */
    unsigned grids;     /* bits: of fit_grids */
    uint32_t node;      /* of the skeletons of all captures */
} fit_candidate;

/* A loop that makes one call in each iteration, if the number of calls has no expression: the
 * values of its variable. */
typedef struct fit_range {
    size_t first, last, guard; /* candidates */
    bool is_wide;              /* see fitting.is_wide */
    int step;
    unsigned depth;
} fit_range;

typedef struct fit_text {
    char *text;
    size_t size, room;
} fit_text;

/* A summary of sizes: number, sum, smallest, largest. */
typedef struct fit_sums {
    double n, sum;
    int64_t least, greatest;
} fit_sums;

/* A distribution from which sizes are drawn, for a group of calls whose sizes must agree. */
typedef struct fit_draw {
    uint32_t group;        /* of the symbols */
    fit_sums captured;     /* of all captures that are used */
    char name[20];         /* of the distribution */
    char scale[200];       /* a comment about the scale */
    char size[300];        /* the expression of a size */
    char sizes[600];       /* of the distribution */
    fit_sums drawn, there; /* of the last verified capture: drawn sizes; recorded sizes */
} fit_draw;

/* What is copied of a call. */
typedef enum fit_part { FIT_CALLS, FIT_PEERS, FIT_SIZES, FIT_TAGS } fit_part;

/* Values that are copied from the nearest capture, of the calls of these positions. */
typedef struct fit_copy {
    uint32_t low, high, symbol; /* symbol: at `low` */
    fit_part part;
    bool is_common; /* the same for all ranks of each capture */
    bool is_fixed;  /* and of all captures */
    fit_text rows;
} fit_copy;

/* The first value that has no expression. */
typedef struct fit_lack {
    uint32_t symbol, last; /* of its call, or of the first and last one of a loop */
    bool is_size;          /* it is a size, which can be drawn */
    bool is_trips;         /* it is a number of iterations that can be a parameter */
    int64_t trips[FIT_MAX_CAPTURES];
} fit_lack;

/* A number of iterations that depends on data is a parameter. */
typedef struct fit_iterations {
    char name[32];
    fit_lack lack;
} fit_iterations;

/* What a skeleton has of the calls of a capture that was left out. */
typedef struct fit_match {
    uint64_t exact, made, recorded; /* calls */
    double made_bytes, recorded_bytes;
} fit_match;

/* What may differ between a call of a skeleton and a recorded one. */
typedef enum fit_but { FIT_BUT_NOTHING, FIT_BUT_SIZES, FIT_BUT_PEERS, FIT_N_BUT } fit_but;

/* The same for the calls of a call site; how many ends of messages lack the other one, and calls of
 * collectives the same one of another member; and how many calls are like one at this call site. */
typedef struct fit_score {
    uint64_t exact, made, recorded, like[FIT_N_BUT];
    int64_t open;
} fit_score;

/* A call in the text. */
typedef struct fit_written {
    size_t at;
    uint32_t symbol;
} fit_written;

/* The state of a fit. */
typedef struct fitting {
    fit_capture *captures;
    size_t n_captures;
    size_t left_out; /* index of a capture that is not used; n_captures: none */
    size_t hidden;   /* likewise, while grids are chosen by the prediction of `left_out` */
    const char *const *names;
    size_t n_names;
    const char *unit;
    const char *mpi; /* the MPI library of all captures; "": unknown, or they differ */
    fit_symbol *symbols;
    size_t n_symbols;
    skel_array comms;              /* fit_comm */
    skel_array dropped, reordered; /* fit_count */
    skel_array lacking;            /* fit_count: calls that the language lacks (--holes) */
    double lacking_bytes;          /* what they send, read and write */
    uint32_t n_threads;            /* the most threads of a dropped region that computes */
    uint32_t *order;               /* symbols by position */
    uint32_t n_positions;
    skel_array symbol_array;
    skel_array intervals;              /* fit_interval: loops by depth */
    skel_array nodes;                  /* fit_node; number 0 is none */
    skel_array sample_pool, call_pool; /* the room of their samples, and its size */
    uint32_t top;
    size_t rank;           /* the candidate "rank" */
    skel_array candidates; /* fit_candidate */
    skel_array ranges;     /* fit_range */
    fit_text out;
    char why[400];                /* text: the first value that has no expression */
    size_t reached;               /* size of the skeleton's text before it */
    fit_lack lack;                /* the same as `why` */
    fit_lack copied_lack;         /* of the first number of iterations that is copied */
    fit_lack first_lack;          /* the lack of the arrangement that explains most */
    bool behind_last;             /* see insert_rank */
    int64_t fixed[FIT_MAX_DEPTH]; /* index of a loop that is unrolled; -1: none */
    /* Of a loop whose iterations repeat after `period`: only the iterations with the remainder
     * `phase` are used, and the variable of the loop is the quotient. Period 1: all iterations. */
    int64_t period[FIT_MAX_DEPTH], phase[FIT_MAX_DEPTH];
    unsigned without; /* bits: grids that expressions may not use */
    unsigned shared;  /* bits: variables of loops that are the same for all ranks */
    uint32_t unknown; /* communicators from this one on have no expression yet; 0: all have one */
    int arrangement;  /* of the calls, if values may be copied */
    unsigned skipped; /* bits: arrangements that are not worth trying */
    /* Use the rest of the list, too, and combine expressions. This is done only if the captures
     * have no skeleton without it; so a longer list does not change earlier skeletons. */
    bool is_wide;
    bool has_volumes;
    bool by_line;          /* all calls in one source line are one call site */
    bool has_callers;      /* call sites have callers */
    bool has_joined;       /* by_line joined some call sites */
    bool adds_wide;        /* the candidates that are being added have is_wide */
    bool ends_late;        /* sends that tests complete somewhere are completed at the end */
    bool finds_late;       /* note them in `late` */
    tl_map late;           /* their call sites */
    bool may_draw;         /* sizes without an expression are drawn */
    fit_places blocks;     /* in which the captured ranks repeat, at more ranks */
    bool may_copy;         /* other values without an expression are copied */
    bool has_copied_open;  /* fit_copy_places has copied calls that are incomplete */
    bool keeps_open;       /* it does not: then there is no skeleton */
    bool copies_now;       /* in the statements that are being written */
    bool counts;           /* fill `match` if a capture differs */
    uint32_t *groups;      /* by symbol: calls whose sizes must agree have the same number */
    skel_array draws;      /* fit_draw */
    skel_array copies;     /* fit_copy */
    skel_array iterations; /* fit_iterations */
    const fit_node *gated; /* a loop without the samples that have no iteration; NULL: none */
    tl_map searched;       /* the results of searches among the candidates, by their values */
    skel_array results;    /* char *: texts; NULL: nothing was found */
    tl_map failed; /* loops that had no expression, by the iterations of the loops around them */
    tl_map turns, sent; /* of the messages that fit_verify has read */
    tl_map ends;        /* of messages that have one end so far, in fit_verify */
    skel_array lines;   /* fit_written: the calls in `out` */
    fit_score *scores;  /* by symbol; NULL: fit_verify does not count them */
    double volume;      /* of the captures that are used */
    double made;        /* computation of the last verified capture by the laws */
    double captured;    /* the same as recorded */
    fit_match match;    /* of the last verified capture */
    tl_status status;   /* of the first failure */
    tl_error *err;
} fitting;

void fit_out_of_memory(fitting *f);
/* A new element of `size` bytes, zero; NULL without memory, which is noted. */
void *fit_new(fitting *f, skel_array *array, size_t size);
/* The element with this number, which is made with all before it; NULL without memory, or if the
 * number is no id of a request. */
enum { FIT_MAX_ID = 1 << 24 };
void *fit_by_id(skel_array *array, int64_t id, size_t size);
void fit_print(fitting *f, fit_text *text, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The call and its call site, for messages. */
const char *fit_call_text(const fitting *f, uint32_t symbol, char text[300]);
static inline bool fit_uses(const fitting *f, size_t capture)
{
    return capture != f->left_out && capture != f->hidden;
}

/* ---- fit_load.c ---- */

/* Reads the events of all captures. */
void fit_load(fitting *f);
/* The call site, the same for all ranks and captures. */
uint64_t fit_site_hash(const fitting *f, uint32_t capture, uint32_t rank, uint32_t id);
void fit_unload(fitting *f);
/* The number of the symbol that is like this one, which is made if there is none. */
uint32_t fit_find_symbol(fitting *f, const fit_symbol *like);

/* ---- fit_canonical.c ---- */

typedef struct fit_canonical fit_canonical;

fit_canonical *fit_canonical_make(fitting *f, uint32_t capture, uint32_t rank);
/* Takes the next event of a rank. */
void fit_canonical_take(fit_canonical *k, const tl_event *e);
/* The calls, without MPI_Init. The caller may take over their lists, and sets them to NULL. */
fit_call *fit_canonical_end(fit_canonical *k, size_t *n);
void fit_canonical_free(fit_canonical *k);

/* Whether captures are read without such calls if the skeleton may have holes: no other call needs
 * them. */
bool fit_may_leave_out(const tl_call_info *row);

/* Adds to the number of a change. */
void fit_count_change(fitting *f, skel_array *counts, const char *name, uint64_t n);

/* ---- fit_waits.c ---- */

/* Brings the waits into the order of the starts, when the names of requests are known. */
void fit_order_waits(fitting *f);
/* Exchanges peer, tag and size of two calls. */
void fit_swap_message(tl_event *a, tl_event *b);

/* ---- fit_comms.c ---- */

static inline fit_comm *fit_comm_at(const fitting *f, uint32_t number)
{
    return (fit_comm *)f->comms.items + number - SKEL_FIRST_COMM;
}

/* The definition of a communicator by a rank; NULL: the rank is not a member. */
const tl_comm *fit_comm_of(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number);
/* Size of a communicator, and rank in it. */
uint32_t fit_comm_size(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number);
int32_t fit_comm_rank(const fitting *f, uint32_t capture, uint32_t rank, uint32_t number);
/* Finds expressions for the colour and key of all communicators. False: one has none. */
bool fit_comms(fitting *f);
bool fit_copies_comms(const fitting *f);
/* Write the statements of the communicators; the comments about those that are copied. */
void fit_comm_statements(const fitting *f, FILE *out);
void fit_comm_report(const fitting *f, FILE *out);
/* Whether the communicators of a skeleton have the members of those in a capture. */
bool fit_same_comms(const fitting *f, const skeleton *s, uint32_t capture, char why[400]);

/* ---- fit_loops.c ---- */

/* Sets `skipped` for the captures that are used. A statement has a sample for each iteration of
 * the loop around it, even if its call is made in few of them, so that a poor arrangement has many
 * times as many samples as there are calls. */
void fit_limit_samples(fitting *f);
/* Orders the calls, finds the loops and collects the samples of each statement. False: the calls
 * have no common order, and `why` names the first rank that disagrees. */
bool fit_loops(fitting *f, fit_shape shape);
void fit_loops_free(fitting *f);

/* ---- fit_candidates.c ---- */

/* Makes the list of expressions, and prepares their evaluation. */
void fit_candidates(fitting *f);

/* Adds an expression; returns its number. */
size_t fit_add(fitting *f, unsigned use, unsigned variables, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Whether an expression has functions of the rank. */
bool fit_differs(const char *text);

void fit_add_range(fitting *f, unsigned depth, const char *first, const char *last, int step,
                   const char *guard);

/* ---- fit_owners.c ---- */

/* `size`: the expression of the number of ranks. */
void fit_add_owners(fitting *f, const char *size);
void fit_add_shares_of(fitting *f, unsigned variables, const char *owner, const char *size);
void fit_add_blocks(fitting *f);
void fit_add_grid_blocks(fitting *f, const fit_grid *g);
void fit_add_partners(fitting *f);

/* ---- fit_wide.c ---- */

/* Adds the rest of the list. */
void fit_add_wide(fitting *f);

/* ---- fit_evaluate.c ---- */

/* Parses the list for each capture; does so again when communicators have become known. */
void fit_candidates_prepare(fitting *f);
void fit_candidates_again(fitting *f);
void fit_candidates_free(fitting *f);
/* Writes the head of a skeleton: parameters as in a capture, and the grids that `body` uses; NULL:
 * all grids. */
void fit_head(const fitting *f, FILE *out, const fit_capture *c, const char *body);
/* The value of a candidate for a sample. False if it has none. */
bool fit_value(const fitting *f, size_t candidate, const fit_sample *sample, int64_t *out);
/* The two sides of an expression that is a quotient with a positive divisor; false: it is not. */
bool fit_quotient(const fitting *f, size_t candidate, const fit_sample *sample, int64_t *dividend,
                  int64_t *divisor);

/* ---- fit_explain.c, fit_attribute.c ---- */

/* Writes the statements from this node on. False: a value has no expression. */
bool fit_explain(fitting *f, uint32_t node, unsigned indent);
/* Writes the computation before a call, with a comment. */
#define FIT_RESIDUAL "# relative residual "
/* A law that is wrong by more, for so much of the computation, is a warning. */
#define FIT_LARGE_RESIDUAL 0.3
#define FIT_LARGE_SHARE 0.05
#define FIT_WRONG_SHARE ", for "
void fit_volume(fitting *f, const fit_node *node, unsigned indent);

typedef bool fit_getter(const void *arg, const fit_sample *sample, int64_t *out);
/* Whether the call is made; the number of iterations of a loop. No other getter of calls has values
 * for calls that are not made. */
fit_getter fit_presence;
/* Whether only the samples in `calls` have values. Of a rare call in a loop, these are few. */
static inline bool fit_calls_only(const fit_node *node, fit_getter *get)
{
    return !node->is_loop && !node->has_each && node->calls.n && get != fit_presence;
}
/* Finds the expression that has these values. The getter returns false for samples to ignore. */
bool fit_attribute(fitting *f, const fit_node *node, unsigned use, fit_getter *get, const void *arg,
                   char text[400]);

/* The samples that are not ignored, with their values. */
typedef struct fit_values {
    const fit_sample **samples;
    int64_t *value;
    size_t *past; /* by sample: index of the next sample with another value or rank; NULL: not known
                   */
    size_t n;
    unsigned variables;    /* bits: variables that an expression may use */
    unsigned without;      /* bits: grids that it may not use */
    bool is_wide;          /* see fitting.is_wide */
    bool is_for_all_ranks; /* expressions are the same for all ranks */
    uint32_t comm;         /* of the call: expressions of ranks in it come first */
    uint32_t unknown;      /* see fitting.unknown */
} fit_values;

/* a * candidate + b */
typedef struct fit_line {
    size_t candidate;
    int64_t a, b;
    double bits; /* length of its description */
} fit_line;

#define FIT_NO_CANDIDATE SIZE_MAX /* the constant b */

/* A search for the expression of some values. Most are repeated: for each arrangement of the calls,
 * with copies and without, and for each capture that is left out. */
typedef struct fit_search {
    const fit_values *v;
    unsigned use;
    uint64_t key;
} fit_search;
/* Whether there was the same search before; then *found and `text` are its result. */
bool fit_recall(const fitting *f, fit_search *s, bool *found, char text[FIT_MAX_TEXT]);
/* Keeps the result for fit_recall. */
void fit_remember(fitting *f, const fit_search *s, bool found, const char *text);
bool fit_collect(fitting *f, const fit_node *node, fit_getter *get, const void *arg, fit_values *v);
void fit_release(fit_values *v);
/* The next sample with another value or rank. */
size_t fit_past(const fit_values *v, size_t i);
/* The next sample to compare. A candidate without variables has the same value in all iterations of
 * a rank, so these are skipped. Otherwise loops with many iterations would take hours. */
size_t fit_next(const fitting *f, size_t candidate, const fit_values *v, size_t i);
bool fit_is_allowed(const fit_candidate *c, const fit_values *v);
/* The first candidate with these values, or the simplest line. */
bool fit_find(const fitting *f, const fit_values *v, unsigned use, fit_line *found);
bool fit_line_value(const fitting *f, const fit_line *l, const fit_sample *sample, int64_t *out);
void fit_write_line(const fitting *f, const fit_line *l, char text[FIT_MAX_TEXT]);
/* Whether two samples differ only in the iteration of loop d. */
bool fit_same_loop_but(const fit_sample *a, const fit_sample *b, unsigned d);
/* Whether the text may have an operator that binds weaker than + and -. */
bool fit_is_weak(const char *text);

/* Finds the condition that holds for the samples whose value is not 0; "1" if all are. */
bool fit_condition(fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                   char text[400]);
/* Whether the rank has sizes of the sending side (SKEL_SLOT_COUNTS) or the receiving side. */
bool fit_has_side(const fitting *f, const fit_sample *sample, int slot);
/* Finds the expression of a number for each member, in the list of an event. */
bool fit_counts(fitting *f, const fit_node *node, int slot, char text[400]);
/* Writes the range of the values: " (LEAST to GREATEST in the captures)". */
void fit_range_text(const fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                    char text[80]);
void fit_counts_range_text(fitting *f, const fit_node *node, int slot, char text[80]);
/* The numbers of one side for each member, or NULL: the rank does not send or receive. */
const int64_t *fit_list(const fitting *f, const fit_sample *sample, int slot, uint32_t *n);
bool fit_is_used(const fitting *f, const fit_node *node, const fit_sample *sample);

/* ---- fit_combine.c ---- */

/* Combines two or three expressions of the list. */
bool fit_combine(const fitting *f, const fit_values *v, char text[FIT_MAX_TEXT]);
/* Finds products of two expressions with these values, the simplest first; returns their number. */
typedef struct fit_pair {
    size_t candidate;
    fit_line other;
    double bits;
} fit_pair;
size_t fit_pairs(const fitting *f, const fit_values *v, size_t max, fit_pair *pairs);

/* ---- fit_nest.c ---- */

/* Writes a loop as two nested loops, or as a loop from its last iteration to the first. */
bool fit_explain_nest(fitting *f, const fit_node *node, size_t start, unsigned indent);

/* ---- fit_iterations.c ---- */

/* How often a word is in a text: ITERATIONS is not in ITERATIONS2. */
size_t fit_word_uses(const char *text, const char *word);

/* Notes the lack of a loop whose numbers of iterations can be a parameter, if it is the first. */
void fit_note_iterations(fitting *f, const fit_node *node, fit_lack *found);
/* Makes the parameter. False: it cannot be one. */
bool fit_add_iterations(fitting *f, const fit_lack *lack);
void fit_iterations_report(const fitting *f, FILE *out);

/* ---- fit_holes.c ---- */

/* Finds whose copied rows the other ranks have: first the blocks in which the captured ranks
 * repeat, those with the fewest incomplete messages and collectives at more ranks.
 *
 * If the fit is without the largest capture (f->left_out), each call then gets the grid whose
 * places predict this capture best, or blocks. Otherwise each call keeps its grid only if no more
 * messages and collectives are incomplete at more ranks than with blocks.
 *
 * True: the text of all captures has calls that are incomplete at each larger number of ranks. They
 * are copied now, and the caller repeats the fit. */
bool fit_copy_places(fitting *f, size_t largest);
/* Forgets these calls, for a fit that finds nothing with them. False: there are none. */
bool fit_keep_open(fitting *f);
/* Captured ranks repeat in their order, for all calls. */
void fit_copy_in_order(fitting *f);
/* Finds the arrangement that copies least. */
bool fit_with_holes(fitting *f);
/* Writes the expression of a value that is copied. False: it must not be. */
bool fit_copy_value(fitting *f, const fit_node *node, fit_getter *get, const void *arg,
                    fit_part part, char text[FIT_MAX_TEXT]);
/* The same for whether a loop has iterations, if this is the same for all ranks. */
bool fit_copy_gate(fitting *f, const fit_node *node, char text[FIT_MAX_TEXT]);
/* Forgets the copies from this one on. */
void fit_copies_forget(fitting *f, size_t first);
/* Whether calls of the node are copied with all that differs between ranks. */
bool fit_is_copied_whole(const fitting *f, const fit_node *node);
/* Writes the grid of a call behind the name of its copies, if it has one. */
void fit_write_places(const fit_places *places, FILE *out);
/* Writes the sizes of the captures. */
void fit_capture_statements(const fitting *f, FILE *out);
/* Write the statements of the copies; the comments about them in the head. */
void fit_copy_statements(const fitting *f, FILE *out);
void fit_copy_report(const fitting *f, FILE *out);

/* ---- fit.c ---- */

/* The text that was explained last, with its head. NULL without memory. */
char *fit_whole_text(fitting *f);
/* Orders the calls in the i-th way, and writes the statements. */
bool fit_arrange(fitting *f, int i);

/* ---- fit_draw.c ---- */

/* Finds the calls whose sizes must agree: sends and receives of the same messages, and the calls of
 * the ranks in the same collective. */
void fit_draw_groups(fitting *f);
void fit_draws_free(fitting *f);
/* Decides to draw the sizes of a call. False: it must not, or does already. */
bool fit_draw_add(fitting *f, uint32_t symbol);
/* The same for the value that has no expression. */
bool fit_draw_lack(fitting *f);
/* The distribution for the sizes of a call; NULL: they are not drawn. */
fit_draw *fit_draw_of(const fitting *f, uint32_t symbol);
/* Makes the distributions from the captures that are used. */
void fit_draw_prepare(fitting *f);
/* Write the statements of the distributions; the comments about them in the head. */
void fit_draw_statements(const fitting *f, FILE *out);
void fit_draw_report(const fitting *f, FILE *out);

/* ---- fit_draw_sizes.c ---- */

/* Calls `take` for each size that a rank gives in a call. */
typedef void fit_take_size(void *arg, int64_t size);
void fit_each_size(const fitting *f, const fit_sample *sample, fit_take_size *take, void *arg);
/* Chooses the scale and the distribution. */
void fit_draw_choose(fitting *f, fit_draw *d);

/* ---- fit_draw_check.c ---- */

/* Call it before a skeleton is compared with a capture. */
void fit_draw_restart(fitting *f);
/* Adds drawn sizes to the comparison. False: both sides of a message have different sizes. */
bool fit_draw_note(fitting *f, uint32_t capture, uint32_t rank, const fit_event *made,
                   const fit_event *recorded);
/* Writes mean and range of the drawn sizes beside those of the capture. */
void fit_draw_compare(const fitting *f, size_t capture, FILE *out);

/* ---- fit_ends.c ---- */

/* Whether all ranks come to their end at another number of ranks, if sends wait for nothing. */
bool fit_comes_to_end(fitting *f, const char *text, uint32_t n_ranks, size_t capture);

/* ---- fit_verify.c ---- */

/* What the call sends. */
double fit_bytes(const tl_event *e);
/* Compares the events of a skeleton with a capture. Returns "", or the first difference. */
const char *fit_verify(fitting *f, const char *text, size_t capture, char why[400]);
/* Writes the call sites with most of the calls that are not those of the capture, from the text of
 * a fit without it, and what differs. */
void fit_report_inexact(fitting *f, const char *text, size_t capture, FILE *out);
/* Adds the open ends at another number of ranks to the scores. */
void fit_count_open(fitting *f, const char *text, uint32_t n_ranks, size_t capture);
/* Reads the skeleton with so many ranks, and the parameters of a capture. */
tl_status fit_read_for(fitting *f, skeleton *s, const char *text, int64_t n_ranks, size_t capture,
                       tl_error *err);
/* The next event of a rank, with the numbers of its communicators. Errors: as skel_next. */
tl_status fit_next_event(void *walk, const skeleton *s, uint32_t rank, tl_event *e);
/* The same for both ends of a message. The peer is a rank of the communicator. */
uint64_t fit_message_key(const skeleton *s, uint32_t comm, uint32_t from, int32_t peer, int32_t tag,
                         bool is_sent);

#endif
