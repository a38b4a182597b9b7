/* folder.c - network and hosts of the LogGOPS engine, from a platform folder.
 *
 * A folder describes its network for SMPI: links, overheads by size (os, or,
 * ois), factors of latency and bandwidth by size, the size from which sends wait. The model has all
 * of these. Each range of sizes gets its own parameters. A message takes the time that SMPI
 * predicts on links that no other message uses. The adapter of a node is as fast as its link. One
 * thing differs: in SMPI all flows share a link; in this model messages of less than a packet go
 * one after the other. */
#include "config.h"

#include "loggops/folder.h"
#include "machine/simgrid_options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- SMPI's options ---- */

/* The segments of an option; those of `other` if it is not set. */
static tl_status take_segments(const tlr_platform *platform, const tlr_options *options,
                               const char *name, const char *other, tlr_segments *out,
                               tl_error *err)
{
    const char *text = tlr_option_value(platform, options, name);
    return tlr_segments_read(name, text ? text : other,
                             strstr(name, "factor") ? TLR_FACTORS : TLR_OVERHEADS, out, err);
}

/* The same of an option that does not change what *out has unless it is set. */
static tl_status take_own(const tlr_platform *platform, const tlr_options *options,
                          const char *name, tlr_segments *out, tl_error *err)
{
    return tlr_option_value(platform, options, name)
               ? take_segments(platform, options, name, NULL, out, err)
               : TL_OK;
}

/* Overheads of messages within a host, as far as the platform states them. */
static tl_status take_own_overheads(const tlr_platform *platform, const tlr_options *options,
                                    loggops_law *within, tl_error *err)
{
    static const char *const names[] = {"timeless/loopback-os", "timeless/loopback-ois",
                                        "timeless/loopback-or"};
    tlr_segments *const parts[] = {&within->sends, &within->starts, &within->receives};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        TL_TRY(take_own(platform, options, names[i], parts[i], err));
    return TL_OK;
}

static tl_status take_bytes(const tlr_platform *platform, const tlr_options *options,
                            const char *name, double other, uint64_t *out, tl_error *err)
{
    const char *text = tlr_option_value(platform, options, name);
    char *end = NULL;
    const double bytes = text ? strtod(text, &end) : other;
    if (text && (end == text || *end || !(bytes >= 0)))
        return tl_fail(err, TL_ERR_INPUT, "option %s:%s: not a number of bytes; correct the value",
                       name, text);
    *out = (uint64_t)fmin(bytes, 1e18);
    return TL_OK;
}

/* Eager messages of more bytes have several packets on all networks that are common: the largest
 * packet of InfiniBand has 4,096 B (InfiniBand Architecture Specification, volume 1), a frame of
 * Ethernet 1,500. */
static const double packet_bytes = 4096;

/* Longer than all messages: S of a network that has none. */
static const double endless_bytes = 1e18;

/* A whole number, as SimGrid requires. */
static tl_status take_threshold(const tlr_platform *platform, const tlr_options *options,
                                double *S_bytes, tl_error *err)
{
    static const char name[] = "smpi/send-is-detached-thresh";
    const char *text = tlr_option_value(platform, options, name);
    char *end = NULL;
    *S_bytes = 65536; /* SMPI's default */
    if (!text)
        return TL_OK;
    *S_bytes = fmin((double)strtoull(text, &end, 0), endless_bytes);
    if (*text < '0' || *text > '9' || *end)
        return tl_fail(
            err, TL_ERR_INPUT,
            "option %s:%s is not a whole number of bytes; write %s:65536 if messages of 64 KiB "
            "and more wait for their receivers",
            name, text, name);
    return TL_OK;
}

/* The size from which eager messages take turns: stated, or that from which two messages of a host
 * were seen to, or that of a packet. */
