/* model.c - the compute model: a rate per unit of volume, and for each kernel a polynomial in its
 * sizes.  Modelling options M-0 (the term `one` alone), M-1 (`one` and `work`), M-2 (all terms) and
 * M' (pieces) of Cornebize (thesis draft, section 4.1); as in "Emulating HPL at supercomputer
 * scale", section V-A, the kernel's sizes alone tell its time. */
#include "rank_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char flops_name[] = TLR_FLOPS, origin[] = "speeds of the hosts";
/* By definition: a host of 1 Gf executes 1e9 units of flops in a second. */
static tlr_unit_rate flops = {.unit = flops_name, .s_per_unit = 1e-9};
const tlr_model tlr_host_speeds = {.path = origin,
                                   .reference_flops = 1e9,
                                   .s_per_flop = 1e-9,
                                   .kernel_threads = 1,
                                   .pool = {.n_units = 1, .units = &flops}};

static void free_rates(tlr_rates *rates)
{
    for (size_t i = 0; i < rates->n_units; i++) {
        tlr_unit_rate *unit = &rates->units[i];
        for (size_t c = 0; c < unit->n_classes; c++) {
            free(unit->classes[c].from);
            free(unit->classes[c].to);
        }
        free(unit->classes);
        free(unit->unit);
    }
    free(rates->units);
    for (size_t i = 0; i < rates->n_kernels; i++) {
        free(rates->kernels[i].user);
        free(rates->kernels[i].pieces);
    }
    free(rates->kernels);
}

void tlr_model_free(tlr_model *model)
{
    if (!model)
        return;
    free_rates(&model->pool);
    for (size_t i = 0; i < model->n_hosts; i++) {
        free(model->hosts[i].pattern);
        free_rates(&model->hosts[i].rates);
    }
    free(model->hosts);
    free(model->parallel.rows);
    for (size_t i = 0; i < model->interference.n; i++) {
        free(model->interference.classes[i].from);
        free(model->interference.classes[i].to);
        free(model->interference.classes[i].rows);
    }
    free(model->interference.classes);
    free(model->path);
    free(model);
}

const tlr_unit_rate *tlr_rates_unit(const tlr_rates *rates, const char *unit)
{
    for (size_t i = 0; i < rates->n_units; i++)
        if (!strcmp(rates->units[i].unit, unit))
            return &rates->units[i];
    return NULL;
}

const tlr_kernel_model *tlr_rates_kernel(const tlr_rates *rates, uint16_t call, const char *user)
{
    for (size_t i = 0; i < rates->n_kernels; i++) {
        const tlr_kernel_model *kernel = &rates->kernels[i];
        if (kernel->call == call && !kernel->user == !user &&
            (!user || !strcmp(kernel->user, user)))
            return kernel;
    }
    return NULL;
}

tlr_sizes tlr_sizes_of(const tl_event *kernel)
{
    const double m = kernel->list_len > 0 ? (double)kernel->list[0] : 0;
    const double n = kernel->list_len > 1 ? (double)kernel->list[1] : 0;
    const double k = kernel->list_len > 2 ? (double)kernel->list[2] : 0;
    const double work = tl_kernel_work(kernel->call, kernel->list, kernel->list_len);
    return (tlr_sizes){.bounds = {m, n, k, work},
                       .terms =
                           {
#define TL_TERM(name, expression) expression,
#include <terms.def>
                           },
                       .is_left = k == m,
                       .is_right = k == n};
}

static bool is_in_piece(const tlr_piece *piece, const tlr_sizes *sizes)
{
    if ((piece->side == 'l' && !sizes->is_left) || (piece->side == 'r' && !sizes->is_right))
        return 0;
    for (int b = 0; b < TLR_N_BOUNDS; b++)
        if (sizes->bounds[b] < piece->min[b] || sizes->bounds[b] > piece->max[b])
            return 0;
    return 1;
}

const tlr_piece *tlr_find_piece(const tlr_kernel_model *kernel, const tlr_sizes *sizes)
{
    size_t i = 0;
    while (i + 1 < kernel->n_pieces && !is_in_piece(&kernel->pieces[i], sizes))
        i++;
    return &kernel->pieces[i];
}

static double sum_terms(const double *coefficients, const tlr_sizes *sizes)
{
    double sum = 0;
    for (int t = 0; t < TLR_N_TERMS; t++)
        sum += coefficients[t] * sizes->terms[t];
    return sum > 0 ? sum : 0;
}

double tlr_piece_mean_s(const tlr_piece *piece, const tlr_sizes *sizes)
{
    return sum_terms(piece->mean_s, sizes);
}

double tlr_piece_sd_s(const tlr_piece *piece, const tlr_sizes *sizes)
{
    return sum_terms(piece->sd_s, sizes);
}

double tlr_model_unit_s(const tlr_model *model, const char *unit)
{
    const tlr_unit_rate *rate = tlr_rates_unit(&model->pool, unit);
    return rate ? rate->s_per_unit : -1;
}

const char *tlr_model_units(const tlr_model *model, char *text, size_t size)
{
    size_t length = 0;
    for (size_t i = 0; i < model->pool.n_units && length < size; i++)
        length += (size_t)snprintf(text + length, size - length, "%s%s", i ? ", " : "",
                                   model->pool.units[i].unit);
    return model->pool.n_units ? text : "none";
}

static const char *user_name(const tl_reader *trace, uint32_t rank, const tl_event *kernel)
{
    return kernel->call == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, kernel) : NULL;
}

double tlr_model_kernel_s(const tlr_model *model, const tl_reader *trace, uint32_t rank,
                          const tl_event *kernel)
{
    const tlr_kernel_model *found =
        tlr_rates_kernel(&model->pool, kernel->call, user_name(trace, rank, kernel));
    if (!found)
        return tlr_roofline_s(model, kernel);
    const tlr_sizes sizes = tlr_sizes_of(kernel);
    /* An empty call returns at once.  HPL makes thousands of them while it polls for a panel. */
    return sizes.terms[TLR_TERM_work] > 0 ? tlr_piece_mean_s(tlr_find_piece(found, &sizes), &sizes)
                                          : 0;
}
