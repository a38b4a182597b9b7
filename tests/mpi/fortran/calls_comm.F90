! calls_comm.F90 - the calls of ../calls_comm.c: its trace must be the same.
#include "binding.h"
program calls_comm
  MPI_MODULE
  implicit none
  MPI_HEADER
  integer :: rank, ierr
  HANDLE(MPI_Comm) :: w, c, d
  call MPI_Init(ierr)
  w = MPI_COMM_WORLD
  call MPI_Comm_rank(w, rank, ierr)
  call graphs
  call MPI_Comm_dup(w, c, ierr)
  call MPI_Comm_dup_with_info(c, MPI_INFO_NULL, d, ierr)
  call MPI_Barrier(d, ierr)
  call MPI_Comm_free(c, ierr)
  call MPI_Comm_free(d, ierr)
  call MPI_Comm_split(w, merge(1, MPI_UNDEFINED, mod(rank, 2) == 1), -rank, c, ierr)
  call use_it(c)
  call MPI_Comm_split_type(w, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, c, ierr)
  call use_it(c)
  call MPI_Barrier(MPI_COMM_SELF, ierr)
  call groups
  call grids
  call intercommunicators
  call MPI_Finalize(ierr)
contains
  subroutine use_it(comm)
    HANDLE(MPI_Comm) :: comm
    if (comm == MPI_COMM_NULL) return
    call MPI_Barrier(comm, ierr)
    call MPI_Comm_free(comm, ierr)
  end subroutine

  subroutine groups
    HANDLE(MPI_Group) :: all, some
    integer :: members(2) = [3, 1]
    call MPI_Comm_group(w, all, ierr)
    call MPI_Group_incl(all, 2, members, some, ierr)
    call MPI_Comm_create(w, some, c, ierr)
    call use_it(c)
    if (rank == 1 .or. rank == 3) then
      call MPI_Comm_create_group(w, some, 7, c, ierr)
      call use_it(c)
    end if
    call MPI_Group_free(some, ierr)
    call MPI_Group_free(all, ierr)
  end subroutine

  subroutine grids
    HANDLE(MPI_Comm) :: row
    integer :: dims(2) = [1, 3]
    logical :: periods(2) = .false., keep(2) = [.false., .true.]
    call MPI_Cart_create(w, 2, dims, periods, .false., c, ierr) ! rank 3 gets none
    if (c == MPI_COMM_NULL) return
    call MPI_Cart_sub(c, keep, row, ierr)
    call use_it(row)
    call MPI_Comm_disconnect(c, ierr)
  end subroutine

  subroutine graphs
    integer :: index(4) = [1, 2, 3, 4], edges(4) = [1, 0, 3, 2]
    integer :: sources(1), degrees(1) = 1, neighbours(1)
    sources = rank
    neighbours = ieor(rank, 1)
    call MPI_Graph_create(w, 4, index, edges, .false., c, ierr)
    call use_it(c)
    call MPI_Dist_graph_create(w, 1, sources, degrees, neighbours, MPI_UNWEIGHTED, MPI_INFO_NULL, .false., c, ierr)
    call use_it(c)
    call MPI_Dist_graph_create_adjacent(w, 1, neighbours, MPI_UNWEIGHTED, 1, neighbours, MPI_UNWEIGHTED, &
                                        MPI_INFO_NULL, .false., c, ierr)
    call use_it(c)
  end subroutine

  ! Two groups, and a copy that is under way when it is used.
  subroutine intercommunicators
    HANDLE(MPI_Comm) :: half, inter
    HANDLE(MPI_Request) :: r
    integer :: value(1)
    call MPI_Comm_split(w, rank / 2, rank, half, ierr)
    call MPI_Intercomm_create(half, 0, w, merge(2, 0, rank < 2), 5, inter, ierr)
    if (rank < 2) then
      call MPI_Send(value, 1, MPI_INTEGER, rank, 6, inter, ierr)
    else
      call MPI_Recv(value, 1, MPI_INTEGER, rank - 2, 6, inter, MPI_STATUS_IGNORE, ierr)
    end if
    call MPI_Comm_free(inter, ierr)
    call MPI_Comm_free(half, ierr)
    call MPI_Comm_idup(w, c, r, ierr)
    call MPI_Wait(r, MPI_STATUS_IGNORE, ierr)
    call MPI_Comm_free(c, ierr)
  end subroutine
end program
