/* blas.c - calls the kernels of the BLAS that programs get. */
#include "calibrate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>

#define LIBRARY "libblas.so.3"

enum {
    FIRST = TL_KERNEL_dgemm,
    N_SYMBOLS = TL_KERNEL_isamax - FIRST + 1,
    N_POOL = 65521,
    N_VECTOR = 2 * TLP_LEADING,
    /* The leading dimension is no power of two, because then columns would share few lines of a
     * cache. HPL avoids this, too. */
    LEADING_INNER = TLP_MAX_INNER + 8
};

/* Room for the operands of one precision. Matrices are columns of TLP_LEADING elements, as in a
 * local part of HPL's matrix. The inner operand and the triangular matrix are as high as the
 * largest block. */
typedef struct operands {
    size_t element_bytes;
    void *pool;       /* N_POOL random elements in [0, 1) */
    void *large;      /* TLP_LEADING x TLP_MAX_SIZE */
    void *tall;       /* TLP_LEADING x TLP_MAX_INNER */
    void *wide;       /* LEADING_INNER x TLP_MAX_SIZE, or TLP_LEADING x TLP_MAX_INNER */
    void *triangular; /* LEADING_INNER x TLP_MAX_INNER, small outside of the diagonal */
    void *x, *y;      /* vectors, with room for a varied start */
    const void *minus, *one;
} operands;

struct tlp_blas {
    void *library;
    void *symbols[N_SYMBOLS];
    operands precision[2]; /* double, single */
};

static const double minus_double = -1, one_double = 1;
static const float minus_single = -1, one_single = 1;

/* For the libraries of BLAS in use; each reads one of these when it is loaded. */
static void set_threads(unsigned threads)
{
    static const char *const names[] = {"OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS",
                                        "MKL_NUM_THREADS", "OMP_NUM_THREADS"};
    char number[16];
    snprintf(number, sizeof number, "%u", threads);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        setenv(names[i], number, 1);
}

static tl_status find_symbols(tlp_blas *blas, unsigned threads, tl_error *err)
{
    set_threads(threads);
    blas->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!blas->library)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: %s; install the Debian package libopenblas0",
                       LIBRARY, dlerror());
