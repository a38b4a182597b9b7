/* fftw.c - executions of FFTW plans as kernel events, with the sizes from the calls that made the
 * plans.
 *
 * The Fortran interface makes and destroys its plans through the C interface, but executes them
 * itself. A plan from elsewhere (for example of FFTW's MPI transforms, which send messages) is no
 * kernel. */
#include "config.h"

#include "kernel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* ---- the plans that are known ---- */

enum { N_BUCKETS = 1024, MAX_DIMENSIONS = 64 };

/* Entries are never freed, so executions need no lock. An entry whose plan was destroyed has no
 * key, and another plan can use it. */
typedef struct known_plan {
    _Atomic(void *) plan;
    struct known_plan *next; /* of the same bucket; does not change */
    uint16_t code;
    uint32_t n_sizes;
    int64_t sizes[1 + MAX_DIMENSIONS]; /* transforms at once, lengths */
} known_plan;

static _Atomic(known_plan *) buckets[N_BUCKETS];
static pthread_mutex_t changing = PTHREAD_MUTEX_INITIALIZER;

static _Atomic(known_plan *) *bucket_of(const void *plan)
{
    return &buckets[(uint64_t)(uintptr_t)plan * 0x9e3779b97f4a7c15U >> 54];
}

/* `plan` NULL: the entry is free. */
static known_plan *find_in(_Atomic(known_plan *) *bucket, const void *plan)
{
    known_plan *p = atomic_load_explicit(bucket, memory_order_acquire);
    while (p && atomic_load_explicit(&p->plan, memory_order_acquire) != plan)
        p = p->next;
    return p;
}

/* If there is no memory to remember a plan, the plan is no kernel. */
static void remember(void *plan, uint16_t code, const int64_t *sizes, uint32_t n_sizes)
{
    if (!plan || n_sizes > 1 + MAX_DIMENSIONS)
        return;
    _Atomic(known_plan *) *bucket = bucket_of(plan);
    pthread_mutex_lock(&changing);
    known_plan *p = find_in(bucket, plan);
    if (!p)
        p = find_in(bucket, NULL);
    bool added = !p;
    if (added)
        p = calloc(1, sizeof *p);
    if (p) {
        p->code = code;
        p->n_sizes = n_sizes;
        memcpy(p->sizes, sizes, n_sizes * sizeof *sizes);
        atomic_store_explicit(&p->plan, plan, memory_order_release);
        if (added) {
            p->next = atomic_load_explicit(bucket, memory_order_relaxed);
            atomic_store_explicit(bucket, p, memory_order_release);
        }
    }
    pthread_mutex_unlock(&changing);
}

/* The program destroys the plan. Its entry stays, for another plan. */
static void forget_plan(void *plan)
{
    if (!plan)
        return;
    pthread_mutex_lock(&changing);
    known_plan *p = find_in(bucket_of(plan), plan);
    if (p)
        atomic_store_explicit(&p->plan, NULL, memory_order_release);
    pthread_mutex_unlock(&changing);
}

/* ---- sizes, as the interfaces give them ---- */

typedef struct shape {
    int64_t sizes[1 + MAX_DIMENSIONS];
    uint32_t n_sizes;
} shape;

/* fftw_iodim and fftw_iodim64 */
typedef struct dimension {
    int n, in_stride, out_stride;
} dimension;
typedef struct dimension64 {
    ptrdiff_t n, in_stride, out_stride;
} dimension64;

static void add_size(shape *s, int64_t n)
{
    if (s->n_sizes <= MAX_DIMENSIONS)
        s->sizes[s->n_sizes] = n;
    s->n_sizes++;
}

static shape shape_of(int64_t howmany, int rank, const int *n)
{
    shape s = {.sizes = {howmany}, .n_sizes = 1};
    for (int i = 0; i < rank; i++)
        add_size(&s, n[i]);
    return s;
}

static shape guru_shape(int rank, const dimension *n, int howmany_rank, const dimension *howmany)
{
    shape s = {.sizes = {1}, .n_sizes = 1};
    for (int i = 0; i < howmany_rank; i++)
        s.sizes[0] *= howmany[i].n;
    for (int i = 0; i < rank; i++)
        add_size(&s, n[i].n);
    return s;
}

static shape guru64_shape(int rank, const dimension64 *n, int howmany_rank,
                          const dimension64 *howmany)
{
    shape s = {.sizes = {1}, .n_sizes = 1};
    for (int i = 0; i < howmany_rank; i++)
        s.sizes[0] *= howmany[i].n;
    for (int i = 0; i < rank; i++)
        add_size(&s, n[i].n);
    return s;
}

/* clang-format off */
#define BASIC shape_of(1, (int)a1, (const int *)a2)
#define LINE shape_of(1, 1, (const int[]){(int)a1})
#define PLANE shape_of(1, 2, (const int[]){(int)a1, (int)a2})
#define SPACE shape_of(1, 3, (const int[]){(int)a1, (int)a2, (int)a3})
#define MANY shape_of((int)a3, (int)a1, (const int *)a2)
#define GURU guru_shape((int)a1, (const dimension *)a2, (int)a3, (const dimension *)a4)
#define GURU64 guru64_shape((int)a1, (const dimension64 *)a2, (int)a3, (const dimension64 *)a4)

/* ---- the interfaces ---- */

