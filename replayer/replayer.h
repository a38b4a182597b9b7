/* replayer.h - replay a trace on a described platform and hold the prediction.
 *
 * Simulated seconds end in _s; wall-clock seconds of the replay itself are called wall_*.
 * Status, errors and ownership follow the conventions of timeless.h.
 *
 * A process runs one replay by the SimGrid engine at a time: SimGrid keeps its simulation in global
 * variables and cannot start a second one, so the files of that engine share one state as well
 * (`replay`, smpi/rank.h), and tlr_replay runs the engine in a child process (sandbox.h).
 * Everything else may be called from several threads, each with objects of its own.
 */
#ifndef TLR_REPLAYER_H
#define TLR_REPLAYER_H

#include <stdio.h>

#include <timeless.h>
#include <timeless_files.h>

/* ---- status, besides those of timeless.h ---- */

#define TLR_ERR_DEADLOCK ((tl_status)(TL_STATUS_USER + 0)) /* the replay cannot finish */
/* The recording's clock is not comparable with the prediction. */
#define TLR_ERR_NOT_COMPARABLE ((tl_status)(TL_STATUS_USER + 1))

/* How an error begins if the chosen algorithm does not serve this number of ranks. Sweeps mark such
 * a point, and do not fail. */
#define TLR_NOT_POSSIBLE "not possible: "

/* ---- compute model: replayer/machine/model.c, replayer/machine/model_read.c ---- */

typedef enum tlr_term {
#define TL_TERM(name, expression) TLR_TERM_##name,
#include <terms.def>
    TLR_N_TERMS
} tlr_term;

/* How the durations of like calls are spread: Cornebize, thesis draft, section 4.1, N-0, N-1 and
 * N-2, N'. */
typedef enum tlr_shape { TLR_NO_NOISE, TLR_NORMAL, TLR_HALF_NORMAL, TLR_MIXTURE } tlr_shape;

enum { TLR_MAX_MODES = 8 };

/* A normal distribution in a mixture. */
typedef struct tlr_mode {
    double weight, mean, sd;
} tlr_mode;

/* Bounds of a piece's calls, in this order: m, n, k, work. */
enum { TLR_N_BOUNDS = 4 };

/* Seconds of the calls between bounds: a polynomial in their sizes, and a standard deviation that
 * is one, too.  Of a mixture's modes, mean and sd are in units of that standard deviation. */
typedef struct tlr_piece {
    double min[TLR_N_BOUNDS], max[TLR_N_BOUNDS]; /* both belong to the piece */
    char side; /* 'l', 'r': of trmm, trsm and symm with the square matrix there; 0: of all */
    double mean_s[TLR_N_TERMS];
    tlr_shape shape;
    double sd_s[TLR_N_TERMS];
    size_t n_modes;
    tlr_mode modes[TLR_MAX_MODES];
} tlr_piece;

/* Seconds of a kernel: those of the first piece that the call belongs to; the last takes all that
 * is left.  0 for an empty call, without work. */
typedef struct tlr_kernel_model {
    uint16_t call;          /* TL_KERNEL_dgemm, ... */
    char *user;             /* TL_KERNEL_user: the name that the program gives it; else NULL */
    double host_sd, day_sd; /* by which hosts differ in it, and a host's days, relative */
    double median_error;    /* of its measured calls, relative; 0: not stated */
    size_t n_pieces;
    tlr_piece *pieces;
} tlr_kernel_model;

/* Bursts between two call sites, such as "hpcc+0x1234"; "?" before the first call. */
typedef struct tlr_burst_class {
    char *from, *to;
    double s_per_unit;
} tlr_burst_class;

typedef struct tlr_unit_rate {
    char *unit;         /* a tl_run.volume_unit */
    double s_per_unit;  /* of bursts of no class */
    double relative_sd; /* of the time of a burst */
    size_t n_classes;
    tlr_burst_class *classes; /* ordered by `from`, then `to` */
} tlr_unit_rate;

typedef struct tlr_rates {
    size_t n_units;
    tlr_unit_rate *units;
    size_t n_kernels;
    tlr_kernel_model *kernels;
} tlr_rates;

