/* interfere.c - computation that depends on what the other ranks of the node compute.
 *
 * The simulation goes ahead rank by rank, so a rank does not know what the others compute at the
 * moment. It knows what they compute in the mean: the run is read and simulated several times, and
 * each time the bursts of a rank are slowed by the load that the others had the time before. */
#include "config.h"

#include "reading.h"

#include <math.h>
#include <stdlib.h>

tl_status loggops_load_open(uint32_t n_ranks, const loggops_places *places, loggops_load *load,
                            tl_error *err)
{
    uint32_t *last = calloc(places->cluster.n_hosts + 1, sizeof *last);
    load->n_ranks = n_ranks;
    load->before = calloc(n_ranks + 1U, sizeof *load->before);
    load->hogs = calloc(n_ranks + 1U, sizeof *load->hogs);
    load->acting_s = calloc(n_ranks + 1U, sizeof *load->acting_s);
    const int has_room = last && load->before && load->hogs && load->acting_s;
    for (uint32_t r = 0; has_room && r < n_ranks; r++) {
        load->before[r] = last[places->host_of[r]];
        last[places->host_of[r]] = r + 1;
    }
    free(last);
    return has_room ? TL_OK
                    : tl_fail(err, TL_ERR_MEMORY, "out of memory for the load of the nodes");
}

void loggops_load_free(loggops_load *load)
{
    free(load->before);
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
    const tlr_bending *bending = tlr_find_bending(&t->rates, from, to, kernel);
    if (!bending)
        return seconds;
    seconds *= tlr_bending_slowdown(bending, load->hogs[t->rank]);
    for (int h = 0; h < TLR_N_HOGS; h++)
        load->acting_s[t->rank][h] += seconds * bending->acts_as[h];
    return seconds;
}

/* One rank acts on another one of its node. end_s: of the one that runs longer. */
static void act(loggops_load *load, uint32_t from, uint32_t on, double end_s, double share)
{
    for (int h = 0; h < TLR_N_HOGS && end_s > 0; h++)
        load->hogs[on][h] += share * load->acting_s[from][h] / end_s;
}

void loggops_load_settle(loggops_load *load, const loggops_places *places,
                         const loggops_rank_result *ranks)
{
    const double s_per_ps = 1e-12;
    for (uint32_t r = 0; r < load->n_ranks; r++)
        for (int h = 0; h < TLR_N_HOGS; h++)
            load->hogs[r][h] = 0;
    for (uint32_t r = 0; r < load->n_ranks; r++) {
        const uint32_t host = places->host_of[r], n_on = places->n_on[host];
        const double n_cores = places->cluster.hosts[host].n_cores,
                     share = n_on > n_cores ? (n_cores - 1) / (n_on - 1) : 1;
        for (uint32_t o = load->before[r]; o; o = load->before[o - 1]) {
            const double end_s =
                s_per_ps * fmax((double)ranks[r].end_ps, (double)ranks[o - 1].end_ps);
            act(load, o - 1, r, end_s, share);
            act(load, r, o - 1, end_s, share);
        }
    }
    for (uint32_t r = 0; r < load->n_ranks; r++)
        for (int h = 0; h < TLR_N_HOGS; h++)
            load->acting_s[r][h] = 0;
}