/* A function with n arguments that makes a plan. */
#define PLAN(symbol, kernel, n, sizes_of)                                                          \
    TLT_API void *symbol TLT_WORDS_##n;                                                            \
    TLT_API void *symbol TLT_WORDS_##n                                                             \
    {                                                                                              \
        TLT_REAL(symbol);                                                                          \
        void *plan = real TLT_ARGS_##n;                                                            \
        const shape s = sizes_of;                                                                  \
        remember(plan, TL_KERNEL_##kernel, s.sizes, s.n_sizes);                                    \
        return plan;                                                                               \
    }

/* A function that executes a plan: its first argument, or the plan to which that argument points.
 */
#define EXECUTE(symbol, n, plan)                                                                   \
    TLT_API void symbol TLT_WORDS_##n;                                                             \
    TLT_API void symbol TLT_WORDS_##n                                                              \
    {                                                                                              \
        TLT_REAL(symbol);                                                                          \
        const known_plan *known = tlt.kernels ? find_in(bucket_of(plan), plan) : NULL;             \
        if (!known || !tlt_enter_routine()) {                                                                 \
            real TLT_ARGS_##n;                                                                     \
            return;                                                                                \
        }                                                                                          \
        real TLT_ARGS_##n;                                                                         \
        tlt_leave_kernel(known->code, TLT_PLACE(), known->n_sizes, known->sizes);                 \
    }
#define GIVEN ((void *)a1)
#define REFERRED (*(void **)a1)
#define EXECUTE_ALL(f, name, n)                                                                    \
    EXECUTE(f##_##name, n, GIVEN)
#define EXECUTE_ALL_FORTRAN(f, name, n)                                                            \
    EXECUTE(f##_##name##_, n, REFERRED)                                                            \
    EXECUTE(f##_##name##__, n, REFERRED)
#define EXECUTIONS(all, f)                                                                         \
    all(f, execute, 1)                                                                             \
    all(f, execute_dft, 3)                                                                         \
    all(f, execute_dft_r2c, 3)                                                                     \
    all(f, execute_dft_c2r, 3)                                                                     \
    all(f, execute_r2r, 3)                                                                         \
    all(f, execute_split_dft, 5)                                                                   \
    all(f, execute_split_dft_r2c, 4)                                                               \
    all(f, execute_split_dft_c2r, 4)

#define INTERFACE(f)                                                                               \
    PLAN(f##_plan_dft, f##_dft, 6, BASIC)                                                          \
    PLAN(f##_plan_dft_1d, f##_dft, 5, LINE)                                                        \
    PLAN(f##_plan_dft_2d, f##_dft, 6, PLANE)                                                       \
    PLAN(f##_plan_dft_3d, f##_dft, 7, SPACE)                                                       \
    PLAN(f##_plan_many_dft, f##_dft, 13, MANY)                                                     \
    PLAN(f##_plan_guru_dft, f##_dft, 8, GURU)                                                      \
    PLAN(f##_plan_guru64_dft, f##_dft, 8, GURU64)                                                  \
    PLAN(f##_plan_guru_split_dft, f##_dft, 9, GURU)                                                \
    PLAN(f##_plan_guru64_split_dft, f##_dft, 9, GURU64)                                            \
    REAL_INTERFACE(f, dft_r2c)                                                                     \
    REAL_INTERFACE(f, dft_c2r)                                                                     \
    PLAN(f##_plan_r2r, f##_r2r, 6, BASIC)                                                          \
    PLAN(f##_plan_r2r_1d, f##_r2r, 5, LINE)                                                        \
    PLAN(f##_plan_r2r_2d, f##_r2r, 7, PLANE)                                                       \
    PLAN(f##_plan_r2r_3d, f##_r2r, 9, SPACE)                                                       \
    PLAN(f##_plan_many_r2r, f##_r2r, 13, MANY)                                                     \
    PLAN(f##_plan_guru_r2r, f##_r2r, 8, GURU)                                                      \
    PLAN(f##_plan_guru64_r2r, f##_r2r, 8, GURU64)                                                  \
    EXECUTIONS(EXECUTE_ALL, f)                                                                     \
    TLT_API void f##_destroy_plan(void *plan);                                                     \
    TLT_API void f##_destroy_plan(void *plan)                                                      \
    {                                                                                              \
        TLT_REAL(f##_destroy_plan);                                                                \
        forget_plan(plan);                                                                              \
        real(plan);                                                                                \
    }
#define REAL_INTERFACE(f, transform)                                                               \
    PLAN(f##_plan_##transform, f##_##transform, 5, BASIC)                                          \
    PLAN(f##_plan_##transform##_1d, f##_##transform, 4, LINE)                                      \
    PLAN(f##_plan_##transform##_2d, f##_##transform, 5, PLANE)                                     \
    PLAN(f##_plan_##transform##_3d, f##_##transform, 6, SPACE)                                     \
    PLAN(f##_plan_many_##transform, f##_##transform, 12, MANY)                                     \
    PLAN(f##_plan_guru_##transform, f##_##transform, 7, GURU)                                      \
    PLAN(f##_plan_guru64_##transform, f##_##transform, 7, GURU64)                                  \
    PLAN(f##_plan_guru_split_##transform, f##_##transform, 8, GURU)                                \
    PLAN(f##_plan_guru64_split_##transform, f##_##transform, 8, GURU64)

INTERFACE(fftw)
INTERFACE(fftwf)
INTERFACE(fftwl)
EXECUTIONS(EXECUTE_ALL_FORTRAN, dfftw)
EXECUTIONS(EXECUTE_ALL_FORTRAN, sfftw)
EXECUTIONS(EXECUTE_ALL_FORTRAN, lfftw)
/* clang-format on */
