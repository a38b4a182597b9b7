! mixed.F90 - three Fortran bindings and C in one program, on 2 ranks.
!     mixed FILE     FILE is made by MPI-IO

! Called by MPI_Comm_dup: what it calls belongs to that.
subroutine copy_attribute(comm, keyval, extra, old, new, flag, ierr)
  implicit none
  include 'mpif.h'
  integer :: comm, keyval, ierr
  integer(MPI_ADDRESS_KIND) :: extra, old, new
  logical :: flag
  new = old + int(MPI_Wtime() * 0)
  flag = .true.
  ierr = MPI_SUCCESS
end subroutine

subroutine in_mpif_h(comm, path)
  implicit none
  include 'mpif.h'
  integer :: comm, copy, keyval, file, ierr
  character(len=*) :: path
  integer(MPI_ADDRESS_KIND) :: zero
  external :: copy_attribute
  zero = 0
  call MPI_Comm_create_keyval(copy_attribute, MPI_COMM_NULL_DELETE_FN, keyval, zero, ierr)
  call MPI_Comm_set_attr(comm, keyval, zero, ierr)
  call MPI_Comm_dup(comm, copy, ierr)
  call MPI_Comm_free(copy, ierr)
  call MPI_Comm_free_keyval(keyval, ierr)
  call MPI_File_open(comm, path, MPI_MODE_CREATE + MPI_MODE_WRONLY, MPI_INFO_NULL, file, ierr)
  call MPI_File_close(file, ierr)
end subroutine

subroutine in_use_mpi(comm)
  use mpi
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  integer :: comm, window, ierr
  type(c_ptr) :: base
  call MPI_Win_allocate(8_MPI_ADDRESS_KIND, 1, MPI_INFO_NULL, comm, base, window, ierr)
  call MPI_Win_free(window, ierr)
  call PMPI_Barrier(comm, ierr)
end subroutine

program mixed
  use mpi_f08
  implicit none
  interface
    subroutine finish(request) bind(C)
      integer :: request
    end subroutine
    subroutine begin(comm, peer, request) bind(C)
      integer :: comm, peer, request
    end subroutine
    subroutine by_profiling_name(comm) bind(C)
      integer :: comm
    end subroutine
  end interface
  integer :: rank, peer, value(1), n, indices(1)
  logical :: flag
  type(MPI_Comm) :: comm
  type(MPI_Request) :: r(2), none(0)
  character(len=512) :: path
  call get_command_argument(1, path)
  call MPI_Init
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_rank(comm, rank)
  peer = 1 - rank
  call begin(comm%MPI_VAL, peer, r(1)%MPI_VAL)
  call MPI_Isend(value, 1, MPI_INTEGER, peer, 8, comm, r(2))
  call finish(r(2)%MPI_VAL)
  call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
  call MPI_Waitall(0, none, MPI_STATUSES_IGNORE) ! the binding returns at once
  call MPI_Testsome(0, none, n, indices, MPI_STATUSES_IGNORE)
  call MPI_Testall(0, none, flag, MPI_STATUSES_IGNORE)
  call by_profiling_name(comm%MPI_VAL)
  call in_mpif_h(comm%MPI_VAL, path)
  call in_use_mpi(comm%MPI_VAL)
  call MPI_Comm_free(comm)
  call MPI_Finalize
end program
