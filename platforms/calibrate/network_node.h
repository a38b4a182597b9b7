/* network_node.h - the fit of messages within a host, of ranks that share an adapter, and of
 * messages that go at the same time.
 *
 * For network_fit.c, network_node.c and network_sharing.c alone. Status and errors follow
 * timeless.h. */
#ifndef TLP_NETWORK_NODE_H
#define TLP_NETWORK_NODE_H

#include "network.h"

#include <stdbool.h>

/* SMPI adds this envelope to each message (SimGrid 3.32). */
#define TLP_ENVELOPE_BYTES 16

/* network_fit.c: fits the messages between hosts, or those within a host. most_detached: the
 * largest threshold of sends that wait; 0: any. */
tl_status tlp_fit_level(const tlp_probe_data *data, bool is_within, double most_detached,
                        tlp_network *out, tl_error *err);

/* network_fit.c: a line at a size; the time in the network of a message in segment i. */
double tlp_network_line_at(const tlp_line *line, double bytes);
double tlp_network_wire_s(const tlp_network *net, int i, double bytes);

/* network_sharing.c: from messages in both directions at once, and of several pairs of ranks.
 * `room` is for a number for each row. */
void tlp_network_fit_sharing(const tlp_probe_data *data, tlp_network *net, double *room);

/* Latency and bandwidth of the loopback, under the factors of the network, if there were several
 * ranks on a host. */
void tlp_fit_loopback(const tlp_probe_data *data, tlp_network *net);

/* Measurements with --per-host: messages within a host with breaks, factors and overheads of their
 * own, and what several ranks get of the adapter, in one direction and in both. */
tl_status tlp_fit_node(const tlp_probe_data *data, tlp_network *net, tl_error *err);

#endif