/* What is known of some hosts, in place of what holds for all. */
typedef struct tlr_host_rates {
    char *pattern; /* of a host's name, or of HOST:CORE; fnmatch(3) */
    double factor; /* of all seconds there */
    tlr_rates rates;
} tlr_host_rates;

/* What turns volumes and kernels into seconds on a host of the speed `reference_flops`; a host
 * twice as fast in the platform takes half of it.  Read from a libconfig file, model.conf
 * (doc/timeless-model.5). */
/* What limits a loop: arithmetic in registers, the bandwidth of a cache, that of memory. */
typedef enum tlr_limit {
    TLR_LIMIT_ARITHMETIC,
    TLR_LIMIT_L1,
    TLR_LIMIT_L2,
    TLR_LIMIT_L3,
    TLR_LIMIT_MEMORY,
    TLR_N_LIMITS
} tlr_limit;
/* "arithmetic", "L1", "L2", "L3", "memory"; tlr_limit_find returns 0 for other names. */
const char *tlr_limit_name(tlr_limit limit);
int tlr_limit_find(const char *name, tlr_limit *out);

/* So many cores of a host that work at the same time. */
typedef struct tlr_busy_cores {
    double cores;
    double region_s;              /* start and end of a parallel region on so many threads */
    double speedup[TLR_N_LIMITS]; /* of all of them, relative to one core; 0: not measured */
} tlr_busy_cores;

/* Parallel regions on a host. */
typedef struct tlr_parallel {
    size_t n;               /* rows; 0: nothing was measured */
    tlr_busy_cores *rows;   /* by rising number of cores, from 1 on */
    tlr_limit bound;        /* what limits a region of which nothing else is known */
    double shared_region_s; /* start and end of a region with two threads on one core */
} tlr_parallel;

/* Loops that kept other cores busy while a program was measured. */
typedef enum tlr_hog {
    TLR_HOG_ARITHMETIC, /* in registers */
    TLR_HOG_CACHE,      /* a working set in the cache that cores share */
    TLR_HOG_STREAM,     /* the bandwidth of memory */
    TLR_HOG_CHASE,      /* loads from memory that depend on each other */
    TLR_N_HOGS
} tlr_hog;

/* How many times longer a burst takes beside so many hogs. */
typedef struct tlr_beside {
    double cores;
    double slowdown[TLR_N_HOGS];
} tlr_beside;

/* How a class of bursts bends when other cores of its host compute, and what it does to theirs. */
typedef struct tlr_bending {
    char *from, *to; /* call sites; both NULL: a kernel, or all other computation */
    uint16_t kernel; /* code of the call; 0: none */
    size_t n;        /* rows by rising number of cores */
    tlr_beside *rows;
    double acts_as[TLR_N_HOGS]; /* so many hogs slow other bursts down as much */
} tlr_bending;

typedef struct tlr_interference {
    size_t n;                /* classes by call sites; 0 and no `rest`: nothing was measured */
    tlr_bending *classes;    /* ordered by `from`, then `to`; kernels and the rest first */
    const tlr_bending *rest; /* of all computation without a class; NULL: it does not bend */
} tlr_interference;

typedef struct tlr_model {
    char *path;
    double reference_flops; /* speed, in the platform's flop/s, of the host it was measured on */
    double s_per_flop;      /* of kernels without a line of their own; negative: none is known */
    double s_per_byte;      /* the same, of the bytes that they move: the greater of both counts */
    double kernel_threads;  /* of the BLAS in each process when the kernels were measured */
    double host_sd, day_sd; /* of all seconds, relative */
    tlr_rates pool;         /* of any host */
    size_t n_hosts;
    tlr_host_rates *hosts;
    tlr_parallel parallel;
    tlr_interference interference;
    int is_random; /* something is drawn */
} tlr_model;

/* The unit of volumes for which a platform needs no model, as in SimGrid: a host of the speed 1 Gf
 * computes 10^9 flops, of bursts or of kernels, in a second. */
#define TLR_FLOPS "flops"
extern const tlr_model tlr_host_speeds;

