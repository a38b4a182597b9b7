/* timeless_convert.h - whole traces: packed, as text, from and to other formats, from patterns, and
 * from other traces.
 *
 * The part of timeless.h, which includes it, that writes whole traces; the conventions are stated
 * there.
 *
 * SPDX-FileCopyrightText: 2026 the Timeless authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMELESS_CONVERT_H
#define TIMELESS_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "timeless.h"
#include "timeless_source.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- packing ---- */

typedef struct tl_pack_options {
    /* 0: volumes do not change. Otherwise each volume changes by at most this fraction of it. The
     * rounding error is carried forward, and the last event of a rank takes the rest, so the rank's
     * total stays exact. A clock becomes earlier by at most this fraction of the time since the
     * rank's clock before; the first clock of a rank and that of its last event stay exact. */
    double volume_precision;
    /* Not 0: only some blocks of iterations keep their volumes, and the others take the volumes of
     * one of them, on all ranks (doc/FORMAT.md, "Statistical volumes"). The total of each rank
     * stays exact. In a run without iterations that all ranks have, volumes change by at most a
     * thousandth. A trace whose volumes are already statistical keeps them. volume_precision is
     * ignored. */
    int statistical;
    const char *origin; /* how this trace was made from which; NULL: as it was */
    /* Finds the source of the call sites that have none yet; NULL: they stay as they are. Called
     * with `sources_of`. */
    tl_find_sources *find_sources;
    void *sources_of;
    /* With `statistical`: gets a sentence if the volumes are not sampled, and why; else "". NULL:
     * nobody asks. */
    char *remark;
    size_t remark_bytes;
} tl_pack_options;

/* Writes the trace again, as small as possible: the same events, definitions and ends, in long
 * frames. Data that is equal on many ranks is stored once. Needs the memory of a few ranks,
 * whatever their number. `options` may be NULL. `out_path` may be the trace itself: the new file
 * has another name until it is complete and on the disk. A damaged trace is refused. */
TL_API tl_status tl_pack(tl_reader *r, const tl_pack_options *options, const char *out_path,
                         tl_error *err);

/* ---- text ---- */

/* The text form of a trace (doc/FORMAT.md): the whole trace, its description, or the part of one
 * rank. Of a damaged trace everything intact is written, and the first damage is returned.
 * TL_ERR_SYSTEM: `out` cannot be written. */
TL_API tl_status tl_text_write(tl_reader *r, FILE *out, tl_error *err);
TL_API tl_status tl_text_write_run(const tl_run *run, FILE *out);
TL_API tl_status tl_text_write_rank(tl_reader *r, uint32_t rank, FILE *out, tl_error *err);
/* Writes the trace that a text describes, with memory for one line and one frame. `name` is the
 * name of the text in messages ("NAME:LINE: what is wrong; what to do"). If it fails, no file
 * remains. */
TL_API tl_status tl_text_read(FILE *in, const char *name, const char *out_path, tl_error *err);

/* ---- exchange ---- */

/* The value of a unit of tl_kernel_work in the target of an export. */
typedef struct tl_kernel_rate {
    uint16_t call; /* TL_KERNEL_dgemm, ... */
    double per_work;
} tl_kernel_rate;

/* The value of computation in the target of an export: SimGrid's text has flops, GOAL has
 * nanoseconds. */
typedef struct tl_rates {
    int no_compute;  /* leave computation out */
    double per_unit; /* for a unit of volume */
    /* In any order. If a kernel has several rates, the last one is valid. A kernel without a rate
     * is refused. */
    size_t n_kernels;
    const tl_kernel_rate *kernels;
} tl_rates;

/* The rate of a kernel; 0 if it has none. */
TL_API double tl_rates_per_work(const tl_rates *rates, unsigned call);

/* Events that the target cannot express are refused with TL_ERR_UNSUPPORTED, with name, number and
 * first place, before anything is written. Clocks, sites, polls, hosts, MPI_Wtime and MPI_Pcontrol
 * have no effect on a replay and are left out. */
/* SimGrid's time-independent text traces: FOLDER/rank-N.txt, and their list FOLDER/list.txt. */
TL_API tl_status tl_export_simgrid(tl_reader *r, const tl_rates *rates, const char *folder,
                                   tl_error *err);
/* GOAL, for LogGOPSim. */
TL_API tl_status tl_export_goal(tl_reader *r, const tl_rates *rates, const char *path,
                                tl_error *err);
/* Makes a trace from SimGrid's text. `path` names a file for each rank, one in each line, or one
 * file with the actions of all ranks; or it is such a file, or a folder with a file for each rank.
 * The volumes are in "flops". */
