/* plan.h - the plan of a replay: the results of one pass over the whole trace.
 *
 * The events of a rank name communicators by ids of this rank, and marks by call sites of this
 * rank. The plan has their meaning across ranks: which ids mean the same communicator, and which
 * marks all ranks pass. It refuses a trace that cannot be replayed, before the simulation begins.
 * The engines only read the plan; tlr_plan_free releases it. */
#ifndef TLR_PLAN_H
#define TLR_PLAN_H

#include "replayer.h"

#include <stdbool.h>

enum { TLR_PLAN_WORLD = 0, TLR_PLAN_NO_COMM = -1, TLR_PLAN_SELF = -2 };

/* A communicator, window or file, as all its members see it. The first one is MPI_COMM_WORLD. An
 * intercommunicator has the members of both groups; the group whose first member has the smaller
 * rank is first. */
typedef struct tlr_plan_comm {
    uint32_t n_members;
    const int32_t *members; /* ranks in MPI_COMM_WORLD */
    bool is_entered;        /* some blocking collective on it begins with an Enter event */
    uint32_t n_first;       /* members of the first group of an intercommunicator, otherwise 0 */
    int32_t parent;         /* index of the one from which it was made, or TLR_PLAN_... */
    bool needs_twin;        /* some calls on it, such as MPI_Comm_split, are replayed by messages */
    uint64_t
        calls; /* bit TL_ACTION_BCAST: it has calls of MPI_Bcast; no bits for nonblocking calls */
    int32_t *own; /* `members` if the plan allocated them */
} tlr_plan_comm;

/* One group that a split of a communicator makes. */
typedef struct tlr_plan_split {
    uint32_t parent;
    uint32_t ordinal;     /* number of the split among the splits of the parent */
    uint32_t parent_rank; /* the smallest rank in the parent of a member of the group */
    uint32_t child;
} tlr_plan_split;

/* The marks of one call and site, if all ranks passed them equally often. */
typedef struct tlr_plan_marks {
    uint16_t call;
    char *site;
    size_t first; /* index of the mark with ordinal 0; the others follow */
    uint64_t count;
} tlr_plan_marks;

/* The marks of one call and site on one rank. */
typedef struct tlr_plan_site {
    uint16_t call;
    uint32_t site;
    uint64_t count;
    const tlr_plan_marks *marks; /* NULL: not on all ranks */
} tlr_plan_site;

/* The number of a rank's collective calls on one communicator, and a hash of them. */
typedef struct tlr_plan_sequence {
    uint64_t n_calls, hash;
} tlr_plan_sequence;

typedef struct tlr_plan_rank {
    uint32_t n_comms;
    /* By the id of the communicator in this rank: */
    int32_t *comms; /* index in tlr_plan.comms, or TLR_PLAN_... */
    tlr_plan_sequence *sequences;
    const tl_comm **definitions; /* in the trace; or NULL */
    size_t n_sites;
    tlr_plan_site *sites;
    uint64_t n_events;
    uint32_t first, last; /* of the ranks that share this: the one that is read, the last one */
    uint32_t n_alike;     /* number of ranks that share this, each with its own neighbours */
    bool is_sparse;       /* its requests must be renumbered: request_slots.h */
    uint32_t n_requests;  /* greatest number of a request, after renumbering */
    int computes;         /* it has volumes or kernels */
    int uses_self;        /* it has calls on MPI_COMM_SELF, or on communicators made from it */
} tlr_plan_rank;

/* The kernels of all ranks, and those without a line in the model (replayer/plan_kernels.c). */
typedef struct tlr_plan_kernels {
    uint64_t n_calls[TL_CALL_LIMIT];
    uint64_t n_unknown;                    /* calls of an unknown code or number of sizes */
    struct tlr_recorded_kernels *recorded; /* NULL: the trace has no volumes of kernels */
    char *estimated[TLR_N_ESTIMATES];      /* names of those without a line */
} tlr_plan_kernels;

