/* unknown.h - MPI functions that the program may call and the tracer does not know. */
#ifndef TLT_UNKNOWN_H
#define TLT_UNKNOWN_H

#include <stdbool.h>
#include <stddef.h>

/* The names of those that this program or its libraries refer to and MPI has, with blanks between;
 * as many as there is room for.  Only one thread may call it. */
void tlt_mpi_list_unknown(char *text, size_t size);

#endif
