/* network_write.c - writes the platform folder of a fitted network. */
#include "config.h"

#include "archive.h"
#include "calibrate.h"
#include "network.h"

#include "generate/generate.h"

#include <stdlib.h>
#include <string.h>

/* The content of a file; the files of a folder are written one after the other. */
typedef struct content {
    const tlp_network *net;
    const tlp_probe_data *data;
    const tlp_network_folder *options;
} content;

static tl_status copy_model(const void *in, FILE *out, tl_error *err)
{
    fputs("# Not measured here: copied from the shipped platform 'local'.\n", out);
    return tlp_copy_stream(in, out, err);
}

/* Keeps the compute model of the folder; if there is none, copies that of the shipped `local`. */
static tl_status provide_model(const content *c, tl_error *err)
{
    FILE *own = tlp_open_in(c->options->folder, "model.conf", NULL);
    if (own)
        return fclose(own), TL_OK;
    FILE *in = tlp_open_in(c->options->shipped, "local/model.conf", err);
    if (!in)
        return TL_ERR_SYSTEM;
    const tl_status status = tlp_write_in(c->options->folder, "model.conf", copy_model, in, err);
    fclose(in);
    return status;
}

static int n_nodes(const content *c)
{
    return c->options->nodes ? c->options->nodes : c->data->n_hosts;
}

/* "smpi/os:0:A:B;...": the values from each break on. Network factors depend on the size with
 * SMPI's envelope of 16 bytes. A piece whose values equal those of the piece before is left out. */
static void write_lines(FILE *out, const char *key, const tlp_pieces *pieces, const tlp_line *lines)
{
    fprintf(out, "  \"%s:", key);
    for (int i = 0; i < pieces->n; i++) {
        if (i && lines[i].intercept_s == lines[i - 1].intercept_s &&
            lines[i].per_byte_s == lines[i - 1].per_byte_s)
            continue;
        fprintf(out, "%s%.0f:%.6g:%.6g", i ? ";" : "", pieces->breaks[i], lines[i].intercept_s,
                lines[i].per_byte_s);
    }
    fputs("\",\n", out);
}

static void write_factors(FILE *out, const char *key, const tlp_pieces *pieces,
                          const double *factors)
{
    fprintf(out, "  \"%s:", key);
    for (int i = 0; i < pieces->n; i++)
        fprintf(out, "%s%.0f:%.7g", i ? ";" : "", i ? pieces->breaks[i] + 16 : 0, factors[i]);
    fputs("\",\n", out);
}

/* Whether the buffers hold more than the part that is sent with the question for the receiver. */
static bool has_send_buffer(const tlp_network *net)
{
    return net->send_buffer_bytes > (double)net->detached_bytes;
}

/* Messages within a host, and the bound of each message if one pair does not fill the adapter. */
static void write_node_options(const tlp_network *net, FILE *out)
{
    const tlp_network *within = net->within;
    fputs("  # Within a host, measured between ranks of one.\n", out);
    write_lines(out, "timeless/loopback-os", &within->pieces, within->os);
    write_lines(out, "timeless/loopback-or", &within->pieces, within->or_);
    write_lines(out, "timeless/loopback-ois", &within->pieces, within->ois);
    write_factors(out, "timeless/loopback-lat-factor", &within->pieces, within->lat_factor);
    write_factors(out, "timeless/loopback-bw-factor", &within->pieces, within->bw_factor);
    if (net->adapter > 1)
        fprintf(out,
                "  # One pair of ranks reaches 1/%.3f of what %d pairs reach: measured, pairs at "
                "once.\n"
                "  \"timeless/bw-factor-bound:yes\",\n",
                net->adapter, net->per_host);
    if (net->order_bytes)
        fprintf(out,
                "  # Shorter eager messages of two ranks of a host leave it one after the other: "
                "measured,\n  # two at once.\n"
                "  \"timeless/adapter-order:%ld\",\n",
                net->order_bytes);
}

