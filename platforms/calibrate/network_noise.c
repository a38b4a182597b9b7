/* network_noise.c - what messages take beside the fitted line, for noise.conf of a platform folder
 * (replayer/machine/network_noise.h draws from it).
 *
 * The lines of the fit are means of the measurements along them, without outliers. So a factor has
 * the mean 1. The factor is that of the time in the network, latency and bytes; it also stands for
 * what the overheads of sender and receiver vary by.
 *
 * Runs of a program differ, too, because a launch finds other cores, memory and moments. So the
 * measurement has several launches, each in several parts, and a class has a factor of the run: by
 * how much the means of these parts differ, beyond what their single transfers explain.
 *
 * A ping-pong consists of two messages. The deviation of its half is that of one message divided by
 * the square root of 2, if both vary independently.
 *
 * Outliers, which take more than twice the line, are counted and not replayed. They are moments in
 * which the system had taken the CPU from a rank: they come with time and not with messages, so
 * their share of short round trips, after which the ranks sleep, is not that of a program
 * (tests/accuracy/README.md, the noise of messages). 'timeless calibrate noise' measures them. */
#include "config.h"

#include "network.h"

#include <math.h>
#include <stdlib.h>

#include <gsl/gsl_statistics_double.h>

/* A transfer that takes this many times its line is an outlier, as in tlp_series_make. */
#define OUTLIER 2.0
/* The envelope that SMPI adds to each message (SimGrid 3.32). */
#define ENVELOPE_BYTES 16
/* No factor is smaller, whatever was measured: a message takes time. */
#define LEAST_FACTOR 0.05
/* The deviation of a run's factor is not larger: a replay could not draw from it. */
#define MOST_RUN_SD 0.3
enum {
    FEWEST = 20,  /* transfers of a class: as many as one mode needs in mixture.c */
    N_PARTS = 20, /* of the measurement, for what varies slowly: a choice */
    MOST_RANGES = 96
};
/* What varies by some microseconds is a smaller factor where a message takes longer: a new range of
 * sizes begins where the time in the network has doubled. */
#define LONGER 2.0

/* One transfer: by how much it exceeds its line, divided by its time in the network. */
typedef struct excess {
    double value;
    int range, is_outlier;
    int launch, part; /* part: of the measurement, ascending */
} excess;

typedef struct noise_class {
    int first, last; /* ranges */
    size_t n, n_outliers;
    double least;
    int n_modes;
    tlp_line_mode modes[TLP_LINE_MODES];
    double run_sd;
} noise_class;

typedef struct noise_path {
    const tlp_network *net;
    bool is_local; /* messages within a host */
    size_t n;
    excess *rows; /* in the order in which they were measured */
    int n_ranges, n_classes;
    double above_bytes[MOST_RANGES]; /* a range ends where the next one begins */
    noise_class classes[MOST_RANGES];
    int n_launches;
} noise_path;

/* Seconds of a transfer in the network, and in all. */
static double network_s(const noise_path *p, int segment, double bytes)
{
    const tlp_network *net = p->net;
    const bool is_loopback = p->is_local && !net->one_host;
    const double latency_s = is_loopback ? net->loopback_latency_s : net->latency_s,
                 Bps = is_loopback ? net->loopback_Bps : net->bandwidth_Bps;
    return net->lat_factor[segment] * latency_s +
           (bytes + ENVELOPE_BYTES) / (net->bw_factor[segment] * Bps);
}

/* The size of a message that takes so long in the network. */
static double bytes_in(const noise_path *p, int segment, double seconds)
{
    const double at_0 = network_s(p, segment, 0), at_1 = network_s(p, segment, 1);
    return (seconds - at_0) / (at_1 - at_0);
}

static void add_range(noise_path *p, double above_bytes)
{
    if (p->n_ranges < MOST_RANGES)
        p->above_bytes[p->n_ranges++] = above_bytes;
}

