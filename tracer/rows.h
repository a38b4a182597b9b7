/* rows.h - declarations and names of the parameters of a row in mpi_calls.def. */
#ifndef TLT_ROWS_H
#define TLT_ROWS_H

#include "row_parameters.h"

/* In a function with large counts (MPI_Name_c) MPI_Count and MPI_Aint: large_counts.h. */
#define TLT_COUNT int
#define TLT_DISPL int

/* The declaration of a parameter. */
#define DECL_SBUF(x) const void *x
#define DECL_RBUF(x) void *x
#define DECL_COUNT(x) TLT_COUNT x
#define DECL_TYPE(x) MPI_Datatype x
#define DECL_RCOUNT(x) TLT_COUNT x
#define DECL_RTYPE(x) MPI_Datatype x
#define DECL_COUNTS(x) const TLT_COUNT x[]
#define DECL_RCOUNTS(x) const TLT_COUNT x[]
#define DECL_TCOUNT(x) TLT_COUNT x
#define DECL_UNIT(x) TLT_DISPL x
#define DECL_DISPLS(x) const TLT_DISPL x[]
#define DECL_TYPES(x) const MPI_Datatype x[]
#define DECL_RTYPES(x) const MPI_Datatype x[]
#define DECL_ADISPLS(x) const MPI_Aint x[]
#define DECL_DEST(x) int x
#define DECL_SRC(x) int x
#define DECL_ROOT(x) int x
#define DECL_TAG(x) int x
#define DECL_RSRC(x) int x
#define DECL_RTAG(x) int x
#define DECL_MESSAGE(x) MPI_Message *x
#define DECL_OP(x) MPI_Op x
#define DECL_COMM(x) MPI_Comm x
#define DECL_WIN(x) MPI_Win x
#define DECL_FILE(x) MPI_File x
#define DECL_NAME(x) const char *x
#define DECL_NEWTAG(x) int x
#define DECL_MODE(x) int x
#define DECL_LOCK(x) int x
#define DECL_GROUP(x) MPI_Group x
#define DECL_BYTES(x) MPI_Offset x
#define DECL_FETCH(x) MPI_Datatype x
#define DECL_SWAP(x) MPI_Datatype x
#define DECL_RMAOP(x) MPI_Op x
#define DECL_REQ(x) MPI_Request *x
#define DECL_ASREQ(x) MPI_Request *x
#define DECL_STATUS(x) MPI_Status *x
#define DECL_NEWCOMM(x) MPI_Comm *x
#define DECL_NEWWIN(x) MPI_Win *x
#define DECL_NEWFILE(x) MPI_File *x
#define DECL_ARG(t, x) t x

/* The name of a parameter of any kind. */
#define PASS_SBUF(x) x
#define PASS_RBUF(x) x
#define PASS_COUNT(x) x
#define PASS_TYPE(x) x
#define PASS_RCOUNT(x) x
#define PASS_RTYPE(x) x
#define PASS_COUNTS(x) x
#define PASS_RCOUNTS(x) x
#define PASS_TCOUNT(x) x
#define PASS_UNIT(x) x
#define PASS_DISPLS(x) x
#define PASS_ADISPLS(x) x
#define PASS_TYPES(x) x
#define PASS_RTYPES(x) x
#define PASS_DEST(x) x
#define PASS_SRC(x) x
#define PASS_ROOT(x) x
#define PASS_TAG(x) x
#define PASS_OP(x) x
#define PASS_COMM(x) x
#define PASS_WIN(x) x
#define PASS_FILE(x) x
#define PASS_NAME(x) x
#define PASS_NEWTAG(x) x
#define PASS_MODE(x) x
#define PASS_LOCK(x) x
#define PASS_GROUP(x) x
#define PASS_BYTES(x) x
#define PASS_FETCH(x) x
#define PASS_SWAP(x) x
#define PASS_RMAOP(x) x
#define PASS_MESSAGE(x) x
#define PASS_REQ(x) x
#define PASS_ASREQ(x) x
#define PASS_NEWCOMM(x) x
#define PASS_NEWWIN(x) x
#define PASS_NEWFILE(x) x
#define PASS_RSRC(x) x
#define PASS_RTAG(x) x
#define PASS_REQS(x) x
#define PASS_STATUS(x) x
#define PASS_FLAG(x) x
#define PASS_INDEX(x) x
#define PASS_NUMBER(x) x
#define PASS_LEVEL(x) x
#define PASS_CODE(x) x
#define PASS_NOARGS(x) x
#define PASS_ARG(t, x) x

#endif