tl_status tlr_model_load(const char *path, tlr_model **out, tl_error *err);
void tlr_model_free(tlr_model *model);
/* Mean seconds per unit of volume; a negative number when the model has no rate for this unit. */
double tlr_model_unit_s(const tlr_model *model, const char *unit);
/* The units that have a rate, for messages: "cpu-ns, instructions" in `text`, or "none". */
const char *tlr_model_units(const tlr_model *model, char *text, size_t size);
/* What tells the time of a kernel for which the model has no line. */
typedef enum tlr_estimate {
    TLR_AS_RECORDED, /* the volume of its calls in the recording, for a unit of work */
    TLR_BY_ROOFLINE, /* its operations and bytes */
    TLR_N_ESTIMATES  /* nothing */
} tlr_estimate;

/* Mean seconds of a kernel event on any host: by the kernel's model, else by its roofline; a
 * negative number when there is neither.  `trace` and `rank` tell the name of a user's kernel. */
double tlr_model_kernel_s(const tlr_model *model, const tl_reader *trace, uint32_t rank,
                          const tl_event *kernel);

/* ---- platform: replayer/machine/platform.c ---- */

typedef struct tlr_network_noise tlr_network_noise; /* machine/network_noise.h */

/* platform.xml (SimGrid), options.conf (one SimGrid "key:value" a line, # comments), model.conf. */
typedef struct tlr_platform {
    char *folder; /* and "@CALIBRATION...", as predictions print it; or the XML file */
    char *xml_path;
    size_t n_options;
    size_t n_settings; /* of these options are those of <config> in the XML file; they are first */
    char **options;    /* "smpi/os:0:1e-6:..." */
    tlr_model *model;  /* NULL if the folder has none */
    char *loggops_params; /* of loggops.params, without comments; NULL if the folder has none */
    tlr_network_noise *network_noise; /* of noise.conf; NULL if the folder has none */
    uint64_t hash;                    /* XXH64 over these files */
    int has_watts;                    /* a host has the property wattage_per_state */
} tlr_platform;

/* `name` is an XML file of SimGrid, a folder, or the name of one in the installed platforms folder
 * (TIMELESS_PLATFORMS overrides), then perhaps "@CALIBRATION+CALIBRATION": of each file, the one in
 * calibrations/CALIBRATION/ is read, where the last that has the file counts. */
tl_status tlr_platform_load(const char *name, tlr_platform **out, tl_error *err);
void tlr_platform_free(tlr_platform *platform);

/* ---- what if: replayer/machine/what_if.c ---- */

typedef enum tlr_quantity {
    TLR_LINK_BANDWIDTH,
    TLR_LINK_LATENCY,
    TLR_HOST_SPEED,
    /* of the compute model, by a factor */
    TLR_KERNEL_TIME,
    TLR_BURST_TIME,
    TLR_RANK_THREADS,        /* a number */
    TLR_REGION_BOUND,        /* a tlr_limit */
    TLR_MESSAGE_OVERHEAD,    /* a factor: what sends and receives cost the CPU */
    TLR_RENDEZVOUS_PROGRESS, /* a tlr_progress */
    /* of messages whose packets TCP sends again: the last ones */
    TLR_RETRANSMISSION_LOSS, /* a probability */
    TLR_RETRANSMISSION_TIMEOUT,
    TLR_RETRANSMISSION_FLOWS /* a number */
} tlr_quantity;

/* Who moves a long message that waits for its receive: the adapter, whatever the ranks do, or the
 * library, which answers only while its rank is in a call of MPI. */
typedef enum tlr_progress {
    TLR_PROGRESS_OFFLOAD,
    TLR_PROGRESS_CALLS,
    TLR_N_PROGRESSES
} tlr_progress;

/* A change of the platform after it was read from its files. */
typedef struct tlr_change {
    tlr_quantity quantity;
    char pattern[128]; /* of the names of links, hosts, kernels or call sites, fnmatch(3); loopback
                          links are left alone unless "loopback" stands in it */
    double value;      /* bytes per second, seconds, flop/s, a number, tlr_limit; or the factor */
    int is_factor;
} tlr_change;

