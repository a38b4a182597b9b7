/* full.h - Sobol indices of a makespan. */
#ifndef CLI_BUDGET_FULL_H
#define CLI_BUDGET_FULL_H

#include "budget/inputs.h"

/* Replays n_rows (d + 2) times with d inputs drawn from their uncertainties, and puts the indices
 * to the inputs and their sums to *out. The inputs have the makespans at their bounds. */
tl_status budget_full(budget_inputs *b, size_t n_rows, tlr_budget *out, tl_error *err);

#endif
