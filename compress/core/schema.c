/* schema.c - the rows of mpi_calls.def and kernels.def as a table. */
#include "timeless.h"

#include "row_parameters.h"

#include <math.h>
#include <string.h>

#define CLOCK_OF(traits) (((traits)&TL_TRAIT_MARK) ? TL_SLOT_CLOCK : 0)

static const tl_call_info calls[] = {
#define ROW(code, name, action, traits, ...)                                                       \
    {code, name, TL_ACTION_##action, BITS(SLOTS, __VA_ARGS__) | CLOCK_OF(traits), traits, NULL},
#define TL_CALL(code, name, ...) ROW(code, "MPI_" #name, __VA_ARGS__)
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_PSEUDO(code, name, action, traits, ...)                                                 \
    {code, #name, TL_ACTION_##action, BITS(SLOTS, __VA_ARGS__), traits, NULL},
#define TL_OPAQUE(code, name, ...) {code, "MPI_" #name, TL_ACTION_OPAQUE, 0, 0, NULL},
#include "mpi_calls.def"
#define KERNEL_SLOTS(code) TL_SLOT_LIST | ((code) == TL_KERNEL_user ? TL_SLOT_TAG : 0)
#define TL_KERNEL(code, name, type, kind, dimensions, work, flops)                                 \
    {code, #name, TL_ACTION_KERNEL, KERNEL_SLOTS(code), 0, dimensions},
#include "kernels.def"
};
enum { N_CALLS = sizeof calls / sizeof *calls };

/* The index into calls[] for each code, computed by the compiler. Rows are in the order of the
 * files. */
enum {
#define TL_CALL(code, name, action, traits, ...) ROW_##name,
#define TL_SPECIAL TL_CALL
#define TL_PSEUDO TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE(code, name, ...) ROW_##name,
#include "mpi_calls.def"
#define TL_KERNEL(code, name, ...) ROW_KERNEL_##name,
#include "kernels.def"
};

static const uint16_t row_plus_one[TL_CALL_LIMIT] = {
#define TL_CALL(code, name, action, traits, ...) [code] = ROW_##name + 1,
#define TL_SPECIAL TL_CALL
#define TL_PSEUDO TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE(code, name, ...) [code] = ROW_##name + 1,
#include "mpi_calls.def"
#define TL_KERNEL(code, name, ...) [code] = ROW_KERNEL_##name + 1,
#include "kernels.def"
};

const tl_call_info *tl_call_by_code(unsigned code)
{
    if (code >= TL_KERNEL_dgemm && code < TL_CALL_LIMIT && !row_plus_one[code])
        code = TL_KERNEL_unknown;
    if (code >= TL_CALL_LIMIT || !row_plus_one[code])
        return NULL;
    return &calls[row_plus_one[code] - 1];
}

const tl_call_info *tl_call_by_name(const char *name)
{
    /* Before 0.1.0, extensions were written under the names that Open MPI 4.1 gives them. */
    const char *standard = !strncmp(name, "MPIX_", 5) ? name + 5 : NULL;
    for (size_t i = 0; i < N_CALLS; i++) {
        const char *known = calls[i].name;
        if (standard ? !strncmp(known, "MPI_", 4) && !strcmp(known + 4, standard)
                     : !strcmp(known, name))
            return &calls[i];
    }
    return NULL;
}

static double size_of(int64_t size)
{
    return size > 0 ? (double)size : 0;
}

/* Multiply-adds of a factorisation of m x n; n^3 / 3 if it is square. */
static double getrf_work(double m, double n)
{
    double least = m < n ? m : n;
    return least * (m * n - least * (m + n) / 2 + least * least / 3);
}

static double product(const int64_t *sizes, size_t n_sizes)
{
    double work = 1;
    for (size_t i = 0; i < n_sizes; i++)
        work *= size_of(sizes[i]);
    return work;
}

/* Number of transforms, times points, times their binary logarithm.  A plan of rank 0, or of one
 * point, copies. */
static double fft_work(const int64_t *sizes, size_t n_sizes)
{
    const double points = n_sizes ? product(sizes + 1, n_sizes - 1) : 0;
    return points > 0 ? size_of(sizes[0]) * points * fmax(1, log2(points)) : 0;
}

double tl_kernel_work(unsigned code, const int64_t *sizes, size_t n_sizes)
{
    double d[4] = {0};
    for (size_t i = 0; i < n_sizes && i < 4; i++)
        d[i] = size_of(sizes[i]);
    /* clang-format off */
    switch (code) {
#define TL_KERNEL(code, name, type, kind, dimensions, work, flops) case code: return work;
#include "kernels.def"
    default: return tl_call_by_code(code) == tl_call_by_code(TL_KERNEL_unknown);
    }
    /* clang-format on */
}

double tl_kernel_flops_per_work(unsigned code)
{
    /* clang-format off */
    switch (code) {
#define TL_KERNEL(code, name, type, kind, dimensions, work, flops) case code: return flops;
#include "kernels.def"
    default: return 0.0;
    }
    /* clang-format on */
}
