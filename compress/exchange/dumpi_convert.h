/* dumpi_convert.h - converts the calls of one rank. */
#ifndef TL_DUMPI_CONVERT_H
#define TL_DUMPI_CONVERT_H

#include "dumpi.h"

#include <stdbool.h>

typedef struct tl_dumpi_pending {
    int64_t number; /* DUMPI's */
    uint32_t request;
    bool persistent, is_wildcard, is_cancelled;
} tl_dumpi_pending;

typedef struct tl_dumpi_convert {
    tl_dumpi_file *f;
    tl_writer *w; /* NULL in the first pass */
    const tl_dumpi_options *options;
    tl_dumpi_comms *comms;
    uint32_t rank, n_ranks;
    tl_map by_comm;          /* DUMPI's number -> position + 1 in the list of what was made */
    uint32_t n_made;         /* so far */
    tl_dumpi_chosen *groups; /* by DUMPI's number; in the first pass */
    size_t n_groups, groups_capacity;
    tl_map type_bytes;   /* of constructed datatypes, + 1 */
    bool ordered[256];   /* operators that do not commute */
    tl_dumpi_times last; /* of the call before, by the clock of the volumes */
    uint64_t last_counter;
    tl_dumpi_times last_wall;
    uint64_t clock_ns;  /* wall clock at the end of the last call; from MPI_Init on */
    uint64_t call_ns;   /* wall-clock time in the last call */
    uint64_t polled_ns; /* in failed tests since the last event */
    uint16_t thread;
    bool begun, initialised;
    double volume;
    uint32_t polls;
    tl_dumpi_pending *requests;
    size_t n_requests, requests_capacity;
    tl_buffer list;
    tl_end_reason end;
} tl_dumpi_convert;

/* Refuses the current call, by name. */
tl_status tl_dumpi_refuse(tl_dumpi_convert *m, const char *what);
#define tl_dumpi_out_of_memory(m) tl_no_memory((m)->f->err, (m)->f->name)
tl_status tl_dumpi_put(tl_dumpi_convert *m, const tl_event *event);

/* Adds the computation before the current call to the volume of the next event. */
tl_status tl_dumpi_count_volume(tl_dumpi_convert *m);
void tl_dumpi_follow_clock(tl_dumpi_convert *m);

/* Bytes of an element of a datatype. The datatype is used, or may appear where nothing is sent. */
tl_status tl_dumpi_take_type(tl_dumpi_convert *m, int64_t type, bool is_used, int64_t *bytes);
/* Follows the construction of a datatype. */
tl_status tl_dumpi_construct(tl_dumpi_convert *m);

/* The request that the current call begins, completes, starts or frees. */
tl_status tl_dumpi_take_request(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row);
/* The same for an array of requests; the ids go to m->list. */
tl_status tl_dumpi_complete_some(tl_dumpi_convert *m);
/* The status of the current call, or one of its statuses; false if it has none. */
bool tl_dumpi_status_at(const tl_dumpi_convert *m, size_t i, tl_dumpi_status *s);
tl_status tl_dumpi_put_match(tl_dumpi_convert *m, uint32_t request, const tl_dumpi_status *s);

/* Makes one pass over the calls of a rank. Without a writer it is the first pass, which collects
 * the communicators. The second function frees the memory of the conversion. */
tl_status tl_dumpi_pass(tl_dumpi_convert *m);

#endif
