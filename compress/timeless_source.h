/* timeless_source.h - the source lines of call sites, and the object files in which they are.
 *
 * A part of the library's interface. The conventions are those of timeless.h. */
#ifndef TIMELESS_SOURCE_H
#define TIMELESS_SOURCE_H

#include <stddef.h>
#include <stdint.h>

#include "timeless.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TL_MAX_SOURCES = 64, TL_MAX_CALLERS = 255 };

/* A line of source text in a function. A call site (tl_site) has at most TL_MAX_SOURCES sources:
 * the line of the call, then the line into which the compiler inlined this function, and so on. */
typedef struct tl_source {
    const char *function; /* "solver::step"; "" unknown */
    const char *file;     /* base name; "" unknown */
    uint32_t line;        /* 0 unknown */
} tl_source;

/* An object file of the program (an executable or a shared library), as the rank loaded it. */
typedef struct tl_object {
    const char *name;     /* as in tl_site */
    const char *path;     /* absolute */
    const char *build_id; /* hexadecimal digits; "" none */
} tl_object;

/* Defines an object file; see tl_writer_define_comm. */
TL_API tl_status tl_writer_define_object(tl_writer *w, const tl_object *object);
/* The object files of a rank, in order of definition. */
TL_API size_t tl_reader_objects(const tl_reader *r, uint32_t rank, const tl_object **out);

/* Writes a readable name of a call site: "exchange (halo.c:66) < step (main.c:40)" if exchange was
 * inlined into step, "exchange (hpcc+0x1a2b)" if the line is unknown, and "hpcc+0x1a2b" if there is
 * no source ("hpcc" at its begin). Its callers, at most TL_MAX_CALLERS, follow in a short form:
 * "exchange (halo.c:66) < step:40 < main:12". Two paths through the same lines have the same name.
 * A longer text is cut to `size` bytes. */
TL_API void tl_site_name(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size);

/* Finds the source of a place in an object file. Returns the number of sources, 0 if it is unknown.
 * *out is valid until the next call. */
typedef uint32_t tl_find_sources(void *sources_of, const tl_object *object, uint64_t offset,
                                 const tl_source **out);

/* ---- status of each function ---- */

/* The statuses of each function besides TL_OK, without the prefix TL_ERR_.
 *
 *   tl_writer_define_object  SYSTEM MEMORY LIMIT USAGE
 */

#ifdef __cplusplus
}
#endif

#endif
