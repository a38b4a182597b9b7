/* rank_model.h - the compute model of one rank: the model of its host, in this cluster, on this
 * day.
 *
 * A random number depends only on the seed and on its purpose (a host, a day, an event of a rank).
 * It does not depend on the order in which events are replayed, or on threads. */
#ifndef TLR_RANK_MODEL_H
#define TLR_RANK_MODEL_H

#include "replayer.h"

#include <stdbool.h>

/* Where a rank runs. */
typedef struct tlr_place {
    const char *host;
    unsigned core;             /* number of the rank among those of the host, modulo its cores */
    double cores;              /* cores of the host for each of its ranks; 0: one for each thread */
    unsigned n_cores, n_ranks; /* of the host; 0: unknown */
} tlr_place;

struct tl_map; /* core/map.h */

/* The sums over the recorded calls of a kernel. */
typedef struct tlr_recorded_kernel {
    uint16_t call;
    const char *user; /* of TL_KERNEL_user: the name; otherwise NULL */
    double volume, work;
} tlr_recorded_kernel;

typedef struct tlr_recorded_kernels {
    unsigned char has[TL_CALL_LIMIT]; /* by call: whether `list` has entries */
    size_t n;
    tlr_recorded_kernel *list;
} tlr_recorded_kernels;

/* A cached model of a kernel that the rank has called. */
typedef struct tlr_kernel_memo {
    uint32_t key;                    /* of the kernel; 0: unused */
    const tlr_kernel_model *of_pool; /* NULL: the model has no line, and `by` gives the time */
    const tlr_kernel_model *of_rank; /* the line of its host, or of_pool */
    double factor;                   /* of the seconds of the model */
    tlr_estimate by;                 /* TLR_N_ESTIMATES: a line, or no estimate */
    bool is_simple;                  /* one piece without noise, with the terms `one` and `work` */
    double one_s, work_s;            /* if is_simple: their coefficients */
} tlr_kernel_memo;

enum { TLR_KERNEL_MEMOS = 16 };

/* A cached limit of the parallel regions of a call site. */
typedef struct tlr_bound_memo {
    bool is_known;
    uint32_t site;
    tlr_limit bound;
} tlr_bound_memo;

enum { TLR_BOUND_MEMOS = 8 };

/* Sums over what has been computed, in seconds of the reference. */
typedef struct tlr_model_sums {
    double estimated_s[TLR_N_ESTIMATES]; /* of tlr_rank_kernel_s without a measurement */
    double more_s; /* that further cores are busy, of threads of regions and kernels */
} tlr_model_sums;

typedef struct tlr_rank_model {
    const tlr_model *model; /* NULL: computation takes no time */
    const tl_reader *trace;
    uint32_t job, rank;
    uint64_t seed;
    const tlr_host_rates *host; /* NULL: its host has no rates of its own */
    const tlr_unit_rate *unit;  /* for the volumes of the trace; NULL: the model has none */
    double factor;              /* of all seconds */
    double burst_factor;        /* of the seconds of bursts */
    const tlr_change *changes;  /* of the times of kernels */
    size_t n_changes;
    unsigned n_threads;        /* of a parallel region; 0: as in the recorded run */
    double cores;              /* tlr_place.cores */
    double n_cores, n_on_host; /* cores and ranks of the host; 0: unknown */
    double kernel_wait;        /* factor of kernels, because their threads share cores */
    double kernel_cores;       /* that the threads of a kernel keep busy */
    tlr_waiting waiting;       /* of threads that wait in regions */
    double memory_cores;       /* that reach the bandwidth of tlr_region_memory; 0: not used */
    tlr_bound_memo bounds[TLR_BOUND_MEMOS];
    const tlr_recorded_kernels *recorded; /* set by the caller after opening; NULL: unknown */
    tlr_model_sums sums;
    double *kernel_factors; /* [model->pool.n_kernels] */
    uint32_t site;          /* of the previous event */
    struct tl_map *classes; /* of tlr_find_class; NULL: the unit has no classes */
    struct tl_map *bending; /* the same of tlr_interference */
    tlr_kernel_memo *memos; /* [TLR_KERNEL_MEMOS]; NULL before the first kernel */
    int borrows_memos;      /* tlr_rank_model_close does not free them */
} tlr_rank_model;

/* Opens the model of a rank, and draws its host and day.  *place may be released afterwards. */
tl_status tlr_rank_model_open(tlr_rank_model *out, const tlr_model *model, const tl_reader *trace,
                              uint32_t job, uint32_t rank, const tlr_place *place,
                              const tlr_options *options, tl_error *err);
void tlr_rank_model_close(tlr_rank_model *m);
/* Whether the kernels of two ranks of one program take the same time without noise. The ranks may
 * then share memos (tlr_rank_model_lend: [TLR_KERNEL_MEMOS], initially 0), if only one thread uses
 * them. */
int tlr_rank_models_agree(const tlr_rank_model *a, const tlr_rank_model *b);
void tlr_rank_model_lend(tlr_rank_model *m, tlr_kernel_memo *memos);

/* Seconds, on a host with the reference speed, of the burst before an event; of an event that is a
 * kernel. `index` is the number of the event in the trace of the rank.  Call tlr_rank_burst_s for
 * all events of a rank in order, because the class of a burst depends on the previous event. */
double tlr_rank_burst_s(tlr_rank_model *m, const tl_event *event, uint64_t index);
double tlr_rank_kernel_s(tlr_rank_model *m, const tl_event *event, uint64_t index);

