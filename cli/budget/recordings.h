/* recordings.h - several recordings of one program, whose bursts differ from run to run. */
#ifndef CLI_BUDGET_RECORDINGS_H
#define CLI_BUDGET_RECORDINGS_H

#include "budget/inputs.h"

#include <stdbool.h>

/* Makes the recording with the median computation the trace of the budget. If there are several,
 * also measures how much their bursts differ. */
tl_status budget_read_recordings(budget_inputs *b, tl_error *err);
/* Gives the input "bursts" what the recordings tell of it. is_timed: they are in CPU time. */
void budget_use_recordings(budget_inputs *b, tlr_budget_input *bursts, bool is_timed);

/* The spread of each class of bursts, for the JSON; NULL: there is one recording. */
json_t *budget_classes_json(const tlp_spread *spread);

#endif
