/* rank_model.c - the compute model as it holds for one rank.
 *
 * A host is drawn once, its day once, the duration of each call by itself: the hierarchy of
 * Cornebize, Legrand and Heinrich, "Fast and Faithful Performance Prediction of MPI Applications:
 * the HPL Case Study", with one relative factor for all coefficients of a kernel at both upper
 * levels. */
#include "config.h"

#include "core/map.h"
#include "parallel.h"
#include "rank_model.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* A host is never drawn faster than this many times, however wide the distribution. Assumed: it
 * keeps factors positive. */
#define LEAST_FACTOR 0.1

/* What is drawn for all computation of a host, and for a kernel of it. */
static double draw_factor(uint64_t seed, uint32_t purpose, uint64_t host, uint32_t call, double sd)
{
    const tlr_draw_key key = {.seed = seed, .purpose = purpose, .call = call, .index = host};
    return sd > 0 ? fmax(LEAST_FACTOR, 1 + sd * tlr_draw_normal(&key)) : 1;
}

/* The first entry that speaks of this place. */
static const tlr_host_rates *find_host(const tlr_model *model, const tlr_place *place,
                                       tl_error *err, tl_status *status)
{
    char *with_core = NULL;
    const tlr_host_rates *found = NULL;
    if (!model->n_hosts)
        return NULL;
    if (asprintf(&with_core, "%s:%u", place->host, place->core) < 0) {
        *status = tl_no_memory(err, "compute model");
        return NULL;
    }
    for (size_t i = 0; i < model->n_hosts && !found; i++)
        if (fnmatch(model->hosts[i].pattern, place->host, FNM_EXTMATCH) == 0 ||
            fnmatch(model->hosts[i].pattern, with_core, FNM_EXTMATCH) == 0)
            found = &model->hosts[i];
    free(with_core);
    return found;
}

/* A user's kernel is known by its name, which stands for it in the key. */
static uint64_t key_of(uint64_t host, const tlr_kernel_model *kernel)
{
    return kernel->user ? host ^ tlr_hash_name(kernel->user) : host;
}

tl_status tlr_rank_model_open(tlr_rank_model *out, const tlr_model *model, const tl_reader *trace,
                              uint32_t job, uint32_t rank, const tlr_place *place,
                              const tlr_options *options, tl_error *err)
{
    tl_status status = TL_OK;
    *out = (tlr_rank_model){.model = model,
                            .trace = trace,
                            .job = job ^ (options->part << 8),
                            .rank = rank,
                            .seed = options->seed,
                            .factor = 1,
                            .burst_factor = tlr_change_factor(options->changes, options->n_changes,
                                                              TLR_BURST_TIME, NULL),
                            .changes = options->changes,
                            .n_changes = options->n_changes,
                            .n_threads = tlr_change_threads(options->changes, options->n_changes),
                            .cores = place->cores,
                            .kernel_wait = 1,
                            .kernel_cores = 1,
                            .waiting = options->waiting,
                            .n_cores = place->n_cores,
                            .n_on_host = place->n_ranks};
    if (!model)
        return TL_OK;
    const tlr_region_memory memory = tlr_find_region_memory(model, options);
    out->memory_cores = memory.core_Bps > 0 ? memory.node_Bps / memory.core_Bps : 0;
    out->host = find_host(model, place, err, &status);
    if (status != TL_OK)
        return status;
    out->kernel_cores = model->kernel_threads;
    if (place->cores > 0) {
        out->kernel_cores = fmin(model->kernel_threads, place->cores);
        out->kernel_wait = fmax(1, model->kernel_threads / place->cores);
    }
    const char *unit = tl_reader_run(trace)->volume_unit;
    out->unit = out->host ? tlr_rates_unit(&out->host->rates, unit) : NULL;
    if (!out->unit)
        out->unit = tlr_rates_unit(&model->pool, unit);
    const tlr_rates *pool = &model->pool;
    out->kernel_factors = calloc(pool->n_kernels + 1, sizeof *out->kernel_factors);
    if (out->unit && out->unit->n_classes)
        out->classes = calloc(1, sizeof *out->classes);
    if (!out->kernel_factors || (out->unit && out->unit->n_classes && !out->classes))
        return tl_no_memory(err, "compute model");
    if (model->interference.n && !(out->bending = calloc(1, sizeof *out->bending)))
        return tl_no_memory(err, "compute model");
    const uint64_t host = tlr_hash_name(place->host);
    const uint64_t cluster = options->cluster_seed ? options->cluster_seed : options->seed;
    /* A host that was measured is as it is: no other is drawn in its place. */
    if (!out->host)
        out->factor = draw_factor(cluster, TLR_DRAW_HOST, host, 0, model->host_sd);
    else
        out->factor = out->host->factor;
    out->factor *= draw_factor(options->seed, TLR_DRAW_DAY, host, 0, model->day_sd);
    for (size_t i = 0; i < pool->n_kernels; i++) {
        const tlr_kernel_model *kernel = &pool->kernels[i];
        const uint64_t index = key_of(host, kernel);
        out->kernel_factors[i] =
            (out->host
                 ? 1
                 : draw_factor(cluster, TLR_DRAW_HOST, index, kernel->call, kernel->host_sd)) *
            draw_factor(options->seed, TLR_DRAW_DAY, index, kernel->call, kernel->day_sd);
    }
    return TL_OK;
}

