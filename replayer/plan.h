/* plan.h - the results of a pass over the whole trace before it is replayed.
 *
 * The events of a rank name communicators by ids of the rank, and marks by call sites of the rank.
 * The plan contains their meaning across ranks. A trace that cannot be replayed is refused before
 * the simulation begins. */
#ifndef TLR_PLAN_H
#define TLR_PLAN_H

#include "replayer.h"

enum { TLR_PLAN_WORLD = 0, TLR_PLAN_NO_COMM = -1, TLR_PLAN_SELF = -2 };

/* A communicator, window or file, the same for all its members. The first one is MPI_COMM_WORLD. An
 * intercommunicator has the members of both groups, first those of the group whose first member has
 * the smaller rank. */
typedef struct tlr_plan_comm {
    uint32_t n_members;
    const int32_t *members; /* ranks in MPI_COMM_WORLD */
    int is_entered;         /* some blocking collective on it begins by an Enter event */
    uint32_t n_first;       /* members of an intercommunicator's first group, otherwise 0 */
    int needs_twin;         /* calls on it are made of messages: MPI_Comm_split and such */
    uint64_t calls; /* bit TL_ACTION_BCAST: MPI_Bcast is called on it; no nonblocking calls */
    int32_t *own;   /* members, if the plan made them */
} tlr_plan_comm;

/* One group that a split of a communicator makes; `ordinal` is the number of the split. */
typedef struct tlr_plan_split {
    uint32_t parent;
    uint32_t ordinal;
    uint32_t parent_rank; /* smallest rank in the parent among the group's members */
    uint32_t child;
} tlr_plan_split;

/* The marks of one call and site that all ranks passed equally often. */
typedef struct tlr_plan_marks {
    uint16_t call;
    char *site;
    size_t first; /* index of the one with ordinal 0 */
    uint64_t count;
} tlr_plan_marks;

/* The marks of one call and site on one rank. */
typedef struct tlr_plan_site {
    uint16_t call;
    uint32_t site;
    uint64_t count;
    const tlr_plan_marks *marks; /* NULL: not on all ranks */
} tlr_plan_site;

/* The collective calls of a rank on one communicator. */
typedef struct tlr_plan_sequence {
    uint64_t n_calls, hash;
} tlr_plan_sequence;

typedef struct tlr_plan_rank {
    uint32_t n_comms;
    int32_t *comms;               /* by the rank's id: index of the communicator, or TLR_PLAN_... */
    tlr_plan_sequence *sequences; /* by the rank's id */
    const tl_comm **definitions;  /* by the rank's id: what the trace says of it, or NULL */
    size_t n_sites;
    tlr_plan_site *sites;
    uint64_t n_events;
    uint32_t first, last; /* rank of which this is read; the last of those that do the same */
    uint32_t n_alike;     /* ranks that do the same, each with its own neighbours */
    int is_sparse;        /* its requests are to be numbered anew: request_slots.h */
    uint32_t n_requests;  /* no request has a greater number, a new one if is_sparse */
    int computes;         /* there are volumes or kernels */
    int uses_self;        /* there are calls on MPI_COMM_SELF, or communicators made of it */
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
    tlr_plan_rank **ranks; /* those that do the same share one */
    size_t n_comms;
    tlr_plan_comm *comms;
    int32_t *world; /* 0, 1, ..., n_ranks - 1 */
    size_t n_splits;
    tlr_plan_split *splits; /* by parent, ordinal, parent_rank */
    size_t n_mark_sites;
    tlr_plan_marks *mark_sites;
    size_t n_marks; /* in all */
    uint64_t n_events, n_polls, n_opaque;
    uint64_t n_parallel;  /* regions of OpenMP */
    uint64_t n_transfers; /* calls that move a file's data */
    uint64_t n_loose;     /* events whose meaning later ones decide: requests that are cancelled,
                             freed before they are complete, or of persistent collectives; threads */
    double most_bytes;    /* no message of a call has more */
    int has_synchronous;  /* some messages wait for their receives however short, or need none */
    tlr_plan_kernels kernels;
} tlr_plan;

