/* parallel.c - parallel regions of OpenMP: what cores get that work at the same time, and what the
 * start and the end of a region cost. Both are measured by 'timeless calibrate memory'; without
 * these settings of the model, each core is as fast as one alone, and start and end cost nothing.
 */
#include "config.h"

#include "parallel.h"
#include "rank_model.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <timeless_convert.h>

static const char *const limits[TLR_N_LIMITS] = {"arithmetic", "L1", "L2", "L3", "memory"};

const char *tlr_limit_name(tlr_limit limit)
{
    return limits[limit];
}

int tlr_limit_find(const char *name, tlr_limit *out)
{
    for (int i = 0; i < TLR_N_LIMITS; i++)
        if (!strcmp(limits[i], name)) {
            *out = (tlr_limit)i;
            return 1;
        }
    return 0;
}

/* The row at or above `cores`, and how far the row before is from there, from 0 to 1. */
static size_t find_rows(const tlr_parallel *p, double cores, double *back)
{
    size_t i = 0;
    *back = 0;
    while (i + 1 < p->n && p->rows[i].cores < cores)
        i++;
    if (i && p->rows[i].cores > cores)
        *back = (p->rows[i].cores - cores) / (p->rows[i].cores - p->rows[i - 1].cores);
    return i;
}

static double between(double at, double before, double back)
{
    return back > 0 ? at + back * (before - at) : at;
}

/* How much longer each core takes for its work if so many of a host work at the same time. */
static double slowness(const tlr_parallel *p, tlr_limit limit, double cores)
{
    double back;
    const size_t i = find_rows(p, cores, &back);
    const double at = p->rows[i].speedup[limit];
    /* More cores than were measured: each is as fast as in the last row. */
    if (cores >= p->rows[i].cores)
        return p->rows[i].cores / at;
    return cores / between(at, i ? p->rows[i - 1].speedup[limit] : at, back);
}

/* Assumed: a core of a server reads and writes 12 GB/s, and a node with two processors 0.2 TB/s. */
static const double assumed_core_Bps = 12e9, assumed_node_Bps = 0.2e12;

static bool states(const tlr_model *model, tlr_limit limit)
{
    return model->parallel.n && model->parallel.rows[0].speedup[limit] > 0;
}

tlr_region_memory tlr_find_region_memory(const tlr_model *model, const tlr_options *options)
{
    bool is_named = 0, is_bound = 0;
    for (size_t i = 0; i < options->n_changes; i++)
        if (options->changes[i].quantity == TLR_REGION_BOUND) {
            is_named = 1;
            is_bound |= options->changes[i].value == TLR_LIMIT_MEMORY;
        }
    if (!tlr_change_threads(options->changes, options->n_changes) || !model)
        return (tlr_region_memory){0};
    if (!is_bound || states(model, TLR_LIMIT_MEMORY))
        return (tlr_region_memory){.is_ignored =
                                       !is_named && model->parallel.bound == TLR_LIMIT_ARITHMETIC};
    const double node_Bps = options->node_memory_Bps;
    tlr_region_memory out = {.node_Bps = node_Bps > 0 ? node_Bps : assumed_node_Bps,
                             .is_assumed = !(node_Bps > 0)};
    out.core_Bps = fmin(assumed_core_Bps, out.node_Bps);
    return out;
}

/* The cores of the host that work if each of its ranks has so many threads. */
static double busy_cores(const tlr_rank_model *m, double n_threads)
{
    const double wanted = n_threads * fmax(1, m->n_on_host);
    return m->n_cores ? fmin(m->n_cores, wanted) : wanted;
}

static tlr_limit bound_of(tlr_rank_model *m, uint32_t site)
{
    char name[256];
    const size_t slot = site % (sizeof m->bounds / sizeof *m->bounds);
    if (!m->n_changes)
        return m->model->parallel.bound;
    if (m->bounds[slot].is_known && m->bounds[slot].site == site)
        return m->bounds[slot].bound;
    tlr_limit bound = m->model->parallel.bound;
    tl_site_text(m->trace, m->rank, site, name, sizeof name);
    for (size_t i = 0; i < m->n_changes; i++)
        if (m->changes[i].quantity == TLR_REGION_BOUND &&
            fnmatch(m->changes[i].pattern, name, 0) == 0)
            bound = (tlr_limit)m->changes[i].value;
    m->bounds[slot] = (tlr_bound_memo){1, site, bound};
    return bound;
}

