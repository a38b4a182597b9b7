# A Fortran program with coarrays: one-sided communication of OpenCoarrays.
packages='libcoarrays-openmpi-dev gfortran'
prepare() {
    cat >ring.f90 <<'IN'
program ring
    implicit none
    integer :: a(1000)[*], me, n, step, total[*]
    me = this_image()
    n = num_images()
    a = me
    do step = 1, 20
        sync all
        a(:)[merge(1, me + 1, me == n)] = a + step
    end do
    sync all
    total = sum(a)
    call co_sum(total, result_image=1)
    if (me == 1) print '(a, i0)', 'total ', total
end program ring
IN
    "$(command -v caf.openmpi || command -v caf)" -O1 ring.f90 -o ring
    command=(./ring)
}
findings() { grep -c '^total' "$1"; }
