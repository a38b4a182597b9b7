/* interface.h - the families of MPI (Open MPI, MPICH), and the functions of the family in this
 * process that the rest of the tracer uses.
 *
 * If the program calls MPI_Send, it calls an entry of the tracer (entries.c): a jump to an address.
 * The first call of any entry sets the addresses of all entries (route.c):
 *   - If the MPI library in the process is of a known family, the address is the wrapper.
 *   - Otherwise it is the next MPI_Send of the process, and the program runs as without the tracer.
 * The wrappers are compiled once for each family, from the same rows and files. openmpi.h and
 * mpich.h contain the differences.
 */
#ifndef TLT_INTERFACE_H
#define TLT_INTERFACE_H

#include <stdbool.h>
#include <stddef.h>

#include "large_counts.h"
#include "timeless.h"

/* The number of the entry of each function in the schema. */
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
    /* Finds the functions and handles of the library. False: one that the tracer needs is missing.
     */
    bool (*resolve)(void);

    /* Calls on MPI_COMM_WORLD that are not recorded. */
    void (*world)(int *rank, int *n_ranks);
    void (*least)(const int *mine, int *least, int n); /* the minimum of each of n values */
    void (*gather)(const void *mine, void *all, size_t n_bytes); /* to all ranks */
    void (*share)(void *data, size_t n_bytes, int root);         /* from the root to all ranks */
    void (*barrier)(void);

    bool (*is_spawned)(void);      /* MPI_Comm_spawn started the process */
    bool (*permits_threads)(void); /* several threads may call MPI */
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

/* The family of the process. Before MPI is called, and if the family is not known, it is the first
 * family for which the tracer was built. */
extern const tlt_family *tlt_mpi;
/* False: MPI was not called yet, or its family is not known. */
bool tlt_mpi_is_known(void);

/* route.c: the function or datum of the MPI library with this name; NULL: there is none. */
void *tlt_find_function(const char *name);
void *tlt_find_data(const char *name);

#endif
