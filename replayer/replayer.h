/* replayer.h - replays a trace on a described platform; the result is a prediction.
 *
 * The name of a member that holds seconds ends in _s. In a prediction these are simulated seconds,
 * except wall_s (the real time that the replay took) and measured_s (from the clocks of the
 * recorded run). Status, errors and ownership follow the conventions of timeless.h.
 *
 * SimGrid keeps its simulation in global variables and cannot start a second one. tlr_replay and
 * tlr_replay_jobs therefore run each replay by SimGrid in a child process (sandbox.h).  They fork,
 * so only one thread at a time may call these two functions. All others may be called from several
 * threads, each with objects of its own.
 *
 * An event is an MPI call or a kernel (a call of a routine such as dgemm; timeless.h).  A burst is
 * the computation between two events, and its volume is the amount of it, such as instructions.
 */
#ifndef TLR_REPLAYER_H
#define TLR_REPLAYER_H

#include <stdbool.h>
#include <stdio.h>

#include <timeless.h>
#include <timeless_files.h>

/* ---- status, besides those of timeless.h ---- */

#define TLR_ERR_DEADLOCK ((tl_status)(TL_STATUS_USER + 0)) /* the replay cannot finish */
/* The recorded times cannot be compared with predicted ones, for example because ranks shared
 * cores. */
#define TLR_ERR_NOT_COMPARABLE ((tl_status)(TL_STATUS_USER + 1))

/* The text of an error begins with this if the chosen algorithm of a collective does not support
 * the number of ranks. `timeless sweep` reports such a combination, and continues. */
#define TLR_NOT_POSSIBLE "not possible: "

/* ---- compute model: replayer/machine/model.c, replayer/machine/model_read.c ---- */

/* The mean time of a kernel is a polynomial in the sizes of its call, such as the dimensions m, n
 * and k of matrices (tlr_piece). This is a term of it, such as m * n. */
typedef enum tlr_term {
#define TL_TERM(name, expression) TLR_TERM_##name,
#include <terms.def>
    TLR_N_TERMS
} tlr_term;

/* How the durations of calls with the same sizes vary: not at all, normal, half-normal, or as a
 * mixture of normals.  Cornebize's thesis (High Performance Computing: Towards Better Performance
 * Predictions and Experiments, 2021, section 4.1) calls these N-0, N-1, N-2 and N'. */
typedef enum tlr_shape { TLR_NO_NOISE, TLR_NORMAL, TLR_HALF_NORMAL, TLR_MIXTURE } tlr_shape;

enum { TLR_MAX_MODES = 8 };

/* A normal distribution in a mixture. */
typedef struct tlr_mode {
    double weight, mean, sd;
} tlr_mode;

/* The bounds of a tlr_piece, in this order: m, n, k, and the work, such as m * n * k
 * (tl_kernel_work). */
enum { TLR_N_BOUNDS = 4 };

/* A piece of a kernel model: the seconds of the calls whose sizes lie between bounds. Its mean M
 * and its standard deviation S are polynomials in the sizes.  A mode has the mean M + mode.mean * S
 * and the standard deviation mode.sd * S. */
typedef struct tlr_piece {
    double min[TLR_N_BOUNDS], max[TLR_N_BOUNDS]; /* bounds, inclusive */
    char side; /* of trmm, trsm and symm: the piece holds for calls with the square matrix on the
                  left ('l') or on the right ('r'); 0: for all calls */
    double mean_s[TLR_N_TERMS];
    tlr_shape shape;
    double sd_s[TLR_N_TERMS];
    size_t n_modes;
    tlr_mode modes[TLR_MAX_MODES];
} tlr_piece;

/* The seconds of a kernel. A call belongs to the first piece whose bounds contain it, otherwise to
 * the last piece.  A call without work takes 0 s. */
typedef struct tlr_kernel_model {
    uint16_t call;          /* TL_KERNEL_dgemm, ... */
    char *user;             /* of TL_KERNEL_user: the name that the program gives it; else NULL */
    double host_sd, day_sd; /* relative standard deviation of the speed from host to host, and from
                               day to day. A replay draws a factor for each host, and one for the
                               day */
    double median_error;    /* the median of |modelled - measured| / measured, over the calls from
                               which the model was made; 0: not stated */
    size_t n_pieces;
    tlr_piece *pieces;
} tlr_kernel_model;

/* All bursts that begin after the call site `from` and end at the call site `to` are a class. A
 * call site is a text such as "hpcc+0x1234", or "?" for the start of the program. */
