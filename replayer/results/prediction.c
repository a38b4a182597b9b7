/* prediction.c - show a prediction. */
#include "config.h"

#include "call_times.h"
#include "details.h"
#include "spread.h"
#include "volumes.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

void tlr_prediction_free(tlr_prediction *p)
{
    if (!p)
        return;
    for (uint32_t r = 0; p->ranks && r < p->n_ranks; r++)
        free(p->ranks[r].host);
    for (size_t i = 0; i < p->n_marks; i++) {
        free(p->marks[i].site);
        free(p->marks[i].measured_s);
        free(p->marks[i].predicted_s);
    }
    free(p->ranks);
    free(p->marks);
    free(p->free_kernels);
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        free(p->estimated[by]);
    free(p->untraced);
    free(p->volume_sample);
    free(p->volume_bursts);
    free(p->uncounted);
    free(p->trace_path);
    free(p->clock);
    free(p->platform_name);
    free(p->calibrations);
    free(p->engine);
    free(p->command);
    free(p->volume_unit);
    free(p->engine_version);
    free(p->coll_selector);
    free(p->network_model);
    free(p->model);
    free(p->options);
    free(p->idle_options);
    free(p->noise);
    free(p->changes);
    tlr_details_free(p->details);
    tlr_call_times_free(p->call_times);
    tlr_spread_free(p->spread);
    free(p->sampled);
    free(p);
}

double tlr_estimated_share(const tlr_prediction *p, tlr_estimate by)
{
    double all_s = 0, estimated_s = 0;
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        all_s += p->ranks[r].compute_s;
        estimated_s += p->ranks[r].estimated_s[by];
    }
    return all_s > 0 ? estimated_s / all_s : 0;
}

/* One row of the table of shares, by its place in tlr_rank_prediction. */
typedef struct share {
    const char *name;
    size_t offset;
} share;

enum { OTHER_CALLS = sizeof(tlr_rank_prediction) }; /* they have no place there */

static const share shares[] = {
    {"compute", offsetof(tlr_rank_prediction, compute_s)},
    {"  in kernels", offsetof(tlr_rank_prediction, kernel_s)},
    {"point-to-point", offsetof(tlr_rank_prediction, p2p_s)},
    {"wait", offsetof(tlr_rank_prediction, wait_s)},
    {"collective", offsetof(tlr_rank_prediction, collective_s)},
    {"files", offsetof(tlr_rank_prediction, io_s)},
    {"other calls", OTHER_CALLS},
    {"end of rank", offsetof(tlr_rank_prediction, end_s)},
};
enum { N_SHARES = sizeof shares / sizeof *shares, N_SLOWEST = 5 };

/* Calls of no other kind, such as sleeps. */
static double other_calls_s(const tlr_rank_prediction *rank)
{
    const double known_s =
        rank->compute_s + rank->p2p_s + rank->wait_s + rank->collective_s + rank->io_s;
    return fmax(0, rank->end_s - known_s);
}

static double value_of(const tlr_rank_prediction *rank, const share *s)
{
    if (s->offset == OTHER_CALLS)
        return other_calls_s(rank);
    return *(const double *)((const char *)rank + s->offset);
}

static void print_shares(const tlr_prediction *p, FILE *out)
{
    fprintf(out, "\n%-16s %14s %14s %14s\n", "seconds per rank", "min", "mean", "max");
    for (int i = 0; i < N_SHARES; i++) {
        double min = INFINITY, max = 0, sum = 0;
        for (uint32_t r = 0; r < p->n_ranks; r++) {
            const double value = value_of(&p->ranks[r], &shares[i]);
            min = fmin(min, value);
            max = fmax(max, value);
            sum += value;
        }
        const bool is_rounding = shares[i].offset == OTHER_CALLS && max <= 1e-6 * p->makespan_s;
        if (!is_rounding)
            fprintf(out, "%-16s %14.4g %14.4g %14.4g\n", shares[i].name, min, sum / p->n_ranks,
                    max);
    }
}

/* The seconds in which a rank did not wait for others. The larger they are, the more the rank
 * delays the run. */
static double busy_s(const tlr_rank_prediction *rank)
{
    return rank->compute_s + rank->p2p_s;
}

