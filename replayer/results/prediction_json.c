/* prediction_json.c - write a prediction as JSON and read it back. */
#include "config.h"

#include "replayer.h"

#include "call_times.h"
#include "details_json.h"
#include "json_text.h"
#include "prediction_json.h"
#include "spread.h"
#include "text_file.h"
#include "usage.h"
#include "volumes.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_NAME "timeless-prediction-1"
#define COMPARABLE "comparable"
#define JOBS_FORMAT_NAME "timeless-predictions-1"

/* ---- writing ---- */

static json_t *hash_text(uint64_t hash)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    return json_string(text);
}

static json_t *numbers(const double *values, uint32_t n)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(array, json_real(values[i]));
    return array;
}

static void put_overload(json_t *root, const char *name, const tlr_overload *load)
{
    if (load->n)
        json_object_set_new(root, name,
                            json_pack("{s:I, s:I, s:f, s:f, s:f}", "n", (json_int_t)load->n,
                                      "bytes", (json_int_t)load->bytes, "asked_bytes_s",
                                      load->asked_Bps, "has_bytes_s", load->has_Bps, "late_s",
                                      load->late_s));
}

static json_t *rank_json(const tlr_rank_prediction *r)
{
    return json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I}", "host",
                     r->host ? r->host : "", "end_s", r->end_s, "compute_s", r->compute_s,
                     "kernel_s", r->kernel_s, "p2p_s", r->p2p_s, "wait_s", r->wait_s,
                     "collective_s", r->collective_s, "io_s", r->io_s, "events",
                     (json_int_t)r->n_events);
}

static json_t *mark_json(const tlr_mark *m, uint32_t n_ranks)
{
    const tl_call_info *info = tl_call_by_code(m->call);
    return json_pack("{s:s, s:o, s:I, s:o, s:o}", "call", info ? info->name : "?", "site",
                     tlr_json_text(m->site), "ordinal", (json_int_t)m->ordinal, "measured_s",
                     numbers(m->measured_s, n_ranks), "predicted_s",
                     numbers(m->predicted_s, n_ranks));
}

static json_t *spread_json(const tlr_prediction *p)
{
    static const struct {
        const char *name;
        double p;
    } quantiles[] = {{"0.025", 0.025}, {"0.05", 0.05}, {"0.25", 0.25},  {"0.5", 0.5},
                     {"0.75", 0.75},   {"0.95", 0.95}, {"0.975", 0.975}};
    const tlr_spread *s = p->spread;
    json_t *of_makespan = json_object(), *intervals = json_array();
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++)
        json_object_set_new(of_makespan, quantiles[i].name,
                            json_real(tlr_spread_quantile(s, quantiles[i].p)));
    for (size_t i = 0; i < s->n_seeds; i++)
        json_array_append_new(
            intervals, numbers(&s->interval_s[i * s->n_intervals], (uint32_t)s->n_intervals));
    return json_pack("{s:I, s:I, s:f, s:f, s:o, s:o, s:o, s:o}", "seeds", (json_int_t)s->n_seeds,
                     "first_seed", (json_int_t)p->first_seed, "mean_s", tlr_spread_mean(s), "sd_s",
                     tlr_spread_sd(s), "quantiles_s", of_makespan, "makespan_s",
                     numbers(s->makespan_s, (uint32_t)s->n_seeds), "whole_s",
                     numbers(s->whole_s, (uint32_t)s->n_seeds), "interval_s", intervals);
}

static json_t *sampled_json(const tlr_sampled *s)
{
    return json_pack("{s:I, s:I, s:I, s:f, s:[f, f], s:f}", "windows", (json_int_t)s->n_windows,
                     "steps", (json_int_t)s->n_steps, "steps_replayed",
                     (json_int_t)s->n_steps_replayed, "share_of_events", s->share, "interval_90_s",
                     s->low_s, s->high_s, "wanted", s->wanted);
}

