/* kernels.c - the routines and operands of kernels.
 *
 * Operands that a routine only reads have elements in [0, 1) and are never written. A written
 * operand grows by at most the size of a product in each call. Solvers and products with a
 * triangular matrix would let it grow by a factor: their matrix has a diagonal of ones, and the
 * other elements are random with a factor of 2^-30. A factorisation starts from a new copy. */
#include "config.h"

#include "kernels.h"
#include "transforms.h"

#include <dlfcn.h>
#include <draw.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 0x1p-30
#define MOST_ELEMENTS (INT64_C(1) << 40)
#define MOST_SIZE (INT_MAX / 2 - 64) /* a leading dimension, of two sizes, is an int */

typedef struct row {
    const char *symbol;
    uint8_t type, kind;
} row;

static const row rows[TL_CALL_LIMIT] = {
#define TL_KERNEL(code, name, type, kind, ...)                                                     \
    [code] = {#name "_", PERFORM_TYPE_##type, PERFORM_KIND_##kind},
#include <kernels.def>
};

struct perform_kernels {
    struct {
        char *random, *written, *small;
    } of[PERFORM_N_PRECISIONS];
    perform_kernel_needs needs;
    int *pivots, *identity;
    void *routines[TL_CALL_LIMIT]; /* NULL: not looked for yet */
    perform_transforms *transforms;
};

/* ---- routines ---- */

/* Libraries are opened for the whole process: a tracer, if there is one, has the same symbols and
 * finds them there. */
static void *find_routine(const char *symbol)
{
    static void *libraries[2];
    static bool is_open;
    if (!is_open) {
        /* One thread in each process, unless the user chooses another number. */
        setenv("OPENBLAS_NUM_THREADS", "1", 0);
        setenv("BLIS_NUM_THREADS", "1", 0);
        setenv("MKL_NUM_THREADS", "1", 0);
        libraries[0] = dlopen("libblas.so.3", RTLD_LAZY | RTLD_GLOBAL);
        libraries[1] = dlopen("liblapack.so.3", RTLD_LAZY | RTLD_GLOBAL);
        is_open = 1;
    }
    for (int i = 0; i < 2; i++)
        if (libraries[i] && dlsym(libraries[i], symbol))
            return dlsym(RTLD_DEFAULT, symbol);
    return NULL;
}

/* ---- operands ---- */

/* Elements of each operand of a call. */
typedef struct extent {
    int64_t random[2], written[2], small, pivots;
} extent;

static int64_t matrix(int64_t n_rows, int64_t n_columns)
{
    return perform_leading(n_rows) * n_columns;
}

static int64_t packed(int64_t n)
{
    return n * (n + 1) / 2;
}

static extent extent_of_matrices(perform_kernel_kind kind, const int *d)
{
    switch (kind) {
    case PERFORM_KIND_GEMM:
        return (extent){{matrix(d[0], d[2]), matrix(d[2], d[1])}, {matrix(d[0], d[1])}, 0, 0};
    case PERFORM_KIND_SYMM:
        return (extent){{matrix(d[2], d[2]), matrix(d[0], d[1])}, {matrix(d[0], d[1])}, 0, 0};
    case PERFORM_KIND_SYRK:
    case PERFORM_KIND_HERK: return (extent){{matrix(d[0], d[1])}, {matrix(d[0], d[0])}, 0, 0};
    case PERFORM_KIND_SYR2K:
    case PERFORM_KIND_HER2K:
        return (extent){{matrix(d[0], d[1]), matrix(d[0], d[1])}, {matrix(d[0], d[0])}, 0, 0};
    case PERFORM_KIND_TRMM: return (extent){{0}, {matrix(d[0], d[1])}, matrix(d[2], d[2]), 0};
    case PERFORM_KIND_GETRF: return (extent){{matrix(d[0], d[1])}, {matrix(d[0], d[1])}, 0, d[0]};
    case PERFORM_KIND_GETRS: return (extent){{0}, {matrix(d[0], d[1])}, matrix(d[0], d[0]), d[0]};
    default: /* POTRF */ return (extent){{matrix(d[0], d[0])}, {matrix(d[0], d[0])}, 0, 0};
    }
}

static extent extent_of(perform_kernel_kind kind, const int *d)
{
    const int64_t n = d[0];
    switch (kind) {
    case PERFORM_KIND_ROTG:
    case PERFORM_KIND_ROTMG: return (extent){{0}, {0}, 0, 0};
    case PERFORM_KIND_ROT:
    case PERFORM_KIND_ROTM:
    case PERFORM_KIND_SWAP: return (extent){{0}, {n, n}, 0, 0};
    case PERFORM_KIND_SCAL:
    case PERFORM_KIND_SCAL_REAL: return (extent){{0}, {n}, 0, 0};
    case PERFORM_KIND_COPY:
    case PERFORM_KIND_AXPY: return (extent){{n}, {n}, 0, 0};
    case PERFORM_KIND_DOT:
    case PERFORM_KIND_SDSDOT:
    case PERFORM_KIND_DOTX: return (extent){{n, n}, {0}, 0, 0};
    case PERFORM_KIND_NORM:
    case PERFORM_KIND_IAMAX: return (extent){{n}, {0}, 0, 0};
    case PERFORM_KIND_GEMV: return (extent){{matrix(n, d[1]), d[1]}, {n}, 0, 0};
    case PERFORM_KIND_GBMV:
        return (extent){{matrix((int64_t)d[2] + d[3] + 1, d[1]), d[1]}, {n}, 0, 0};
    case PERFORM_KIND_SYMV: return (extent){{matrix(n, n), n}, {n}, 0, 0};
    case PERFORM_KIND_SBMV: return (extent){{matrix((int64_t)d[1] + 1, n), n}, {n}, 0, 0};
    case PERFORM_KIND_SPMV: return (extent){{packed(n), n}, {n}, 0, 0};
    case PERFORM_KIND_TRMV: return (extent){{0}, {n}, matrix(n, n), 0};
    case PERFORM_KIND_TBMV: return (extent){{0}, {n}, matrix((int64_t)d[1] + 1, n), 0};
    case PERFORM_KIND_TPMV: return (extent){{0}, {n}, packed(n), 0};
    case PERFORM_KIND_GER: return (extent){{n, d[1]}, {matrix(n, d[1])}, 0, 0};
    case PERFORM_KIND_SYR: return (extent){{n}, {matrix(n, n)}, 0, 0};
    case PERFORM_KIND_SPR: return (extent){{n}, {packed(n)}, 0, 0};
    case PERFORM_KIND_SYR2: return (extent){{n, n}, {matrix(n, n)}, 0, 0};
    case PERFORM_KIND_SPR2: return (extent){{n, n}, {packed(n)}, 0, 0};
    default: return extent_of_matrices(kind, d);
    }
}

/* The first element of the second operand, behind the first one: on a cache line of its own. */
static int64_t second(int64_t first)
{
    return (first + 15) / 16 * 16;
}

/* dsdot has a double result of single operands. */
static int precision_of(unsigned code)
{
    const int type = rows[code].type;
    return (type == PERFORM_TYPE_D && code != TL_KERNEL_dsdot) || type == PERFORM_TYPE_Z
               ? PERFORM_DOUBLE
               : PERFORM_FLOAT;
}

static int parts_of(unsigned code)
{
    return rows[code].type == PERFORM_TYPE_C || rows[code].type == PERFORM_TYPE_Z ? 2 : 1;
}

static uint32_t n_words(const char *text)
{
    uint32_t n = text ? 1 : 0;
    for (; text && *text; text++)
        n += *text == ' ';
    return n;
}

/* The sizes of the kernel, if they are possible. */
static int sizes_of(const tl_event *kernel, int d[4])
{
    const uint32_t n = n_words(tl_call_by_code(kernel->call)->dimensions);
    if (kernel->list_len != n || n > 4)
        return 0;
    memset(d, 0, 4 * sizeof *d);
    for (uint32_t i = 0; i < n; i++) {
        if (kernel->list[i] < 0 || kernel->list[i] > MOST_SIZE)
            return 0;
        d[i] = (int)kernel->list[i];
    }
    return 1;
}

/* The sizes and operands of a kernel that is a routine of a library. Zero: it is none, or has
 * sizes that no call has. */
static int operands_of(const tl_event *kernel, int d[4], extent *x)
{
    const perform_kernel_kind kind = (perform_kernel_kind)rows[kernel->call].kind;
    if (kind <= PERFORM_KIND_TRANSFORM || !sizes_of(kernel, d))
        return 0;
    const bool has_order = kind == PERFORM_KIND_SYMM || kind == PERFORM_KIND_TRMM;
    if (has_order && d[2] != d[0] && d[2] != d[1])
        return 0;
    *x = extent_of(kind, d);
    return second(x->random[0]) + x->random[1] <= MOST_ELEMENTS &&
           second(x->written[0]) + x->written[1] <= MOST_ELEMENTS && x->small <= MOST_ELEMENTS;
}

static void raise_to(int64_t *most, int64_t n)
{
    if (n > *most)
        *most = n;
}

int perform_need_kernel(perform_kernel_needs *needs, const tl_event *kernel)
{
    int d[4];
    extent x;
    if (rows[kernel->call].kind == PERFORM_KIND_TRANSFORM)
        return perform_transform_bytes(kernel) > 0;
    if (!operands_of(kernel, d, &x) || !find_routine(rows[kernel->call].symbol))
        return 0;
    perform_operands *of = &needs->of[precision_of(kernel->call)];
    const int parts = parts_of(kernel->call);
    raise_to(&of->random, parts * (second(x.random[0]) + x.random[1]));
    raise_to(&of->written, parts * (second(x.written[0]) + x.written[1]));
    raise_to(&of->small, parts * x.small);
    raise_to(&needs->n_pivots, x.pivots);
    return 1;
}

/* ---- memory ---- */

static size_t bytes_of(int precision)
{
    return precision == PERFORM_DOUBLE ? sizeof(double) : sizeof(float);
}

int64_t perform_kernel_bytes(const tl_event *kernel)
{
    int d[4];
    extent x;
    if (rows[kernel->call].kind == PERFORM_KIND_TRANSFORM)
        return perform_transform_bytes(kernel) ? 2 * perform_transform_bytes(kernel) : -1;
    if (!operands_of(kernel, d, &x) || !find_routine(rows[kernel->call].symbol))
        return -1;
    return (second(x.random[0]) + x.random[1] + second(x.written[0]) + x.written[1] + x.small) *
           parts_of(kernel->call) * (int64_t)bytes_of(precision_of(kernel->call));
}

/* Random numbers in [0, factor); NULL: out of memory. */
static char *random_numbers(int precision, int64_t n, double factor, uint64_t seed)
{
    char *numbers = aligned_alloc(64, ((size_t)n * bytes_of(precision) / 64 + 1) * 64);
    for (int64_t i = 0; numbers && i < n; i++) {
        const uint64_t drawn = tl_draw(seed, (uint64_t)i);
        const double wide = (double)(drawn >> 11) * 0x1p-53 * factor;
        const float narrow = (float)(drawn >> 40) * 0x1p-24F * (float)factor;
        if (precision == PERFORM_DOUBLE)
            memcpy(numbers + (size_t)i * sizeof wide, &wide, sizeof wide);
        else
            memcpy(numbers + (size_t)i * sizeof narrow, &narrow, sizeof narrow);
    }
    return numbers;
}

static int make_operands(perform_kernels *k, const perform_kernel_needs *needs, uint64_t seed)
{
    for (int i = 0; i < PERFORM_N_PRECISIONS; i++) {
        const perform_operands *n = &needs->of[i];
        k->of[i].random = random_numbers(i, n->random, 1, seed);
        k->of[i].written = random_numbers(i, n->written, 1, seed + 1);
        k->of[i].small = random_numbers(i, n->small, SMALL, seed + 2);
        if (!k->of[i].random || !k->of[i].written || !k->of[i].small)
            return 0;
    }
    k->needs = *needs;
    k->pivots = calloc((size_t)needs->n_pivots + 1, sizeof *k->pivots);
    k->identity = calloc((size_t)needs->n_pivots + 1, sizeof *k->identity);
    if (!k->pivots || !k->identity)
        return 0;
    for (int i = 0; i < needs->n_pivots; i++)
        k->identity[i] = i + 1;
    return 1;
}

tl_status perform_kernels_open(const perform_kernel_needs *needs, uint64_t seed,
                               perform_kernels **out, tl_error *err)
{
    perform_kernels *k = calloc(1, sizeof *k);
    if (!k || !make_operands(k, needs, seed << 8)) {
        perform_kernels_close(k);
        return tl_fail(err, TL_ERR_MEMORY,
                       "out of memory for the operands of the kernels; use fewer ranks on a host");
    }
    *out = k;
    return TL_OK;
}

void perform_kernels_close(perform_kernels *k)
{
    if (!k)
        return;
    for (int i = 0; i < PERFORM_N_PRECISIONS; i++) {
        free(k->of[i].random);
        free(k->of[i].written);
        free(k->of[i].small);
    }
    perform_transforms_free(k->transforms);
    free(k->pivots);
    free(k->identity);
    free(k);
}

static double greatest_of(const char *numbers, int precision, int64_t n)
{
    double greatest = 0;
    for (int64_t i = 0; i < n; i++) {
        double wide = 0;
        float narrow = 0;
        if (precision == PERFORM_DOUBLE)
            memcpy(&wide, numbers + (size_t)i * sizeof wide, sizeof wide);
        else
            memcpy(&narrow, numbers + (size_t)i * sizeof narrow, sizeof narrow);
        const double value = fabs(wide + (double)narrow);
        greatest = isnan(value) ? INFINITY : fmax(greatest, value);
    }
    return greatest;
}

double perform_kernels_greatest(const perform_kernels *k)
{
    double greatest = 0;
    for (int i = 0; i < PERFORM_N_PRECISIONS; i++) {
        const perform_operands *n = &k->needs.of[i];
        greatest = fmax(greatest, greatest_of(k->of[i].random, i, n->random));
        greatest = fmax(greatest, greatest_of(k->of[i].written, i, n->written));
        greatest = fmax(greatest, greatest_of(k->of[i].small, i, n->small));
    }
    return greatest;
}

/* ---- calls ---- */

/* Ones on the diagonal of the triangular matrix, or small numbers again. */
static void set_diagonal(char *matrix_at, unsigned code, int n, double value)
{
    const int precision = precision_of(code);
    const size_t bytes = bytes_of(precision);
    const size_t step = (size_t)parts_of(code) * bytes;
    const float narrow = (float)value;
    for (int i = 0; i < n; i++) {
        char *at = matrix_at + (size_t)i * ((size_t)perform_leading(n) + 1) * step;
        memset(at, 0, step);
        memcpy(at, precision == PERFORM_DOUBLE ? (const void *)&value : &narrow, bytes);
    }
}

/* What a factorisation overwrites: random, and for that of Cholesky with a dominant diagonal. */
static void renew(const perform_kernel_call *c, unsigned code)
{
    const int n_columns = c->kind == PERFORM_KIND_POTRF ? c->d[0] : c->d[1];
    const size_t n = (size_t)matrix(c->d[0], n_columns) * (size_t)parts_of(code);
    memcpy(c->written[0], c->random[0], n * bytes_of(precision_of(code)));
    if (c->kind == PERFORM_KIND_POTRF)
        set_diagonal(c->written[0], code, c->d[0], 2.0 * c->d[0] + 1);
}

/* Scalars of both precisions. Complex routines read a second number, 0. */
static void set_scalars(perform_kernel_call *c, int precision)
{
    static const double wide[] = {1, 0, -1, 0, 0.6, 0.8},
                        wide_rotation[] = {-1, 0.6, -0.8, 0.8, 0.6};
    static const float narrow[] = {1, 0, -1, 0, 0.6F, 0.8F},
                       narrow_rotation[] = {-1, 0.6F, -0.8F, 0.8F, 0.6F};
    const char *numbers = precision == PERFORM_DOUBLE ? (const void *)wide : narrow;
    const size_t bytes = bytes_of(precision);
    c->one = numbers;
    c->minus = numbers + 2 * bytes;
    c->cosine = numbers + 4 * bytes;
    c->sine = numbers + 5 * bytes;
    c->rotation = precision == PERFORM_DOUBLE ? (const void *)wide_rotation : narrow_rotation;
}

int perform_kernels_call(perform_kernels *k, const tl_event *kernel)
{
    const unsigned code = kernel->call;
    const row *r = &rows[code];
    perform_kernel_call c = {.kind = (perform_kernel_kind)r->kind,
                             .type = (perform_kernel_type)r->type};
    extent x;
    if (c.kind == PERFORM_KIND_TRANSFORM)
        return perform_transforms_call(&k->transforms, kernel);
    if (!operands_of(kernel, c.d, &x))
        return 0;
    if (!k->routines[code] && !(k->routines[code] = find_routine(r->symbol)))
        return 0;
    const int precision = precision_of(code);
    const size_t bytes = bytes_of(precision) * (size_t)parts_of(code);
    c.routine = k->routines[code];
    c.random[0] = k->of[precision].random;
    c.random[1] = k->of[precision].random + (size_t)second(x.random[0]) * bytes;
    c.written[0] = k->of[precision].written;
    c.written[1] = k->of[precision].written + (size_t)second(x.written[0]) * bytes;
    c.small = k->of[precision].small;
    c.pivots = k->pivots;
    c.identity = k->identity;
    set_scalars(&c, precision);
    if (c.kind == PERFORM_KIND_GETRF || c.kind == PERFORM_KIND_POTRF)
        renew(&c, code);
    if (c.kind == PERFORM_KIND_GETRS)
        set_diagonal(c.small, code, c.d[0], 1);
    perform_kernel_run(&c);
    if (c.kind == PERFORM_KIND_GETRS)
        set_diagonal(c.small, code, c.d[0], SMALL);
    return 1;
}
