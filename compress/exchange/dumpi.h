/* dumpi.h - internal header of the import of DUMPI's traces (sst-dumpi): one binary file for each
 * rank.
 *
 * It follows the description of the format that comes with sst-dumpi (docs/traceformat.dox), and
 * the order of the fields in its reader (dumpi/common). Integers are big-endian. */
#ifndef TL_DUMPI_H
#define TL_DUMPI_H

#include "core/bytes.h"
#include "core/map.h"
#include "timeless.h"

#include <inttypes.h>
#include <stdbool.h>

enum tl_dumpi_function {
#define DUMPI_CALL(name, fields) TL_DUMPI_##name,
#define DUMPI_LOCAL DUMPI_CALL
#define DUMPI_NONE(name) TL_DUMPI_##name,
#include "dumpi_calls.def"
    TL_DUMPI_N_CALLS,
    TL_DUMPI_FUNCTION_ENTER, /* of functions that are no MPI calls */
    TL_DUMPI_FUNCTION_EXIT,
    TL_DUMPI_END_OF_STREAM
};

typedef enum tl_dumpi_kind { TL_DUMPI_IS_NONE, TL_DUMPI_IS_LOCAL, TL_DUMPI_IS_CALL } tl_dumpi_kind;

typedef struct tl_dumpi_row {
    const char *name; /* "MPI_Send" */
    const char *fields;
    tl_dumpi_kind kind;
} tl_dumpi_row;

extern const tl_dumpi_row tl_dumpi_rows[TL_DUMPI_N_CALLS];

enum { TL_DUMPI_COMM_NULL = 1, TL_DUMPI_COMM_WORLD = 2, TL_DUMPI_COMM_SELF = 3 };

/* The times of one call. Seconds are relative to the start time in the file, modulo 2^16. */
typedef struct tl_dumpi_times {
    bool known;
    uint16_t start_s, stop_s;
    uint32_t start_ns, stop_ns;
} tl_dumpi_times;

typedef struct tl_dumpi_status {
    int32_t source, tag;
    bool cancelled;
} tl_dumpi_status;

/* Elements are int64_t. */
typedef struct tl_dumpi_array {
    tl_buffer bytes;
    size_t n;
} tl_dumpi_array;

static inline int64_t tl_dumpi_element(const tl_dumpi_array *a, size_t i)
{
    int64_t value;
    memcpy(&value, a->bytes.data + i * sizeof value, sizeof value);
    return value;
}

typedef struct tl_dumpi_record {
    unsigned function;
    uint64_t offset;
    tl_dumpi_times cpu, wall;
    uint16_t thread;
    unsigned n_counters;
    uint64_t counter_in, counter_out; /* of the counter that was chosen */
    int64_t value[128];               /* by letter of dumpi_calls.def, 0 where it has none */
    tl_dumpi_array counts, requests, indices, lengths, types;
    tl_buffer statuses; /* tl_dumpi_status each */
    size_t n_statuses;
} tl_dumpi_record;

typedef struct tl_dumpi_file {
    FILE *in;
    const char *name;
    tl_error *err;
    uint64_t body, labels; /* offsets */
    uint32_t called[TL_DUMPI_N_CALLS], ignored[TL_DUMPI_N_CALLS];
    char host[256];
    tl_dumpi_array type_bytes; /* by datatype */
    int counter;               /* index of the counter to read, -1 for none */
    bool bad;                  /* the file ended, or cannot be read */
    tl_dumpi_record record;    /* the last */
} tl_dumpi_file;

/* Finds the sections of a file and reads all except the calls. */
tl_status tl_dumpi_open(tl_dumpi_file *f, FILE *in, const char *name, tl_error *err);
/* Finds a hardware counter by its label; false if the file does not have it. */
bool tl_dumpi_find_counter(tl_dumpi_file *f, const char *label);
/* Goes back to the first call. */
void tl_dumpi_rewind(tl_dumpi_file *f);
/* Reads the next call into f->record; TL_END behind the last one. */
tl_status tl_dumpi_next(tl_dumpi_file *f);
void tl_dumpi_close(tl_dumpi_file *f);
/* Refuses the current call. */
#define tl_dumpi_wrong(f, status, format, ...)                                                     \
    tl_fail((f)->err, status, "%s:%" PRIu64 ": " format, (f)->name, (f)->record.offset,            \
            ##__VA_ARGS__)

/* ---- communicators ---- */

/* DUMPI records how each rank made a communicator, but a trace needs its members. The members
 * follow from the records of all ranks. */
typedef struct tl_dumpi_group {
    int32_t *members; /* ranks in MPI_COMM_WORLD */
    uint32_t n;
} tl_dumpi_group;

/* A group: ranks of a communicator, in their order. */
typedef struct tl_dumpi_chosen {
    bool is_known;
    bool is_rest;      /* ranks that the communicator does not have, are not meant */
    uint32_t position; /* of the communicator, in the list of the rank */
    uint32_t n;
    int32_t *ranks;
} tl_dumpi_chosen;

typedef struct tl_dumpi_made {
    unsigned function;
    bool is_null; /* this rank got none */
    int64_t colour, key;
    tl_dumpi_chosen chosen; /* of MPI_Comm_create; the list of ranks belongs to this */
    uint32_t size;          /* that it gives */
    uint32_t parent, next; /* positions + 1 in the same list; next of the same parent, 0 for none */
    uint32_t first, last;  /* made from this one */
    const tl_dumpi_group *group;
    uint64_t offset;
} tl_dumpi_made;

enum { TL_DUMPI_MADE_WORLD, TL_DUMPI_MADE_SELF, TL_DUMPI_MADE_FIRST };

/* The communicators that one rank has made, in order. The first two are MPI_COMM_WORLD and
 * MPI_COMM_SELF. */
typedef struct tl_dumpi_list {
    tl_dumpi_made *made;
    size_t n, capacity;
} tl_dumpi_list;

typedef struct tl_dumpi_comms {
    tl_dumpi_list *ranks;
    char *const *names; /* of the files */
    uint32_t n_ranks;
    tl_dumpi_group **groups;
    size_t n_groups, groups_capacity;
} tl_dumpi_comms;

tl_status tl_dumpi_comms_begin(tl_dumpi_comms *c, char *const *names, uint32_t n_ranks,
                               tl_error *err);
/* Adds a communicator that a rank has made; returns its position, 0 without memory. */
uint32_t tl_dumpi_comms_note(tl_dumpi_list *list, uint32_t parent, tl_dumpi_made made);
/* Finds the members of all communicators. */
tl_status tl_dumpi_comms_resolve(tl_dumpi_comms *c, tl_error *err);
void tl_dumpi_comms_free(tl_dumpi_comms *c);

#endif
