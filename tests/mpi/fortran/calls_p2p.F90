! calls_p2p.F90 - the calls of ../calls_p2p.c: its trace must be the same.
#include "binding.h"
program calls_p2p
  MPI_MODULE
  implicit none
  MPI_HEADER
  integer, asynchronous :: data(64), other(64)
  integer :: rank, peer, ierr
  integer, parameter :: space_bytes = 65536
  character :: space(space_bytes)
  HANDLE(MPI_Comm) :: world
  call MPI_Init(ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierr)
  peer = 1 - rank
  call blocking
  call absolute
  call nonblocking
  call persistent
  call probes
  call matched_probes
  call MPI_Finalize(ierr)
contains
  subroutine blocking
    HANDLE(MPI_Request) :: posted
    STATUS(status)
    integer :: length
    call MPI_Buffer_attach(space, space_bytes, ierr)
    if (rank == 0) then
      call MPI_Send(data, 3, MPI_INTEGER, 1, 1, world, ierr)
      call MPI_Bsend(data, 4, MPI_DOUBLE_PRECISION, 1, 2, world, ierr)
      call MPI_Ssend(data, 5, MPI_CHARACTER, 1, 3, world, ierr)
      call MPI_Barrier(world, ierr)
      call MPI_Rsend(data, 6, MPI_INTEGER2, 1, 4, world, ierr)
    else
      call MPI_Recv(data, 8, MPI_INTEGER, 0, 1, world, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(data, 4, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 2, world, status, ierr)
      call MPI_Get_count(status, MPI_DOUBLE_PRECISION, length, ierr)
      if (length /= 4) call MPI_Abort(world, 1, ierr)
      call MPI_Recv(data, 5, MPI_CHARACTER, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierr)
      call MPI_Irecv(data, 6, MPI_INTEGER2, 0, 4, world, posted, ierr)
      call MPI_Barrier(world, ierr)
      call MPI_Wait(posted, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_Sendrecv(data, 1, MPI_INTEGER, peer, 5, other, 2, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, &
                      world, MPI_STATUS_IGNORE, ierr)
    call MPI_Sendrecv_replace(data, 7, MPI_INTEGER, peer, 6, peer, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(data, 1, MPI_INTEGER, MPI_PROC_NULL, 7, world, ierr)
    call MPI_Recv(data, 1, MPI_INTEGER, MPI_PROC_NULL, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierr)
    call detach
  end subroutine

  subroutine detach
#ifdef USE_MPI_F08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
#else
    integer(MPI_ADDRESS_KIND) :: address
#endif
    integer :: length
    call MPI_Buffer_detach(address, length, ierr)
  end subroutine

  ! Types that hold addresses, from and to MPI_BOTTOM.
  subroutine absolute
    integer(MPI_ADDRESS_KIND) :: at(1)
    HANDLE(MPI_Datatype) :: types(2)
    integer :: length(1) = 3
    call MPI_Get_address(data, at(1), ierr)
    call MPI_Type_create_hindexed(1, length, at, MPI_INTEGER, types(1), ierr)
    call MPI_Get_address(other, at(1), ierr)
    call MPI_Type_create_hindexed(1, length, at, MPI_INTEGER, types(2), ierr)
    call MPI_Type_commit(types(1), ierr)
    call MPI_Type_commit(types(2), ierr)
    data(1) = 17 + rank
    call MPI_Sendrecv(MPI_BOTTOM, 1, types(1), peer, 9, MPI_BOTTOM, 1, types(2), peer, 9, world, &
                      MPI_STATUS_IGNORE, ierr)
    call check_arrival
  end subroutine

  ! Apart, so that the compiler does not know that it is unchanged.
  subroutine check_arrival
    if (other(1) /= 17 + peer) call MPI_Abort(world, 1, ierr)
  end subroutine

  subroutine nonblocking
    HANDLE(MPI_Request) :: r(4)
    integer :: i, source
    call MPI_Buffer_attach(space, space_bytes, ierr)
    if (rank == 0) then
      call MPI_Barrier(world, ierr)
      call MPI_Isend(data, 1, MPI_INTEGER, 1, 10, world, r(1), ierr)
      call MPI_Ibsend(data, 2, MPI_INTEGER, 1, 11, world, r(2), ierr)
      call MPI_Issend(data, 3, MPI_INTEGER, 1, 12, world, r(3), ierr)
      call MPI_Irsend(data, 4, MPI_INTEGER, 1, 13, world, r(4), ierr)
    else
      do i = 1, 4
        source = merge(MPI_ANY_SOURCE, 0, mod(i, 2) == 0)
        call MPI_Irecv(data(8 * i - 7), 8, MPI_INTEGER, source, 9 + i, world, r(i), ierr)
      end do
      call MPI_Barrier(world, ierr)
    end if
    call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
    call detach
  end subroutine

  subroutine persistent
    HANDLE(MPI_Request) :: r(4)
    integer :: i, round
    call MPI_Buffer_attach(space, space_bytes, ierr)
    if (rank == 0) then
      call MPI_Send_init(data, 1, MPI_INTEGER, 1, 20, world, r(1), ierr)
      call MPI_Bsend_init(data, 2, MPI_INTEGER, 1, 21, world, r(2), ierr)
      call MPI_Ssend_init(data, 3, MPI_INTEGER, 1, 22, world, r(3), ierr)
      call MPI_Rsend_init(data, 4, MPI_INTEGER, 1, 23, world, r(4), ierr)
    else
      do i = 1, 4
        call MPI_Recv_init(data(8 * i - 7), 8, MPI_INTEGER, 0, merge(MPI_ANY_TAG, 19 + i, i == 1), world, &
                           r(i), ierr)
      end do
    end if
    do round = 1, 2
      if (rank == 1) call MPI_Startall(4, r, ierr)
      call MPI_Barrier(world, ierr)
      if (rank == 0) then
        do i = 1, 4
          call MPI_Start(r(i), ierr)
        end do
      end if
      call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
      call MPI_Waitall(4, r, MPI_STATUSES_IGNORE, ierr)
    end do
    call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr) ! inactive: nothing completes
    do i = 1, 4
      call MPI_Request_free(r(i), ierr)
    end do
    call detach
  end subroutine

  subroutine probes
    logical :: flag
    if (rank == 0) then
      call MPI_Barrier(world, ierr)
      call MPI_Send(data, 2, MPI_INTEGER, 1, 30, world, ierr)
      call MPI_Send(data, 2, MPI_INTEGER, 1, 31, world, ierr)
    else
      call MPI_Iprobe(0, 30, world, flag, MPI_STATUS_IGNORE, ierr) ! nothing there: a poll
      call MPI_Barrier(world, ierr)
      call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE, ierr)
      call MPI_Recv(data, 2, MPI_INTEGER, 0, 30, world, MPI_STATUS_IGNORE, ierr)
      flag = .false.
      do while (.not. flag)
        call MPI_Iprobe(MPI_ANY_SOURCE, 31, world, flag, MPI_STATUS_IGNORE, ierr)
      end do
      call MPI_Recv(data, 2, MPI_INTEGER, 0, 31, world, MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine

  ! Probes that take the message out for a receive of its own.
  subroutine matched_probes
    HANDLE(MPI_Message) :: first, second
    HANDLE(MPI_Request) :: r
    logical :: flag
    if (rank == 0) then
      call MPI_Barrier(world, ierr)
      call MPI_Send(data, 3, MPI_INTEGER, 1, 40, world, ierr)
      call MPI_Send(data, 4, MPI_INTEGER, 1, 41, world, ierr)
    else
      call MPI_Improbe(0, 40, world, flag, first, MPI_STATUS_IGNORE, ierr) ! a poll
      call MPI_Barrier(world, ierr)
      call MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, first, MPI_STATUS_IGNORE, ierr)
      flag = .false.
      do while (.not. flag)
        call MPI_Improbe(MPI_ANY_SOURCE, 41, world, flag, second, MPI_STATUS_IGNORE, ierr)
      end do
      call MPI_Imrecv(other, 4, MPI_INTEGER, second, r, ierr)
      call MPI_Mrecv(data, 5, MPI_INTEGER, first, MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_Mprobe(MPI_PROC_NULL, 42, world, first, MPI_STATUS_IGNORE, ierr)
    call MPI_Mrecv(data, 1, MPI_INTEGER, first, MPI_STATUS_IGNORE, ierr)
  end subroutine
end program