/* ---- parallel.c ---- */

/* The factor by which the work of a region takes longer, because another number of cores is busy
 * than in the recorded run; 1 if the model does not state it. */
double tlr_region_slowdown(tlr_rank_model *m, const tl_event *region);
/* The cores that are busy beside the first one in a region, in multiples of the seconds of its work
 * on one core. */
double tlr_region_more(const tlr_rank_model *m, const tl_event *region, double share,
                       double slowdown);
/* Seconds to start and end a region; 0 if the model does not state them. */
double tlr_region_cost_s(const tlr_rank_model *m, const tl_event *region);
/* Refuses options for the threads and bounds of regions if the trace has no regions, and bounds
 * that the model does not have. `model` may be NULL. */
tl_status tlr_parallel_check(const tl_reader *trace, uint64_t n_regions, const tlr_model *model,
                             const tlr_options *options, tl_error *err);

/* ---- rank_model.c ---- */

/* The number of cores of each rank of a host, for its parallel regions. If there are more ranks
 * than cores, it is 1, and the engine lets the ranks share cores. */
double tlr_cores_for_rank(unsigned n_cores, uint32_t n_ranks);

/* ---- model.c ---- */

/* The entry of a unit; of a kernel. NULL: there is none.  `user`: the name of a kernel that the
 * program named, otherwise NULL. */
const tlr_unit_rate *tlr_rates_unit(const tlr_rates *rates, const char *unit);
const tlr_kernel_model *tlr_rates_kernel(const tlr_rates *rates, uint16_t call, const char *user);

/* The entry of a kernel; NULL: there is none. */
tlr_recorded_kernel *tlr_find_recorded(const tlr_recorded_kernels *recorded, uint16_t call,
                                       const char *user);
/* How the time of a kernel without a line in the model is estimated. */
tlr_estimate tlr_estimate_of(const tlr_model *model, const tlr_recorded_kernels *recorded,
                             const char *unit, uint16_t call, const char *user);
/* Seconds of a kernel from its operations and bytes; negative: the model has no roofline. */
double tlr_roofline_s(const tlr_model *model, const tl_event *kernel);
/* If the model does not state the roofline, derives it: the product of large matrices gives the
 * time of an operation, the product of a matrix and a vector the time of a byte. */
void tlr_find_roofline(tlr_model *model);

/* The sizes of a call in the terms of model files. */
typedef struct tlr_sizes {
    double bounds[TLR_N_BOUNDS]; /* m, n, k, work */
    double terms[TLR_N_TERMS];
    bool is_left, is_right; /* whether the square matrix may be on this side */
} tlr_sizes;

tlr_sizes tlr_sizes_of(const tl_event *kernel);
const tlr_piece *tlr_find_piece(const tlr_kernel_model *kernel, const tlr_sizes *sizes);
/* Mean and standard deviation of the seconds of a call. */
double tlr_piece_mean_s(const tlr_piece *piece, const tlr_sizes *sizes);
double tlr_piece_sd_s(const tlr_piece *piece, const tlr_sizes *sizes);

/* ---- burst_class.c ---- */

/* Compares classes by their sites, for qsort and bsearch. */
int tlr_compare_classes(const void *a, const void *b);
/* The number of the class of the bursts of a rank between two sites, in an array that `compare`
 * orders; n: it has none. The key of `compare` is a tlr_burst_class. `known`: earlier answers. */
size_t tlr_find_class(struct tl_map *known, const tl_reader *trace, uint32_t rank, uint32_t from,
                      uint32_t to, const void *classes, size_t n, size_t size,
                      int (*compare)(const void *key, const void *entry));
/* Seconds per unit of the bursts of a rank between two sites. */
double tlr_class_rate(struct tl_map *known, const tlr_unit_rate *unit, const tl_reader *trace,
                      uint32_t rank, uint32_t from, uint32_t to);

/* ---- interference.c ---- */

/* Whether the computation of a core depends on the other cores of its host. `model` may be NULL. */
int tlr_interferes(const tlr_model *model);
/* The class of the burst between the call sites `from` and `to`, or of a kernel (`kernel`: code of
 * its call, otherwise 0). NULL: it neither slows down nor slows others down. */
const tlr_disturbance *tlr_find_bending(tlr_rank_model *m, uint32_t from, uint32_t to,
                                        uint16_t kernel);
/* How many times longer it takes beside this number of hogs of each kind. */
double tlr_disturbance_slowdown(const tlr_disturbance *bending, const double hogs[TLR_N_HOGS]);
/* The same beside bursts of other ranks on the host; n_cores - 1 of them run at the same time. An
 * element NULL is a burst that slows down no other. */
double tlr_disturbance_beside(const tlr_disturbance *bending, const tlr_disturbance *const *others,
                              size_t n, unsigned n_cores);

/* ---- random.c ---- */

/* The purpose of a random number, which is its key.  All bytes count, so clear it before use. */
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

/* Uniformly distributed in (0, 1). */
double tlr_draw_uniform(const tlr_draw_key *key);
/* Normally distributed with mean 0 and standard deviation 1. */
double tlr_draw_normal(const tlr_draw_key *key);
/* The absolute value of a normal variable, shifted and scaled to the same mean and deviation. */
double tlr_draw_half_normal(const tlr_draw_key *key);
/* One of the modes, by their weights. */
const tlr_mode *tlr_draw_mode(const tlr_draw_key *key, uint32_t purpose, const tlr_mode *modes,
                              size_t n);
uint64_t tlr_hash_name(const char *name);

#endif