/* The kernels without a measurement, and their shares of the computation. */
static void add_estimates(json_t *root, const tlr_prediction *p)
{
    static const char *const names[TLR_N_ESTIMATES] = {"as_recorded", "by_roofline"};
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        if (p->estimated[by])
            json_object_set_new(root, names[by],
                                json_pack("{s:f, s:o}", "share",
                                          tlr_estimated_share(p, (tlr_estimate)by), "kernels",
                                          tlr_json_text(p->estimated[by])));
}

json_t *tlr_prediction_json(const tlr_prediction *p)
{
    json_t *ranks = json_array(), *marks = json_array();
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        json_t *rank = rank_json(&p->ranks[r]);
        if (p->noise) {
            json_object_set_new(rank, "noise_s", json_real(p->ranks[r].noise_s));
            if (p->quiet_s > 0)
                json_object_set_new(rank, "delay_s", json_real(p->ranks[r].delay_s));
        }
        json_array_append_new(ranks, rank);
    }
    for (size_t i = 0; i < p->n_marks; i++)
        json_array_append_new(marks, mark_json(&p->marks[i], p->n_ranks));
    json_t *root = json_pack(
        "{s:s, s:s, s:o, s:o, s:o, s:s, s:o, s:s, s:o, s:s, s:s, s:o, s:o, s:o, s:f, s:I, s:I, "
        "s:I, s:I, s:o, s:o, s:o, s:f}",
        "format", FORMAT_NAME, "timeless", tl_version(), "trace", tlr_json_text(p->trace_path),
        "platform", tlr_json_text(p->platform_name), "command", tlr_json_text(p->command), "engine",
        p->engine, "platform_hash", hash_text(p->platform_hash), "engine_version",
        p->engine_version, "trace_hash", hash_text(p->trace_hash), "network_model",
        p->network_model, "coll_selector", p->coll_selector, "options", tlr_json_text(p->options),
        "model", tlr_json_text(p->model), "model_hash", hash_text(p->model_hash), "makespan_s",
        p->makespan_s, "n_ranks", (json_int_t)p->n_ranks, "n_events", (json_int_t)p->n_events,
        "n_polls", (json_int_t)p->n_polls, "n_opaque", (json_int_t)p->n_opaque, "ranks", ranks,
        "marks", marks, "changes", tlr_json_text(p->changes), "start_s", p->start_s);
    json_object_set_new(root, "clock",
                        tlr_json_text(p->clock && *p->clock ? p->clock : COMPARABLE));
    tlr_volumes_json(root, p->volume_sample, p->volume_bursts);
    if (p->calibrations && *p->calibrations)
        json_object_set_new(root, "nearest_calibrations", tlr_json_text(p->calibrations));
    if (p->idle_options && *p->idle_options)
        json_object_set_new(root, "options_without_effect", tlr_json_text(p->idle_options));
    if (p->untraced && *p->untraced)
        json_object_set_new(root, "untraced", tlr_json_text(p->untraced));
    if (p->uncounted && *p->uncounted)
        json_object_set_new(root, "recorded_in_part", tlr_json_text(p->uncounted));
    if (p->n_unknown_kernels)
        json_object_set_new(root, "n_unknown_kernels",
                            json_integer((json_int_t)p->n_unknown_kernels));
    add_estimates(root, p);
    if (p->n_assumed_transfers)
        json_object_set_new(root, "assumed_files",
                            json_pack("{s:I, s:f}", "calls", (json_int_t)p->n_assumed_transfers,
                                      "bandwidth_Bps", TLR_IO_BANDWIDTH));
    if (p->ignores_limiter)
        json_object_set_new(root, "ignores_limiter", json_true());
    if (p->ignores_limiter && p->ignores_limiter < INT64_MAX)
        json_object_set_new(root, "ignores_limiter_below",
                            json_integer((json_int_t)p->ignores_limiter));
    if (p->ignores_crowd)
        json_object_set_new(root, "ignores_crowd", json_true());
    if (p->links_limit > 0)
        json_object_set_new(root, "limited_by_links", json_real(p->links_limit));
    put_overload(root, "overloaded_links", &p->links);
    put_overload(root, "overloaded_memories", &p->memories);
    if (p->memories.n && p->memories_are_assumed)
        json_object_set_new(json_object_get(root, "overloaded_memories"), "assumed", json_true());
    if (p->load_change > 0)
        json_object_set_new(root, "load_change", json_real(p->load_change));
    const tlr_region_memory *memory = &p->region_memory;
    if (memory->core_Bps > 0)
        json_object_set_new(root, "region_memory",
                            json_pack("{s:f, s:f, s:b}", "core_bytes_per_s", memory->core_Bps,
                                      "node_bytes_per_s", memory->node_Bps, "node_is_assumed",
                                      memory->is_assumed));
    if (memory->is_ignored)
        json_object_set_new(root, "regions_assumed", json_string("arithmetic"));
    if (p->n_crowded)
        json_object_set_new(root, "crowded",
                            json_pack("{s:I, s:I}", "ranks", (json_int_t)p->n_crowded, "cores",
                                      (json_int_t)p->n_crowded_cores));
    if (tlr_threads_share_cores(p))
        json_object_set_new(root, "crowded_host",
                            json_pack("{s:I, s:I, s:I}", "ranks", (json_int_t)p->fullest.n_ranks,
                                      "threads", (json_int_t)p->n_threads, "cores",
                                      (json_int_t)p->fullest.n_cores));
    if (p->noise)
        json_object_set_new(root, "noise",
                            json_pack("{s:o, s:I}", "detours", tlr_json_text(p->noise), "seed",
                                      (json_int_t)p->seed));
    if (p->noise && p->quiet_s > 0)
        json_object_set_new(json_object_get(root, "noise"), "makespan_without_s",
                            json_real(p->quiet_s));
    if (p->has_network_noise)
        json_object_set_new(root, "network_noise", json_true());
    if (p->is_random) {
        json_object_set_new(root, "seed", json_integer((json_int_t)p->seed));
        json_object_set_new(
            root, "cluster_seed",
            json_integer((json_int_t)(p->cluster_seed ? p->cluster_seed : p->seed)));
    }
    if (p->spread)
        json_object_set_new(root, "spread", spread_json(p));
    if (p->sampled)
        json_object_set_new(root, "sampled", sampled_json(p->sampled));
    if (p->usage)
        tlr_usage_json(p->usage, root);
    if (p->details)
        json_object_set_new(root, "details", tlr_details_json(p));
    if (p->call_times)
        json_object_set_new(root, "call_times", tlr_call_times_json(p->call_times));
    return root;
}

