/* statistical.h - volumes of which a sample is kept (doc/FORMAT.md, "Statistical volumes").
 *
 * The run is divided into blocks of some iterations, at the same calls on all ranks. Some blocks
 * keep their volumes. Each other block takes the volumes of one of them, on all ranks. So the ranks
 * of an iteration stay together, and what they share, and what decides who waits, remains. */
#ifndef TL_STATISTICAL_H
#define TL_STATISTICAL_H

#include "core/map.h"
#include "reader.h"
#include "timeless.h"

#include <stdbool.h>

/* The number of kept blocks, the latest ones, whose volumes a block can take. */
enum { TL_SAMPLES = 64 };
/* A rank keeps so many volumes of a block; those behind them stay its own in every block. */
enum { TL_SAMPLE_VOLUMES = 1 << 16 };

/* Which blocks keep their volumes. */
typedef struct tl_sampling {
    uint16_t call;     /* the anchor: blocks begin behind a call at this place, on each rank */
    uint64_t path;     /* a hash of the call path of its call site */
    uint64_t every;    /* anchors in a block */
    uint32_t n_blocks; /* 0: the run has no iterations that all ranks have */
    uint32_t n_kept;
    uint64_t n_bursts, n_sampled; /* events; those that take the volume of another block */
    bool has_anchors;             /* some call is made equally often by all ranks */
    uint32_t *source; /* the block whose volumes a block takes; itself, if it keeps its own */
} tl_sampling;

/* Reads the trace three times, one rank after the other. */
tl_status tl_sampling_plan(tl_reader *r, tl_sampling *out, tl_error *err);
void tl_sampling_free(tl_sampling *s);

/* statistical_pace.c: when each block ends on the last rank, if each message takes this time, in
 * units of volume. until[b] is 0 before. TL_END: the run has too many ranks. */
tl_status tl_sampling_pace(const tl_sampling *s, tl_reader *r, double latency, double *until,
                           tl_error *err);
/* Whether the event is the anchor of its rank. `site` is from tl_sampling_site. */
static inline bool tl_is_anchor(const tl_sampling *s, uint32_t site, const tl_event *e)
{
    return e->site == site && e->call == s->call;
}
/* The id of the anchor's call site on a rank; 0: its events have no call sites. */
uint32_t tl_sampling_site(const tl_sampling *s, const tl_reader *r, uint32_t rank);

/* The volumes of a kept block on one rank. */
typedef struct tl_sample {
    uint32_t block;
    size_t n_volumes, n_steps, volumes_capacity, steps_capacity;
    uint64_t *volumes;
    uint64_t *steps; /* nanoseconds between clocks */
} tl_sample;

/* The volumes at a call site of the rank: how much one differs from the one before. */
typedef struct tl_burst_class {
    uint64_t last, n;
    double differences; /* sum of their sizes */
} tl_burst_class;

/* Gives the events of one rank their volumes. */
typedef struct tl_sampler {
    const tl_sampling *plan;
    uint32_t site;           /* of the anchor */
    uint64_t n_events;       /* of the rank */
    double factor;           /* of volumes, so that the rank's total is kept */
    uint64_t n_anchors;      /* passed */
    uint64_t n_passed;       /* events */
    uint32_t block;          /* of the next event */
    uint32_t n_kept;         /* kept blocks so far, that of the next event included */
    bool waits;              /* the written clock, until the exact one has come */
    size_t n_taken, n_looks; /* volumes and clocks of the block so far */
    int64_t carry;           /* exact volumes minus written ones */
    uint64_t scaled;         /* sum of the volumes to which the factor applies */
    bool is_out_of_range;    /* sums of volumes are, or a scaled volume is */
    double rounded;          /* of the block so far: what rounding has taken from its volumes */
    tl_map class_of;         /* by call and call site: index in classes, and 1 */
    tl_burst_class *classes;
    size_t n_classes, classes_capacity;
    uint64_t clock_ns, written_ns; /* of the last look at the clock: exact, and as it is written */
    tl_map places;                 /* of the samples, by block */
    tl_sample samples[TL_SAMPLES];
} tl_sampler;

/* Finds the factor: reads the events of the rank some times. TL_ERR_LIMIT: no factor keeps the
 * total. */
tl_status tl_sampler_open(tl_sampler *s, const tl_sampling *plan, tl_reader *r, uint32_t rank,
                          tl_error *err);
void tl_sampler_free(tl_sampler *s);
/* Whether the next event is the first one of a block, where a frame begins. */
bool tl_sampler_begins(const tl_sampler *s);
/* Changes volume and clock of the next event. False without memory. */
bool tl_sampler_apply(tl_sampler *s, tl_event *event);

#endif
