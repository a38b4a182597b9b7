/* transforms.c - the transforms of a trace, by the FFTW of this machine.
 *
 * A plan is made when a kernel is first called with its sizes, in the time that FFTW_ESTIMATE
 * takes. The numbers are zeros, which stay so: the time of a transform does not depend on them. */
#include "config.h"

#include "transforms.h"

#include "core/room.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SIZES = 8, ESTIMATE = 1 << 6, FORWARD = -1 };
enum { DFT, DFT_R2C, DFT_C2R, R2R, N_FORMS }; /* in the order of kernels.def */
static const size_t number_bytes[] = {sizeof(double), sizeof(float), sizeof(long double)};
enum { N_PRECISIONS = sizeof number_bytes / sizeof *number_bytes };

typedef struct plan {
    uint16_t code;
    uint32_t n_sizes;
    int sizes[MOST_SIZES];
    void *made, *execute, *in, *out;
} plan;

struct perform_transforms {
    size_t n, room;
    plan *plans;
};

typedef void *many_complex(int, const int *, int, void *, const int *, int, int, void *,
                           const int *, int, int, int, unsigned);
typedef void *many_real(int, const int *, int, void *, const int *, int, int, void *, const int *,
                        int, int, unsigned);
typedef void *many_kinds(int, const int *, int, void *, const int *, int, int, void *, const int *,
                         int, int, const int *, unsigned);

static int form_of(unsigned code)
{
    return (int)(code - TL_KERNEL_fftw_dft) % N_FORMS;
}

static int precision_of(unsigned code)
{
    return (int)(code - TL_KERNEL_fftw_dft) / N_FORMS;
}

/* "fftwf_" "execute"; NULL if this machine has no such library. */
static void *find_function(unsigned code, const char *function)
{
    static const char *const files[] = {"libfftw3.so.3", "libfftw3f.so.3", "libfftw3l.so.3"},
                             *const prefixes[] = {"fftw_", "fftwf_", "fftwl_"};
    char symbol[64];
    const int precision = precision_of(code);
    if (!dlopen(files[precision], RTLD_LAZY | RTLD_GLOBAL))
        return NULL;
    snprintf(symbol, sizeof symbol, "%s%s", prefixes[precision], function);
    return dlsym(RTLD_DEFAULT, symbol);
}

/* Points of one transform; 0: sizes that no plan has here. */
static int64_t points_of(const tl_event *kernel)
{
    int64_t points = 1;
    if (!kernel->list_len || kernel->list_len > MOST_SIZES)
        return 0;
    for (uint32_t i = 0; i < kernel->list_len; i++)
        if (kernel->list[i] < 1 || kernel->list[i] > INT_MAX)
            return 0;
    for (uint32_t i = 1; i < kernel->list_len; i++) {
        points *= kernel->list[i];
        if (points > INT_MAX / 4)
            return 0;
    }
    return points;
}

int64_t perform_transform_bytes(const tl_event *kernel)
{
    const int64_t points = points_of(kernel);
    if (precision_of(kernel->call) >= N_PRECISIONS || !points ||
        kernel->list[0] > (INT64_C(1) << 40) / points || !find_function(kernel->call, "execute"))
        return 0;
    return 2 * kernel->list[0] * points * (int64_t)number_bytes[precision_of(kernel->call)];
}

/* The complex numbers of a transform of real ones. */
static int half_of(const plan *p, int points)
{
    const int last = p->n_sizes > 1 ? p->sizes[p->n_sizes - 1] : 1;
    return points / last * (last / 2 + 1);
}

static void *make_plan(const plan *p, int points)
{
    static const char *const functions[N_FORMS] = {"plan_many_dft", "plan_many_dft_r2c",
                                                   "plan_many_dft_c2r", "plan_many_r2r"};
    static const int kinds[MOST_SIZES]; /* FFTW_R2HC */
    const int form = form_of(p->code), rank = (int)p->n_sizes - 1, *n = p->sizes + 1;
    const int half = half_of(p, points), from = form == DFT_C2R ? half : points,
              to = form == DFT_R2C ? half : points;
    void *f = find_function(p->code, functions[form]);
    if (!f)
        return NULL;
    if (form == DFT)
        return ((many_complex *)f)(rank, n, p->sizes[0], p->in, NULL, 1, from, p->out, NULL, 1, to,
                                   FORWARD, ESTIMATE);
    if (form == R2R)
        return ((many_kinds *)f)(rank, n, p->sizes[0], p->in, NULL, 1, from, p->out, NULL, 1, to,
                                 kinds, ESTIMATE);
    return ((many_real *)f)(rank, n, p->sizes[0], p->in, NULL, 1, from, p->out, NULL, 1, to,
                            ESTIMATE);
}

static plan *find_plan(const perform_transforms *t, const tl_event *kernel)
{
    for (size_t i = 0; i < t->n; i++) {
        plan *p = &t->plans[i];
        uint32_t same = 0;
        while (same < p->n_sizes && same < kernel->list_len && p->sizes[same] == kernel->list[same])
            same++;
        if (p->code == kernel->call && same == p->n_sizes && same == kernel->list_len)
            return p;
    }
    return NULL;
}

static void free_plan(plan *p)
{
    if (p->made)
        ((void (*)(void *))find_function(p->code, "destroy_plan"))(p->made);
    free(p->in);
    free(p->out);
}

static plan *add_plan(perform_transforms *t, const tl_event *kernel)
{
    const size_t bytes = (size_t)perform_transform_bytes(kernel);
    if (!bytes)
        return NULL;
    if (!tl_make_room(&t->plans, t->n, &t->room, sizeof *t->plans))
        return NULL;
    plan p = {.code = kernel->call, .n_sizes = kernel->list_len};
    for (uint32_t i = 0; i < p.n_sizes; i++)
        p.sizes[i] = (int)kernel->list[i];
    p.in = calloc(1, bytes);
    p.out = calloc(1, bytes);
    if (p.in && p.out)
        p.made = make_plan(&p, (int)points_of(kernel));
    p.execute = find_function(p.code, "execute");
    if (!p.made || !p.execute) {
        free_plan(&p);
        return NULL;
    }
    t->plans[t->n] = p;
    return &t->plans[t->n++];
}

int perform_transforms_call(perform_transforms **t, const tl_event *kernel)
{
    if (!*t && !(*t = calloc(1, sizeof **t)))
        return 0;
    plan *p = find_plan(*t, kernel);
    if (!p && !(p = add_plan(*t, kernel)))
        return 0;
    ((void (*)(void *))p->execute)(p->made);
    return 1;
}

void perform_transforms_free(perform_transforms *t)
{
    for (size_t i = 0; t && i < t->n; i++)
        free_plan(&t->plans[i]);
    if (t)
        free(t->plans);
    free(t);
}