/* Each segment of the lines begins a range; it has further ones where the time has doubled. */
static void find_ranges(noise_path *p)
{
    const tlp_pieces *pieces = &p->net->pieces;
    const tlp_series *transfers = &p->net->series[SERIES_transfer];
    for (int i = 0; i < pieces->n; i++) {
        const double begin = i ? pieces->breaks[i] : 0,
                     end = i + 1 < pieces->n ? pieces->breaks[i + 1]
                                             : transfers->bytes[transfers->n - 1];
        add_range(p, begin);
        double seconds = network_s(p, i, begin), bytes;
        while ((bytes = bytes_in(p, i, seconds *= LONGER)) < end)
            add_range(p, floor(bytes));
    }
}

static int range_of(const noise_path *p, double bytes)
{
    int i = p->n_ranges - 1;
    while (i > 0 && bytes <= p->above_bytes[i])
        i--;
    return i;
}

static double transfer_s(const noise_path *p, int segment, double bytes)
{
    return p->is_local && !p->net->one_host ? network_s(p, segment, bytes)
                                            : tlp_network_transfer_s(p->net, bytes);
}

static void select_rows(noise_path *p, const tlp_probe_data *data)
{
    for (size_t i = 0; i < data->n_rows; i++) {
        const tlp_probe_row *row = &data->rows[i];
        if (!tlp_is_row(row, KIND_pingpong, p->is_local))
            continue;
        const int segment = tlp_segment_of(&p->net->pieces, row->bytes);
        const double line_s = transfer_s(p, segment, row->bytes),
                     seconds = (row->seconds - p->net->wtime_s) / 2;
        p->rows[p->n++] = (excess){.value = (seconds - line_s) / network_s(p, segment, row->bytes),
                                   .range = range_of(p, row->bytes),
                                   .is_outlier = seconds > OUTLIER * line_s,
                                   .launch = row->launch};
    }
}

/* Parts of each launch, about N_PARTS in all. */
static void number_parts(noise_path *p, int n_launches)
{
    p->n_launches = n_launches > 1 ? n_launches : 1;
    const size_t n_parts = p->n_launches < N_PARTS ? (size_t)(N_PARTS / p->n_launches) : 1;
    for (size_t i = 0, end; i < p->n; i = end) {
        for (end = i; end < p->n && p->rows[end].launch == p->rows[i].launch; end++)
            ;
        for (size_t k = i; k < end; k++)
            p->rows[k].part =
                p->rows[k].launch * (int)n_parts + (int)((k - i) * n_parts / (end - i));
    }
}

/* Neighbouring ranges until there are enough transfers; the last few join the class before. */
static void find_classes(noise_path *p)
{
    size_t counts[MOST_RANGES] = {0}, outliers[MOST_RANGES] = {0};
    for (size_t i = 0; i < p->n; i++) {
        counts[p->rows[i].range] += !p->rows[i].is_outlier;
        outliers[p->rows[i].range] += p->rows[i].is_outlier != 0;
    }
    for (int s = 0, first = 0; s < p->n_ranges; s++) {
        noise_class *c = &p->classes[p->n_classes];
        c->first = first;
        c->last = s;
        c->n += counts[s];
        c->n_outliers += outliers[s];
        if (c->n >= FEWEST) {
            p->n_classes++;
            first = s + 1;
        }
    }
    if (p->n_classes) {
        noise_class *last = &p->classes[p->n_classes - 1];
        const noise_class rest = p->n_classes < MOST_RANGES ? last[1] : (noise_class){0};
        last->n += rest.n;
        last->n_outliers += rest.n_outliers;
        last->last = p->n_ranges - 1;
    }
}

static bool is_of(const noise_class *c, const excess *e)
{
    return c->first <= e->range && e->range <= c->last;
}