static void write_options(const content *c, FILE *out)
{
    const tlp_network *net = c->net;
    fprintf(out,
            "options = [\n"
            "  \"smpi/async-small-thresh:%ld\",\n"
            "  \"smpi/send-is-detached-thresh:%ld\",\n",
            net->async_bytes, net->detached_bytes);
    write_lines(out, "smpi/os", &net->pieces, net->os);
    write_lines(out, "smpi/or", &net->pieces, net->or_);
    write_lines(out, "smpi/ois", &net->pieces, net->ois);
    write_factors(out, "smpi/lat-factor", &net->pieces, net->lat_factor);
    write_factors(out, "smpi/bw-factor", &net->pieces, net->bw_factor);
    if (net->within)
        write_node_options(net, out);
    if (net->orders_eager)
        fputs("  # An eager message begins when the one before it on its connection is through.\n"
              "  \"timeless/eager-order:yes\",\n",
              out);
    if (net->limiter_bytes && net->saturation < 2)
        fprintf(
            out,
            "  # Shorter messages go in both directions at once without the limiter: measured.\n"
            "  \"timeless/limiter-from:%ld\",\n",
            net->limiter_bytes);
    if (has_send_buffer(net))
        fprintf(out,
                "  # So much of a long message is in buffers when MPI_Send is over.\n"
                "  \"timeless/send-buffer:%.0f\",\n",
                net->send_buffer_bytes);
    fprintf(
        out,
        "  \"smpi/iprobe:%.4g\",\n  \"smpi/test:%.4g\",\n  \"smpi/wtime:%.4g\",\n"
        "%s"
        "  # Assumed: what traffic of the other direction takes is in the limiter, as measured;\n"
        "  # and nothing was measured of a window that would bound the bandwidth.\n"
        "  \"network/crosstraffic:no\",\n  \"network/TCP-gamma:1e15\"\n];\n",
        net->iprobe_s, net->test_s, net->wtime_s,
        net->one_host || net->within ? ""
                                     : "  # Overheads were measured between hosts.\n"
                                       "  \"timeless/local-overheads:no\",\n");
}

static tl_status write_description(const void *arg, FILE *out, tl_error *err)
{
    const content *c = arg;
    (void)err;
    const tlp_network *net = c->net;
    double lat = net->one_host ? net->latency_s : net->latency_s / 2;
    fprintf(out,
            "# Written by 'timeless calibrate network' %s; README.md says where the figures come "
            "from.\n"
            "title = \"calibrated network\";\n"
            "topology = \"star\";\n"
            "nodes = %d;\n"
            "# Cores of the first host; the speed is a reference, not measured.\n"
            "node = { cores = %d; speed_flops = 1.0e9; };\n"
            "# Half the latency on each side of the switch.\n"
            "link = { bandwidth_Bps = %.6e; latency_s = %.6e;",
            tl_version(), n_nodes(c), c->data->n_cores ? c->data->n_cores : 1, net->bandwidth_Bps,
            lat);
    if (net->saturation > 0 && !net->one_host)
        fprintf(out, "\n         limiter_Bps = %.6e;", net->saturation * net->bandwidth_Bps);
    fputs(" };\n", out);
    if (net->one_host)
        fprintf(out, "loopback = { bandwidth_Bps = %.6e; latency_s = %.6e; };\n",
                net->bandwidth_Bps, net->latency_s);
    else if (net->loopback_Bps > 0)
        fprintf(out, "loopback = { bandwidth_Bps = %.6e; latency_s = %.6e; };\n", net->loopback_Bps,
                net->loopback_latency_s);
    else /* What a rank sends to itself must not cross the network. */
        fputs("loopback = { bandwidth_Bps = 5.0e9; latency_s = 2.0e-7; }; # assumed\n", out);
    if (net->backbone > 1.15)
        fprintf(out, "backbone = { bandwidth_Bps = %.6e; latency_s = 0.0; };\n",
                2 * net->bandwidth_Bps / net->adapter / net->backbone);
    write_options(c, out);
    fputs("model = \"model.conf\";\n", out);
    return TL_OK;
}

