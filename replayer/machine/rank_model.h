/* rank_model.h - the compute model as it holds for one rank: of its host, in this cluster, on this
 * day.
 *
 * Every random number is a function of the seed and of what it is drawn for (a host, a day, the
 * event of a rank): it does not depend on the order in which events are replayed, nor on threads.
 */
#ifndef TLR_RANK_MODEL_H
#define TLR_RANK_MODEL_H

#include "replayer.h"

/* Where a rank runs. */
typedef struct tlr_place {
    const char *host;
    unsigned core; /* among the ranks of the host, modulo its cores */
    double cores;  /* of the host, for each of its ranks; 0: as many as there are threads */
    unsigned n_cores, n_ranks; /* of the host; 0: unknown */
} tlr_place;

typedef struct tlr_class_cache tlr_class_cache; /* burst_class.c */

/* The calls of a kernel in the recording. */
typedef struct tlr_recorded_kernel {
    uint16_t call;
    const char *user; /* of TL_KERNEL_user: the name; otherwise NULL */
    double volume, work;
} tlr_recorded_kernel;

typedef struct tlr_recorded_kernels {
    unsigned char has[TL_CALL_LIMIT]; /* by call: there are entries */
    size_t n;
    tlr_recorded_kernel *list;
} tlr_recorded_kernels;

/* What was found for a kernel that the rank has called. */
typedef struct tlr_kernel_memo {
    uint32_t key;                    /* of the kernel; 0: of none */
    const tlr_kernel_model *of_pool; /* NULL: `by` tells its time */
    const tlr_kernel_model *of_rank; /* of its host, or of the pool */
    double factor;                   /* of the seconds that the model tells */
    tlr_estimate by;                 /* TLR_N_ESTIMATES: the line, or nothing */
    int is_simple;                   /* one piece without noise, of the terms `one` and `work` */
    double one_s, work_s;            /* their coefficients then */
} tlr_kernel_memo;

enum { TLR_KERNEL_MEMOS = 16 };

/* What limits the regions of a call site. */
typedef struct tlr_bound_memo {
    int is_known;
    uint32_t site;
    tlr_limit bound;
} tlr_bound_memo;

enum { TLR_BOUND_MEMOS = 8 };

typedef struct tlr_rank_model {
    const tlr_model *model; /* NULL: computation takes no time */
    const tl_reader *trace;
    uint32_t job, rank;
    uint64_t seed;
    const tlr_host_rates *host; /* NULL: nothing is known of it in particular */
    const tlr_unit_rate *unit;  /* of the trace's volumes; NULL: the model has none */
    double factor;              /* of all seconds */
    double burst_factor;        /* of those of bursts */
    const tlr_change *changes;  /* of the times of kernels */
    size_t n_changes;
    unsigned n_threads;        /* of a parallel region; 0: as in the run */
    double cores;              /* tlr_place */
    double n_cores, n_on_host; /* cores and ranks of the host; 0: unknown */
    double kernel_wait;        /* by which kernels take longer, as their threads share cores */
    tlr_bound_memo bounds[TLR_BOUND_MEMOS];
    const tlr_recorded_kernels *recorded; /* set by whoever opens it; NULL: unknown */
    double estimated_s[TLR_N_ESTIMATES];  /* of tlr_rank_kernel_s so far, without a measurement */
    double *kernel_factors;               /* [model->pool.n_kernels] */
    uint32_t site;                        /* of the event before */
    tlr_class_cache *classes;             /* NULL: the unit has none */
    tlr_class_cache *bending; /* of the model's interference; NULL: it has none by call sites */
    tlr_kernel_memo *memos;   /* [TLR_KERNEL_MEMOS]; NULL until the first kernel */
    int borrows_memos;        /* they are not freed with it */
} tlr_rank_model;

/* Draws the host and the day.  What the place names must stay until then only. */
tl_status tlr_rank_model_open(tlr_rank_model *out, const tlr_model *model, const tl_reader *trace,
                              uint32_t job, uint32_t rank, const tlr_place *place,
                              const tlr_options *options, tl_error *err);
void tlr_rank_model_close(tlr_rank_model *m);
/* Whether the kernels of two ranks of one program take as long, noise aside; they may then have the
 * memos in common if no two threads use them at the same time: [TLR_KERNEL_MEMOS], 0 at first. */
int tlr_rank_models_agree(const tlr_rank_model *a, const tlr_rank_model *b);
void tlr_rank_model_lend(tlr_rank_model *m, tlr_kernel_memo *memos);

/* Seconds on a host of the reference speed, of the burst before the event and of the event, a
 * kernel; `index` is the event's number in the trace of the rank.  The bursts of all events are
 * asked for, one after the other: their class depends on the event before. */
double tlr_rank_burst_s(tlr_rank_model *m, const tl_event *event, uint64_t index);
double tlr_rank_kernel_s(tlr_rank_model *m, const tl_event *event, uint64_t index);

/* ---- parallel.c ---- */

/* How much longer the threads of a region take for their work on another number of busy cores than
 * that of the run; 1 if the model does not state it. */
double tlr_region_slowdown(tlr_rank_model *m, const tl_event *region);
/* Seconds of start and end of a region; 0 if the model does not state them. */
double tlr_region_cost_s(const tlr_rank_model *m, const tl_event *region);
/* Refuses threads and bounds of regions for a trace that has none, and bounds that the model does
 * not have. model: NULL if there is none. */