TL_API tl_status tl_import_simgrid(const char *path, const char *out_path, tl_error *err);
/* The same without the actions `compute`: volumes are what reductions combine. NOT_A_TRACE: `path`
 * is no text of SimGrid. */
TL_API tl_status tl_import_simgrid_reductions(const char *path, const char *out_path,
                                              tl_error *err);

/* What becomes the volumes of a DUMPI trace, which has times: NULL for what it has, in this order
 * "cpu" (CPU time between the calls), "wall" (wall-clock time between the calls; both in the unit
 * cpu-ns); "none"; else the label of a hardware counter that it recorded. */
typedef struct tl_dumpi_options {
    const char *volume;
    double rate; /* units of volume for one of the trace's nanoseconds or counts */
} tl_dumpi_options;

/* Makes a trace from DUMPI's. `path` is its meta file, or a list of its binary files in the order
 * of the ranks. Calls that a trace cannot express are refused, with name, number and first place.
 */
TL_API tl_status tl_import_dumpi(const char *path, const tl_dumpi_options *options,
                                 const char *out_path, tl_error *err);

/* A trace from GOAL's schedules, whose volumes are in "cpu-ns" (calc's nanoseconds).  A schedule
 * that no sequence of calls is like is refused with the first operation that cannot have its place.
 */
TL_API tl_status tl_import_goal(const char *path, const char *out_path, tl_error *err);

/* The schedules of GOAL, text or binary, one rank after the other: graphs of operations, for those
 * who need no sequence of calls.  An operation runs on one of the rank's streams (`cpu`) and, if it
 * is a message, on one of its interfaces (`nic`). */
typedef struct tl_goal_operation {
    uint64_t amount; /* bytes; nanoseconds of a computation */
    uint64_t tag;    /* UINT64_MAX: any, of a receive */
    uint64_t place;  /* line of the text, or byte of the binary file */
    int32_t peer;    /* a rank of the file; of a receive also TL_ANY_SOURCE */
    uint16_t call;   /* TL_MPI_Send, TL_MPI_Recv; 0: computation */
    uint16_t cpu, nic;
} tl_goal_operation;

/* Operation `to` begins when `from` has ended, or when it has begun (`ends` 0). */
typedef struct tl_goal_edge {
    uint32_t from, to;
    int ends;
} tl_goal_edge;

typedef struct tl_goal tl_goal;

/* TL_ERR_NOT_A_TRACE: the file is not GOAL. */
TL_API tl_status tl_goal_open(const char *path, tl_goal **out, tl_error *err);
TL_API uint32_t tl_goal_ranks(const tl_goal *goal);
/* The schedule of the next rank, the first time of rank 0; valid until the next call.  After the
 * last rank: TL_END. */
TL_API tl_status tl_goal_next(tl_goal *goal, const tl_goal_operation **operations, size_t *n,
                              const tl_goal_edge **edges, size_t *n_edges, tl_error *err);
TL_API void tl_goal_close(tl_goal *goal);

/* ---- patterns ---- */

/* Communication patterns: skeletons that are part of the library.  tl_reader_open takes
 * "pattern:NAME,ranks=N,bytes=N,iterations=N".  Their number; the i-th one's name and what an
 * iteration of it is, if there is one. */
TL_API size_t tl_pattern_list(size_t i, const char **name, const char **summary);

/* ---- programs: events that are made while they are read ---- */

/* tl_reader_open takes "KIND:PARAMETERS" in place of a path, unless a file has that name, and the
 * path of a skeleton (doc/SKELETON.md), which ",NAME=NUMBER,..." may follow: an opened program is
 * read by cursors as a file is, without one.  Its events are counted by nobody:
 * tl_rank_summary.n_events is 0.  If a skeleton is wrong, tl_reader_open, or the cursor that comes
 * to the wrong event, returns TL_ERR_INPUT. */

/* Nonzero if tl_reader_open takes it for a program. */
TL_API int tl_is_program(const char *path);
/* Writes what a program makes as a trace file. */
TL_API tl_status tl_program_write(tl_reader *r, const char *out_path, tl_error *err);

/* A capture of a program, and the values of the parameters with which it ran. */
typedef struct tl_fit_capture {
    tl_reader *reader;
    const int64_t *values;
} tl_fit_capture;
/* Makes a skeleton (doc/SKELETON.md) of two or more captures of the same program: *text, to be
 * freed.  It makes all calls of these captures; what is known of it stands in comments behind its
 * first line.  TL_ERR_UNSUPPORTED: a call, a value or an order of calls has no expression.  */