/* ---- everything that was fitted ---- */

static const char *const series_names[N_NETWORK_SERIES] = {"transfer", "send", "recv", "isend"};

static void write_line(FILE *out, const tlp_line *line, double from, int last)
{
    fprintf(out,
            "  { from = %.0f.0; intercept_s = %.6e; per_byte_s = %.6e; samples = %zu;\n"
            "    median_error = %.4f; modes = (",
            from, line->intercept_s, line->per_byte_s, line->n, line->median_error);
    for (int k = 0; k < line->n_modes; k++)
        fprintf(out, "%s [ %.4f, %.4f, %.4f ]", k ? "," : "", line->modes[k].share,
                line->modes[k].mean, line->modes[k].sd);
    fprintf(out, " ); }%s\n", last ? "" : ",");
}

static const char *moment_of(const content *c)
{
    return *c->data->moment ? c->data->moment : "an unknown moment";
}

static void write_series(FILE *out, const char *prefix, const tlp_network *net)
{
    for (int k = 0; k < N_NETWORK_SERIES; k++) {
        fprintf(out, "%s%s = (\n", prefix, series_names[k]);
        for (int i = 0; i < net->pieces.n; i++)
            write_line(out, &net->pieces.lines[k][i], net->pieces.breaks[i],
                       i + 1 == net->pieces.n);
        fputs(");\n", out);
    }
}

static void write_node(FILE *out, const tlp_network *net)
{
    fprintf(
        out,
        "# The same within a host, and what %d ranks share: measured between %d pairs at once.\n",
        net->per_host, net->per_host);
    write_series(out, "within_", net->within);
    fprintf(out,
            "within = { async_small_bytes = %ld; detached_bytes = %ld; latency_s = %.6e;\n"
            "           bandwidth_Bps = %.6e; };\n"
            "adapter = { pairs = %d; one_Bps = %.6e; all_Bps = %.6e; both_Bps = %.6e;\n"
            "            order_bytes = %ld; };\n",
            net->within->async_bytes, net->within->own_detached_bytes, net->within->latency_s,
            net->within->bandwidth_Bps, net->per_host, net->one_Bps, net->all_Bps, net->both_Bps,
            net->order_bytes);
}

static tl_status write_fit(const void *arg, FILE *out, tl_error *err)
{
    const content *c = arg;
    (void)err;
    const tlp_network *net = c->net;
    fprintf(out,
            "# Measured by 'timeless calibrate network' %s at %s: %d ranks on %d host%s, %s,\n"
            "# seed %lu, %zu operations. README.md has more on the measurement.\n",
            tl_version(), moment_of(c), c->data->n_ranks, c->data->n_hosts,
            c->data->n_hosts == 1 ? "" : "s", c->data->mpi, c->data->seed, net->n_rows);
    fputs(
        "# Durations of messages, s = intercept + per_byte * bytes for sizes above `from`; modes\n"
        "# of the noise about the line: share, mean and deviation of duration / line.\n"
        "# transfer: half a round trip; send, recv, isend: in the call, its partner ready.\n",
        out);
    write_series(out, "", net);
    if (net->within)
        write_node(out, net);
    fputs(
        "# Both directions at once in each segment: measured over what SMPI makes of this; 0: too "
        "few.\nexchange = [ ",
        out);
    for (int i = 0; i < net->pieces.n; i++)
        fprintf(out, "%s%.3f", i ? ", " : "", net->exchange[i]);
    fprintf(out,
            " ];\nasync_small_bytes = %ld;\ndetached_bytes = %ld;\nsend_buffer_bytes = %.1f;\n"
            "latency_s = %.6e;\n"
            "bandwidth_Bps = %.6e;\nsaturation = %.4f;\nlimiter_bytes = %ld;\nshared = "
            "%.4f;\nbackbone = %.4f;\n"
            "iprobe_s = %.4e;\ntest_s = %.4e;\nwtime_s = %.4e;\n"
            "loggops = { L_s = %.4e; o_s = %.4e; g_s = %.4e; G_s = %.4e; O_s = %.4e; };\n",
            net->async_bytes, net->detached_bytes, net->send_buffer_bytes, net->latency_s,
            net->bandwidth_Bps, net->saturation, net->limiter_bytes, net->shared, net->backbone,
            net->iprobe_s, net->test_s, net->wtime_s, net->L_s, net->o_s, net->g_s, net->G_s,
            net->O_s);
    return TL_OK;
}

