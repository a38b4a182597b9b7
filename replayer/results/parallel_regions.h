/* parallel_regions.h - the balance of the threads of parallel regions, summed by call site. */
#ifndef TLR_PARALLEL_REGIONS_H
#define TLR_PARALLEL_REGIONS_H

#include "sums.h"

/* A parallel region in a timeline: the computation up to its end. */
typedef struct tlr_region_time {
    uint32_t rank, number; /* among the regions of its rank, from 1 */
    double seconds;
} tlr_region_time;

/* The tag of its computation; 0: it is no region. n_regions: those of the rank so far, with this
 * one. Their number is the same in a trace whose collectives are replaced; that of events is not.
 */
static inline int32_t tlr_region_tag(const tl_event *event, uint64_t n_regions)
{
    return event->call == TL_MPI_Parallel && n_regions <= INT32_MAX ? (int32_t)n_regions : 0;
}

/* Reads the threads' work of the regions from the trace. n_threads: as in a prediction for other
 * numbers of threads, or 0. Changes the order of the regions. */
tl_status tlr_sum_regions(tl_reader *trace, tlr_region_time *regions, size_t n, unsigned n_threads,
                          tlr_sums *out, tl_error *err);

#endif
