/* program.h - programs: sources that make their events while they are read, such as HPL. Each kind
 * is a table of functions, tl_program_kind. */
#ifndef TL_PROGRAM_H
#define TL_PROGRAM_H

#include "timeless.h"
#include "timeless_convert.h"

#include <stdbool.h>

/* The description of an opened program. The program owns it. */
typedef struct tl_program_face {
    uint32_t n_ranks;
    const char *text; /* canonical text that opens the program, with all parameters */
    const char *unit; /* of its volumes; NULL: no volumes */
    const char *mpi;  /* the MPI library of the recorded runs that it stands for; NULL: unknown */
    uint64_t hash;    /* of input that is not in the text, such as a file; 0: all is in the text */
    const tl_site *sites;
    size_t n_sites;
    const tl_user_kernel *kernels;
    size_t n_kernels;
    const tl_program_call *calls;
    size_t n_calls;
} tl_program_face;

/* A kind of program: a row in the table in program.c.  If the face of its programs lists their
 * calls, the events must be valid, and engines read them without a plan pass (tests/unit/programs.c
 * validates them).  Otherwise the plan reads and validates all events, as those of a file. */
typedef struct tl_program_kind {
    const char *name; /* the text before the colon */
    /* Whether the path is a file that contains such a program, perhaps with parameters behind it;
     * NULL: the programs have no files. */
    bool (*is_file)(const char *path);
    tl_status (*open)(const char *parameters, void **program, tl_error *err);
    void (*close)(void *program);
    tl_program_face (*face)(const void *program);
    /* start, next and stop make the events of one rank.  Different threads may read different ranks
     * at the same time. */
    tl_status (*start)(const void *program, uint32_t rank, void **state);
    tl_status (*next)(void *state, tl_event *event);
    /* Why start or next failed, if the reason is not lack of memory; NULL: they do not fail. */
    const tl_error *(*error)(const void *state);
    /* tl_reader_comms; NULL: MPI_COMM_WORLD and MPI_COMM_SELF only */
    size_t (*comms)(const void *program, uint32_t rank, const tl_comm **out);
    /* tl_cursor_take, tl_cursor_expand; NULL if the face lists no calls */
    tl_status (*take)(void *state, const tl_short_event **events, size_t *n);
    void (*expand)(void *state, const tl_short_event *from, tl_event *event);
    /* tl_reader_delay; NULL: the program has no delays */
    void (*delay)(void *program, const int64_t *delays_ns);
    /* tl_cursor_set_asker; NULL if no event depends on what has arrived */
    void (*set_asker)(void *state, tl_asker *ask, void *arg);
    void (*look_ahead)(void *state, uint32_t n_probes); /* tl_cursor_look_ahead */
    void (*stop)(void *state);
} tl_program_kind;

/* Finds the kind and the parameters of "KIND:PARAMETERS" or of a file that contains a program.
 * NULL: the path is not a program. */
const tl_program_kind *tl_program_find(const char *path, const char **parameters);

/* Writes the definitions of a recorded rank, but not its objects. */
tl_status tl_define_as(tl_writer *writer, tl_reader *r, uint32_t rank);

extern const tl_program_kind tl_program_hpl;
extern const tl_program_kind tl_program_skeleton;
extern const tl_program_kind tl_program_pattern;

#endif
