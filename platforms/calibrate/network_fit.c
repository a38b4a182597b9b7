/* network_fit.c - computes the parameters of SMPI and LogGOPS from the measurements. */
#include "config.h"

#include "network.h"
#include "network_node.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_errno.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>

/* The limits below were chosen and not derived. tests/cli/calibrate_network.sh checks that the fit
 * finds known networks with them. */

/* The least part of a transfer that belongs to the network, in addition to os and or. Within a host
 * nearly all of a transfer is work of its two ranks. */
#define LEAST_PART 0.1
#define LEAST_PART_WITHIN 0.01
/* If a gap is this many times the sender's own time, the sender is not its cause. */
#define CLEARLY_MORE 1.2
/* If a send takes this many times an answer, it waits for its bytes. */
#define CLEARLY_KEPT 1.5
/* A message that shares the link is late by this many times the time of its own bytes. */
#define SHARED 1.0
/* So many measurements of one message, and of two, tell whether two share the link. */
#define LEAST_ORDERED 5
/* Thresholds that are closer than this are the same; so are a break and a threshold. */
#define THRESHOLDS_APART 2.0
#define SAME_BREAK 1.3
/* The share of sizes below the detached threshold that may contradict the one of async-small. */
#define UNCLEAR 0.1

typedef struct fit {
    const tlp_probe_data *data;
    tlp_network *net;
    double *x, *y; /* room for all rows */
    tl_error *err;
    double most_detached; /* the largest threshold that the engines can have; 0: any */
} fit;

/* Rows of one kind as x and y, without the warm-up: those with this count (0: any), and with bytes
 * from `least` up to those below `end`. They follow the n that are there; returns their end. */
static size_t select_rows(const fit *f, int kind, int count, double least, double end, size_t n)
{
    for (size_t i = 0; i < f->data->n_rows; i++) {
        const tlp_probe_row *row = &f->data->rows[i];
        if (!tlp_is_row(row, kind, f->net->one_host) || (count && row->count != count) ||
            row->bytes < least || row->bytes >= end)
            continue;
        f->x[n] = row->bytes;
        f->y[n++] = row->seconds;
    }
    return n;
}

static size_t select_all(const fit *f, int kind)
{
    return select_rows(f, kind, 0, 0, INFINITY, 0);
}

static void fit_polls(fit *f)
{
    /* Kinds for which the host does not matter. */
    struct {
        int kind;
        double *to;
    } polls[] = {{KIND_iprobe, &f->net->iprobe_s},
                 {KIND_test, &f->net->test_s},
                 {KIND_wtime, &f->net->wtime_s}};
    for (size_t i = 0; i < sizeof polls / sizeof *polls; i++) {
        size_t n = select_all(f, polls[i].kind);
        *polls[i].to = tlp_median(f->y, n);
    }
}

/* ---- thresholds ---- */

/* The size that separates best the measurements for which is_above (y) is true from the others.
 * *wrong: the number of measurements on the wrong side. Returns 0 if is_above is true for all,
 * INFINITY if it is for none. */
static double divide(const double *x, const double *is_above, size_t n, size_t *wrong)
{
    size_t *order = malloc((n + 1) * sizeof *order), n_below_wrong = 0, n_above_wrong = 0;
    double best = NAN;
    *wrong = SIZE_MAX;
    if (!order)
        return NAN;
    gsl_sort_index(order, x, 1, n);
    for (size_t i = 0; i < n; i++)
        n_above_wrong += is_above[i] == 0;
    for (size_t i = 0; i <= n; i++) {
        if (n_below_wrong + n_above_wrong < *wrong &&
            (i == 0 || i == n || x[order[i]] > x[order[i - 1]])) {
            *wrong = n_below_wrong + n_above_wrong;
            best = i == 0 ? 0 : i == n ? INFINITY : sqrt(x[order[i - 1]] * x[order[i]]);
        }
        if (i < n) {
            n_below_wrong += is_above[order[i]] != 0;
            n_above_wrong -= is_above[order[i]] == 0;
        }
    }
    free(order);
    return best;
}

