! operators.F90 - the reductions of operators.c, by each binding.
#include "binding.h"
module operations
  implicit none
  integer :: n_applied = 0
contains
  subroutine apply(in, in_out)
    integer, intent(in) :: in(:)
    integer, intent(inout) :: in_out(:)
    real(8) :: begin, now
    call cpu_time(begin)
    do
      call cpu_time(now)
      if (now > begin + 0.003d0) exit
    end do
    in_out = in_out + in
    n_applied = n_applied + 1
  end subroutine
#ifdef USE_MPI_F08
  subroutine add(in, in_out, n, type)
    use, intrinsic :: iso_c_binding
    use mpi_f08
    type(c_ptr), value :: in, in_out
    integer :: n
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [n])
    call c_f_pointer(in_out, b, [n])
    call apply(a, b)
  end subroutine
#else
  subroutine add(in, in_out, n, type)
    integer :: n, type
    integer :: in(n), in_out(n)
    call apply(in, in_out)
  end subroutine
#endif
end module
program operators
  MPI_MODULE
  use operations
  implicit none
  MPI_HEADER
  integer :: rank, n_ranks, i, ierr, wrong = 0
  integer :: mine(2), total(2)
  HANDLE(MPI_Op) :: op
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, ierr)
  mine = [rank, 1]
  call MPI_Op_create(add, .true., op, ierr)
  do i = 1, 4
    call MPI_Allreduce(mine, total, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
    if (any(total /= [n_ranks * (n_ranks - 1) / 2, n_ranks])) wrong = wrong + 1
  end do
  call MPI_Op_free(op, ierr)
  print "(i0,1x,i0,1x,i0)", rank, n_applied, wrong
  call MPI_Finalize(ierr)
end program
