/* hosts.c - a study of slow hosts: the order of the hosts, the tables. */
#include "config.h"

#include "study/hosts.h"

#include "machine/cluster.h"
#include "machine/rank_model.h"
#include "results/json_text.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_convert.h>

/* ---- the order of the hosts ---- */

void tlr_timed_hosts_free(tlr_timed_host *hosts, size_t n)
{
    for (size_t i = 0; hosts && i < n; i++)
        free(hosts[i].name);
    free(hosts);
}

static int slowest_first(const void *a, const void *b)
{
    const tlr_timed_host *x = a, *y = b;
    if (x->dgemm_s != y->dgemm_s)
        return x->dgemm_s > y->dgemm_s ? -1 : 1;
    return strverscmp(x->name, y->name);
}

/* Calls of dgemm on a core: the mean of enough calls that their noise does not decide. */
static tl_status time_core(const tlr_model *model, const tl_reader *trace, const tlr_host *host,
                           unsigned core, uint64_t seed, double *out_s, tl_error *err)
{
    enum { N_CALLS = 64 };
    static const int64_t sizes[] = {256, 256, 256};
    const tl_event dgemm = {.call = TL_KERNEL_dgemm, .list_len = 3, .list = sizes};
    const tlr_place place = {.host = host->name, .core = core};
    const tlr_options options = {.seed = seed};
    tlr_rank_model rates;
    double sum_s = 0;
    tl_status status = tlr_rank_model_open(&rates, model, trace, 0, core, &place, &options, err);
    if (status != TL_OK)
        return status;
    for (uint64_t i = 0; i < N_CALLS; i++)
        sum_s += tlr_rank_kernel_s(&rates, &dgemm, i);
    tlr_rank_model_close(&rates);
    *out_s = sum_s / N_CALLS;
    return TL_OK;
}

static tl_status time_host(const tlr_model *model, const tl_reader *trace, const tlr_host *host,
                           unsigned n_ranks, uint64_t seed, tlr_timed_host *out, tl_error *err)
{
    tl_status status = TL_OK;
    out->name = strdup(host->name);
    if (!out->name)
        return tl_no_memory(err, "hosts");
    for (unsigned r = 0; r < n_ranks && status == TL_OK; r++) {
        double core_s = 0;
        status = time_core(model, trace, host, r % host->n_cores, seed, &core_s, err);
        out->dgemm_s = fmax(out->dgemm_s, core_s);
    }
    return status;
}

tl_status tlr_hosts_by_speed(const tlr_platform *platform, const tlr_model *model,
                             const tl_reader *trace, uint64_t seed, unsigned ranks_per_host,
                             tlr_timed_host **out, size_t *n, tl_error *err)
{
    tlr_cluster cluster;
    tl_status status = tlr_cluster_read(platform->xml_path, &cluster, err);
    *out = NULL;
    *n = 0;
    if (status != TL_OK)
        return status;
    tlr_timed_host *hosts = calloc(cluster.n_hosts, sizeof *hosts);
    if (!hosts)
        status = tl_no_memory(err, "hosts");
    if (status == TL_OK && (!model || !tlr_rates_kernel(&model->pool, TL_KERNEL_dgemm, NULL)))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: the compute model has no line for dgemm, so no host is slow; give "
                         "another platform, or --model",
                         platform->folder);
    for (size_t i = 0; i < cluster.n_hosts && status == TL_OK; i++) {
        const tlr_host *host = &cluster.hosts[i];
        hosts[i].place = i;
        const unsigned n_ranks = ranks_per_host ? ranks_per_host : host->n_cores;
        status = time_host(model, trace, host, n_ranks, seed, &hosts[i], err);
    }
    if (status == TL_OK) {
        qsort(hosts, cluster.n_hosts, sizeof *hosts, slowest_first);
        *out = hosts;
        *n = cluster.n_hosts;
    } else {
        tlr_timed_hosts_free(hosts, cluster.n_hosts);
    }
    tlr_cluster_free(&cluster);
    return status;
}

/* ---- results ---- */

static tlr_left_out case_without(const tlr_host_study *study, size_t remove)
{
    const size_t n_seeds = study->sweep->axes[TLR_HOSTS_SEED].n;
    tlr_left_out out = {.least_s = HUGE_VAL};
    for (size_t s = 0; s < n_seeds; s++) {
        const tlr_point *point = &study->sweep->points[remove * n_seeds + s];
        if (!point->known || point->error[0])
            continue;
        out.n_seeds++;
        out.mean_s += point->makespan_s;
        out.least_s = fmin(out.least_s, point->makespan_s);
        out.most_s = fmax(out.most_s, point->makespan_s);
    }
    if (out.n_seeds)
        out.mean_s /= (double)out.n_seeds;
    return out;
}