/* If a send waits for a late receive, it is not detached. */
static double find_detached(fit *f)
{
    size_t n = 0, wrong;
    for (size_t i = 0; i < f->data->n_rows; i++) {
        const tlp_probe_row *row = &f->data->rows[i];
        if (!tlp_is_row(row, KIND_late, f->net->one_host))
            continue;
        f->x[n] = row->bytes;
        f->y[n++] = row->seconds > 0.75 * row->delay_s;
    }
    return n ? divide(f->x, f->y, n, &wrong) : NAN;
}

/* If a message came before its receive, the receive takes much less time than a transfer. */
static double find_async(fit *f, const tlp_pieces *transfer, double detached)
{
    size_t n = select_all(f, KIND_recv), kept = 0, wrong;
    for (size_t i = 0; i < n; i++) {
        if (f->x[i] > detached)
            continue;
        f->x[kept] = f->x[i];
        f->y[kept++] = f->y[i] > tlp_pieces_at(transfer, 0, f->x[i]) / 2;
    }
    double async = kept ? divide(f->x, f->y, kept, &wrong) : detached;
    return kept && (double)wrong <= UNCLEAR * (double)kept && async * THRESHOLDS_APART < detached
               ? async
               : detached;
}

/* ---- the joint fit ---- */

static tl_status make_series(fit *f)
{
    static const int kinds[N_NETWORK_SERIES] = {KIND_pingpong, KIND_send, KIND_recv, KIND_isend};
    for (int k = 0; k < N_NETWORK_SERIES; k++) {
        size_t n = select_all(f, kinds[k]);
        for (size_t i = 0; i < n; i++)
            f->y[i] = fmax(f->y[i] - f->net->wtime_s, f->net->wtime_s / 10 + 1e-10) /
                      (k == SERIES_transfer ? 2 : 1);
        tl_status status = tlp_series_make(f->x, f->y, n, &f->net->series[k]);
        if (status != TL_OK)
            return tl_fail(f->err, status, "out of memory while fitting the network");
        f->net->series[k].may_dip = k != SERIES_transfer;
        f->net->n_outliers += f->net->series[k].n_outliers;
    }
    return TL_OK;
}

static tl_status too_little(const fit *f)
{
    return tl_fail(f->err, TL_ERR_INPUT,
                   "%zu measurements between %s are too few for a fit; give more --max-seconds",
                   f->data->n_rows, f->net->one_host ? "two ranks" : "two hosts");
}

/* If the lines change close to a threshold, the threshold is the reason, and the break gives its
 * place more exactly. */
static double snap(const tlp_pieces *pieces, double threshold)
{
    for (int i = 1; i < pieces->n; i++)
        if (fabs(log(pieces->breaks[i] / threshold)) < log(SAME_BREAK))
            return pieces->breaks[i];
    return floor(threshold);
}

/* Limits of MPI libraries are powers of two that include the header. A message of exactly this
 * size, which programs often send, is above the limit. If a power of two is within the resolution
 * of the measured sizes, it is taken as the threshold. */
static double below_power_of_two(double threshold)
{
    const double power = exp2(round(log2(threshold)));
    return threshold > 1 && fabs(threshold / power - 1) < 0.01 ? power - 1 : threshold;
}

