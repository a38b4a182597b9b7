/* network_sharing.c - the fit of messages that go at the same time: in both directions, and of
 * several pairs of ranks. */
#include "config.h"

#include "network.h"
#include "network_node.h"

#include <math.h>

/* A transfer shows the bandwidth if its bytes take this many times its latency. */
#define MOSTLY_BYTES 4
/* Both directions at once have to take so many times as long as one, before the limiter that this
 * needs can be one of long messages alone. Chosen, not derived. */
#define CLEAR_LIMIT 1.15

/* The time of the bytes of simultaneous transfers, divided by that of one transfer: the median over
 * sizes at which the bytes matter, of eager messages or of the others; 0 if there are none. */
static double slowdown(const tlp_probe_data *data, const tlp_network *net, int kind, int apart,
                       bool is_eager, double *room)
{
    size_t n = 0;
    for (size_t i = 0; i < data->n_rows; i++) {
        const tlp_probe_row *row = &data->rows[i];
        int segment = tlp_segment_of(&net->pieces, row->bytes);
        double latency = net->lat_factor[segment] * net->latency_s;
        double alone = tlp_network_wire_s(net, segment, row->bytes) - latency;
        if (!tlp_is_row(row, kind, net->one_host) || row->apart != apart ||
            (row->bytes < (double)net->detached_bytes) != is_eager ||
            alone < MOSTLY_BYTES * latency)
            continue;
        /* The byte that acknowledges the message of a pair. */
        double around = kind == KIND_pairs ? tlp_network_transfer_s(net, 1)
                                           : tlp_network_line_at(&net->ois[segment], row->bytes);
        if (is_eager)
            around += fmax(0, tlp_network_line_at(&net->or_[segment], row->bytes));
        room[n++] = (row->seconds - latency - around) / alone;
    }
    return n >= 5 ? tlp_median(room, n) : 0;
}

/* The ratio of the measured exchanges and those that SMPI predicts with the fit. It is above 1 if
 * sending and receiving at the same time costs more than the model contains. */
static void check_exchanges(const tlp_probe_data *data, tlp_network *net, double *room)
{
    double sharing = net->saturation > 0 ? fmax(1, 2 / net->saturation) : 1;
    for (int i = 0; i < net->pieces.n; i++) {
        double latency = net->lat_factor[i] * net->latency_s;
        size_t n = 0;
        for (size_t k = 0; k < data->n_rows; k++) {
            const tlp_probe_row *row = &data->rows[k];
            if (!tlp_is_row(row, KIND_both, net->one_host) ||
                tlp_segment_of(&net->pieces, row->bytes) != i)
                continue;
            const double slower = row->bytes < (double)net->limiter_bytes ? 1 : sharing;
            double ours = tlp_network_line_at(&net->ois[i], row->bytes) + latency +
                          slower * (tlp_network_wire_s(net, i, row->bytes) - latency);
            if (row->bytes < (double)net->detached_bytes)
                ours += fmax(0, tlp_network_line_at(&net->or_[i], row->bytes));
            room[n++] = row->seconds / ours;
        }
        net->exchange[i] = n >= 5 ? tlp_median(room, n) : 0;
    }
}

/* The limiter of both directions is one of long messages if eager ones in both directions take a
 * time that is nearer to that of one direction. */
void tlp_network_fit_sharing(const tlp_probe_data *data, tlp_network *net, double *room)
{
    const double both = slowdown(data, net, KIND_both, 0, 0, room),
                 eager = slowdown(data, net, KIND_both, 0, 1, room);
    net->saturation = both > 0 ? fmin(2, fmax(1, 2 / both)) : 0;
    net->shared = slowdown(data, net, KIND_pairs, 0, 0, room);
    net->backbone = slowdown(data, net, KIND_pairs, 1, 0, room);
    const double sharing = net->saturation > 0 ? 2 / net->saturation : 1;
    if (sharing > CLEAR_LIMIT && eager > 0 && eager < sqrt(sharing))
        net->limiter_bytes = net->detached_bytes;
    check_exchanges(data, net, room);
}
