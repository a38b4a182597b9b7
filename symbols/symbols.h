/* symbols.h - the source lines of call sites, from the debug information of object files. */
#ifndef TLS_SYMBOLS_H
#define TLS_SYMBOLS_H

#include <stdio.h>

#include "timeless_convert.h"

/* The object files that have been read, and what was found in them. */
typedef struct tls_symbols tls_symbols;

/* NULL without memory. */
tls_symbols *tls_symbols_create(void);
void tls_symbols_free(tls_symbols *s);

/* The build ID of an object file that is loaded now, and has not changed since. */
#define TLS_ANY_BUILD "*"

/* A tl_find_sources for tl_pack; `symbols` is a tls_symbols. An object file counts only if it has
 * the build ID of the recording. Debug information in a file of its own is found by the build ID or
 * the debug link, as GDB finds it. */
uint32_t tls_find_sources(void *symbols, const tl_object *object, uint64_t offset,
                          const tl_source **out);

/* Prints one line that names the object files without source lines, with the reason; nothing if
 * there are none. `path` is the trace. */
void tls_report(const tls_symbols *s, const char *path, FILE *out);

#endif
