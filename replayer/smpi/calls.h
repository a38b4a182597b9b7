/* calls.h - the events of a rank as calls of SMPI. A function returns the code of MPI. */
#ifndef TLR_SMPI_CALLS_H
#define TLR_SMPI_CALLS_H

#include "state.h"

#include <stdbool.h>

/* ---- rank.c ---- */

/* Simulates the pending computation. */
void smpi_compute(smpi_rank *r);
/* A datatype of that many bytes. */
MPI_Datatype smpi_type(int bytes);
/* A count, or the bytes of a type, in the range that MPI requires. */
int smpi_count(const smpi_rank *r, int64_t count);
/* The body of each simulated rank. */
void smpi_rank_main(int argc, char **argv);

/* ---- p2p.c ---- */

/* Nonzero if the receive does not name its source or tag, so that the outcome of the run decides.
 */
bool smpi_is_open(const smpi_rank *r, const tl_event *e);
int smpi_send(smpi_rank *r);
int smpi_begin_send(smpi_rank *r);
/* Starts the current persistent send. */
int smpi_start_send(smpi_rank *r);
int smpi_receive(smpi_rank *r);
int smpi_receive_match(smpi_rank *r);
int smpi_sendrecv(smpi_rank *r);
int smpi_start(smpi_rank *r);
int smpi_wait(smpi_rank *r);
int smpi_cancel(smpi_rank *r);
int smpi_free_request(smpi_rank *r);
/* The slot for a request with this id. */
MPI_Request *smpi_request(smpi_rank *r, int64_t id);
/* Elements and type of a message. If the number of bytes fits, the type is a byte, so that the
 * types of the two sides agree. */
int smpi_message_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type);
/* The same of a receive, which has room for each short message. */
int smpi_receive_count(const smpi_rank *r, int64_t count, int64_t type_bytes, MPI_Datatype *type);

/* ---- smpi/shims/buffer.c ---- */

/* Nonzero if a blocking send of this size ends before its bytes have arrived. */
bool smpi_send_is_buffered(int64_t bytes);
int smpi_send_buffered(smpi_rank *r, const void *buffer, int count, MPI_Datatype type, int to,
                       int tag, MPI_Comm comm, int64_t bytes);
/* Waits for all messages that are still on their way. */
void smpi_close_sends(smpi_rank *r);

/* ---- comm.c ---- */

/* Builds every communicator of the rank. All ranks must call it. */
void smpi_build_comms(smpi_rank *r);
/* The communicator of the current event. */
MPI_Comm smpi_event_comm(const smpi_rank *r);
/* Simulates the cost of the current constructor. */
int smpi_construct(smpi_rank *r);

/* ---- collective.c ---- */

/* Issues the current collective, blocking or not; returns the MPI error code. */
int smpi_collective(smpi_rank *r);

/* ---- exchange.c ---- */

/* Issues any collective, including those that SMPI does not have. */
int smpi_any_collective(smpi_rank *r);
/* The first keeps the current call for MPI_Start, in the bundle of its request. The second starts
 * it. */
int smpi_keep(smpi_rank *r);
int smpi_start_kept(smpi_rank *r, int64_t id);
smpi_bundle *smpi_open_bundle(smpi_rank *r, int64_t id);
/* Waits for all messages in the bundle, and frees it unless it is kept. */
int smpi_finish_bundle(smpi_rank *r, int64_t id);
void smpi_close_bundle(smpi_rank *r, int64_t id);

/* ---- ompi.c ---- */

/* A blocking collective: the buffer or block of one rank, and the elements by which its algorithm
 * is chosen. */
typedef struct smpi_call {
    const void *out;
    void *in;
    int count, root;
    uint64_t deciding_count;
    MPI_Datatype type;
    MPI_Op op;
    MPI_Comm comm;
} smpi_call;

/* Makes the call with Open MPI 4.1's algorithm. 0: SMPI's selector "ompi" must make it, because it
 * has the same algorithm, or one that replaces it; the result names the replacement. */
int smpi_ompi_call(tl_action action, const smpi_call *call, int *rc);
/* The messages of a constructor of communicators, on `comm`. */
int smpi_ompi_make(const tlr_ompi_making *making, MPI_Comm comm);
/* An option of SMPI fixes the algorithm, independently of the selector. */
void smpi_ompi_leave(tl_action action);

/* ---- window.c ---- */

/* Makes the window with this id. Collective over its ranks. */
void smpi_build_window(smpi_rank *r, uint32_t id);
int smpi_window_event(smpi_rank *r);

/* ---- file.c ---- */

int smpi_file_event(smpi_rank *r);
bool smpi_has_disk(const char *host);

#endif
