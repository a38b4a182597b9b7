/* otf2.h - a trace as an OTF2 archive; shared by otf2_events.c and otf2_archive.c, the only files
 * that include OTF2. */
#ifndef TLR_OTF2_H
#define TLR_OTF2_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "plan.h"
#include "exchange/refusals.h"

/* A region of OTF2: an MPI call or a kernel. */
typedef struct otf2_region {
    const char *name;
    const tl_call_info *row;
} otf2_region;

/* A message or a nonblocking collective that is not complete yet. */
typedef struct otf2_request {
    enum { OTF2_NOTHING, OTF2_SENDS, OTF2_RECEIVES, OTF2_COLLECTS } kind;
    bool persistent, active, cancelled;
    int32_t peer, tag;
    int32_t open_peer, open_tag; /* of a receive, before anything has matched it */
    OTF2_CommRef comm;
    uint64_t bytes;
    OTF2_CollectiveOp op;
    uint32_t root;
    uint64_t sent_bytes, received_bytes;
    uint64_t serial; /* OTF2's id: of no other request of the rank */
} otf2_request;

typedef struct otf2_export {
    tl_reader *trace;
    const tl_rates *rates; /* nanoseconds */
    tlr_plan *plan;        /* the communicators only */
    /* [plan->n_comms + 1]; the last is MPI_COMM_SELF. OTF2_IS_MADE: the archive has the call. */
    enum { OTF2_IS_UNUSED, OTF2_IS_USED, OTF2_IS_MADE } * comm_use;
    size_t n_regions, regions_room;
    otf2_region *regions;
    uint32_t region_of[TL_CALL_LIMIT]; /* 1 + index */
    tl_refusals refusals;              /* what the archive has no room for */
    bool out_of_memory;
    uint64_t longest_ns;

    /* of the current rank */
    uint32_t rank;
    uint64_t index; /* of the event */
    const tl_call_info *row;
    OTF2_EvtWriter *writer; /* NULL in the first pass, which only looks */
    OTF2_ErrorCode code;
    uint64_t now_ns, next_serial;
    double computed_ns; /* since then */
    double rest_ns;     /* that now_ns, a whole number, lacks */
    bool is_matched;    /* the outcome of the blocking receive that comes next */
    int32_t match_peer, match_tag;
    size_t n_requests;
    otf2_request *requests; /* by id */
} otf2_export;

/* Writes the events of one rank to x->writer, or only finds out what they need and whether any is
 * refused. */
tl_status otf2_play_rank(otf2_export *x, uint32_t rank, tl_error *err);

#endif