#define TLP_KERNEL(name)                                                                           \
    blas->symbols[TL_KERNEL_##name - FIRST] = dlsym(blas->library, #name "_");                     \
    if (!blas->symbols[TL_KERNEL_##name - FIRST])                                                  \
        return tl_fail(err, TL_ERR_SYSTEM,                                                         \
                       "%s: has no %s; install the Debian package "                                \
                       "libopenblas0",                                                             \
                       LIBRARY, #name "_");
    TLP_KERNELS
#undef TLP_KERNEL
    return TL_OK;
}

static void *elements(size_t n, size_t element_bytes)
{
    return malloc(n * element_bytes);
}

static tl_status make_operands(operands *o, size_t element_bytes, gsl_rng *rng)
{
    o->element_bytes = element_bytes;
    o->pool = elements(N_POOL, element_bytes);
    o->large = elements((size_t)TLP_LEADING * TLP_MAX_SIZE, element_bytes);
    o->tall = elements((size_t)TLP_LEADING * TLP_MAX_INNER, element_bytes);
    o->wide = elements((size_t)LEADING_INNER * TLP_LEADING, element_bytes);
    o->triangular = elements((size_t)LEADING_INNER * TLP_MAX_INNER, element_bytes);
    o->x = elements(N_VECTOR, element_bytes);
    o->y = elements(N_VECTOR, element_bytes);
    if (!o->pool || !o->large || !o->tall || !o->wide || !o->triangular || !o->x || !o->y)
        return TL_ERR_MEMORY;
    int single = element_bytes == sizeof(float);
    o->minus = single ? (const void *)&minus_single : &minus_double;
    o->one = single ? (const void *)&one_single : &one_double;
    for (size_t i = 0; i < N_POOL; i++) {
        double value = gsl_rng_uniform(rng);
        if (single)
            ((float *)o->pool)[i] = (float)value;
        else
            ((double *)o->pool)[i] = value;
    }
    for (size_t i = 0; i < (size_t)LEADING_INNER * TLP_MAX_INNER; i++) {
        double value = i % (LEADING_INNER + 1) == 0 ? 1 : gsl_rng_uniform(rng) / TLP_MAX_INNER;
        if (single)
            ((float *)o->triangular)[i] = (float)value;
        else
            ((double *)o->triangular)[i] = value;
    }
    return TL_OK;
}

static void free_operands(operands *o)
{
    free(o->pool);
    free(o->large);
    free(o->tall);
    free(o->wide);
    free(o->triangular);
    free(o->x);
    free(o->y);
}

/* Copies the pool over n elements. Its length is prime, so that no two columns are equal. */
static void fill(const operands *o, void *to, size_t n)
{
    char *out = to;
    for (size_t done = 0; done < n; done += N_POOL) {
        size_t now = n - done < N_POOL ? n - done : N_POOL;
        memcpy(out + done * o->element_bytes, o->pool, now * o->element_bytes);
    }
}

void tlp_blas_refresh(tlp_blas *blas)
{
    for (int i = 0; i < 2; i++) {
        const operands *o = &blas->precision[i];
        fill(o, o->large, (size_t)TLP_LEADING * TLP_MAX_SIZE);
        fill(o, o->tall, (size_t)TLP_LEADING * TLP_MAX_INNER);
        fill(o, o->wide, (size_t)LEADING_INNER * TLP_LEADING);
        fill(o, o->x, N_VECTOR);
        fill(o, o->y, N_VECTOR);
    }
}

tl_status tlp_blas_open(unsigned long seed, unsigned threads, tlp_blas **out, tl_error *err)
{
    tlp_blas *blas = calloc(1, sizeof *blas);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    tl_status status = TL_ERR_MEMORY;
    if (!blas || !rng) {
        tl_error_set(err, status, "out of memory for the operands of the kernels");
        goto cleanup;
    }
    gsl_rng_set(rng, seed);
    status = find_symbols(blas, threads, err);
    if (status != TL_OK)
        goto cleanup;
    status = make_operands(&blas->precision[0], sizeof(double), rng);
    if (status == TL_OK)
        status = make_operands(&blas->precision[1], sizeof(float), rng);
    if (status != TL_OK) {
        tl_error_set(err, status, "out of memory for the operands of the kernels");
        goto cleanup;
    }
    tlp_blas_refresh(blas);
    *out = blas;
    blas = NULL;
cleanup:
    gsl_rng_free(rng);
    tlp_blas_close(blas);
    return status;
}

void tlp_blas_close(tlp_blas *blas)
{
    if (!blas)
        return;
    free_operands(&blas->precision[0]);
    free_operands(&blas->precision[1]);
    if (blas->library)
        dlclose(blas->library);
    free(blas);
}

/* The Fortran interfaces are the same for both precisions, because every argument is an address.
 * The last arguments are the lengths of the character arguments. */
typedef void gemm_function(const char *, const char *, const int *, const int *, const int *,
                           const void *, const void *, const int *, const void *, const int *,
                           const void *, void *, const int *, size_t, size_t);
typedef void trsm_function(const char *, const char *, const char *, const char *, const int *,
                           const int *, const void *, const void *, const int *, void *,
                           const int *, size_t, size_t, size_t, size_t);
typedef void gemv_function(const char *, const int *, const int *, const void *, const void *,
                           const int *, const void *, const int *, const void *, void *,
                           const int *, size_t);
typedef void ger_function(const int *, const int *, const void *, const void *, const int *,
                          const void *, const int *, void *, const int *);
typedef void trsv_function(const char *, const char *, const char *, const int *, const void *,
                           const int *, void *, const int *, size_t, size_t, size_t);
typedef void axpy_function(const int *, const void *, const void *, const int *, void *,
                           const int *);
typedef void scal_function(const int *, const void *, void *, const int *);
typedef void swap_function(const int *, void *, const int *, void *, const int *);
typedef void copy_function(const int *, const void *, const int *, void *, const int *);
typedef int iamax_function(const int *, const void *, const int *);

/* A part of the large matrix with these rows and columns. */
static void *part(const operands *o, int rows, int columns, size_t offset)
{
    size_t row = offset % (size_t)(TLP_MAX_SIZE - rows + 1);
    size_t column = offset / 7 % (size_t)(TLP_MAX_SIZE - columns + 1);
    return (char *)o->large + (column * TLP_LEADING + row) * o->element_bytes;
}

double tlp_blas_touch(const tlp_blas *blas, const tlp_call *call, size_t offset)
{
    enum { LINE_BYTES = 64 };
    const operands *o = &blas->precision[call->kernel >= TL_KERNEL_sgemm];
    const size_t column_bytes = (size_t)call->sizes[0] * o->element_bytes;
    const char *first = part(o, call->sizes[0], call->sizes[1], offset);
    double sum = 0;
    for (int32_t column = 0; column < call->sizes[1]; column++) {
        const char *at = first + (size_t)column * TLP_LEADING * o->element_bytes;
        for (size_t i = 0; i < column_bytes; i += LINE_BYTES)
            sum += at[i];
    }
    return sum;
}

void tlp_blas_run(tlp_blas *blas, const tlp_call *call, size_t offset)
{
    static const int ld = TLP_LEADING, inner = LEADING_INNER, step = 1;
    void *f = blas->symbols[call->kernel - FIRST];
    const operands *o = &blas->precision[call->kernel >= TL_KERNEL_sgemm];
    const int32_t *d = call->sizes;
    /* The relative position of two vectors in the cache changes the time by a factor of three, so
     * it is varied. */
    void *x = (char *)o->x + offset % TLP_LEADING * o->element_bytes;
    void *y = (char *)o->y + offset / 3 % TLP_LEADING * o->element_bytes;
    switch (call->kernel) {
    case TL_KERNEL_dgemm:
    case TL_KERNEL_sgemm:
        ((gemm_function *)f)("N", call->transposed ? "T" : "N", &d[0], &d[1], &d[2], o->minus,
                             o->tall, &ld, o->wide, call->transposed ? &ld : &inner, o->one,
                             part(o, d[0], d[1], offset), &ld, 1, 1);
        break;
    case TL_KERNEL_dtrsm:
    case TL_KERNEL_strsm:
        ((trsm_function *)f)(call->right ? "R" : "L", call->right || call->transposed ? "U" : "L",
                             call->transposed ? "T" : "N", "U", &d[0], &d[1], o->one, o->triangular,
                             &inner, part(o, d[0], d[1], offset), &ld, 1, 1, 1, 1);
        break;
    case TL_KERNEL_dgemv:
    case TL_KERNEL_sgemv:
        ((gemv_function *)f)("N", &d[0], &d[1], o->minus, part(o, d[0], d[1], offset), &ld, x,
                             &step, o->one, y, &step, 1);
        break;
    case TL_KERNEL_dger:
    case TL_KERNEL_sger:
        ((ger_function *)f)(&d[0], &d[1], o->minus, x, &step, y, &step, part(o, d[0], d[1], offset),
                            &ld);
        break;
    case TL_KERNEL_dtrsv:
    case TL_KERNEL_strsv:
        ((trsv_function *)f)("L", "N", "U", &d[0], o->triangular, &inner, x, &step, 1, 1, 1);
        break;
    case TL_KERNEL_daxpy:
    case TL_KERNEL_saxpy: ((axpy_function *)f)(&d[0], o->minus, x, &step, y, &step); break;
    case TL_KERNEL_dscal:
    case TL_KERNEL_sscal: ((scal_function *)f)(&d[0], o->minus, x, &step); break;
    case TL_KERNEL_dswap:
    case TL_KERNEL_sswap: ((swap_function *)f)(&d[0], x, &step, y, &step); break;
    case TL_KERNEL_dcopy:
    case TL_KERNEL_scopy: ((copy_function *)f)(&d[0], x, &step, y, &step); break;
    case TL_KERNEL_idamax:
    case TL_KERNEL_isamax: ((iamax_function *)f)(&d[0], x, &step); break;
    default: break;
    }
}