TL_API tl_status tl_fit(const tl_fit_capture *captures, size_t n, const char *const *names,
                        size_t n_names, char **text, tl_error *err);
/* The same, but sizes of messages and collectives that have no expression are drawn from the
 * captured distribution: the skeleton has the parameter draw_seed, which is `seed` by default. */
TL_API tl_status tl_fit_draw(const tl_fit_capture *captures, size_t n, const char *const *names,
                             size_t n_names, int64_t seed, char **text, tl_error *err);

/* Writes the trace with the sends, receives and waits of schedules (doc/SCHEDULE.md) in place of
 * its blocking collectives. A choice is "OPERATION:FILE", such as "alltoall:ring.sched"; of several
 * for one operation, the last one is valid. Calls on communicators between two groups remain.
 * TL_ERR_INPUT: a schedule is wrong, or a rank does not get its data. TL_ERR_USAGE: a schedule does
 * not serve the number of ranks of a call. */
TL_API tl_status tl_schedule_write(tl_reader *r, const char *const *choices, size_t n_choices,
                                   const char *out_path, tl_error *err);

/* HPL 2.x, the High-Performance Linpack benchmark: "hpl:N=1000,NB=128,P=2,Q=2".  Numbers are those
 * of HPL.dat. */
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
    double receive; /* share of an update after which the next panel is received; negative: when it
                       is there, as far as the one who replays can tell (tl_cursor_set_asker) */
    int64_t from, past; /* a window: the panels from `from` on and before `past`, a trace of their
                           own (doc/timeless-hpl.1); past 0: all, unmarked */
    char *pivots; /* file with the row of each pivot, from 0, a line each; NULL: they are drawn */
} tl_hpl;

/* Where that one cannot tell. */
#define TL_HPL_RECEIVE 0.0

TL_API void tl_hpl_default(tl_hpl *o);
/* Reads what follows the colon.  tl_hpl_free releases what *out contains. */
TL_API tl_status tl_hpl_parse(const char *text, tl_hpl *out, tl_error *err);
TL_API void tl_hpl_free(tl_hpl *o);
/* Number of panels; the first one, behind panel 0, where a window may begin. */
TL_API int64_t tl_hpl_panels(const tl_hpl *o);
TL_API int64_t tl_hpl_first_cut(const tl_hpl *o);
/* Writes all parameters, "hpl:" in front; returns the length that all of it has. */
TL_API size_t tl_hpl_text(const tl_hpl *o, char *text, size_t size);
/* The combinations that a file HPL.dat asks for, in the order of HPL's loops; free(*out) releases
 * them.  They have no file of pivots. */
TL_API tl_status tl_hpl_read_dat(const char *path, tl_hpl **out, size_t *n, tl_error *err);

/* ---- more ranks ---- */

/* Whose volumes a new rank has, of the recorded ranks whose calls it makes (doc/EXTRAPOLATION.md,
 * "Volumes"). */
typedef enum tl_volume_choice {
    TL_VOLUMES_DRAW = 0,    /* drawn, every recorded rank as often as the others */
    TL_VOLUMES_TYPICAL = 1, /* the one with the median volume */
    TL_VOLUMES_REPEAT = 2,  /* each in turn; where a rank is made of several, their mean */
} tl_volume_choice;

/* Grids are written "4x4", slowest dimension first, with a p after those that are periodic. */
typedef struct tl_extrapolate_options {
    uint32_t n_ranks;     /* of the new trace; 0: as new_grid says */
    const char *grid;     /* of the trace; NULL: as its partners and communicators show */
    const char *new_grid; /* NULL: as MPI_Dims_create makes it */
    tl_volume_choice volumes;
    uint64_t seed;   /* of TL_VOLUMES_DRAW */
    int allow_fewer; /* else fewer ranks than the trace has are TL_ERR_USAGE */
} tl_extrapolate_options;

/* Recorded ranks with like places that make the same calls. */
typedef struct tl_like_ranks {
    char *place;                  /* along each dimension: first, inner, last; any, only */
    uint32_t first, n_ranks;      /* tl_extrapolation.members[first] and so on */
    uint32_t typical;             /* the one with the median volume */
    uint64_t least, median, most; /* volumes */
    uint32_t n_new;               /* new ranks that have the volumes of one of them */
} tl_like_ranks;

