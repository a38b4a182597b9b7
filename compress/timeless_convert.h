/* timeless_convert.h - whole traces: packed, as text, from and to other formats, from patterns, and
 * from other traces.
 *
 * timeless.h includes this header if TIMELESS_EXPERIMENTAL is defined, and states its conventions.
 *
 * SPDX-FileCopyrightText: 2026 the Timeless authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMELESS_CONVERT_H
#define TIMELESS_CONVERT_H

/* What this header declares may change with each release. */
#ifndef TIMELESS_EXPERIMENTAL
#error "define TIMELESS_EXPERIMENTAL before including this header; what it declares may change"
#endif

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "timeless.h"
#include "timeless_source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- ranks that do the same ---- */

/* Finds ranks that do the same: returns the smallest rank that, as the file shows, has the same
 * events as `rank`. This leader may be `rank` itself. Both ranks have the same number of events,
 * and each pair of events agrees in every slot except
 *   - the clock, and how long the call took;
 *   - the volume, unless `with_volumes`;
 *   - the peers of point-to-point calls on MPI_COMM_WORLD: these have the same distance from their
 *     own rank, and tl_event_move converts one event to the other.
 * The ids of communicators, sites and kernels are equal, but each rank defines what its ids mean.
 * Ranks with different leaders may do the same, too. A packed file shows most of these cases. */
TL_API uint32_t tl_reader_leader(const tl_reader *r, uint32_t rank, int with_volumes);
/* Converts an event of rank `from` to the event of rank `to`, which has the same leader. */
TL_API void tl_event_move(tl_event *event, uint32_t from, uint32_t to);

/* ---- durations ---- */

/* The writer also writes tl_event.took_ns. Without this call it ignores them: a program that was
 * built before took_ns existed may have left anything in its place. */
TL_API void tl_writer_keep_times(tl_writer *w);

/* ---- packing ---- */

typedef struct tl_pack_options {
    /* 0: volumes do not change. Otherwise each volume is rounded, and changes by at most this
     * fraction of its value. The rounding error is carried to the next event, so the total of the
     * rank stays exact. A clock becomes earlier by at most this fraction of the time since the
     * previous clock of the rank. The first clock of a rank and the clock of its last event stay
     * exact. */
    double volume_precision;
    /* Not 0: only some blocks of iterations keep their volumes, and each other block takes the
     * volumes of one of them, on all ranks (doc/FORMAT.md, "Statistical volumes"). The total of
     * each rank stays exact. If the ranks have no iterations in common, each volume changes by at
     * most a thousandth. A trace whose volumes are already statistical keeps them. volume_precision
     * is ignored. */
    int statistical;
    const char *origin; /* the new tl_run.origin; NULL: unchanged */
    /* Finds the source lines of call sites that have none; NULL: these stay without. It is called
     * with `sources_of`. */
    tl_find_sources *find_sources;
    void *sources_of;
    /* With `statistical`: receives the reason if volumes are not sampled, else "". May be NULL. */
    char *remark;
    size_t remark_bytes;
} tl_pack_options;

/* Writes the trace again, as small as possible: the same events, definitions and ends, in long
 * frames. Data that is equal on many ranks is stored once. The needed memory is that of a few
 * ranks, also for many ranks. `options` may be NULL. `out_path` may be the trace itself: the new
 * file has another name until it is complete and on the disk. A damaged trace is refused. */
TL_API tl_status tl_pack(tl_reader *r, const tl_pack_options *options, const char *out_path,
                         tl_error *err);

/* ---- text ---- */

/* The text form of a trace (doc/FORMAT.md): the whole trace, its description, or the part of one
 * rank. If the trace is damaged, everything intact is written, and the first damage is returned.
 * TL_ERR_SYSTEM: `out` cannot be written. */
TL_API tl_status tl_text_write(tl_reader *r, FILE *out, tl_error *err);
TL_API tl_status tl_text_write_run(const tl_run *run, FILE *out);
TL_API tl_status tl_text_write_rank(tl_reader *r, uint32_t rank, FILE *out, tl_error *err);
/* Writes the trace that a text describes, with memory for one line and one frame. `name` is the
 * name of the text in messages ("NAME:LINE: what is wrong; what to do"). If it fails, no file
 * remains. */
TL_API tl_status tl_text_read(FILE *in, const char *name, const char *out_path, tl_error *err);

