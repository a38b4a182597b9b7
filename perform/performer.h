/* performer.h - timeless-perform: one rank of a trace, run as a real MPI program.
 *
 * Every event becomes the same call of the MPI library, with the same sizes, partners and tags, on
 * communicators with the same members. Messages contain zeros. doc/timeless-perform.1 states what
 * differs from the program of the trace. */
#ifndef PERFORMER_H
#define PERFORMER_H

#include "kernels.h"

#include <mpi.h>
#include <stdbool.h>

#include <machine/rank_model.h>
#include <open_receives.h>
#include <request_slots.h>
#include <timeless.h>

/* What a rank does instead of the recorded computation (--compute). */
typedef enum perform_compute {
    PERFORM_NONE,
    PERFORM_WAIT,
    PERFORM_SPIN,
    PERFORM_KERNELS
} perform_compute;

/* The MPI object of an id of a communicator or window in the trace. */
typedef struct perform_object {
    MPI_Comm comm;
    MPI_Win win;
    void *memory;              /* of a window, if it is ours */
    const tl_comm *definition; /* NULL: MPI_COMM_WORLD and MPI_COMM_SELF */
    uint32_t n_topologies;     /* number of grids and graphs made from it so far */
} perform_object;

/* A request of the trace. The arrays belong to the call that started it, as MPI may read them until
 * it completes. */
typedef struct perform_request {
    MPI_Request handle;
    bool is_open;   /* a persistent receive whose source or tag is known when it is started */
    tl_event event; /* of this receive */
    size_t room;
    int *counts, *displs; /* of both sides, one behind the other */
    MPI_Aint *addresses;  /* the displacements again */
    MPI_Datatype *types;
} perform_request;

/* A type or a sum of elements of this size, made once. */
typedef struct perform_type {
    int64_t bytes;
    MPI_Datatype type;
} perform_type;

/* A message that MPI_Mprobe has taken. */
typedef struct perform_message {
    MPI_Message handle;
    uint32_t comm;
    int32_t source, tag;
} perform_message;

/* Arguments of constructors that the trace does not contain. They are derived from the members of
 * the new communicator (objects.c). */
typedef struct perform_made {
    int color, key, high, remote_leader, tag;
    MPI_Group group;
    int n_dims, *dims, *periods; /* of a grid */
    int n_nodes, *index, *edges; /* of a graph */
    int indegree, *sources, outdegree, *destinations;
    void *memory;
    int64_t size; /* of a window */
} perform_made;

typedef struct performer {
    tl_reader *trace;
    tl_cursor *cursor;
    uint32_t rank;
    uint64_t index; /* of the event at hand */
    tl_event event;
    tlr_renumbering renumbering;
    tlr_open_receives *open; /* NULL until a receive is open */
    int32_t source, tag;     /* of the receive at hand, as MPI wants them */

    uint32_t n_objects;
    perform_object *objects; /* by the rank's id */
    size_t n_requests;
    perform_request *requests; /* by slot; slot 0 for blocking calls */
    size_t n_types;
    perform_type *types;
    MPI_Op commutative, ordered; /* operators that do nothing, for types that MPI cannot add */
    size_t n_messages;
    perform_message *messages;
    perform_made made;

    char *sent, *received; /* buffers that are large enough for every call of the rank */
    void *send_argument, *receive_argument; /* of the current call: these, or MPI_IN_PLACE */
    int64_t window_bytes;
    int n_sent_counts; /* of the call at hand: the values of the receiving side follow */

    perform_compute compute;
    double dilation; /* of the seconds of computation */
    tlr_rank_model model;
    perform_kernels *kernels; /* NULL: they are not called */
    double computed_s;        /* seconds of computation so far */
    uint64_t n_calls;
    struct perform_measure *measure; /* measure.h; NULL: no repetition is timed */
} performer;

/* ---- perform.c ---- */

/* Prints a line for this rank and ends all ranks. */
void perform_give_up(const performer *p, const char *format, ...)
    __attribute__((format(printf, 2, 3), noreturn));

/* ---- compute.c ---- */

/* Lets the burst before the event pass, and the event if it is a kernel. */
void perform_burst(performer *p);

/* ---- calls.c ---- */

/* Makes the call of the event, from its row of the schema. */
int perform_row(performer *p);

/* ---- special.c ---- */

/* The same for the calls that have no arguments of their own in the row (TL_SPECIAL). */
int perform_special(performer *p);

/* ---- messages.c ---- */

/* Finds the buffers of the event, and its counts and displacements for each rank. */
void perform_prepare(performer *p);
MPI_Datatype perform_type_of(performer *p, int64_t bytes);
MPI_Op perform_op_of(performer *p);
MPI_Op perform_accumulate_of(const performer *p);
perform_request *perform_request_of(performer *p, uint32_t slot);
int perform_peer(int32_t peer);
/* Sets source and tag of a receive: where the trace has a wildcard, those of the message that it
 * took in the run. */
void perform_find_source(performer *p);

/* ---- objects.c ---- */

/* Makes MPI_COMM_WORLD and MPI_COMM_SELF known, what the rank's communicators will be, and those
 * communicators that no event makes: `is_made` by id. */
void perform_open_objects(performer *p, const unsigned char *is_made);
/* Derives the arguments of a constructor; returns the code of the call that is to be made. */
uint16_t perform_prepare_object(performer *p);
/* After the call: keeps what it made. */
void perform_keep_object(performer *p);

#endif
