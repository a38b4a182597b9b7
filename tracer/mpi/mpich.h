/* mpich.h - what is MPICH's own, and that of the libraries with its binary interface: handles are
 * integers, and constants of the header. */
#ifndef TLT_MPICH_H
#define TLT_MPICH_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#define TLT_FAMILY(name) tlt_mpich_##name
#define TLT_FAMILY_NAME "MPICH"

/* Handles as the tables of this process keep them: never NULL.  Integers become odd, so that none
 * is that of a file, which is a pointer. */
static inline const void *tlt_handle_of_integer(int handle)
{
    return (const void *)((uintptr_t)(unsigned)handle << 1 | 1);
}
static inline const void *tlt_handle_of_pointer(const void *handle)
{
    return handle;
}
#define TLT_HANDLE(handle)                                                                         \
    _Generic((handle), int : tlt_handle_of_integer, default : tlt_handle_of_pointer)(handle)
#define TLT_COMM(handle) ((MPI_Comm)((uintptr_t)(handle) >> 1))
#define TLT_WIN(handle) ((MPI_Win)((uintptr_t)(handle) >> 1))

/* Predefined handles: name in the table of pmpi.h, constant. */
#define TLT_PREDEFINED(X)                                                                          \
    X(comm_world, MPI_COMM_WORLD)                                                                  \
    X(comm_self, MPI_COMM_SELF)                                                                    \
    X(comm_null, MPI_COMM_NULL)                                                                    \
    X(message_no_proc, MPI_MESSAGE_NO_PROC)                                                        \
    X(request_null, MPI_REQUEST_NULL)                                                              \
    X(datatype_null, MPI_DATATYPE_NULL)                                                            \
    X(byte, MPI_BYTE)                                                                              \
    X(integer, MPI_INT)                                                                            \
    X(real, MPI_DOUBLE)                                                                            \
    X(min, MPI_MIN)                                                                                \
    X(no_op, MPI_NO_OP)
#define TLT_PREDEFINED_HANDLE(name, constant) (constant)

/* A code holds its class in the low bits.  Traces have Open MPI's numbers: those of MPICH from 7 to
 * 18 are one less, and MPI_ERR_REQUEST, Open MPI's 7, is 19. */
static inline int tlt_error_class(int code)
{
    const int class = code & 0x7f;
    if (class == MPI_ERR_REQUEST)
        return 7;
    return class >= MPI_ERR_ROOT && class <= MPI_ERR_PENDING ? class + 1 : class;
}

/* Traces have Open MPI's modes of windows; those of files are the same. */
static inline int tlt_mode(int mode)
{
    enum { OF_FILES = MPI_MODE_NOCHECK - 1 };
    int known = mode & OF_FILES;
    known |= mode & MPI_MODE_NOCHECK ? 1 : 0;
    known |= mode & MPI_MODE_NOPRECEDE ? 2 : 0;
    known |= mode & MPI_MODE_NOPUT ? 4 : 0;
    known |= mode & MPI_MODE_NOSTORE ? 8 : 0;
    known |= mode & MPI_MODE_NOSUCCEED ? 16 : 0;
    return known;
}

/* Whether the status of MPI_Isendrecv has the source and the tag of the message that was received:
 * MPICH 4.0 and 4.2 leave in it what an earlier request had. */
enum { TLT_ISENDRECV_HAS_STATUS = 0 };

/* mpich.c */
void tlt_mpich_answer(void);
#define TLT_BEFORE_INIT() tlt_mpich_answer()
bool tlt_mpich_has_all_ranks(void);
#define TLT_HAS_ALL_RANKS tlt_mpich_has_all_ranks

#endif
