/* efficiency.c - the parallel efficiency, as a product of the metrics of POP (pop-coe.eu). */
#include "config.h"

#include "efficiency.h"

#include <math.h>

int tlr_efficiency_of(const tlr_prediction *p, tlr_efficiency *out)
{
    const double ideal_s = p->what_if.ideal_network_s;
    double mean_s = 0, most_s = 0;
    for (uint32_t r = 0; r < p->n_ranks; r++) {
        mean_s += p->ranks[r].compute_s / p->n_ranks;
        most_s = fmax(most_s, p->ranks[r].compute_s);
    }
    if (!(mean_s > 0) || ideal_s < most_s * (1 - 1e-6))
        return 0;
    *out = (tlr_efficiency){.parallel = mean_s / p->makespan_s,
                            .balance = mean_s / most_s,
                            .serialisation = most_s / ideal_s,
                            .transfer = ideal_s / p->makespan_s};
    return 1;
}
