! calls_collective.F90 - the calls of ../calls_collective.c: its trace must be the same.
#include "binding.h"
! The mpi_f08 of MPICH 4.0 takes as many types as the own group has ranks, though there is one for each rank of the other.
#if defined(USE_MPI_F08) && defined(OF_MPICH)
#define BETWEEN_GROUPS_ALLTOALLW by_mpif_h
subroutine by_mpif_h(in, counts, displs, types, out, out_counts, out_displs, out_types, c, ierr)
  use mpi_f08, only: MPI_Comm, MPI_Datatype
  implicit none
  integer :: in(*), counts(*), displs(*), out(*), out_counts(*), out_displs(*), ierr
  type(MPI_Datatype) :: types(3), out_types(3)
  type(MPI_Comm) :: c
  external :: MPI_Alltoallw
  call MPI_Alltoallw(in, counts, displs, types%MPI_VAL, out, out_counts, out_displs, out_types%MPI_VAL, c%MPI_VAL, ierr)
end subroutine
#else
#define BETWEEN_GROUPS_ALLTOALLW MPI_Alltoallw
#endif
module subtraction
  MPI_MODULE
  implicit none
  MPI_HEADER
contains
  subroutine take_away(a, b, n, datatype)
#ifdef USE_MPI_F08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: a, b
    integer :: n
    type(MPI_Datatype) :: datatype
    integer, pointer :: x(:), y(:)
    call c_f_pointer(a, x, [n])
    call c_f_pointer(b, y, [n])
    y = x - y
#else
    integer :: n, datatype
    integer :: a(n), b(n)
    b = a - b
#endif
  end subroutine
end module

program calls_collective
  MPI_MODULE
  use subtraction, only: take_away
  implicit none
  MPI_HEADER
  integer :: rank, in(64), out(64), mine, ierr
  integer :: counts(3) = [1, 2, 3], displs(3) = [0, 8, 16], same(3) = 2, byte_displs(3) = [0, 32, 64]
  HANDLE(MPI_Datatype) :: types(3)
  HANDLE(MPI_Comm) :: w
  HANDLE(MPI_Op) :: subtract
  call MPI_Init(ierr)
  w = MPI_COMM_WORLD
  call MPI_Comm_rank(w, rank, ierr)
  call MPI_Op_create(take_away, .false., subtract, ierr)
  types = MPI_INTEGER
  mine = counts(rank + 1)
  call MPI_Reduce(in, out, 6, MPI_INTEGER, subtract, 0, w, ierr)
  call between_groups
  call in_place
  call MPI_Finalize(ierr)
