! timeless_kernel.f90 - kernels of your own in the traces of Timeless, for Fortran: compile this file
! with the program.  timeless_kernel.h says what the calls mean.
!
!     use timeless_kernel
!     call timeless_kernel_begin("assemble", [int(n, int64), int(order, int64)])
!     ...
!     call timeless_kernel_end()
!
! SPDX-FileCopyrightText: 2026 the Timeless authors
! SPDX-License-Identifier: BSD-3-Clause
module timeless_kernel
    use, intrinsic :: iso_c_binding
    use, intrinsic :: iso_fortran_env, only: int64
    implicit none
    private
    public :: timeless_kernel_begin, timeless_kernel_end, int64

    abstract interface
        subroutine begin_kernel(name, n_sizes, sizes) bind(c)
            import :: c_char, c_int, c_int64_t
            character(kind=c_char), intent(in) :: name(*)
            integer(c_int), value :: n_sizes
            integer(c_int64_t), intent(in) :: sizes(*)
        end subroutine
        subroutine end_kernel() bind(c)
        end subroutine
    end interface
    interface
        function find(handle, name) bind(c, name="dlsym")
            import :: c_char, c_ptr, c_funptr
            type(c_ptr), value :: handle
            character(kind=c_char), intent(in) :: name(*)
            type(c_funptr) :: find
        end function
    end interface

contains

    ! A null handle is RTLD_DEFAULT: what the tracer exports, if it is there.
    subroutine timeless_kernel_begin(name, sizes)
        character(len=*), intent(in) :: name
        integer(int64), intent(in) :: sizes(:)
        procedure(begin_kernel), pointer, save :: begin => null()
        logical, save :: searched = .false.
        type(c_funptr) :: found
        if (.not. searched) then
            found = find(c_null_ptr, c_char_"timeless_kernel_begin" // c_null_char)
            if (c_associated(found)) call c_f_procpointer(found, begin)
            searched = .true.
        end if
        if (associated(begin)) call begin(trim(name) // c_null_char, size(sizes, kind=c_int), sizes)
    end subroutine

    subroutine timeless_kernel_end()
        procedure(end_kernel), pointer, save :: finish => null()
        logical, save :: searched = .false.
        type(c_funptr) :: found
        if (.not. searched) then
            found = find(c_null_ptr, c_char_"timeless_kernel_end" // c_null_char)
            if (c_associated(found)) call c_f_procpointer(found, finish)
            searched = .true.
        end if
        if (associated(finish)) call finish()
    end subroutine
end module
