/* kernels.c - each BLAS routine that is a kernel event, by its Fortran and by its CBLAS symbol; one
 * call before MPI_Init, which is none. */
#include <mpi.h>
#include <stddef.h>

enum { ROW = 101, COLUMN = 102, PLAIN = 111, UPPER = 121, NON_UNIT = 131, LEFT = 141, RIGHT = 142 };
#define LD 16

#define PROTOTYPES(p, T)                                                                           \
    void p##gemm_(const char *, const char *, const int *, const int *, const int *, const T *,    \
                  const T *, const int *, const T *, const int *, const T *, T *, const int *);    \
    void p##trsm_(const char *, const char *, const char *, const char *, const int *,             \
                  const int *, const T *, const T *, const int *, T *, const int *);               \
    void p##gemv_(const char *, const int *, const int *, const T *, const T *, const int *,       \
                  const T *, const int *, const T *, T *, const int *);                            \
    void p##ger_(const int *, const int *, const T *, const T *, const int *, const T *,           \
                 const int *, T *, const int *);                                                   \
    void p##trsv_(const char *, const char *, const char *, const int *, const T *, const int *,   \
                  T *, const int *);                                                               \
    void p##axpy_(const int *, const T *, const T *, const int *, T *, const int *);               \
    void p##scal_(const int *, const T *, T *, const int *);                                       \
    void p##swap_(const int *, T *, const int *, T *, const int *);                                \
    void p##copy_(const int *, const T *, const int *, T *, const int *);                          \
    int i##p##amax_(const int *, const T *, const int *);                                          \
    void cblas_##p##gemm(int, int, int, int, int, int, T, const T *, int, const T *, int, T, T *,  \
                         int);                                                                     \
    void cblas_##p##trsm(int, int, int, int, int, int, int, T, const T *, int, T *, int);          \
    void cblas_##p##gemv(int, int, int, int, T, const T *, int, const T *, int, T, T *, int);      \
    void cblas_##p##ger(int, int, int, T, const T *, int, const T *, int, T *, int);               \
    void cblas_##p##trsv(int, int, int, int, int, const T *, int, T *, int);                       \
    void cblas_##p##axpy(int, T, const T *, int, T *, int);                                        \
    void cblas_##p##scal(int, T, T *, int);                                                        \
    void cblas_##p##swap(int, T *, int, T *, int);                                                 \
    void cblas_##p##copy(int, const T *, int, T *, int);                                           \
    size_t cblas_i##p##amax(int, const T *, int);

#define CALL_ALL(p, T)                                                                             \
    static int call_all_##p(void)                                                                  \
    {                                                                                              \
        static T a[LD * LD], b[LD * LD], c[LD * LD];                                               \
        const int m = 2, n = 3, k = 4, ld = LD, one = 1;                                           \
        const T x = 1;                                                                             \
        for (int i = 0; i < LD * LD; i++)                                                          \
            a[i] = b[i] = c[i] = i % (LD + 1) == 0;                                                \
        p##gemm_("N", "N", &m, &n, &k, &x, a, &ld, b, &ld, &x, c, &ld);                            \
        p##trsm_("L", "U", "N", "N", &m, &n, &x, a, &ld, b, &ld);                                  \
        p##trsm_("R", "U", "N", "N", &m, &n, &x, a, &ld, b, &ld);                                  \
        p##gemv_("N", &m, &n, &x, a, &ld, b, &one, &x, c, &one);                                   \
        p##ger_(&m, &n, &x, b, &one, c, &one, a, &ld);                                             \
        p##trsv_("U", "N", "N", &n, a, &ld, b, &one);                                              \
        p##axpy_(&n, &x, a, &one, b, &one);                                                        \
        p##scal_(&n, &x, b, &one);                                                                 \
        p##swap_(&n, a, &one, b, &one);                                                            \
        p##copy_(&n, a, &one, b, &one);                                                            \
        for (int order = ROW; order <= COLUMN; order++) {                                          \
            cblas_##p##gemm(order, PLAIN, PLAIN, m, n, k, x, a, ld, b, ld, x, c, ld);              \
            cblas_##p##trsm(order, LEFT, UPPER, PLAIN, NON_UNIT, m, n, x, a, ld, b, ld);           \
            cblas_##p##trsm(order, RIGHT, UPPER, PLAIN, NON_UNIT, m, n, x, a, ld, b, ld);          \
            cblas_##p##gemv(order, PLAIN, m, n, x, a, ld, b, one, x, c, one);                      \
            cblas_##p##ger(order, m, n, x, b, one, c, one, a, ld);                                 \
            cblas_##p##trsv(order, UPPER, PLAIN, NON_UNIT, n, a, ld, b, one);                      \
        }                                                                                          \
        cblas_##p##axpy(n, x, a, one, b, one);                                                     \
        cblas_##p##scal(n, x, b, one);                                                             \
        cblas_##p##swap(n, a, one, b, one);                                                        \
        cblas_##p##copy(n, a, one, b, one);                                                        \
        T big[3] = {1, 5, 2};                                                                      \
        return i##p##amax_(&n, big, &one) == 2 && cblas_i##p##amax(n, big, one) == 1;              \
    }

PROTOTYPES(d, double)
PROTOTYPES(s, float)
CALL_ALL(d, double)
CALL_ALL(s, float)

int main(int argc, char **argv)
{
    const int n = 1, one = 1;
    double x = 2;
    dscal_(&n, &x, &x, &one);
    MPI_Init(&argc, &argv);
    int right = call_all_d() && call_all_s() && x == 4;
    MPI_Finalize();
    dscal_(&n, &x, &x, &one);
    return !right;
}
