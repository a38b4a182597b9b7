! calls_collective.F90 - the calls of ../calls_collective.c: its trace must be the same.
#include "binding.h"
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
  double precision :: now
  call MPI_Init(ierr)
  w = MPI_COMM_WORLD
  call MPI_Comm_rank(w, rank, ierr)
  call MPI_Op_create(take_away, .false., subtract, ierr)
  types = MPI_INTEGER
  mine = counts(rank + 1)
  call MPI_Pcontrol(1)
  call blocking
  call MPI_Pcontrol(2)
  call nonblocking
  call MPI_Pcontrol(3)
  call in_place
  call MPI_Pcontrol(0)
  now = MPI_Wtime()
  if (now < 0) call MPI_Abort(w, 1, ierr)
  call MPI_Finalize(ierr)
contains
  subroutine blocking
    call MPI_Barrier(w, ierr)
    call MPI_Bcast(in, 5, MPI_INTEGER, 1, w, ierr)
    call MPI_Reduce(in, out, 6, MPI_INTEGER, MPI_SUM, 2, w, ierr)
    call MPI_Reduce(in, out, 6, MPI_INTEGER, subtract, 0, w, ierr)
    call MPI_Allreduce(in, out, 7, MPI_INTEGER, MPI_MAX, w, ierr)
    call MPI_Gather(in, 2, MPI_INTEGER, out, 1, MPI_2INTEGER, 1, w, ierr)
    call MPI_Gatherv(in, mine, MPI_INTEGER, out, counts, displs, MPI_INTEGER, 2, w, ierr)
    call MPI_Scatter(in, 3, MPI_INTEGER, out, 3, MPI_INTEGER, 0, w, ierr)
    call MPI_Scatterv(in, counts, displs, MPI_INTEGER, out, mine, MPI_INTEGER, 1, w, ierr)
    call MPI_Allgather(in, 4, MPI_INTEGER, out, 4, MPI_INTEGER, w, ierr)
    call MPI_Allgatherv(in, mine, MPI_INTEGER, out, counts, displs, MPI_INTEGER, w, ierr)
    call MPI_Alltoall(in, 5, MPI_INTEGER, out, 5, MPI_INTEGER, w, ierr)
    call MPI_Alltoallv(in, same, displs, MPI_INTEGER, out, same, displs, MPI_INTEGER, w, ierr)
    call MPI_Alltoallw(in, same, byte_displs, types, out, same, byte_displs, types, w, ierr)
    call MPI_Reduce_scatter(in, out, counts, MPI_INTEGER, MPI_SUM, w, ierr)
    call MPI_Reduce_scatter_block(in, out, 2, MPI_INTEGER, MPI_SUM, w, ierr)
    call MPI_Scan(in, out, 3, MPI_INTEGER, MPI_SUM, w, ierr)
    call MPI_Exscan(in, out, 4, MPI_INTEGER, MPI_SUM, w, ierr)
  end subroutine

  subroutine nonblocking
    HANDLE(MPI_Request) :: r(17)
    integer, save, asynchronous :: o(64, 17)
    call MPI_Ibarrier(w, r(1), ierr)
    call MPI_Ibcast(o(:, 2), 5, MPI_INTEGER, 1, w, r(2), ierr)
    call MPI_Ireduce(in, o(:, 3), 6, MPI_INTEGER, MPI_SUM, 2, w, r(3), ierr)
    call MPI_Iallreduce(in, o(:, 4), 7, MPI_INTEGER, MPI_MAX, w, r(4), ierr)
    call MPI_Igather(in, 2, MPI_INTEGER, o(:, 5), 1, MPI_2INTEGER, 1, w, r(5), ierr)
    call MPI_Igatherv(in, mine, MPI_INTEGER, o(:, 6), counts, displs, MPI_INTEGER, 2, w, r(6), ierr)
    call MPI_Iscatter(in, 3, MPI_INTEGER, o(:, 7), 3, MPI_INTEGER, 0, w, r(7), ierr)
    call MPI_Iscatterv(in, counts, displs, MPI_INTEGER, o(:, 8), mine, MPI_INTEGER, 1, w, r(8), ierr)
    call MPI_Iallgather(in, 4, MPI_INTEGER, o(:, 9), 4, MPI_INTEGER, w, r(9), ierr)
    call MPI_Iallgatherv(in, mine, MPI_INTEGER, o(:, 10), counts, displs, MPI_INTEGER, w, r(10), ierr)
    call MPI_Ialltoall(in, 5, MPI_INTEGER, o(:, 11), 5, MPI_INTEGER, w, r(11), ierr)
    call MPI_Ialltoallv(in, same, displs, MPI_INTEGER, o(:, 12), same, displs, MPI_INTEGER, w, r(12), ierr)
    call MPI_Ialltoallw(in, same, byte_displs, types, o(:, 13), same, byte_displs, types, w, r(13), ierr)
    call MPI_Ireduce_scatter(in, o(:, 14), counts, MPI_INTEGER, MPI_SUM, w, r(14), ierr)
    call MPI_Ireduce_scatter_block(in, o(:, 15), 2, MPI_INTEGER, MPI_SUM, w, r(15), ierr)
    call MPI_Iscan(in, o(:, 16), 3, MPI_INTEGER, MPI_SUM, w, r(16), ierr)
    call MPI_Iexscan(in, o(:, 17), 4, MPI_INTEGER, MPI_SUM, w, r(17), ierr)
    call MPI_Waitall(17, r, MPI_STATUSES_IGNORE, ierr)
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
