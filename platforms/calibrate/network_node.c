/* network_node.c - messages within a host, and ranks of a host that share its adapter.
 *
 * By default a host has one loopback under the factors of the network. With --per-host its messages
 * are fitted like those between hosts: lines, breaks, overheads. Pairs of ranks that send at the
 * same time show the rate of the adapter: if one pair has less, each message has a bound of its
 * own, and several fill the link. They also show whether the adapter sends short messages one after
 * the other. */
#include "config.h"

#include "network_node.h"

#include <math.h>
#include <stdlib.h>

/* The limits below were chosen and not derived; tests/cli/calibrate_nodes.sh checks them on known
 * networks. */

/* Pairs show the adapter if their bytes take this many times the latency. */
#define MOSTLY_BYTES 4
/* If all pairs reach this many times what one pair reaches, one pair does not fill the adapter. */
#define CLEARLY_MORE 1.1
enum { LEAST_ROWS = 5 };
/* Sizes show the order of messages if the bytes take this share of a message's time. */
#define VISIBLE_BYTES 0.25
/* A message that shares the adapter is late by the time of its bytes, the first one in order by
 * nothing: this is between. */
#define LATE 0.5

/* ---- one loopback under the network's factors ---- */

/* One measurement in the system of equations: latency and bytes under their factors. */
static void add_equation(const tlp_network *net, const tlp_probe_row *row, double latency,
                         double per_byte, double sums[5])
{
    const int k = tlp_segment_of(&net->pieces, row->bytes);
    const double a = net->lat_factor[k], b = (row->bytes + TLP_ENVELOPE_BYTES) / net->bw_factor[k];
    const double y = fmax(0, row->seconds / 2 - net->wtime_s / 2);
    const double now = fmax(1e-9, a * latency + b * per_byte);
    const double w = 1 / (now * now) / fmax(1, fabs(y / now - 1) / 0.1);
    sums[0] += w * a * a;
    sums[1] += w * a * b;
    sums[2] += w * b * b;
    sums[3] += w * a * y;
    sums[4] += w * b * y;
}

/* Without the network's overheads (timeless/local-overheads): least squares of relative errors, in
 * which outliers count less. */
void tlp_fit_loopback(const tlp_probe_data *data, tlp_network *net)
{
    size_t n = 0;
    double latency = net->latency_s / 10, per_byte = 0.1 / net->bandwidth_Bps;
    for (size_t i = 0; i < data->n_rows; i++)
        n += tlp_is_row(&data->rows[i], KIND_pingpong, 1);
    if (net->one_host || n < 20)
        return;
    for (int round = 0; round < 50; round++) {
        double s[5] = {0};
        for (size_t i = 0; i < data->n_rows; i++)
            if (tlp_is_row(&data->rows[i], KIND_pingpong, 1))
                add_equation(net, &data->rows[i], latency, per_byte, s);
        const double aa = s[0], ab = s[1], bb = s[2], ay = s[3], by = s[4];
        const double det = aa * bb - ab * ab;
        latency = det > 0 ? (ay * bb - by * ab) / det : 0;
        per_byte = det > 0 ? (by * aa - ay * ab) / det : 0;
        if (latency <= 0)
            per_byte = by / bb;
        else if (per_byte <= 0)
            latency = ay / aa;
        latency = fmax(1e-9, latency);
        per_byte = fmax(1e-13, per_byte);
    }
    net->loopback_latency_s = latency;
    net->loopback_Bps = 1 / per_byte;
}

/* ---- within a host ---- */

/* The loopback becomes the fastest segment, so that no factor is above 1: with
 * timeless/bw-factor-bound such a factor would count as 1. */
static void use_fastest_segment(tlp_network *within)
{
    double most = 0;
    for (int i = 0; i < within->pieces.n; i++)
        most = fmax(most, within->bw_factor[i]);
    for (int i = 0; i < within->pieces.n; i++)
        within->bw_factor[i] /= most;
    within->bandwidth_Bps *= most;
}

static tl_status fit_within(const tlp_probe_data *data, tlp_network *net, tl_error *err)
{
    net->within = malloc(sizeof *net->within);
    if (!net->within)
        return tl_no_memory(err, "fitting the network");
    const tl_status status = tlp_fit_level(
        data, 1, net->thresholds_seen ? (double)net->detached_bytes : 0, net->within, err);
    if (status != TL_OK) {
        free(net->within); /* its content is cleared */
        net->within = NULL;
        return status;
    }
    use_fastest_segment(net->within);
    net->loopback_latency_s = net->within->latency_s;
    net->loopback_Bps = net->within->bandwidth_Bps;
    return TL_OK;
}

/* ---- the adapter ---- */

