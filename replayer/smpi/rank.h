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
#include "machine/mapping.h"
#include "machine/noise.h"
#include "ompi.h"
#include "open_receives.h"
#include "plan.h"
#include "machine/rank_model.h"
#include "machine/segments.h"

enum { HOST_NAME_BYTES = 256, NAME_BYTES = 64, SELECTOR_BYTES = 512 };

/* The results of one rank, for the parent process. */
typedef struct smpi_rank_result {
    double end_s, compute_s, kernel_s, p2p_s, wait_s, collective_s, io_s, noise_s;
    /* With a timeline: the computation if the rank were alone on its core, and its end on other
     * machines. */
    double alone_s, on_ideal_network_s, balanced_s, twice_the_cpu_s;
    double estimated_s[TLR_N_ESTIMATES];
    uint64_t n_events;
    char host[HOST_NAME_BYTES];
} smpi_rank_result;

/* The results of the whole replay, for the parent process; in shared memory. */
typedef struct smpi_result {
    tl_error err;
    int version[3];
    char network_model[NAME_BYTES];
    char coll_selector[SELECTOR_BYTES];
    uint32_t n_finished;
    int is_configured;     /* SimGrid took all options */
    int is_complete;       /* the simulation came to its end */
    uint32_t n_inside[64]; /* by action: ranks in this blocking collective, likewise */
    tl_action collective;  /* a rank was last in this blocking collective, by its own algorithm */
    tlr_crowd crowd;       /* of all jobs */
    int lacks_disk;        /* a host whose ranks move data of files */
    smpi_rank_result ranks[];
} smpi_result;

typedef struct smpi_job smpi_job;
typedef struct smpi_crowd smpi_crowd;           /* interfere.c */
typedef struct smpi_polls smpi_polls;           /* poll.h */
typedef struct smpi_window smpi_window;         /* likewise */
typedef struct smpi_notes smpi_notes;           /* timeline.c */
typedef struct smpi_waits smpi_waits;           /* waits.c */
typedef struct smpi_unfinished smpi_unfinished; /* smpi/shims/buffer.c */
struct tlr_state;                               /* timeline.h */

/* The parts of one request of the trace. */
typedef struct smpi_bundle {
    int n, room;
    MPI_Request *items;
    sg_sem_t done;            /* of data on its way to or from a file, or NULL */
    const tl_call_info *info; /* of a call that MPI_Start repeats, or NULL */
    tl_event event;
    int64_t *list; /* the event's */
} smpi_bundle;

/* A thread of a rank, while events of another thread are replayed. */
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
    tl_action collective; /* the blocking one in which it is, by an algorithm of its own */
    smpi_rank_result *result;

    tlr_rank_model model;
    double flops_per_s;       /* that a second of computation on the reference is worth here */
    double burst_s, kernel_s; /* reference seconds of computation that are still to be simulated */

    /* If the model has interference: the class of that computation, and while it is simulated, how
     * many times slower it is than alone (0: another rank has changed that). */
    const tlr_bending *bending;
    double slowness;
    smpi_crowd *crowd; /* NULL until the rank computes */
    sg_sem_t wake;

    uint32_t entering;          /* request of the collective that the next event enters; 0: none */
    uint32_t thread, n_threads; /* 0 threads: the rank has only one */
    smpi_thread *threads;       /* but the one whose events are replayed */
    double ready_s;             /* of that one */

    /* Indexed by the rank's own id of a communicator, window or file. */
    MPI_Comm *comms;       /* an intercommunicator's is that of both groups */
    MPI_Comm *twins;       /* for messages that no receive of the trace may take, or null */
    uint32_t *peer_offset; /* first rank in comms of those that a peer counts from */
    uint32_t *n_splits;    /* so far */
    MPI_Win *windows;
    sg_sem_t *file_done; /* of a split collective that has begun */

    size_t n_requests;
    MPI_Request *requests;       /* by id */
    smpi_bundle **bundles;       /* by id: for what is more than one request, otherwise NULL */
    tlr_open_receives *ahead;    /* NULL until a receive is open */
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
    int pays_tests; /* tests take replay.test_s */
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

