/* batch.h - many replays, several at the same time, each in a process of its own. */
#ifndef TLR_BATCH_H
#define TLR_BATCH_H

#include "results/efficiency.h"
#include "scenario.h"

#include <stdbool.h>

/* The result of a replay. */
typedef struct tlr_point {
    uint64_t key; /* of all that the result depends on; 0: not known */
    int known;    /* ran, now or before */
    double makespan_s;
    double quiet_s;   /* without noise; 0: none was asked for */
    double compute_s; /* mean of the ranks */
    double noise_s;   /* that detours took from the CPU of a rank: mean of the ranks */
    uint64_t n_events;
    double half_s;       /* of the 90 % interval of a sampled replay; 0: there is none */
    double share;        /* of the events that it replayed */
    bool has_energy;     /* the platform states watts */
    bool has_cost;       /* a price was given */
    bool is_at_least;    /* the energy and the cost: tlr_usage */
    double job_j, cost;  /* of the job */
    uint64_t n_crowded;  /* ranks that share cores */
    bool is_too_fast;    /* its engine leaves out what ranks or messages share */
    bool has_efficiency; /* of a batch that asks for it */
    tlr_efficiency efficiency;
    char error[448];                   /* "": none */
    tl_status status;                  /* of the error; TL_ERR_INPUT if it is from a results file */
    char free_kernels[400];            /* of the prediction; "": none */
    char collectives[32];              /* the selector, without notes; "": of an earlier run */
    double estimated[TLR_N_ESTIMATES]; /* tlr_estimated_share */
} tlr_point;

/* It has been replayed, without an error. */
static inline bool tlr_point_has_time(const tlr_point *point)
{
    return point->known && !point->error[0];
}

typedef struct tlr_batch {
    size_t n;
    tlr_point *points; /* [n] of tlr_batch_create: those that are known do not run */
    /* Makes the scenario of replay i, which tlr_scenario_finish has not seen yet. */
    tl_status (*make)(const void *arg, size_t i, tlr_scenario *out, tl_error *err);
    /* Changes a point after it was filled; NULL: it stays. */
    void (*take)(const tlr_prediction *prediction, tlr_point *point);
    /* Called after each replay, in the order in which they end. An error ends the batch; that of a
     * replay is in its point. */
    tl_status (*done)(void *arg, size_t i, tl_error *err);
    void *arg;
    void (*show)(void *shown); /* called before each `done`; NULL: nobody watches */
    void *shown;
    int finds_efficiency; /* replays find out what the ideal network takes, and need more memory */
    unsigned n_jobs;      /* at the same time */
    unsigned max_s; /* replays that have not ended by then stay without a result; 0: all end */
} tlr_batch;

/* Points without a result, which child processes can fill. */
tlr_point *tlr_points_create(size_t n, tl_error *err);
void tlr_points_free(tlr_point *points, size_t n);
/* Puts the error of a replay into its point. */
void tlr_point_fail(tlr_point *point, const tl_error *err);
/* Whether the chosen algorithm does not serve the point: no failure (TLR_NOT_POSSIBLE). */
bool tlr_point_is_impossible(const tlr_point *point);
/* The status of the points that failed, if it is the same for all of them; otherwise TL_ERR_INPUT.
 * TL_OK: none failed. */
tl_status tlr_points_status(const tlr_point *points, size_t n);
/* Runs the replays that have no result. */
tl_status tlr_batch_run(const tlr_batch *batch, tl_error *err);

/* Hashes of the files that scenarios name. Each file is read once. */
typedef struct tlr_key_cache tlr_key_cache;

tlr_key_cache *tlr_key_cache_create(void);
void tlr_key_cache_free(tlr_key_cache *cache);
/* A hash of a finished scenario: its settings and sources, and the contents of the traces, the
 * platform and the files that they name. Of the changes, tlr_scenario_change does not count. */
tl_status tlr_scenario_key(tlr_key_cache *cache, const tlr_scenario *s, uint64_t *out,
                           tl_error *err);

#endif
