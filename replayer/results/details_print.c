/* details_print.c - the details of a prediction as tables. */
#include "config.h"

#include "details.h"

#include "call_path.h"
#include "efficiency.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <timeless_files.h>

enum { N_SITES = 10 };

static void print_waits(const tlr_details *d, FILE *out)
{
    fprintf(out, "\n%-18s %14s %14s %14s\n", "waiting per rank", "min", "mean", "max");
    for (unsigned kind = TLR_WAIT_LATE_SENDER; kind < TLR_N_WAITS; kind++) {
        double min = INFINITY, max = 0, sum = 0;
        for (uint32_t r = 0; r < d->n_ranks; r++) {
            const double value = d->ranks[r].wait_s[kind];
            min = fmin(min, value);
            max = fmax(max, value);
            sum += value;
        }
        fprintf(out, "%-18s %14.4g %14.4g %14.4g\n", tlr_wait_name(kind), min, sum / d->n_ranks,
                max);
    }
}

/* The widths of names beside four columns of seconds, and on the critical path. */
enum { MOST = 72, MOST_ON_PATH = 104 };

/* The names of the rows that are printed, shortened to `most`. */
typedef struct short_names {
    char texts[N_SITES][TLR_SHORT_NAME];
    size_t n;
    int width; /* of the column: that of the longest, at least `least` */
} short_names;

static void shorten_names(const tlr_sums *sums, int least, int most, short_names *out)
{
    const char *names[N_SITES];
    out->n = sums->n < N_SITES ? sums->n : N_SITES;
    out->width = least;
    for (size_t i = 0; i < out->n; i++)
        names[i] = sums->rows[i].name;
    for (size_t i = 0; i < out->n; i++) {
        tlr_shorten_apart(names[i], names, out->n, (size_t)most, out->texts[i]);
        const int length = (int)strlen(out->texts[i]);
        out->width = length > out->width ? length : out->width;
    }
}

/* Prints the rows that take most of the time, and the share of this time that is waiting. */
static void print_sums(const char *title, const tlr_sums *sums, FILE *out)
{
    short_names names;
    shorten_names(sums, 32, MOST, &names);
    const int width = names.width;
    fprintf(out, "\n%-*s %12s %12s %13s %13s\n", width, title, "all ranks", "late sender",
            "late receiver", "at collective");
    for (size_t i = 0; i < names.n; i++) {
        const tlr_sum *row = &sums->rows[i];
        fprintf(out, "%-*s %12.4g %12.4g %13.4g %13.4g\n", width, tl_printable(names.texts[i]),
                row->time_s, row->wait_s[TLR_WAIT_LATE_SENDER], row->wait_s[TLR_WAIT_LATE_RECEIVER],
                row->wait_s[TLR_WAIT_COLLECTIVE]);
    }
    if (sums->n > N_SITES)
        fprintf(out, "and %zu more\n", sums->n - N_SITES);
}

static void print_parallel(const tlr_sums *sums, FILE *out)
{
    short_names names;
    shorten_names(sums, 32, MOST, &names);
    fprintf(out, "\n%-*s %8s %8s %12s %9s %12s\n", names.width, "parallel region", "number",
            "threads", "slowest s", "balance", "imbalance s");
    for (size_t i = 0; i < names.n; i++) {
        const tlr_sum *row = &sums->rows[i];
        fprintf(out, "%-*s %8" PRIu64 " %8" PRIu32 " %12.4g %7.1f %% %12.4g\n", names.width,
                tl_printable(names.texts[i]), row->count, row->n_threads, row->time_s,
                100 * tlr_balance_of(row), row->time_s - row->balanced_s);
    }
    if (sums->n > N_SITES)
        fprintf(out, "and %zu more\n", sums->n - N_SITES);
}

