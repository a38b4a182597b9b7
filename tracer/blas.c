/* blas.c - BLAS and LAPACK routines as kernel events: the rows of kernels.def, with their Fortran
 * symbols and their CBLAS or LAPACKE symbols.
 *
 * Sizes are those of the column-major routine. A row-major CBLAS call computes the transposed
 * problem, so its m and n are exchanged (also kl and ku; for calls with a side, m and n are
 * exchanged together with the side). LAPACKE copies row-major matrices, so its sizes stay. A CBLAS
 * routine that calls the Fortran one is one event. The wrappers pass on the hidden lengths of
 * Fortran's character arguments. C callers leave them out, and then no library reads them. */
#include "config.h"

#include "kernel.h"

enum { ROW_MAJOR = 101, LEFT = 141 }; /* of CBLAS_ORDER, CBLAS_SIDE */

/* Arguments: W in an integer register; by value in Fortran's TYPE, ALPHA (CBLAS passes complex ones
 * by address) and REAL. */
#define W tlt_word
#define ALPHA_S float
#define ALPHA_D double
#define ALPHA_C tlt_word
#define ALPHA_Z tlt_word
#define REAL_S float
#define REAL_D double
#define REAL_C float
#define REAL_Z double
#define COMPLEX_C float _Complex
#define COMPLEX_Z double _Complex

/* The wrapper of `symbol`: `enter` decides whether the call is recorded; the sizes follow. */
#define ROUTINE(type, symbol, code, n, params, enter, ...)                                         \
    TLT_API type symbol params;                                                                    \
    TLT_API type symbol params                                                                     \
    {                                                                                              \
        TLT_REAL(symbol);                                                                          \
        if (!(enter))                                                                              \
            return real TLT_ARGS_##n;                                                              \
        const int64_t sizes[] = {__VA_ARGS__};                                                     \
        type result = real TLT_ARGS_##n;                                                           \
        tlt_leave_kernel(code, TLT_PLACE(), sizeof sizes / sizeof(int64_t), sizes);                \
        return result;                                                                             \
    }

