/* roofline.c - the time of kernels without a line in the model.
 *
 * Either the recording tells how much volume a unit of work took, or the kernel's operations and
 * bytes do, of which the slower ones count (Williams, Waterman and Patterson, "Roofline: an
 * insightful visual performance model for multicore architectures", 2009). */
#include "rank_model.h"

#include <kernel_groups.h>
#include <math.h>
#include <string.h>

/* Bytes of an element of the operands, and the time of an operation relative to one of doubles:
 * vectors have twice as many floats; the x87 has no vectors. */
typedef struct precision {
    double bytes, time;
} precision;

static precision precision_of(uint16_t call)
{
    static const precision of[] = {
        ['S'] = {4, 0.5}, ['D'] = {8, 1}, ['C'] = {8, 0.5}, ['Z'] = {16, 1}, ['L'] = {32, 16}};
    enum { TYPE_S = 'S', TYPE_D = 'D', TYPE_C = 'C', TYPE_Z = 'Z', TYPE_L = 'L', TYPE_W = 0 };
    int type = 0;
    /* clang-format off */
    switch (call) {
#define TL_KERNEL(code, name, letter, ...) case code: type = TYPE_##letter; break;
#include <kernels.def>
    default: break;
    }
    /* clang-format on */
    return of[type];
}

/* The elements that a call reads from its operands, in whatever cache they are. Routines on
 * vectors, or on a matrix and vectors, read one for each unit of work, and a transform reads all in
 * each of its levels. Those on matrices read each matrix once: of m x n, m x k and n x k, or of
 * what there is of these. */
static double elements_of(const tl_event *kernel, double work)
{
    if (tl_kernel_group_of(tl_call_by_code(kernel->call)->name) < TL_KERNELS_BLAS3)
        return work;
    const tlr_sizes sizes = tlr_sizes_of(kernel);
    const double m = sizes.bounds[0], n = kernel->list_len > 1 ? sizes.bounds[1] : m,
                 k = kernel->list_len > 2 ? sizes.bounds[2] : n;
    return work > 0 ? m * n + m * k + n * k : 0;
}

double tlr_roofline_s(const tlr_model *model, const tl_event *kernel)
{
    const double work = tl_kernel_work(kernel->call, kernel->list, kernel->list_len);
    const double flops = work * tl_kernel_flops_per_work(kernel->call);
    const precision type = precision_of(kernel->call);
    if (model->s_per_flop < 0 || !(tl_kernel_flops_per_work(kernel->call) > 0))
        return -1;
    if (!(model->s_per_byte > 0)) /* the model states a rate for all operations */
        return flops * model->s_per_flop;
    return fmax(flops * type.time * model->s_per_flop,
                elements_of(kernel, work) * type.bytes * model->s_per_byte);
}

static double line_s(const tlr_model *model, uint16_t call, const int64_t sizes[3])
{
    const tl_event kernel = {.call = call, .list = sizes, .list_len = 3};
    return tlr_rates_kernel(&model->pool, call, NULL) ? tlr_model_kernel_s(model, NULL, 0, &kernel)
                                                      : 0;
}

void tlr_find_roofline(tlr_model *model)
{
    static const int64_t large[3] = {1000, 1000, 1000}, plane[3] = {1000, 1000, 0};
    const double product_s = line_s(model, TL_KERNEL_dgemm, large),
                 vector_s = line_s(model, TL_KERNEL_dgemv, plane);
    if (model->s_per_flop >= 0 || !(product_s > 0) || !(vector_s > 0))
        return;
    model->s_per_flop = product_s / 2e9;
    model->s_per_byte = vector_s / 8e6;
}

tlr_recorded_kernel *tlr_find_recorded(const tlr_recorded_kernels *recorded, uint16_t call,
                                       const char *user)
{
    for (size_t i = 0; recorded && recorded->has[call] && i < recorded->n; i++) {
        tlr_recorded_kernel *entry = &recorded->list[i];
        if (entry->call == call && !entry->user == !user && (!user || !strcmp(entry->user, user)))
            return entry;
    }
    return NULL;
}

tlr_estimate tlr_estimate_of(const tlr_model *model, const tlr_recorded_kernels *recorded,
                             const char *unit, uint16_t call, const char *user)
{
    static const int64_t sizes[4] = {1, 1, 1, 1};
    const tl_event kernel = {.call = call, .list = sizes, .list_len = 4};
    const tlr_recorded_kernel *entry = tlr_find_recorded(recorded, call, user);
    if (entry && entry->volume > 0 && entry->work > 0 && tlr_model_unit_s(model, unit) >= 0)
        return TLR_AS_RECORDED;
    return !user && tlr_roofline_s(model, &kernel) >= 0 ? TLR_BY_ROOFLINE : TLR_N_ESTIMATES;
}