static size_t find_best(const tlr_host_study *study)
{
    size_t best = 0;
    for (size_t k = 1; k < study->sweep->axes[TLR_HOSTS_REMOVE].n; k++) {
        const tlr_left_out now = case_without(study, k), then = case_without(study, best);
        if (now.n_seeds && (!then.n_seeds || now.mean_s < then.mean_s))
            best = k;
    }
    return best;
}

static size_t removed(const tlr_host_study *study, size_t k)
{
    return strtoul(study->sweep->axes[TLR_HOSTS_REMOVE].values[k], NULL, 10);
}

void tlr_hosts_print(const tlr_host_study *study, FILE *out)
{
    const size_t n = study->sweep->axes[TLR_HOSTS_REMOVE].n, best = find_best(study);
    const tlr_left_out first = case_without(study, 0);
    size_t most = 0;
    fprintf(out, "%s, %s, seeds: %zu\n\n%9s %6s %6s %9s %12s %12s %12s %10s\n", study->program,
            study->place, study->sweep->axes[TLR_HOSTS_SEED].n, "left out", "hosts", "ranks",
            "P x Q", "mean [s]", "least [s]", "most [s]", "change");
    for (size_t k = 0; k < n; k++) {
        const tlr_left_out c = case_without(study, k);
        const size_t n_hosts = study->n_hosts - removed(study, k);
        char grid[32];
        most = removed(study, k) > most ? removed(study, k) : most;
        snprintf(grid, sizeof grid, "%dx%d", (int)study->grids[k].p, (int)study->grids[k].q);
        fprintf(out, "%9zu %6zu %6zu %9s", removed(study, k), n_hosts,
                n_hosts * study->ranks_per_host, grid);
        if (c.n_seeds)
            fprintf(out, " %12.4g %12.4g %12.4g ", c.mean_s, c.least_s, c.most_s);
        if (!c.n_seeds)
            fputs("  failed\n", out);
        else if (first.mean_s > 0)
            fprintf(out, "%8.3g %%%s\n", 100 * (c.mean_s / first.mean_s - 1),
                    k == best ? "  best" : "");
        else
            fprintf(out, "%8s  %s\n", "-", k == best ? "  best" : "");
    }
    if (study->hosts[0].dgemm_s <= study->hosts[study->n_hosts - 1].dgemm_s) {
        fputs("\nall hosts are equally fast in dgemm: the study shows only what fewer hosts cost\n",
              out);
        return;
    }
    if (!most)
        return;
    fputs("\nthe slowest hosts of seed 1, and how long dgemm takes there / on the median host\n",
          out);
    const double median_s = study->hosts[study->n_hosts / 2].dgemm_s;
    for (size_t i = 0; i < most && i < study->n_hosts; i++)
        fprintf(out, "  %s %.3f\n", study->hosts[i].name, study->hosts[i].dgemm_s / median_s);
}

static json_t *case_json(const tlr_host_study *study, size_t k)
{
    const tlr_left_out c = case_without(study, k);
    json_t *out = json_object();
    json_object_set_new(out, "left_out", json_integer((json_int_t)removed(study, k)));
    json_object_set_new(out, "P", json_integer(study->grids[k].p));
    json_object_set_new(out, "Q", json_integer(study->grids[k].q));
    json_object_set_new(out, "seeds", json_integer((json_int_t)c.n_seeds));
    if (c.n_seeds) {
        json_object_set_new(out, "mean_s", json_real(c.mean_s));
        json_object_set_new(out, "least_s", json_real(c.least_s));
        json_object_set_new(out, "most_s", json_real(c.most_s));
    }
    return out;
}

tl_status tlr_hosts_write_json(const tlr_host_study *study, FILE *out, tl_error *err)
{
    json_t *root = json_object(), *cases = json_array(), *hosts = json_array();
    for (size_t k = 0; k < study->sweep->axes[TLR_HOSTS_REMOVE].n; k++)
        json_array_append_new(cases, case_json(study, k));
    for (size_t i = 0; i < study->n_hosts; i++) {
        json_t *host = json_object();
        json_object_set_new(host, "name", tlr_json_text(study->hosts[i].name));
        json_object_set_new(host, "dgemm_s", json_real(study->hosts[i].dgemm_s));
        json_array_append_new(hosts, host);
    }
    json_object_set_new(root, "format", json_string("timeless-study-hosts-1"));
    json_object_set_new(root, "program", tlr_json_text(study->program));
    json_object_set_new(root, "place", tlr_json_text(study->place));
    json_object_set_new(root, "cases", cases);
    json_object_set_new(root, "hosts_of_first_seed", hosts);
    return tlr_json_finish(root, out, err);
}