/* The state of the replay; there is one in the process. */
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

    /* Options that are not given to SMPI while the communicators are built. */
    const char *coll_selector;
    uint64_t replaced;   /* by action, one bit each: the selector's algorithm has failed before */
    const char *ompi;    /* the selector, if ompi.c has its algorithms; otherwise NULL */
    int64_t short_bytes; /* smpi/async-small-thresh */
    double test_s;       /* of a test in SMPI, in traces that come from SimGrid's text */
    int tests_grow;      /* each test without success takes longer than the one before */
    int finalize_barrier;
    int moves_payload; /* a collective needs the contents of its messages */

    int has_begun;    /* the traces: until then the ranks prepare, at second 0 */
    sg_bar_t barrier; /* of all ranks */
    MPI_Op commutative, noncommutative;
    char *send_buffer, *recv_buffer; /* of every message: never read for its contents */
    size_t buffer_bytes;             /* addresses behind each of them */
    uint64_t n_done;                 /* events, for progress */
} smpi_replay;

extern smpi_replay replay;

/* ---- ompi.c ---- */

/* A blocking collective: the buffer or block of one rank, and the elements by which its algorithm
 * is chosen. */
typedef struct smpi_call {
    const void *out;
    void *in;
    int count, root;
    uint64_t deciding_count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
} smpi_call;

/* Makes the call with Open MPI 4.1's algorithm. 0: SMPI's selector "ompi" must make it, because it
 * has the same algorithm, or one that replaces it; the result names the replacement. */
int smpi_ompi_call(tl_action action, const smpi_call *call, int *rc);
/* The messages of a constructor of communicators, on `comm`. */
int smpi_ompi_make(const tlr_ompi_making *making, MPI_Comm comm);
/* Whether an option of SMPI ("smpi/bcast") fixes the algorithm, independently of the selector. */
void smpi_ompi_leave(const char *option);

/* Ends the process; the parent process gets the message. */
void smpi_give_up(tl_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 2, 3)));
/* Ends the process because of the current event: "FILE: rank 3, event 17 (MPI_Send, app+0x12):
 * ...". */
