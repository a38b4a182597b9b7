/* timeless.h - read and write time-independent traces of MPI programs.
 *
 * A trace contains, for each rank of a run, the sequence of its MPI calls and kernels (calls of
 * routines such as dgemm), and the volume of the computation between them, for example in
 * instructions.  Some calls, the marks (such as MPI_Init), also have a clock time, which can be
 * compared with the predicted time.  If the user asks for it (timeless record --call-times), every
 * call has the time that it took.  A replay needs neither of these times.  One file contains all
 * ranks.  doc/FORMAT.md specifies the file; compress/mpi_calls.def lists what each call records.
 *
 * Conventions of every function here:
 *   - A function that can fail returns a tl_status.  The end of each public header of libtimeless
 *     lists the statuses of each function.  An out-parameter receives the result.  Set
 *     *out to NULL before the call: after a failure it is still NULL.  The library never prints
 *     and never exits.
 *   - *_close and *_free accept NULL.
 *   - Strings are UTF-8.  An object owns the strings and arrays that it returned; they are valid
 *     until it is closed.
 *   - Several threads may use different objects at the same time, but not the same object.
 *     Several cursors of one reader may be used by different threads at the same time.
 *
 * This header and timeless_source.h are stable: a program that was linked with one release runs
 * with each later one of the same library name (libtimeless.so.0); the structs keep their layout.
 * What timeless_convert.h and timeless_files.h declare may change with each release.  To use
 * them, define TIMELESS_EXPERIMENTAL before you include timeless.h, which then includes
 * timeless_convert.h, too. Include timeless_files.h yourself.
 *
 * SPDX-FileCopyrightText: 2026 the Timeless authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMELESS_H
#define TIMELESS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Define TL_HIDDEN in a library that contains this library and must not export its functions. */
#if defined(TL_HIDDEN)
#define TL_API __attribute__((visibility("hidden")))
#elif defined(__GNUC__)
#define TL_API __attribute__((visibility("default")))
#else
#define TL_API
#endif

/* ---- version ---- */

/* The version of this header. tl_version_number() returns the version of the loaded library. */
#define TIMELESS_VERSION_MAJOR 0
#define TIMELESS_VERSION_MINOR 1
#define TIMELESS_VERSION_PATCH 0
#define TIMELESS_VERSION "0.1.0"
/* Later versions have greater numbers: #if TIMELESS_VERSION_NUMBER >= 10200 (1.2.0 or later). */
#define TIMELESS_VERSION_NUMBER                                                                    \
    (10000 * TIMELESS_VERSION_MAJOR + 100 * TIMELESS_VERSION_MINOR + TIMELESS_VERSION_PATCH)

/* TIMELESS_VERSION and TIMELESS_VERSION_NUMBER of the loaded library. */
TL_API const char *tl_version(void);
TL_API int tl_version_number(void);

/* ---- status ---- */

/* A status keeps its number. 32 and 50 belonged to removed statuses and are not used again. */
typedef enum tl_status {
    TL_OK = 0,
    TL_END = 1,         /* no further event; not an error */
    TL_ERR_SYSTEM = 10, /* the operating system refused: see tl_error.text */
    TL_ERR_MEMORY = 11,
    TL_ERR_NOT_A_TRACE = 20,
    TL_ERR_VERSION = 21,   /* written by a newer, incompatible version */
    TL_ERR_TRUNCATED = 22, /* the file ends too early; everything before the end is intact */
    TL_ERR_CORRUPT = 23,   /* a checksum or a rule of the format is violated */
    TL_ERR_LIMIT = 24,     /* beyond a limit of the format (see doc/FORMAT.md) */
    TL_ERR_NO_RANK = 25,   /* the trace has no such rank */
    TL_ERR_INPUT = 30, /* an error in an input that is no binary trace: a text of events, HPL.dat */
    TL_ERR_UNSUPPORTED = 31, /* the input is legal, but the output cannot express it */
    TL_ERR_USAGE = 40,       /* wrong argument */
    /* The library returns no status of 100 or more. A program may use these numbers for errors of
     * its own, in a tl_error and as results of its callbacks. */
    TL_STATUS_USER = 100
} tl_status;

/* What went wrong and where.  A function that takes a tl_error * fills it on failure, and accepts
 * NULL.  `text` is one line without newline: "FILE:OFFSET: what is wrong; what to do".  A longer
 * line is cut. */