#define FORTRAN(code, name, n, ...)                                                                \
    ROUTINE(W, name##_, code, n, TLT_WORDS_##n, tlt_enter_routine(), __VA_ARGS__)
#define CBLAS(code, name, n, types, ...)                                                           \
    ROUTINE(W, cblas_##name, code, n, TLT_PARAMS_##n types, tlt_enter_routine(), __VA_ARGS__)
/* LAPACKE_dgetrf, and LAPACKE_dgetrf_work with the same arguments. */
#define LAPACKE(code, name, n, ...)                                                                \
    ROUTINE(W, LAPACKE_##name, code, n, TLT_WORDS_##n, tlt_enter_routine(), __VA_ARGS__)           \
    ROUTINE(W, LAPACKE_##name##_work, code, n, TLT_WORDS_##n, tlt_enter_routine(), __VA_ARGS__)
/* Level 1, on vectors of n elements; `type` is that of the result. */
#define FORTRAN_VECTOR(type, code, name, n)                                                        \
    ROUTINE(type, name##_, code, n, TLT_WORDS_##n, tlt_enter_vector(AT(1)), AT(1))
#define CBLAS_VECTOR(type, code, symbol, n, types)                                                 \
    ROUTINE(type, cblas_##symbol, code, n, TLT_PARAMS_##n types, tlt_enter_vector(INT(1)), INT(1))
#define FORTRAN_SCALAR(code, name, n)                                                              \
    ROUTINE(W, name##_, code, n, TLT_WORDS_##n, tlt_enter_vector(0), )
#define CBLAS_SCALAR(code, name, n, types)                                                         \
    ROUTINE(W, cblas_##name, code, n, TLT_PARAMS_##n types, tlt_enter_vector(0), )

/* Argument i as a size: by address (Fortran); by value; the valid one of two arguments. */
#define AT(i) (*(const int *)a##i)
#define INT(i) ((int)a##i)
#define IS_ROW_MAJOR ((int)a1 == ROW_MAJOR)
#define EITHER(column, row) (IS_ROW_MAJOR ? INT(row) : INT(column))
#define IS_LEFT_AT(i) (*(const char *)a##i == 'L' || *(const char *)a##i == 'l')
#define IS_LEFT(i) ((int)a##i == LEFT)

/* clang-format off */

/* ---- level 1 ---- */

#define ROTG(code, name, T) \
    FORTRAN_SCALAR(code, name, 4) \
    CBLAS_SCALAR(code, name, 4, (W, W, W, W))
#define ROTMG(code, name, T) \
    FORTRAN_SCALAR(code, name, 5) \
    CBLAS_SCALAR(code, name, 5, (W, W, W, ALPHA_##T, W))
#define ROT(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 7) \
    CBLAS_VECTOR(W, code, name, 7, (W, W, W, W, W, REAL_##T, REAL_##T))
#define ROTM(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 6) \
    CBLAS_VECTOR(W, code, name, 6, (W, W, W, W, W, W))
#define SWAP(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 5) \
    CBLAS_VECTOR(W, code, name, 5, (W, W, W, W, W))
#define COPY SWAP
#define SCAL(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 4) \
    CBLAS_VECTOR(W, code, name, 4, (W, ALPHA_##T, W, W))
#define SCAL_REAL(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 4) \
    CBLAS_VECTOR(W, code, name, 4, (W, REAL_##T, W, W))
#define AXPY(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 6) \
    CBLAS_VECTOR(W, code, name, 6, (W, ALPHA_##T, W, W, W, W))
#define DOT(code, name, T) \
    FORTRAN_VECTOR(REAL_##T, code, name, 5) \
    CBLAS_VECTOR(REAL_##T, code, name, 5, (W, W, W, W, W))
#define SDSDOT(code, name, T) \
    FORTRAN_VECTOR(float, code, name, 6) \
    CBLAS_VECTOR(float, code, name, 6, (W, float, W, W, W, W))
#define DOTX(code, name, T) \
    FORTRAN_VECTOR(COMPLEX_##T, code, name, 5) \
    CBLAS_VECTOR(W, code, name##_sub, 6, (W, W, W, W, W, W))
#define NORM(code, name, T) \
    FORTRAN_VECTOR(REAL_##T, code, name, 3) \
    CBLAS_VECTOR(REAL_##T, code, name, 3, (W, W, W))
#define IAMAX(code, name, T) \
    FORTRAN_VECTOR(W, code, name, 3) \
    CBLAS_VECTOR(W, code, name, 3, (W, W, W))

/* ---- level 2 ---- */

#define GEMV(code, name, T) \
    FORTRAN(code, name, 12, AT(2), AT(3)) \
    CBLAS(code, name, 12, (W, W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), \
          EITHER(3, 4), EITHER(4, 3))
#define GBMV(code, name, T) \
    FORTRAN(code, name, 14, AT(2), AT(3), AT(4), AT(5)) \
    CBLAS(code, name, 14, (W, W, W, W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), \
          EITHER(3, 4), EITHER(4, 3), EITHER(5, 6), EITHER(6, 5))
#define SYMV(code, name, T) \
    FORTRAN(code, name, 11, AT(2)) \
    CBLAS(code, name, 11, (W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), INT(3))
#define SBMV(code, name, T) \
    FORTRAN(code, name, 12, AT(2), AT(3)) \
    CBLAS(code, name, 12, (W, W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), INT(3), INT(4))
#define SPMV(code, name, T) \
    FORTRAN(code, name, 10, AT(2)) \
    CBLAS(code, name, 10, (W, W, W, ALPHA_##T, W, W, W, ALPHA_##T, W, W), INT(3))
#define TRMV(code, name, T) \
    FORTRAN(code, name, 11, AT(4)) \
    CBLAS(code, name, 9, (W, W, W, W, W, W, W, W, W), INT(5))
#define TBMV(code, name, T) \
    FORTRAN(code, name, 12, AT(4), AT(5)) \
    CBLAS(code, name, 10, (W, W, W, W, W, W, W, W, W, W), INT(5), INT(6))
#define TPMV(code, name, T) \
    FORTRAN(code, name, 10, AT(4)) \
    CBLAS(code, name, 8, (W, W, W, W, W, W, W, W), INT(5))
#define GER(code, name, T) \
    FORTRAN(code, name, 9, AT(1), AT(2)) \
    CBLAS(code, name, 10, (W, W, W, ALPHA_##T, W, W, W, W, W, W), EITHER(2, 3), EITHER(3, 2))
#define SYR(code, name, T) \
    FORTRAN(code, name, 8, AT(2)) \
    CBLAS(code, name, 8, (W, W, W, REAL_##T, W, W, W, W), INT(3))
#define SPR(code, name, T) \
    FORTRAN(code, name, 7, AT(2)) \
    CBLAS(code, name, 7, (W, W, W, REAL_##T, W, W, W), INT(3))
#define SYR2(code, name, T) \
    FORTRAN(code, name, 10, AT(2)) \
    CBLAS(code, name, 10, (W, W, W, ALPHA_##T, W, W, W, W, W, W), INT(3))
#define SPR2(code, name, T) \
    FORTRAN(code, name, 9, AT(2)) \
    CBLAS(code, name, 9, (W, W, W, ALPHA_##T, W, W, W, W, W), INT(3))

/* ---- level 3 ---- */

#define GEMM(code, name, T) \
    FORTRAN(code, name, 15, AT(3), AT(4), AT(5)) \
    CBLAS(code, name, 14, (W, W, W, W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), \
          EITHER(4, 5), EITHER(5, 4), INT(6))
#define SYMM(code, name, T) \
    FORTRAN(code, name, 14, AT(3), AT(4), IS_LEFT_AT(1) ? AT(3) : AT(4)) \
    CBLAS(code, name, 13, (W, W, W, W, W, ALPHA_##T, W, W, W, W, ALPHA_##T, W, W), \
          EITHER(4, 5), EITHER(5, 4), IS_LEFT(2) ? INT(4) : INT(5))
#define SYRK_BY(code, name, SCALAR) \
    FORTRAN(code, name, 12, AT(3), AT(4)) \
    CBLAS(code, name, 11, (W, W, W, W, W, SCALAR, W, W, SCALAR, W, W), INT(4), INT(5))
#define SYRK(code, name, T) SYRK_BY(code, name, ALPHA_##T)
#define HERK(code, name, T) SYRK_BY(code, name, REAL_##T)
#define SYR2K_BY(code, name, ALPHA, BETA) \
    FORTRAN(code, name, 14, AT(3), AT(4)) \
    CBLAS(code, name, 13, (W, W, W, W, W, ALPHA, W, W, W, W, BETA, W, W), INT(4), INT(5))
#define SYR2K(code, name, T) SYR2K_BY(code, name, ALPHA_##T, ALPHA_##T)
#define HER2K(code, name, T) SYR2K_BY(code, name, ALPHA_##T, REAL_##T)
#define TRMM(code, name, T) \
    FORTRAN(code, name, 15, AT(5), AT(6), IS_LEFT_AT(1) ? AT(5) : AT(6)) \
    CBLAS(code, name, 12, (W, W, W, W, W, W, W, ALPHA_##T, W, W, W, W), \
          EITHER(6, 7), EITHER(7, 6), IS_LEFT(2) ? INT(6) : INT(7))

/* ---- LAPACK ---- */

#define GETRF(code, name, T) \
    FORTRAN(code, name, 6, AT(1), AT(2)) \
    LAPACKE(code, name, 6, INT(2), INT(3))
#define GETRS(code, name, T) \
    FORTRAN(code, name, 10, AT(2), AT(3)) \
    LAPACKE(code, name, 9, INT(3), INT(4))
#define POTRF(code, name, T) \
    FORTRAN(code, name, 6, AT(2)) \
    LAPACKE(code, name, 5, INT(3))

#define TRANSFORM(code, name, T) /* in fftw.c */
#define USER(code, name, T)      /* in user_kernel.c */
#define UNKNOWN(code, name, T)   /* of other versions */

#define TL_KERNEL(code, name, type, kind, dimensions, work, flops) kind(code, name, type)
#include "kernels.def"
/* clang-format on */