tl_status tlr_parallel_check(const tl_reader *trace, uint64_t n_regions, const tlr_model *model,
                             const tlr_options *options, tl_error *err);

/* ---- rank_model.c ---- */

/* How many cores each rank of a host has, for parallel regions. With more ranks than cores, the
 * engine lets the ranks share them. */
double tlr_cores_for_rank(unsigned n_cores, uint32_t n_ranks);

/* ---- model.c ---- */

/* The entry of a unit, of a kernel; NULL when there is none.  `user` NULL: it is no kernel of the
 * program. */
const tlr_unit_rate *tlr_rates_unit(const tlr_rates *rates, const char *unit);
const tlr_kernel_model *tlr_rates_kernel(const tlr_rates *rates, uint16_t call, const char *user);

/* The entry of a kernel; NULL: there is none. */
tlr_recorded_kernel *tlr_find_recorded(const tlr_recorded_kernels *recorded, uint16_t call,
                                       const char *user);
/* What tells the time of a kernel without a line in the model. */
tlr_estimate tlr_estimate_of(const tlr_model *model, const tlr_recorded_kernels *recorded,
                             const char *unit, uint16_t call, const char *user);
/* By its operations and bytes; negative: the model does not tell. */
double tlr_roofline_s(const tlr_model *model, const tl_event *kernel);
/* Finds what the roofline of the machine is if the model does not state it: a product of large
 * matrices gives the time of an operation, one of a matrix and a vector that of a byte. */
void tlr_find_roofline(tlr_model *model);

/* The sizes of a call, as model files speak of them. */
typedef struct tlr_sizes {
    double bounds[TLR_N_BOUNDS]; /* m, n, k, work */
    double terms[TLR_N_TERMS];
    int is_left, is_right; /* the square matrix can stand there */
} tlr_sizes;

tlr_sizes tlr_sizes_of(const tl_event *kernel);
const tlr_piece *tlr_find_piece(const tlr_kernel_model *kernel, const tlr_sizes *sizes);
/* Mean and standard deviation. */
double tlr_piece_mean_s(const tlr_piece *piece, const tlr_sizes *sizes);
double tlr_piece_sd_s(const tlr_piece *piece, const tlr_sizes *sizes);

/* ---- burst_class.c ---- */

/* Compares classes by their sites, for qsort and bsearch. */
int tlr_compare_classes(const void *a, const void *b);
tlr_class_cache *tlr_class_cache_create(void);
void tlr_class_cache_free(tlr_class_cache *cache);
/* The value of a pair of sites; negative: it is not in the cache. */
double tlr_class_cached(const tlr_class_cache *cache, uint32_t from, uint32_t to);
/* value: not negative */
void tlr_class_remember(tlr_class_cache *cache, uint32_t from, uint32_t to, double value);
/* Seconds per unit of the bursts of a rank between two sites. */
double tlr_class_rate(tlr_class_cache *cache, const tlr_unit_rate *unit, const tl_reader *trace,
                      uint32_t rank, uint32_t from, uint32_t to);

/* ---- interference.c ---- */

const char *tlr_hog_name(tlr_hog hog);
/* Whether computation on a host depends on what its other cores compute. model: may be NULL. */
int tlr_interferes(const tlr_model *model);
/* The class of the burst before an event, whose call site is `to`, or of a kernel (kernel: code of
 * its call, otherwise 0). NULL: it does not bend, and bends no other. */
const tlr_bending *tlr_find_bending(tlr_rank_model *m, uint32_t from, uint32_t to, uint16_t kernel);
/* How many times longer it takes beside so many hogs of each kind. */
double tlr_bending_slowdown(const tlr_bending *bending, const double hogs[TLR_N_HOGS]);
/* The same beside bursts of other ranks on the host, of which n_cores - 1 run at a time; NULL among
 * them: one that does not bend others. */
double tlr_bending_beside(const tlr_bending *bending, const tlr_bending *const *others, size_t n,
                          unsigned n_cores);

/* ---- draw.c ---- */

/* What a random number is for; its key.  All bytes count. */
typedef struct tlr_draw_key {
    uint64_t seed;
    uint32_t purpose; /* one of the constants below */
    uint32_t job, rank, call;
    uint64_t index; /* event, or hash of a name */
} tlr_draw_key;

enum {
    TLR_DRAW_HOST = 1,
    TLR_DRAW_DAY,
    TLR_DRAW_BURST,
    TLR_DRAW_KERNEL,
    TLR_DRAW_MODE,
    TLR_DRAW_WINDOW,
    TLR_DRAW_PACKET,
    TLR_DRAW_SHIFT,
    TLR_DRAW_MESSAGE,
    TLR_DRAW_MESSAGE_MODE,
    TLR_DRAW_MESSAGE_RUN
};

/* In (0, 1). */
double tlr_draw_uniform(const tlr_draw_key *key);
/* Of mean 0 and standard deviation 1. */
double tlr_draw_normal(const tlr_draw_key *key);
/* The absolute value of a normal variable, shifted and scaled to that. */
double tlr_draw_half_normal(const tlr_draw_key *key);
double tlr_draw_mixture(const tlr_draw_key *key, const tlr_mode *modes, size_t n);
uint64_t tlr_hash_name(const char *name);

#endif
