/* rank.h - one simulated rank, which reads its events and issues the SMPI calls of these events;
 * and the state of the replay.
 *
 * For the files of the SMPI engine only (replayer/smpi/), the only ones that include SimGrid.
 */
#ifndef TLR_SMPI_RANK_H
#define TLR_SMPI_RANK_H

#include <simgrid/barrier.h>
#include <simgrid/semaphore.h>
#include <smpi/mpi.h>

#include "event_streams.h"
#include "machine/noise.h"
#include "plan.h"
#include "machine/rank_model.h"

enum { HOST_NAME_BYTES = 256, NAME_BYTES = 64, SELECTOR_BYTES = 512 };

/* What one rank's replay leaves for the parent process. */
typedef struct smpi_rank_result {
    double end_s, compute_s, kernel_s, p2p_s, wait_s, collective_s, io_s, noise_s;
    /* With a timeline: computation without others on the cores, and the rank's end elsewhere. */
    double alone_s, on_ideal_network_s, balanced_s, twice_the_cpu_s;
    uint64_t n_events;
    char host[HOST_NAME_BYTES];
} smpi_rank_result;

/* What the replay as a whole leaves for the parent process; in shared memory. */
typedef struct smpi_result {
    tl_error err;
    int version[3];
    char network_model[NAME_BYTES];
    char coll_selector[SELECTOR_BYTES];
    uint32_t n_finished;
    int is_configured; /* SimGrid took all options */
    int is_complete;   /* the simulation came to its end */
    smpi_rank_result ranks[];
} smpi_result;

typedef struct smpi_job smpi_job;
typedef struct smpi_ahead smpi_ahead;           /* match.c */
typedef struct smpi_polls smpi_polls;           /* poll.h */
typedef struct smpi_window smpi_window;         /* likewise */
typedef struct smpi_notes smpi_notes;           /* timeline.c */
typedef struct smpi_waits smpi_waits;           /* waits.c */
typedef struct smpi_unfinished smpi_unfinished; /* smpi/shims/buffer.c */
struct tlr_state;                               /* timeline.h */

/* What one request of the trace is made of. */
typedef struct smpi_bundle {
    int n, room;
    MPI_Request *items;
    sg_sem_t done;            /* of data on its way to or from a file, or NULL */
    const tl_call_info *info; /* of a call that MPI_Start repeats, or NULL */
    tl_event event;
    int64_t *list; /* the event's */
} smpi_bundle;

/* A thread of a rank while another one's events are replayed. */
typedef struct smpi_thread {
    double ready_s; /* when its last event was over */
    double burst_s, kernel_s;
} smpi_thread;

typedef struct smpi_rank {
    smpi_job *job;
    uint32_t rank;  /* in the job's MPI_COMM_WORLD */
    tl_event event; /* the one being replayed */
    const tl_call_info *info;
    uint64_t index;     /* its number in the rank's trace */
    uint64_t *n_passed; /* marks, by the call sites of the plan */
    int is_running;
    smpi_rank_result *result;

    tlr_rank_model model;
    double flops_per_s;       /* that a second of computation on the reference is worth here */
    double burst_s, kernel_s; /* reference seconds of computation that are still to be simulated */

    uint32_t entering;          /* request of the collective that the next event enters; 0: none */
    uint32_t thread, n_threads; /* 0 threads: the rank has only one */
    smpi_thread *threads;       /* but the one whose events are replayed */
    double ready_s;             /* of that one */

    /* By the rank's own id of a communicator, window or file. */
    MPI_Comm *comms;       /* an intercommunicator's is that of both groups */
    MPI_Comm *twins;       /* for messages that no receive of the trace may take, or null */
    uint32_t *peer_offset; /* first rank in comms of those that a peer counts from */
    uint32_t *n_splits;    /* so far */
    MPI_Win *windows;
    sg_sem_t *file_done; /* of a split collective that has begun */

    size_t n_requests;
    MPI_Request *requests;       /* by id */
    smpi_bundle **bundles;       /* by id: for what is more than one request, otherwise NULL */
    smpi_ahead *ahead;           /* NULL until a receive is open */
    smpi_window *window;         /* NULL unless polls are adaptive */
    smpi_notes *notes;           /* NULL unless a timeline is kept */
    smpi_waits *waits;           /* likewise */
    smpi_unfinished *unfinished; /* sends that are over while their messages are on the way */
    size_t n_gathered;
    MPI_Request *gathered; /* the array of a Waitall or Startall */
    size_t n_counts;
    int *counts; /* counts and displacements of a collective */
} smpi_rank;