static void close_map(tl_map **map)
{
    if (*map)
        tl_map_free(*map);
    free(*map);
    *map = NULL;
}

void tlr_rank_model_close(tlr_rank_model *m)
{
    free(m->kernel_factors);
    m->kernel_factors = NULL;
    if (!m->borrows_memos)
        free(m->memos);
    m->memos = NULL;
    close_map(&m->classes);
    close_map(&m->bending);
}

int tlr_rank_models_agree(const tlr_rank_model *a, const tlr_rank_model *b)
{
    if (a->model != b->model || a->host != b->host || !a->model || a->kernel_wait != b->kernel_wait)
        return 0;
    for (size_t i = 0; i < a->model->pool.n_kernels; i++)
        if (a->kernel_factors[i] != b->kernel_factors[i])
            return 0;
    return 1;
}

void tlr_rank_model_lend(tlr_rank_model *m, tlr_kernel_memo *memos)
{
    m->memos = memos;
    m->borrows_memos = 1;
}

double tlr_rank_burst_s(tlr_rank_model *m, const tl_event *event, uint64_t index)
{
    const uint32_t from = m->site;
    /* The marks that a sample puts into its windows are no calls of the program. */
    if (event->site || event->call != TL_MPI_Pcontrol)
        m->site = event->site;
    const bool is_region = event->call == TL_MPI_Parallel;
    if (!m->unit || (!event->volume && !is_region))
        return 0;
    const double s_per_unit =
        m->classes ? tlr_class_rate(m->classes, m->unit, m->trace, m->rank, from, event->site)
                   : m->unit->s_per_unit;
    double seconds = (double)event->volume * s_per_unit * m->factor * m->burst_factor, more = 0;
    if (is_region) {
        const double slowdown = tlr_region_slowdown(m, event),
                     share = tl_parallel_share(event, m->n_threads, m->cores, slowdown);
        more = tlr_region_more(m, event, share, slowdown);
        more = more > 0 ? more / share : 0;
        seconds *= share;
    }
    if (m->unit->relative_sd > 0) {
        const tlr_draw_key key = {.seed = m->seed,
                                  .purpose = TLR_DRAW_BURST,
                                  .job = m->job,
                                  .rank = m->rank,
                                  .index = index};
        seconds *= fmax(0, 1 + m->unit->relative_sd * tlr_draw_normal(&key));
    }
    m->sums.more_s += seconds * more;
    if (is_region)
        seconds += tlr_region_cost_s(m, event) * m->factor;
    return seconds;
}

double tlr_cores_for_rank(unsigned n_cores, uint32_t n_ranks)
{
    return n_ranks ? fmax(1, (double)n_cores / n_ranks) : 0;
}

static double draw_noise(const tlr_rank_model *m, const tl_event *event, uint64_t index,
                         const tlr_piece *piece)
{
    const tlr_draw_key key = {.seed = m->seed,
                              .purpose = TLR_DRAW_KERNEL,
                              .job = m->job,
                              .rank = m->rank,
                              .call = event->call,
                              .index = index};
    switch (piece->shape) {
    case TLR_NORMAL: return tlr_draw_normal(&key);
    case TLR_HALF_NORMAL: return tlr_draw_half_normal(&key);
    case TLR_MIXTURE: {
        const tlr_mode *mode = tlr_draw_mode(&key, TLR_DRAW_MODE, piece->modes, piece->n_modes);
        return mode->mean + mode->sd * tlr_draw_normal(&key);
    }
    case TLR_NO_NOISE: break;
    }
    return 0;
}

/* Whether the seconds depend on the operation count alone, as those of most kernels do. */
static bool is_simple(const tlr_kernel_model *kernel)
{
    if (kernel->n_pieces != 1 || kernel->pieces[0].shape != TLR_NO_NOISE)
        return 0;
    for (int t = 0; t < TLR_N_TERMS; t++)
        if (t != TLR_TERM_one && t != TLR_TERM_work && kernel->pieces[0].mean_s[t] != 0)
            return 0;
    return 1;
}

