/* hpl.h - the events of HPL 2.x (the High-Performance Linpack benchmark), made instead of recorded.
 *
 * Each rank has a stack of tasks, one for each active routine of HPL that communicates or computes:
 * HPL_pdgesv0 and HPL_pdgesvK2, HPL_pdfact, HPL_pdupdate*, HPL_pdlaswp*, HPL_pdtrsv.  A step of a
 * task appends a few events to a buffer, from which the cursor takes them. So a rank needs memory
 * only for one step.  Sizes follow from N, NB, the grid and the options, as in HPL.  The rows that
 * pivoting moves are drawn from a seed that all ranks share: hpl_pivots.c.
 *
 * All messages are on MPI_COMM_WORLD. This is possible because the row and column communicators of
 * HPL have no tag in common, and two ranks share at most one of them.  The events are those of the
 * timed interval of HPL_pdtest, between MPI_Barrier and MPI_Finalize.
 */
#ifndef TL_HPL_H
#define TL_HPL_H

#include "core/bytes.h"
#include "program.h"

enum { HPL_1RING, HPL_1RING_M, HPL_2RING, HPL_2RING_M, HPL_LONG, HPL_LONG_M };
enum { HPL_SWAP_EXCHANGE, HPL_SWAP_LONG, HPL_SWAP_MIX };
enum { HPL_LEFT, HPL_CROUT, HPL_RIGHT };
enum { HPL_MAX_DEPTH = 8, HPL_MAX_NB = 32768 };

/* HPL's message tags. */
enum {
    HPL_TAG_PFACT = 1001,
    HPL_TAG_FACT = 2001,
    HPL_TAGS_FACT = 1000,
    HPL_TAG_TRSV = 3001,
    HPL_TAGS_TRSV = 1000,
    HPL_TAG_COLL = 9001
};

/* Call sites: one for each part of HPL, so that a prediction is split by them. */
enum {
    HPL_AT_MAIN = 1,
    HPL_AT_FACT,
    HPL_AT_MXSWP,
    HPL_AT_BCAST,
    HPL_AT_SWAP,
    HPL_AT_UPDATE,
    HPL_AT_TRSV,
    HPL_N_SITES = HPL_AT_TRSV
};

/* HPL's own routines that move rows: the kernels that the trace defines, in the order of their
 * names in hpl.c. */
enum {
    HPL_DLACPY = 1,
    HPL_DLATCPY,
    HPL_DLASWP00N,
    HPL_DLASWP01N,
    HPL_DLASWP01T,
    HPL_DLASWP02N,
    HPL_DLASWP03N,
    HPL_DLASWP03T,
    HPL_DLASWP04N,
    HPL_DLASWP04T,
    HPL_DLASWP05N,
    HPL_DLASWP05T,
    HPL_DLASWP06N,
    HPL_DLASWP06T,
    HPL_DLASWP10N,
    HPL_N_MOVES = HPL_DLASWP10N
};

/* How pivoting moves the rows of one panel, by process row, counted from the process row of the
 * panel (hpl_pivots.c). */
typedef struct hpl_pivots {
    uint16_t *moved; /* [P] number of rows from there that are not in the block of the panel */
    uint16_t *sums;  /* [P + 1] rows that a subcube of the binary exchange holds, as sums */
    uint16_t *start; /* [P + 1] IPLEN of HPL_plindx10: where the rows of the i-th process begin */
    uint16_t *order; /* [P] IPMAP: process row of the i-th */
    uint16_t *place; /* [P] IPMAPM1: the inverse */
} hpl_pivots;

/* A step of the recursive factorisation of a panel (HPL_pdrpan*), the same on all its ranks. */
typedef struct hpl_step {
    enum { HPL_STEP_LEAF, HPL_STEP_GEMM_ROWS, HPL_STEP_GEMM, HPL_STEP_TRSM, HPL_STEP_COPY } kind;
    int32_t offset;  /* first column; the panel's own rows end there */
    int32_t m, n, k; /* of LEAF: n columns; of GEMM_ROWS: n and k; of TRSM: k is the order */
} hpl_step;

typedef struct hpl_program {
    tl_hpl o;
    int64_t n_panels;
    uint32_t n_pivot_words; /* of one panel */
    int64_t *rows;          /* [N] pivots that were read; NULL: they are drawn */
    uint64_t rows_hash;     /* of the pivots that were read; 0: they are drawn */
    uint16_t *pivots;       /* of all panels; NULL: each rank draws them again, panel by panel */
    size_t n_steps[2];
    hpl_step *steps[2]; /* of a panel of NB columns; of the last one, which may have fewer */
    int32_t step_columns[2];
    tl_program_call calls[16];
    size_t n_calls;
    const int64_t *delays_ns; /* by rank: before the first event of a window; NULL: none */
    char *text;
} hpl_program;