static tl_status fit_pieces(fit *f)
{
    tlp_network *net = f->net;
    double forced[2], largest;
    int n_forced = 0;
    if (tlp_pieces_fit(net->series, N_NETWORK_SERIES, NULL, 0, &net->pieces) != TL_OK)
        return too_little(f);
    largest = net->series[0].bytes[net->series[0].n - 1];
    double detached = find_detached(f);
    net->thresholds_seen = detached < largest / SAME_BREAK;
    detached = net->thresholds_seen ? below_power_of_two(snap(&net->pieces, detached)) : largest;
    net->own_detached_bytes = (long)fmin(detached + 1, INT_MAX);
    if (f->most_detached > 0 && detached > f->most_detached - 1) {
        detached = f->most_detached - 1;
        net->thresholds_seen = 1;
    }
    double async = find_async(f, &net->pieces, detached);
    if (async < detached)
        async = snap(&net->pieces, async);
    net->async_bytes = (long)fmin(async + 1, INT_MAX);
    net->detached_bytes = (long)fmin(detached + 1, INT_MAX);
    if (async < detached && async > 0)
        forced[n_forced++] = async;
    if (net->thresholds_seen && detached > 0)
        forced[n_forced++] = detached;
    return tlp_pieces_fit(net->series, N_NETWORK_SERIES, forced, n_forced, &net->pieces) == TL_OK
               ? TL_OK
               : too_little(f);
}

/* ---- SMPI's terms ---- */

double tlp_network_line_at(const tlp_line *line, double bytes)
{
    return line->intercept_s + line->per_byte_s * bytes;
}

static double segment_end(const tlp_network *net, int i)
{
    const tlp_series *s = &net->series[SERIES_transfer];
    return i + 1 < net->pieces.n ? net->pieces.breaks[i + 1] : s->bytes[s->n - 1];
}

static void scale(tlp_line *line, double factor)
{
    line->intercept_s *= factor;
    line->per_byte_s *= factor;
}

/* os and or of a segment of detached messages, and the part of the transfer that remains for the
 * network. */
static tlp_line split_transfer(tlp_network *net, int i, double least_part)
{
    const tlp_line *transfer = &net->pieces.lines[SERIES_transfer][i];
    double begin = fmax(1, net->pieces.breaks[i]), end = segment_end(net, i);
    tlp_line *os = &net->os[i], *or_ = &net->or_[i];
    tlp_line rest = {.intercept_s = transfer->intercept_s, .per_byte_s = transfer->per_byte_s};
    if (net->pieces.breaks[i] >= (double)net->detached_bytes - 1 && net->thresholds_seen)
        return rest;
    *os = net->pieces.lines[SERIES_send][i];
    *or_ = net->pieces.lines[SERIES_recv][i];
    if (net->pieces.breaks[i] >= (double)net->async_bytes - 1 &&
        net->async_bytes < net->detached_bytes) {
        /* The measured receive contained the transfer: recv = net + or, transfer = os + recv. */
        double receive = or_->intercept_s, per_byte = or_->per_byte_s;
        *or_ = (tlp_line){0};
        rest.intercept_s = fmax(0, fmin(receive, transfer->intercept_s - os->intercept_s));
        rest.per_byte_s = fmax(0, fmin(per_byte, transfer->per_byte_s - os->per_byte_s));
        *os = (tlp_line){.intercept_s = transfer->intercept_s - rest.intercept_s,
                         .per_byte_s = transfer->per_byte_s - rest.per_byte_s};
        return rest;
    }
    double share = 1;
    for (int at = 0; at < 2; at++) {
        double bytes = at ? end : begin,
               ours = tlp_network_line_at(os, bytes) + tlp_network_line_at(or_, bytes);
        if (ours > 0)
            share = fmin(share, (1 - least_part) * tlp_network_line_at(transfer, bytes) / ours);
    }
    net->is_shortened[i] = share < 1;
    scale(os, share);
    scale(or_, share);
    rest.intercept_s -= os->intercept_s + or_->intercept_s;
    rest.per_byte_s -= os->per_byte_s + or_->per_byte_s;
    return rest;
}

/* The nearest line without negative coefficients, because SMPI's latencies and bandwidths are
 * positive. */
static void make_positive(tlp_line *rest, double begin, double end)
{
    double low = tlp_network_line_at(rest, begin), high = tlp_network_line_at(rest, end);
    if (rest->per_byte_s * end < 0.001 * fabs(high)) {
        double middle = (low + high) / 2;
        *rest = (tlp_line){.intercept_s = 0.999 * middle, .per_byte_s = 0.001 * middle / end};
    } else if (rest->intercept_s < 0) {
        *rest = (tlp_line){.per_byte_s = (low + high) / (begin + end)};
    }
}