json_t *tlr_jobs_json(tlr_prediction *const *predictions, size_t n)
{
    double makespan_s = 0;
    json_t *jobs = json_array();
    for (size_t i = 0; i < n; i++) {
        json_array_append_new(jobs, tlr_prediction_json(predictions[i]));
        makespan_s = fmax(makespan_s, predictions[i]->start_s + predictions[i]->makespan_s);
    }
    return json_pack("{s:s, s:f, s:o}", "format", JOBS_FORMAT_NAME, "makespan_s", makespan_s,
                     "jobs", jobs);
}

/* ---- reading ---- */

static uint64_t parse_hash(const char *text)
{
    return strtoull(text, NULL, 16);
}

/* Copies exactly n numbers; NULL if the array has another length. */
static double *take_numbers(const json_t *array, uint32_t n)
{
    double *values = json_array_size(array) == n ? calloc(n + 1, sizeof *values) : NULL;
    for (uint32_t i = 0; values && i < n; i++)
        values[i] = json_number_value(json_array_get(array, i));
    return values;
}

static int read_rank(json_t *from, tlr_rank_prediction *to)
{
    const char *host;
    json_int_t events;
    if (json_unpack(from, "{s:s, s:F, s:F, s:F, s:F, s:F, s:F, s:I}", "host", &host, "end_s",
                    &to->end_s, "compute_s", &to->compute_s, "kernel_s", &to->kernel_s, "p2p_s",
                    &to->p2p_s, "wait_s", &to->wait_s, "collective_s", &to->collective_s, "events",
                    &events) != 0)
        return 0;
    to->io_s = json_number_value(json_object_get(from, "io_s"));
    to->n_events = (uint64_t)events;
    return (to->host = strdup(host)) != NULL;
}

