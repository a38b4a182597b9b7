/* kernel_calls.c - calls routines of BLAS and LAPACK by their Fortran interfaces.
 *
 * The interfaces are the same for all types, because every argument is an address; results are
 * not. The last arguments are the lengths of the character arguments. Matrices are not transposed,
 * triangular ones are lower matrices with a diagonal of ones. */
#include "config.h"

#include "kernels.h"

#include <complex.h>
#include <string.h>

/* A pointer, three and so on; the length of a character argument. */
#define P1 const void *
#define P2 P1, P1
#define P3 P2, P1
#define P4 P3, P1
#define P5 P4, P1
#define P6 P5, P1
#define P7 P6, P1
#define P8 P7, P1
#define P9 P8, P1
#define P10 P9, P1
#define P11 P10, P1
#define P12 P11, P1
#define P13 P12, P1
#define L1 size_t
#define L2 L1, L1
#define L3 L2, L1
#define L4 L3, L1
#define ROUTINE(type, ...) ((type(*)(__VA_ARGS__))c->routine)

static const int step = 1;

/* ---- level 1 ---- */

static void run_scalars(const perform_kernel_call *c)
{
    const int is_double = c->type == PERFORM_TYPE_D || c->type == PERFORM_TYPE_Z;
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);
    double x[4][2] = {{0}}, param[5] = {0}; /* room for numbers of every type */
    for (int i = 0; i < 4; i++)
        memcpy(x[i], c->cosine, bytes);
    if (c->kind == PERFORM_KIND_ROTG)
        ROUTINE(void, P4)(x[0], x[1], x[2], x[3]);
    else
        ROUTINE(void, P5)(x[0], x[1], x[2], x[3], param);
}

static void run_reduction(const perform_kernel_call *c)
{
    const int is_double = c->type == PERFORM_TYPE_D || c->type == PERFORM_TYPE_Z;
    const int *n = &c->d[0];
    const void *x = c->random[0], *y = c->random[1];
    switch (c->kind) {
    case PERFORM_KIND_SDSDOT: ROUTINE(float, P6)(n, c->one, x, &step, y, &step); return;
    case PERFORM_KIND_IAMAX: ROUTINE(int, P3)(n, x, &step); return;
    case PERFORM_KIND_DOT:
        if (is_double)
            ROUTINE(double, P5)(n, x, &step, y, &step);
        else
            ROUTINE(float, P5)(n, x, &step, y, &step);
        return;
    case PERFORM_KIND_DOTX:
        if (is_double)
            ROUTINE(double complex, P5)(n, x, &step, y, &step);
        else
            ROUTINE(float complex, P5)(n, x, &step, y, &step);
        return;
    default: /* NORM */
        if (is_double)
            ROUTINE(double, P3)(n, x, &step);
        else
            ROUTINE(float, P3)(n, x, &step);
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
    case PERFORM_KIND_ROT: ROUTINE(void, P7)(n, x, &step, y, &step, c->cosine, c->sine); return 1;
    case PERFORM_KIND_ROTM: ROUTINE(void, P6)(n, x, &step, y, &step, c->rotation); return 1;
    case PERFORM_KIND_SWAP: ROUTINE(void, P5)(n, x, &step, y, &step); return 1;
    case PERFORM_KIND_COPY: ROUTINE(void, P5)(n, a, &step, x, &step); return 1;
    case PERFORM_KIND_SCAL:
    case PERFORM_KIND_SCAL_REAL: ROUTINE(void, P4)(n, c->minus, x, &step); return 1;
    case PERFORM_KIND_AXPY: ROUTINE(void, P6)(n, c->minus, a, &step, x, &step); return 1;
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
        ROUTINE(void, P11, L1)("N", m, n, c->minus, a, &lda, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_GBMV:
        ROUTINE(void, P13, L1)
        ("N", m, n, kl, ku, c->minus, a, &both, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SYMV:
        ROUTINE(void, P10, L1)("L", m, c->minus, a, &lda, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SBMV:
        ROUTINE(void, P11, L1)("L", m, k, c->minus, a, &band, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_SPMV:
        ROUTINE(void, P9, L1)("L", m, c->minus, a, x, &step, c->one, y, &step, 1);
        return 1;
    case PERFORM_KIND_TRMV:
        ROUTINE(void, P8, L3)("L", "N", "U", m, t, &lda, y, &step, 1, 1, 1);
        return 1;
    case PERFORM_KIND_TBMV:
        ROUTINE(void, P9, L3)("L", "N", "U", m, k, t, &band, y, &step, 1, 1, 1);
        return 1;
    case PERFORM_KIND_TPMV: ROUTINE(void, P7, L3)("L", "N", "U", m, t, y, &step, 1, 1, 1); return 1;
    default: return 0;
    }
}

static int run_updates(const perform_kernel_call *c)
{
    const int *m = &c->d[0], *n = &c->d[1], lda = perform_leading(c->d[0]);
    const void *x = c->random[0], *y = c->random[1];
    void *a = c->written[0];
    switch (c->kind) {
    case PERFORM_KIND_GER: ROUTINE(void, P9)(m, n, c->minus, x, &step, y, &step, a, &lda); return 1;
    case PERFORM_KIND_SYR: ROUTINE(void, P7, L1)("L", m, c->minus, x, &step, a, &lda, 1); return 1;
    case PERFORM_KIND_SPR: ROUTINE(void, P6, L1)("L", m, c->minus, x, &step, a, 1); return 1;
    case PERFORM_KIND_SYR2:
        ROUTINE(void, P9, L1)("L", m, c->minus, x, &step, y, &step, a, &lda, 1);
        return 1;
    case PERFORM_KIND_SPR2:
        ROUTINE(void, P8, L1)("L", m, c->minus, x, &step, y, &step, a, 1);
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
        ROUTINE(void, P13, L2)
        ("N", "N", m, n, k, c->minus, a, &ld_m, b, &ld_k, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYMM:
        ROUTINE(void, P12, L2)
        (side, "L", m, n, c->minus, a, &ld_k, b, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYRK: /* n and k are the first two sizes of these */
    case PERFORM_KIND_HERK:
        ROUTINE(void, P10, L2)("L", "N", m, n, c->minus, a, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_SYR2K:
    case PERFORM_KIND_HER2K:
        ROUTINE(void, P12, L2)
        ("L", "N", m, n, c->minus, a, &ld_m, b, &ld_m, c->one, out, &ld_m, 1, 1);
        return 1;
    case PERFORM_KIND_TRMM:
        ROUTINE(void, P11, L4)
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
    case PERFORM_KIND_GETRF: ROUTINE(void, P6)(m, n, c->written[0], &ld, c->pivots, &info); return;
    case PERFORM_KIND_GETRS:
        ROUTINE(void, P9, L1)
        ("N", m, n, c->small, &ld, c->identity, c->written[0], &ld, &info, 1);
        return;
    case PERFORM_KIND_POTRF: ROUTINE(void, P5, L1)("L", m, c->written[0], &ld, &info, 1); return;
    default: return;
    }
}

void perform_kernel_run(const perform_kernel_call *c)
{
    if (!run_vectors(c) && !run_products_with_vectors(c) && !run_updates(c) && !run_products(c))
        run_lapack(c);
}
