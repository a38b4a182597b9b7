/* offload.c - loaded before the BLAS: dgemm and dtrsm take as long as a stated line says, in which
 * the caller sleeps (it spins at the end, and in short calls), as if an accelerator with a
 * perfectly known speed computed.  Nothing is computed.
 *
 *     LD_PRELOAD=offload.so OFFLOAD_GEMM_S=1e-10 OFFLOAD_TRSM_S=1e-10
 *
 * Seconds are those of a unit of work as timeless-model(5) counts it.  For hosts that are emulated
 * on fewer cores than there are hosts. */
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

enum { LEFT = 141 /* CblasLeft */ };

static double rate(const char *name)
{
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : 0;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Sleeps, but for the end, which a wake-up would miss. */
static void take(double seconds)
{
    static const double SPIN_S = 50e-6;
    static int exact;
    const double end = now() + seconds;
    if (!exact)
        exact = prctl(PR_SET_TIMERSLACK, 1) == 0;
    if (seconds > 2 * SPIN_S) {
        const double sleep = seconds - SPIN_S;
        const struct timespec duration = {(time_t)sleep,
                                          (long)(1e9 * (sleep - (double)(time_t)sleep))};
        nanosleep(&duration, NULL);
    }
    while (now() < end)
        ;
}

void cblas_dgemm(int order, int transa, int transb, int m, int n, int k, double alpha,
                 const double *a, int lda, const double *b, int ldb, double beta, double *c,
                 int ldc)
{
    (void)order, (void)transa, (void)transb, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
    (void)beta, (void)c, (void)ldc;
    if (m > 0 && n > 0 && k > 0)
        take(rate("OFFLOAD_GEMM_S") * m * n * k);
}

void cblas_dtrsm(int order, int side, int uplo, int transa, int diag, int m, int n, double alpha,
                 const double *a, int lda, double *b, int ldb)
{
    (void)order, (void)uplo, (void)transa, (void)diag, (void)alpha, (void)a, (void)lda, (void)b;
    (void)ldb;
    if (m > 0 && n > 0)
        take(rate("OFFLOAD_TRSM_S") * m * n * (side == LEFT ? m : n));
}
