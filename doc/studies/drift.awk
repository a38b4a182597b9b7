# Measurements as 'timeless calibrate kernels --raw' writes them, but of a machine whose times are known: a product of
# m x 64 by 64 x 64 takes 1 us + 0.1 ns for each multiplication (work), times a drift that grows evenly from 1 to 1.2
# while the measurements are made. -v order=rising: small sizes first; -v order=random: the same sizes, shuffled.
function shuffle(i, j, t) {
    for (i = n - 1; i > 0; i--) {
        state = (state * 69069 + 1) % 4294967296
        j = int(state / 4294967296 * (i + 1))
        t = size[i]; size[i] = size[j]; size[j] = t
    }
}
BEGIN {
    n = 400; state = 1
    for (i = 0; i < n; i++) size[i] = i + 1
    if (order == "random") shuffle()
    print "# seed 1 instruction_s 0 processor known\nkernel,d0,d1,d2,work,core,repeats,seconds"
    # A model has every kernel; the others have the times of the product.
    n_kernels = split("dgemm dtrsm dgemv dger dtrsv daxpy dscal dswap dcopy idamax sgemm strsm sgemv sger strsv " \
        "saxpy sscal sswap scopy isamax", kernels, " ")
    for (i = 0; i < n; i++)
        for (k = 1; k <= n_kernels; k++) {
            work = size[i] * 4096
            printf "%s,%d,64,64,%d,0,1,%.9e\n", kernels[k], size[i], work, (1e-6 + 1e-10 * work) * (1 + 0.2 * i / n)
        }
}
