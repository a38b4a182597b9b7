/* kernels.c - the routines and operands of kernels.
 *
 * Operands that a routine only reads have elements in [0, 1) and are never written. A written
 * operand grows by at most the size of a product in each call. Solvers and products with a
 * triangular matrix would let it grow by a factor: their matrix has a diagonal of ones, and the
 * other elements are random with a factor of 2^-30. A factorisation starts from a new copy. */
#include "config.h"

#include "kernels.h"
#include "transforms.h"

#include <complex.h>
#include <dlfcn.h>
#include <draw.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SMALL 0x1p-30
#define MOST_ELEMENTS (INT64_C(1) << 40)
#define MOST_SIZE (INT_MAX / 2 - 64) /* a leading dimension, of two sizes, is an int */

/* The columns TYPE and KIND of kernels.def. */
enum {
    TYPE_W, /* no routine of a library */
    TYPE_S,
    TYPE_D,
    TYPE_C,
    TYPE_Z,
    TYPE_L
};
enum {
    KIND_USER,
    KIND_UNKNOWN,
    KIND_TRANSFORM,
#define ROUTINE(kind, ...) KIND_##kind,
#include "routines.def"
#undef ROUTINE
};

static const struct row {
    const char *symbol;
    uint8_t type, kind;
} rows[TL_CALL_LIMIT] = {
#define TL_KERNEL(code, name, type, kind, ...) [code] = {#name "_", TYPE_##type, KIND_##kind},
#include <kernels.def>
};

/* How a routine of each kind is called; without arguments: it is none. */
typedef struct form {
    const char *arguments, *random[2], *written[2], *small;
} form;
static const form forms[] = {
#define ROUTINE(kind, arguments, a, b, x, y, t) [KIND_##kind] = {arguments, {a, b}, {x, y}, t},
#include "routines.def"
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
    int64_t random[2], written[2], small;
} extent;

/* The leading dimension of a matrix with this number of rows. */
static int leading(int64_t n_rows)
{
    return (int)n_rows + 8;
}

/* The size with this letter in routines.def. */
static int64_t size_of(char letter, const int *d)
{
    switch (letter) {
    case 'm': return d[0];
    case 'n': return d[1];
    case 'k': return d[2];
    case 'h': return leading(d[0]);
    case 'l': return leading(d[2]);
    case 'j': return leading((int64_t)d[1] + 1);
    case 'g': return leading((int64_t)d[2] + d[3] + 1);
    default: return (int64_t)d[0] * (d[0] + 1) / 2;
    }
}

static int64_t elements(const char *sizes, const int *d)
{
    int64_t n = *sizes != '\0';
    for (; *sizes; sizes++)
        n *= size_of(*sizes, d);
    return n;
}

static extent extent_of(const form *f, const int *d)
{
    return (extent){.random = {elements(f->random[0], d), elements(f->random[1], d)},
                    .written = {elements(f->written[0], d), elements(f->written[1], d)},
                    .small = elements(f->small, d)};
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
    return (type == TYPE_D && code != TL_KERNEL_dsdot) || type == TYPE_Z ? PERFORM_DOUBLE
                                                                         : PERFORM_FLOAT;
}

static int parts_of(unsigned code)
{
    return rows[code].type == TYPE_C || rows[code].type == TYPE_Z ? 2 : 1;
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
    const form *f = &forms[rows[kernel->call].kind];
    if (!f->arguments || !sizes_of(kernel, d))
        return 0;
    if (*f->arguments == 'S' && d[2] != d[0] && d[2] != d[1])
        return 0;
    *x = extent_of(f, d);
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
    if (rows[kernel->call].kind == KIND_TRANSFORM)
        return perform_transform_bytes(kernel) > 0;
    if (!operands_of(kernel, d, &x) || !find_routine(rows[kernel->call].symbol))
        return 0;
    perform_operands *of = &needs->of[precision_of(kernel->call)];
    const int parts = parts_of(kernel->call);
    raise_to(&of->random, parts * (second(x.random[0]) + x.random[1]));
    raise_to(&of->written, parts * (second(x.written[0]) + x.written[1]));
    raise_to(&of->small, parts * x.small);
    if (strpbrk(forms[rows[kernel->call].kind].arguments, "oi"))
        raise_to(&needs->n_pivots, d[0]);
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
    if (rows[kernel->call].kind == KIND_TRANSFORM)
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
        char *at = matrix_at + (size_t)i * ((size_t)leading(n) + 1) * step;
        memset(at, 0, step);
        memcpy(at, precision == PERFORM_DOUBLE ? (const void *)&value : &narrow, bytes);
    }
}

