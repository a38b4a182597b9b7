/* otf2_read.h - an OTF2 archive that is being imported; shared by import_otf2.c, otf2_calls.c and
 * otf2_sizes.c. */
#ifndef TL_OTF2_READ_H
#define TL_OTF2_READ_H

#include <otf2/otf2.h>
#include <stdbool.h>

#include "core/bytes.h"
#include "core/map.h"
#include "refusals.h"
#include "timeless.h"

/* What each member of a communicator sent and received in one collective. */
typedef struct otf2_sums {
    uint64_t sent, received;
} otf2_sums;

typedef struct otf2_group {
    OTF2_GroupType type; /* OTF2_GROUP_TYPE_UNKNOWN: not of MPI */
    bool has_locations;  /* members are locations, not indices of ranks */
    uint32_t n;
    uint64_t *members;
} otf2_group;

typedef struct otf2_comm {
    enum { OTF2_NO_COMM, OTF2_WORLD, OTF2_SELF, OTF2_OTHER } kind;
    bool is_defined, is_named_world;
    OTF2_GroupRef group;
    OTF2_CommRef parent;
    uint32_t n;
    int32_t *members; /* NULL: MPI_COMM_SELF */
    otf2_sums *sums;  /* n for each collective whose blocks differ, in order */
    size_t n_sums, sums_room;
} otf2_comm;

typedef struct otf2_location {
    OTF2_LocationRef ref;
    OTF2_LocationGroupRef process;
    bool is_thread, is_rank;
} otf2_location;

typedef struct otf2_source {
    const char *path, *volume; /* volume NULL: time */
    double rate, ns_per_tick;
    bool call_times;
    bool counts; /* the volume is a metric */
    OTF2_Reader *reader;
    OTF2_EvtReaderCallbacks *callbacks;
    tl_error *err;
    tl_status status;

    /* Definitions, by reference. */
    char **strings;
    const tl_call_info **regions; /* NULL: not of MPI, or without an event */
    otf2_group *groups;
    otf2_comm *comms;
    OTF2_StringRef *nodes;             /* names of hosts */
    OTF2_SystemTreeNodeRef *processes; /* the hosts of location groups */
    uint8_t *is_member, *position;     /* of metric members; 1 + place in metric classes */
    size_t n_strings, n_regions, n_groups, n_comms, n_nodes, n_processes, n_is_member, n_position;
    size_t strings_room, regions_room, groups_room, comms_room, nodes_room, processes_room,
        is_member_room, position_room;
    otf2_location *locations;
    size_t n_locations, locations_room;
    tl_map location_at; /* 1 + index */
    uint32_t n_ranks;
    const otf2_group *ranks; /* their locations */

    /* What the first reading of all ranks found. */
    tl_refusals refusals;
    uint64_t n_shared, n_probes, n_lost, n_unmade, n_threads;
} otf2_source;

/* A record of a call of MPI, or the later outcome of a request. */
typedef struct otf2_record {
    enum {
        OTF2_NOTHING,
        OTF2_SEND,
        OTF2_RECV,
        OTF2_ISEND,
        OTF2_IRECV, /* begins */
        OTF2_ICOLLECTIVE,
        OTF2_SENT, /* completions */
        OTF2_RECEIVED,
        OTF2_COLLECTED,
        OTF2_CANCELLED,
        OTF2_TESTED, /* without success */
        OTF2_COLLECTIVE,
        OTF2_CREATED
    } kind;
    OTF2_CollectiveOp op;
    OTF2_CommRef comm;
    uint32_t peer, tag; /* peer: or root */
    uint64_t bytes, received_bytes, request;
} otf2_record;

typedef struct otf2_records {
    otf2_record *list;
    size_t n, room;
} otf2_records;

/* A pass over a rank. The first one collects the outcomes of requests; the second one makes the
 * events. */
typedef struct otf2_rank {
    otf2_source *s;
    uint32_t rank;
    bool collects, is_thread; /* is_thread: only looks for calls of MPI */
    tl_writer *w;             /* NULL: events are made, but not written */
    otf2_records outcomes;    /* of requests, and collectives whose blocks differ, as they begin */
    size_t next_outcome;
    tl_map requests; /* of OTF2: 1 + index of the outcome; in the second pass the id */
    uint32_t *free_ids, n_ids;
    size_t n_free, free_room;
    uint32_t *ids, *places, *n_varying; /* by communicator: id; 1 + own rank; collectives so far */
    uint32_t n_made;
    tl_buffer list;

    const tl_call_info *row; /* of the call that is open */
    uint32_t depth;
    otf2_records records;
    bool has_begun, has_initialised, has_counted;
    uint64_t enter, leave, init; /* ticks */
    double counter, counter_leave;
    double volume;  /* since the last event */
    double took_ns; /* of the call, and of failed tests before it */
    uint32_t polls;
    uint64_t clock_ns;
    tl_end_reason end;
} otf2_rank;

/* Adds a record of the current call; makes the events of the call. */
tl_status otf2_add(otf2_rank *m, const otf2_record *r);
tl_status otf2_make_events(otf2_rank *m, const tl_call_info *row);
/* Ends a pass. */
tl_status otf2_end_pass(otf2_rank *m);

/* The action of the data that a collective moves, TL_ACTION_NONE: none. */
tl_action otf2_action_of(OTF2_CollectiveOp op);
/* Whether the ranks have blocks of different sizes. */
bool otf2_varies(OTF2_CollectiveOp op);
/* Fills in the sizes of a collective from the bytes that Score-P counts. `sums` is the row of
 * otf2_comm.sums if the blocks differ. False without memory. */
bool otf2_take_sizes(tl_event *e, const otf2_record *r, uint32_t n, uint32_t me,
                     const otf2_sums *sums, tl_buffer *list);

/* Fails with a text about the current rank. */
#define otf2_fail(m, failure, format, ...)                                                         \
    ((m)->s->status = tl_fail((m)->s->err, failure, "%s: rank %" PRIu32 ": " format, (m)->s->path, \
                              (m)->rank, ##__VA_ARGS__))

#endif