/* No byte may take less time than on the link, because SimGrid would let a message with a bandwidth
 * factor above 1 exceed the capacity of the link. If a line is too flat, the difference is work of
 * the CPUs meanwhile, at most its latency. */
static void take_link_time(tlp_network *net, int i, tlp_line *rest, double link_per_byte_s)
{
    double missing = link_per_byte_s - rest->per_byte_s;
    double middle = sqrt(fmax(1, net->pieces.breaks[i]) * segment_end(net, i));
    tlp_line *overheads[] = {&net->os[i], &net->or_[i]};
    if (missing <= 0 || net->one_host) /* memory is no link: what fits the caches is faster */
        return;
    rest->per_byte_s = link_per_byte_s;
    for (int k = 0; k < 2; k++) {
        double taken = fmax(0, fmin(missing, overheads[k]->per_byte_s));
        overheads[k]->per_byte_s -= taken;
        missing -= taken;
    }
    rest->intercept_s = fmax(0, rest->intercept_s - missing * middle);
}

/* The nearest line of a call's CPU time in which no part is negative: no message takes less than no
 * time, and a longer one not less than a shorter one. */
static void make_payable(tlp_line *line, double begin, double end)
{
    const double low = fmax(0, tlp_network_line_at(line, begin)),
                 high = fmax(0, tlp_network_line_at(line, end));
    if (line->intercept_s >= 0 && line->per_byte_s >= 0)
        return;
    *line = high <= low ? (tlp_line){.intercept_s = (low + high) / 2}
                        : (tlp_line){.per_byte_s = (low + high) / (begin + end)};
}

/* Intercept and slope of the network become factors of one latency and one bandwidth. */
static void convert(tlp_network *net, double least_part)
{
    tlp_line rest[TLP_MAX_SEGMENTS] = {0};
    int n = net->pieces.n;
    for (int i = 0; i < n; i++) {
        rest[i] = split_transfer(net, i, least_part);
        make_positive(&rest[i], fmax(1, net->pieces.breaks[i]), segment_end(net, i));
    }
    for (int i = 0; i < n; i++) {
        take_link_time(net, i, &rest[i], rest[n - 1].per_byte_s);
        rest[i].intercept_s =
            fmax(0, rest[i].intercept_s - TLP_ENVELOPE_BYTES * rest[i].per_byte_s);
        net->ois[i] = net->pieces.lines[SERIES_isend][i];
        tlp_line *calls[] = {&net->os[i], &net->or_[i], &net->ois[i]};
        for (int k = 0; k < 3; k++)
            make_payable(calls[k], fmax(1, net->pieces.breaks[i]), segment_end(net, i));
    }
    net->bandwidth_Bps = 1 / rest[n - 1].per_byte_s;
    net->latency_s = rest[0].intercept_s;
    for (int i = 1; i < n && net->latency_s <= 0; i++)
        net->latency_s = rest[i].intercept_s;
    net->has_no_latency = net->latency_s <= 0;
    if (net->has_no_latency)
        net->latency_s = 1e-9;
    for (int i = 0; i < n; i++) {
        net->lat_factor[i] = rest[i].intercept_s / net->latency_s;
        net->bw_factor[i] = 1 / (rest[i].per_byte_s * net->bandwidth_Bps);
    }
}

double tlp_network_wire_s(const tlp_network *net, int i, double bytes)
{
    return net->lat_factor[i] * net->latency_s +
           (bytes + TLP_ENVELOPE_BYTES) / (net->bw_factor[i] * net->bandwidth_Bps);
}

double tlp_network_transfer_s(const tlp_network *net, double bytes)
{
    int i = tlp_segment_of(&net->pieces, bytes);
    double seconds = tlp_network_wire_s(net, i, bytes);
    if (bytes < (double)net->detached_bytes)
        seconds += fmax(0, tlp_network_line_at(&net->os[i], bytes)) +
                   fmax(0, tlp_network_line_at(&net->or_[i], bytes));
    return seconds;
}