typedef struct tlr_burst_class {
    char *from, *to;
    double s_per_unit;
} tlr_burst_class;

typedef struct tlr_unit_rate {
    char *unit;         /* a tl_run.volume_unit */
    double s_per_unit;  /* of bursts without a class */
    double relative_sd; /* relative standard deviation of the time of a burst */
    size_t n_classes;
    tlr_burst_class *classes; /* ordered by `from`, then `to` */
} tlr_unit_rate;

typedef struct tlr_rates {
    size_t n_units;
    tlr_unit_rate *units;
    size_t n_kernels;
    tlr_kernel_model *kernels;
} tlr_rates;

/* The rates of some hosts. A unit or kernel without a rate here has that of tlr_model.pool. */
typedef struct tlr_host_rates {
    char *pattern; /* of names of hosts, or of HOST:CORE; fnmatch(3) */
    double factor; /* multiplies all seconds on these hosts */
    tlr_rates rates;
} tlr_host_rates;

/* What limits a loop: arithmetic in registers, the bandwidth of a cache, or that of memory. */
typedef enum tlr_limit {
    TLR_LIMIT_ARITHMETIC,
    TLR_LIMIT_L1,
    TLR_LIMIT_L2,
    TLR_LIMIT_L3,
    TLR_LIMIT_MEMORY,
    TLR_N_LIMITS
} tlr_limit;
/* The names are "arithmetic", "L1", "L2", "L3", "memory"; tlr_limit_find returns 0 for others. */
const char *tlr_limit_name(tlr_limit limit);
int tlr_limit_find(const char *name, tlr_limit *out);

/* The speed of `cores` cores of a host that work at the same time. */
typedef struct tlr_busy_cores {
    double cores;
    double region_s;              /* time to start and end a parallel region on `cores` threads */
    double speedup[TLR_N_LIMITS]; /* of all these cores, relative to one core; 0: not measured */
} tlr_busy_cores;

/* The time of parallel regions on a host. */
typedef struct tlr_parallel {
    size_t n;               /* number of rows; 0: nothing was measured */
    tlr_busy_cores *rows;   /* by rising number of cores, from 1 on */
    tlr_limit bound;        /* the limit that is assumed for a region with an unknown limit */
    double shared_region_s; /* time to start and end a region with two threads on one core */
} tlr_parallel;

/* A hog: a loop that keeps other cores busy while a program is measured. */
typedef enum tlr_hog {
    TLR_HOG_ARITHMETIC, /* in registers */
    TLR_HOG_CACHE,      /* in the cache that cores share */
    TLR_HOG_STREAM,     /* at the bandwidth of memory */
    TLR_HOG_CHASE,      /* loads from memory that depend on each other (pointer chasing) */
    TLR_N_HOGS
} tlr_hog;

/* How many times longer a burst takes while hogs run on `cores` other cores. */
typedef struct tlr_beside {
    double cores;
    double slowdown[TLR_N_HOGS];
} tlr_beside;

/* The interference of a class (bursts between two call sites, or a kernel) with other cores of the
 * same host, in both directions: how much the class is slowed down (rows), and how much it slows
 * down what the others compute (acts_as). */
typedef struct tlr_disturbance {
    char *from, *to; /* call sites; both NULL: the class is `kernel` */
    uint16_t kernel; /* code of the kernel, if there are no call sites; 0: the class is all other
                        computation */
    size_t n;        /* number of rows, by rising number of cores */
    tlr_beside *rows;
    double acts_as[TLR_N_HOGS]; /* the class slows down the other cores as much as acts_as[0] hogs
                                   of the first kind, acts_as[1] of the second, and so on, at the
                                   same time; fractions are allowed */
} tlr_disturbance;

typedef struct tlr_interference {
    size_t n;                    /* number of classes; 0: nothing was measured */
    tlr_disturbance *classes;    /* first those without call sites, then by `from` and `to` */
    const tlr_disturbance *rest; /* the one of `classes` for all computation of no other class;
                                    NULL: such computation is not slowed down */
} tlr_interference;

/* The compute model converts volumes and kernels into seconds on a host with the speed
 * `reference_flops`. A host with twice this speed in the platform takes half of the time.  The
 * model is read from a libconfig file, model.conf (doc/timeless-model.5). */
