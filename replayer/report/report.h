/* report.h - predictions as HTML pages that need no other file. */
#ifndef TLR_REPORT_H
#define TLR_REPORT_H

#include "results/timeline.h"

/* Writes the page of a run that used the platform alone, with its details. */
tl_status tlr_report_write(tlr_timeline *timeline, const tlr_job *job,
                           const tlr_prediction *prediction, FILE *out, tl_error *err);

#endif
