! isendrecv.F90 - MPI_Isendrecv, and a message in three partitions from rank 0 to rank 1.
#include "binding.h"
program isendrecv
  MPI_MODULE
  implicit none
  MPI_HEADER
  integer, asynchronous :: sent(12), received(12)
  integer :: rank, peer, i, ierr
  integer(MPI_COUNT_KIND), parameter :: in_part = 4
  logical :: there
  HANDLE(MPI_Comm) :: world
  HANDLE(MPI_Request) :: request
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierr)
  peer = 1 - rank
  sent = 100 * rank + [(i, i = 1, 12)]
  call MPI_Isendrecv(sent, 5, MPI_INTEGER, peer, 10, received, 6, MPI_INTEGER, peer, 10, world, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  if (any(received(:5) /= 100 * peer + [(i, i = 1, 5)])) print *, 'wrong data'
  if (rank == 0) then
    call MPI_Psend_init(sent, 3, in_part, MPI_INTEGER, 1, 11, world, MPI_INFO_NULL, request, ierr)
    call MPI_Start(request, ierr)
    call MPI_Pready(1, request, ierr)
    call MPI_Pready_list(1, [2], request, ierr)
    call MPI_Pready_range(0, 0, request, ierr)
  else
    call MPI_Precv_init(received, 3, in_part, MPI_INTEGER, 0, 11, world, MPI_INFO_NULL, request, ierr)
    call MPI_Start(request, ierr)
    do i = 0, 2
      there = .false.
      do while (.not. there)
        call MPI_Parrived(request, i, there, ierr)
      end do
    end do
    if (any(received /= [(i, i = 1, 12)])) print *, 'wrong data'
  end if
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  call MPI_Request_free(request, ierr)
  call MPI_Finalize(ierr)
end program
