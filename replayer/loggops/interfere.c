/* interfere.c - computation that depends on what the other ranks of the node compute.
 *
 * The simulation goes ahead rank by rank, so a rank does not know what the others compute at the
 * moment. It knows what they compute in the mean: the run is read and simulated several times, and
 * each time the bursts of a rank are slowed by the load that the others had the time before. */
#include "config.h"

#include "reading.h"

#include <stdlib.h>
#include <string.h>

/* When a rank ends. */
typedef struct loggops_end {
    double end_s;
    uint32_t rank;
} loggops_end;

tl_status loggops_load_open(uint32_t n_ranks, const loggops_places *places, loggops_load *load,
                            tl_error *err)
{
    const size_t n_hosts = places->cluster.n_hosts;
    load->n_ranks = n_ranks;
    load->ends = calloc(n_ranks + 1U, sizeof *load->ends);
    load->ranks = calloc(n_ranks + 1U, sizeof *load->ranks);
    load->first_on = calloc(n_hosts + 2, sizeof *load->first_on);
    load->hogs = calloc(n_ranks + 1U, sizeof *load->hogs);
    load->acting_s = calloc(n_ranks + 1U, sizeof *load->acting_s);
    if (!load->ends || !load->ranks || !load->first_on || !load->hogs || !load->acting_s)
        return tl_no_memory(err, "load of the nodes");
    /* For a while, first_on[h + 1] is where the next rank of host h goes. */
    for (size_t h = 1; h < n_hosts; h++)
        load->first_on[h + 1] = load->first_on[h] + places->n_on[h - 1];
    for (uint32_t r = 0; r < n_ranks; r++)
        load->ranks[load->first_on[places->host_of[r] + 1]++] = r;
    return TL_OK;
}

void loggops_load_free(loggops_load *load)
{
    free(load->ends);
    free(load->ranks);
    free(load->first_on);
    free(load->hogs);
    free(load->acting_s);
    *load = (loggops_load){0};
}

double loggops_slow_down(loggops_reading *t, uint32_t from, uint32_t to, uint16_t kernel,
                         double seconds)
{
    const loggops_load *load = t->places ? t->places->load : NULL;
    if (!load || seconds <= 0)
        return seconds;
    const tlr_disturbance *bending = tlr_find_bending(&t->rates, from, to, kernel);
    if (!bending)
        return seconds;
    seconds *= tlr_disturbance_slowdown(bending, load->hogs[t->rank]);
    for (int h = 0; h < TLR_N_HOGS; h++)
        load->acting_s[t->rank][h] += seconds * bending->acts_as[h];
    return seconds;
}

static int compare_ends(const void *a, const void *b)
{
    const loggops_end *x = a, *y = b;
    if (x->end_s != y->end_s)
        return x->end_s < y->end_s ? -1 : 1;
    return x->rank < y->rank ? -1 : 1;
}

/* What the ranks of a host, in the order of their ends, act as on each other. A rank acts on
 * another one for its seconds of the time until the later one of them ends. */
static void act_on_each_other(loggops_load *load, const loggops_end *ends, uint32_t n, double share)
{
    for (int h = 0; h < TLR_N_HOGS; h++) {
        double earlier_s = 0, later = 0; /* of those that end earlier; of the others, by end */
        for (uint32_t i = 0; i < n; i++) {
            if (ends[i].end_s > 0)
                load->hogs[ends[i].rank][h] = share * earlier_s / ends[i].end_s;
            earlier_s += load->acting_s[ends[i].rank][h];
        }
        for (uint32_t i = n; i-- > 0;) {
            load->hogs[ends[i].rank][h] += share * later;
            if (ends[i].end_s > 0)
                later += load->acting_s[ends[i].rank][h] / ends[i].end_s;
        }
    }
}

void loggops_load_settle(loggops_load *load, const loggops_places *places,
                         const loggops_rank_result *ranks)
{
    const double s_per_ps = 1e-12;
    memset(load->hogs, 0, load->n_ranks * sizeof *load->hogs);
    for (size_t host = 0; host < places->cluster.n_hosts; host++) {
        const uint32_t n_on = places->n_on[host], *on = load->ranks + load->first_on[host];
        const double n_cores = places->cluster.hosts[host].n_cores,
                     share = n_on > n_cores ? (n_cores - 1) / (n_on - 1) : 1;
        for (uint32_t i = 0; i < n_on; i++)
            load->ends[i] = (loggops_end){s_per_ps * (double)ranks[on[i]].end_ps, on[i]};
        if (n_on > 1)
            qsort(load->ends, n_on, sizeof *load->ends, compare_ends);
        act_on_each_other(load, load->ends, n_on, share);
    }
    memset(load->acting_s, 0, load->n_ranks * sizeof *load->acting_s);
}
