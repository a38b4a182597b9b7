/* kernels_fftw.c - the rows of kernels.def for FFTW: plans of every kind, each executed, and every
 * way to execute one.  The events that the trace must have go to the file EXPECTED, a checksum of
 * what was computed to standard output.
 *
 *     kernels_fftw EXPECTED
 */
#include <complex.h>
#include <fftw3.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_ELEMENTS = 4096 };

static FILE *expected;
static unsigned long checksum;
static double in[2 * N_ELEMENTS], out[2 * N_ELEMENTS], re[N_ELEMENTS], im[N_ELEMENTS];

static void add_results(void)
{
    const unsigned char *bytes = (const unsigned char *)out;
    for (size_t i = 0; i < sizeof out; i++)
        checksum = checksum * 31 + bytes[i];
}

/* What is executed is recorded; making a plan is not. */
#define EXPECT(name, sizes) fputs(name " " sizes "\n", expected)
#define EXECUTE(name, sizes, call)                                                                 \
    EXPECT(name, sizes);                                                                           \
    call;                                                                                          \
    add_results();
#define MADE(f, name, sizes, make)                                                                 \
    plan = make;                                                                                   \
    if (!plan)                                                                                     \
        exit(1);                                                                                   \
    EXECUTE(name, sizes, f##_execute(plan))                                                        \
    f##_destroy_plan(plan);

static const int n[] = {4, 6, 8};
static const fftw_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_RODFT00};

