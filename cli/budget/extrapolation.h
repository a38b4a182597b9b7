/* extrapolation.h - the computation of a trace that nobody recorded at its size. */
#ifndef CLI_BUDGET_EXTRAPOLATION_H
#define CLI_BUDGET_EXTRAPOLATION_H

#include "budget/inputs.h"

/* Adds the input "extrapolation" if the trace is a skeleton or has been extrapolated, and the lines
 * that say what nobody states. Without computation, there are only the lines on calls. */
tl_status budget_add_extrapolation(budget_inputs *b, tl_error *err);

#endif