/* The time from one short message to the next. */
static double gap(fit *f)
{
    double *single = f->x, *many = f->y;
    size_t n_single = 0, n_many = 0;
    int longest = 1;
    for (size_t i = 0; i < f->data->n_rows; i++) {
        const tlp_probe_row *row = &f->data->rows[i];
        if (!tlp_is_row(row, KIND_burst, f->net->one_host))
            continue;
        if (row->count == 1) {
            single[n_single++] = row->seconds;
        } else {
            many[n_many++] = row->seconds;
            longest = row->count;
        }
    }
    if (!n_single || !n_many)
        return 0;
    return fmax(0, tlp_median(many, n_many) - tlp_median(single, n_single)) / (longest - 1);
}

/* A receive that finds its message already there does not show the whole cost for the receiver,
 * because the library took the message in while it waited for something else. Bursts show it: the
 * time from one short message to the next, minus the sender's own time, belongs to the receiver.
 * The latency becomes shorter by the same time, so a single message takes as long as before. */
static void charge_receiver(fit *f)
{
    tlp_network *net = f->net;
    const double gap_s = gap(f), eager = (double)net->async_bytes - 1;
    if (net->one_host || gap_s < CLEARLY_MORE * tlp_network_line_at(&net->ois[0], 1))
        return;
    for (int i = 0; i < net->pieces.n && net->pieces.breaks[i] < eager; i++) {
        const double latency = net->lat_factor[i] * net->latency_s;
        const double least =
            LEAST_PART * tlp_network_line_at(&net->pieces.lines[SERIES_transfer][i],
                                             fmax(1, net->pieces.breaks[i]));
        const double more = fmin(gap_s - net->or_[i].intercept_s, latency - least);
        if (more <= 0)
            continue;
        net->or_[i].intercept_s += more;
        net->lat_factor[i] -= more / net->latency_s;
    }
    /* The latency remains that of the shortest messages. */
    const double first = net->lat_factor[0];
    for (int i = 0; i < net->pieces.n && first > 0; i++)
        net->lat_factor[i] /= first;
    net->latency_s *= first > 0 ? first : 1;
}

/* The bytes that are still on the way when a blocking send of a long message ends: all bytes except
 * those for which its time was long enough. If a send takes no longer than the shortest long one,
 * it waits for the answer of the receiver only. If this holds for all sends, the buffers hold the
 * largest message that was sent. */
static void fit_send_buffer(fit *f)
{
    tlp_network *net = f->net;
    const size_t n = select_rows(f, KIND_send, 0, (double)net->detached_bytes, INFINITY, 0);
    size_t n_kept = 0;
    if (net->one_host || !net->thresholds_seen || n < 20)
        return;
    gsl_sort2(f->x, 1, f->y, 1, n);
    const double largest = f->x[n - 1];
    double shortest[5];
    memcpy(shortest, f->y, sizeof shortest);
    const double answer_s = tlp_median(shortest, 5);
    for (size_t i = 0; i < n; i++) {
        const int k = tlp_segment_of(&net->pieces, f->x[i]);
        if (f->y[i] > CLEARLY_KEPT * answer_s)
            f->y[n_kept++] = (tlp_network_wire_s(net, k, f->x[i]) - f->y[i]) * net->bw_factor[k] *
                             net->bandwidth_Bps;
    }
    net->send_buffer_bytes = n_kept >= 5 ? fmax(0, tlp_median(f->y, n_kept)) : largest;
}

/* Whether the first of two eager messages on a connection arrives as soon as without the second
 * one, or as late as a message of twice the size, because they share the link. Only sizes that take
 * time are compared: at least an eighth of the largest eager one. */
