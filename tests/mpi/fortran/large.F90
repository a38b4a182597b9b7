! large.F90 - use mpi_f08 with counts of kind MPI_COUNT_KIND.
program large
    use mpi_f08
    implicit none
    integer(MPI_COUNT_KIND) :: n = 5
    integer :: rank, sent(5), received(5)
    type(MPI_Request) :: request

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    sent = rank
    call MPI_Sendrecv(sent, n, MPI_INTEGER, 1 - rank, 1, received, n, MPI_INTEGER, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Allreduce(sent, received, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call MPI_Isend(sent, n, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, request)
    call MPI_Recv(received, n, MPI_INTEGER, 1 - rank, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (received(3) /= 1 - rank) call MPI_Abort(MPI_COMM_WORLD, 1)
    call MPI_Finalize()
end program
