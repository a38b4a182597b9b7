! user_kernels.f90 - kernels of a Fortran program; a call of MPI inside one.
program user_kernels
    use mpi
    use timeless_kernel
    implicit none
    integer :: error, i
    real(8) :: x = 1
    call MPI_Init(error)
    do i = 1, 2
        call timeless_kernel_begin("solve", [int(i, int64), 20_int64])
        x = x + i
        call timeless_kernel_end()
    end do
    call timeless_kernel_begin("with MPI", [1_int64])
    call MPI_Barrier(MPI_COMM_WORLD, error)
    call timeless_kernel_end()
    call MPI_Finalize(error)
    if (x /= 4) stop 1
end program