typedef struct tl_recorded_rank {
    uint32_t group; /* tl_extrapolation.groups[group] */
    uint64_t volume, script;
    double relative; /* volume / that of the typical rank at its place; of all ranks, if it is alone
                        there */
    uint32_t n_new;  /* new ranks that compute as much, compared with their places */
} tl_recorded_rank;

#define TL_MEAN UINT32_MAX /* the mean of several ranks */
typedef struct tl_new_rank {
    uint32_t drawn;  /* the recorded rank that says how much it computes */
    uint32_t source; /* the one that its volumes are from, or TL_MEAN ... */
    double factor;   /* ... which were multiplied by this */
} tl_new_rank;

/* How it was done.  tl_extrapolation_free releases it. */
typedef struct tl_extrapolation {
    char *grid, *new_grid;
    int merged;         /* inner ranks were made of those at the sides */
    int folded;         /* directions along periodic dimensions of 1 or 2 ranks by the rule */
    uint64_t n_ordered; /* pairs of calls of one rank whose order no rank of the trace shows */
    uint32_t n_recorded, n_new;
    size_t n_groups;
    tl_like_ranks *groups;
    uint32_t *members;          /* of the groups, n_recorded ranks */
    tl_recorded_rank *recorded; /* by rank */
    tl_new_rank *sources;       /* by new rank */
} tl_extrapolation;

/* Writes the trace that a stencil, a sweep or another program on a grid of ranks would leave with
 * more ranks and as much work for each (doc/EXTRAPOLATION.md).  What does not fit a grid is refused
 * with TL_ERR_UNSUPPORTED by rank, event and reason, and nothing is written.  `out_path` may be the
 * trace itself.  *done, if it is not NULL, is filled on success. */
TL_API tl_status tl_extrapolate(tl_reader *r, const tl_extrapolate_options *options,
                                const char *out_path, tl_extrapolation *done, tl_error *err);
TL_API void tl_extrapolation_free(tl_extrapolation *done);

/* ---- parts ---- */

/* One trace from the parts that the hosts of a run wrote; anything else is refused, by name. */
TL_API tl_status tl_join(const char *const *paths, size_t n_paths, const char *out_path,
                         tl_error *err);
/* The same, but the parts of some hosts may be missing, unless `missing` is NULL: the trace then
 * has no events of their ranks. The names of these hosts are written to `missing` ("": none).
 * *n_losers, if it is not NULL, becomes the number of killed ranks whose last events are lost. */
TL_API tl_status tl_join_left(const char *const *paths, size_t n_paths, const char *out_path,
                              char *missing, size_t missing_bytes, uint32_t *n_losers,
                              tl_error *err);

/* A span of each rank's events: [first[r], past[r]). */
typedef struct tl_span {
    uint32_t n_ranks;
    uint64_t *first;
    uint64_t *past;
} tl_span;

TL_API void tl_span_free(tl_span *span);

/* How often each call occurs on a rank, and the events of each kernel of the program. */
typedef struct tl_call_counts {
    uint64_t n_events;
    uint64_t clock_ns; /* of the last event that has one */
    uint64_t calls[TL_CALL_LIMIT];
    struct tl_user_count {
        uint32_t id;
        uint64_t n;
    } * users;
    size_t n_users;
} tl_call_counts;

/* Reads the counts from the index of a large packed trace. 0: it has none, so that the events have
 * to be counted; nothing need be freed then. */
TL_API int tl_reader_counts(tl_reader *r, uint32_t rank, tl_call_counts *out);
TL_API void tl_call_counts_free(tl_call_counts *counts);

/* Sections: the run between two synchronising collectives over all ranks.  Section 0 ends before
 * the first of them; section i starts with the i-th.  Of a damaged trace the list ends where the
 * first rank does. */
typedef struct tl_section {
    uint16_t call;        /* the collective that opens it; 0 for section 0 */
    uint64_t n_events;    /* of all ranks */
    uint64_t clock_ns;    /* longest rank's, from its first to its last mark in it; 0 if unknown */
    uint64_t first_event; /* of rank 0 */
    uint32_t site;        /* of rank 0 */
} tl_section;

TL_API tl_status tl_sections_list(tl_reader *r, tl_section **out, size_t *n, tl_error *err);
/* Their number. It is in the index of a large packed trace; otherwise all events are read. */
TL_API tl_status tl_sections_count(tl_reader *r, size_t *n, tl_error *err);
/* Span of the sections first..last (both included), with the collective that closes the last: what
 * was computed before it belongs to the section. */
TL_API tl_status tl_span_of_sections(tl_reader *r, size_t first, size_t last, tl_span *out,
                                     tl_error *err);