/* ---- exchange ---- */

/* How much a unit of tl_kernel_work is in the target format of an export. */
typedef struct tl_kernel_rate {
    uint16_t call; /* TL_KERNEL_dgemm, ... */
    double per_work;
} tl_kernel_rate;

/* How much computation is in the target format of an export: SimGrid's text has flops, GOAL has
 * nanoseconds. */
typedef struct tl_rates {
    int no_compute;  /* leave computation out */
    double per_unit; /* of a unit of volume */
    /* In any order. If a kernel has several rates, the last one is valid. A kernel without a rate
     * is refused. */
    size_t n_kernels;
    const tl_kernel_rate *kernels;
} tl_rates;

/* The rate of a kernel; 0 if it has none. */
TL_API double tl_rates_per_work(const tl_rates *rates, unsigned call);

/* Exports. If the target format cannot express some events, the export returns TL_ERR_UNSUPPORTED
 * and writes nothing; the error names these events, their number and the first place. Clocks,
 * sites, polls, hosts, MPI_Wtime and MPI_Pcontrol have no effect on a replay and are left out. */

/* SimGrid's time-independent text traces: FOLDER/rank-N.txt, and their list FOLDER/list.txt. */
TL_API tl_status tl_export_simgrid(tl_reader *r, const tl_rates *rates, const char *folder,
                                   tl_error *err);
/* A step of one rank in a collective: it begins to send or to receive a message, or waits for all
 * that it has begun. */
typedef struct tl_collective_step {
    tl_action action; /* TL_ACTION_ISEND, TL_ACTION_IRECV, TL_ACTION_WAIT */
    int32_t peer;     /* rank in MPI_COMM_WORLD */
    int64_t bytes;
} tl_collective_step;

/* The steps of a rank in a blocking collective, by an algorithm; valid until the next call. */
typedef struct tl_algorithms {
    tl_status (*steps)(void *context, uint32_t rank, const tl_event *event,
                       const tl_collective_step **out, size_t *n, tl_error *err);
    void *context;
} tl_algorithms;

/* GOAL, for LogGOPSim. `algorithms` NULL: collectives are refused. */
TL_API tl_status tl_export_goal(tl_reader *r, const tl_rates *rates,
                                const tl_algorithms *algorithms, const char *path, tl_error *err);
/* Imports. They write the trace of another format to `out_path`. */

/* SimGrid's text. `path` is a file with the actions of all ranks, or a list that names a file
 * for each rank, one a line. The volumes are in "flops". */
TL_API tl_status tl_import_simgrid(const char *path, const char *out_path, tl_error *err);
/* The same, but actions `compute` are ignored: a volume is the work of a reduction alone.
 * TL_ERR_NOT_A_TRACE: `path` is not a text of SimGrid. */
TL_API tl_status tl_import_simgrid_reductions(const char *path, const char *out_path,
                                              tl_error *err);

/* A DUMPI trace has times; `volume` selects the volumes that are made from them:
 *   "cpu"    CPU time between the calls, in the unit cpu-ns
 *   "wall"   wall-clock time between the calls, in the unit cpu-ns
 *   "none"   no volumes
 *   NULL     the first of these three that the trace has
 *   other    the label of a hardware counter that the trace has */
typedef struct tl_dumpi_options {
    const char *volume;
    double rate;    /* units of volume for one of the trace's nanoseconds or counts */
    int call_times; /* events have took_ns */
} tl_dumpi_options;

/* DUMPI. `path` is the meta file, or a list of the binary files in the order of the ranks. Calls
 * that a trace cannot express are refused; the error has their names, number and first place. */
TL_API tl_status tl_import_dumpi(const char *path, const tl_dumpi_options *options,
                                 const char *out_path, tl_error *err);

/* GOAL's schedules. The volumes are the nanoseconds of `calc`, in "cpu-ns". A trace has a sequence
 * of calls for each rank. If no sequence satisfies the dependencies of a schedule, it is refused;
 * the error names the first operation that has no place. */
TL_API tl_status tl_import_goal(const char *path, const char *out_path, tl_error *err);

/* liballprof, the tracer of LogGOPSim. `path` is a list of the files in the order of the ranks.
 * options->volume is "wall", "none" or NULL: "wall". */