/* An event in the buffer. */
typedef tl_short_event hpl_item;

/* HPL_T_panel. */
typedef struct hpl_panel {
    int64_t index; /* number of the panel */
    int64_t ia;    /* its first row and column */
    int64_t mp, nq;
    int64_t length; /* doubles of its broadcast */
    int32_t jb, prow, pcol, tag;
} hpl_panel;

typedef struct hpl_rank hpl_rank;
typedef struct hpl_task hpl_task;
/* Appends some events, or begins another task, which is executed first.  Returns nonzero at the end
 * of the task.  It is called after all earlier events have been taken. */
typedef int hpl_task_step(hpl_rank *r, hpl_task *t);

struct hpl_task {
    hpl_task_step *step;
    int state;
    int32_t a, b, c, d;
    int64_t i, j, k, n;
    hpl_panel *panel;
    const uint16_t *starts;
};

enum { HPL_MAX_TASKS = 8 };

struct hpl_rank {
    const hpl_program *p;
    int32_t row, col;
    int n_tasks;
    int out_of_memory;
    hpl_item *items;
    size_t n_items, next_item, items_room;
    hpl_panel *pending; /* a panel whose broadcast has not reached this rank yet */
    tl_asker *ask;
    void *ask_arg;
    uint32_t ahead;                /* number of probes at a time; 0: the asker is called for each */
    int64_t columns_done, columns; /* of the update during which the rank waits for `pending` */
    hpl_task tasks[HPL_MAX_TASKS];
    hpl_panel panels[HPL_MAX_DEPTH + 1];
    hpl_item lost; /* receives new events if there is no memory */
    int64_t sizes[3];
    hpl_pivots pivots; /* of the panel whose rows are exchanged */
    uint16_t *own;     /* room for pivots that are drawn here, IPLEN and IWORK */
    uint16_t *starts, *work;
    struct substitution *solution; /* hpl_solve.c's */
    int64_t *drawn;                /* room for the rows of a panel that are drawn here */
};

static inline int32_t hpl_add(int32_t a, int32_t b, int32_t n)
{
    return a + b < n ? a + b : a + b - n;
}

static inline int32_t hpl_subtract(int32_t a, int32_t b, int32_t n)
{
    return a < b ? a - b + n : a - b;
}

/* Who gives what to whom in step k, if the processes of a circle roll their pieces around. */
typedef struct hpl_turn {
    int32_t sent, received; /* pieces */
    int32_t partner;
} hpl_turn;

static inline hpl_turn hpl_turn_of(int32_t own, int32_t k, int32_t size)
{
    const int32_t half = k / 2;
    return (own + k) & 1 ? (hpl_turn){hpl_add(own, half, size), hpl_subtract(own, half + 1, size),
                                      hpl_subtract(own, 1, size)}
                         : (hpl_turn){hpl_subtract(own, half, size), hpl_add(own, half + 1, size),
                                      hpl_add(own, 1, size)};
}

/* The largest power of two that is at most n. */
static inline int32_t hpl_power_of_two(int32_t n)
{
    int32_t power = 1;
    while (2 * power <= n)
        power *= 2;
    return power;
}

/* HPL_numroc: of the rows 0 to n - 1, those of a process. */
static inline int64_t hpl_local(int64_t n, int64_t nb, int32_t process, int32_t n_processes)
{
    const int64_t blocks = n / nb, rounds = blocks / n_processes;
    const int64_t more = blocks - rounds * n_processes;
    return rounds * nb + (process < more ? nb : process == more ? n - blocks * nb : 0);
}

/* HPL_numrocI: of the n rows from i on. */
static inline int64_t hpl_local_from(int64_t n, int64_t i, int64_t nb, int32_t process,
                                     int32_t n_processes)
{
    return hpl_local(i + n, nb, process, n_processes) - hpl_local(i, nb, process, n_processes);
}

/* ---- hpl_options.c ---- */

/* A parameter of tl_hpl that is a whole number. */
typedef struct hpl_parameter {
    const char *key;
    size_t offset;
    bool is_wide; /* int64_t; otherwise int32_t */
    int64_t min, max;
} hpl_parameter;