/* clang-format off */
#define GURU(f, name, kernel, ...) \
    { \
        const f##_iodim d[] = {{4, 6, 6}, {6, 1, 1}}, howmany[] = {{3, 64, 64}, {2, 192, 192}}; \
        const f##_iodim64 d64[] = {{4, 6, 6}, {6, 1, 1}}, howmany64[] = {{3, 64, 64}, {2, 192, 192}}; \
        MADE(f, kernel, "list=[6,4,6]", f##_plan_guru_##name(2, d, 2, howmany, __VA_ARGS__)) \
        MADE(f, kernel, "howmany=3 n=4", f##_plan_guru64_##name(1, d64, 1, howmany64, __VA_ARGS__)) \
    }

#define PLANS(f, name, kernel, in, out, ...) \
    MADE(f, kernel, "list=[1,4,6,8]", f##_plan_##name(3, n, in, out, __VA_ARGS__)) \
    MADE(f, kernel, "howmany=1 n=4", f##_plan_##name##_1d(4, in, out, __VA_ARGS__)) \
    MADE(f, kernel, "list=[1,4,6]", f##_plan_##name##_2d(4, 6, in, out, __VA_ARGS__)) \
    MADE(f, kernel, "list=[1,4,6,8]", f##_plan_##name##_3d(4, 6, 8, in, out, __VA_ARGS__)) \
    MADE(f, kernel, "list=[5,4,6]", f##_plan_many_##name(2, n, 5, in, NULL, 1, 96, out, NULL, 1, 96, __VA_ARGS__)) \
    GURU(f, name, kernel, in, out, __VA_ARGS__)

/* The ways to execute a plan, from C and, by reference, from Fortran. */
#define NEW_ARRAYS(f, fortran, name, kernel, sizes, ...) \
    EXECUTE(kernel, sizes, f##_execute_##name(plan, __VA_ARGS__)) \
    EXECUTE(kernel, sizes, fortran##_execute_##name##_(&plan, __VA_ARGS__)) \
    EXECUTE(kernel, sizes, fortran##_execute_##name##__(&plan, __VA_ARGS__)) \
    f##_destroy_plan(plan);

#define DECLARE(fortran, name, ...) \
    void fortran##_##name##_(__VA_ARGS__); \
    void fortran##_##name##__(__VA_ARGS__);
#define V void *
#define CI const int *

#define INTERFACE(f, fortran, T) \
    DECLARE(fortran, execute, V) \
    DECLARE(fortran, execute_dft, V, V, V) \
    DECLARE(fortran, execute_dft_r2c, V, V, V) \
    DECLARE(fortran, execute_dft_c2r, V, V, V) \
    DECLARE(fortran, execute_r2r, V, V, V) \
    DECLARE(fortran, execute_split_dft, V, V, V, V, V) \
    DECLARE(fortran, execute_split_dft_r2c, V, V, V, V) \
    DECLARE(fortran, execute_split_dft_c2r, V, V, V, V) \
    DECLARE(fortran, plan_dft_2d, V, CI, CI, V, V, CI, CI) \
    static void test_##f(void) \
    { \
        f##_plan plan; \
        f##_complex *x = (f##_complex *)in, *y = (f##_complex *)out; \
        T *rx = (T *)in, *ry = (T *)out, *rre = (T *)re, *rim = (T *)im; \
        const int forward = FFTW_FORWARD, estimate = FFTW_ESTIMATE; \
        PLANS(f, dft, #f "_dft", x, y, FFTW_FORWARD, FFTW_ESTIMATE) \
        MADE(f, #f "_dft", "list=[5]", f##_plan_many_dft(0, NULL, 5, x, NULL, 1, 2, y, NULL, 1, 3, FFTW_FORWARD, FFTW_ESTIMATE)) \
        PLANS(f, dft_r2c, #f "_dft_r2c", rx, y, FFTW_ESTIMATE) \
        PLANS(f, dft_c2r, #f "_dft_c2r", x, ry, FFTW_ESTIMATE) \
        MADE(f, #f "_r2r", "list=[1,4,6,8]", f##_plan_r2r(3, n, rx, ry, kinds, FFTW_ESTIMATE)) \
        MADE(f, #f "_r2r", "howmany=1 n=4", f##_plan_r2r_1d(4, rx, ry, FFTW_R2HC, FFTW_ESTIMATE)) \
        MADE(f, #f "_r2r", "list=[1,4,6]", f##_plan_r2r_2d(4, 6, rx, ry, FFTW_DHT, FFTW_DHT, FFTW_ESTIMATE)) \
        MADE(f, #f "_r2r", "list=[1,4,6,8]", f##_plan_r2r_3d(4, 6, 8, rx, ry, FFTW_DHT, FFTW_DHT, FFTW_DHT, FFTW_ESTIMATE)) \
        MADE(f, #f "_r2r", "list=[5,4,6]", f##_plan_many_r2r(2, n, 5, rx, NULL, 1, 96, ry, NULL, 1, 96, kinds, FFTW_ESTIMATE)) \
        GURU(f, r2r, #f "_r2r", rx, ry, kinds, FFTW_ESTIMATE) \
        GURU(f, split_dft, #f "_dft", rx, rre, ry, rim, FFTW_ESTIMATE) \
        GURU(f, split_dft_r2c, #f "_dft_r2c", rx, ry, rim, FFTW_ESTIMATE) \
        GURU(f, split_dft_c2r, #f "_dft_c2r", rx, rre, ry, FFTW_ESTIMATE) \
        plan = f##_plan_dft_1d(8, x, y, FFTW_FORWARD, FFTW_ESTIMATE); \
        EXECUTE(#f "_dft", "howmany=1 n=8", fortran##_execute_(&plan)) \
        EXECUTE(#f "_dft", "howmany=1 n=8", fortran##_execute__(&plan)) \
        NEW_ARRAYS(f, fortran, dft, #f "_dft", "howmany=1 n=8", x, y) \
        plan = f##_plan_dft_r2c_1d(10, rx, y, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, dft_r2c, #f "_dft_r2c", "howmany=1 n=10", rx, y) \
        plan = f##_plan_dft_c2r_1d(12, x, ry, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, dft_c2r, #f "_dft_c2r", "howmany=1 n=12", x, ry) \
        plan = f##_plan_r2r_1d(14, rx, ry, FFTW_DHT, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, r2r, #f "_r2r", "howmany=1 n=14", rx, ry) \
        const f##_iodim line = {16, 1, 1}; \
        plan = f##_plan_guru_split_dft(1, &line, 0, NULL, rx, rre, ry, rim, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, split_dft, #f "_dft", "howmany=1 n=16", rx, rre, ry, rim) \
        plan = f##_plan_guru_split_dft_r2c(1, &line, 0, NULL, rx, ry, rim, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, split_dft_r2c, #f "_dft_r2c", "howmany=1 n=16", rx, ry, rim) \
        plan = f##_plan_guru_split_dft_c2r(1, &line, 0, NULL, rx, rre, ry, FFTW_ESTIMATE); \
        NEW_ARRAYS(f, fortran, split_dft_c2r, #f "_dft_c2r", "howmany=1 n=16", rx, rre, ry) \
        /* Of columns, as Fortran has them. */ \
        fortran##_plan_dft_2d_(&plan, &n[0], &n[1], x, y, &forward, &estimate); \
        EXECUTE(#f "_dft", "list=[1,6,4]", fortran##_execute_(&plan)) \
        f##_destroy_plan(plan); \
    }
INTERFACE(fftw, dfftw, double)
INTERFACE(fftwf, sfftw, float)
INTERFACE(fftwl, lfftw, long double)
/* clang-format on */

int main(int argc, char **argv)
{
    expected = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (!expected)
        return 1;
    fftw_plan early =
        fftw_plan_dft_1d(32, (fftw_complex *)in, (fftw_complex *)out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < 2 * N_ELEMENTS; i++)
        in[i] = i % 97 / 97.0;
    MPI_Init(&argc, &argv);
    fputs("MPI_Init\n", expected);
    EXECUTE("fftw_dft", "howmany=1 n=32", fftw_execute(early))
    test_fftw();
    test_fftwf();
    test_fftwl();
    fputs("MPI_Finalize\nend 1\n", expected);
    MPI_Finalize();
    fftw_destroy_plan(early);
    printf("%lx\n", checksum);
    return fclose(expected) != 0;
}