typedef struct tlr_model {
    char *path;
    double reference_flops; /* the speed (flop/s) that the platform gives the host on which the
                               model was measured */
    double s_per_flop; /* roofline, for kernels that the model does not list; negative: unknown */
    double s_per_byte; /* the same for the bytes that they move; the longer time counts */
    double kernel_threads;  /* threads of the BLAS in each process during the measurement */
    double host_sd, day_sd; /* relative standard deviations of all times, between hosts and between
                               days. The time of a kernel is multiplied by two random factors:
                               one with these deviations, one with those of the kernel
                               (tlr_kernel_model) */
    tlr_rates pool;         /* of all hosts */
    size_t n_hosts;
    tlr_host_rates *hosts; /* of some hosts, instead of `pool` */
    tlr_parallel parallel;
    tlr_interference interference;
    bool is_random; /* at least one duration is drawn at random */
} tlr_model;

/* tlr_host_speeds is the model for traces with volumes in flops, as in SimGrid: a host with the
 * speed 1 Gf computes 10^9 flops in a second, in bursts or in kernels. */
#define TLR_FLOPS "flops"
extern const tlr_model tlr_host_speeds;

tl_status tlr_model_load(const char *path, tlr_model **out, tl_error *err);
void tlr_model_free(tlr_model *model);
/* Mean seconds per unit of volume; negative if the model has no rate for this unit. */
double tlr_model_unit_s(const tlr_model *model, const char *unit);
/* Writes the units that have a rate, as text for people: "cpu-ns, instructions", or "none". */
const char *tlr_model_units(const tlr_model *model, char *text, size_t size);
/* How the time of a kernel is estimated if the model does not list it. */
typedef enum tlr_estimate {
    TLR_AS_RECORDED, /* the work of the call (tl_kernel_work) times the mean seconds per unit of
                        work of this kernel in the recorded run; only if the trace has the volume
                        of the computation inside of kernels, which the model converts */
    TLR_BY_ROOFLINE, /* from its operations and bytes */
    TLR_N_ESTIMATES  /* no estimate */
} tlr_estimate;

/* Mean seconds of a kernel event by the rates of all hosts (`pool`), from the model of the kernel
 * or else from the roofline; negative if there is neither.  `trace` and `rank` give the name of a
 * user's kernel. */
double tlr_model_kernel_s(const tlr_model *model, const tl_reader *trace, uint32_t rank,
                          const tl_event *kernel);

/* ---- platform: replayer/machine/platform.c ---- */

typedef struct tlr_network_noise tlr_network_noise; /* machine/network_noise.h */

/* A platform: its platform.xml (SimGrid), options.conf (one SimGrid "key:value" a line, # begins a
 * comment), model.conf and further files. */
typedef struct tlr_platform {
    char *folder; /* the name as predictions print it: "FOLDER@CALIBRATION+...", or the path of
                    the XML file */
    char *dated;  /* if the name ended in @DATE (see tlr_platform_load): a text with the date, the
                     calibrations that were chosen for it, and their distances from it in days:
                     "2020-10 dgemm-2020-07 (-92 days), ..."; otherwise "" */
    char *xml_path;
    size_t n_options;
    size_t n_settings; /* the first n_settings options come from <config> in the XML file */
    char **options;    /* "smpi/os:0:1e-6:..." */
    tlr_model *model;  /* NULL if the folder has none */
    tlr_network_noise *network_noise; /* from noise.conf; NULL if the folder has none */
    uint64_t hash;                    /* XXH64 over these files */
    bool has_watts;                   /* a host has the property wattage_per_state */
    bool has_profiles;                /* speeds, bandwidths or latencies change with time */
} tlr_platform;

/* Loads a platform. `name` is an XML file of SimGrid, a folder, or the name of a folder in
 * TIMELESS_PLATFORMS (default: the installed platforms). A
 * calibration is a folder in calibrations/ whose files take the place of those of the platform.
 * Calibrations may follow the name, as "@A+B": each file is then read from calibrations/B/ if it
 * exists there, else from calibrations/A/, else from the folder.  A calibration may be named
 * KIND-DATE. "@DATE" (YYYY-MM or YYYY-MM-DD) stands for the nearest calibration of each KIND. */
tl_status tlr_platform_load(const char *name, tlr_platform **out, tl_error *err);
void tlr_platform_free(tlr_platform *platform);

/* ---- what if: replayer/machine/what_if.c ---- */

