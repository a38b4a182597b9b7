! nested.f90 - MPI calls in a procedure of a module that is inlined into another, and in one that the program contains.
module grid
contains
  subroutine step(cells)
    use mpi
    double precision :: cells(1000)
    integer :: ierror
    call MPI_Sendrecv_replace(cells, 1000, MPI_DOUBLE_PRECISION, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
    cells(2) = sum(cells)
    call MPI_Bcast(cells, 1000, MPI_DOUBLE_PRECISION, 0, MPI_COMM_SELF, ierror)
    cells(4) = maxval(cells)
    call meet(cells)
  end subroutine
  subroutine meet(cells)
    use mpi
    double precision :: cells(1000)
    integer :: ierror
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
    cells(1) = cells(3)
  end subroutine
end module

program nested
  use mpi
  use grid
  double precision :: cells(1000) = 0
  integer :: ierror, i
  call MPI_Init(ierror)
  do i = 1, 2
    call step(cells)
    call total(cells, i)
  end do
  call total(cells, 0)
  call MPI_Finalize(ierror)
contains
  subroutine total(summed, round)
    double precision :: summed(1000)
    integer :: round
    if (round > 1) call meet_all
    summed = summed + round
    if (round > 0) call meet_all
    call MPI_Allreduce(MPI_IN_PLACE, summed, 1000, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
  end subroutine
  subroutine meet_all
    call MPI_Barrier(MPI_COMM_WORLD, ierror)
  end subroutine
end program