static int read_mark(json_t *from, tlr_mark *to, uint32_t n_ranks)
{
    const char *call, *site;
    json_int_t ordinal;
    json_t *measured, *predicted;
    if (json_unpack(from, "{s:s, s:s, s:I, s:o, s:o}", "call", &call, "site", &site, "ordinal",
                    &ordinal, "measured_s", &measured, "predicted_s", &predicted) != 0)
        return 0;
    const tl_call_info *info = tl_call_by_name(call);
    to->call = info ? info->code : 0;
    to->ordinal = (uint32_t)ordinal;
    to->site = strdup(site);
    to->measured_s = take_numbers(measured, n_ranks);
    to->predicted_s = take_numbers(predicted, n_ranks);
    return info && to->site && to->measured_s && to->predicted_s;
}

/* The strings of the root object, each with its member of the prediction. */
static int read_texts(json_t *root, tlr_prediction *p)
{
    /* Predictions of version 1 do not have these keys. */
    const char *changes = json_string_value(json_object_get(root, "changes"));
    const char *clock = json_string_value(json_object_get(root, "clock"));
    const struct text {
        const char *key;
        char **to;
    } texts[] = {{"trace", &p->trace_path},
                 {"platform", &p->platform_name},
                 {"command", &p->command},
                 {"engine", &p->engine},
                 {"engine_version", &p->engine_version},
                 {"network_model", &p->network_model},
                 {"coll_selector", &p->coll_selector},
                 {"options", &p->options},
                 {"model", &p->model}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *value = json_string_value(json_object_get(root, texts[i].key));
        if (!value || !(*texts[i].to = strdup(value)))
            return 0;
    }
    p->changes = strdup(changes ? changes : "");
    p->clock = strdup(clock && strcmp(clock, COMPARABLE) != 0 ? clock : "");
    return p->changes && p->clock;
}

/* Reads exactly n numbers. */
static int put_numbers(json_t *array, double *to, size_t n)
{
    if (json_array_size(array) != n)
        return 0;
    for (size_t i = 0; i < n; i++)
        to[i] = json_number_value(json_array_get(array, i));
    return 1;
}

/* The results of several seeds. Predictions of version 1 lack some of these keys, and then count as
 * those of one seed. */
static int read_spread(json_t *root, tlr_prediction *p)
{
    json_t *spread = json_object_get(root, "spread"), *whole = json_object_get(spread, "whole_s");
    json_t *makespans = json_object_get(spread, "makespan_s");
    json_t *intervals = json_object_get(spread, "interval_s");
    const size_t n = json_array_size(makespans);
    if (!whole)
        return 1;
    if (!n || json_array_size(intervals) != n || !(p->spread = tlr_spread_make(n, p->n_marks)) ||
        !put_numbers(makespans, p->spread->makespan_s, n) ||
        !put_numbers(whole, p->spread->whole_s, n))
        return 0;
    for (size_t i = 0; i < n; i++)
        if (!put_numbers(json_array_get(intervals, i),
                         &p->spread->interval_s[i * p->spread->n_intervals],
                         p->spread->n_intervals))
            return 0;
    p->first_seed = (uint64_t)json_integer_value(json_object_get(spread, "first_seed"));
    return 1;
}