typedef enum tlr_quantity {
    TLR_LINK_BANDWIDTH,
    TLR_LINK_LATENCY,
    TLR_HOST_SPEED,
    /* The following change the compute model or the MPI library. */
    TLR_KERNEL_TIME,         /* a factor */
    TLR_BURST_TIME,          /* a factor */
    TLR_RANK_THREADS,        /* a number */
    TLR_REGION_BOUND,        /* a tlr_limit */
    TLR_MESSAGE_OVERHEAD,    /* a factor for the CPU time of sends and receives */
    TLR_RENDEZVOUS_PROGRESS, /* a tlr_progress */
    TLR_ENERGY_WAIT,         /* a tlr_waiting */
    /* Lost packets, which TCP sends again.  They must be the last constants of this enum. */
    TLR_RETRANSMISSION_LOSS,    /* a probability */
    TLR_RETRANSMISSION_TIMEOUT, /* seconds */
    TLR_RETRANSMISSION_FLOWS    /* packets are lost only while at least this number of messages go
                                   to the same host */
} tlr_quantity;

/* Who moves a long message that waits for its receive. */
typedef enum tlr_progress {
    TLR_PROGRESS_OFFLOAD, /* the adapter, at any time */
    TLR_PROGRESS_CALLS,   /* the MPI library, only while its rank is in an MPI call */
    TLR_N_PROGRESSES
} tlr_progress;

/* What a core is assumed to do while its rank waits in MPI, or its thread waits in a parallel
 * region. Only the energy depends on it. */
typedef enum tlr_waiting {
    TLR_WAITING_BUSY, /* it polls, and takes the power of computation */
    TLR_WAITING_IDLE
} tlr_waiting;

/* A change of a platform, applied after it was read from its files. */
typedef struct tlr_change {
    tlr_quantity quantity;
    char pattern[128]; /* of the names of links, hosts, kernels or call sites, fnmatch(3); loopback
                          links change only if it contains "loopback" */
    double value;      /* in bytes/s, seconds or flop/s; a number, probability, tlr_limit,
                          tlr_progress or tlr_waiting; or the factor */
    bool is_factor;
} tlr_change;

/* Reads a change such as "link.bandwidth=10Gbps", "link:PATTERN.latency=2x", "host.speed=3Gf",
 * "kernel:dgemm.time=2x", "burst.time=2x", "rank.threads=2", "region.bound=memory",
 * "message.overhead=2x" or "rendezvous.progress=calls". Units are those of SimGrid. */
tl_status tlr_change_parse(const char *text, tlr_change *out, tl_error *err);
/* Writes to `out` the n changes that the name `what` stands for: two for "network" (bandwidth and
 * latency), one for each other name. For "network", "bandwidth" and "hosts", `factor`
 * multiplies the speed: with 0.1, a network has a tenth of the bandwidth and ten times the latency.
 * For "latency", "overheads", "kernels" and "bursts", it multiplies the time. */
tl_status tlr_change_scale(const char *what, const char *factor, tlr_change out[2], size_t *n,
                           tl_error *err);
/* Writes the text that tlr_change_parse reads; returns its length, like snprintf. */
size_t tlr_change_text(const tlr_change *change, char *text, size_t size);
/* The value after the change. */
double tlr_change_apply(const tlr_change *change, double value);
/* Whether this changes the compute model, not a host or a link. */
bool tlr_change_is_of_model(const tlr_change *change);
/* Whether this changes the loss of packets, which only the engine loggops models. */
bool tlr_change_is_of_retransmission(const tlr_change *change);
/* The last rendezvous.progress of the changes; TLR_PROGRESS_OFFLOAD if there is none. */
tlr_progress tlr_change_progress(const tlr_change *changes, size_t n);
/* The last energy.wait of the changes; `fallback` if there is none. */
tlr_waiting tlr_change_waiting(const tlr_change *changes, size_t n, tlr_waiting fallback);
/* Whether packets are lost when all changes have been made. */
int tlr_changes_lose_packets(const tlr_change *changes, size_t n);
/* The threads of each parallel region; 0: as many as in the recorded run. */
unsigned tlr_change_threads(const tlr_change *changes, size_t n);
/* The product of the factors for this quantity; `name` is the kernel, NULL for bursts. */
double tlr_change_factor(const tlr_change *changes, size_t n, tlr_quantity quantity,
                         const char *name);

/* A change of one parameter of LogGOPS, as the option --params of a command states it. */
typedef struct tlr_params_change {
    char letter; /* L, o, g, G or O. If is_factor is 0, also B (time per byte on the links between
                    the adapters), R (time per byte of a reduction), or S (the size in bytes from
                    which messages use rendezvous) */
    bool is_factor; /* 1: multiplies the parameter for messages of all sizes, within nodes and
                      between them. A factor of o also multiplies oi, the overhead of MPI_Isend,
                      and a factor of G also multiplies B.
                      0: sets the parameter for messages of all sizes between nodes */
    double value;   /* the factor; or picoseconds (G, O, B, R: per byte), or bytes (S) */
} tlr_params_change;