TL_API tl_status tl_import_liballprof(const char *path, const tl_dumpi_options *options,
                                      const char *out_path, tl_error *err);

/* Reading GOAL without making a trace: text or binary, one rank after the other. A schedule is a
 * graph of operations. An operation runs on one of the rank's streams (`cpu`) and, if it is a
 * message, on one of its interfaces (`nic`). */
typedef struct tl_goal_operation {
    uint64_t amount; /* bytes of a message, nanoseconds of a computation */
    uint64_t tag;    /* of a receive: UINT64_MAX for any tag */
    uint64_t place;  /* line of the text, or byte of the binary file */
    int32_t peer;    /* a rank of the file; of a receive also TL_ANY_SOURCE */
    uint16_t call;   /* TL_MPI_Send, TL_MPI_Recv; 0: computation */
    uint16_t cpu, nic;
} tl_goal_operation;

/* A dependency of operation `to` on operation `from`. */
typedef struct tl_goal_edge {
    uint32_t from, to;
    int ends; /* `to` begins after the end of `from`; 0: after its begin */
} tl_goal_edge;

typedef struct tl_goal tl_goal;

/* TL_ERR_NOT_A_TRACE: the file is not GOAL. */
TL_API tl_status tl_goal_open(const char *path, tl_goal **out, tl_error *err);
TL_API uint32_t tl_goal_ranks(const tl_goal *goal);
/* The schedule of the next rank; the first call returns rank 0. It is valid until the next call.
 * TL_END: there are no more ranks. */
TL_API tl_status tl_goal_next(tl_goal *goal, const tl_goal_operation **operations, size_t *n,
                              const tl_goal_edge **edges, size_t *n_edges, tl_error *err);
TL_API void tl_goal_close(tl_goal *goal);

/* Opens a file of GOAL for a replay of its graph. The reader has its ranks, name and hash, but no
 * events: tl_cursor_open fails with TL_ERR_UNSUPPORTED. TL_ERR_NOT_A_TRACE: the file is not GOAL.
 */
TL_API tl_status tl_reader_open_goal(const char *path, tl_reader **out, tl_error *err);
TL_API int tl_reader_is_goal(const tl_reader *r);

/* ---- patterns ---- */

/* Communication patterns are skeletons that are part of the library.  tl_reader_open opens
 * "pattern:NAME,ranks=N,bytes=N,iterations=N".  This function returns the number of patterns. If
 * pattern i exists, *name is its name, and *summary describes one iteration. */
TL_API size_t tl_pattern_list(size_t i, const char **name, const char **summary);

/* ---- programs: events that are made while they are read ---- */

/* tl_reader_open also opens a program: "KIND:PARAMETERS", if no file has this name, or the path of
 * a skeleton (doc/SKELETON.md), followed by ",NAME=NUMBER,..." if needed.  Cursors read a program
 * as they read a file.  The number of its events is unknown: tl_rank_summary.n_events is 0.  If a
 * skeleton is wrong, tl_reader_open returns TL_ERR_INPUT, or the cursor does at the wrong event. */

/* Nonzero if tl_reader_open opens the path as a program. */
TL_API bool tl_is_program(const char *path);
/* The value of an expression of skeletons (doc/SKELETON.md) in which `ranks` is known.
 * TL_ERR_USAGE: it is none. */
TL_API tl_status tl_program_number(const char *expression, uint32_t n_ranks, int64_t *out,
                                   tl_error *err);
/* Writes the events of a program as a trace file. */
TL_API tl_status tl_program_write(tl_reader *r, const char *out_path, tl_error *err);

/* A capture of a program, and the values of the parameters with which it ran. */
typedef struct tl_fit_capture {
    tl_reader *reader;
    const int64_t *values;
} tl_fit_capture;
/* What becomes of a value that has no expression. */
typedef enum tl_fit_holes {
    TL_FIT_REFUSE = 0, /* there is no skeleton */
    /* sizes of messages and collectives are drawn from the captured distribution, with the
       parameter draw_seed of the skeleton (1) */
    TL_FIT_DRAW = 1,
    /* likewise, and other values are copied from the capture whose sizes are nearest to those of
       the skeleton */
    TL_FIT_NEAREST = 2
} tl_fit_holes;
/* Makes a skeleton (doc/SKELETON.md) from three or more captures of the same program. The caller
 * frees *text.  The skeleton makes all calls of these captures; comments after its first line state
 * how exact it is.  TL_ERR_UNSUPPORTED: a call, a value or an order of calls has no expression.  */