static int compare_busy(const void *a, const void *b)
{
    const tlr_rank_prediction *x = *(const tlr_rank_prediction *const *)a;
    const tlr_rank_prediction *y = *(const tlr_rank_prediction *const *)b;
    if (x->end_s != y->end_s)
        return x->end_s > y->end_s ? -1 : 1;
    if (busy_s(x) != busy_s(y))
        return busy_s(x) > busy_s(y) ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void print_slowest(const tlr_prediction *p, FILE *out)
{
    const tlr_rank_prediction **order = malloc(p->n_ranks * sizeof *order);
    if (!order)
        return;
    for (uint32_t r = 0; r < p->n_ranks; r++)
        order[r] = &p->ranks[r];
    qsort(order, p->n_ranks, sizeof *order, compare_busy);
    fprintf(out, "\n%-8s %-16s %12s %12s %12s %12s %12s\n", "slowest", "host", "end", "compute",
            "p2p", "wait", "collective");
    for (uint32_t i = 0; i < p->n_ranks && i < N_SLOWEST; i++)
        fprintf(out, "%-8td %-16s %12.4g %12.4g %12.4g %12.4g %12.4g\n", order[i] - p->ranks,
                tl_printable(order[i]->host), order[i]->end_s, order[i]->compute_s, order[i]->p2p_s,
                order[i]->wait_s, order[i]->collective_s);
    free(order);
}

/* The share of the noise that reached the end of the run. */
static void print_noise(const tlr_prediction *p, FILE *out)
{
    double noise_s = 0, delay_s = 0;
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        noise_s += p->ranks[r].noise_s / p->n_ranks;
        delay_s += p->ranks[r].delay_s / p->n_ranks;
    }
    fprintf(out, "noise             %s\n", tl_printable(p->noise));
    if (!(p->quiet_s > 0)) {
        fprintf(out, "                  a rank's own detours: %.4g s in the mean%s\n", noise_s,
                noise_s > 0 ? ""
                            : "; they delay computation, of which there was too little (--engine "
                              "loggops delays messages, too)");
        return;
    }
    fprintf(out, "                  %.4g times as long as the %.4g s without it\n",
            p->makespan_s / p->quiet_s, p->quiet_s);
    fprintf(
        out,
        "                  a rank's own detours: %.4g s in the mean; it ends later by: %.4g s\n",
        noise_s, delay_s);
}

static void print_draws(const tlr_prediction *p, FILE *out)
{
    const tlr_spread *s = p->spread;
    if (s)
        fprintf(
            out,
            "over %-5zu seeds  95%% of them take %.4g to %.4g s; mean %.4g s, standard deviation "
            "%.3g s\n",
            s->n_seeds, tlr_spread_quantile(s, 0.025), tlr_spread_quantile(s, 0.975),
            tlr_spread_mean(s), tlr_spread_sd(s));
    if (p->is_random)
        fprintf(out, "seed              %" PRIu64 "%s", p->seed, s ? ", the median one" : "");
    if (p->is_random && p->cluster_seed)
        fprintf(out, "; of the hosts: %" PRIu64, p->cluster_seed);
    if (p->is_random)
        fputc('\n', out);
}

/* CPU time depends on the recording machine. Prints a note if the cores of the platform are
 * different ones. */
static void print_volumes(const tlr_prediction *p, FILE *out)
{
    double compute_s = 0;
    for (uint32_t rank = 0; rank < p->n_ranks; rank++)
        compute_s += p->ranks[rank].compute_s;
    if (compute_s > 0 && p->volume_unit && !strcmp(p->volume_unit, "cpu-ns"))
        fputs("volumes           cpu-ns, CPU time of the cores that recorded them; "
              "for others see --host-speed\n",
              out);
}

static void print_sampled(const tlr_sampled *s, double makespan_s, FILE *out)
{
    if (!s->n_windows) {
        fputs("sampled           all steps were replayed\n", out);
        return;
    }
    fprintf(out,
            "90%% interval      %.4g to %.4g s, +-%.2g %%\n"
            "sampled           %zu windows, %zu of %zu steps, about %.2g %% of the events\n",
            s->low_s, s->high_s, 100 * (s->high_s - makespan_s) / makespan_s, s->n_windows,
            s->n_steps_replayed, s->n_steps, 100 * s->share);
}

const char *tlr_overload_text(const tlr_prediction *p, const tlr_overload *load, char *text,
                              size_t size)
{
    snprintf(text, size,
             "%.4g B at %.4g B/s where one has %.4g B/s%s: %.3g s late (%" PRIu64 " overloaded)",
             (double)load->bytes, load->asked_Bps, load->has_Bps,
             load == &p->memories && p->memories_are_assumed
                 ? " (assumed: 0.2 TB/s, each byte moved twice)"
                 : "",
             load->late_s, load->n);
    return text;
}

