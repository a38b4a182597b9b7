/* marks.h - the marks of a prediction, from the times that an engine recorded at each mark. */
#ifndef TLR_MARKS_H
#define TLR_MARKS_H

#include "plan.h"

/* Fills the marks of the prediction, ordered by measured time. Both arrays are [mark][rank], with
 * the marks in the numbering of the plan. TL_OK or TL_ERR_MEMORY. */
tl_status tlr_take_marks(const tlr_plan *plan, const double *measured_s, const double *predicted_s,
                         tlr_prediction *out);

#endif
