/* network.h - from the measurements of timeless-network-probe to a platform folder.
 *
 * Status, errors and ownership follow the conventions of timeless.h. */
#ifndef TLP_NETWORK_H
#define TLP_NETWORK_H

#include <stdbool.h>
#include <stdio.h>

#include "machine.h"
#include "network_probe.h"
#include "raw.h"
#include "repetitions.h"
#include "segments.h"

/* ---- network_read.c: what the probe wrote ---- */

/* One operation.
 *   kind     KIND_pingpong, ...
 *   apart    of `pairs`: the second pair is on other hosts than the first
 *   count    messages of a burst or of `order`; exchanges in a row, with their mean in seconds;
 *            or pairs of ranks at once
 *   delay_s  of `late`: how late its receive came
 *   launch   of the probe, from 0 on
 */
typedef struct tlp_probe_row {
    int kind, is_warm, same_host, apart, count, launch;
    double bytes, delay_s, seconds;
} tlp_probe_row;

typedef struct tlp_probe_data {
    tlp_probe_row *rows;
    size_t n_rows, room;
    int n_ranks, n_hosts, n_cores; /* cores of the first host */
    int per_host; /* ranks on each host if all levels of a node were measured; else 1 */
    char mpi[128], moment[TLP_MOMENT_BYTES]; /* moment: when it began; "" unknown */
    unsigned long seed, max_bytes;
    double max_seconds;
    int n_launches;         /* of the probe: one behind the other in the file */
    bool is_probe, has_end; /* lines that the file has; the last one states the rows */
    size_t n_announced;
} tlp_probe_data;

/* Whether the row is of this kind and behind the warm-up; is_local: within a host. */
static inline bool tlp_is_row(const tlp_probe_row *row, int kind, bool is_local)
{
    return row->kind == kind && !row->is_warm && row->same_host == is_local;
}

/* What the probe writes, a tlp_probe_data. */
extern const tlp_raw tlp_raw_network;
void tlp_probe_free(void *data);

/* ---- network_merge.c ---- */

/* Writes the measurements of two files as one, which may be one of them; old: NULL: of `added`
 * alone. TL_ERR_INPUT: they were made by different MPIs or on other numbers of ranks or hosts. */
tl_status tlp_probe_join(const char *old, const char *added, const char *path, tl_error *err);

/* ---- network_needs.c ---- */

enum { TLP_MOST_SIZES = 32 };

/* Bytes of the messages of a trace, one size for each octave that it has, ascending: the geometric
 * mean of those. A block of a collective stands for its halves, quarters, ... as well, and for
 * several of them where algorithms join blocks. */
typedef struct tlp_network_needs {
    int n;
    long bytes[TLP_MOST_SIZES], largest;
} tlp_network_needs;

/* TL_ERR_INPUT: no rank sends anything. */
tl_status tlp_network_needs_read(const char *path, tlp_network_needs *out, tl_error *err);

/* ---- network_fit.c ---- */

/* The series that are fitted together, each ordered by size. The time of reading the clock is
 * subtracted. */
enum { SERIES_transfer, SERIES_send, SERIES_recv, SERIES_isend, N_NETWORK_SERIES };

/* A network in the terms of SMPI (smpi-approach, section 3.2) and of LogGOPS. A message of s bytes
 * sent with MPI_Send, with s < detached_bytes, takes os(s) + lat_factor * latency_s + (s + 16) /
 * (bw_factor * bandwidth_Bps) + or(s). A larger message takes the two terms in the middle only. 16
 * bytes are SMPI's envelope. */
typedef struct tlp_network {
    tlp_series series[N_NETWORK_SERIES]; /* transfer: half a round trip */
    tlp_pieces pieces;                   /* of all series */
    tlp_line os[TLP_MAX_SEGMENTS], or_[TLP_MAX_SEGMENTS], ois[TLP_MAX_SEGMENTS];
    double lat_factor[TLP_MAX_SEGMENTS], bw_factor[TLP_MAX_SEGMENTS];
    bool is_shortened[TLP_MAX_SEGMENTS]; /* os and or were more than the transfer: made less */
    double latency_s, bandwidth_Bps;
    bool has_no_latency;               /* no line leaves any: latency_s is next to nothing */
    long async_bytes, detached_bytes;  /* smpi/async-small-thresh, smpi/send-is-detached-thresh */
    long own_detached_bytes;           /* the same, not limited by that of messages between hosts */
    int thresholds_seen;               /* 0: no size was large enough to wait for its receive */
    int one_host;                      /* all ranks stood on one: its memory is the network */
    double saturation;                 /* both directions together, in bandwidths; 0: unknown */
    long limiter_bytes;                /* shorter ones go both ways at full speed; 0: none */
    double exchange[TLP_MAX_SEGMENTS]; /* both directions at once, measured / SMPI's; 0: unknown */
    double shared, backbone;  /* two transfers of the same, of other hosts: time in that of one */
    int orders_eager;         /* one eager message after the other on a connection */
    double send_buffer_bytes; /* on the way when a long blocking send is over; 0: none, unknown */
    double loopback_latency_s, loopback_Bps; /* 0: unknown */
    double iprobe_s, test_s, wtime_s;
    double L_s, o_s, g_s, G_s, O_s;
    size_t n_rows, n_warm, n_outliers;
    /* Of nodes with several ranks (network_node.c). */
    int per_host;               /* their ranks; 1: the following is unknown */
    struct tlp_network *within; /* messages within a host, in the terms of this struct; or NULL */
    double one_Bps, all_Bps;    /* what one pair, and per_host pairs of ranks reach; 0: unknown */
    double both_Bps;            /* all pairs, in both directions together; 0: unknown */
    double adapter;             /* rate of the adapter in bandwidths; above 1: one pair has less */
    long order_bytes; /* shorter eager messages of a host leave it in order; 0: none, unknown */
} tlp_network;

/* Fits everything.  TL_ERR_INPUT: too little was measured. */
tl_status tlp_network_fit(const tlp_probe_data *data, tlp_network *out, tl_error *err);
void tlp_network_clear(tlp_network *network);

/* Half of a round trip of MPI_Send and MPI_Recv, as SMPI 3.32 predicts it. */
double tlp_network_transfer_s(const tlp_network *network, double bytes);

/* ---- network_repetitions.c ---- */

/* The operations with fitted lines, divided by their line, and polls in seconds, in the order in
 * which they were measured, including the warm-up. */
tl_status tlp_network_repetitions(const tlp_network *network, const tlp_probe_data *data,
                                  tlp_repetition_list *out);

/* ---- network_noise.c ---- */

/* Writes noise.conf: how messages differ from the fitted lines (timeless-platform(5)). */
tl_status tlp_network_noise_write(const tlp_network *network, const tlp_probe_data *data, FILE *out,
                                  tl_error *err);

/* ---- network_write.c ---- */

typedef struct tlp_network_folder {
    const char *folder;  /* exists */
    const char *shipped; /* folder of the shipped platforms, for a compute model */
    int nodes;           /* of the platform; 0: as many as were measured */
} tlp_network_folder;

/* Writes platform.conf and the files that follow from it (generate.h), network.conf with all fitted
 * values, noise.conf and README.md; also model.conf of the shipped `local` if there is none. */
tl_status tlp_network_write(const tlp_network *network, const tlp_probe_data *data,
                            const tlp_network_folder *options, tl_error *err);

#endif
