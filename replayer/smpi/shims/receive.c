/* receive.c - the receives of nonblocking collectives have room for each short message.
 *
 * SMPI puts receives of fewer bytes than smpi/async-small-thresh into a mailbox of their own. If a
 * rank has begun two collectives of the same kind on a communicator, a short message takes the
 * receive of the longer one, and both ranks wait forever (p2p.c). Receives of at least the size of
 * the threshold are in one mailbox, and are matched in order.
 *
 * SMPI makes all receives of a nonblocking collective before one
 * of them starts, so no other rank runs in between. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

#include <simgrid/actor.h>

static const_sg_actor_t rank; /* whose receives */
static int64_t least_bytes;

void smpi_receive_begin(int64_t bytes)
{
    rank = sg_actor_self();
    least_bytes = bytes;
}

void smpi_receive_end(void)
{
    rank = NULL;
}

MPI_Request receive_init(void *buffer, int count, MPI_Datatype type, int from, int tag,
                         MPI_Comm comm) SMPI_REPLACES(SG_RECEIVE_INIT);

MPI_Request receive_init(void *buffer, int count, MPI_Datatype type, int from, int tag,
                         MPI_Comm comm)
{
    static MPI_Request (*theirs)(void *, int, MPI_Datatype, int, int, MPI_Comm);
    SMPI_BEHIND(theirs, SG_RECEIVE_INIT);
    int bytes = 0;
    if (rank && rank == sg_actor_self())
        MPI_Type_size(type, &bytes);
    if (bytes > 0 && (int64_t)count * bytes < least_bytes)
        count = (int)((least_bytes + bytes - 1) / bytes);
    return theirs(buffer, count, type, from, tag, comm);
}