const char *tlr_limiter_text(const tlr_prediction *p, char *text, size_t size)
{
    if (p->ignores_limiter < UINT64_MAX)
        snprintf(text, size, " for messages below %" PRIu64 " B", p->ignores_limiter);
    else if (size)
        *text = '\0';
    return text;
}

int tlr_threads_share_cores(const tlr_prediction *p)
{
    return p->fullest.n_cores && (uint64_t)p->fullest.n_ranks * p->n_threads > p->fullest.n_cores &&
           p->n_threads > 1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The default placement fills one host after the other. */
static void print_hosts(const tlr_prediction *p, FILE *out)
{
    uint32_t n_hosts = 0, n_here = 0, most = 0;
    char **hosts = malloc((p->n_ranks + 1) * sizeof *hosts);
    if (!hosts || !p->n_ranks || !p->ranks[0].host) {
        free(hosts);
        return;
    }
    for (uint32_t r = 0; r < p->n_ranks; r++)
        hosts[r] = p->ranks[r].host;
    qsort(hosts, p->n_ranks, sizeof *hosts, compare_names);
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        n_here = r && !strcmp(hosts[r], hosts[r - 1]) ? n_here + 1 : 1;
        n_hosts += n_here == 1;
        most = n_here > most ? n_here : most;
    }
    if (most > 1)
        fprintf(out,
                "hosts             %" PRIu32 ", with up to %" PRIu32
                " ranks each; see --ranks-per-host\n",
                n_hosts, most);
    free(hosts);
}

/* Prints the network model without the parameters of LogGOPS that are derived from a platform,
 * which fill several lines: the details have them. What else the model states stays. */
static void print_network(const tlr_prediction *p, FILE *out)
{
    const char *text = p->network_model ? tl_printable(p->network_model) : "", *threshold;
    size_t length = strcspn(text, ";");
    if (p->details || !(threshold = memmem(text, length, ", S=", 4))) {
        fputs(text, out);
        return;
    }
    fprintf(out, "%.*s (its parameters: --details)", (int)(threshold - text), text);
    for (; *(text += length);) {
        length = 1 + strcspn(text + 1, ";");
        if (!memmem(text, length, " L=", 3))
            fprintf(out, "%.*s", (int)length, text);
    }
}