typedef struct tl_error {
    tl_status status;
    char text[512];
} tl_error;

/* Fills *err (NULL is accepted) with the status and the formatted line. A '?' replaces each line
 * break. Programs that use this library may report their own errors with it, too. */
TL_API void tl_error_set(tl_error *err, tl_status status, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* tl_error_set as an expression with the value `status`, which is evaluated twice.  It is a macro,
 * so that compilers and checkers see that the value is not TL_OK. */
#define tl_fail(err, status, ...) (tl_error_set(err, status, __VA_ARGS__), (status))
/* tl_fail for lack of memory. what: the file, or the work, that needed it. */
#define tl_no_memory(err, what) tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", what)

/* Calls a function that returns a tl_status; returns from the caller, with this status, if it is
 * not TL_OK. For callers that have nothing to free. */
#define TL_TRY(...)                                                                                \
    do {                                                                                           \
        const tl_status tl_tried_ = (__VA_ARGS__);                                                 \
        if (tl_tried_ != TL_OK)                                                                    \
            return tl_tried_;                                                                      \
    } while (0)

/* A description of the status in a few words. */
TL_API const char *tl_status_text(tl_status status);

/* Exit code of a command that ends with this status: 0 ok, 2 usage, 4 system or memory, 3 all
 * others. */
TL_API int tl_status_exit_code(tl_status status);

/* ---- schema ---- */

/* What a call does. Calls with the same action are replayed in the same way. A number
 * never changes. A new action gets the next free number (tests/golden/numbers.txt lists the
 * released ones). */
typedef enum tl_action {
    TL_ACTION_NONE = 0,
    TL_ACTION_MATCH = 1,
    TL_ACTION_INIT = 2,
    TL_ACTION_FINALIZE = 3,
    TL_ACTION_ABORT = 4,
    TL_ACTION_REGION = 5,
    TL_ACTION_CLOCK = 6,
    TL_ACTION_SLEEP = 7, /* count: nanoseconds */
    TL_ACTION_SEND = 8,
    TL_ACTION_RECV = 9,
    TL_ACTION_SENDRECV = 10,
    TL_ACTION_ISEND = 11,
    TL_ACTION_IRECV = 12,
    TL_ACTION_SEND_INIT = 13,
    TL_ACTION_RECV_INIT = 14,
    TL_ACTION_START = 15,
    TL_ACTION_PROBE = 16,
    TL_ACTION_WAIT = 17,
    TL_ACTION_REQUEST_FREE = 18,
    TL_ACTION_CANCEL = 19,
    TL_ACTION_BARRIER = 20,
    TL_ACTION_BCAST = 21,
    TL_ACTION_REDUCE = 22,
    TL_ACTION_ALLREDUCE = 23,
    TL_ACTION_GATHER = 24,
    TL_ACTION_GATHERV = 25,
    TL_ACTION_SCATTER = 26,
    TL_ACTION_SCATTERV = 27,
    TL_ACTION_ALLGATHER = 28,
    TL_ACTION_ALLGATHERV = 29,
    TL_ACTION_ALLTOALL = 30,
    TL_ACTION_ALLTOALLV = 31,
    TL_ACTION_ALLTOALLW = 32,
    TL_ACTION_REDUCE_SCATTER = 33,
    TL_ACTION_REDUCE_SCATTER_BLOCK = 34,
    TL_ACTION_SCAN = 35,
    TL_ACTION_EXSCAN = 36,
    TL_ACTION_IBARRIER = 37,
    TL_ACTION_IBCAST = 38,
    TL_ACTION_IREDUCE = 39,
    TL_ACTION_IALLREDUCE = 40,
    TL_ACTION_IGATHER = 41,
    TL_ACTION_IGATHERV = 42,
    TL_ACTION_ISCATTER = 43,
    TL_ACTION_ISCATTERV = 44,
    TL_ACTION_IALLGATHER = 45,
    TL_ACTION_IALLGATHERV = 46,
    TL_ACTION_IALLTOALL = 47,
    TL_ACTION_IALLTOALLV = 48,
    TL_ACTION_IALLTOALLW = 49,
    TL_ACTION_IREDUCE_SCATTER = 50,
    TL_ACTION_IREDUCE_SCATTER_BLOCK = 51,
    TL_ACTION_ISCAN = 52,
    TL_ACTION_IEXSCAN = 53,
    TL_ACTION_NEIGHBOR_ALLGATHER = 54,
    TL_ACTION_NEIGHBOR_ALLGATHERV = 55,
    TL_ACTION_NEIGHBOR_ALLTOALL = 56,
    TL_ACTION_NEIGHBOR_ALLTOALLV = 57,
    TL_ACTION_NEIGHBOR_ALLTOALLW = 58,
    TL_ACTION_INEIGHBOR_ALLGATHER = 59,
    TL_ACTION_INEIGHBOR_ALLGATHERV = 60,
    TL_ACTION_INEIGHBOR_ALLTOALL = 61,
    TL_ACTION_INEIGHBOR_ALLTOALLV = 62,
    TL_ACTION_INEIGHBOR_ALLTOALLW = 63,
    TL_ACTION_COMM_DUP = 64,
    TL_ACTION_COMM_SPLIT = 65,
    TL_ACTION_COMM_CREATE = 66,
    TL_ACTION_INTERCOMM_CREATE = 67,
    TL_ACTION_INTERCOMM_MERGE = 68,
    TL_ACTION_COMM_FREE = 69,
    /* One-sided, collective over the window. */
    TL_ACTION_WIN_CREATE = 70,
    TL_ACTION_WIN_FREE = 71,
    TL_ACTION_WIN_FENCE = 72,
    /* Files, collective over the ranks that opened the file. */
    TL_ACTION_FILE_OPEN = 73,
    TL_ACTION_FILE_CLOSE = 74,
    TL_ACTION_FILE_SETUP = 75,       /* view, size, shared pointer: no data */
    TL_ACTION_FILE_PREALLOCATE = 76, /* count: bytes of the file */
    TL_ACTION_FILE_SYNC = 77,
    TL_ACTION_FILE_READ_ALL = 78,
    TL_ACTION_FILE_WRITE_ALL = 79,
    TL_ACTION_FILE_READ_BEGIN = 80, /* begins a split collective; this event has the sizes */
    TL_ACTION_FILE_WRITE_BEGIN = 81,
    TL_ACTION_FILE_READ_END = 82, /* waits until the data are moved */
    TL_ACTION_FILE_WRITE_END = 83,
    /* Files, not collective. */
    TL_ACTION_FILE_READ = 84,
    TL_ACTION_FILE_WRITE = 85,
    TL_ACTION_FILE_DELETE = 86,
    /* One-sided, not collective: to and from the window of rank `peer`. */
    TL_ACTION_PUT = 87,
    TL_ACTION_GET = 88,
    TL_ACTION_ACCUMULATE = 89,
    TL_ACTION_GET_ACCUMULATE = 90, /* count * type_bytes go there, recv_count *
                                  recv_type_bytes come back */
    TL_ACTION_WIN_POST = 91,       /* list: ranks that may access this rank's window */
    TL_ACTION_WIN_START = 92,      /* list: ranks whose windows are accessed */
    TL_ACTION_WIN_COMPLETE = 93,
    TL_ACTION_WIN_WAIT = 94,
    TL_ACTION_WIN_LOCK = 95,
    TL_ACTION_WIN_LOCK_ALL = 96,
    TL_ACTION_WIN_UNLOCK = 97,
    TL_ACTION_WIN_UNLOCK_ALL = 98,
    TL_ACTION_WIN_FLUSH = 99,
    TL_ACTION_WIN_FLUSH_ALL = 100,
    TL_ACTION_WIN_FLUSH_LOCAL = 101,
    TL_ACTION_WIN_FLUSH_LOCAL_ALL = 102,
    TL_ACTION_WIN_SYNC = 103,
    TL_ACTION_OPAQUE = 104, /* communicates, not modelled */
    TL_ACTION_KERNEL = 105,
    TL_ACTION_THREAD = 106, /* the next events belong to the thread that this event names */
    TL_ACTION_ENTER = 107   /* a call of this thread begins here; its own event follows when it
                               returns, perhaps after events of other threads */
} tl_action;

/* Slots: the members of tl_event that a call can fill, as bits. */
enum {
    TL_SLOT_COUNT = 1 << 0,
    TL_SLOT_TYPE = 1 << 1,
    TL_SLOT_PEER = 1 << 2,
    TL_SLOT_TAG = 1 << 3,
    TL_SLOT_RECV_COUNT = 1 << 4,
    TL_SLOT_RECV_TYPE = 1 << 5,
    TL_SLOT_RECV_PEER = 1 << 6,
    TL_SLOT_RECV_TAG = 1 << 7,
    TL_SLOT_COMM = 1 << 8,
    TL_SLOT_REQUEST = 1 << 9,
    TL_SLOT_NEW_COMM = 1 << 10,
    TL_SLOT_FLAGS = 1 << 11,
    TL_SLOT_CLOCK = 1 << 12,
    TL_SLOT_LIST = 1 << 13,
    TL_SLOT_TOOK = 1 << 14 /* took_ns. No row of mpi_calls.def has this slot, because every event
                              can have it */
};

/* Traits of a call, as bits. */
enum {
    TL_TRAIT_NB = 1 << 0,    /* starts a request */
    TL_TRAIT_SYNC = 1 << 1,  /* no rank leaves before every rank has entered */
    TL_TRAIT_MARK = 1 << 2,  /* carries the rank's clock */
    TL_TRAIT_SIZED = 1 << 3, /* list has one element per rank or neighbour of the communicator. If
                                both the sent and the received sizes differ by rank, it has all
                                sent sizes, then all received ones */
    TL_TRAIT_PERSISTENT = 1 << 4 /* makes a request that does nothing until it is started; a
                                    persistent collective has the action of its nonblocking form */
};

typedef struct tl_call_info {
    uint16_t code;
    const char *name; /* "MPI_Send", "dgemm", "Match" */
    tl_action action;
    uint32_t slots;         /* TL_SLOT_* */
    uint32_t traits;        /* TL_TRAIT_* */
    const char *dimensions; /* kernels: names of the sizes in list, "m n k"; otherwise NULL */
} tl_call_info;

/* Codes of the calls: TL_MPI_Send, TL_KERNEL_dgemm... TL_MPI_Match is no call of MPI, but an event
 * with the source and the tag of the message that a receive from any source took. */
enum tl_call {
    TL_MPI_NONE = 0,
#define TL_CALL(code, name, action, traits, ...) TL_MPI_##name = (code),
#define TL_SPECIAL TL_CALL
#define TL_PSEUDO TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE(code, name, ...) TL_MPI_##name = (code),
#include "mpi_calls.def"
#define TL_KERNEL(code, name, ...) TL_KERNEL_##name = (code),
#include "kernels.def"
    TL_CALL_LIMIT = 2048 /* every code is below */
};

/* What the tables say of a code. For a code of kernels (from TL_KERNEL_dgemm on) without a row,
 * returns the row of TL_KERNEL_unknown; for any other code without a row, NULL. */
TL_API const tl_call_info *tl_call_by_code(unsigned code);
/* The same for a name ("MPI_Send", "dgemm"); NULL if there is none. */
TL_API const tl_call_info *tl_call_by_name(const char *name);
/* The work of a kernel with these sizes: the leading term of the number of operations, without the
 * constant factor: m * n * k for dgemm. 0 for other calls. */
TL_API double tl_kernel_work(unsigned code, const int64_t *sizes, size_t n_sizes);
/* The floating-point operations in a unit of this work; for a kernel that only moves data, the
 * elements that it moves. 0 for other calls, and if the number is not known. */
TL_API double tl_kernel_flops_per_work(unsigned code);

/* ---- events ---- */

enum { TL_COMM_NULL = 0, TL_COMM_WORLD = 1, TL_COMM_SELF = 2, TL_COMM_FIRST = 3 };
enum { TL_PROC_NULL = -1, TL_ANY_SOURCE = -2, TL_ANY_TAG = -1, TL_ROOT = -3 };
enum {
    TL_IN_PLACE = 1,
    TL_NONCOMMUTATIVE = 2,
    TL_EXCLUSIVE = 4,
    /* For MPI_Compare_and_swap. If neither is set (files before format 1.4), the outcome is
     * unknown. */
    TL_SWAPPED = 8,
    TL_NOT_SWAPPED = 16
};

/* Values of tl_event.tag, joined by |. For MPI_Win_fence, post, start and lock: the assertion. */
enum {
    TL_MODE_NOCHECK = 1,
    TL_MODE_NOPRECEDE = 2,
    TL_MODE_NOPUT = 4,
    TL_MODE_NOSTORE = 8,
    TL_MODE_NOSUCCEED = 16
};
/* For MPI_File_open: the access mode. */
enum {
    TL_MODE_CREATE = 1,
    TL_MODE_RDONLY = 2,
    TL_MODE_WRONLY = 4,
    TL_MODE_RDWR = 8,
    TL_MODE_DELETE_ON_CLOSE = 16,
    TL_MODE_UNIQUE_OPEN = 32,
    TL_MODE_EXCL = 64,
    TL_MODE_APPEND = 128,
    TL_MODE_SEQUENTIAL = 256
};

/* One event of one rank.  The row of the call in mpi_calls.def lists the slots that it fills; all
 * others are 0. */
typedef struct tl_event {
    uint16_t call;   /* TL_MPI_* or TL_KERNEL_* */
    uint16_t flags;  /* TL_IN_PLACE ... TL_NOT_SWAPPED, joined by | */
    uint32_t site;   /* call site: id of a tl_site of this rank; 0 unknown */
    uint64_t volume; /* computation since the previous event, in tl_run.volume_unit */
    uint32_t polls; /* number of failed tests and probes between the previous event and this one; in
                     * an event of MPI_Wtime: number of calls of MPI_Wtime directly after it, which
                     * have no event of their own */
    uint32_t comm;  /* communicator, window or file: id of a tl_comm of this rank */
    uint32_t new_comm; /* what this call made; TL_COMM_NULL if this rank got none */
    uint32_t request;  /* id of a request, 1 or more; a later request may reuse it; 0: null */
    int32_t peer; /* destination, source, target or root: a rank in comm (of an intercommunicator:
                     in its other group), or TL_PROC_NULL, TL_ANY_SOURCE, TL_ROOT */
    int32_t tag;  /* the tag; for some calls TL_MODE_*, the level (MPI_Pcontrol) or the error code
                     (MPI_Abort) */
    int32_t recv_peer;
    int32_t recv_tag;
    int64_t count;      /* elements */
    int64_t type_bytes; /* bytes per element (MPI_Type_size) */
    int64_t recv_count;
    int64_t recv_type_bytes;
    uint64_t clock_ns; /* marks only: wall-clock nanoseconds since MPI_Init of this rank returned.
                          The clock is read when the call returns, in Finalize and Abort when it
                          begins */
    uint32_t list_len;
    float took_ns;       /* nanoseconds from the start of the call to its return, by the clock; 0
                            unknown. Exact below 2^24, otherwise to 7 digits: it is a float, because
                            the struct had room for 4 bytes only */
    const int64_t *list; /* counts, request ids, ranks or kernel sizes; in an event that a cursor
                            filled: owned by the cursor, and valid until the next call with this
                            cursor */
} tl_event;

/* A communicator, a window (`call` has the action TL_ACTION_WIN_CREATE) or an open file (`call` is
 * MPI_File_open), as one rank defines it.
 *
 * Two definitions, by different ranks, describe the same communicator if they have the same
 * members and tag, and if their parents are the same communicator (by this rule again).  If
 * several definitions of a rank have the same members, tag and parent, they are matched in their
 * order: the first of one rank and the first of the other describe the same communicator, and so
 * on.  A communicator made by MPI_Comm_create_group is matched only with others made by it.
 *
 * Two rules differ for intercommunicators.  The local group in one definition may be the remote
 * group in the other.  If the parents are intracommunicators, they are not compared, because each
 * of the two groups has a parent of its own. */
typedef struct tl_comm {
    uint32_t id;      /* TL_COMM_FIRST or more; WORLD and SELF need no definition */
    uint32_t parent;  /* id of the communicator from which it was made; defined earlier */
    uint16_t call;    /* TL_MPI_Comm_split, TL_MPI_Win_create, ... */
    uint16_t has_tag; /* 1: made by MPI_Comm_create_group; 0 in files before format 1.10 */
    uint32_t n_members;
    const int32_t *members; /* ranks in MPI_COMM_WORLD, in order of the rank in this communicator */
    uint32_t n_remote;      /* 0: not an intercommunicator */
    int32_t tag;            /* if has_tag */
    const int32_t *remote;  /* the other group, in the same form as `members` */
    /* For a topology: the neighbours of this rank, as ranks in this communicator or TL_PROC_NULL,
     * in the order in which neighbourhood collectives use them. */
    uint32_t n_sources, n_destinations; /* both 0: none */
    const int32_t *sources, *destinations;
    const char *name; /* of a file, as the program named it; otherwise "" */
} tl_comm;

/* A call site: the place in the program from which a call is made. */
typedef struct tl_site {
    uint32_t id;                     /* 1 or more */
    const char *object;              /* base name of the object file */
    uint64_t offset;                 /* of the call in this file, in bytes */
    uint32_t n_sources;              /* number of source lines; 0: unknown. The first is that of the
                                        call. If the call is in an inlined function, the line where
                                        that function was called is next, and so on */
    const struct tl_source *sources; /* timeless_source.h */
    uint32_t caller; /* id of the call site one level up the stack: from there, the function that
                        contains this site was called. It is less than the id of this site; 0:
                        unknown */
} tl_site;

/* A kernel that the program named (tracer/timeless_kernel.h). Events of TL_KERNEL_user have its id
 * in their tag. */
typedef struct tl_user_kernel {
    uint32_t id; /* 1 or more, at most INT32_MAX */
    const char *name;
} tl_user_kernel;

/* A counter that a rank recorded in addition to its volumes, from the end of MPI_Init to
 * MPI_Finalize. */
typedef struct tl_counter {
    uint32_t id;      /* 1 or more */
    const char *name; /* "papi:PAPI_L2_TCM", "mpit:runtime_spc_OMPI_SPC_SEND" */
    uint64_t value;
} tl_counter;

/* ---- the run ---- */

typedef struct tl_run {
    uint32_t n_ranks;
    const char *volume_unit;   /* "instructions", "cpu-ns", "none", ...: unit of tl_event.volume */
    const char *volume_source; /* "papi:PAPI_TOT_INS", "clock:thread-cputime", ... */
    const char *program;       /* command line, blanks between the arguments */
    const char *mpi_library;   /* first line of MPI_Get_library_version */
    const char *writer;        /* "timeless 0.1.0" */
    const char *origin; /* of a trace that was made from others: their names, and how; else "" */
    const char *run_id; /* unique for each run; "" unknown */
    /* Each of the following is "" if it does not apply. Several names are separated by blanks. */
    const char *parts;         /* names of the hosts, if each host wrote a file of its own */
    const char *folding;       /* "64 ranks on 2 cores", if ranks shared cores */
    const char *untraced;      /* MPI functions that the tracer does not know */
    const char *parameters;    /* "N=1000 steps=20", sizes that the user named */
    const char *volume_sample; /* "16 of 301": the run was divided into 301 blocks of successive
                                  events, and only 16 of them have volumes */
    const char *volume_bursts; /* "900 sampled, 3 rounded, of 1000": to make the file smaller, 900
                                  of 1000 volumes were replaced by volumes of similar events, and 3
                                  were rounded; the others are as recorded (FORMAT.md) */
} tl_run;

/* How the events of a rank end. */
typedef enum tl_end_reason {
    TL_END_NONE = 0,      /* no end was written: the rank was killed or is still running */
    TL_END_FINALIZED = 1, /* MPI_Finalize */
    TL_END_EXITED = 2,    /* the process exited without MPI_Finalize */
    TL_END_ABORTED = 3,   /* MPI_Abort */
    TL_END_FAILED = 4,    /* the tracer failed (disk, memory) */
    TL_END_CUT = 5        /* a part of a longer trace */
} tl_end_reason;

typedef struct tl_rank_summary {
    uint64_t n_events; /* intact events */
    uint64_t volume;   /* sum of volumes */
    uint64_t clock_ns; /* clock at the end, 0 if unknown */
    tl_end_reason end;
    const char *host;   /* name of the host on which the rank ran */
    const char *remark; /* for the user: why the events ended; "" if the writer gave none */
    const char *clock;  /* why recorded times must not be compared with a prediction, or "" */
    /* 1: the rank was killed, and a second file, PATH.open, kept the events that were not yet
     * written (tl_trace_keep_open). The last n_recovered events come from this file; only the call
     * that was not complete is lost. */
    int kept_open;
    uint64_t n_recovered;
} tl_rank_summary;

/* ---- writing ---- */

typedef struct tl_writer tl_writer;

/* Creates (or truncates) the file and writes the header of the run.  Call it once, before the first
 * tl_writer_open. */
TL_API tl_status tl_trace_create(const char *path, const tl_run *run, tl_error *err);

/* Opens the part of one rank in a file that tl_trace_create made.  Writers of different ranks, in
 * one or many processes on one host, may append at the same time: each append is one write() with
 * O_APPEND. */
TL_API tl_status tl_writer_open(const char *path, uint32_t rank, const char *host, tl_writer **out,
                                tl_error *err);
/* The two following functions keep in the file PATH.open what the writers still buffer, so that it
 * survives when the process is killed. tl_trace_keep_open makes this file; call it after
 * tl_trace_create and before the first tl_writer_open. tl_writer_keep_open must be the first call
 * on each writer. When the last writer is closed, it removes the file. If one of the two calls
 * fails, for example because the disk is full, the writer works without the file. */
TL_API tl_status tl_trace_keep_open(const char *path, tl_error *err);
TL_API tl_status tl_writer_keep_open(tl_writer *w, tl_error *err);
/* Removes a trace and its PATH.open. */
TL_API void tl_trace_remove(const char *path);
/* Events refer to communicators, call sites and kernels by an id, which the following functions
 * define. Call them before the first event that uses the id. The writer copies the definition. */
TL_API tl_status tl_writer_define_comm(tl_writer *w, const tl_comm *comm);
TL_API tl_status tl_writer_define_site(tl_writer *w, const tl_site *site);
TL_API tl_status tl_writer_define_kernel(tl_writer *w, const tl_user_kernel *kernel);
/* A counter is defined when its value is known, before the writer is closed. */
TL_API tl_status tl_writer_define_counter(tl_writer *w, const tl_counter *counter);
/* Appends an event.  It allocates nothing, and makes a system call only if a frame (a compressed
 * block of events) is full.  After a failure, every later call returns the same status and does
 * nothing. */
TL_API tl_status tl_writer_put(tl_writer *w, const tl_event *event);
/* Writes the buffered events to the file, as a frame. */
TL_API tl_status tl_writer_flush(tl_writer *w);
/* The failure of the writer; its status is TL_OK if there was none. */
TL_API const tl_error *tl_writer_error(const tl_writer *w);
/* Sets tl_rank_summary.remark, why the events of the rank end: one line of less than 512 bytes. */
TL_API tl_status tl_writer_remark(tl_writer *w, const char *text);
/* Sets the reason why the rank's clocks are not comparable with a prediction, for example an
 * overloaded machine: one line of less than 512 bytes. It replaces an earlier reason; ""
 * removes the reason. */
TL_API tl_status tl_writer_clock(tl_writer *w, const char *reason);
/* Flushes, writes the rank's end (TL_END_FAILED after a failure) and releases the writer,
 * even if it returns an error. */
TL_API tl_status tl_writer_close(tl_writer *w, tl_end_reason reason, uint64_t clock_ns);
/* Releases the writer and writes nothing. A child calls it after fork(). */
TL_API void tl_writer_abandon(tl_writer *w);

/* ---- reading ---- */

typedef struct tl_reader tl_reader;
typedef struct tl_cursor tl_cursor;

/* Opens a trace and finds its frames. A text trace of SimGrid (a list of its files, or
 * one file of all ranks) is first converted into a temporary file without a name, in TMPDIR. A
 * damaged or incomplete file can be opened if its header is intact; tl_reader_damage and
 * tl_rank_summary.end then report what is missing. */
TL_API tl_status tl_reader_open(const char *path, tl_reader **out, tl_error *err);
TL_API void tl_reader_close(tl_reader *r);
TL_API const tl_run *tl_reader_run(const tl_reader *r);
TL_API const char *tl_reader_path(const tl_reader *r);
/* A number that identifies the trace: the hash (XXH64) of the file's bytes and of the events that
 * were recovered from PATH.open. */
TL_API tl_status tl_reader_hash(tl_reader *r, uint64_t *out, tl_error *err);
/* Bytes of the file, header and checksums included. */
TL_API uint64_t tl_reader_file_bytes(const tl_reader *r);
TL_API tl_status tl_reader_rank(const tl_reader *r, uint32_t rank, tl_rank_summary *out);
/* The reason why the clocks of the recording are not comparable with a prediction. They
 * are not if ranks of the recorded run shared cores, waited for a core, or ran in an emulator.
 * Returns the length of the reason, 0 if the clocks are comparable. The
 * text is cut to `size` bytes, its 0 included. */
TL_API size_t tl_reader_clock(const tl_reader *r, char *text, size_t size);
/* Nonzero if every rank is present and undamaged, and ended by Finalize or Cut. */
TL_API int tl_reader_complete(const tl_reader *r);
/* The damages that tl_reader_open found: their number, and one of them ("FILE:OFFSET: ..."). */
TL_API size_t tl_reader_n_damages(const tl_reader *r);
TL_API const tl_error *tl_reader_damage(const tl_reader *r, size_t i);
/* All definitions of a rank, ordered by id; returns their number, 0 if there is no such rank. The
 * reader owns them. */
TL_API size_t tl_reader_comms(const tl_reader *r, uint32_t rank, const tl_comm **out);
TL_API size_t tl_reader_sites(const tl_reader *r, uint32_t rank, const tl_site **out);
TL_API size_t tl_reader_counters(const tl_reader *r, uint32_t rank, const tl_counter **out);
TL_API size_t tl_reader_kernels(const tl_reader *r, uint32_t rank, const tl_user_kernel **out);
/* Name of the kernel of a TL_KERNEL_user event; NULL if the rank has not defined its id. Equal
 * names are the same pointer in all ranks. */
TL_API const char *tl_reader_kernel_name(const tl_reader *r, uint32_t rank, const tl_event *event);
/* Writes "hpcc+0x1a2b", or "?" if the site is 0 or unknown. `size` is at least 16; a longer text is
 * cut. */
TL_API void tl_site_text(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size);

/* Opens a cursor, which reads the events of one rank in order, with memory for one frame. Close it
 * before its reader. */
TL_API tl_status tl_cursor_open(tl_reader *r, uint32_t rank, tl_cursor **out, tl_error *err);
/* TL_OK: *event is filled. TL_END: there are no more events. Any other status: the trace is damaged
 * at this point. Earlier events are intact, tl_cursor_error returns the reason, and every further
 * call returns the same status. */
TL_API tl_status tl_cursor_next(tl_cursor *c, tl_event *event);
/* Moves the cursor: tl_cursor_next then returns event number `event` of the rank; the first event
 * is number 0. Reads and decodes at most one frame. If the rank has fewer intact events, the cursor
 * does not move, and the result is TL_END. Other statuses are those of tl_cursor_next. */
TL_API tl_status tl_cursor_seek(tl_cursor *c, uint64_t event);
/* Number of the event that tl_cursor_next returns next. */
TL_API uint64_t tl_cursor_position(const tl_cursor *c);
/* Bytes of the file that this cursor has read. */
TL_API uint64_t tl_cursor_bytes_read(const tl_cursor *c);
TL_API const tl_error *tl_cursor_error(const tl_cursor *c);
TL_API void tl_cursor_close(tl_cursor *c);

/* ---- text of an event ---- */

/* Writes the canonical text of an event into buf: one line without newline, with a pair name=value
 * for each slot of its row. Returns the length of the whole line, like snprintf. */
TL_API size_t tl_event_text(const tl_event *event, char *buf, size_t size);

/* ---- status of each function ---- */

/* The statuses of each function besides TL_OK, without the prefix TL_ERR_ (END is TL_END).  A
 * writer or a cursor that has failed returns the status of this failure again.  The path
 * given to tl_reader_open may also name a generator of events, such as "hpl:N=1000"
 * (timeless_convert.h). tl_reader_open returns USAGE only for wrong parameters of a generator, and
 * INPUT only for an error in a file that a generator reads (HPL.dat, or a skeleton: a text that
 * describes the calls of a program), or in a text trace.
 *
 *   tl_trace_create          SYSTEM MEMORY LIMIT
 *   tl_trace_keep_open       SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED CORRUPT LIMIT
 *   tl_writer_open           SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED CORRUPT LIMIT NO_RANK
 *   tl_writer_keep_open      SYSTEM MEMORY TRUNCATED LIMIT USAGE
 *   tl_writer_define_comm    SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_define_site    SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_define_kernel  SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_define_counter SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_put            SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_flush          SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_remark         SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_clock          SYSTEM MEMORY LIMIT USAGE
 *   tl_writer_close          SYSTEM MEMORY LIMIT USAGE
 *   tl_reader_open           SYSTEM MEMORY NOT_A_TRACE VERSION TRUNCATED CORRUPT LIMIT INPUT
 *                            USAGE
 *   tl_reader_hash           SYSTEM MEMORY TRUNCATED
 *   tl_reader_rank           NO_RANK
 *   tl_cursor_open           MEMORY NO_RANK
 *   tl_cursor_next           END SYSTEM MEMORY VERSION TRUNCATED CORRUPT
 *   tl_cursor_seek           END SYSTEM MEMORY VERSION TRUNCATED CORRUPT
 */

#ifdef __cplusplus
}
#endif

#include "timeless_source.h"
#ifdef TIMELESS_EXPERIMENTAL
#include "timeless_convert.h"
#endif

#endif