/* values, ones: room for all rows. */
static tl_status fit_class(const noise_path *p, noise_class *c, double *values, double *ones)
{
    size_t n = 0;
    double mean, sum = 0;
    for (size_t i = 0; i < p->n; i++)
        if (!p->rows[i].is_outlier && is_of(c, &p->rows[i]))
            values[n++] = p->rows[i].value;
    mean = gsl_stats_mean(values, 1, n);
    c->least = 1;
    for (size_t i = 0; i < n; i++) {
        values[i] = 1 + sqrt(2) * (values[i] - mean);
        ones[i] = 1;
        c->least = fmin(c->least, values[i]);
    }
    c->least = fmax(LEAST_FACTOR, c->least);
    tlp_line line = {.intercept_s = 1};
    const tl_status status = tlp_mixture_fit(ones, values, n, 0, &line);
    if (status != TL_OK)
        return status;
    c->n_modes = line.n_modes;
    for (int k = 0; k < line.n_modes; k++) {
        c->modes[k] = line.modes[k]; /* their mean is 1 */
        c->least = fmax(LEAST_FACTOR, fmin(c->least, c->modes[k].mean));
        c->modes[k].mean = fmax(c->least, c->modes[k].mean);
        sum += c->modes[k].share * c->modes[k].mean;
    }
    for (int k = 0; k < line.n_modes; k++)
        c->modes[k].mean /= sum;
    return TL_OK;
}

/* Sums over parts: of n, n^2, sum, sum^2 / n; and of squares. */
typedef struct part_sums {
    double n_parts, n, n_2, sum, between, squares;
} part_sums;

static void end_part(part_sums *s, double *n, double *sum)
{
    if (*n > 0) {
        s->n_parts++;
        s->n += *n;
        s->n_2 += *n * *n;
        s->sum += *sum;
        s->between += *sum * *sum / *n;
    }
    *n = *sum = 0;
}

/* The variance of what all transfers of a part have in common: the estimate by moments of a
 * one-way random-effects model (S. R. Searle, G. Casella, C. E. McCulloch, Variance Components,
 * 1992, section 3.6). All parts of a launch have its factor in common, and the lines go through the
 * mean of the launches. */
static double fit_run(const noise_path *p, const noise_class *c)
{
    part_sums s = {0};
    double n = 0, sum = 0;
    for (size_t i = 0; i < p->n; i++) {
        const excess *e = &p->rows[i];
        if (i && e->part != p->rows[i - 1].part)
            end_part(&s, &n, &sum);
        if (e->is_outlier || !is_of(c, e))
            continue;
        n++;
        sum += e->value;
        s.squares += e->value * e->value;
    }
    end_part(&s, &n, &sum);
    if (s.n_parts < 2 || s.n <= s.n_parts)
        return 0;
    const double within_2 = (s.squares - s.between) / (s.n - s.n_parts),
                 apart = s.between - s.sum * s.sum / s.n - (s.n_parts - 1) * within_2,
                 run_2 = apart / (s.n - s.n_2 / s.n),
                 of_launches = p->n_launches > 1 ? p->n_launches / (p->n_launches - 1.0) : 1;
    return fmin(MOST_RUN_SD, sqrt(fmax(0, run_2 * of_launches)));
}

/* Classes with few transfers hardly show by how much runs differ. A run is late by some time for
 * each message, whatever its size: at least by as much as in the class of the shortest messages,
 * which has the most transfers, and by no larger factor. */
static void share_run(noise_path *p)
{
    const double least_s = p->n_classes ? p->classes[0].run_sd * network_s(p, 0, 1) : 0;
    for (int k = 1; k < p->n_classes; k++) {
        noise_class *c = &p->classes[k];
        const double bytes = p->above_bytes[c->first];
        const int segment = tlp_segment_of(&p->net->pieces, bytes + 1);
        const double least = least_s / network_s(p, segment, LONGER * bytes);
        c->run_sd = fmax(c->run_sd, fmin(least, p->classes[0].run_sd));
    }
}

static tl_status fit_path(noise_path *p, const tlp_probe_data *data, double *values, double *ones)
{
    tl_status status = TL_OK;
    const bool is_known =
        p->is_local ? p->net->one_host || p->net->loopback_Bps > 0 : !p->net->one_host;
    if (is_known) {
        find_ranges(p);
        select_rows(p, data);
    }
    number_parts(p, data->n_launches);
    find_classes(p);
    for (int k = 0; k < p->n_classes && status == TL_OK; k++) {
        status = fit_class(p, &p->classes[k], values, ones);
        p->classes[k].run_sd = fit_run(p, &p->classes[k]);
    }
    share_run(p);
    return status;
}