double tlr_region_slowdown(tlr_rank_model *m, const tl_event *region)
{
    const tlr_parallel *p = &m->model->parallel;
    if ((!p->n && !(m->memory_cores > 0)) || !m->n_threads ||
        region->list_len <= TL_PARALLEL_THREADS)
        return 1;
    const double recorded = busy_cores(m, region->list_len - TL_PARALLEL_THREADS),
                 wanted = busy_cores(m, m->n_threads);
    if (recorded == wanted)
        return 1;
    const tlr_limit bound = bound_of(m, region->site);
    if (bound == TLR_LIMIT_MEMORY && m->memory_cores > 0)
        return fmax(1, wanted / m->memory_cores) / fmax(1, recorded / m->memory_cores);
    return !p->n ? 1 : slowness(p, bound, wanted) / slowness(p, bound, recorded);
}

double tlr_region_more(const tlr_rank_model *m, const tl_event *region, double share,
                       double slowdown)
{
    if (region->list_len <= TL_PARALLEL_THREADS)
        return 0;
    if (m->waiting == TLR_WAITING_IDLE) /* no more than the work */
        return tl_parallel_share(region, 0, 1, slowdown) - share;
    const uint32_t n = m->n_threads ? m->n_threads : region->list_len - TL_PARALLEL_THREADS;
    double all = 0;
    for (uint32_t i = 0; i < region->list_len; i++)
        all += i == TL_PARALLEL_ONE_AT_A_TIME ? 0 : (double)region->list[i];
    const double before = all > 0 ? (double)region->list[TL_PARALLEL_BEFORE] / all : 0;
    return ((m->cores > 0 ? fmin(n, m->cores) : n) - 1) * (share - before);
}

double tlr_region_cost_s(const tlr_rank_model *m, const tl_event *region)
{
    const tlr_parallel *p = &m->model->parallel;
    if (!p->n || region->list_len <= TL_PARALLEL_THREADS)
        return 0;
    const double threads =
        m->n_threads ? m->n_threads : (double)(region->list_len - TL_PARALLEL_THREADS);
    double back;
    const size_t i = find_rows(p, threads, &back);
    const double alone_s = between(p->rows[i].region_s, i ? p->rows[i - 1].region_s : 0, back);
    const double shared_s = m->cores > 0 ? p->shared_region_s * (threads / m->cores - 1) : 0;
    return fmax(alone_s, shared_s);
}

/* The options change parallel regions, and there are none. */
static tl_status refuse_no_regions(const tl_reader *trace, const char *what, const char *option,
                                   tl_error *err)
{
    const char *path = tl_reader_path(trace);
    if (tl_is_program(path))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: has no parallel regions of OpenMP, because only traces have them, so "
                       "%s changes nothing; replay a trace of the program, or leave out %s",
                       path, what, option);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: has no parallel regions of OpenMP, so %s changes nothing; record the "
                   "program again, or leave out %s",
                   path, what, option);
}

tl_status tlr_parallel_check(const tl_reader *trace, uint64_t n_regions, const tlr_model *model,
                             const tlr_options *options, tl_error *err)
{
    if (!n_regions && tlr_change_threads(options->changes, options->n_changes))
        return refuse_no_regions(trace, "a number of threads", "--rank-threads", err);
    for (size_t i = 0; i < options->n_changes; i++) {
        const tlr_change *change = &options->changes[i];
        if (change->quantity != TLR_REGION_BOUND)
            continue;
        if (!n_regions)
            return refuse_no_regions(trace, "their bound", "--set region.bound", err);
        const tlr_limit bound = (tlr_limit)change->value;
        if (model && !options->no_compute && !states(model, bound) && bound != TLR_LIMIT_MEMORY &&
            (bound != TLR_LIMIT_ARITHMETIC || model->parallel.n))
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: does not state what several cores get that are bound by '%s'; "
                           "measure it with 'timeless calibrate memory', or leave out --set "
                           "region.bound",
                           model->path, tlr_limit_name(bound));
    }
    return TL_OK;
}
