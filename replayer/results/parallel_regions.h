/* parallel_regions.h - the balance of the threads of parallel regions, summed by call site. */
#ifndef TLR_PARALLEL_REGIONS_H
#define TLR_PARALLEL_REGIONS_H

#include "sums.h"

/* A parallel region in a timeline: the computation up to its end. */
typedef struct tlr_region_time {
    uint32_t rank, index; /* of its event in the rank's part of the trace */
    double seconds;
} tlr_region_time;

/* The index of the event in the tag of its computation, plus 1; 0: it is no region. */
static inline int32_t tlr_region_tag(const tl_event *event, uint64_t index)
{
    return event->call == TL_MPI_Parallel && index < INT32_MAX ? (int32_t)index + 1 : 0;
}

/* Reads the threads' work of the regions from the trace. n_threads: as in a prediction for other
 * numbers of threads, or 0. Changes the order of the regions. */
tl_status tlr_sum_regions(tl_reader *trace, tlr_region_time *regions, size_t n, unsigned n_threads,
                          tlr_sums *out, tl_error *err);

#endif