/* Nonzero if an engine can replay the event. Otherwise the event is refused or takes no time. */
typedef int (*tlr_plan_judge)(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                              const tl_call_info *info);

/* Reads the communicators only, and no events. */
tl_status tlr_plan_make_comms(tl_reader *trace, tlr_plan **out, tl_error *err);
/* Reads every event once.  `model` may be NULL (no compute). */
tl_status tlr_plan_make(tl_reader *trace, const tlr_model *model, const tlr_options *options,
                        tlr_plan_judge is_modelled, tlr_plan **out, tl_error *err);
void tlr_plan_free(tlr_plan *plan);
/* The kernels of the program that the model does not have, and that take no time; NULL if there are
 * none. The caller frees them. */
tl_status tlr_plan_free_kernels(tl_reader *trace, const tlr_model *model, char **names);

/* The index of a rank's communicator, TLR_PLAN_SELF, or TLR_PLAN_NO_COMM. */
int32_t tlr_plan_find_comm(const tlr_plan *plan, uint32_t rank, uint32_t id);
/* All events that the engines support. */
int tlr_plan_is_modelled(const tlr_plan *plan, uint32_t rank, const tl_event *event,
                         const tl_call_info *info);
/* Calls on windows; those of them that move data; calls on files, and those. */
int tlr_plan_is_one_sided(tl_action action);
int tlr_plan_is_access(tl_action action);
int tlr_plan_is_file(tl_action action);
int tlr_plan_is_transfer(tl_action action);
/* Collectives, blocking or not, of a communicator's members or of neighbours. */
int tlr_plan_is_collective(tl_action action);
/* The groups of one split, ordered by parent_rank; NULL if there are none. */
const tlr_plan_split *tlr_plan_find_split(const tlr_plan *plan, uint32_t parent, uint32_t ordinal,
                                          size_t *n);
/* The marks of a rank's call and site; NULL if no mark of them is common to all ranks. */
tlr_plan_site *tlr_plan_find_site(tlr_plan_rank *rank, uint16_t call, uint32_t site);

/* Fills in what a prediction takes over from the plan. */
tl_status tlr_plan_describe(const tlr_plan *plan, tlr_prediction *out);

/* ---- within the plan ---- */

/* Adds the volumes of the kernels of a rank, and the work of one of its calls. */
tl_status tlr_plan_read_kernel_volumes(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                                       tl_error *err);
void tlr_plan_note_kernel(tlr_plan *plan, const tl_reader *trace, uint32_t rank,
                          const tl_event *event, const tl_call_info *info);
/* Refuses kernels of which neither model nor recording tells the time. */
tl_status tlr_plan_check_kernels(tlr_plan *plan, tl_reader *trace, const tlr_model *model,
                                 const tlr_options *options, tl_error *err);
void tlr_plan_free_kernel_volumes(tlr_plan *plan);

/* Ranks with equal events share one tlr_plan_rank (replayer/plan_share.c). */
tl_status tlr_plan_share_ranks(tl_reader *trace, tlr_plan *plan, tl_error *err);
void tlr_plan_free_ranks(tlr_plan *plan);

/* Finds the communicators that the definitions of all ranks mean (replayer/plan_comms.c). */
tl_status tlr_plan_match_comms(tl_reader *trace, tlr_plan *plan, tl_error *err);
/* Adds a rank's event; refuses a communicator whose members disagree (replayer/plan_collectives.c).
 */
void tlr_plan_note_collective(tlr_plan *plan, uint32_t rank, const tl_event *event,
                              const tl_call_info *info);
tl_status tlr_plan_check_collectives(tl_reader *trace, const tlr_plan *plan, tl_error *err);
void tlr_plan_free_comms(tlr_plan *plan);
/* The rank of a world rank in a communicator; -1 if it is no member. */
int32_t tlr_plan_rank_in(const tlr_plan_comm *comm, int32_t world_rank);

#endif