/* In any case of the letters; NULL: there is none. */
const hpl_parameter *hpl_find_parameter(const char *key);
void hpl_set(tl_hpl *o, const hpl_parameter *p, int64_t value);

/* ---- hpl_emit.c ---- */

/* Makes room for more events and returns the first. Without memory, the rank ends with an error,
 * and new events are lost. */
hpl_item *hpl_make_room(hpl_rank *r);
/* Returns a new event to fill in. To copy one from the stack would stall the processor. */
static inline hpl_item *hpl_next_item(hpl_rank *r)
{
    return r->n_items < r->items_room ? &r->items[r->n_items++] : hpl_make_room(r);
}
/* Append a message (MPI_Send, MPI_Recv, MPI_Ssend) to or from a rank in the own column; in the own
 * row. */
void hpl_message_in_column(hpl_rank *r, uint16_t call, int site, int32_t row, int64_t doubles,
                           int32_t tag);
void hpl_message_in_row(hpl_rank *r, uint16_t call, int site, int32_t column, int64_t doubles,
                        int32_t tag);
/* HPL_sdrv: sends and receives at once, in the own column. */
void hpl_exchange(hpl_rank *r, int site, int32_t row, int64_t to_send, int64_t to_receive);
void hpl_wait(hpl_rank *r, int site);
/* Append the messages of a binomial tree along the own column, from the row `root` to the rows
 * behind it: of one level, whose partners are `bit` apart; of all levels. `own`: the distance from
 * the root. */
void hpl_pass_down(hpl_rank *r, int site, int32_t root, int32_t own, int32_t size, int32_t bit,
                   int64_t doubles, int32_t tag);
void hpl_spread_down(hpl_rank *r, int site, int32_t root, int32_t own, int32_t size,
                     int64_t doubles, int32_t tag);
/* Append a kernel, unless it has no work. */
void hpl_kernel1(hpl_rank *r, uint16_t call, int site, int64_t n);
void hpl_kernel2(hpl_rank *r, uint16_t call, int site, int64_t m, int64_t n);
void hpl_kernel3(hpl_rank *r, uint16_t call, int site, int64_t m, int64_t n, int64_t k);
void hpl_move(hpl_rank *r, int kernel, int site, int64_t m, int64_t n);
hpl_task *hpl_begin(hpl_rank *r, hpl_task_step *step);
/* Makes the event of an item. */
void hpl_event(hpl_rank *r, const hpl_item *item, tl_event *event);

/* ---- one file for each phase ---- */

/* hpl_pivots.c */
tl_status hpl_pivots_prepare(hpl_program *p, tl_error *err);
tl_status hpl_pivots_open(hpl_rank *r);
void hpl_pivots_close(hpl_rank *r);
/* Fills r->pivots. */
void hpl_pivots_find(hpl_rank *r, const hpl_panel *panel);

/* hpl_panel.c: HPL_pdpanel_init and HPL_pdfact. */
tl_status hpl_panel_prepare(hpl_program *p);
void hpl_panel_init(hpl_rank *r, hpl_panel *panel, int64_t index, int64_t ia, int32_t jb,
                    int32_t tag);
void hpl_panel_factor(hpl_rank *r, hpl_panel *panel);

/* hpl_bcast.c: HPL_bcast. */
void hpl_broadcast(hpl_rank *r, hpl_panel *panel); /* waits for it */
/* Begins a task that probes for the pending broadcast, and passes it on if it has arrived. */
void hpl_poll(hpl_rank *r);
/* Whether several probes may be made before the first is answered. */
int hpl_polls_ahead(const hpl_rank *r);
/* Appends the probe for the pending broadcast; takes its answer, and passes the broadcast on. */
void hpl_put_probe(hpl_rank *r);
int hpl_take_answer(hpl_rank *r);

/* hpl_swap.c, hpl_spread.c: HPL_pdlaswp00* and HPL_pdlaswp01*. */
void hpl_swap_exchange(hpl_rank *r, hpl_panel *panel, int64_t n);
void hpl_swap_long(hpl_rank *r, hpl_panel *panel, int64_t n);

/* hpl_update.c: HPL_pdupdate*. */
void hpl_update(hpl_rank *r, hpl_panel *pending, hpl_panel *panel, int64_t n);

/* hpl_solve.c: HPL_pdtrsv. */
tl_status hpl_solve_open(hpl_rank *r);
void hpl_solve(hpl_rank *r);

#endif
