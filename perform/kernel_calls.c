/* kernel_calls.c - calls routines of BLAS and LAPACK by their Fortran interfaces.
 *
 * The interfaces are the same for all types, because every argument is an address; results are
 * not. The last arguments are the lengths of the character arguments. Matrices are not transposed,
 * triangular ones are lower matrices with a diagonal of ones. */
#include "config.h"

#include "kernels.h"

#include <complex.h>
#include <string.h>

static const int step = 1;

/* ---- level 1 ---- */

static void run_scalars(const perform_kernel_call *c)
{
    const bool is_double = c->type == PERFORM_TYPE_D || c->type == PERFORM_TYPE_Z;
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);
    double x[4][2] = {{0}}, param[5] = {0}; /* room for numbers of every type */
    for (int i = 0; i < 4; i++)
        memcpy(x[i], c->cosine, bytes);
    if (c->kind == PERFORM_KIND_ROTG)
        PERFORM_ROUTINE(c->routine, void, P4)(x[0], x[1], x[2], x[3]);
    else
        PERFORM_ROUTINE(c->routine, void, P5)(x[0], x[1], x[2], x[3], param);
}

static void run_reduction(const perform_kernel_call *c)
{
    const bool is_double = c->type == PERFORM_TYPE_D || c->type == PERFORM_TYPE_Z;
    const int *n = &c->d[0];
    const void *x = c->random[0], *y = c->random[1];
    switch (c->kind) {
    case PERFORM_KIND_SDSDOT:
        PERFORM_ROUTINE(c->routine, float, P6)(n, c->one, x, &step, y, &step);
        return;
    case PERFORM_KIND_IAMAX: PERFORM_ROUTINE(c->routine, int, P3)(n, x, &step); return;
    case PERFORM_KIND_DOT:
        if (is_double)
            PERFORM_ROUTINE(c->routine, double, P5)(n, x, &step, y, &step);
        else
            PERFORM_ROUTINE(c->routine, float, P5)(n, x, &step, y, &step);
        return;
    case PERFORM_KIND_DOTX:
        if (is_double)
            PERFORM_ROUTINE(c->routine, double complex, P5)(n, x, &step, y, &step);
        else
            PERFORM_ROUTINE(c->routine, float complex, P5)(n, x, &step, y, &step);
        return;
    default: /* NORM */
        if (is_double)
            PERFORM_ROUTINE(c->routine, double, P3)(n, x, &step);
        else
            PERFORM_ROUTINE(c->routine, float, P3)(n, x, &step);
    }
}

/* Zero: the kind is of another level. */
static int run_vectors(const perform_kernel_call *c)
{
    const int *n = &c->d[0];
    const void *a = c->random[0];
    void *x = c->written[0], *y = c->written[1];
    switch (c->kind) {
    case PERFORM_KIND_ROTG:
    case PERFORM_KIND_ROTMG: run_scalars(c); return 1;
    case PERFORM_KIND_ROT:
        PERFORM_ROUTINE(c->routine, void, P7)(n, x, &step, y, &step, c->cosine, c->sine);
        return 1;
    case PERFORM_KIND_ROTM:
        PERFORM_ROUTINE(c->routine, void, P6)(n, x, &step, y, &step, c->rotation);
        return 1;
    case PERFORM_KIND_SWAP: PERFORM_ROUTINE(c->routine, void, P5)(n, x, &step, y, &step); return 1;
    case PERFORM_KIND_COPY: PERFORM_ROUTINE(c->routine, void, P5)(n, a, &step, x, &step); return 1;
    case PERFORM_KIND_SCAL:
    case PERFORM_KIND_SCAL_REAL:
        PERFORM_ROUTINE(c->routine, void, P4)(n, c->minus, x, &step);
        return 1;
    case PERFORM_KIND_AXPY:
        PERFORM_ROUTINE(c->routine, void, P6)(n, c->minus, a, &step, x, &step);
        return 1;
    case PERFORM_KIND_DOT:
    case PERFORM_KIND_SDSDOT:
    case PERFORM_KIND_DOTX:
    case PERFORM_KIND_NORM:
    case PERFORM_KIND_IAMAX: run_reduction(c); return 1;
    default: return 0;
    }
}

/* ---- level 2 ---- */

