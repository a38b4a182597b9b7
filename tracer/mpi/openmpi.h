/* openmpi.h - what is Open MPI's own: handles are pointers to objects in libmpi. */
#ifndef TLT_OPENMPI_H
#define TLT_OPENMPI_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define TLT_FAMILY(name) tlt_openmpi_##name
#define TLT_FAMILY_NAME "Open MPI"

/* Handles as the tables of this process keep them: never NULL. */
#define TLT_HANDLE(handle) ((const void *)(handle))
#define TLT_COMM(handle) ((MPI_Comm)(handle))
#define TLT_WIN(handle) ((MPI_Win)(handle))

/* Predefined handles: name in the table of pmpi.h, symbol in libmpi. */
#define TLT_PREDEFINED(X)                                                                          \
    X(comm_world, ompi_mpi_comm_world)                                                             \
    X(comm_self, ompi_mpi_comm_self)                                                               \
    X(comm_null, ompi_mpi_comm_null)                                                               \
    X(message_no_proc, ompi_message_no_proc)                                                       \
    X(request_null, ompi_request_null)                                                             \
    X(datatype_null, ompi_mpi_datatype_null)                                                       \
    X(byte, ompi_mpi_byte)                                                                         \
    X(integer, ompi_mpi_int)                                                                       \
    X(real, ompi_mpi_double)                                                                       \
    X(min, ompi_mpi_op_min)                                                                        \
    X(no_op, ompi_mpi_op_no_op)
#define TLT_PREDEFINED_HANDLE(name, symbol) tlt_find_data(#symbol)

/* The numbers of error classes and modes in traces are Open MPI's; a code is its class as long as
 * MPI itself reports it. */
static inline int tlt_error_class(int code)
{
    return code;
}

static inline int tlt_mode(int mode)
{
    return mode;
}

/* Whether the status of MPI_Isendrecv has the source and the tag of the message received. */
enum { TLT_ISENDRECV_HAS_STATUS = 1 };

/* roll_call.c */
void tlt_roll_call_answer(void);
#define TLT_BEFORE_INIT() tlt_roll_call_answer()
bool tlt_roll_call(void);
#define TLT_HAS_ALL_RANKS tlt_roll_call

#endif
