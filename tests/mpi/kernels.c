/* kernels.c - every BLAS and LAPACK row of kernels.def by each of its symbols, the rows of a KIND
 * by the same calls.  The events that the trace must have go to the file EXPECTED, a checksum of
 * what was computed to standard output.
 *
 *     kernels EXPECTED
 *
 * The prototypes are the libraries' own; Fortran routines take addresses.
 */
#include <cblas.h>
#include <lapacke.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { LD = 16, N_ELEMENTS = LD * LD };

static FILE *expected;
static unsigned long checksum;
static double _Complex a[N_ELEMENTS], b[N_ELEMENTS], c[N_ELEMENTS];
static int pivots[LD], info;

static const int m = 2, n = 3, k = 4, kl = 1, ku = 2, ld = LD, one = 1;
static const float alpha_S = 1.5F, real_S = 0.5F, real_C = 0.5F;
static const double alpha_D = 1.5, real_D = 0.5, real_Z = 0.5;
static const float _Complex alpha_C = 1.5F;
static const double _Complex alpha_Z = 1.5;
/* As CBLAS takes them. */
#define VALUE_S alpha_S
#define VALUE_D alpha_D
#define VALUE_C &alpha_C
#define VALUE_Z &alpha_Z
#define FLOAT_S float
#define FLOAT_D double
#define FLOAT_C float
#define FLOAT_Z double
#define TYPE_S float
#define TYPE_D double
#define TYPE_C float _Complex
#define TYPE_Z double _Complex

/* A diagonal of ones, so that every matrix is regular and positive definite. */
#define FILL(T)                                                                                    \
    static void fill_##T(void)                                                                     \
    {                                                                                              \
        TYPE_##T *const arrays[] = {(void *)a, (void *)b, (void *)c};                              \
        for (int array = 0; array < 3; array++)                                                    \
            for (int i = 0; i < N_ELEMENTS; i++)                                                   \
                arrays[array][i] = i % (LD + 1) == 0 ? 1 : 0.001F * (float)(i % 7);                \
        for (int i = 0; i < LD; i++)                                                               \
            pivots[i] = i + 1;                                                                     \
    }
FILL(S)
FILL(D)
FILL(C)
FILL(Z)

static void add_bytes(const void *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        checksum = checksum * 31 + ((const unsigned char *)data)[i];
}

static void add_results(void)
{
    add_bytes(a, sizeof a);
    add_bytes(b, sizeof b);
    add_bytes(c, sizeof c);
    add_bytes(pivots, sizeof pivots);
}

/* The Fortran routines, whatever prototypes the headers give them. */
#define TL_KERNEL(code, name, ...) void f_##name(void) __asm__(#name "_");
#include <kernels.def>

typedef void routine(void);

static routine *same(routine *r)
{
    return r;
}

#define FORTRAN_AS(type, name, ...) ((type(*)(const void *, ...))same(f_##name))(__VA_ARGS__)
#define EXPECT(name, sizes) fputs(#name sizes "\n", expected)
#define DO(T, name, sizes, call)                                                                   \
    fill_##T();                                                                                    \
    EXPECT(name, sizes);                                                                           \
    call;                                                                                          \
    add_results();
#define FORTRAN(T, name, sizes, ...) DO(T, name, sizes, FORTRAN_AS(void, name, __VA_ARGS__))
#define CBLAS(T, name, sizes, ...) DO(T, name, sizes, cblas_##name(__VA_ARGS__))
/* A CBLAS routine by columns and by rows. */
#define ORDERS(T, name, columns, rows, ...)                                                        \
    CBLAS(T, name, columns, CblasColMajor, __VA_ARGS__)                                            \
    CBLAS(T, name, rows, CblasRowMajor, __VA_ARGS__)