static tl_status take_turns(const tlr_platform *platform, const tlr_options *options, uint64_t *out,
                            tl_error *err)
{
    uint64_t ordered;
    TL_TRY(take_bytes(platform, options, "timeless/adapter-order", 0, &ordered, err));
    return take_bytes(platform, options, "timeless/turns-from",
                      ordered ? (double)ordered : packet_bytes, out, err);
}

/* Within a host the cores copy short and long messages. So a longer one never has less overhead,
 * unless what the platform states of messages within a host includes all that they take. */
static tl_status continue_overheads(const tlr_platform *platform, const tlr_options *options,
                                    loggops_law *within, tl_error *err)
{
    static const char *const own[] = {"timeless/loopback-os", "timeless/loopback-ois",
                                      "timeless/loopback-or", "timeless/loopback-bw-factor",
                                      "timeless/loopback-lat-factor"};
    if (!(tlr_option_number(platform, options, "timeless/memory-bandwidth", 0) > 0) ||
        tlr_option_is_no(tlr_option_value(platform, options, "timeless/local-overheads")))
        return TL_OK;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (tlr_option_value(platform, options, own[i]))
            return TL_OK;
    within->charges_long = 1;
    TL_TRY(tlr_overheads_continue("smpi/os", &within->sends, err));
    TL_TRY(tlr_overheads_continue("smpi/ois", &within->starts, err));
    return tlr_overheads_continue("smpi/or", &within->receives, err);
}

/* --scale overheads */
static void scale_overheads(const tlr_options *options, loggops_law *law)
{
    const double factor =
        tlr_change_factor(options->changes, options->n_changes, TLR_MESSAGE_OVERHEAD, NULL);
    tlr_segments *const parts[] = {&law->sends, &law->starts, &law->receives};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (unsigned k = 0; k < parts[i]->n; k++) {
            parts[i]->value[k] *= factor;
            parts[i]->per_byte[k] *= factor;
        }
}

/* The laws of messages between hosts and within one. */
static tl_status read_laws(const tlr_platform *platform, const tlr_options *options, double S_bytes,
                           loggops_law laws[2], tl_error *err)
{
    static const char *const names[] = {"smpi/bw-factor", "smpi/lat-factor", "smpi/os", "smpi/ois",
                                        "smpi/or"};
    static const char *const others[] = {TLR_BANDWIDTH_FACTORS, TLR_LATENCY_FACTORS, NULL, NULL,
                                         NULL};
    loggops_law *between = &laws[0], *within = &laws[1];
    const char *bound = tlr_option_value(platform, options, "timeless/bw-factor-bound");
    /* SimGrid's model of crossing traffic: acknowledgements take 5 % of the other direction. */
    *between = (loggops_law){
        .crosstraffic =
            tlr_option_is_no(tlr_option_value(platform, options, "network/crosstraffic")) ? 1
                                                                                          : 1.05,
        .gamma = tlr_option_number(platform, options, "network/TCP-gamma", 4194304),
        .is_bound = bound && !tlr_option_is_no(bound),
        .S_bytes = S_bytes};
    tlr_segments *const parts[] = {&between->bandwidth, &between->latency, &between->sends,
                                   &between->starts, &between->receives};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TL_TRY(take_segments(platform, options, names[i], others[i], parts[i], err));
    *within = *between;
    TL_TRY(take_own(platform, options, "timeless/loopback-bw-factor", &within->bandwidth, err));
    TL_TRY(take_own(platform, options, "timeless/loopback-lat-factor", &within->latency, err));
    if (tlr_option_is_no(tlr_option_value(platform, options, "timeless/local-overheads")))
        within->sends.n = within->starts.n = within->receives.n = 0;
    TL_TRY(take_own_overheads(platform, options, within, err));
    TL_TRY(continue_overheads(platform, options, within, err));
    scale_overheads(options, between);
    scale_overheads(options, within);
    return TL_OK;
}