/* From "link.bandwidth=10Gbps", "link:PATTERN.latency=2x", "host.speed=3Gf",
 * "kernel:dgemm.time=2x", "burst.time=2x", "rank.threads=2", "region.bound=memory",
 * "message.overhead=2x", "rendezvous.progress=calls": units as SimGrid's. */
tl_status tlr_change_parse(const char *text, tlr_change *out, tl_error *err);
/* Makes `what` (network, bandwidth, latency, overheads, hosts, kernels, bursts) `factor` times what
 * it is: one or two changes. A network at 0.1 has a tenth of the bandwidth and ten times the
 * latency; overheads, kernels and bursts at 2 take twice as long. */
tl_status tlr_change_scale(const char *what, const char *factor, tlr_change out[2], size_t *n,
                           tl_error *err);
/* Writes what tlr_change_parse reads; returns the length that all of it has. */
size_t tlr_change_text(const tlr_change *change, char *text, size_t size);
/* What the change makes of a value. */
double tlr_change_apply(const tlr_change *change, double value);
/* Whether it changes the compute model, and no host or link. */
int tlr_change_is_of_model(const tlr_change *change);
/* Whether it changes the loss of packets, which the engine loggops alone models. */
int tlr_change_is_of_retransmission(const tlr_change *change);
/* The last one given; TLR_PROGRESS_OFFLOAD if there is none. */
tlr_progress tlr_change_progress(const tlr_change *changes, size_t n);
/* Whether packets are lost in the end. */
int tlr_changes_lose_packets(const tlr_change *changes, size_t n);
/* The threads of each parallel region; 0: as many as in the run. */
unsigned tlr_change_threads(const tlr_change *changes, size_t n);
/* The product of the factors for this quantity; `name` of the kernel, NULL for bursts. */
double tlr_change_factor(const tlr_change *changes, size_t n, tlr_quantity quantity,
                         const char *name);

/* ---- replay ---- */

/* A run to replay, and when its program starts on the platform. */
typedef struct tlr_job {
    tl_reader *trace;
    double start_s;
    const char *hostfile; /* of this job alone; NULL: the places after those of the job before */
    const char *const
        *regions_at;     /* functions that are the regions of the details; otherwise those */
    size_t n_regions_at; /* of MPI_Pcontrol are */
} tlr_job;

typedef struct tlr_timeline tlr_timeline; /* timeline.h */
typedef struct tlr_usage tlr_usage;       /* usage.h */

/* What each rank is assumed to read or write where no disk is described, in bytes per second: that
 * of a SATA disk of flash memory. */
#define TLR_IO_BANDWIDTH 5e8

typedef struct tlr_options {
    const char *hostfile; /* replayer/machine/mapping.h; NULL: the platform's hosts, ordered by name
                             and number */
    unsigned ranks_per_host;   /* 0: one for a line of the host file, otherwise as many as the host
                                  has cores; a platform's only host takes all ranks */
    int round_robin;           /* one rank on each host in turn, instead of filling one first */
    const char *coll_selector; /* SMPI's smpi/coll-selector, "ompi-4.1", "ompi-5.0", or "recorded":
                                  that of the traces' MPI library; NULL: the platform's */
    const char *const *cfg;    /* further SimGrid "key:value" */
    size_t n_cfg;
    const char *schedules;     /* of cfg, as predictions print them; set by tlr_replay_jobs */
    const tlr_change *changes; /* of the platform, one after the other */
    size_t n_changes;
    const char *model_path; /* compute model in place of the platform's */
    int no_compute;         /* bursts and kernels take no time */
    int model_strict;       /* a kernel without a line in the model is refused, and so are files
                               without a disk */
    int allow_opaque;       /* go on although the trace has calls that are not modelled */
    double io_bandwidth;    /* bytes per second that each rank reads or writes; 0: the disk of its
                               host, or TLR_IO_BANDWIDTH where there is none */
    int wildcards_first;    /* a nonblocking receive from any source takes what comes first, not
                               what it took in the run */
    int polls_adaptive;     /* a probe succeeds where the message arrives on this platform, not
                               where it succeeded in the run: replayer/smpi/poll.c */
    int order_loggopsim;    /* of schedules of GOAL: the order and the costs of LogGOPSim */
    int progress;           /* report progress on standard error */
    tlr_timeline *timeline; /* receives what each rank does when; NULL: not recorded */
    tlr_usage *usage;       /* receives the use of links and the energy; NULL: not recorded */
    const char *noise;      /* "1kHz:100us", or a file of detours (machine/noise.h); NULL: none.
                               smpi: in computation only */
    int network_noise;      /* each message draws from the noise of the platform */
    uint64_t seed;          /* of everything that is drawn: noise and the compute model */
    uint64_t cluster_seed;  /* of the hosts that the compute model draws; 0: as `seed` */
    unsigned n_seeds;       /* number of replays, with `seed`, `seed` + 1, ...; 0: one */
    int sampled;            /* replay parts of the run: replayer/sample/sample.h */
    double sample_error;    /* wanted, half of the 90 % interval relative to the makespan; 0: as it
                               comes */
    uint32_t part;          /* of a run that is replayed; the calls of each draw for themselves */
    /* loggops engine only */
    const char *loggops_params; /* "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536" */
    unsigned n_threads; /* number of threads that simulate; 0: one; no effect on the result */
} tlr_options;