/* ---- noise.conf ---- */

static const char *protocol_of(const tlp_network *net, double above_bytes)
{
    if (net->thresholds_seen && above_bytes >= (double)net->detached_bytes - 1)
        return "rendezvous";
    return above_bytes >= (double)net->async_bytes - 1 ? "detached" : "eager";
}

static void write_path(const noise_path *p, const char *name, FILE *out)
{
    if (!p->n_classes)
        return;
    fprintf(out, "%s = (\n", name);
    for (int i = 0; i < p->n_classes; i++) {
        const noise_class *c = &p->classes[i];
        const double above_bytes = i ? p->above_bytes[c->first] : 0;
        fprintf(out,
                "  # %s; %zu outliers are left out\n"
                "  { above_bytes = %.0f.0; samples = %zu; least = %.4f; run_sd = %.6f;\n"
                "    modes = (",
                protocol_of(p->net, above_bytes), c->n_outliers, above_bytes, c->n, c->least,
                c->run_sd);
        for (int k = 0; k < c->n_modes; k++)
            fprintf(out, "%s [ %.6f, %.6f, %.6f ]", k ? "," : "", c->modes[k].share,
                    fmax(c->least, c->modes[k].mean), c->modes[k].sd);
        fprintf(out, " ); }%s\n", i + 1 == p->n_classes ? "" : ",");
    }
    fputs(");\n", out);
}

static void write_noise(const noise_path paths[2], const tlp_probe_data *data, FILE *out)
{
    fprintf(out,
            "# Measured by 'timeless calibrate network' %s at %s: %d ranks on %d host%s, %s,\n"
            "# seed %lu, %zu operations in %d launch%s.\n",
            tl_version(), *data->moment ? data->moment : "an unknown moment", data->n_ranks,
            data->n_hosts, data->n_hosts == 1 ? "" : "s", data->mpi, data->seed, data->n_rows,
            data->n_launches > 1 ? data->n_launches : 1, data->n_launches > 1 ? "es" : "");
    fputs(
        "# The noise of messages, for 'timeless replay --noise network': the factor of the time\n"
        "# that a message takes in the network. From half round trips, measured - fitted, divided\n"
        "# by latency and bytes, times the square root of 2, as a round trip has two messages.\n"
        "# modes: weight, mean, standard deviation; the mean of all is 1, the fitted line. "
        "Outliers,\n"
        "# which take more than twice the line, are left out. least: the smallest measured.\n"
        "# run_sd: deviation of the factor that all messages of a run have in common, from the\n"
        "# means of 20 parts of these launches, beyond what their single transfers explain.\n",
        out);
    write_path(&paths[0], "between", out);
    write_path(&paths[1], "within", out);
}

tl_status tlp_network_noise_write(const tlp_network *net, const tlp_probe_data *data, FILE *out,
                                  tl_error *err)
{
    noise_path *paths = calloc(2, sizeof *paths);
    double *room = malloc((2 * data->n_rows + 2) * sizeof *room);
    excess *rows = malloc((2 * data->n_rows + 1) * sizeof *rows);
    tl_status status = paths && room && rows ? TL_OK : TL_ERR_MEMORY;
    for (int i = 0; i < 2 && status == TL_OK; i++) {
        paths[i].net = i && net->within ? net->within : net; /* --per-host */
        paths[i].is_local = i;
        paths[i].rows = rows + (size_t)i * data->n_rows;
        status = fit_path(&paths[i], data, room, room + data->n_rows + 1);
    }
    if (status == TL_OK)
        write_noise(paths, data, out);
    else
        tl_error_set(err, status, "out of memory while fitting the noise of the network");
    free(rows);
    free(room);
    free(paths);
    return status;
}