/* ---- replay ---- */

/* A run to replay. */
typedef struct tlr_job {
    tl_reader *trace;
    double start_s;       /* when its program starts on the platform */
    const char *hostfile; /* of this job; NULL: the cores after those of the previous job */
    const char *const *regions_at; /* names of functions of the program: tlr_details reports
                                      each call of such a function as a region, in the same way
                                      as those that the program marks by MPI_Pcontrol */
    size_t n_regions_at;           /* 0: the regions are those of MPI_Pcontrol */
} tlr_job;

typedef struct tlr_timeline tlr_timeline; /* timeline.h */
typedef struct tlr_usage tlr_usage;       /* usage.h */

/* If the platform describes no disk, each rank is assumed to read and write at this bandwidth, that
 * of a SATA SSD, in bytes per second. */
#define TLR_IO_BANDWIDTH 5e8

/* The options of a replay. All zero: the defaults. The caller owns everything. */
typedef struct tlr_options {
    const char *hostfile; /* replayer/machine/mapping.h; NULL: the hosts of the platform, ordered by
                             name, with node-2 before node-10 */
    unsigned ranks_per_host; /* 0: one rank for each line of the host file; without a host file,
                                one for each core of the host; a platform with one host puts all
                                ranks on it */
    int round_robin;         /* put one rank on each host in turn; 0: fill one host after another */
    const char *coll_selector; /* SMPI's smpi/coll-selector, "ompi-4.1", "ompi-5.0", or "recorded":
                                  the selector of the MPI library of the recorded run; NULL: the
                                  selector of the platform */
    const char *const *cfg;    /* further options of SimGrid, "key:value" */
    size_t n_cfg;
    const char *schedules;     /* leave it NULL: tlr_replay_jobs copies the options, and in its
                                  copy sets this member to the text of the schedules (algorithms
                                  of collectives) that cfg names */
    const tlr_change *changes; /* of the platform, applied in this order */
    size_t n_changes;
    const char *model_path; /* compute model that replaces the platform's */
    int no_compute;         /* bursts and kernels take no time */
    tlr_waiting waiting; /* leave it 0: tlr_replay_jobs sets it from the change energy.wait, or from
                            the option timeless/idle-waits of the platform */
    int model_strict;    /* refuse kernels that the model does not list, and calls on files by
                            ranks on hosts without a disk */
    int allow_opaque;    /* replay although the trace has calls that are not modelled */
    double io_bandwidth; /* bytes per second that each rank reads or writes; 0: the bandwidth of the
                            disk of its host, or TLR_IO_BANDWIDTH without a disk */
    int wildcards_first; /* a nonblocking receive from any source takes the message that arrives
                            first; 0: the message that it took in the recorded run */
    int progress;        /* report progress on standard error */
    tlr_timeline *timeline; /* receives the states of each rank; NULL: they are not recorded */
    tlr_usage *usage;       /* receives the use of links and the energy; NULL: not recorded */
    const char *noise;      /* "1kHz:100us", or a file of detours (interruptions of the CPU,
                               machine/noise.h); NULL: none.
                               The engine smpi applies it to computation only */
    int network_noise;      /* the time of each message is drawn at random, as the platform's
                               network noise says */
    uint64_t seed;          /* of everything that is drawn: noise and the compute model */
    uint64_t cluster_seed;  /* of the differences between hosts in the compute model; 0: `seed` */
    unsigned n_seeds;       /* number of replays, with `seed`, `seed` + 1, ...; 0: one */
    int sampled;            /* replay only parts of the run: replayer/sample/sample.h */
    double sample_error;    /* wanted half width of the 90 % interval, relative to the makespan; 0:
                               any width */
    uint32_t part; /* set by the code of sampling for each part that it replays, so that each part
                      has random numbers of its own; else 0 */
    /* loggops engine only */
    const char *loggops_params;              /* "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536" */
    const tlr_params_change *params_changes; /* of loggops_params, one after the other */
    size_t n_params_changes;
    unsigned n_threads; /* number of threads that simulate; 0: one. It does not change the result */
    double node_memory_Bps; /* leave it 0: tlr_replay_jobs sets it from the option
                               timeless/memory-bandwidth of the platform */
} tlr_options;

/* If a parallel region that is limited by memory is replayed with another number of threads than
 * recorded, n threads have n * core_Bps, but at most node_Bps. Both are 0 if the model has a
 * measured speedup for memory. */
