/* compare_programs.h - predictions of two versions of a program. */
#ifndef TLR_COMPARE_PROGRAMS_H
#define TLR_COMPARE_PROGRAMS_H

#include "compare.h"
#include "runs.h"

/* Before the names of rows of the critical path. A small change may move it to other ranks and
 * calls, so these rows are shown, and not judged. */
#define TLR_ON_PATH "critical path, "

/* Reads both predictions and adds a row to `expected` (of the first) and `measured` (of the other)
 * for each sum that both have; c->only_a and c->only_b list the others. TL_ERR_INPUT if the numbers
 * of ranks differ. */
tl_status tlr_compare_programs(const char *path, const char *versus_path, tlr_comparison *c,
                               tlr_runs *measured, tlr_runs *expected, tl_error *err);

#endif