/* noise.conf is written even if too few transfers were measured for any class: no message varies
 * then. */
static tl_status write_noise(const void *arg, FILE *out, tl_error *err)
{
    const content *c = arg;
    return tlp_network_noise_write(c->net, c->data, out, err);
}

/* ---- README ---- */

/* What one pair of ranks and all pairs of two hosts reach, and messages within a host. */
static void write_node_rows(const tlp_network *net, FILE *out)
{
    const tlp_network *within = net->within;
    fprintf(
        out,
        "| within a host | %.3g us, %.4g MB/s | measured: ranks of one host; breaks, factors, os, "
        "or, ois in network.conf (within) |\n"
        "| within a host, eager below, detached below | %ld B, %ld B | measured; not used: the "
        "engines have one threshold, that between hosts |\n",
        1e6 * within->latency_s, 1e-6 * within->bandwidth_Bps, within->async_bytes,
        within->own_detached_bytes);
    if (net->one_Bps > 0 && net->all_Bps > 0)
        fprintf(
            out,
            "| one pair of ranks | %.4g MB/s | measured: one pair between two hosts |\n"
            "| %d pairs of ranks | %.4g MB/s | measured: pairs at once between two hosts; %s |\n",
            1e-6 * net->one_Bps, net->per_host, 1e-6 * net->all_Bps,
            net->adapter > 1 ? "the link has this rate, one message the rate of one pair"
                             : "about as one pair, which fills the adapter");
    if (net->both_Bps > 0)
        fprintf(out,
                "| %d pairs in both directions | %.4g MB/s together | measured; the limiter of "
                "SimGrid's platform, which the LogGOPS engine ignores |\n",
                net->per_host, 1e-6 * net->both_Bps);
    if (net->order_bytes)
        fprintf(out,
                "| eager messages of two ranks of a host | in order below %ld B | measured: two at "
                "once |\n",
                net->order_bytes);
    else
        fputs("| eager messages of two ranks of a host | not in order, or not measured | measured: "
              "two at once |\n",
              out);
}