typedef struct tlr_region_memory {
    double core_Bps; /* assumed */
    double node_Bps;
    bool is_assumed; /* node_Bps is assumed, because the platform does not state it */
    bool is_ignored; /* the limit of memory is not used, because neither the model nor a change
                        (region.bound) says what limits parallel regions: arithmetic is assumed */
} tlr_region_memory;
tlr_region_memory tlr_find_region_memory(const tlr_model *model, const tlr_options *options);

/* Fails if network/bandwidth-factor is set to another value than smpi/bw-factor, or
 * network/latency-factor to another than smpi/lat-factor: some versions of SimGrid use the first
 * option, some the second. */
tl_status tlr_platform_check_factors(const tlr_platform *platform, const tlr_options *options,
                                     tl_error *err);

typedef struct tlr_rank_prediction {
    char *host;                          /* NULL: the engine has none */
    double end_s;                        /* when the rank finished */
    double compute_s;                    /* bursts and kernels */
    double kernel_s;                     /* the part of compute_s in kernels */
    double estimated_s[TLR_N_ESTIMATES]; /* for each tlr_estimate: the part of kernel_s that this
                                            method estimated, because the model does not list the
                                            kernel */
    double p2p_s;        /* in point-to-point calls, without MPI_Wait, MPI_Test and the like */
    double wait_s;       /* in Wait, Waitall, ... and probes */
    double collective_s; /* in collectives and communicator constructors */
    double io_s;         /* in calls on files */
    uint64_t n_events;
    double noise_s; /* time that detours took from the CPU of the rank */
    double delay_s; /* how much later the rank ends than in a replay in which no rank has noise;
                       loggops engine only */
} tlr_rank_prediction;

/* A mark is a call whose clock time was recorded: Init, Finalize, Barrier, Pcontrol or Wtime. A
 * tlr_mark joins one mark of each rank: the call number `ordinal` (from 0) that the rank makes of
 * the function `call` at the call site `site`. */
typedef struct tlr_mark {
    uint16_t call;
    char *site;          /* "hpcc+0x1234" */
    uint32_t ordinal;    /* number of earlier marks of this call and site */
    double *measured_s;  /* [n_ranks] from the clocks in the trace */
    double *predicted_s; /* [n_ranks] */
} tlr_mark;

/* Estimates of the makespan on other machines.  Only a replay with a timeline makes them. */
typedef struct tlr_what_if {
    double ideal_network_s; /* lower bound for any network: only computation and dependencies */
    double mean_compute_s;  /* lower bound for any distribution of the computation over the ranks */
    /* The estimated makespan if in each phase, which is the time between two synchronisations
     * (results/phases.h), every rank computes for the mean time of all ranks; NAN: unknown. */
    double balanced_s;
    uint64_t n_phases;      /* of balanced_s */
    double twice_the_cpu_s; /* estimate for hosts twice as fast; at least ideal_network_s / 2,
                               which is the time of computation and dependencies there */
} tlr_what_if;

typedef struct tlr_details tlr_details;       /* details.h */
typedef struct tlr_call_times tlr_call_times; /* results/call_times.h */

/* The results of the replays with several seeds. */
typedef struct tlr_spread {
    size_t n_seeds;
    double *makespan_s; /* [n_seeds] */
    double *whole_s;    /* [n_seeds] from the first mark to the last one, of the slowest rank */
    size_t n_intervals; /* an interval lies between two successive marks */
    double *interval_s; /* [seed][interval], the longest of any rank */
} tlr_spread;

/* The error of a sampled replay. */
typedef struct tlr_sampled {
    size_t n_windows; /* replayed groups of iterations, not counting those at the beginning and the
                         end of the run; 0: all iterations were replayed */
    size_t n_steps, n_steps_replayed; /* iterations of the run; those that were replayed */
    double share;                     /* replayed events / all events, approximately */
    double low_s, high_s;             /* the 90 % confidence interval of the makespan */
    double wanted;                    /* tlr_options.sample_error */
} tlr_sampled;

/* Links or memories that got more traffic than they can carry, because the engine gave each message
 * the whole bandwidth, which messages share in reality. */
typedef struct tlr_overload {
    uint64_t n;     /* number of overloaded links or memories. For each, the time of the run is
                       divided into intervals in which its traffic is constant. The other members
                       describe the     interval with the greatest late_s of all */
    uint64_t bytes; /* bytes that it moved */
    double asked_Bps, has_Bps; /* the speed in the engine; the speed that is possible */
    double late_s;             /* how much longer the bytes take at the possible speed */
} tlr_overload;

