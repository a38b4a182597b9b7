/* program.h - events that are made while they are read: what a kind of program consists of. */
#ifndef TL_PROGRAM_H
#define TL_PROGRAM_H

#include "timeless.h"
#include "timeless_convert.h"

/* What all ranks of an opened program have in common. */
typedef struct tl_program_face {
    uint32_t n_ranks;
    const char *text; /* canonical: what the program is opened by, with all parameters */
    const char *unit; /* of its volumes; NULL: it has none */
    uint64_t hash;    /* of what the text does not contain; 0: it contains all */
    const tl_site *sites;
    size_t n_sites;
    const tl_user_kernel *kernels;
    size_t n_kernels;
    const tl_program_call *calls;
    size_t n_calls;
} tl_program_face;

/* A kind of program stands in the table in program.c.  If its face lists its calls, what it makes
 * is valid: it is read by engines without a survey (tests/unit/programs.c validates it).  Otherwise
 * it is surveyed as a file is. */
typedef struct tl_program_kind {
    const char *name; /* before the colon */
    tl_status (*open)(const char *parameters, void **program, tl_error *err);
    void (*close)(void *program);
    tl_program_face (*face)(const void *program);
    /* The events of one rank.  Ranks are independent of each other, and may be read by different
     * threads. */
    tl_status (*start)(const void *program, uint32_t rank, void **state);
    tl_status (*next)(void *state, tl_event *event);
    /* Why start or next failed, if not for lack of memory; NULL: they never do. */
    const tl_error *(*error)(const void *state);
    /* tl_reader_comms; NULL: world and self alone */
    size_t (*comms)(const void *program, uint32_t rank, const tl_comm **out);
    /* tl_cursor_take, tl_cursor_expand; NULL if the face lists no calls */
    tl_status (*take)(void *state, const tl_short_event **events, size_t *n);
    void (*expand)(void *state, const tl_short_event *from, tl_event *event);
    /* tl_reader_delay; NULL: the program has no windows */
    void (*delay)(void *program, const int64_t *delays_ns);
    void (*set_asker)(void *state, tl_asker *ask, void *arg);
    void (*look_ahead)(void *state, uint32_t n_probes); /* tl_cursor_look_ahead */
    void (*stop)(void *state);
} tl_program_kind;

/* The kind and parameters of "KIND:PARAMETERS", or of a file that contains a skeleton; NULL: it is
 * the path of another file. */
const tl_program_kind *tl_program_find(const char *path, const char **parameters);

extern const tl_program_kind tl_program_hpl;
extern const tl_program_kind tl_program_skeleton;
extern const tl_program_kind tl_program_pattern;

/* Whether a file begins as a skeleton does; ",NAME=NUMBER,..." may follow its path. */
int tl_is_skeleton(const char *path);

#endif