static tl_status write_readme(const void *arg, FILE *out, tl_error *err)
{
    const content *c = arg;
    (void)err;
    const tlp_network *net = c->net;
    const tlp_probe_data *d = c->data;
    fprintf(
        out,
        "# A calibrated network\n\n"
        "Written by `timeless calibrate network` %s: %d ranks on %d host%s, %s, seed %lu, %g s,\n"
        "%zu operations in random order (%zu of them the warm-up, %zu outliers left out), sizes\n"
        "from 1 B to %lu B. Measured at %s.\n\n"
        "| figure | value | from |\n|---|---|---|\n"
        "| latency | %.3g us | measured: half a round trip less os and or |\n"
        "| bandwidth | %.4g MB/s | measured: longest messages |\n"
        "| eager below | %ld B | measured: receives of messages that were sent before |\n"
        "| detached below | %ld B | %s |\n",
        tl_version(), d->n_ranks, d->n_hosts, d->n_hosts == 1 ? "" : "s", d->mpi, d->seed,
        d->max_seconds, net->n_rows, net->n_warm, net->n_outliers, d->max_bytes, moment_of(c),
        1e6 * net->latency_s, 1e-6 * net->bandwidth_Bps, net->async_bytes, net->detached_bytes,
        net->thresholds_seen ? "measured: sends that wait for a late receive"
                             : "largest size; no send waited for a late receive");
    if (has_send_buffer(net))
        fprintf(out, "| in buffers when a long send is over | %.0f B | measured: sends |\n",
                net->send_buffer_bytes);
    if (net->saturation > 0)
        fprintf(out, "| both directions together | %.2f bandwidths | measured: exchanges |\n",
                net->saturation);
    if (net->limiter_bytes)
        fprintf(out, "| timeless/limiter-from | %ld B | measured: shorter exchanges |\n",
                net->limiter_bytes);
    if (net->shared > 0)
        fprintf(out, "| two transfers between the same hosts | %.2f times one | measured |\n",
                net->shared);
    if (net->backbone > 0)
        fprintf(out, "| two transfers between four hosts | %.2f times one | measured |\n",
                net->backbone);
    if (net->within)
        write_node_rows(net, out);
    else if (net->loopback_Bps > 0)
        fprintf(out,
                "| within a host | %.3g us, %.4g MB/s | measured, under the network's factors, "
                "without its overheads |\n",
                1e6 * net->loopback_latency_s, 1e-6 * net->loopback_Bps);
    else if (!net->one_host)
        fputs("| within a host | 0.2 us, 5000 MB/s | assumed: the hosts had one rank each |\n",
              out);
    fprintf(
        out,
        "| breaks, factors, os, or, ois | network.conf | measured; samples and median errors are "
        "in network.conf |\n"
        "| iprobe, test, wtime | %.3g us, %.3g us, %.3g us | measured |\n"
        "| eager messages of a connection | %s | measured: two in a row |\n"
        "| network/crosstraffic, network/TCP-gamma | no, 1e15 | assumed: the limiter has what "
        "both directions share, and no window was measured |\n"
        "| noise of messages | noise.conf | measured: ping-pongs beside the lines |\n"
        "| L, o, g, G, O | network.conf | measured: the shortest messages, bursts of them, "
        "and the bytes of the longest ones |\n"
        "| speed of a node | 1 Gf | not measured: the reference speed of model.conf |\n"
        "| topology, latency of a backbone | star, 0 s | assumed |\n"
        "| nodes | %d | %s |\n| cores of a node | %d | as the first host |\n"
        "| model.conf | | `timeless calibrate kernels`; its first lines say where |\n\n"
        "`platform.conf` describes the platform (timeless-platform(5)); `timeless platform\n"
        "platform.conf -o .` makes platform.xml and options.conf again after a change.\n"
        "`network.csv` holds the measurements, `network.conf` the fitted lines and their "
        "residuals.\n"
        "The LogGOPS engine derives its parameters from `platform.xml` and\n"
        "`options.conf`%s.\n",
        1e6 * net->iprobe_s, 1e6 * net->test_s, 1e6 * net->wtime_s,
        net->orders_eager ? "in order" : "not in order, or not measured", n_nodes(c),
        c->options->nodes ? "given" : "as measured", d->n_cores ? d->n_cores : 1,
        net->within ? ", which distinguish messages within a host and between hosts" : "");
    return TL_OK;
}

tl_status tlp_network_write(const tlp_network *network, const tlp_probe_data *data,
                            const tlp_network_folder *options, tl_error *err)
{
    const content c = {network, data, options};
    static const struct {
        const char *name;
        tl_writing write;
    } files[] = {{"platform.conf", write_description},
                 {"network.conf", write_fit},
                 {"noise.conf", write_noise},
                 {"README.md", write_readme}};
    const tlp_quantity quantities[] = {{"latency s", tlp_network_transfer_s(network, 1)},
                                       {"bandwidth B/s", network->bandwidth_Bps}};
    tlp_description *description = NULL;
    char path[4096];
    TL_TRY(provide_model(&c, err));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        TL_TRY(tlp_write_in(options->folder, files[i].name, files[i].write, &c, err));
    snprintf(path, sizeof path, "%s/platform.conf", options->folder);
    TL_TRY(tlp_description_read(path, &description, err));
    const tl_status status = tlp_generate_folder(description, options->folder, err);
    tlp_description_free(description);
    return status == TL_OK ? tlp_add_to_history(options->folder, "network", "", quantities,
                                                sizeof quantities / sizeof *quantities, err)
                           : status;
}
