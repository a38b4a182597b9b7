/* recorder.h - writes what each rank does when to a timeline, while it is simulated.
 *
 * The states of a rank begin where the one before ended. The ranks are simulated one after the
 * other, so the states come in another order than they end; the timeline is put in order at last.
 */
#ifndef TLR_LOGGOPS_RECORDER_H
#define TLR_LOGGOPS_RECORDER_H

#include "loggops.h"
#include "plan.h"
#include "results/timeline.h"

typedef struct loggops_recorder loggops_recorder;

/* For a run with labels: run->recorder. */
tl_status loggops_recorder_open(const loggops_run *run, const tlr_plan *plan,
                                tlr_timeline *timeline, loggops_recorder **out, tl_error *err);
/* After the simulation. `what_if` NULL: nobody asks. */
tl_status loggops_recorder_finish(loggops_recorder *recorder, tlr_what_if *what_if, tl_error *err);
void loggops_recorder_close(loggops_recorder *recorder);

#endif