/* Of the kernel with its name in model files. */
static double changed_factor(const tlr_rank_model *m, const tl_event *event, const char *user)
{
    char name[sizeof m->changes->pattern + 8];
    if (!m->n_changes)
        return 1;
    snprintf(name, sizeof name, user ? "user:%s" : "%s",
             user ? user : tl_call_by_code(event->call)->name);
    return tlr_change_factor(m->changes, m->n_changes, TLR_KERNEL_TIME, name);
}

/* Of a kernel without a line. */
static void estimate(const tlr_rank_model *m, uint16_t call, const char *user,
                     tlr_kernel_memo *memo)
{
    memo->by =
        tlr_estimate_of(m->model, m->recorded, tl_reader_run(m->trace)->volume_unit, call, user);
    if (memo->by != TLR_AS_RECORDED)
        return;
    const tlr_recorded_kernel *recorded = tlr_find_recorded(m->recorded, call, user);
    memo->is_simple = 1;
    memo->one_s = 0;
    memo->work_s = recorded->volume / recorded->work * m->unit->s_per_unit;
}

static void look_up(const tlr_rank_model *m, const tl_event *event, tlr_kernel_memo *memo)
{
    const char *user =
        event->call == TL_KERNEL_user ? tl_reader_kernel_name(m->trace, m->rank, event) : NULL;
    const tlr_rates *pool = &m->model->pool;
    const tlr_kernel_model *of_host =
        m->host ? tlr_rates_kernel(&m->host->rates, event->call, user) : NULL;
    memo->of_pool = tlr_rates_kernel(pool, event->call, user);
    memo->of_rank = of_host ? of_host : memo->of_pool;
    memo->factor = memo->of_pool ? m->kernel_factors[memo->of_pool - pool->kernels] : 1;
    memo->factor *= changed_factor(m, event, user) * m->kernel_wait;
    memo->is_simple = memo->of_rank && is_simple(memo->of_rank);
    memo->by = TLR_N_ESTIMATES;
    if (!memo->of_rank)
        estimate(m, tl_call_by_code(event->call)->code, user, memo);
    if (!memo->is_simple || !memo->of_rank)
        return;
    memo->one_s = memo->of_rank->pieces[0].mean_s[TLR_TERM_one];
    memo->work_s = memo->of_rank->pieces[0].mean_s[TLR_TERM_work];
}

/* Few kernels make up nearly all events of a rank.  Without memory nothing is remembered, and what
 * is found is in `found`. */
static const tlr_kernel_memo *find_kernel(tlr_rank_model *m, const tl_event *event,
                                          tlr_kernel_memo *found)
{
    const uint32_t user = event->call == TL_KERNEL_user ? (uint32_t)event->tag + 1 : 0,
                   key = event->call | user << 16;
    if (!m->memos)
        m->memos = calloc(TLR_KERNEL_MEMOS, sizeof *m->memos);
    tlr_kernel_memo *memo = m->memos ? &m->memos[(event->call + user) % TLR_KERNEL_MEMOS] : found;
    if (!m->memos || memo->key != key || user > UINT16_MAX) {
        look_up(m, event, memo);
        memo->key = key;
    }
    return memo;
}

/* On a host whose factors are 1. */
static double mean_kernel_s(const tlr_rank_model *m, const tlr_kernel_memo *memo,
                            const tl_event *event, uint64_t index)
{
    if (memo->is_simple) {
        const double work = tl_kernel_work(event->call, event->list, event->list_len);
        return work > 0 ? fmax(0, memo->one_s + memo->work_s * work) : 0;
    }
    if (!memo->of_pool)
        return fmax(0, tlr_roofline_s(m->model, event));
    const tlr_sizes sizes = tlr_sizes_of(event);
    if (!(sizes.terms[TLR_TERM_work] > 0))
        return 0;
    const tlr_piece *piece = tlr_find_piece(memo->of_rank, &sizes);
    const double seconds = tlr_piece_mean_s(piece, &sizes);
    return piece->shape == TLR_NO_NOISE ? seconds
                                        : fmax(0, seconds + tlr_piece_sd_s(piece, &sizes) *
                                                                draw_noise(m, event, index, piece));
}

double tlr_rank_kernel_s(tlr_rank_model *m, const tl_event *event, uint64_t index)
{
    tlr_kernel_memo found;
    const tlr_kernel_memo *memo = find_kernel(m, event, &found);
    const double seconds = mean_kernel_s(m, memo, event, index) * m->factor * memo->factor;
    m->sums.more_s += seconds * (m->kernel_cores - 1);
    if (memo->by != TLR_N_ESTIMATES)
        m->sums.estimated_s[memo->by] += seconds;
    return seconds;
}
