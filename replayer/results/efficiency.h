/* efficiency.h - the parallel efficiency, as a product of the metrics of POP (pop-coe.eu). */
#ifndef TLR_EFFICIENCY_H
#define TLR_EFFICIENCY_H

#include "replayer.h"

typedef struct tlr_efficiency {
    double parallel;      /* mean computation of the ranks / makespan: the product of the others */
    double balance;       /* mean / largest computation of the ranks */
    double serialisation; /* largest computation / makespan on the ideal network */
    double transfer;      /* makespan on the ideal network / makespan */
} tlr_efficiency;

/* Of a replay with a timeline. 0: unknown, because no rank computes, or because ranks compute on
 * several threads, which the makespan on the ideal network leaves out. */
int tlr_efficiency_of(const tlr_prediction *prediction, tlr_efficiency *out);

#endif