void smpi_give_up_at(const smpi_rank *r, tl_status status, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
void *smpi_alloc(size_t n, size_t size);
/* tlr_segments_read; ends the process on failure. */
void smpi_read_segments(const char *option, const char *text, tlr_segment_values values,
                        tlr_segments *out);

/* One rank calls this when all communicators are built and the traces begin. */
void smpi_begin_traces(void);

/* The body of each simulated rank. */
void smpi_rank_main(int argc, char **argv);

/* ---- buffers.c ---- */

/* Sets replay.send_buffer, recv_buffer and buffer_bytes. */
void smpi_reserve_buffers(void);
/* Gives up if the message of the rank's event is larger than buffers that 'ulimit -v' made small.
 */
void smpi_check_room(const smpi_rank *r);

/* ---- hosts.c ---- */

/* Changes the platform as the options require, and finds the host of each rank. */
void smpi_place_ranks(void);
/* Starts the ranks on their hosts. */
void smpi_deploy(void);

/* ---- comm.c ---- */

/* Builds every communicator of the rank. All ranks must call it. */
void smpi_build_comms(smpi_rank *r);
/* The communicator of the current event. */
MPI_Comm smpi_event_comm(const smpi_rank *r);
/* Simulates the cost of the current constructor. */
int smpi_construct(smpi_rank *r);

/* ---- thread.c ---- */

/* The following events belong to the thread that the current event names. */
void smpi_switch_thread(smpi_rank *r);
/* Waits until the thread has computed for this number of seconds of the reference speed. */
void smpi_compute_beside(const smpi_rank *r, double reference_s);

/* ---- interfere.c ---- */

/* Simulates computation that takes so many seconds on this host if no other rank computes there. */
void smpi_compute_among(smpi_rank *r, double alone_s);

/* ---- collective.c ---- */

/* Some blocking collectives on this event's communicator are entered by Enter events. All
 * collectives on it are then issued as nonblocking ones, because blocking and nonblocking ones do
 * not match. */
int smpi_comm_is_entered(const smpi_rank *r);

/* Issues the current collective, blocking or not; returns the MPI error code. */
int smpi_collective(smpi_rank *r);

/* ---- exchange.c ---- */

/* Issues any collective, including those that SMPI does not have. */
int smpi_any_collective(smpi_rank *r);
/* The first keeps the current call for MPI_Start, in the bundle of its request. The second starts
 * it. */
int smpi_keep(smpi_rank *r);
int smpi_start_kept(smpi_rank *r, int64_t id);
smpi_bundle *smpi_open_bundle(smpi_rank *r, int64_t id);
MPI_Request *smpi_add_request(smpi_bundle *bundle);
/* Waits for all messages in the bundle, and frees it unless it is kept. */
int smpi_finish_bundle(smpi_rank *r, int64_t id);
void smpi_close_bundle(smpi_rank *r, int64_t id);

/* ---- usage.c: what options->usage asks for ---- */

/* To be called before the platform is read, after it was read, and when the simulation is over. */
void smpi_usage_prepare(void);
void smpi_usage_open(void);
void smpi_usage_close(void);

/* ---- window.c ---- */

/* Makes the window with this id. Collective over its ranks. */
void smpi_build_window(smpi_rank *r, uint32_t id);
int smpi_window_event(smpi_rank *r);

/* ---- file.c ---- */

int smpi_file_event(smpi_rank *r);
int smpi_has_disk(const char *host);

/* ---- poll.c ---- */

/* Replays all events of the rank; returns the last status of its cursor. */
tl_status smpi_play_adaptively(smpi_rank *r);
/* Whether the message of a probe is there, on this platform (a tl_asker). */
int smpi_has_arrived(void *rank, const tl_event *probe);

/* ---- timeline.c: only while replay.options->timeline is there ---- */

/* The duration of the current event's computation: of its kernel, or of the burst before it. */
void smpi_note_piece(smpi_rank *r, int is_kernel, uint32_t before, double reference_s);
/* The pending computation was simulated from one moment to the other. */
void smpi_note_computation(smpi_rank *r, double from_s, double reference_s);
/* The current call was simulated in this time, which belongs to that account. */
void smpi_note_call(smpi_rank *r, double from_s, const double *account);
void smpi_close_notes(smpi_rank *r);
/* World rank of a peer in that communicator, or -1. */
int32_t smpi_world_rank(const smpi_rank *r, uint32_t comm, int32_t peer);

/* ---- waits.c: likewise ---- */

/* The current call is about to be issued. */
void smpi_begin_waits(smpi_rank *r);
/* The current receive, whose source or tag is open, will take this message. */
void smpi_wait_for_match(smpi_rank *r, int32_t peer, int32_t tag);
/* The current call is over: stores in the state what it waited for. */
void smpi_end_waits(smpi_rank *r, struct tlr_state *state);
/* The rank computed for this time, which is so much at the reference speed. */
void smpi_wait_computed(smpi_rank *r, double took_s, double reference_s);
/* Reads the platform's smpi/or and smpi/os, before the replay begins. */
void smpi_waits_overheads(const char *receives, const char *sends);
void smpi_close_waits(smpi_rank *r);

/* ---- scale.c ---- */

/* Replaces the overheads in SimGrid's options, "key:value" each, if the user changed them. */
void smpi_scale_overheads(const char **list, size_t n, const tlr_options *options);

/* ---- p2p.c ---- */

/* Nonzero if the receive does not name its source or tag, so that the outcome of the run decides.
 */
int smpi_is_open(const smpi_rank *r, const tl_event *e);
int smpi_send(smpi_rank *r);
int smpi_isend(smpi_rank *r);
/* Starts the current persistent send. */
int smpi_start_send(smpi_rank *r);
int smpi_receive(smpi_rank *r);
int smpi_receive_match(smpi_rank *r);
int smpi_sendrecv(smpi_rank *r);
int smpi_start(smpi_rank *r);
int smpi_wait(smpi_rank *r);
int smpi_cancel(smpi_rank *r);
int smpi_free_request(smpi_rank *r);
/* The slot for a request with this id. */
MPI_Request *smpi_request(smpi_rank *r, int64_t id);
/* Elements and type of a message. If the number of bytes fits, the type is a byte, so that the
 * types of the two sides agree. */
int smpi_message_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type);
/* The same of a receive, which has room for each short message. */
int smpi_receive_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type);

/* ---- smpi/shims/buffer.c ---- */

/* Nonzero if a blocking send of this size ends before its bytes have arrived. */
int smpi_send_is_buffered(int64_t bytes);
int smpi_send_buffered(smpi_rank *r, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm, int64_t bytes);
/* Waits for all messages that are still on their way. */
void smpi_close_sends(smpi_rank *r);

/* ---- rank.c ---- */

/* Replays the event in r->event, which has this number in the rank's trace. */
void smpi_play(smpi_rank *r, uint64_t index);
/* Simulates the pending computation. */
void smpi_compute(smpi_rank *r);

/* A datatype of that many bytes. */
MPI_Datatype smpi_type(int bytes);
/* A count, or the bytes of a type, in the range that MPI requires. */
int smpi_count(const smpi_rank *r, int64_t count);

#endif
