/* marks.h - the marks of a prediction, from what an engine noted at each. */
#ifndef TLR_MARKS_H
#define TLR_MARKS_H

#include "plan.h"

/* Fills the prediction's marks, ordered by measured time; both arrays are [mark][rank], marks as
 * the plan numbers them.  TL_OK or TL_ERR_MEMORY. */
tl_status tlr_take_marks(const tlr_plan *plan, const double *measured_s, const double *predicted_s,
                         tlr_prediction *out);

#endif