/* Costs that no message is below. If all pairs of hosts are alike, they are the costs of all. */
static tl_status derive_bounds(const tlr_cluster *cluster, const loggops_law laws[2],
                               loggops_network *n, tl_error *err)
{
    tlr_route between, within;
    TL_TRY(tlr_route_least(cluster, &between, &within, err));
    TL_TRY(loggops_derive_path(&laws[0], &between, &n->between, err));
    return loggops_derive_path(&laws[1], &within, &n->within, err);
}

static tl_status derive(const tlr_platform *platform, tlr_cluster *cluster,
                        const tlr_options *options, double S_bytes, loggops_network *n,
                        tl_error *err)
{
    loggops_law *laws = calloc(2, sizeof *laws);
    if (!laws)
        return tl_no_memory(err, "network");
    tlr_cluster_set_loopback(cluster,
                             tlr_option_number(platform, options, "network/loopback-lat", 0),
                             tlr_option_number(platform, options, "network/loopback-bw", 1e10));
    for (size_t i = 0; i < options->n_changes; i++)
        if (options->changes[i].quantity != TLR_HOST_SPEED) /* find_network has changed hosts */
            tlr_cluster_change(cluster, &options->changes[i]);
    tl_status status = read_laws(platform, options, S_bytes, laws, err);
    if (status == TL_OK)
        status = derive_bounds(cluster, laws, n, err);
    if (status == TL_OK && !tlr_routes_are_equal(cluster))
        status = loggops_ways_open(laws, &n->ways, err);
    const tlr_segments factors = laws[0].is_bound ? (tlr_segments){0} : laws[0].bandwidth;
    free(laws);
    TL_TRY(status);
    TL_TRY(take_bytes(platform, options, "timeless/send-buffer", 0, &n->send_buffer_bytes, err));
    TL_TRY(take_bytes(platform, options, "timeless/limiter-from", 0, &n->limiter_bytes, err));
    TL_TRY(take_turns(platform, options, &n->turns_bytes, err));
    n->memory_Bps = tlr_option_number(platform, options, "timeless/memory-bandwidth", 0);
    n->factors = factors;
    n->has_within = true;
    n->move_bytes = n->limits_nodes = 1;
    n->params.S_bytes = (uint64_t)S_bytes;
    loggops_set_params(n);
    return TL_OK;
}

/* Another model than SMPI's. SimGrid's own option in the XML file has no effect under SMPI. */
static tl_status check_model(const tlr_platform *platform, const tlr_options *options,
                             tl_error *err)
{
    static const char name[] = "network/model:";
    for (size_t i = platform->n_settings; i < platform->n_options + options->n_cfg; i++) {
        const char *text =
            i < platform->n_options ? platform->options[i] : options->cfg[i - platform->n_options];
        if (!strncmp(text, name, strlen(name)) && strcmp(text + strlen(name), "SMPI") != 0)
            return tl_fail(err, TL_ERR_UNSUPPORTED,
                           "option %s: the loggops engine has the model SMPI only; leave it out, "
                           "or replay with --engine smpi",
                           text);
    }
    return TL_OK;
}

/* Puts the place before what is wrong with an option. */
static tl_status fail_in_options(const tlr_platform *platform, tl_status status, tl_error *err)
{
    if (status != TL_ERR_INPUT && status != TL_ERR_UNSUPPORTED)
        return status;
    const tl_error what = *err;
    return tl_fail(err, status, "%s: options.conf: %s", platform->folder, what.text);
}

tl_status loggops_read_network(const tlr_platform *platform, tlr_cluster *cluster,
                               const tlr_options *options, loggops_network *out, tl_error *err)
{
    double S_bytes;
    *out = (loggops_network){0};
    tl_status status = check_model(platform, options, err);
    if (status == TL_OK)
        status = take_threshold(platform, options, &S_bytes, err);
    if (status == TL_OK)
        status = derive(platform, cluster, options, S_bytes, out, err);
    return fail_in_options(platform, status, err);
}

/* ---- places ---- */