TL_API tl_status tl_fit(const tl_fit_capture *captures, size_t n, const char *const *names,
                        size_t n_names, tl_fit_holes holes, char **text, tl_error *err);

/* Writes the trace again, but with the sends, receives and waits of schedules (doc/SCHEDULE.md)
 * instead of blocking collectives. A choice is "OPERATION:FILE", such as "alltoall:ring.sched"; of
 * several choices for one operation, the last one is valid. Collectives on intercommunicators
 * remain.
 *
 * TL_ERR_INPUT: a schedule is wrong, or a rank does not get its data. TL_ERR_USAGE: a schedule does
 * not serve the number of ranks of a call. */
TL_API tl_status tl_schedule_write(tl_reader *r, const char *const *choices, size_t n_choices,
                                   const char *out_path, tl_error *err);

/* HPL 2.x, the High-Performance Linpack benchmark: "hpl:N=1000,NB=128,P=2,Q=2".  The numbers mean
 * the same as in HPL.dat. */
typedef struct tl_hpl {
    int64_t n;
    int32_t nb, p, q;
    int32_t column_major; /* PMAP */
    int32_t pfact, nbmin, ndiv, rfact;
    int32_t bcast, depth, swap;
    int64_t threshold;       /* of the swap */
    int32_t l1_no_transpose; /* L1 */
    int32_t u_no_transpose;  /* U */
    int32_t equilibrate;
    int32_t moves;  /* events of HPL_dlacpy, HPL_dlatcpy and HPL_dlaswp* */
    int64_t seed;   /* of the pivots */
    double receive; /* share of an update after which the next panel is received; negative: it is
                       received when it has arrived; a tl_asker knows when, otherwise the share is
                       TL_HPL_RECEIVE */
    int64_t from, past; /* a window: only the panels `from` to `past` - 1 (doc/timeless-hpl.1); past
                           0: all panels, without marks */
    char *pivots; /* file with the row of each pivot, from 0, one a line; NULL: rows are drawn */
} tl_hpl;

#define TL_HPL_RECEIVE 0.0

/* Sets all parameters to their defaults. */
TL_API void tl_hpl_default(tl_hpl *o);
/* Reads the parameters behind "hpl:".  tl_hpl_free releases what *out contains. */
TL_API tl_status tl_hpl_parse(const char *text, tl_hpl *out, tl_error *err);
TL_API void tl_hpl_free(tl_hpl *o);
/* The number of panels; the first panel after panel 0 at which a window may begin. */
TL_API int64_t tl_hpl_panels(const tl_hpl *o);
TL_API int64_t tl_hpl_first_cut(const tl_hpl *o);
/* Writes "hpl:" and all parameters; returns the length of the whole text, like snprintf. */
TL_API size_t tl_hpl_text(const tl_hpl *o, char *text, size_t size);
/* The runs that a file HPL.dat asks for, in the order of HPL's loops. The caller frees *out with
 * free().  None has a file of pivots. */
TL_API tl_status tl_hpl_read_dat(const char *path, tl_hpl **out, size_t *n, tl_error *err);

/* ---- more ranks ---- */

/* Several recorded ranks make the calls of a new rank. This chooses the recorded rank whose volumes
 * the new rank gets (doc/EXTRAPOLATION.md, "Volumes"). */
typedef enum tl_volume_choice {
    TL_VOLUMES_DRAW = 0,    /* it is drawn; all are equally probable */
    TL_VOLUMES_TYPICAL = 1, /* the rank with the median volume */
    TL_VOLUMES_REPEAT = 2,  /* each in turn; if a new rank is made of several ranks, their mean */
} tl_volume_choice;

/* A grid is a text such as "4x4p": the slowest dimension first, a p after a periodic dimension. */
typedef struct tl_extrapolate_options {
    uint32_t n_ranks;     /* of the new trace; 0: the product of new_grid */
    const char *grid;     /* of the trace; NULL: found from its partners and communicators */
    const char *new_grid; /* NULL: the grid that MPI_Dims_create makes */
    tl_volume_choice volumes;
    uint64_t seed;   /* for TL_VOLUMES_DRAW */
    int allow_fewer; /* 0: TL_ERR_USAGE if the new trace has fewer ranks than the trace */
} tl_extrapolate_options;

