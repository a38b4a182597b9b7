! heat.f90 - MPI calls in a procedure of a module, in an external one, and in the program.
module grid
contains
  subroutine exchange(cells, rank, n_ranks)
    use mpi
    double precision :: cells(:)
    integer :: rank, n_ranks, ierror
    call MPI_Sendrecv_replace(cells, size(cells), MPI_DOUBLE_PRECISION, mod(rank + 1, n_ranks), 1, &
      mod(rank + n_ranks - 1, n_ranks), 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    cells(1) = cells(1) + 1
  end subroutine
end module

program heat
  use mpi
  use grid
  double precision :: cells(1000), all
  integer :: rank, n_ranks, ierror, i
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, n_ranks, ierror)
  cells = rank
  do i = 1, 5
    call exchange(cells, rank, n_ranks)
    call total(cells, all)
  end do
  call MPI_Finalize(ierror)
end program

subroutine total(cells, all)
  use mpi
  double precision :: cells(1000), all
  integer :: ierror
  call MPI_Allreduce(sum(cells), all, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
end subroutine