/* The host with the fewest cores per rank. n_cores is 0 if the ranks have no hosts. */
typedef struct tlr_fullest_host {
    uint32_t n_ranks, n_cores;
} tlr_fullest_host;

/* The result of a replay. tlr_prediction_free releases it. */
typedef struct tlr_prediction {
    char *trace_path, *platform_name, *engine, *command;
    char *calibrations; /* tlr_platform.dated; "" or NULL: none was chosen by a date */
    char *volume_unit;  /* of the tl_run; not part of the JSON */
    char *clock;        /* why the clocks of the trace are not comparable; "" or NULL: they are */
    uint64_t trace_hash, platform_hash;
    char *engine_version; /* "SimGrid 3.32.0" */
    char *coll_selector;
    char *network_model;
    char *model;         /* "platform", "none", or the file that replaced the platform's model */
    uint64_t model_hash; /* XXH64 of this file; 0 otherwise */
    char *options;       /* further options of SimGrid, separated by blanks */
    char *idle_options;  /* names of options (of the user and of the platform) without effect on the
                            prediction of this engine, separated by blanks */
    char *changes;       /* of the platform (tlr_change_text), separated by blanks */
    uint32_t n_ranks;
    double
        start_s; /* start of the job on the platform; all times of the prediction count from it */
    double makespan_s;
    char *noise;                 /* tlr_options.noise; NULL: none */
    bool has_network_noise;      /* each message drew its time */
    bool is_random;              /* noise, the compute model or losses drew random numbers */
    uint64_t seed, cluster_seed; /* the seeds of this prediction */
    tlr_spread *spread;  /* of several seeds; all other members are of the seed with the median
                            makespan. NULL: one seed */
    uint64_t first_seed; /* of the spread */
    double quiet_s;      /* the makespan without noise; 0: unknown */
    double wall_s;       /* of the replay; not part of the JSON, which is the same every time */
    uint64_t n_events;
    uint64_t n_polls;                 /* failed tests and probes */
    uint64_t n_opaque;                /* calls that communicate, but are not modelled */
    uint64_t n_unknown_kernels;       /* kernels with an unknown code, or a wrong number of sizes */
    char *estimated[TLR_N_ESTIMATES]; /* names of the kernels that were estimated so; or NULL */
    uint64_t n_assumed_transfers;     /* calls on files by ranks on hosts without a disk */
    char *free_kernels; /* names of a program's kernels that are not in the model and take no time;
                           or NULL */
    uint32_t n_crowded; /* ranks on hosts with more ranks than cores; 0: each rank has a core */
    uint64_t n_crowded_cores; /* the cores of these hosts */
    uint32_t n_threads;       /* of the largest parallel region; 0: there is none */
    tlr_fullest_host fullest;
    uint64_t ignores_limiter; /* the engine ignores the limiter of the platform (a bandwidth that
                                 both directions share) for messages with fewer bytes than this;
                                 UINT64_MAX: for all messages */
    int ignores_crowd;        /* the crowded ranks compute as if each had a core of its own */
    tlr_overload links, memories; /* links between switches; memories of nodes */
    bool memories_are_assumed;    /* the platform does not describe the memories */
    double links_limit;           /* share of the makespan (0 to 1) in which links between switches
                                     limited messages; of the LogGOPS engine only */
    /* With interference, the speed of a core depends on what the other cores of its host do on
     * average over the run (the load), which is known only after a replay. So a replay is repeated
     * with the load of the one before, a few times at most. load_change tells how much the last
     * repetition still changed the end of a rank: the largest change of any rank, divided by the
     * makespan. It is 0 if the load did not change any more, or if there is no interference. */
    double load_change;
    tlr_region_memory region_memory;
    char *volume_sample; /* of the tl_run */
    char *volume_bursts; /* of the tl_run */
    char *untraced; /* MPI functions whose calls are not in the trace, separated by blanks; or "" */
    char *uncounted; /* if the trace lacks the computation of some threads: a text that says which
                        (tl_reader_uncounted); "": it has all */
    tlr_rank_prediction *ranks;
    size_t n_marks;
    tlr_mark *marks;      /* ordered by the measured time of rank 0 */
    tlr_sampled *sampled; /* NULL: all events were replayed, and n_events is their number */
    tlr_what_if what_if;
    tlr_details *details;       /* for the JSON; NULL: not wanted */
    tlr_call_times *call_times; /* NULL: the trace has no durations, or there are no details */
    const tlr_usage *usage;     /* for the JSON; NULL: not wanted. The caller owns it */
} tlr_prediction;