static void fit_order(fit *f)
{
    const tlp_network *net = f->net;
    const double eager = fmin((double)net->async_bytes, (double)net->detached_bytes);
    const size_t n_single = select_rows(f, KIND_order, 1, eager / 8, eager, 0),
                 n = select_rows(f, KIND_order, 2, eager / 8, eager, n_single);
    double c0, c1, cov00, cov01, cov11, sum;
    if (net->one_host || n_single < LEAST_ORDERED || n < n_single + LEAST_ORDERED)
        return;
    gsl_fit_linear(f->x, 1, f->y, 1, n_single, &c0, &c1, &cov00, &cov01, &cov11, &sum);
    for (size_t i = n_single; i < n; i++)
        f->y[i] = (f->y[i] - c0 - c1 * f->x[i]) / (c1 * f->x[i]);
    f->net->orders_eager = c1 > 0 && tlp_median(f->y + n_single, n - n_single) < SHARED / 2;
}

/* ---- LogGOPS ---- */

/* L, o, g, G, O (Hoefler, LogGOPSim), from the smallest messages and from the bytes of the largest
 * ones. The cost of a byte for the processor is that in os and or below the detached threshold. */
static void fit_loggops(fit *f)
{
    tlp_network *net = f->net;
    double transfer = tlp_network_transfer_s(net, 1), per_byte = 0;
    for (int i = 0; i < net->pieces.n && segment_end(net, i) < (double)net->detached_bytes; i++)
        per_byte = (net->os[i].per_byte_s + net->or_[i].per_byte_s) / 2;
    net->o_s =
        fmax(0, (tlp_network_line_at(&net->os[0], 1) + tlp_network_line_at(&net->or_[0], 1)) / 2);
    net->L_s = fmax(1e-10, transfer - 2 * net->o_s);
    net->g_s = fmax(net->o_s, gap(f));
    net->G_s = 1 / (net->bandwidth_Bps * net->bw_factor[net->pieces.n - 1]);
    net->O_s = fmax(0, per_byte);
}

tl_status tlp_fit_level(const tlp_probe_data *data, bool is_within, double most_detached,
                        tlp_network *out, tl_error *err)
{
    gsl_set_error_handler_off();
    fit f = {data, out, NULL, NULL, err, most_detached};
    const bool is_part = is_within && data->n_hosts > 1;
    *out =
        (tlp_network){.one_host = is_within, .n_rows = data->n_rows, .per_host = 1, .adapter = 1};
    for (size_t i = 0; i < data->n_rows; i++)
        out->n_warm += data->rows[i].is_warm != 0;
    double *memory = malloc((2 * data->n_rows + 2) * sizeof *memory);
    if (!memory)
        return tl_no_memory(err, "fitting the network");
    f.x = memory;
    f.y = memory + data->n_rows + 1;
    fit_polls(&f);
    tl_status status = make_series(&f);
    if (status == TL_OK)
        status = fit_pieces(&f);
    if (status == TL_OK) {
        convert(out, is_part ? LEAST_PART_WITHIN : LEAST_PART);
        tlp_network_fit_sharing(data, out, f.y);
        fit_loggops(&f); /* has the gap as such */
        charge_receiver(&f);
        fit_send_buffer(&f);
        fit_order(&f);
    } else {
        tlp_network_clear(out);
    }
    free(memory);
    return status;
}

tl_status tlp_network_fit(const tlp_probe_data *data, tlp_network *out, tl_error *err)
{
    TL_TRY(tlp_fit_level(data, data->n_hosts < 2, 0, out, err));
    tl_status status = TL_OK;
    if (data->per_host < 2)
        tlp_fit_loopback(data, out);
    else if ((status = tlp_fit_node(data, out, err)) != TL_OK)
        tlp_network_clear(out);
    return status;
}

void tlp_network_clear(tlp_network *network)
{
    for (int k = 0; k < N_NETWORK_SERIES; k++)
        tlp_series_clear(&network->series[k]);
    if (network->within)
        tlp_network_clear(network->within);
    free(network->within);
    network->within = NULL;
}