static int run_products_with_vectors(const perform_kernel_call *c)
{
    const int *m = &c->d[0], *n = &c->d[1], *k = &c->d[1], *kl = &c->d[2], *ku = &c->d[3];
    const int lda = perform_leading(c->d[0]), band = perform_leading((int64_t)c->d[1] + 1),
              both = perform_leading((int64_t)c->d[2] + c->d[3] + 1);
    const void *a = c->random[0], *x = c->random[1], *t = c->small;
    void *y = c->written[0];
    switch (c->kind) {
    case PERFORM_KIND_GEMV:
        PERFORM_ROUTINE(c->routine, void, P11, L1)
        ("N", m, n, c->minus, a, &lda, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_GBMV:
        PERFORM_ROUTINE(c->routine, void, P13, L1)
        ("N", m, n, kl, ku, c->minus, a, &both, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SYMV:
        PERFORM_ROUTINE(c->routine, void, P10, L1)
        ("L", m, c->minus, a, &lda, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SBMV:
        PERFORM_ROUTINE(c->routine, void, P11, L1)
        ("L", m, k, c->minus, a, &band, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SPMV:
        PERFORM_ROUTINE(c->routine, void, P9, L1)
        ("L", m, c->minus, a, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_TRMV:
        PERFORM_ROUTINE(c->routine, void, P8, L3)("L", "N", "U", m, t, &lda, y, &step, 1, 1, 1);
        return 1;
    case PERFORM_KIND_TBMV:
        PERFORM_ROUTINE(c->routine, void, P9, L3)("L", "N", "U", m, k, t, &band, y, &step, 1, 1, 1);
        return 1;
    case PERFORM_KIND_TPMV:
        PERFORM_ROUTINE(c->routine, void, P7, L3)("L", "N", "U", m, t, y, &step, 1, 1, 1);
        return 1;
    default: return 0;
    }
}

static int run_updates(const perform_kernel_call *c)
{
    const int *m = &c->d[0], *n = &c->d[1], lda = perform_leading(c->d[0]);
    const void *x = c->random[0], *y = c->random[1];
    void *a = c->written[0];
    switch (c->kind) {
    case PERFORM_KIND_GER:
        PERFORM_ROUTINE(c->routine, void, P9)(m, n, c->minus, x, &step, y, &step, a, &lda);
        return 1;
    case PERFORM_KIND_SYR:
        PERFORM_ROUTINE(c->routine, void, P7, L1)("L", m, c->minus, x, &step, a, &lda, 1);
        return 1;
    case PERFORM_KIND_SPR:
        PERFORM_ROUTINE(c->routine, void, P6, L1)("L", m, c->minus, x, &step, a, 1);
        return 1;
    case PERFORM_KIND_SYR2:
        PERFORM_ROUTINE(c->routine, void, P9, L1)("L", m, c->minus, x, &step, y, &step, a, &lda, 1);
        return 1;
    case PERFORM_KIND_SPR2:
        PERFORM_ROUTINE(c->routine, void, P8, L1)("L", m, c->minus, x, &step, y, &step, a, 1);
        return 1;
    default: return 0;
    }
}

/* ---- level 3 and LAPACK ---- */

static int run_products(const perform_kernel_call *c)
{
    const int *m = &c->d[0], *n = &c->d[1], *k = &c->d[2];
    const int ld_m = perform_leading(c->d[0]), ld_k = perform_leading(c->d[2]);
    const void *a = c->random[0], *b = c->random[1];
    const char *side = c->d[2] == c->d[0] ? "L" : "R";
    void *out = c->written[0];
    switch (c->kind) {
    case PERFORM_KIND_GEMM:
        PERFORM_ROUTINE(c->routine, void, P13, L2)
        ("N", "N", m, n, k, c->minus, a, &ld_m, b, &ld_k, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYMM:
        PERFORM_ROUTINE(c->routine, void, P12, L2)
        (side, "L", m, n, c->minus, a, &ld_k, b, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYRK: /* n and k are the first two sizes of these */
    case PERFORM_KIND_HERK:
        PERFORM_ROUTINE(c->routine, void, P10, L2)
        ("L", "N", m, n, c->minus, a, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYR2K:
    case PERFORM_KIND_HER2K:
        PERFORM_ROUTINE(c->routine, void, P12, L2)
        ("L", "N", m, n, c->minus, a, &ld_m, b, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_TRMM:
        PERFORM_ROUTINE(c->routine, void, P11, L4)
        (side, "L", "N", "U", m, n, c->one, c->small, &ld_k, out, &ld_m, 1, 1, 1, 1);
        return 1;
    default: return 0;
    }
}

static void run_lapack(const perform_kernel_call *c)
{
    const int *m = &c->d[0], *n = &c->d[1], ld = perform_leading(c->d[0]);
    int info = 0;
    switch (c->kind) {
    case PERFORM_KIND_GETRF:
        PERFORM_ROUTINE(c->routine, void, P6)(m, n, c->written[0], &ld, c->pivots, &info);
        return;
    case PERFORM_KIND_GETRS:
        PERFORM_ROUTINE(c->routine, void, P9, L1)
        ("N", m, n, c->small, &ld, c->identity, c->written[0], &ld, &info, 1);
        return;
    case PERFORM_KIND_POTRF:
        PERFORM_ROUTINE(c->routine, void, P5, L1)("L", m, c->written[0], &ld, &info, 1);
        return;
    default: return;
    }
}

void perform_kernel_run(const perform_kernel_call *c)
{
    if (!run_vectors(c) && !run_products_with_vectors(c) && !run_updates(c) && !run_products(c))
        run_lapack(c);
}
