/* ompi.h - the algorithm that Open MPI 4.1 or 5.0 chooses for a collective, for both engines. */
#ifndef TLR_OMPI_H
#define TLR_OMPI_H

#include <stdint.h>

#include <timeless.h>

#include "replayer.h"

typedef enum tlr_ompi {
    OMPI_NONE = 0, /* not a collective that it decides */
#define OMPI_ALGORITHM(action, id, name) OMPI_##action##_##id,
#include "ompi_rules.def"
    N_OMPI
} tlr_ompi;

/* The algorithm for a buffer of so many elements and bytes. ompi_rules.def explains whose buffer it
 * is. `family` is the blocking collective (compress/actions.def). If an algorithm calls another
 * one, the result is the other one. */
tlr_ompi tlr_ompi_choose(tl_action family, uint32_t n_ranks, uint64_t count, uint64_t bytes);
/* The name of an algorithm in Open MPI. */
const char *tlr_ompi_name(tlr_ompi algorithm);

/* What the members of a communicator do to make a new one: an allgather of two ints (the colour and
 * the key) or an allreduce of four (MPI_Comm_split_type compares its arguments; six in Open
 * MPI 5.0), then agreements on the number of the new communicator. An agreement is a nonblocking
 * allreduce of an int: a binomial tree to rank 0 and another one back (Open MPI 4.1:
 * ompi/communicator/comm_cid.c, ompi/mca/coll/libnbc/nbc_iallreduce.c; tests/mpi/ompi_making.sh
 * counts its messages). */
typedef struct tlr_ompi_making {
    uint8_t gathers, compares;
    uint8_t n_agreements; /* 0: not a constructor that is known */
} tlr_ompi_making;

/* `call`: TL_MPI_... of a constructor that blocks. */
tlr_ompi_making tlr_ompi_making_of(unsigned call);

/* Whether the selector is "ompi-4.1" or "ompi-5.0": both use the rules above. */
int tlr_ompi_has(const char *selector);
/* Sets options->coll_selector if it is NULL: to that of --cfg, of the platform's files, or of the
 * library that recorded all these traces, by the library's own name. It remains NULL if there is
 * none, or not one for all. TL_ERR_USAGE: the same for "recorded", which asks for the library's, if
 * a trace names one. */
tl_status tlr_ompi_select(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                          tlr_options *options, tl_error *err);
/* Adds to the prediction's selector what it does not model, and why it is not that of the library.
 * 0 without memory. */
int tlr_ompi_note(const tlr_job *job, const tlr_options *options, tlr_prediction *prediction);

#endif
