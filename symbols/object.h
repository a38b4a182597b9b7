/* object.h - one object file and its debug information. */
#ifndef TLS_OBJECT_H
#define TLS_OBJECT_H

#include <stdbool.h>

#include "timeless.h"
#include "timeless_source.h"

typedef struct tls_file tls_file;

typedef enum tls_lack {
    TLS_LINES = 0,     /* there is a line table */
    TLS_NO_LINES = 1,  /* compiled without -g, or stripped */
    TLS_ABSENT = 2,    /* the file is not here */
    TLS_CHANGED = 3,   /* the file has another build ID than the one that ran */
    TLS_NO_LIBDW = 4,  /* this build cannot read debug information */
    TLS_NO_DBGSYM = 5, /* a program of a package, whose debug information is in another package */
} tls_lack;

/* A library of the system, or Python's interpreter: nobody looks for its lines. */
bool tls_is_of_system(const char *path);

/* Opens the file. Returns NULL if nothing can be found in it; *lack is then the reason. Without a
 * line table there may still be names of functions. */
tls_file *tls_file_open(const tl_object *object, tls_lack *lack);
void tls_file_close(tls_file *file);

/* The sources of a place, innermost first; returns their number. The texts belong to the caller
 * (free). */
uint32_t tls_file_find(tls_file *file, uint64_t offset, tl_source sources[TL_MAX_SOURCES]);

#endif