/* One of the runs that share the platform. */
struct smpi_job {
    tl_reader *trace;
    tlr_plan *plan;
    tlr_streams *streams;
    smpi_polls *polls; /* NULL unless ranks play adaptively */
    uint32_t n_polling;
    const char *hostfile;
    double start_s;      /* when it starts */
    uint32_t first_rank; /* among the ranks of all jobs */
    char instance[24];   /* SMPI's name of it */
    size_t marks_bytes;
    double *predicted_s, *measured_s; /* [mark][rank], in shared memory */
    sg_bar_t barrier;
    sg_sem_t *turn;    /* [n_ranks] */
    MPI_Group *groups; /* [n_comms] */
};

/* The replay; one in the process. */
typedef struct smpi_replay {
    size_t n_jobs;
    smpi_job *jobs;
    uint32_t n_ranks;  /* of all jobs */
    uint64_t n_events; /* of all jobs */
    const tlr_options *options;
    const tlr_platform *platform;
    const tlr_model *model; /* NULL: computation takes no time */
    tlr_noise *noise;       /* NULL: none */
    int terminal;           /* descriptor for progress */

    smpi_result *result;
    smpi_rank *ranks; /* [n_ranks] */

    /* Options that are held back while the communicators are built. */
    const char *coll_selector; /* NULL: SMPI's own */
    int is_ompi_41;            /* the selector: ompi.c */
    double init_s;
    int finalize_barrier;
    int moves_payload; /* selectors other than SMPI's own need the real contents of messages */

    int has_begun;    /* the traces: until then the ranks prepare, at second 0 */
    sg_bar_t barrier; /* of all ranks */
    MPI_Op commutative, noncommutative;
    char *send_buffer, *recv_buffer; /* of every message: never read for its contents */
    size_t buffer_bytes;             /* addresses behind each of them */
    uint64_t n_done;                 /* events, for progress */
} smpi_replay;

extern smpi_replay replay;

/* ---- ompi.c ---- */

/* A blocking collective: one rank's buffer or block, and the elements by which its algorithm is
 * chosen. */
typedef struct smpi_call {
    const void *out;
    void *in;
    int count, root;
    uint64_t deciding_count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
} smpi_call;

/* Makes the call as Open MPI 4.1 does it; 0: SMPI's selector "ompi" has to, as it does the same, or
 * has the algorithm that stands in, which the result names. */
int smpi_ompi_call(tl_action action, const smpi_call *call, int *rc);
/* An option of SMPI ("smpi/bcast") says the algorithm, whatever the selector does. */
void smpi_ompi_leave(const char *option);

