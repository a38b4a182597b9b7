/* collective.h - the messages of collectives, for both engines: algorithms as functions of rank,
 * size and number of the step. An engine only gives the steps their time. */
#ifndef TLR_COLLECTIVE_H
#define TLR_COLLECTIVE_H

#include <stdint.h>

#include <timeless.h>

typedef enum tlr_algorithm {
    TLR_NO_ALGORITHM = 0,
#define TLR_ALGORITHM(id, action, name) TLR_##id,
#include "collectives/algorithms.def"
    TLR_N_ALGORITHMS,
    TLR_EXCHANGE_ALL = TLR_N_ALGORITHMS, /* sends the messages of its list */
    TLR_ON_HOSTS                         /* has the algorithms of its list (hosts.c) */
} tlr_algorithm;

/* The default algorithm of a collective; TLR_NO_ALGORITHM if it has none. */
uint8_t tlr_algorithm_for(tl_action action);

/* A call of a collective. Its amounts are in bytes here, but an engine may count elements. */
typedef struct tlr_collective {
    uint8_t algorithm;   /* tlr_algorithm */
    uint8_t is_blocking; /* calls MPI_Irecv, MPI_Send and MPI_Wait instead of MPI_Sendrecv, or waits
                            for each message separately */
    int32_t root;        /* of TLR_ALLREDUCE_LR: the bytes of an element */
    uint64_t amount;     /* bytes of the block of one rank */
} tlr_collective;

enum tlr_message_kind {
    TLR_MESSAGE_END = 0,
    TLR_MESSAGE_SEND,
    TLR_MESSAGE_RECEIVE,
    TLR_MESSAGE_WAIT /* for everything that the rank started */
};

enum { TLR_NOBODY = INT32_MIN + 1 };

/* The MPI calls by which SMPI's algorithms of collectives send. */
enum tlr_message_call { TLR_BLOCKING = 0, TLR_ISEND, TLR_SENDRECV };

/* One step of one rank in a collective: a message that the rank starts, or a wait. `peer` is a rank
 * in the communicator, or TLR_NOBODY: no message. */
typedef struct tlr_message {
    uint8_t kind; /* tlr_message_kind */
    uint8_t call; /* tlr_message_call */
    int32_t peer;
    int32_t then_to; /* of a receive: if the next two steps are a send of `bytes` and a wait, the
                        receiver of this send; otherwise TLR_NOBODY */
    int32_t from;    /* of the send of TLR_SENDRECV: the sender in the previous step */
    uint64_t bytes;  /* of a send */
    uint64_t room;   /* of a receive: the bytes that come, in the algorithms of Open MPI */
} tlr_message;

/* Step `number` of rank `me` of `size` ranks. `list` is NULL if all blocks are equal. Otherwise it
 * has its own length, and then the bytes of each block. The result depends only on the arguments:
 * no schedule is stored. */
tlr_message tlr_collective_step(const tlr_collective *op, const int64_t *list, uint32_t me,
                                uint32_t size, uint32_t number);

/* Whether this step, a receive, combines its message with the data of the rank (a reduction). */
int tlr_collective_combines(const tlr_collective *op, const int64_t *list, uint32_t me,
                            uint32_t size, uint32_t number);

#endif
