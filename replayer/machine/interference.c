/* interference.c - how much longer bursts take while other cores of their host compute.
 *
 * A class of bursts is measured beside loops ("hogs") of four kinds on the other cores: its
 * sensitivity. The measurement also shows how much the class slows each hog down: its pressure,
 * written as the number of hogs of each kind that would have the same effect. Of two classes that
 * were never measured together, one takes as long as beside those hogs that stand for the other.
 * This is the method of J. Mars et al., "Bubble-Up: Increasing Utilization in Modern Warehouse
 * Scale Computers via Sensible Co-locations" (MICRO 2011), with four kinds of bubbles. The effects
 * of different kinds are added (assumed). */
#include "rank_model.h"

#include <stdlib.h>
#include <string.h>

int tlr_interferes(const tlr_model *model)
{
    return model && model->interference.n > 0;
}

static const tlr_disturbance *find_kernel(const tlr_interference *in, uint16_t kernel)
{
    for (size_t i = 0; i < in->n; i++)
        if (in->classes[i].kernel == kernel)
            return &in->classes[i];
    return in->rest;
}

static int compare(const void *key, const void *entry)
{
    const tlr_burst_class *x = key;
    const tlr_disturbance *y = entry;
    if (!y->from) /* they are first */
        return 1;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

const tlr_disturbance *tlr_find_bending(tlr_rank_model *m, uint32_t from, uint32_t to,
                                        uint16_t kernel)
{
    if (!m->bending)
        return NULL;
    const tlr_interference *in = &m->model->interference;
    if (kernel)
        return find_kernel(in, kernel);
    const size_t i = tlr_find_class(m->bending, m->trace, m->rank, from, to, in->classes, in->n,
                                    sizeof *in->classes, compare);
    return i < in->n ? &in->classes[i] : in->rest;
}

/* Straight lines from no slowdown at 0 hogs through the rows; the last line goes on. */
static double slowdown_of(const tlr_disturbance *b, tlr_hog hog, double n_hogs)
{
    double cores = 0, slowdown = 1;
    for (size_t i = 0; i < b->n; i++) {
        const tlr_beside *row = &b->rows[i];
        if (n_hogs <= row->cores || i + 1 == b->n)
            return slowdown +
                   (row->slowdown[hog] - slowdown) * (n_hogs - cores) / (row->cores - cores);
        cores = row->cores;
        slowdown = row->slowdown[hog];
    }
    return slowdown;
}

double tlr_disturbance_slowdown(const tlr_disturbance *bending, const double n_hogs[TLR_N_HOGS])
{
    double more = 0;
    for (int h = 0; bending && h < TLR_N_HOGS; h++)
        if (n_hogs[h] > 0)
            more += slowdown_of(bending, (tlr_hog)h, n_hogs[h]) - 1;
    return more > 0 ? 1 + more : 1;
}

double tlr_disturbance_beside(const tlr_disturbance *bending, const tlr_disturbance *const *others,
                              size_t n, unsigned n_cores)
{
    double n_hogs[TLR_N_HOGS] = {0};
    if (!bending || !n)
        return 1;
    /* More ranks than cores take turns: one runs beside n_cores - 1 of the n others. */
    const double share = n_cores > n ? 1 : (n_cores - 1.0) / (double)n;
    for (size_t i = 0; i < n; i++)
        for (int h = 0; others[i] && h < TLR_N_HOGS; h++)
            n_hogs[h] += share * others[i]->acts_as[h];
    return tlr_disturbance_slowdown(bending, n_hogs);
}
