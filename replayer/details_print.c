/* details_print.c - the details of a prediction as tables. */
#include "config.h"

#include "details.h"

#include <math.h>

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
        fprintf(out, "%-18s %14.9g %14.9g %14.9g\n", tlr_wait_name(kind), min, sum / d->n_ranks,
                max);
    }
}

/* Those that take most of the time, with the part of it that is waiting. */
static void print_sums(const char *title, const tlr_sums *sums, FILE *out)
{
    fprintf(out, "\n%-32s %12s %12s %13s %13s\n", title, "all ranks", "late sender",
            "late receiver", "at collective");
    for (size_t i = 0; i < sums->n && i < N_SITES; i++) {
        const tlr_sum *row = &sums->rows[i];
        fprintf(out, "%-32s %12.6g %12.6g %13.6g %13.6g\n", row->name, row->time_s,
                row->wait_s[TLR_WAIT_LATE_SENDER], row->wait_s[TLR_WAIT_LATE_RECEIVER],
                row->wait_s[TLR_WAIT_COLLECTIVE]);
    }
    if (sums->n > N_SITES)
        fprintf(out, "and %zu more\n", sums->n - N_SITES);
}

void tlr_details_print(const tlr_details *d, FILE *out)
{
    if (!d->n_ranks)
        return;
    print_waits(d, out);
    print_sums("seconds in call", &d->calls, out);
    if (d->sites.n)
        print_sums("seconds at call site", &d->sites, out);
    if (d->regions.n)
        print_sums("seconds in region", &d->regions, out);
}