/* Each node has the limiter of its host. */
static void find_limiters(loggops_places *p)
{
    loggops_nodes *nodes = &p->nodes;
    int differ = 0;
    for (uint32_t i = 0; i < nodes->n_nodes; i++) {
        const double limiter = tlr_host_limiter(&p->cluster, p->host_of_node[i]);
        p->limiters[i] = limiter > 0 ? limiter : INFINITY;
        differ |= p->limiters[i] != p->limiters[0];
        nodes->limiter = limiter > 0 && !(nodes->limiter > 0 && nodes->limiter < limiter)
                             ? limiter
                             : nodes->limiter;
    }
    nodes->limiters = differ ? p->limiters : NULL;
}

/* Numbers the nodes in the order of their first ranks. */
static void number_nodes(loggops_places *p, uint32_t n_ranks, uint32_t *node_of_host)
{
    memset(node_of_host, 0xff, p->cluster.n_hosts * sizeof *node_of_host);
    for (uint32_t r = 0; r < n_ranks; r++) {
        uint32_t *node = &node_of_host[p->host_of[r]];
        if (*node == UINT32_MAX)
            p->host_of_node[ *node = p->nodes.n_nodes++] = p->host_of[r];
        p->nodes.node_of[r] = *node;
    }
}

tl_status loggops_place_ranks(const tlr_cluster *cluster, const loggops_network *network,
                              const tlr_options *options, uint32_t n_ranks, loggops_places *out,
                              tl_error *err)
{
    uint32_t *of_host = calloc(cluster->n_hosts + 1, sizeof *of_host);
    *out = (loggops_places){.cluster = *cluster};
    out->host_of = calloc(n_ranks + 1u, sizeof *out->host_of);
    out->core_of = calloc(n_ranks + 1u, sizeof *out->core_of);
    out->n_on = calloc(cluster->n_hosts + 1, sizeof *out->n_on);
    const size_t most_nodes = n_ranks < cluster->n_hosts ? n_ranks : cluster->n_hosts;
    out->host_of_node = calloc(most_nodes + 1, sizeof *out->host_of_node);
    out->limiters = calloc(most_nodes + 1, sizeof *out->limiters);
    out->nodes = (loggops_nodes){.node_of = calloc(n_ranks + 1u, sizeof *out->nodes.node_of),
                                 .between = network->between,
                                 .within = network->has_within ? network->within : network->between,
                                 .ways = network->ways,
                                 .move_bytes = network->move_bytes,
                                 .send_buffer_bytes = network->send_buffer_bytes,
                                 .turns_bytes = network->turns_bytes,
                                 .memory_Bps = network->memory_Bps,
                                 .limiter_bytes = network->limiter_bytes};
    tl_status status = TL_OK;
    if (!of_host || !out->host_of || !out->core_of || !out->n_on || !out->host_of_node ||
        !out->limiters || !out->nodes.node_of)
        status = tl_no_memory(err, "places of the ranks");
    else
        status = tlr_map_ranks(cluster->hosts, cluster->n_hosts, options->hostfile, options,
                               n_ranks, out->host_of, err);
    if (status == TL_OK) {
        for (uint32_t r = 0; r < n_ranks; r++)
            out->core_of[r] = of_host[out->host_of[r]]++ % cluster->hosts[out->host_of[r]].n_cores;
        out->crowd = tlr_find_crowd(cluster->hosts, cluster->n_hosts, of_host);
        memcpy(out->n_on, of_host, cluster->n_hosts * sizeof *of_host);
        number_nodes(out, n_ranks, of_host);
        if (network->limits_nodes)
            find_limiters(out);
        if (network->ways)
            status = loggops_ways_place(network->ways, &out->cluster, out->host_of_node,
                                        out->nodes.n_nodes, err);
    }
    free(of_host);
    return status;
}

void loggops_places_free(loggops_places *places)
{
    tlr_cluster_free(&places->cluster);
    free(places->host_of);
    free(places->core_of);
    free(places->n_on);
    free(places->host_of_node);
    free(places->limiters);
    free(places->nodes.node_of);
}