/* Span from MPI_Pcontrol(level) to the next MPI_Pcontrol with another level, both included; the nth
 * (from 0). */
TL_API tl_status tl_span_of_region(tl_reader *r, int level, unsigned nth, tl_span *out,
                                   tl_error *err);
/* Events first..past-1 of every rank. */
TL_API tl_status tl_span_of_events(tl_reader *r, uint64_t first, uint64_t past, tl_span *out,
                                   tl_error *err);
/* Writes the part as a trace of its own.  Refuses (TL_ERR_UNSUPPORTED) a part in which a message or
 * a collective has only one of its sides, naming the first such pair of ranks.  Completions of
 * requests that began before the part are left out, communicators and persistent requests carried
 * over.  The first event loses its volume; clocks count from it. */
TL_API tl_status tl_cut(tl_reader *r, const tl_span *span, const char *origin, const char *out_path,
                        tl_error *err);

/* Marks that a part gets beside its events: MPI_Pcontrol, without a call site. */
typedef struct tl_cut_marks {
    size_t n;                 /* marks of each rank */
    size_t stride;            /* of `before` */
    const uint64_t *before;   /* [n_ranks][stride] events of the trace before which they are */
    const int64_t *delays_ns; /* [n_ranks] how long a rank sleeps before its first event; NULL:
                                 nobody does */
} tl_cut_marks;

/* The same, with marks: those before an event of the part or where the part ends. */
TL_API tl_status tl_cut_marked(tl_reader *r, const tl_span *span, const tl_cut_marks *marks,
                               const char *origin, const char *out_path, tl_error *err);

/* ---- events of a program as they are made ---- */

/* An event of a program as it is made, without the slots that it does not need: kernels, calls on
 * MPI_COMM_WORLD, and those without a communicator. */
typedef struct tl_short_event {
    uint16_t call;
    uint8_t site;
    uint8_t n_sizes; /* of a kernel; 0: it is none */
    int32_t peer;    /* or a kernel's first size */
    int32_t tag;     /* or the second */
    int32_t kernel;  /* a kernel's third size; of TL_KERNEL_user, which one it is */
    int64_t bytes;   /* in elements of 8 */
} tl_short_event;
/* Takes the events that a program has made and that nobody has taken, at least one: *n of them,
 * from *events on, valid until the next call on the cursor.  A probe is the last of them
 * (tl_cursor_look_ahead: some).  Of cursors on programs alone (tl_reader_calls); otherwise as
 * tl_cursor_next. */
TL_API tl_status tl_cursor_take(tl_cursor *c, const tl_short_event **events, size_t *n);
/* The event in full, with a list that stays as long as the cursor makes no other event. */
TL_API void tl_cursor_expand(tl_cursor *c, const tl_short_event *from, tl_event *event);

/* A program may look for a message, and go on as the answer says: nonzero if the message that the
 * probe (of MPI_Iprobe) asks for is there.  Asked within tl_cursor_next, when all events before
 * have been taken.  A negative answer is that it is not known yet: the probe is then returned as an
 * event, and the next tl_cursor_next asks once more.  Nobody asks for a file. */
typedef int tl_asker(void *arg, const tl_event *probe);
TL_API void tl_cursor_set_asker(tl_cursor *c, tl_asker *ask, void *arg);
/* For tl_cursor_take: up to n_probes probes come at a time, and nobody is asked before they have
 * been taken.  What follows a probe is what the program does if the message is not there.  Then the
 * asker is asked for one probe after the other, up to the first whose message is there; what was
 * taken behind this probe does not happen. */
TL_API void tl_cursor_look_ahead(tl_cursor *c, uint32_t n_probes);

/* ---- status of each function ---- */

/* What each function that returns a tl_status returns besides TL_OK, without TL_ERR_ in front.
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
 *   tl_goal_open             SYSTEM MEMORY NOT_A_TRACE INPUT
 *   tl_goal_next             END SYSTEM MEMORY INPUT
 *   tl_program_write         SYSTEM MEMORY LIMIT USAGE
 *   tl_schedule_write        SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT INPUT USAGE
 *   tl_hpl_parse             MEMORY USAGE
 *   tl_hpl_read_dat          SYSTEM MEMORY INPUT
 *   tl_cursor_take           MEMORY
 *   tl_extrapolate           SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT UNSUPPORTED USAGE
 *   tl_fit                   SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT INPUT UNSUPPORTED USAGE
 *   tl_fit_draw              SYSTEM MEMORY VERSION TRUNCATED CORRUPT LIMIT INPUT UNSUPPORTED USAGE
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
