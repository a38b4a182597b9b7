! frame.F90 - what the calls of run(), made by rows.py, are given; begins and ends the program.
#include "../fortran/binding.h"
program frame
  MPI_MODULE
  MPI_EXTENSIONS
  use, intrinsic :: iso_c_binding
  implicit none
  MPI_HEADER
  integer, parameter :: room = 1024
  integer, asynchronous :: in(room), out(room), memory(room)
  ! MPICH with UCX writes before the window if it does not begin at a multiple of 8.
  double precision, save :: aligned(room / 2)
  equivalence (memory, aligned)
  integer :: rank, partner, which, indices(2), ierr, provided
  integer :: displs(2) = [0, 16], bdispls(2) = [0, 128], me(1), them(1), one(1) = [1], dims(1) = [2]
  integer :: graph_index(2) = [1, 2], graph_edges(2) = [1, 0]
  logical :: flag, periods(1) = .true., keep(1) = .true., no = .false., is_high
  integer(MPI_ADDRESS_KIND) :: adispls(2) = [0, 128], no_aint = 0, window_bytes = 4 * room
  integer(MPI_OFFSET_KIND) :: no_offset = 0, some_bytes = 4096
  HANDLE(MPI_Datatype) :: stypes(2), rtypes(2)
  HANDLE(MPI_Comm) :: comm, graph, newcomm, cart, inter
  HANDLE(MPI_Group) :: world_group, partner_group
  HANDLE(MPI_Win) :: win, newwin
  HANDLE(MPI_File) :: file, newfile
  HANDLE(MPI_Message) :: message
  HANDLE(MPI_Request) :: request, other, requests(2)
  character(len=4096) :: path, own_path, mode
  character :: space(4 * room)
  MEMORY_POINTER :: base
  double precision :: now
  call get_command_argument(1, mode)
  if (mode == 'thread') then
    call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  else
    call MPI_Init(ierr)
  end if
  if (mode == 'abort') call MPI_Abort(MPI_COMM_WORLD, 5, ierr)
  if (mode == 'all') then
    call get_ready
    call run
  end if
  call MPI_Finalize(ierr)
contains
  subroutine get_ready
    call get_command_argument(2, path)
    comm = MPI_COMM_WORLD
    call MPI_Comm_rank(comm, rank, ierr)
    partner = 1 - rank
    me = rank
    them = partner
    is_high = rank == 1
    write(own_path, '(a, ".", i0)') trim(path), rank
    stypes = MPI_INTEGER
    rtypes = MPI_2INTEGER
    requests = MPI_REQUEST_NULL
    call MPI_Buffer_attach(space, size(space), ierr)
    call MPI_Comm_group(comm, world_group, ierr)
    call MPI_Group_incl(world_group, 1, them, partner_group, ierr)
  end subroutine

#include "run.f90"
end program
