/* algorithms.h - the algorithms that SimGrid has for a collective, and what they need. */
#ifndef SMPI_ALGORITHMS_H
#define SMPI_ALGORITHMS_H

#include "plan.h"

/* tlr_engine.algorithms */
tl_status smpi_algorithms(const char *collective, char **out, tl_error *err);
/* TL_ERR_USAGE: an algorithm that --coll chooses does not serve a call of the trace. The text
 * begins with TLR_NOT_POSSIBLE. */
tl_status smpi_check_algorithms(const tlr_plan *plan, const tlr_options *options, tl_error *err);
/* SimGrid ended with the error *err in a blocking collective with this action. If --coll chose the
 * algorithm, the algorithm is the reason: TL_ERR_UNSUPPORTED. Otherwise the error stays. */
tl_status smpi_blame_algorithm(tl_action action, const tlr_options *options, tl_error *err);

#endif