contains
  ! Rank 0 alone and the two others: the root's group gives MPI_ROOT and MPI_PROC_NULL.
  subroutine between_groups
    HANDLE(MPI_Comm) :: own, c
    HANDLE(MPI_Request) :: r(2)
    integer :: root, to_first, first, split(3) = 2
    first = merge(1, 0, rank == 0)
    root = merge(MPI_ROOT, 0, rank == 0)
    to_first = merge(0, merge(MPI_ROOT, MPI_PROC_NULL, rank == 1), rank == 0)
    if (rank == 0) split(1) = 4
    call MPI_Comm_split(w, first, rank, own, ierr)
    call MPI_Intercomm_create(own, 0, w, first, 9, c, ierr)
    call MPI_Barrier(c, ierr)
    call MPI_Bcast(in, 5, MPI_INTEGER, root, c, ierr)
    call MPI_Bcast(in, 6, MPI_INTEGER, to_first, c, ierr)
    call MPI_Reduce(in, out, 7, MPI_INTEGER, MPI_SUM, to_first, c, ierr)
    call MPI_Allreduce(in, out, 8, MPI_INTEGER, MPI_SUM, c, ierr)
    call MPI_Gather(in, 2, MPI_INTEGER, out, 1, MPI_2INTEGER, root, c, ierr)
    call MPI_Gatherv(in, rank, MPI_INTEGER, out, counts, displs, MPI_INTEGER, root, c, ierr)
    call MPI_Scatter(in, 2, MPI_INTEGER, out, 1, MPI_2INTEGER, to_first, c, ierr)
    call MPI_Scatterv(in, counts, displs, MPI_INTEGER, out, rank, MPI_INTEGER, root, c, ierr)
    call MPI_Allgather(in, 4, MPI_INTEGER, out, 4, MPI_INTEGER, c, ierr)
    call MPI_Allgatherv(in, 2, MPI_INTEGER, out, same, displs, MPI_INTEGER, c, ierr)
    call MPI_Alltoall(in, 3, MPI_INTEGER, out, 3, MPI_INTEGER, c, ierr)
    call MPI_Alltoallv(in, same, displs, MPI_INTEGER, out, same, displs, MPI_INTEGER, c, ierr)
    call BETWEEN_GROUPS_ALLTOALLW(in, same, byte_displs, types, out, same, byte_displs, types, c, ierr)
    call MPI_Reduce_scatter(in, out, split, MPI_INTEGER, MPI_SUM, c, ierr)
    call MPI_Ibcast(in, 9, MPI_INTEGER, to_first, c, r(1), ierr)
    call MPI_Ialltoallv(in, same, displs, MPI_INTEGER, out, same, displs, MPI_INTEGER, c, r(2), ierr)
    call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    call MPI_Comm_free(own, ierr)
    call MPI_Comm_dup(c, own, ierr)
    call MPI_Comm_free(own, ierr)
    call MPI_Comm_free(c, ierr)
  end subroutine

  subroutine in_place
    integer :: root = 1, none(3) = 0
    HANDLE(MPI_Datatype) :: no_types(3)
    no_types = MPI_DATATYPE_NULL
    call MPI_Allreduce(MPI_IN_PLACE, out, 7, MPI_INTEGER, MPI_MAX, w, ierr)
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, out, 6, MPI_INTEGER, MPI_SUM, root, w, ierr)
      call MPI_Gather(MPI_IN_PLACE, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, w, ierr)
      call MPI_Gatherv(MPI_IN_PLACE, mine, MPI_INTEGER, out, counts, displs, MPI_INTEGER, root, w, ierr)
      call MPI_Scatter(in, 3, MPI_INTEGER, MPI_IN_PLACE, 3, MPI_INTEGER, root, w, ierr)
      call MPI_Scatterv(in, counts, displs, MPI_INTEGER, MPI_IN_PLACE, mine, MPI_INTEGER, root, w, ierr)
    else
      call MPI_Reduce(in, out, 6, MPI_INTEGER, MPI_SUM, root, w, ierr)
      call MPI_Gather(in, 2, MPI_INTEGER, out, 2, MPI_INTEGER, root, w, ierr)
      call MPI_Gatherv(in, mine, MPI_INTEGER, out, counts, displs, MPI_INTEGER, root, w, ierr)
      call MPI_Scatter(in, 3, MPI_INTEGER, out, 3, MPI_INTEGER, root, w, ierr)
      call MPI_Scatterv(in, counts, displs, MPI_INTEGER, out, mine, MPI_INTEGER, root, w, ierr)
    end if
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 4, MPI_INTEGER, w, ierr)
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, counts, displs, MPI_INTEGER, w, ierr)
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, 5, MPI_INTEGER, w, ierr)
    call MPI_Alltoallv(MPI_IN_PLACE, none, none, MPI_DATATYPE_NULL, out, same, displs, MPI_INTEGER, w, ierr)
    call MPI_Alltoallw(MPI_IN_PLACE, none, none, no_types, out, same, byte_displs, types, w, ierr)
    call MPI_Reduce_scatter(MPI_IN_PLACE, out, counts, MPI_INTEGER, MPI_SUM, w, ierr)
  end subroutine
end program
