/* kernel_groups.h - the groups of the rows in kernels.def, for `timeless record --skip-kernels`. */
#ifndef TL_KERNEL_GROUPS_H
#define TL_KERNEL_GROUPS_H

#include <string.h>

typedef enum tl_kernel_group {
    TL_KERNELS_NONE,  /* no routine of BLAS or LAPACK, or its result decides what comes next */
    TL_KERNELS_BLAS1, /* those that return nothing */
    TL_KERNELS_BLAS2,
    TL_KERNELS_BLAS3,
    TL_KERNELS_GETRF, /* LAPACK: they also return an error code, and getrf the pivots */
    TL_KERNELS_GETRS,
    TL_KERNELS_POTRF
} tl_kernel_group;

/* The group of a routine, as in "dgemm". */
static inline tl_kernel_group tl_kernel_group_of(const char *routine)
{
    enum {
        GROUP_ROTG = TL_KERNELS_NONE,
        GROUP_ROTMG = TL_KERNELS_NONE,
        GROUP_DOT = TL_KERNELS_NONE,
        GROUP_SDSDOT = TL_KERNELS_NONE,
        GROUP_DOTX = TL_KERNELS_NONE,
        GROUP_NORM = TL_KERNELS_NONE,
        GROUP_IAMAX = TL_KERNELS_NONE,
        GROUP_TRANSFORM = TL_KERNELS_NONE,
        GROUP_USER = TL_KERNELS_NONE,
        GROUP_UNKNOWN = TL_KERNELS_NONE,
        GROUP_ROT = TL_KERNELS_BLAS1,
        GROUP_ROTM = TL_KERNELS_BLAS1,
        GROUP_SWAP = TL_KERNELS_BLAS1,
        GROUP_COPY = TL_KERNELS_BLAS1,
        GROUP_SCAL = TL_KERNELS_BLAS1,
        GROUP_SCAL_REAL = TL_KERNELS_BLAS1,
        GROUP_AXPY = TL_KERNELS_BLAS1,
        GROUP_GEMV = TL_KERNELS_BLAS2,
        GROUP_GBMV = TL_KERNELS_BLAS2,
        GROUP_SYMV = TL_KERNELS_BLAS2,
        GROUP_SBMV = TL_KERNELS_BLAS2,
        GROUP_SPMV = TL_KERNELS_BLAS2,
        GROUP_TRMV = TL_KERNELS_BLAS2,
        GROUP_TBMV = TL_KERNELS_BLAS2,
        GROUP_TPMV = TL_KERNELS_BLAS2,
        GROUP_GER = TL_KERNELS_BLAS2,
        GROUP_SYR = TL_KERNELS_BLAS2,
        GROUP_SPR = TL_KERNELS_BLAS2,
        GROUP_SYR2 = TL_KERNELS_BLAS2,
        GROUP_SPR2 = TL_KERNELS_BLAS2,
        GROUP_GEMM = TL_KERNELS_BLAS3,
        GROUP_SYMM = TL_KERNELS_BLAS3,
        GROUP_SYRK = TL_KERNELS_BLAS3,
        GROUP_HERK = TL_KERNELS_BLAS3,
        GROUP_SYR2K = TL_KERNELS_BLAS3,
        GROUP_HER2K = TL_KERNELS_BLAS3,
        GROUP_TRMM = TL_KERNELS_BLAS3,
        GROUP_GETRF = TL_KERNELS_GETRF,
        GROUP_GETRS = TL_KERNELS_GETRS,
        GROUP_POTRF = TL_KERNELS_POTRF
    };
    static const struct {
        const char *name;
        tl_kernel_group group;
    } rows[] = {
#define TL_KERNEL(code, name, type, kind, dimensions, work, flops)                                 \
    {#name, (tl_kernel_group)GROUP_##kind},
#include "kernels.def"
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(rows[i].name, routine))
            return rows[i].group;
    return TL_KERNELS_NONE;
}

/* The name by which an option selects the whole group; NULL: it has none. */
static inline const char *tl_kernel_group_name(tl_kernel_group group)
{
    switch (group) {
    case TL_KERNELS_BLAS2: return "blas2";
    case TL_KERNELS_BLAS3: return "blas3";
    case TL_KERNELS_GETRF:
    case TL_KERNELS_GETRS:
    case TL_KERNELS_POTRF: return "lapack";
    case TL_KERNELS_NONE:
    case TL_KERNELS_BLAS1: break;
    }
    return NULL;
}

#endif
