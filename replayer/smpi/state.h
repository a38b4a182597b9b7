/* state.h - the state of a replay by SimGrid: its jobs, its ranks, their results; and how it fails.
 *
 * For the files of the SMPI engine only (replayer/smpi/), the only ones that include SimGrid.
 */
#ifndef TLR_SMPI_STATE_H
#define TLR_SMPI_STATE_H

#include <simgrid/barrier.h>
#include <simgrid/semaphore.h>
#include <smpi/mpi.h>
#include <stdbool.h>

#include "event_streams.h"
#include "machine/mapping.h"
#include "machine/noise.h"
#include "ompi.h"
#include "plan.h"
#include "event_steps.h"
#include "machine/rank_model.h"
#include "machine/segments.h"

enum { HOST_NAME_BYTES = 256, NAME_BYTES = 64, SELECTOR_BYTES = 512 };

/* The results of one rank, for the parent process. */
typedef struct smpi_rank_result {
    tlr_rank_prediction times; /* without its host */
    /* With a timeline: the computation if the rank were alone on its core, and its end on other
     * machines. */
    double alone_s, on_ideal_network_s, balanced_s, twice_the_cpu_s;
    uint64_t n_phases; /* of its job, which were balanced */
    char host[HOST_NAME_BYTES];
} smpi_rank_result;

/* The results of the whole replay, for the parent process; in shared memory. */
typedef struct smpi_result {
    tl_error err;
    int version[3];
    char network_model[NAME_BYTES];
    char coll_selector[SELECTOR_BYTES];
    uint32_t n_finished;
    bool is_configured;    /* SimGrid took all options */
    bool is_complete;      /* the simulation came to its end */
    uint32_t n_inside[64]; /* by action: ranks in this blocking collective, likewise */
    tl_action collective;  /* a rank was last in this blocking collective, by its own algorithm */
    tlr_crowd crowd;       /* of all jobs */
    int lacks_disk;        /* a host whose ranks move data of files */
    smpi_rank_result ranks[];
} smpi_result;

typedef struct smpi_job smpi_job;
typedef struct smpi_host smpi_host;             /* hosts.h */
typedef struct smpi_notes smpi_notes;           /* timeline.c */
typedef struct smpi_waits smpi_waits;           /* waits.c */
typedef struct smpi_unfinished smpi_unfinished; /* smpi/shims/buffer.c */
struct tlr_state;                               /* timeline.h */

/* The parts of one request of the trace. */
typedef struct smpi_bundle {
    int n;
    size_t room;
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
    tlr_walk walk;
    tlr_step step;      /* what the event is */
    uint64_t index;     /* its number in the rank's trace */
    uint64_t n_regions; /* parallel regions of threads so far */
    bool is_running;
    tl_action collective; /* the blocking one in which it is, by an algorithm of its own */
    smpi_rank_result *result;

    smpi_host *host;
    tlr_rank_model model;
    double flops_per_s;       /* that a second of computation on the reference is worth here */
    double burst_s, kernel_s; /* reference seconds of computation that are still to be simulated */
    double more_s;            /* and those of further cores in it */

    /* If the model has interference: the class of that computation, and while it is simulated, how
     * many times slower it is than alone (0: another rank has changed that). */
    const tlr_disturbance *bending;
    double slowness;
    sg_sem_t wake; /* NULL until the rank computes */

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
    uint64_t replaced;    /* by action, one bit each: the selector's algorithm has failed before */
    const char *ompi;     /* the selector, if ompi.c has its algorithms; otherwise NULL */
    int64_t short_bytes;  /* smpi/async-small-thresh */
    double test_s;        /* of a test in SMPI, in traces that come from SimGrid's text */
    int tests_grow;       /* each test without success takes longer than the one before */
    double probe_s;       /* of an MPI_Iprobe that the replay simulates itself; 0: SMPI does */
    double probe_cores;   /* that SMPI's MPI_Iprobe keeps busy */
    double waiting_cores; /* that a rank keeps busy while it waits: 1, or 0 by energy.wait */
    double precision_s;   /* SimGrid's, of dates */
    bool must_execute;    /* computation, because ranks may not just sleep for so long */
    int finalize_barrier;
    bool knows_hosts;   /* collectives use which ranks share a host, and know it from the start */
    bool moves_payload; /* a collective needs the contents of its messages */

    bool has_begun;   /* the traces: until then the ranks prepare, at second 0 */
    sg_bar_t barrier; /* of all ranks */
    MPI_Op commutative, noncommutative;
    char *send_buffer, *recv_buffer; /* of every message: never read for its contents */
    size_t buffer_bytes;             /* addresses behind each of them */
    uint64_t n_done;                 /* events, for progress */
} smpi_replay;

extern smpi_replay replay;

/* ---- engine.c ---- */

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

#endif