/* Ends the process; the parent gets the message. */
void smpi_give_up(tl_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* Gives up over the event at hand: "FILE: rank 3, event 17 (MPI_Send, app+0x12): ...". */
void smpi_give_up_at(const smpi_rank *r, tl_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void *smpi_alloc(size_t n, size_t size);

/* Called by one rank when all communicators are built and the traces begin. */
void smpi_begin_traces(void);

/* The body of each simulated rank. */
void smpi_rank_main(int argc, char **argv);

/* ---- hosts.c ---- */

/* Changes the platform as the options say and finds each rank's host. */
void smpi_place_ranks(void);
/* Starts the ranks there. */
void smpi_deploy(void);

/* ---- comm.c ---- */

/* Builds every communicator of the rank; all ranks call it. */
void smpi_build_comms(smpi_rank *r);
/* The communicator of the event at hand. */
MPI_Comm smpi_event_comm(const smpi_rank *r);
/* Simulated cost of the constructor at hand. */
int smpi_construct(smpi_rank *r);

/* ---- thread.c ---- */

/* The events that follow belong to the thread that the event at hand names. */
void smpi_switch_thread(smpi_rank *r);
/* Waits until the thread has computed for so many seconds of the reference. */
void smpi_compute_beside(const smpi_rank *r, double reference_s);

/* ---- collective.c ---- */

/* Blocking collectives on this event's communicator are sometimes entered by Enter events: then all
 * are issued as nonblocking ones, for those do not meet the others. */
int smpi_comm_is_entered(const smpi_rank *r);

/* Issues the collective at hand, blocking or not; returns the MPI error code. */
int smpi_collective(smpi_rank *r);

/* ---- exchange.c ---- */

/* Issues any collective, including those that SMPI does not have. */
int smpi_any_collective(smpi_rank *r);
/* Keeps the call at hand for MPI_Start, in its request's bundle; and starts what was kept. */
int smpi_keep(smpi_rank *r);
int smpi_start_kept(smpi_rank *r, int64_t id);
smpi_bundle *smpi_open_bundle(smpi_rank *r, int64_t id);
MPI_Request *smpi_add_request(smpi_bundle *bundle);
/* Waits for all that is under way in it; what is not kept is gone then. */
int smpi_finish_bundle(smpi_rank *r, int64_t id);
void smpi_close_bundle(smpi_rank *r, int64_t id);

/* ---- usage.c: what options->usage asks for ---- */

/* Before the platform is read, after, and when the simulation is over. */
void smpi_usage_prepare(void);
void smpi_usage_open(void);
void smpi_usage_close(void);

/* ---- window.c ---- */

/* Makes the window with this id; collective over its ranks. */
void smpi_build_window(smpi_rank *r, uint32_t id);
int smpi_window_event(smpi_rank *r);

/* ---- file.c ---- */

int smpi_file_event(smpi_rank *r);
int smpi_has_disk(const char *host);

/* ---- match.c ---- */

/* Nonzero when the receive does not say whose message it takes, and the run's outcome decides. */
int smpi_is_open(const smpi_rank *r, const tl_event *e);
/* Source and tag of the message that the open receive at hand, or the one started, took. */
void smpi_find_match(smpi_rank *r, int32_t *source, int32_t *tag);
void smpi_close_ahead(smpi_rank *r);

/* ---- poll.c ---- */

/* Plays all events of the rank; returns how its cursor ended. */
tl_status smpi_play_adaptively(smpi_rank *r);
/* Whether the message of a probe is there, on this platform; a tl_asker. */
int smpi_has_arrived(void *rank, const tl_event *probe);

/* ---- timeline.c: only while replay.options->timeline is there ---- */

/* The event at hand is computed for so long, as its kernel or as the burst before it. */
void smpi_note_piece(smpi_rank *r, int is_kernel, double reference_s);
/* What is pending was simulated from then until now. */
void smpi_note_computation(smpi_rank *r, double from_s, double reference_s);
/* So was the call at hand, whose time goes to that account. */
void smpi_note_call(smpi_rank *r, double from_s, const double *account);
void smpi_close_notes(smpi_rank *r);
/* World rank of a peer in that communicator, or -1. */
int32_t smpi_world_rank(const smpi_rank *r, uint32_t comm, int32_t peer);

/* ---- waits.c: likewise ---- */

/* The call at hand is about to be issued. */
void smpi_begin_waits(smpi_rank *r);
/* The receive at hand, whose source or tag is open, is to take this message. */
void smpi_wait_for_match(smpi_rank *r, int32_t peer, int32_t tag);
/* The call at hand is over: tells the state what it waited for. */
void smpi_end_waits(smpi_rank *r, struct tlr_state *state);
/* The rank computed for so long, which is so much on the reference. */
void smpi_wait_computed(smpi_rank *r, double took_s, double reference_s);
/* The platform's smpi/or and smpi/os, before the replay begins. */
void smpi_waits_overheads(const char *receives, const char *sends);
void smpi_close_waits(smpi_rank *r);

/* ---- p2p.c ---- */

int smpi_send(smpi_rank *r);
int smpi_isend(smpi_rank *r);
/* Starts the persistent send at hand. */
int smpi_start_send(smpi_rank *r);
int smpi_receive(smpi_rank *r);
int smpi_receive_match(smpi_rank *r);
int smpi_sendrecv(smpi_rank *r);
int smpi_start(smpi_rank *r);
int smpi_wait(smpi_rank *r);
int smpi_cancel(smpi_rank *r);
int smpi_free_request(smpi_rank *r);
/* The slot in which a request with this id stands. */
MPI_Request *smpi_request(smpi_rank *r, int64_t id);
/* Elements and type of a message: bytes where their number fits, for then no two types can
 * disagree. */
int smpi_message_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type);

/* ---- smpi/shims/buffer.c ---- */

/* Nonzero when a blocking send of so many bytes is over before they have arrived. */
int smpi_send_is_buffered(int64_t bytes);
int smpi_send_buffered(smpi_rank *r, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm, int64_t bytes);
/* Waits for what is still on the way. */
void smpi_close_sends(smpi_rank *r);

/* ---- rank.c ---- */

/* Plays the event in r->event, which has this number in the rank's trace. */
void smpi_play(smpi_rank *r, uint64_t index);
/* Simulates the computation that is pending. */
void smpi_compute(smpi_rank *r);

/* A datatype of that many bytes. */
MPI_Datatype smpi_type(int bytes);
/* A count, or the bytes of a type, as MPI wants them. */
int smpi_count(const smpi_rank *r, int64_t count);

#endif