/* Refuses network/bandwidth-factor and network/latency-factor unless they say what smpi/bw-factor
 * and smpi/lat-factor say: the versions of SimGrid differ in what they mean. */
tl_status tlr_platform_check_factors(const tlr_platform *platform, const tlr_options *options,
                                     tl_error *err);

typedef struct tlr_rank_prediction {
    char *host;                          /* NULL: the engine has none */
    double end_s;                        /* when the rank finished */
    double compute_s;                    /* bursts and kernels */
    double kernel_s;                     /* the part of compute_s in kernels */
    double estimated_s[TLR_N_ESTIMATES]; /* about the part of kernel_s without a measurement */
    double p2p_s;        /* inside point-to-point calls that do not wait for a request */
    double wait_s;       /* inside Wait, Waitall, ... and probes */
    double collective_s; /* inside collectives and communicator constructors */
    double io_s;         /* inside calls on files */
    uint64_t n_events;
    double noise_s; /* the time that detours took from its CPU */
    double delay_s; /* how much later it ends than without noise on any rank; loggops engine only */
} tlr_rank_prediction;

/* A moment that all ranks passed: same call, call site and ordinal on each (Init, Finalize,
 * Barrier, Pcontrol, Wtime). */
typedef struct tlr_mark {
    uint16_t call;
    char *site;          /* "hpcc+0x1234" */
    uint32_t ordinal;    /* how many marks of this call and site came before */
    double *measured_s;  /* [n_ranks] the trace's clock */
    double *predicted_s; /* [n_ranks] */
} tlr_mark;

/* The makespan on other machines, which a replay with a timeline estimates. */
typedef struct tlr_what_if {
    double ideal_network_s; /* at least, on whatever network: computation and dependencies alone */
    double mean_compute_s;  /* at least, however the computation is spread over the ranks */
    double balanced_s;      /* about, if each rank computed for the mean of all; NAN: unknown */
    double twice_the_cpu_s; /* about, with hosts twice as fast; at least half of ideal_network_s */
} tlr_what_if;

typedef struct tlr_details tlr_details; /* details.h */

/* The results of the replays with several seeds. */
typedef struct tlr_spread {
    size_t n_seeds;
    double *makespan_s; /* [n_seeds] */
    double *whole_s;    /* [n_seeds] from the first mark to the last, the longest rank's */
    size_t n_intervals; /* between neighbouring marks: one less than these */
    double *interval_s; /* [seed][interval], the longest rank's */
} tlr_spread;

/* What a sampled replay says of its error. */
typedef struct tlr_sampled {
    size_t n_windows; /* between the first and the last steps; 0: all steps were replayed */
    size_t n_steps, n_steps_replayed;
    double share;         /* of the events that were replayed, about */
    double low_s, high_s; /* the makespan, with a probability of 90 % */
    double wanted;        /* tlr_options.sample_error */
} tlr_sampled;