/* The count of a row is the number of its samples. */
static void print_functions(const tlr_sums *sums, FILE *out)
{
    short_names names;
    double all_s = 0;
    for (size_t i = 0; i < sums->n; i++)
        all_s += sums->rows[i].time_s;
    shorten_names(sums, 32, MOST, &names);
    fprintf(out, "\n%-*s %12s %6s %9s\n", names.width, "seconds computing in function", "all ranks",
            "%", "samples");
    for (size_t i = 0; i < names.n; i++)
        fprintf(out, "%-*s %12.4g %6.1f %9" PRIu64 "\n", names.width, tl_printable(names.texts[i]),
                sums->rows[i].time_s, 100 * sums->rows[i].time_s / (all_s > 0 ? all_s : 1),
                sums->rows[i].count);
    if (sums->n > N_SITES)
        fprintf(out, "and %zu more\n", sums->n - N_SITES);
}

static void print_path(const tlr_path *path, FILE *out)
{
    const double whole_s = path->length_s > 0 ? path->length_s : 1;
    uint32_t longest = 0;
    for (uint32_t r = 1; r < path->n_ranks; r++)
        if (path->rank_s[r] > path->rank_s[longest])
            longest = r;
    short_names names;
    shorten_names(&path->sites, 30, MOST_ON_PATH, &names);
    const int width = names.width + 2;
    fprintf(out, "\n%-*s %12s %6s\n", width, "critical path", "seconds", "%");
    for (unsigned part = 0; part < TLR_N_PARTS; part++)
        if (path->parts_s[part] > 0)
            fprintf(out, "%-*s %12.4g %6.1f\n", width, tlr_part_name(part), path->parts_s[part],
                    100 * path->parts_s[part] / whole_s);
    for (size_t i = 0; i < names.n; i++)
        fprintf(out, "  %-*s %12.4g %6.1f\n", width - 2, tl_printable(names.texts[i]),
                path->sites.rows[i].time_s, 100 * path->sites.rows[i].time_s / whole_s);
    fprintf(out, "%" PRIu64 " jumps between ranks", path->n_jumps);
    if (!path->n_ranks) {
        fputc('\n', out);
        return;
    }
    fprintf(out, "; longest on rank %" PRIu32 ": %.4g s\n", longest, path->rank_s[longest]);
}

static void print_what_if(const tlr_what_if *w, FILE *out)
{
    fprintf(out, "\n%-32s %12s %12s\n", "makespan with", "at least", "about");
    fprintf(out, "%-32s %12.4g %12s\n", "an ideal network", w->ideal_network_s, "");
    fprintf(out, "%-32s %12.4g", "computation in balance", w->mean_compute_s);
    if (isnan(w->balanced_s))
        fputc('\n', out);
    else
        fprintf(out, " %12.4g\n", w->balanced_s);
    fprintf(out, "%-32s %12.4g %12.4g\n", "hosts twice as fast", w->ideal_network_s / 2,
            w->twice_the_cpu_s);
    if (!isnan(w->balanced_s))
        fprintf(out,
                "in balance: each rank computes for the mean of all ranks in each phase between "
                "synchronisations (%" PRIu64 ")\n",
                w->n_phases);
}

static void print_efficiency(const tlr_prediction *p, FILE *out)
{
    tlr_efficiency e;
    if (tlr_efficiency_of(p, &e))
        fprintf(out,
                "parallel efficiency %.1f %% = load balance %.1f %% x serialisation %.1f %% x "
                "transfer %.1f %% (metrics of POP)\n",
                100 * e.parallel, 100 * e.balance, 100 * e.serialisation, 100 * e.transfer);
}

void tlr_details_print(const tlr_prediction *p, FILE *out)
{
    const tlr_details *d = p->details;
    if (!d->n_ranks)
        return;
    print_waits(d, out);
    print_path(d->path, out);
    print_what_if(&p->what_if, out);
    print_efficiency(p, out);
    print_sums("seconds in call", &d->calls, out);
    if (d->chosen && (d->sites.n || d->functions.n || d->regions.n || d->parallel.n))
        fprintf(out, "\nof %s alone:\n", d->chosen);
    if (d->sites.n)
        print_sums("seconds at call site", &d->sites, out);
    if (d->functions.n)
        print_functions(&d->functions, out);
    if (d->regions.n)
        print_sums("seconds in region", &d->regions, out);
    if (d->parallel.n)
        print_parallel(&d->parallel, out);
}