/* What a factorisation overwrites: random, and for that of Cholesky with a dominant diagonal. */
static void renew(const perform_kernels *k, unsigned code, const int *d, int64_t n)
{
    const int precision = precision_of(code);
    char *written = k->of[precision].written;
    memcpy(written, k->of[precision].random,
           (size_t)n * (size_t)parts_of(code) * bytes_of(precision));
    if (rows[code].kind == KIND_POTRF)
        set_diagonal(written, code, d[0], 2.0 * d[0] + 1);
}

/* Calls a routine with the addresses in `at`, by their letters. Every argument is a word: an
 * address or, behind the addresses, the length of a text. The caller removes the words, so that a
 * routine may have fewer of them; those of libraries in C do not have the lengths. */
static void run(void *routine, int kind, const void *const *at)
{
#define FIVE(w) (w)[0], (w)[1], (w)[2], (w)[3], (w)[4]
#define WORDS uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t
    uintptr_t w[15] = {0};
    size_t n = 0, n_texts = 0;
    for (const char *letter = forms[kind].arguments; *letter; letter++) {
        const bool is_text = *letter >= 'A' && *letter <= 'Z';
        w[n++] = (uintptr_t)(is_text && *letter != 'S' ? letter : at[(size_t)*letter]);
        n_texts += is_text;
    }
    while (n_texts-- > 0)
        w[n++] = 1;
    if (kind == KIND_DOTX) /* a complex result may need memory of the caller */
        ((double complex (*)(WORDS, WORDS, WORDS))routine)(FIVE(w), FIVE(w + 5), FIVE(w + 10));
    else
        ((void (*)(WORDS, WORDS, WORDS))routine)(FIVE(w), FIVE(w + 5), FIVE(w + 10));
}

int perform_kernels_call(perform_kernels *k, const tl_event *kernel)
{
    /* 1, -1, cosine and sine in both precisions. Complex routines read a second number, 0. */
    static const double wide[] = {1, 0, -1, 0, 0.6, 0.8},
                        wide_rotation[] = {-1, 0.6, -0.8, 0.8, 0.6};
    static const float narrow[] = {1, 0, -1, 0, 0.6F, 0.8F},
                       narrow_rotation[] = {-1, 0.6F, -0.8F, 0.8F, 0.6F};
    static const int step = 1;
    const unsigned code = kernel->call;
    const int kind = rows[code].kind;
    int d[4], info = 0;
    extent x;
    if (kind == KIND_TRANSFORM)
        return perform_transforms_call(&k->transforms, kernel);
    if (!operands_of(kernel, d, &x))
        return 0;
    if (!k->routines[code] && !(k->routines[code] = find_routine(rows[code].symbol)))
        return 0;
    const int precision = precision_of(code);
    const bool is_wide = precision == PERFORM_DOUBLE;
    const size_t number = bytes_of(precision), bytes = number * (size_t)parts_of(code);
    char *random = k->of[precision].random, *written = k->of[precision].written,
         *small = k->of[precision].small;
    const char *numbers = is_wide ? (const void *)wide : narrow;
    const int h = leading(d[0]), l = leading(d[2]), j = leading((int64_t)d[1] + 1),
              g = leading((int64_t)d[2] + d[3] + 1);
    double scalars[4][2] = {{0}}, parameters[5] = {0}; /* room for numbers of every type */
    for (int i = 0; i < 4; i++)
        memcpy(scalars[i], numbers + 4 * number, number);
    const void *at['z' + 1]; /* by letter of routines.def */
    at['m'] = &d[0];
    at['n'] = &d[1];
    at['k'] = &d[2];
    at['q'] = &d[3];
    at['h'] = &h;
    at['l'] = &l;
    at['j'] = &j;
    at['g'] = &g;
    at['S'] = d[2] == d[0] ? "L" : "R";
    at['1'] = &step;
    at['a'] = random;
    at['b'] = random + (size_t)second(x.random[0]) * bytes;
    at['x'] = written;
    at['y'] = written + (size_t)second(x.written[0]) * bytes;
    at['t'] = small;
    at['+'] = numbers;
    at['-'] = numbers + 2 * number;
    at['c'] = numbers + 4 * number;
    at['s'] = numbers + 5 * number;
    at['r'] = is_wide ? (const void *)wide_rotation : narrow_rotation;
    at['u'] = scalars[0];
    at['v'] = scalars[1];
    at['w'] = scalars[2];
    at['z'] = scalars[3];
    at['f'] = parameters;
    at['o'] = k->pivots;
    at['i'] = k->identity;
    at['e'] = &info;
    if (kind == KIND_GETRF || kind == KIND_POTRF)
        renew(k, code, d, x.random[0]);
    if (kind == KIND_GETRS)
        set_diagonal(small, code, d[0], 1);
    run(k->routines[code], kind, at);
    if (kind == KIND_GETRS)
        set_diagonal(small, code, d[0], SMALL);
    return 1;
}