/* A group of recorded ranks that have the same kind of place on the grid and make the same calls.
 */
typedef struct tl_like_ranks {
    char *place;                  /* a word for each dimension: first, inner, last, any, only */
    uint32_t first, n_ranks;      /* the members: tl_extrapolation.members[first], ... */
    uint32_t typical;             /* the rank with the median volume */
    uint64_t least, median, most; /* volumes */
    uint32_t n_new;               /* number of new ranks that have the volumes of a member */
} tl_like_ranks;

typedef struct tl_recorded_rank {
    uint32_t group; /* tl_extrapolation.groups[group] */
    uint64_t volume, script;
    double relative; /* volume / volume of the typical rank of its group; of all ranks, if it is the
                        only member */
    uint32_t n_new;  /* number of new ranks that have the same `relative` */
} tl_recorded_rank;

#define TL_MEAN UINT32_MAX /* the mean of several ranks */
/* The volumes of a new rank: those of `source`, multiplied by `factor`. */
typedef struct tl_new_rank {
    uint32_t drawn;  /* the recorded rank whose `relative` the new rank has */
    uint32_t source; /* a recorded rank, or TL_MEAN */
    double factor;
} tl_new_rank;

/* The description of an extrapolation.  tl_extrapolation_free releases it. */
typedef struct tl_extrapolation {
    char *grid, *new_grid;
    int merged;         /* the trace has no inner ranks: they were made from ranks at the sides */
    int folded;         /* directions along periodic dimensions of 1 or 2 ranks follow the rule */
    uint64_t n_ordered; /* pairs of calls of a new rank whose order no recorded rank shows */
    uint32_t n_recorded, n_new;
    size_t n_groups;
    tl_like_ranks *groups;
    uint32_t *members;          /* n_recorded ranks, ordered by group */
    tl_recorded_rank *recorded; /* by rank */
    tl_new_rank *sources;       /* by new rank */
} tl_extrapolation;

/* Writes the trace of a stencil, a sweep or another program on a grid for more ranks, with the same
 * work for each rank (doc/EXTRAPOLATION.md).  If the trace does not fit a grid, the function
 * returns TL_ERR_UNSUPPORTED with rank, event and reason, and writes nothing.  `out_path` may be
 * the trace itself.  `done` may be NULL; otherwise *done is filled on success. */
TL_API tl_status tl_extrapolate(tl_reader *r, const tl_extrapolate_options *options,
                                const char *out_path, tl_extrapolation *done, tl_error *err);
TL_API void tl_extrapolation_free(tl_extrapolation *done);

/* ---- parts ---- */

/* Makes one trace from the parts that the hosts of a run wrote. Any other file is refused, and the
 * error names it. */
TL_API tl_status tl_join(const char *const *paths, size_t n_paths, const char *out_path,
                         tl_error *err);
/* The same, but if `missing` is not NULL, the parts of some hosts may be missing. The trace then
 * has no events of their ranks, and the names of these hosts are written to `missing` ("": none).
 * `n_losers` may be NULL; otherwise *n_losers is the number of killed ranks whose last events are
 * lost. */
TL_API tl_status tl_join_left(const char *const *paths, size_t n_paths, const char *out_path,
                              char *missing, size_t missing_bytes, uint32_t *n_losers,
                              tl_error *err);

/* Consecutive events of each rank r: from event first[r] to event past[r] - 1. */
typedef struct tl_span {
    uint32_t n_ranks;
    uint64_t *first;
    uint64_t *past;
} tl_span;

TL_API void tl_span_free(tl_span *span);

/* How often each call, and each kernel that the program named, occurs on a rank. */
typedef struct tl_call_counts {
    uint64_t n_events;
    uint64_t clock_ns; /* of the last event that has a clock */
    uint64_t calls[TL_CALL_LIMIT];
    struct tl_user_count {
        uint32_t id; /* of a tl_user_kernel */
        uint64_t n;
    } * users;
    size_t n_users;
} tl_call_counts;

/* Reads the counts from the index of a large packed trace; tl_call_counts_free releases them.
 * Returns 0 if the trace has no index: the caller then counts the events, and frees nothing. */
TL_API int tl_reader_counts(tl_reader *r, uint32_t rank, tl_call_counts *out);
TL_API void tl_call_counts_free(tl_call_counts *counts);