/* What n pairs of ranks reach together in one direction, or in both; 0 if that is unknown. */
static double rate_of_pairs(const tlp_probe_data *data, const tlp_network *net, int kind, int n)
{
    double *per_byte = malloc((data->n_rows + 1) * sizeof *per_byte);
    size_t n_rows = 0;
    for (size_t i = 0; per_byte && i < data->n_rows; i++) {
        const tlp_probe_row *row = &data->rows[i];
        const int k = tlp_segment_of(&net->pieces, row->bytes);
        const double latency = net->lat_factor[k] * net->latency_s;
        const double bytes_s =
            (row->bytes + TLP_ENVELOPE_BYTES) / (net->bw_factor[k] * net->bandwidth_Bps);
        if (!tlp_is_row(row, kind, 0) || row->count != n ||
            row->bytes < (double)net->detached_bytes || bytes_s < MOSTLY_BYTES * latency)
            continue;
        /* What is beside the bytes: the byte that acknowledges, or MPI_Isend. */
        const double around = kind == KIND_multi
                                  ? tlp_network_transfer_s(net, 1)
                                  : net->ois[k].intercept_s + net->ois[k].per_byte_s * row->bytes;
        per_byte[n_rows++] = (row->seconds - latency - around) / (row->bytes + TLP_ENVELOPE_BYTES);
    }
    const double rate = n_rows >= LEAST_ROWS ? n / tlp_median(per_byte, n_rows) : 0;
    free(per_byte);
    return kind == KIND_multi ? rate : 2 * rate;
}

/* If one pair does not fill the adapter, the link gets the adapter's rate, and the factors become
 * smaller by as much. */
static void fit_adapter(const tlp_probe_data *data, tlp_network *net)
{
    const int all = data->per_host;
    net->one_Bps = rate_of_pairs(data, net, KIND_multi, 1);
    net->all_Bps = rate_of_pairs(data, net, KIND_multi, all);
    net->both_Bps = rate_of_pairs(data, net, KIND_multi_both, all);
    if (net->one_Bps > 0 && net->all_Bps > CLEARLY_MORE * net->one_Bps)
        net->adapter = net->all_Bps / net->one_Bps;
    if (net->both_Bps > 0)
        net->saturation = fmin(2, fmax(1, net->both_Bps / (net->adapter * net->bandwidth_Bps)));
    net->bandwidth_Bps *= net->adapter;
    for (int i = 0; i < net->pieces.n; i++)
        net->bw_factor[i] /= net->adapter;
}

/* ---- the order of eager messages ---- */

/* By how many times the time of their bytes the messages of one or two pairs were late, as the
 * median over an octave of sizes; NAN if too few were measured. */
static double lateness(const tlp_probe_data *data, const tlp_network *net, int kind, int n_pairs,
                       double least_bytes, double *late)
{
    size_t n = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        const tlp_probe_row *row = &data->rows[i];
        const int k = tlp_segment_of(&net->pieces, row->bytes);
        if (!tlp_is_row(row, kind, 0) || row->count != n_pairs || row->bytes < least_bytes ||
            row->bytes >= 2 * least_bytes)
            continue;
        /* A message, and the byte that acknowledges it. */
        const double alone_s =
            tlp_network_transfer_s(net, row->bytes) + tlp_network_transfer_s(net, 1);
        late[n++] = (row->seconds - alone_s) * net->bw_factor[k] * net->bandwidth_Bps /
                    (row->bytes + TLP_ENVELOPE_BYTES);
    }
    return n < LEAST_ROWS ? NAN : tlp_median(late, n);
}

static int shows_order(const tlp_network *net, double bytes)
{
    const int k = tlp_segment_of(&net->pieces, bytes);
    const double bytes_s = (bytes + TLP_ENVELOPE_BYTES) / (net->bw_factor[k] * net->bandwidth_Bps);
    return bytes_s >= VISIBLE_BYTES * tlp_network_transfer_s(net, bytes);
}

/* Two ranks of a host send an eager message each at the same time. If the adapter sends them one
 * after the other, the first one arrives as soon as alone, and only the last one is late. Larger
 * messages may take turns, packet by packet. So the order holds up to the first octave of sizes in
 * which the first message is late, too. */
static tl_status fit_adapter_order(const tlp_probe_data *data, tlp_network *net, tl_error *err)
{
    const long eager =
        net->async_bytes < net->detached_bytes ? net->async_bytes : net->detached_bytes;
    double *late = malloc((data->n_rows + 1) * sizeof *late);
    if (!late)
        return tl_no_memory(err, "fitting the network");
    for (long bytes = 1; net->adapter <= 1 && bytes <= eager / 2; bytes *= 2) {
        const double least = (double)bytes;
        const double first = lateness(data, net, KIND_beside, 2, least, late) -
                             lateness(data, net, KIND_beside, 1, least, late),
                     last = lateness(data, net, KIND_beside_last, 2, least, late) -
                            lateness(data, net, KIND_beside_last, 1, least, late);
        /* If the last one is not late, the two messages have not met. */
        if (!shows_order(net, least) || !(last >= LATE))
            continue;
        if (!(first < LATE))
            break;
        net->order_bytes = 2 * bytes;
    }
    free(late);
    return TL_OK;
}

tl_status tlp_fit_node(const tlp_probe_data *data, tlp_network *net, tl_error *err)
{
    net->per_host = data->per_host;
    TL_TRY(fit_within(data, net, err));
    fit_adapter(data, net);
    return fit_adapter_order(data, net, err);
}