/* What messages ask of something that they share, where the engine gives each of them all of it. */
typedef struct tlr_overload {
    uint64_t n;                /* such links, or memories; of the worst one, when it is worst: */
    uint64_t bytes;            /* that it has moved */
    double asked_Bps, has_Bps; /* so fast the engine has moved them; so fast it can be */
    double late_s;             /* how much longer they take by the latter */
} tlr_overload;

typedef struct tlr_prediction {
    char *trace_path, *platform_name, *engine, *command;
    char *volume_unit; /* tl_run's; not part of the JSON */
    char *clock;       /* why the clocks of the trace are not comparable; "" or NULL: they are */
    uint64_t trace_hash, platform_hash;
    char *engine_version; /* "SimGrid 3.32.0" */
    char *coll_selector;
    char *network_model;
    char *model;         /* "platform", "none", or the file given in its place */
    uint64_t model_hash; /* XXH64 of that file; 0 otherwise */
    char *options;       /* further SimGrid options given, separated by blanks */
    char *idle_options;  /* names of those, and of the platform's, without effect on this engine's
                            prediction, separated by blanks */
    char *changes;       /* of the platform (tlr_change_text), separated by blanks */
    uint32_t n_ranks;
    double start_s; /* of the job on the platform; all times of the prediction count from it */
    double makespan_s;
    char *noise;                 /* the option; NULL: none */
    int has_network_noise;       /* each message drew its time */
    int is_random;               /* noise, the compute model or losses drew random numbers */
    uint64_t seed, cluster_seed; /* the seeds of this prediction */
    tlr_spread *spread;  /* NULL: one seed.  Otherwise the prediction is that of the seed with the
                            median makespan */
    uint64_t first_seed; /* of the spread */
    double quiet_s;      /* the makespan without noise; 0: unknown */
    double wall_s;       /* of the replay; not part of the JSON, which is the same every time */
    uint64_t n_events, n_polls, n_opaque;
    uint64_t n_unknown_kernels;       /* calls of kernels of an unknown code or number of sizes */
    char *estimated[TLR_N_ESTIMATES]; /* names of the kernels without a measurement; or NULL */
    uint64_t n_assumed_transfers;     /* calls on files at TLR_IO_BANDWIDTH: no disk is described */
    char *free_kernels; /* of a program, which the model does not know: names; or NULL */
    uint32_t n_crowded; /* ranks on hosts with more ranks than cores; 0: each rank has a core */
    uint64_t n_crowded_cores; /* the cores of these hosts */
    uint64_t ignores_limiter; /* messages below so many bytes in both directions share a limiter of
                                 the platform, which the engine does not have; UINT64_MAX: all */
    int ignores_crowd;        /* these ranks compute, each as if it had a core to itself */
    tlr_overload links, memories; /* between switches; of nodes */
    int memories_are_assumed;     /* the platform describes none of the latter */
    double load_change;  /* the mean load of the hosts (interference) is not found: by so much of
                            the makespan the end of a rank still changed; 0: it is */
    char *volume_sample; /* tl_run's */
    char *volume_bursts; /* likewise */
    char *untraced;      /* MPI functions whose calls the trace lacks, blanks between; "": none */
    char
        *selection; /* which part of the computation the trace has (tl_reader_selection); "": all */
    tl_recorded_share recorded; /* its shares; `all` below 0: unknown, or the run is whole */
    tlr_rank_prediction *ranks;
    size_t n_marks;
    tlr_mark *marks;      /* ordered by measured time */
    tlr_sampled *sampled; /* NULL: all events were replayed, and `n_events` counts them */
    tlr_what_if what_if;
    tlr_details *details;   /* for the JSON; NULL: none were asked for */
    const tlr_usage *usage; /* likewise; the caller's */
} tlr_prediction;