/* A section: the part of a run between two synchronising collectives over all ranks.  Section 0
 * ends before the first of these collectives; section i starts with the i-th.  If the trace is
 * damaged, the list ends where the first rank ends. */
typedef struct tl_section {
    uint16_t call;        /* the collective with which it starts; 0 for section 0 */
    uint64_t n_events;    /* of all ranks */
    uint64_t clock_ns;    /* time from the first to the last mark in the section, of the rank where
                             it is longest; 0 if unknown */
    uint64_t first_event; /* of rank 0 */
    uint32_t site;        /* of rank 0 */
} tl_section;

/* All sections. The caller frees *out with free(). */
TL_API tl_status tl_sections_list(tl_reader *r, tl_section **out, size_t *n, tl_error *err);
/* The number of sections: from the index of a large packed trace, otherwise from all events. */
TL_API tl_status tl_sections_count(tl_reader *r, size_t *n, tl_error *err);
/* The span of the sections first to last, both included. It also has the collective after the last
 * section, because the computation before this collective belongs to the section. */
TL_API tl_status tl_span_of_sections(tl_reader *r, size_t first, size_t last, tl_span *out,
                                     tl_error *err);
/* The span from an MPI_Pcontrol(level) to the next MPI_Pcontrol with another level, both included.
 * `nth` counts such spans from 0. */
TL_API tl_status tl_span_of_region(tl_reader *r, int level, unsigned nth, tl_span *out,
                                   tl_error *err);
/* The events first to past - 1 of every rank. */
TL_API tl_status tl_span_of_events(tl_reader *r, uint64_t first, uint64_t past, tl_span *out,
                                   tl_error *err);
/* Writes the span as a trace of its own.  TL_ERR_UNSUPPORTED: the span has only one side of a
 * message or collective; the error names the first such pair of ranks.  The new trace lacks the
 * completions of requests that began before the span. It keeps communicators and persistent
 * requests.  The first event loses its volume, and clocks count from the first event. */
TL_API tl_status tl_cut(tl_reader *r, const tl_span *span, const char *origin, const char *out_path,
                        tl_error *err);

/* Marks to add to a span: events MPI_Pcontrol without a call site. */
typedef struct tl_cut_marks {
    size_t n;                 /* number of marks of each rank */
    size_t stride;            /* of `before` */
    const uint64_t *before;   /* [n_ranks][stride] each mark is added before this event */
    const int64_t *delays_ns; /* [n_ranks] how long a rank sleeps before its first event; NULL: no
                                 rank sleeps */
} tl_cut_marks;

/* The same, with the marks that lie in the span or at its end. */
TL_API tl_status tl_cut_marked(tl_reader *r, const tl_span *span, const tl_cut_marks *marks,
                               const char *origin, const char *out_path, tl_error *err);

/* ---- events of a program as they are made ---- */

/* The calls of a program, found without reading its events; NULL if the reader
 * reads a file. */
typedef struct tl_program_call {
    uint16_t call;
    uint32_t site;    /* if the call is a mark */
    uint64_t n_marks; /* if the call is a mark: number of its events on each rank */
} tl_program_call;
TL_API const tl_program_call *tl_reader_calls(const tl_reader *r, size_t *n);
/* Lets each rank of a program sleep for a number of nanoseconds before its first step. This holds
 * for cursors that are opened later; the array must exist as long as they are open. Returns 0 if
 * the reader does not read a program. */
TL_API int tl_reader_delay(tl_reader *r, const int64_t *delays_ns);

/* A short form of the events that programs make: kernels, calls on MPI_COMM_WORLD, and calls
 * without a communicator. */
typedef struct tl_short_event {
    uint16_t call;
    uint8_t site;
    uint8_t n_sizes; /* of a kernel; 0: the event is not a kernel */
    int32_t peer;    /* of a kernel: its first size */
    int32_t tag;     /* of a kernel: its second size */
    int32_t kernel;  /* of a kernel: its third size; of TL_KERNEL_user: id of the tl_user_kernel */
    int64_t bytes;   /* of a message, in elements of 8 bytes */
} tl_short_event;
/* Takes the next events of a program, several at a time and at least one: *n events from *events
 * on. They are valid until the next call on the cursor.  A probe is the last of them, unless
 * tl_cursor_look_ahead allows several.  For cursors of a reader with tl_reader_calls only. Statuses
 * as of tl_cursor_next. */
