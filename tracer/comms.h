/* comms.h - communicators by handle: id, size, own rank. */
#ifndef TLT_COMMS_H
#define TLT_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmpi.h"

typedef struct tlt_comm {
    MPI_Comm handle;
    uint32_t id;
    int size;
    int rank;
} tlt_comm;

/* Forgets all communicators but WORLD and SELF.  False when memory is short. */
bool tlt_comms_reset(void);
void tlt_comms_free(void);

/* NULL for communicators that are not recorded: intercommunicators, and those made by opaque calls.
 * Valid until the next define. */
const tlt_comm *tlt_comm_find(MPI_Comm handle);

/* Defines the communicator that `call` made from `parent`; returns its id.  TL_COMM_NULL for
 * MPI_COMM_NULL and for what is not recorded. */
uint32_t tlt_comm_define(MPI_Comm handle, uint32_t parent, uint16_t call);
void tlt_comm_remove(MPI_Comm handle);

#endif