#define LAPACKE(T, name, sizes, ...)                                                               \
    DO(T, name, sizes, LAPACKE_##name(LAPACK_COL_MAJOR, __VA_ARGS__))                              \
    DO(T, name, sizes, LAPACKE_##name(LAPACK_ROW_MAJOR, __VA_ARGS__))                              \
    DO(T, name, sizes, LAPACKE_##name##_work(LAPACK_COL_MAJOR, __VA_ARGS__))
#define RESULT(T, name, sizes, type, call)                                                         \
    {                                                                                              \
        type result;                                                                               \
        DO(T, name, sizes, result = call)                                                          \
        add_bytes(&result, sizeof result);                                                         \
    }

/* clang-format off */
#define ROTG(name, T) \
    FORTRAN(T, name, " list=[]", a, b, c, c + 1) \
    CBLAS(T, name, " list=[]", (void *)a, (void *)b, (void *)c, (void *)(c + 1))
#define ROTMG(name, T) \
    FORTRAN(T, name, " list=[]", a, b, c, &alpha_##T, c + 4) \
    CBLAS(T, name, " list=[]", (void *)a, (void *)b, (void *)c, alpha_##T, (void *)(c + 4))
#define ROT(name, T) \
    FORTRAN(T, name, " n=3", &n, a, &one, b, &one, &real_##T, &real_##T) \
    CBLAS(T, name, " n=3", n, (void *)a, one, (void *)b, one, real_##T, real_##T)
#define ROTM(name, T) \
    FORTRAN(T, name, " n=3", &n, a, &one, b, &one, c) \
    CBLAS(T, name, " n=3", n, (void *)a, one, (void *)b, one, (void *)c)
#define SWAP(name, T) \
    FORTRAN(T, name, " n=3", &n, a, &one, b, &one) \
    CBLAS(T, name, " n=3", n, (void *)a, one, (void *)b, one)
#define COPY SWAP
#define SCAL(name, T) \
    FORTRAN(T, name, " n=3", &n, &alpha_##T, a, &one) \
    CBLAS(T, name, " n=3", n, VALUE_##T, (void *)a, one)
#define SCAL_REAL(name, T) \
    FORTRAN(T, name, " n=3", &n, &real_##T, a, &one) \
    CBLAS(T, name, " n=3", n, real_##T, (void *)a, one)
#define AXPY(name, T) \
    FORTRAN(T, name, " n=3", &n, &alpha_##T, a, &one, b, &one) \
    CBLAS(T, name, " n=3", n, VALUE_##T, (void *)a, one, (void *)b, one)
#define DOT(name, T) \
    RESULT(T, name, " n=3", FLOAT_##T, FORTRAN_AS(FLOAT_##T, name, &n, a, &one, b, &one)) \
    RESULT(T, name, " n=3", FLOAT_##T, cblas_##name(n, (void *)a, one, (void *)b, one))
#define SDSDOT(name, T) \
    RESULT(T, name, " n=3", float, FORTRAN_AS(float, name, &n, &real_S, a, &one, b, &one)) \
    RESULT(T, name, " n=3", float, cblas_##name(n, real_S, (void *)a, one, (void *)b, one))
#define DOTX(name, T) \
    RESULT(T, name, " n=3", TYPE_##T, FORTRAN_AS(TYPE_##T, name, &n, a, &one, b, &one)) \
    DO(T, name, " n=3", cblas_##name##_sub(n, a, one, b, one, (void *)c))
#define NORM(name, T) \
    RESULT(T, name, " n=3", FLOAT_##T, FORTRAN_AS(FLOAT_##T, name, &n, a, &one)) \
    RESULT(T, name, " n=3", FLOAT_##T, cblas_##name(n, (void *)a, one))
#define IAMAX(name, T) \
    RESULT(T, name, " n=3", int, FORTRAN_AS(int, name, &n, a, &one)) \
    RESULT(T, name, " n=3", size_t, cblas_##name(n, (void *)a, one))

#define GEMV(name, T) \
    FORTRAN(T, name, " m=2 n=3", "N", &m, &n, &alpha_##T, a, &ld, b, &one, &alpha_##T, c, &one) \
    ORDERS(T, name, " m=2 n=3", " m=3 n=2", CblasNoTrans, m, n, VALUE_##T, (void *)a, ld, \
           (void *)b, one, VALUE_##T, (void *)c, one)
#define GBMV(name, T) \
    FORTRAN(T, name, " m=2 n=3 kl=1 ku=2", "N", &m, &n, &kl, &ku, &alpha_##T, a, &ld, b, &one, \
            &alpha_##T, c, &one) \
    ORDERS(T, name, " m=2 n=3 kl=1 ku=2", " m=3 n=2 kl=2 ku=1", CblasNoTrans, m, n, kl, ku, \
           VALUE_##T, (void *)a, ld, (void *)b, one, VALUE_##T, (void *)c, one)
#define SYMV(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &alpha_##T, a, &ld, b, &one, &alpha_##T, c, &one) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, VALUE_##T, (void *)a, ld, (void *)b, one, \
           VALUE_##T, (void *)c, one)
#define SBMV(name, T) \
    FORTRAN(T, name, " n=3 k=2", "U", &n, &ku, &alpha_##T, a, &ld, b, &one, &alpha_##T, c, &one) \
    ORDERS(T, name, " n=3 k=2", " n=3 k=2", CblasUpper, n, ku, VALUE_##T, (void *)a, ld, \
           (void *)b, one, VALUE_##T, (void *)c, one)
#define SPMV(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &alpha_##T, a, b, &one, &alpha_##T, c, &one) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, VALUE_##T, (void *)a, (void *)b, one, \
           VALUE_##T, (void *)c, one)
#define TRMV(name, T) \
    FORTRAN(T, name, " n=3", "U", "N", "N", &n, a, &ld, b, &one) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, CblasNoTrans, CblasNonUnit, n, (void *)a, ld, \
           (void *)b, one)
#define TBMV(name, T) \
    FORTRAN(T, name, " n=3 k=2", "L", "N", "U", &n, &ku, a, &ld, b, &one) \
    ORDERS(T, name, " n=3 k=2", " n=3 k=2", CblasLower, CblasNoTrans, CblasUnit, n, ku, \
           (void *)a, ld, (void *)b, one)
#define TPMV(name, T) \
    FORTRAN(T, name, " n=3", "U", "N", "U", &n, a, b, &one) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, CblasNoTrans, CblasUnit, n, (void *)a, \
           (void *)b, one)
#define GER(name, T) \
    FORTRAN(T, name, " m=2 n=3", &m, &n, &alpha_##T, a, &one, b, &one, c, &ld) \
    ORDERS(T, name, " m=2 n=3", " m=3 n=2", m, n, VALUE_##T, (void *)a, one, (void *)b, one, \
           (void *)c, ld)
#define SYR(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &real_##T, a, &one, c, &ld) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, real_##T, (void *)a, one, (void *)c, ld)
#define SPR(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &real_##T, a, &one, c) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, real_##T, (void *)a, one, (void *)c)
#define SYR2(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &alpha_##T, a, &one, b, &one, c, &ld) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, VALUE_##T, (void *)a, one, (void *)b, one, \
           (void *)c, ld)
#define SPR2(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, &alpha_##T, a, &one, b, &one, c) \
    ORDERS(T, name, " n=3", " n=3", CblasUpper, n, VALUE_##T, (void *)a, one, (void *)b, one, \
           (void *)c)

#define GEMM(name, T) \
    FORTRAN(T, name, " m=2 n=3 k=4", "N", "N", &m, &n, &k, &alpha_##T, a, &ld, b, &ld, \
            &alpha_##T, c, &ld) \
    ORDERS(T, name, " m=2 n=3 k=4", " m=3 n=2 k=4", CblasNoTrans, CblasNoTrans, m, n, k, \
           VALUE_##T, (void *)a, ld, (void *)b, ld, VALUE_##T, (void *)c, ld)
#define SYMM(name, T) \
    FORTRAN(T, name, " m=2 n=3 order=2", "L", "U", &m, &n, &alpha_##T, a, &ld, b, &ld, \
            &alpha_##T, c, &ld) \
    FORTRAN(T, name, " m=2 n=3 order=3", "R", "U", &m, &n, &alpha_##T, a, &ld, b, &ld, \
            &alpha_##T, c, &ld) \
    ORDERS(T, name, " m=2 n=3 order=2", " m=3 n=2 order=2", CblasLeft, CblasUpper, m, n, \
           VALUE_##T, (void *)a, ld, (void *)b, ld, VALUE_##T, (void *)c, ld) \
    ORDERS(T, name, " m=2 n=3 order=3", " m=3 n=2 order=3", CblasRight, CblasUpper, m, n, \
           VALUE_##T, (void *)a, ld, (void *)b, ld, VALUE_##T, (void *)c, ld)
#define RANK_K(name, T, by_address, by_value) \
    FORTRAN(T, name, " n=3 k=4", "U", "N", &n, &k, by_address, a, &ld, by_address, c, &ld) \
    ORDERS(T, name, " n=3 k=4", " n=3 k=4", CblasUpper, CblasNoTrans, n, k, by_value, (void *)a, \
           ld, by_value, (void *)c, ld)
#define SYRK(name, T) RANK_K(name, T, &alpha_##T, VALUE_##T)
#define HERK(name, T) RANK_K(name, T, &real_##T, real_##T)
#define RANK_2K(name, T, by_address, by_value) \
    FORTRAN(T, name, " n=3 k=4", "U", "N", &n, &k, &alpha_##T, a, &ld, b, &ld, by_address, c, &ld) \
    ORDERS(T, name, " n=3 k=4", " n=3 k=4", CblasUpper, CblasNoTrans, n, k, VALUE_##T, (void *)a, \
           ld, (void *)b, ld, by_value, (void *)c, ld)
#define SYR2K(name, T) RANK_2K(name, T, &alpha_##T, VALUE_##T)
#define HER2K(name, T) RANK_2K(name, T, &real_##T, real_##T)
#define TRMM(name, T) \
    FORTRAN(T, name, " m=2 n=3 order=2", "L", "U", "N", "N", &m, &n, &alpha_##T, a, &ld, b, &ld) \
    FORTRAN(T, name, " m=2 n=3 order=3", "R", "U", "N", "N", &m, &n, &alpha_##T, a, &ld, b, &ld) \
    ORDERS(T, name, " m=2 n=3 order=2", " m=3 n=2 order=2", CblasLeft, CblasUpper, CblasNoTrans, \
           CblasNonUnit, m, n, VALUE_##T, (void *)a, ld, (void *)b, ld) \
    ORDERS(T, name, " m=2 n=3 order=3", " m=3 n=2 order=3", CblasRight, CblasUpper, CblasNoTrans, \
           CblasNonUnit, m, n, VALUE_##T, (void *)a, ld, (void *)b, ld)

#define GETRF(name, T) \
    FORTRAN(T, name, " m=2 n=3", &m, &n, a, &ld, pivots, &info) \
    LAPACKE(T, name, " m=2 n=3", m, n, (void *)a, ld, pivots)
#define GETRS(name, T) \
    FORTRAN(T, name, " n=3 nrhs=2", "N", &n, &m, a, &ld, pivots, b, &ld, &info) \
    LAPACKE(T, name, " n=3 nrhs=2", 'N', n, m, (void *)a, ld, pivots, (void *)b, ld)
#define POTRF(name, T) \
    FORTRAN(T, name, " n=3", "U", &n, a, &ld, &info) \
    LAPACKE(T, name, " n=3", 'U', n, (void *)a, ld)

#define TRANSFORM(name, T) /* in kernels_fftw.c */
#define USER(name, T)      /* in user_kernels.c */
#define UNKNOWN(name, T)   /* of other versions */
/* clang-format on */

#define TL_KERNEL(code, name, type, kind, ...)                                                     \
    static void call_##name(void)                                                                  \
    {                                                                                              \
        kind(name, type)                                                                           \
    }
#include <kernels.def>

int main(int argc, char **argv)
{
    expected = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!expected)
        return 1;
    double x = 2;
    FORTRAN_AS(void, dscal, &one, &x, &x, &one);
    MPI_Init(&argc, &argv);
    fputs("MPI_Init\n", expected);
#define TL_KERNEL(code, name, ...) call_##name();
#include <kernels.def>
    fputs("MPI_Finalize\nend 1\n", expected);
    MPI_Finalize();
    FORTRAN_AS(void, dscal, &one, &x, &x, &one);
    printf("%lx\n", checksum);
    return fclose(expected) != 0 || x != 16;
}