/* An engine replays a whole trace.  replayer/replay.c has the table of all engines. */
typedef struct tlr_engine {
    const char *name;
    const char *summary;
    /* Loads the shared library of the engine; without this call, the first replay loads it. NULL:
     * the engine has none. */
    tl_status (*load)(tl_error *err);
    /* Fills options->timeline, options->usage, and out[job]. Before this call, tlr_replay_jobs has
     * filled the members of out[job] that it copies from the job, the platform and the options
     * (describe_job in replayer/replay.c). If model is NULL, a trace with computation is refused
     * unless options->no_compute is set. */
    tl_status (*replay)(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                        const tlr_model *model, const tlr_options *options,
                        tlr_prediction *const *out, tl_error *err);
    /* The names of the algorithms of a collective ("alltoall"), separated by commas. Names that
     * choose an algorithm by size, such as "ompi", are left out. The caller frees *out.
     * TL_ERR_USAGE: the engine has no algorithms to choose from for this collective. */
    tl_status (*algorithms)(const char *collective, char **out, tl_error *err);
    bool needs_platform; /* 0: `platform` may be NULL */
} tlr_engine;

extern const tlr_engine tlr_engine_smpi;    /* SimGrid: replayer/module.c */
extern const tlr_engine tlr_engine_loggops; /* replayer/loggops/engine.c */

/* The quantile `p` (0 to 1) of the makespans of all seeds; their mean; their standard deviation. */
double tlr_spread_quantile(const tlr_spread *spread, double p);
double tlr_spread_mean(const tlr_spread *spread);
double tlr_spread_sd(const tlr_spread *spread);

/* Loads the engine with this name (NULL: "smpi"). Call it before replays in many child processes,
 * which would otherwise each load the engine. */
tl_status tlr_engine_load(const char *engine, tl_error *err);
/* The algorithms of a collective in this engine; see tlr_engine.algorithms. */
tl_status tlr_engine_algorithms(const char *engine, const char *collective, char **out,
                                tl_error *err);

/* Replays runs that share a platform, with the engine of this name (NULL: "smpi").  out[job]
 * receives the prediction of each run. With options->n_seeds, it is the prediction of the seed with
 * the median makespan, and its `spread` describes all seeds (replayer/seeds.c). */
tl_status tlr_replay_jobs(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                          const char *engine, const tlr_options *options, tlr_prediction **out,
                          tl_error *err);
/* The same for one run that has the platform to itself. */
tl_status tlr_replay(tl_reader *trace, const tlr_platform *platform, const char *engine,
                     const tlr_options *options, tlr_prediction **out, tl_error *err);
void tlr_prediction_free(tlr_prediction *prediction);
/* The share of the computation of all ranks that is spent in kernels with this estimate, 0 to 1. */
double tlr_estimated_share(const tlr_prediction *prediction, tlr_estimate by);

/* ---- results: replayer/results/prediction.c ---- */

/* Writes "4e+08 B at 5e+09 B/s where one has 1.25e+09 B/s: 0.24 s late (4 overloaded)": the
 * engine moved these bytes at 5e+09 B/s through one link, which carries 1.25e+09 B/s. On a real
 * link they would be 0.24 s later than predicted. It is the worst of 4 such links. */
const char *tlr_overload_text(const tlr_prediction *prediction, const tlr_overload *load,
                              char *text, size_t size);
/* Writes " for messages below 65536 B" if the engine ignores the limiter for these only; otherwise
 * "". */
const char *tlr_limiter_text(const tlr_prediction *prediction, char *text, size_t size);
/* Whether threads of parallel regions share cores on the fullest host. */
int tlr_threads_share_cores(const tlr_prediction *prediction);
void tlr_prediction_print(const tlr_prediction *prediction, FILE *out);
/* Reads what `timeless replay --json` wrote (results/prediction_json.h). */
tl_status tlr_prediction_read_json(const char *path, tlr_prediction **out, tl_error *err);

/* ---- export: replayer/results/otf2_archive.c ---- */

/* Makes the new folder `folder`, and writes an OTF2 archive into it, whose anchor file is
 * trace.otf2: the calls, messages and collectives of each rank. Nothing is simulated: each rank has
 * a clock of its own, on which a computation lasts its volume multiplied by the rate of its unit
 * (`rates`, timeless_convert.h), and each call lasts one nanosecond.  It fails if the trace has an
 * event that OTF2 cannot express.  Only builds with OTF2 (HAVE_OTF2) have this function.
 */
tl_status tlr_export_otf2(tl_reader *trace, const tl_rates *rates, const char *folder,
                          tl_error *err);

#endif
