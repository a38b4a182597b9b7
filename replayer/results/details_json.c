/* details_json.c - the details of a prediction as a part of its JSON. */
#include "config.h"

#include "details_json.h"
#include "json_text.h"

#include <math.h>

static json_t *with_waits(json_t *object, const double *wait_s)
{
    json_object_set_new(object, "late_sender_s", json_real(wait_s[TLR_WAIT_LATE_SENDER]));
    json_object_set_new(object, "late_receiver_s", json_real(wait_s[TLR_WAIT_LATE_RECEIVER]));
    json_object_set_new(object, "collective_wait_s", json_real(wait_s[TLR_WAIT_COLLECTIVE]));
    return object;
}

static json_t *sums_json(const tlr_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->n; i++) {
        const tlr_sum *row = &sums->rows[i];
        json_t *object = json_pack("{s:o, s:I, s:f, s:I}", "name", tlr_json_text(row->name),
                                   "count", (json_int_t)row->count, "time_s", row->time_s, "bytes",
                                   (json_int_t)row->bytes);
        json_array_append_new(array, with_waits(object, row->wait_s));
    }
    return array;
}

static json_t *parallel_json(const tlr_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->n; i++) {
        const tlr_sum *row = &sums->rows[i];
        json_array_append_new(
            array, json_pack("{s:o, s:I, s:I, s:f, s:f, s:f}", "name", tlr_json_text(row->name),
                             "count", (json_int_t)row->count, "threads", (json_int_t)row->n_threads,
                             "slowest_s", row->time_s, "balance", tlr_balance_of(row),
                             "imbalance_s", row->time_s - row->balanced_s));
    }
    return array;
}

static json_t *functions_json(const tlr_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->n; i++)
        json_array_append_new(
            array, json_pack("{s:o, s:f, s:I}", "name", tlr_json_text(sums->rows[i].name), "time_s",
                             sums->rows[i].time_s, "samples", (json_int_t)sums->rows[i].count));
    return array;
}

static json_t *path_sums_json(const tlr_sums *sums)
{
    json_t *array = json_array();
    for (size_t i = 0; i < sums->n; i++)
        json_array_append_new(array,
                              json_pack("{s:o, s:f}", "name", tlr_json_text(sums->rows[i].name),
                                        "time_s", sums->rows[i].time_s));
    return array;
}

static json_t *sizes_json(const tlr_details *d)
{
    json_t *array = json_array();
    for (int i = 0; i < TLR_N_SIZES; i++) {
        const int64_t from_bytes = i ? INT64_C(1) << (i - 1) : 0;
        if (d->size_messages[i])
            json_array_append_new(
                array,
                json_pack("{s:I, s:I, s:I, s:I}", "from_bytes", (json_int_t)from_bytes, "to_bytes",
                          (json_int_t)(i ? from_bytes - 1 + from_bytes : 0), "messages",
                          (json_int_t)d->size_messages[i], "bytes", (json_int_t)d->size_bytes[i]));
    }
    return array;
}

static json_t *path_json(const tlr_path *path)
{
    json_t *parts = json_object(), *ranks = json_array();
    for (unsigned i = 0; i < TLR_N_PARTS; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_s", tlr_part_name(i));
        json_object_set_new(parts, key, json_real(path->parts_s[i]));
    }
    for (uint32_t r = 0; r < path->n_ranks; r++)
        json_array_append_new(ranks, json_real(path->rank_s[r]));
    return json_pack("{s:f, s:I, s:o, s:o, s:o, s:o}", "length_s", path->length_s, "jumps",
                     (json_int_t)path->n_jumps, "parts", parts, "ranks_s", ranks, "sites",
                     path_sums_json(&path->sites), "regions", path_sums_json(&path->regions));
}

static json_t *what_if_json(const tlr_what_if *w)
{
    json_t *balance = json_pack("{s:f}", "at_least_s", w->mean_compute_s);
    if (!isnan(w->balanced_s))
        json_object_update_new(balance, json_pack("{s:f, s:I}", "about_s", w->balanced_s, "phases",
                                                  (json_int_t)w->n_phases));
    return json_pack("{s:{s:f}, s:o, s:{s:f, s:f}}", "ideal_network", "at_least_s",
                     w->ideal_network_s, "balance", balance, "cpu_2x", "at_least_s",
                     w->ideal_network_s / 2, "about_s", w->twice_the_cpu_s);
}

json_t *tlr_efficiency_json(const tlr_efficiency *e)
{
    return json_pack("{s:f, s:f, s:f, s:f}", "parallel", e->parallel, "load_balance", e->balance,
                     "serialisation", e->serialisation, "transfer", e->transfer);
}

json_t *tlr_details_json(const tlr_prediction *p)
{
    const tlr_details *d = p->details;
    tlr_efficiency efficiency;
    json_t *traffic = json_array(), *ranks = json_array();
    for (uint32_t r = 0; r < d->n_ranks; r++)
        json_array_append_new(ranks, with_waits(json_object(), d->ranks[r].wait_s));
    for (size_t i = 0; i < d->n_traffic; i++)
        json_array_append_new(traffic, json_pack("{s:I, s:I, s:I, s:I}", "from",
                                                 (json_int_t)d->traffic[i].from, "to",
                                                 (json_int_t)d->traffic[i].to, "messages",
                                                 (json_int_t)d->traffic[i].messages, "bytes",
                                                 (json_int_t)d->traffic[i].bytes));
    json_t *root = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "what_if", what_if_json(&p->what_if),
        "critical_path", path_json(d->path), "ranks", ranks, "calls", sums_json(&d->calls), "sites",
        sums_json(&d->sites), "communicators", sums_json(&d->communicators), "regions",
        sums_json(&d->regions), "message_sizes", sizes_json(d), "traffic", traffic);
    if (tlr_efficiency_of(p, &efficiency))
        json_object_set_new(root, "efficiency", tlr_efficiency_json(&efficiency));
    if (d->parallel.n)
        json_object_set_new(root, "parallel_regions", parallel_json(&d->parallel));
    if (d->functions.n)
        json_object_set_new(root, "functions", functions_json(&d->functions));
    if (d->chosen)
        json_object_set_new(root, "chosen", json_string(d->chosen));
    return root;
}