void tlr_prediction_print(const tlr_prediction *p, FILE *out)
{
    char below[64];
    fprintf(out, "makespan          %.4g s\n", p->makespan_s);
    if (p->sampled)
        print_sampled(p->sampled, p->makespan_s, out);
    if (p->start_s > 0)
        fprintf(out, "started at        %.4g s\n", p->start_s);
    print_draws(p, out);
    if (p->noise)
        print_noise(p, out);
    if (p->has_network_noise)
        fputs("network noise     drawn for each message, from the platform's noise.conf\n", out);
    fprintf(out, "program           %s\n", tl_printable(p->command));
    fprintf(out, "ranks, events     %" PRIu32 ", %" PRIu64 " (and %" PRIu64 " failed polls)\n",
            p->n_ranks, p->n_events, p->n_polls);
    print_hosts(p, out);
    if (p->n_unknown_kernels)
        fprintf(out,
                "unknown kernels   %" PRIu64 " calls have a code or sizes that this version does "
                "not know\n",
                p->n_unknown_kernels);
    if (p->estimated[TLR_AS_RECORDED])
        fprintf(out, "as recorded       %.3g %% of the computation, without a measurement: %s\n",
                100 * tlr_estimated_share(p, TLR_AS_RECORDED),
                tl_printable(p->estimated[TLR_AS_RECORDED]));
    if (p->estimated[TLR_BY_ROOFLINE])
        fprintf(out, "by roofline       %.3g %% of the computation, without a measurement: %s\n",
                100 * tlr_estimated_share(p, TLR_BY_ROOFLINE),
                tl_printable(p->estimated[TLR_BY_ROOFLINE]));
    if (p->n_assumed_transfers)
        fprintf(out,
                "files             no disk is described: %" PRIu64 " calls at an assumed %g MB/s a "
                "rank\n",
                p->n_assumed_transfers, TLR_IO_BANDWIDTH / 1e6);
    if (p->n_opaque)
        fprintf(out, "not modelled      %" PRIu64 " calls took no time\n", p->n_opaque);
    if (p->untraced && *p->untraced)
        fprintf(out, "not traced        calls of %s\n", tl_printable(p->untraced));
    if (p->volume_sample && *p->volume_sample)
        fprintf(out, "volume sample     %s blocks have their own volumes\n",
                tl_printable(p->volume_sample));
    char bursts[160];
    tlr_volumes_text(p->volume_bursts, bursts, sizeof bursts);
    if (*bursts)
        fprintf(out, "volume bursts     %s\n", bursts);
    if (p->uncounted && *p->uncounted)
        fprintf(out, "recorded in part  %s\n", tl_printable(p->uncounted));
    if (p->n_crowded)
        fprintf(out, "warning           %" PRIu32 " ranks share %" PRIu64 " core%s\n", p->n_crowded,
                p->n_crowded_cores, p->n_crowded_cores == 1 ? "" : "s");
    if (tlr_threads_share_cores(p))
        fprintf(out,
                "warning           %" PRIu32 " rank%s of up to %" PRIu32
                " threads share%s the %" PRIu32 " core%s of a host\n",
                p->fullest.n_ranks, p->fullest.n_ranks == 1 ? "" : "s", p->n_threads,
                p->fullest.n_ranks == 1 ? "s" : "", p->fullest.n_cores,
                p->fullest.n_cores == 1 ? "" : "s");
    if (p->ignores_crowd)
        fputs("not modelled      ranks that share a core: each computes as if it had one alone\n",
              out);
    if (p->ignores_limiter)
        fprintf(out,
                "not modelled      the limiter of both directions of a host (limiter_link)%s\n",
                tlr_limiter_text(p, below, sizeof below));
    if (p->links_limit > 0)
        fprintf(out, "links             limited messages in %.3g %% of the makespan\n",
                100 * p->links_limit);
    char overload[256];
    if (p->links.n)
        fprintf(out, "not modelled      links between switches: %s\n",
                tlr_overload_text(p, &p->links, overload, sizeof overload));
    if (p->memories.n)
        fprintf(out, "not modelled      the memory of a node: %s\n",
                tlr_overload_text(p, &p->memories, overload, sizeof overload));
    if (p->load_change > 0)
        fprintf(out,
                "warning           interference: the mean load of the hosts is not found; ends of "
                "ranks still change by %.3g %% of the makespan\n",
                100 * p->load_change);
    if (p->region_memory.core_Bps > 0)
        fprintf(out,
                "regions           bound by memory: %.4g GB/s of a node%s, %.4g GB/s of a core "
                "(assumed)\n",
                p->region_memory.node_Bps / 1e9, p->region_memory.is_assumed ? " (assumed)" : "",
                p->region_memory.core_Bps / 1e9);
    if (p->region_memory.is_ignored)
        fputs("regions           bound by arithmetic (assumed); see --set region.bound\n", out);
    if (p->free_kernels)
        fprintf(out, "without a model   %s took no time\n", tl_printable(p->free_kernels));
    if (p->n_ranks) {
        print_shares(p, out);
        print_slowest(p, out);
    }
    fprintf(out, "\ntrace             %s, xxh64 %016" PRIx64 "\n", tl_printable(p->trace_path),
            p->trace_hash);
    fprintf(out, "platform          %s, xxh64 %016" PRIx64 "\n", tl_printable(p->platform_name),
            p->platform_hash);
    if (p->calibrations && *p->calibrations)
        fprintf(out, "nearest to        %s\n", tl_printable(p->calibrations));
    if (p->model_hash)
        fprintf(out, "model             %s, xxh64 %016" PRIx64 "\n", tl_printable(p->model),
                p->model_hash);
    else
        fprintf(out, "model             %s\n", tl_printable(p->model));
    print_volumes(p, out);
    fprintf(out, "engine            %s (%s), network model ", p->engine,
            tl_printable(p->engine_version));
    print_network(p, out);
    fprintf(out, ", collectives %s\n", tl_printable(p->coll_selector));
    if (p->options && p->options[0])
        fprintf(out, "options           %s\n", tl_printable(p->options));
    if (p->idle_options && p->idle_options[0])
        fprintf(out, "without effect    %s\n", tl_printable(p->idle_options));
    if (p->changes && p->changes[0])
        fprintf(out, "changed           %s\n", tl_printable(p->changes));
    fprintf(out, "timeless          %s\n", tl_version());
    if (p->wall_s > 0)
        fprintf(out, "wall time         %.4g s, %.4g events/s\n", p->wall_s,
                (double)p->n_events / p->wall_s);
}
