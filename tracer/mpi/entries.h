/* entries.h - the MPI functions that the tracer has in place of the library's. */
#ifndef TLT_ENTRIES_H
#define TLT_ENTRIES_H

#include "mpi/interface.h"

typedef struct tlt_entry {
    const char *symbol;
    void **slot; /* where the entry jumps to */
    enum tlt_function function;
} tlt_entry;

/* In the order of the schema; the last has no symbol. */
extern const tlt_entry tlt_entries[];

/* route.c: before the first call of any entry goes on: fills all slots. */
void tlt_route(void *caller);

#endif
