/* critical_path.h - the chain of computation and messages that leads to the end of the replay. A
 * run becomes shorter only if a part of this chain becomes shorter. */
#ifndef TLR_CRITICAL_PATH_H
#define TLR_CRITICAL_PATH_H

#include "sums.h"

/* The kinds of segments of the path. */
typedef enum tlr_part {
    TLR_PART_COMPUTE, /* bursts */
    TLR_PART_KERNEL,
    TLR_PART_MESSAGE, /* point to point: from when both sides are there, with its overheads */
    TLR_PART_COLLECTIVE,
    TLR_PART_IO,
    TLR_PART_OTHER,
    TLR_N_PARTS
} tlr_part;

/* The path was on this rank during this time. */
typedef struct tlr_segment {
    uint32_t rank;
    double from_s, to_s;
} tlr_segment;

typedef struct tlr_path {
    double length_s; /* the sum of the parts: the makespan */
    double parts_s[TLR_N_PARTS];
    uint32_t n_ranks; /* 0: only the parts are known, as not all states were kept */
    double *rank_s;   /* by rank; a message counts for the rank that waits for it */
    tlr_sums sites;   /* "MPI_Wait f (a.c:12)", "compute f (a.c:12) .. g (a.c:34)" */
    tlr_sums regions; /* none without MPI_Pcontrol */
    uint64_t n_jumps; /* from rank to rank */
    /* The segments in the order of time. If there are too many, those shorter than left_out_s are
     * left out. */
    size_t n_segments;
    tlr_segment *segments;
    double left_out_s;
} tlr_path;

/* Walks backwards through the states, beginning with the state that ends last. From the end of a
 * call it goes to the event that ended the call, on whatever rank that event began. Takes memory
 * for sums and at most 65,536 segments. */
tl_status tlr_path_make(tlr_timeline *timeline, const tlr_job *jobs, size_t job, tlr_path **out,
                        tl_error *err);
void tlr_path_free(tlr_path *path);
/* Of the time that the path spends in the state. */
tlr_part tlr_part_of(const tlr_state *state);
/* "compute", "kernel", "message", ... */
const char *tlr_part_name(unsigned part);

#endif