static int read_root(json_t *root, tlr_prediction *p)
{
    const char *trace_hash, *platform_hash, *model_hash;
    json_int_t n_ranks, n_events, n_polls, n_opaque;
    json_t *ranks, *marks;
    if (json_unpack(root, "{s:s, s:s, s:s, s:F, s:I, s:I, s:I, s:I, s:o, s:o}", "trace_hash",
                    &trace_hash, "platform_hash", &platform_hash, "model_hash", &model_hash,
                    "makespan_s", &p->makespan_s, "n_ranks", &n_ranks, "n_events", &n_events,
                    "n_polls", &n_polls, "n_opaque", &n_opaque, "ranks", &ranks, "marks",
                    &marks) != 0 ||
        !json_is_array(ranks) || !json_is_array(marks) ||
        (json_int_t)json_array_size(ranks) != n_ranks)
        return 0;
    p->start_s = json_number_value(json_object_get(root, "start_s"));
    p->trace_hash = parse_hash(trace_hash);
    p->platform_hash = parse_hash(platform_hash);
    p->model_hash = parse_hash(model_hash);
    p->n_events = (uint64_t)n_events;
    p->n_polls = (uint64_t)n_polls;
    p->n_opaque = (uint64_t)n_opaque;
    p->ranks = calloc((size_t)n_ranks + 1, sizeof *p->ranks);
    p->marks = calloc(json_array_size(marks) + 1, sizeof *p->marks);
    if (!p->ranks || !p->marks || !read_texts(root, p))
        return 0;
    for (p->n_ranks = 0; p->n_ranks < (uint32_t)n_ranks; p->n_ranks++)
        if (!read_rank(json_array_get(ranks, p->n_ranks), &p->ranks[p->n_ranks]))
            return 0;
    for (size_t i = 0; i < json_array_size(marks); i++) {
        p->n_marks++;
        if (!read_mark(json_array_get(marks, i), &p->marks[i], p->n_ranks))
            return 0;
    }
    p->call_times = tlr_call_times_read(root);
    return read_spread(root, p);
}

/* The JSON of a file, and the prediction in it; either of the results may be NULL. */
static tl_status read_file(const char *path, json_t **json, tlr_prediction **prediction,
                           tl_error *err)
{
    tl_status status = TL_OK;
    char *text = NULL;
    json_t *root = NULL;
    json_error_t where;
    tlr_prediction *p = calloc(1, sizeof *p);
    if (!p)
        return tl_no_memory(err, path);
    if ((status = tlr_read_text(path, &text, NULL, err)) != TL_OK) {
        if (status == TL_ERR_INPUT) /* not a text: a trace, for instance */
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s: not a prediction; give a file that 'timeless replay "
                             "--json=FILE' wrote",
                             path);
        goto cleanup;
    }
    root = json_loads(text, JSON_REJECT_DUPLICATES, &where);
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!root)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s:%d: not JSON: %s; give a file that 'timeless replay --json=FILE' wrote",
                    path, where.line, where.text);
    else if (!format || strcmp(format, FORMAT_NAME) != 0)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: not a prediction; give a file that 'timeless replay "
                         "--json=FILE' wrote",
                         path);
    else if (!read_root(root, p))
        status =
            tl_fail(err, TL_ERR_INPUT, "%s: a prediction with something missing or wrong", path);
    if (status == TL_OK && prediction) {
        *prediction = p;
        p = NULL;
    }
    if (status == TL_OK && json)
        *json = json_incref(root);
cleanup:
    json_decref(root);
    free(text);
    tlr_prediction_free(p);
    return status;
}

tl_status tlr_prediction_read_json(const char *path, tlr_prediction **out, tl_error *err)
{
    return read_file(path, NULL, out, err);
}

tl_status tlr_prediction_load_json(const char *path, json_t **out, tl_error *err)
{
    return read_file(path, out, NULL, err);
}