typedef struct tlr_plan {
    uint32_t n_ranks;
    tlr_plan_rank **ranks; /* by rank; ranks that do the same share one tlr_plan_rank */
    size_t n_comms;
    tlr_plan_comm *comms;
    int32_t *world; /* 0, 1, ..., n_ranks - 1 */
    size_t n_splits;
    tlr_plan_split *splits; /* by parent, ordinal, parent_rank */
    size_t n_mark_sites;
    tlr_plan_marks *mark_sites;
    size_t n_marks; /* of all sites */
    uint64_t n_events, n_polls, n_opaque;
    uint64_t n_parallel;  /* regions of OpenMP */
    uint32_t n_threads;   /* of one of them, at most */
    uint64_t n_transfers; /* calls that move a file's data */
    uint64_t n_loose;  /* events whose meaning depends on later events: threads, and requests that
                          are cancelled, freed before they are complete, or of persistent
                          collectives */
    double most_bytes; /* size of the largest message */
    bool has_synchronous; /* some short messages are synchronous, or need no receive */
    tlr_plan_kernels kernels;
} tlr_plan;

/* Reads the communicators only, and no events. */
tl_status tlr_plan_make_comms(tl_reader *trace, tlr_plan **out, tl_error *err);
/* Reads every event once.  `model` may be NULL (no compute). */
tl_status tlr_plan_make(tl_reader *trace, const tlr_model *model, const tlr_options *options,
                        tlr_plan **out, tl_error *err);
void tlr_plan_free(tlr_plan *plan);
/* The names of the program's kernels that are not in the model and therefore take no time; NULL if
 * there are none. The caller frees *names. */
tl_status tlr_plan_free_kernels(tl_reader *trace, const tlr_model *model, char **names);

/* Kind of object behind the number of a communicator. */
typedef enum tlr_kind {
    TLR_KIND_NOTHING = 0,
    TLR_KIND_COMM,
    TLR_KIND_WINDOW,
    TLR_KIND_FILE
} tlr_kind;

/* The kind of what a call makes, and of what a rank defines; NULL: MPI_COMM_WORLD or MPI_COMM_SELF.
 */
tlr_kind tlr_kind_made(tl_action action);
tlr_kind tlr_kind_of(const tl_comm *definition);

/* The index of a rank's communicator, TLR_PLAN_SELF, or TLR_PLAN_NO_COMM. */
int32_t tlr_plan_find_comm(const tlr_plan *plan, uint32_t rank, uint32_t id);
/* Whether the engines can replay the event. Other events are refused, or take no time. */
bool tlr_plan_is_modelled(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                          const tl_call_info *info);
/* The groups of one split, ordered by parent_rank; NULL if there are none. */
const tlr_plan_split *tlr_plan_find_split(const tlr_plan *plan, uint32_t parent, uint32_t ordinal,
                                          size_t *n);
/* The marks of a call and site of a rank; NULL if none of them is common to all ranks. */
tlr_plan_site *tlr_plan_find_site(tlr_plan_rank *rank, uint16_t call, uint32_t site);

/* Fills the members of a prediction that come from the plan. */
tl_status tlr_plan_describe(const tlr_plan *plan, tlr_prediction *out);

/* ---- within the plan ---- */

/* Add the recorded volumes of the kernels of a rank; the work of one of its kernel calls. */
tl_status tlr_plan_read_kernel_volumes(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                                       tl_error *err);
void tlr_plan_note_kernel(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                          const tl_event *event, const tl_call_info *info);
/* Refuses kernels whose time is neither in the model nor in the recording. */
tl_status tlr_plan_check_kernels(tlr_plan *plan, tl_reader *trace, const tlr_model *model,
                                 const tlr_options *options, tl_error *err);
void tlr_plan_free_kernel_volumes(tlr_plan *plan);

/* Ranks with equal events share one tlr_plan_rank (replayer/plan_share.c). */
tl_status tlr_plan_share_ranks(tl_reader *trace, tlr_plan *plan, tl_error *err);
void tlr_plan_free_ranks(tlr_plan *plan);

/* Finds which definitions of different ranks mean the same communicator (replayer/plan_comms.c). */
tl_status tlr_plan_match_comms(tl_reader *trace, tlr_plan *plan, tl_error *err);
/* Note each event of a rank; then refuse communicators on which members made different collective
 * calls (replayer/plan_collectives.c). */
void tlr_plan_note_collective(tlr_plan *plan, uint32_t rank, const tl_event *event,
                              const tl_call_info *info);
tl_status tlr_plan_check_collectives(tl_reader *trace, const tlr_plan *plan, tl_error *err);
void tlr_plan_free_comms(tlr_plan *plan);
/* The rank of a world rank in a communicator; -1 if it is not a member. */
int32_t tlr_plan_rank_in(const tlr_plan_comm *comm, int32_t world_rank);

#endif