/* An engine replays a whole trace.  Engines stand in the table in replayer/replay.c. */
typedef struct tlr_engine {
    const char *name;
    const char *summary;
    /* Brings in what the engine is made of, as its first replay does; NULL: nothing. */
    tl_status (*load)(tl_error *err);
    /* Fills out[job] but for what tlr_replay_jobs knows by itself, options->timeline and
     * options->usage.  model NULL: computation takes
     * no time, or there is none (an error if a trace has any and options->no_compute is not set).
     */
    tl_status (*replay)(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                        const tlr_model *model, const tlr_options *options,
                        tlr_prediction *const *out, tl_error *err);
    /* The names of the algorithms of a collective ("alltoall"), separated by commas. The caller
     * frees them. Without those that choose among the others. TL_ERR_USAGE: there is no choice. */
    tl_status (*algorithms)(const char *collective, char **out, tl_error *err);
    int needs_platform; /* otherwise `platform` may be NULL */
} tlr_engine;

extern const tlr_engine tlr_engine_smpi;    /* SimGrid: replayer/module.c */
extern const tlr_engine tlr_engine_loggops; /* replayer/loggops/engine.c */

/* The makespan below which the share `p` of all seeds' makespans lies. */
double tlr_spread_quantile(const tlr_spread *spread, double p);
double tlr_spread_mean(const tlr_spread *spread);
double tlr_spread_sd(const tlr_spread *spread);

/* Loads the engine of that name (NULL: "smpi"), for replays in many child processes: each would
 * otherwise load it anew. */
tl_status tlr_engine_load(const char *engine, tl_error *err);
/* The algorithms of a collective in that engine (tlr_engine.algorithms). */
tl_status tlr_engine_algorithms(const char *engine, const char *collective, char **out,
                                tl_error *err);

/* Replays runs that share a platform, with the engine of that name (NULL: "smpi").  out[job] is the
 * prediction of each; with options->n_seeds, of the seed with the median makespan, and how all of
 * them are spread (replayer/seeds.c). */
tl_status tlr_replay_jobs(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                          const char *engine, const tlr_options *options, tlr_prediction **out,
                          tl_error *err);
/* The same for one run that has the platform to itself. */
tl_status tlr_replay(tl_reader *trace, const tlr_platform *platform, const char *engine,
                     const tlr_options *options, tlr_prediction **out, tl_error *err);
void tlr_prediction_free(tlr_prediction *prediction);
/* The share of the computation of all ranks that rests on an estimate, in kernels. */
double tlr_estimated_share(const tlr_prediction *prediction, tlr_estimate by);

/* ---- results: replayer/results/prediction.c ---- */

/* "4e+08 B at 5e+09 B/s where one has 1.25e+09 B/s: 0.24 s late (4 overloaded)" */
const char *tlr_overload_text(const tlr_prediction *prediction, const tlr_overload *load,
                              char *text, size_t size);
/* " for messages below 65536 B", of those for which the limiter is ignored; "" if it is for all. */
const char *tlr_limiter_text(const tlr_prediction *prediction, char *text, size_t size);
void tlr_prediction_print(const tlr_prediction *prediction, FILE *out);
/* Canonical JSON: sorted keys, 17 significant digits; the same replay gives the same bytes. */
tl_status tlr_prediction_write_json(const tlr_prediction *prediction, FILE *out, tl_error *err);
/* The same for jobs that shared a platform: one object with all of them. */
tl_status tlr_jobs_write_json(tlr_prediction *const *predictions, size_t n, FILE *out,
                              tl_error *err);
tl_status tlr_prediction_read_json(const char *path, tlr_prediction **out, tl_error *err);

/* ---- export: replayer/results/otf2_archive.c ---- */

/* Writes a new folder with an OTF2 archive, FOLDER/trace.otf2: each rank's calls, messages and
 * collectives one after the other on a clock of its own, on which computation takes what the rates,
 * in nanoseconds, make of it and a call one nanosecond.  What cannot be said is refused as by
 * tl_export_goal.  In builds with OTF2 only (HAVE_OTF2). */
tl_status tlr_export_otf2(tl_reader *trace, const tl_rates *rates, const char *folder,
                          tl_error *err);

#endif