TL_API tl_status tl_cursor_take(tl_cursor *c, const tl_short_event **events, size_t *n);
/* Makes the event of a short form. Its list is valid until the cursor makes another event. */
TL_API void tl_cursor_expand(tl_cursor *c, const tl_short_event *from, tl_event *event);

/* A program may probe for a message (MPI_Iprobe); its next events depend on the answer.
 * tl_cursor_next calls the asker with the probe, when all earlier events have been taken.  The
 * asker returns 1 or more  the message is there 0          the message is not there below 0    this
 * is not known yet: tl_cursor_next returns the probe as an event, and the next call asks again. The
 * cursor of a file never calls it. */
typedef int tl_asker(void *arg, const tl_event *probe);
TL_API void tl_cursor_set_asker(tl_cursor *c, tl_asker *ask, void *arg);
/* Lets tl_cursor_take return up to n_probes probes at a time. Behind each probe are the events that
 * follow if its message is not there. The next call on the cursor calls the asker for one probe
 * after the other, up to the first probe whose message is there. The events behind this probe do
 * not happen. */
TL_API void tl_cursor_look_ahead(tl_cursor *c, uint32_t n_probes);

/* ---- status of each function ---- */

/* The statuses of each function besides TL_OK, without the prefix TL_ERR_.
 *
 *   tl_pack                  SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT USAGE
 *   tl_text_write            SYSTEM MEMORY VERSION TRUNCATED CORRUPT
 *   tl_text_write_run        SYSTEM
 *   tl_text_write_rank       SYSTEM MEMORY VERSION TRUNCATED CORRUPT NO_RANK
 *   tl_text_read             SYSTEM MEMORY LIMIT INPUT USAGE
 *   tl_export_simgrid        SYSTEM MEMORY VERSION TRUNCATED CORRUPT UNSUPPORTED USAGE
 *   tl_export_goal           SYSTEM MEMORY VERSION TRUNCATED CORRUPT UNSUPPORTED USAGE
 *   tl_import_simgrid        SYSTEM MEMORY LIMIT INPUT USAGE
 *   tl_import_simgrid_reductions  SYSTEM MEMORY NOT_A_TRACE LIMIT INPUT USAGE
 *   tl_import_dumpi          SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED LIMIT INPUT UNSUPPORTED
 *                            USAGE
 *   tl_import_goal           SYSTEM MEMORY NOT_A_TRACE LIMIT INPUT UNSUPPORTED USAGE
 *   tl_import_liballprof     SYSTEM MEMORY LIMIT INPUT USAGE
 *   tl_goal_open             SYSTEM MEMORY NOT_A_TRACE INPUT
 *   tl_goal_next             END SYSTEM MEMORY INPUT
 *   tl_reader_open_goal      SYSTEM MEMORY NOT_A_TRACE INPUT
 *   tl_program_number        MEMORY USAGE
 *   tl_program_write         SYSTEM MEMORY LIMIT USAGE
 *   tl_schedule_write        SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT INPUT USAGE
 *   tl_hpl_parse             MEMORY USAGE
 *   tl_hpl_read_dat          SYSTEM MEMORY INPUT
 *   tl_cursor_take           MEMORY
 *   tl_extrapolate           SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT UNSUPPORTED USAGE
 *   tl_fit                   SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT INPUT UNSUPPORTED USAGE
 *   tl_join                  SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED CORRUPT LIMIT INPUT
 *                            USAGE
 *   tl_join_left             SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED CORRUPT LIMIT INPUT
 *                            USAGE
 *   tl_sections_list         SYSTEM MEMORY VERSION TRUNCATED CORRUPT
 *   tl_sections_count        SYSTEM MEMORY VERSION TRUNCATED CORRUPT
 *   tl_span_of_sections      SYSTEM MEMORY VERSION TRUNCATED CORRUPT USAGE
 *   tl_span_of_region        SYSTEM MEMORY VERSION TRUNCATED CORRUPT USAGE
 *   tl_span_of_events        MEMORY USAGE
 *   tl_cut                   SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT UNSUPPORTED USAGE
 *   tl_cut_marked            SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT UNSUPPORTED USAGE
 */

#ifdef __cplusplus
}
#endif

#endif
