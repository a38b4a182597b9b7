/* diagnosis.h - what the ranks of a replay that cannot continue wait for. */
#ifndef TLR_DIAGNOSIS_H
#define TLR_DIAGNOSIS_H

#include "plan.h"

enum { TLR_NOT_WAITING = -1 };

/* Writes which rank waits for what, in the order of the ranks, for as many ranks as fit. `size` is
 * at least 16. waiting[rank] is the number of the event that the rank cannot finish, or
 * TLR_NOT_WAITING. */
void tlr_diagnose(tl_reader *trace, const tlr_plan *plan, const int64_t *waiting, char *text,
                  size_t size);

#endif
