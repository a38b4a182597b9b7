/* blas.c - calls the kernels of the BLAS that programs get. */
#include "calibrate.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_rng.h>

#define LIBRARY "libblas.so.3"

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
/* The Fortran interfaces are the same for all precisions, because every argument is an address. The
 * last arguments are the lengths of the character arguments. */
#define ROUTINE(routine, type, ...) ((type(*)(__VA_ARGS__))(routine))

enum {
    N_POOL = 65521,
    N_VECTOR = 2 * TLP_LEADING,
    /* The leading dimension is no power of two, because then columns would share few lines of a
     * cache. HPL avoids this, too. */
    LEADING_INNER = TLP_MAX_INNER + 8
};

/* The buffers of one precision. Matrices are columns of TLP_LEADING elements, as in a local part of
 * HPL's matrix. The inner operand and the triangular matrix are as high as the largest block. */
typedef enum buffer {
    LARGE,      /* TLP_LEADING x TLP_MAX_SIZE */
    TALL,       /* TLP_LEADING x TLP_MAX_INNER */
    WIDE,       /* LEADING_INNER x TLP_MAX_SIZE, or TLP_LEADING x TLP_MAX_INNER */
    X,          /* vectors, with room for a varied start */
    Y,          /* ... those up to here are refreshed */
    TRIANGULAR, /* LEADING_INNER x TLP_MAX_INNER, small outside of the diagonal */
    POOL,       /* elements in [0, 1) */
    N_BUFFERS
} buffer;
static const size_t lengths[N_BUFFERS] = {(size_t)TLP_LEADING * TLP_MAX_SIZE,
                                          (size_t)TLP_LEADING *TLP_MAX_INNER,
                                          (size_t)LEADING_INNER *TLP_LEADING,
                                          N_VECTOR,
                                          N_VECTOR,
                                          (size_t)LEADING_INNER *TLP_MAX_INNER,
                                          N_POOL};

typedef struct operands {
    size_t element_bytes;
    void *buffers[N_BUFFERS];
    const void *minus, *one;
} operands;

struct tlp_blas {
    void *library;
    void *symbols[TLP_LAST_KERNEL - TLP_FIRST_KERNEL + 1];
    operands precision[2]; /* double, single */
};

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
    char symbol[32];
    set_threads(threads);
    blas->library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!blas->library)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: %s; install the Debian package libopenblas0",
                       LIBRARY, dlerror());
    for (int k = TLP_FIRST_KERNEL; k <= TLP_LAST_KERNEL; k++) {
        if (!tlp_is_measured((unsigned)k))
            continue;
        snprintf(symbol, sizeof symbol, "%s_", tl_call_by_code((uint16_t)k)->name);
        if (!(blas->symbols[k - TLP_FIRST_KERNEL] = dlsym(blas->library, symbol)))
            return tl_fail(err, TL_ERR_SYSTEM,
                           "%s: has no %s; install the Debian package libopenblas0", LIBRARY,
                           symbol);
    }
    return TL_OK;
}

static void set(const operands *o, buffer b, size_t i, double value)
{
    if (o->element_bytes == sizeof(float))
        ((float *)o->buffers[b])[i] = (float)value;
    else
        ((double *)o->buffers[b])[i] = value;
}

const char *const tlp_operands[] = {"random", "constant", "sequential", NULL};

/* kind: the first letter of one of tlp_operands. */
static tl_status make_operands(operands *o, size_t element_bytes, char kind, gsl_rng *rng)
{
    static const double doubles[] = {-1, 1};
    static const float floats[] = {-1, 1};
    const int single = element_bytes == sizeof(float);
    o->element_bytes = element_bytes;
    o->minus = single ? (const void *)&floats[0] : &doubles[0];
    o->one = single ? (const void *)&floats[1] : &doubles[1];
    for (int b = 0; b < N_BUFFERS; b++)
        if (!(o->buffers[b] = malloc(lengths[b] * element_bytes)))
            return TL_ERR_MEMORY;
    for (size_t i = 0; i < N_POOL; i++)
        set(o, POOL, i,
            kind == 'c'   ? 0.5
            : kind == 's' ? (double)i / N_POOL
                          : gsl_rng_uniform(rng));
    for (size_t i = 0; i < lengths[TRIANGULAR]; i++)
        set(o, TRIANGULAR, i,
            i % (LEADING_INNER + 1) == 0 ? 1 : gsl_rng_uniform(rng) / TLP_MAX_INNER);
    return TL_OK;
}

/* Copies the pool over the buffers. Its length is prime, so that no two columns are equal. */
void tlp_blas_refresh(tlp_blas *blas)
{
    for (int i = 0; i < 2; i++) {
        const operands *o = &blas->precision[i];
        for (int b = LARGE; b <= Y; b++)
            for (size_t done = 0; done < lengths[b]; done += N_POOL) {
                const size_t left = lengths[b] - done, now = left < N_POOL ? left : N_POOL;
                memcpy((char *)o->buffers[b] + done * o->element_bytes, o->buffers[POOL],
                       now * o->element_bytes);
            }
    }
}

