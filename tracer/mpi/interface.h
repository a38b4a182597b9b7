/* interface.h - the families of MPI, and what the rest of the tracer needs of the one in this
 * process.
 *
 * The program calls MPI_Send.  That is an entry of the tracer (entries.c): a jump to an address
 * that the first call of any entry chooses, for all of them (route.c):
 *   - the function that records the call, where the MPI in the process is of a known family;
 *   - the next MPI_Send of the process, where it is not: the program runs as without the tracer.
 * The functions that record are compiled once for each family, from the same rows and files; what
 * differs stands in openmpi.h and mpich.h.
 */
#ifndef TLT_INTERFACE_H
#define TLT_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include "large_counts.h"
#include "timeless.h"

/* An entry's number for each function of the schema. */
enum tlt_function {
#define TL_CALL(code, name, ...) TLT_FN_##name, LARGE_##name(TLT_FN_##name##_c, )
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE TL_CALL
#include "mpi_calls.def"
    TLT_N_FUNCTIONS
};

typedef void (*tlt_function_pointer)(void);

typedef struct tlt_family {
    const char *name;
    tlt_function_pointer wrappers[TLT_N_FUNCTIONS];
    /* Finds the library's functions and handles. */
    bool (*resolve)(void); /* false: one that the tracer needs is missing */

    /* On MPI_COMM_WORLD, by functions that are not recorded. */
    void (*world)(int *rank, int *n_ranks);
    void (*least)(const int *mine, int *least, int n);           /* of each of n values */
    void (*gather)(const void *mine, void *all, size_t n_bytes); /* to all ranks */
    void (*share)(void *data, size_t n_bytes, int root);         /* the root's, to all */
    void (*barrier)(void);

    /* What the ranks agree on while the program runs, on a communicator of its own: the least of
     * each of n values, without waiting.  False: MPI reports an error. */
    void (*agreement_open)(void);
    bool (*agreement_begin)(const int *mine, int *least, int n);
    bool (*agreement_test)(int *done);

    bool (*is_spawned)(void);      /* by MPI_Comm_spawn */
    bool (*permits_threads)(void); /* several at a time or in turns call MPI */
    void (*library)(char *text, size_t size);
    bool (*has_all_ranks)(void); /* hosts.h, tlt_roll_call */

    /* comms.h, completion.c, counters.h */
    bool (*comms_reset)(void);
    void (*completion_free)(void);
    const char *(*counters_read_list)(void);
    const char *(*counters_start_papi)(void);
    void (*counters_start)(void);
    void (*counters_mark)(void);
    void (*counters_write)(tl_writer *writer);
} tlt_family;

/* That of the process; before MPI is called, and where no known one is there, the first that the
 * tracer was built for. */
extern const tlt_family *tlt_mpi;
/* False: MPI has not been called, or is of no known family. */
bool tlt_mpi_is_known(void);

/* route.c: the library's function or datum of this name; NULL: it has none. */
void *tlt_find_function(const char *name);
void *tlt_find_data(const char *name);

#endif
