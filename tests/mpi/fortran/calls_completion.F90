! calls_completion.F90 - the calls of ../calls_completion.c: its trace must be the same.
#include "binding.h"
program calls_completion
  MPI_MODULE
  implicit none
  MPI_HEADER
  integer :: rank, data(4, 16), provided, ierr
  HANDLE(MPI_Comm) :: world
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  world = MPI_COMM_WORLD
  call MPI_Comm_rank(world, rank, ierr)
  call one_by_one
  call many
  call cancel_and_free
  call shared_handles
  call looks
  call MPI_Finalize(ierr)
contains
  ! Rank 1 receives n messages of tags first.. that rank 0 sends after a barrier.
  subroutine post(n, first, r)
    integer, intent(in) :: n, first
    HANDLE(MPI_Request), intent(inout) :: r(:)
    integer :: i
    if (rank == 0) then
      call MPI_Barrier(world, ierr)
      do i = 1, n
        call MPI_Send(data(1, i), 4, MPI_INTEGER, 1, first + i - 1, world, ierr)
      end do
    else
      do i = 1, n
        call MPI_Irecv(data(1, i), 4, MPI_INTEGER, merge(MPI_ANY_SOURCE, 0, i == 2), first + i - 1, world, &
                       r(i), ierr)
      end do
    end if
  end subroutine

  subroutine insist(truth)
    logical, intent(in) :: truth
    if (.not. truth) call MPI_Abort(world, 1, ierr)
  end subroutine

  ! MPICH 4.0 adds 1 to MPI_UNDEFINED, too, and in mpi_f08 it counts from 0.
  logical function is_index(index, wanted)
    integer, intent(in) :: index, wanted
    is_index = index == wanted
#ifdef OF_MPICH
    is_index = is_index .or. index == merge(wanted + 1, wanted - 1, wanted == MPI_UNDEFINED)
#endif
  end function

  subroutine one_by_one
    HANDLE(MPI_Request) :: r(3)
    integer :: index
    logical :: flag
    call post(3, 10, r)
    if (rank == 0) return
    call MPI_Test(r(3), flag, MPI_STATUS_IGNORE, ierr) ! not yet sent: polls
    call MPI_Testany(3, r, index, flag, MPI_STATUS_IGNORE, ierr)
    call MPI_Barrier(world, ierr)
    call MPI_Waitany(1, r, index, MPI_STATUS_IGNORE, ierr)
    call insist(is_index(index, 1))
    flag = .false.
    do while (.not. flag)
      call MPI_Testany(2, r, index, flag, MPI_STATUS_IGNORE, ierr)
    end do
    call insist(is_index(index, 2))
    flag = .false.
    do while (.not. flag)
      call MPI_Test(r(3), flag, MPI_STATUS_IGNORE, ierr)
    end do
    call MPI_Wait(r(3), MPI_STATUS_IGNORE, ierr) ! null
    call MPI_Waitany(3, r, index, MPI_STATUS_IGNORE, ierr) ! all null
    call insist(is_index(index, MPI_UNDEFINED))
  end subroutine

  subroutine many
    HANDLE(MPI_Request) :: r(4)
    STATUSES(statuses, 4)
    integer :: n, indices(4)
    logical :: flag
    call post(4, 20, r)
    if (rank == 0) return
    call MPI_Testall(4, r, flag, MPI_STATUSES_IGNORE, ierr)
    call MPI_Testsome(4, r, n, indices, MPI_STATUSES_IGNORE, ierr)
    call MPI_Barrier(world, ierr)
    call MPI_Waitsome(1, r, n, indices, statuses, ierr)
    call insist(n == 1 .and. is_index(indices(1), 1))
    n = 0
    do while (n == 0)
      call MPI_Testsome(2, r, n, indices, MPI_STATUSES_IGNORE, ierr)
    end do
    call insist(n == 1 .and. is_index(indices(1), 2))
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(4, r, flag, MPI_STATUSES_IGNORE, ierr)
    end do
  end subroutine

  ! A request that never matches, and one that is let go.
  subroutine cancel_and_free
    HANDLE(MPI_Request) :: r
    call MPI_Irecv(data, 4, MPI_INTEGER, MPI_ANY_SOURCE, 99, world, r, ierr)
    call MPI_Cancel(r, ierr)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
    if (rank == 0) then
      call MPI_Isend(data, 4, MPI_INTEGER, 1, 30, world, r, ierr)
      call MPI_Request_free(r, ierr)
    else
      call MPI_Recv(data, 4, MPI_INTEGER, 0, 30, world, MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine

  ! Open MPI gives all small sends that left at once the same handle.
  subroutine shared_handles
    HANDLE(MPI_Request) :: r(6), copy(6)
    integer :: i
    if (rank == 0) then
      do i = 1, 6
        call MPI_Isend(data(1, i), 1, MPI_INTEGER, 1, 39 + i, world, r(i), ierr)
      end do
      call MPI_Wait(r(5), MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
      call MPI_Waitall(6, r, MPI_STATUSES_IGNORE, ierr)
      do i = 1, 6
        call MPI_Isend(data(1, i), 1, MPI_INTEGER, 1, 49 + i, world, r(1), ierr)
        copy(i) = r(1)
      end do
      call MPI_Waitall(6, copy, MPI_STATUSES_IGNORE, ierr)
      ! The second request has replaced the first one in the variable.
      call MPI_Irecv(data(1, 1), 4, MPI_INTEGER, MPI_PROC_NULL, 60, world, r(1), ierr)
      copy(1) = r(1)
      call MPI_Irecv(data(1, 2), 4, MPI_INTEGER, MPI_PROC_NULL, 61, world, r(1), ierr)
      call MPI_Wait(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_Wait(copy(1), MPI_STATUS_IGNORE, ierr)
    else
      do i = 0, 11
        call MPI_Recv(data(1, i + 1), 1, MPI_INTEGER, 0, 40 + i + merge(4, 0, i >= 6), world, &
                      MPI_STATUS_IGNORE, ierr)
      end do
    end if
  end subroutine

  ! On rank 1: 1, 3 and 6 looks at the clock between two other events, those of the last kind with failed polls among them.
  subroutine looks
    HANDLE(MPI_Request) :: r
    logical :: flag
    integer :: i, n
    double precision :: now
    if (rank == 1) then
      call MPI_Irecv(data, 4, MPI_INTEGER, 0, 70, world, r, ierr)
      do n = 1, 3, 2
        do i = 1, n
          now = MPI_Wtime()
        end do
        call MPI_Barrier(MPI_COMM_SELF, ierr)
      end do
      do i = 1, 3
        now = MPI_Wtime()
        call MPI_Test(r, flag, MPI_STATUS_IGNORE, ierr) ! not yet sent
        now = MPI_Wtime()
      end do
    end if
    call MPI_Barrier(world, ierr)
    if (rank == 0) then
      call MPI_Send(data, 4, MPI_INTEGER, 1, 70, world, ierr)
    else
      call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
    end if
  end subroutine
end program