tl_status tlp_blas_open(const tlp_measure_options *options, tlp_blas **out, tl_error *err)
{
    tlp_blas *blas = calloc(1, sizeof *blas);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    tl_status status =
        blas && rng ? find_symbols(blas, options->threads, err) : tl_no_memory(err, "the kernels");
    if (status == TL_OK) {
        gsl_rng_set(rng, options->seed);
        if (make_operands(&blas->precision[0], sizeof(double), *options->operands, rng) != TL_OK ||
            make_operands(&blas->precision[1], sizeof(float), *options->operands, rng) != TL_OK)
            status = tl_no_memory(err, "the operands of the kernels");
    }
    if (status == TL_OK) {
        tlp_blas_refresh(blas);
        *out = blas;
        blas = NULL;
    }
    gsl_rng_free(rng);
    tlp_blas_close(blas);
    return status;
}

void tlp_blas_close(tlp_blas *blas)
{
    if (!blas)
        return;
    for (int b = 0; b < 2 * N_BUFFERS; b++)
        free(blas->precision[b / N_BUFFERS].buffers[b % N_BUFFERS]);
    if (blas->library)
        dlclose(blas->library);
    free(blas);
}

/* A part of the large matrix with these rows and columns. */
static void *part(const operands *o, int rows, int columns, size_t offset)
{
    size_t row = offset % (size_t)(TLP_MAX_SIZE - rows + 1);
    size_t column = offset / 7 % (size_t)(TLP_MAX_SIZE - columns + 1);
    return (char *)o->buffers[LARGE] + (column * TLP_LEADING + row) * o->element_bytes;
}

void tlp_blas_run(tlp_blas *blas, const tlp_call *call, size_t offset)
{
    static const int ld = TLP_LEADING, inner = LEADING_INNER, step = 1;
    void *f = blas->symbols[call->kernel - TLP_FIRST_KERNEL];
    const operands *o = &blas->precision[call->kernel >= TL_KERNEL_sgemm];
    const int32_t *d = call->sizes;
    /* The relative position of two vectors in the cache changes the time by a factor of three, so
     * it is varied. */
    void *x = (char *)o->buffers[X] + offset % TLP_LEADING * o->element_bytes;
    void *y = (char *)o->buffers[Y] + offset / 3 % TLP_LEADING * o->element_bytes;
    void *matrix = part(o, d[0], d[1] ? d[1] : 1, offset);
    const void *tall = o->buffers[TALL], *wide = o->buffers[WIDE], *t = o->buffers[TRIANGULAR];
    switch (call->kernel) {
    case TL_KERNEL_dgemm:
    case TL_KERNEL_sgemm:
        ROUTINE(f, void, P13, L2)
        ("N", call->transposed ? "T" : "N", &d[0], &d[1], &d[2], o->minus, tall, &ld, wide,
         call->transposed ? &ld : &inner, o->one, matrix, &ld, 1, 1);
        break;
    case TL_KERNEL_dtrsm:
    case TL_KERNEL_strsm:
        ROUTINE(f, void, P11, L4)
        (call->right ? "R" : "L", call->right || call->transposed ? "U" : "L",
         call->transposed ? "T" : "N", "U", &d[0], &d[1], o->one, t, &inner, matrix, &ld, 1, 1, 1,
         1);
        break;
    case TL_KERNEL_dgemv:
    case TL_KERNEL_sgemv:
        ROUTINE(f, void, P11, L1)
        ("N", &d[0], &d[1], o->minus, matrix, &ld, x, &step, o->one, y, &step, 1);
        break;
    case TL_KERNEL_dger:
    case TL_KERNEL_sger:
        ROUTINE(f, void, P9)(&d[0], &d[1], o->minus, x, &step, y, &step, matrix, &ld);
        break;
    case TL_KERNEL_dtrsv:
    case TL_KERNEL_strsv:
        ROUTINE(f, void, P8, L3)("L", "N", "U", &d[0], t, &inner, x, &step, 1, 1, 1);
        break;
    case TL_KERNEL_daxpy:
    case TL_KERNEL_saxpy: ROUTINE(f, void, P6)(&d[0], o->minus, x, &step, y, &step); break;
    case TL_KERNEL_dscal:
    case TL_KERNEL_sscal: ROUTINE(f, void, P4)(&d[0], o->minus, x, &step); break;
    case TL_KERNEL_dswap:
    case TL_KERNEL_sswap:
    case TL_KERNEL_dcopy:
    case TL_KERNEL_scopy: ROUTINE(f, void, P5)(&d[0], x, &step, y, &step); break;
    default: ROUTINE(f, int, P3)(&d[0], x, &step); break; /* the index of the largest */
    }
}
