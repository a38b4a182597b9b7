/* blas.c - BLAS routines as kernel events: the rows of kernels.def behind their Fortran and CBLAS
 * symbols.
 *
 * Sizes are those of the column-major routine: row-major CBLAS calls compute the transposed
 * problem, so their m and n change places (and with them the side of trsm).  A CBLAS routine that
 * calls the Fortran one is one event.  Fortran routines get the hidden lengths of their character
 * arguments passed on; C callers leave them out, and then no library reads them.
 */
#include "config.h"

#include "runtime.h"

enum { ROW_MAJOR = 101, LEFT = 141 }; /* of CBLAS_ORDER, CBLAS_SIDE */

static inline bool enter(void)
{
    return tlt.kernels && tlt_enter_kernel();
}

static void leave(uint16_t code, uint32_t site, uint32_t n_sizes, const int64_t *sizes)
{
    tl_event event = {.call = code, .site = site, .list_len = n_sizes, .list = sizes};
    tlt_put(&event);
    tlt_leave();
}

/* A routine `symbol` of the kernel in row `name`; the sizes follow. */
#define ROUTINE(type, symbol, name, params, args, declare, assign, give, ...)                      \
    TLT_API type symbol params;                                                                    \
    TLT_API type symbol params                                                                     \
    {                                                                                              \
        static __typeof__(&symbol) real;                                                           \
        if (TLT_UNLIKELY(!real))                                                                   \
            real = (__typeof__(real))tlt_next(#symbol, __builtin_return_address(0));               \
        if (!enter())                                                                              \
            return real args;                                                                      \
        const int64_t sizes[] = {__VA_ARGS__};                                                     \
        uint32_t site = TLT_SITE();                                                                \
        declare assign real args;                                                                  \
        leave(TL_KERNEL_##name, site, sizeof sizes / sizeof *sizes, sizes);                        \
        give;                                                                                      \
    }
#define SUBROUTINE(symbol, name, params, args, ...)                                                \
    ROUTINE(void, symbol, name, params, args, , , return, __VA_ARGS__)
#define FUNCTION(type, symbol, name, params, args, ...)                                            \
    ROUTINE(type, symbol, name, params, args, type result, =, return result, __VA_ARGS__)

/* clang-format off */

/* The routines of one precision: its letter, its type. */
#define PRECISION(p, T)                                                                            \
    SUBROUTINE(p##gemm_, p##gemm,                                                                  \
        (const char *ta, const char *tb, const int *m, const int *n, const int *k, const T *alpha, \
         const T *a, const int *lda, const T *b, const int *ldb, const T *beta, T *c,              \
         const int *ldc, size_t ta_length, size_t tb_length),                                      \
        (ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc, ta_length, tb_length),              \
        *m, *n, *k)                                                                                \
    SUBROUTINE(cblas_##p##gemm, p##gemm,                                                           \
        (int order, int ta, int tb, int m, int n, int k, T alpha, const T *a, int lda, const T *b, \
         int ldb, T beta, T *c, int ldc),                                                          \
        (order, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc),                             \
        order == ROW_MAJOR ? n : m, order == ROW_MAJOR ? m : n, k)                                 \
    SUBROUTINE(p##trsm_, p##trsm,                                                                  \
        (const char *side, const char *uplo, const char *ta, const char *diag, const int *m,       \
         const int *n, const T *alpha, const T *a, const int *lda, T *b, const int *ldb,           \
         size_t side_length, size_t uplo_length, size_t ta_length, size_t diag_length),            \
        (side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb, side_length, uplo_length, ta_length,   \
         diag_length),                                                                             \
        *m, *n, (*side == 'L' || *side == 'l') ? *m : *n)                                          \
    SUBROUTINE(cblas_##p##trsm, p##trsm,                                                           \
        (int order, int side, int uplo, int ta, int diag, int m, int n, T alpha, const T *a,       \
         int lda, T *b, int ldb),                                                                  \
        (order, side, uplo, ta, diag, m, n, alpha, a, lda, b, ldb),                                \
        order == ROW_MAJOR ? n : m, order == ROW_MAJOR ? m : n, side == LEFT ? m : n)              \
    SUBROUTINE(p##gemv_, p##gemv,                                                                  \
        (const char *ta, const int *m, const int *n, const T *alpha, const T *a, const int *lda,   \
         const T *x, const int *incx, const T *beta, T *y, const int *incy, size_t ta_length),     \
        (ta, m, n, alpha, a, lda, x, incx, beta, y, incy, ta_length),                              \
        *m, *n)                                                                                    \
    SUBROUTINE(cblas_##p##gemv, p##gemv,                                                           \
        (int order, int ta, int m, int n, T alpha, const T *a, int lda, const T *x, int incx,      \
         T beta, T *y, int incy),                                                                  \
        (order, ta, m, n, alpha, a, lda, x, incx, beta, y, incy),                                  \
        order == ROW_MAJOR ? n : m, order == ROW_MAJOR ? m : n)                                    \
    SUBROUTINE(p##ger_, p##ger,                                                                    \
        (const int *m, const int *n, const T *alpha, const T *x, const int *incx, const T *y,      \
         const int *incy, T *a, const int *lda),                                                   \
        (m, n, alpha, x, incx, y, incy, a, lda),                                                   \
        *m, *n)                                                                                    \
    SUBROUTINE(cblas_##p##ger, p##ger,                                                             \
        (int order, int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a,       \
         int lda),                                                                                 \
        (order, m, n, alpha, x, incx, y, incy, a, lda),                                            \
        order == ROW_MAJOR ? n : m, order == ROW_MAJOR ? m : n)                                    \
    SUBROUTINE(p##trsv_, p##trsv,                                                                  \
        (const char *uplo, const char *ta, const char *diag, const int *n, const T *a,             \
         const int *lda, T *x, const int *incx, size_t uplo_length, size_t ta_length,              \
         size_t diag_length),                                                                      \
        (uplo, ta, diag, n, a, lda, x, incx, uplo_length, ta_length, diag_length),                 \
        *n)                                                                                        \
    SUBROUTINE(cblas_##p##trsv, p##trsv,                                                           \
        (int order, int uplo, int ta, int diag, int n, const T *a, int lda, T *x, int incx),       \
        (order, uplo, ta, diag, n, a, lda, x, incx),                                               \
        n)                                                                                         \
    SUBROUTINE(p##axpy_, p##axpy,                                                                  \
        (const int *n, const T *alpha, const T *x, const int *incx, T *y, const int *incy),        \
        (n, alpha, x, incx, y, incy),                                                              \
        *n)                                                                                        \
    SUBROUTINE(cblas_##p##axpy, p##axpy,                                                           \
        (int n, T alpha, const T *x, int incx, T *y, int incy),                                    \
        (n, alpha, x, incx, y, incy),                                                              \
        n)                                                                                         \
    SUBROUTINE(p##scal_, p##scal,                                                                  \
        (const int *n, const T *alpha, T *x, const int *incx),                                     \
        (n, alpha, x, incx),                                                                       \
        *n)                                                                                        \
    SUBROUTINE(cblas_##p##scal, p##scal,                                                           \
        (int n, T alpha, T *x, int incx),                                                          \
        (n, alpha, x, incx),                                                                       \
        n)                                                                                         \
    SUBROUTINE(p##swap_, p##swap,                                                                  \
        (const int *n, T *x, const int *incx, T *y, const int *incy),                              \
        (n, x, incx, y, incy),                                                                     \
        *n)                                                                                        \
    SUBROUTINE(cblas_##p##swap, p##swap,                                                           \
        (int n, T *x, int incx, T *y, int incy),                                                   \
        (n, x, incx, y, incy),                                                                     \
        n)                                                                                         \
    SUBROUTINE(p##copy_, p##copy,                                                                  \
        (const int *n, const T *x, const int *incx, T *y, const int *incy),                        \
        (n, x, incx, y, incy),                                                                     \
        *n)                                                                                        \
    SUBROUTINE(cblas_##p##copy, p##copy,                                                           \
        (int n, const T *x, int incx, T *y, int incy),                                             \
        (n, x, incx, y, incy),                                                                     \
        n)                                                                                         \
    FUNCTION(int, i##p##amax_, i##p##amax,                                                         \
        (const int *n, const T *x, const int *incx),                                               \
        (n, x, incx),                                                                              \
        *n)                                                                                        \
    FUNCTION(size_t, cblas_i##p##amax, i##p##amax,                                                 \
        (int n, const T *x, int incx),                                                             \
        (n, x, incx),                                                                              \
        n)

PRECISION(d, double)
PRECISION(s, float)
/* clang-format on */
