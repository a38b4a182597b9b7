/* report.h - predictions as HTML pages that need no other file. */
#ifndef TLR_REPORT_H
#define TLR_REPORT_H

#include "results/flame.h"
#include "study/versus.h"

/* Writes the page of a run that used the platform alone, with its details. */
tl_status tlr_report_write(tlr_timeline *timeline, const tlr_job *job,
                           const tlr_prediction *prediction, const char *xml_path, FILE *out,
                           tl_error *err);

/* What a page of several predictions shows of one of them over time: to be made while its timeline
 * exists. */
tl_status tlr_report_states(tlr_timeline *timeline, const tlr_job *job,
                            const tlr_prediction *prediction, json_t **out, tl_error *err);
/* Writes the page of several predictions. states[i] may be NULL. Takes over no reference. */
tl_status tlr_report_write_versus(const tlr_versus *versus, json_t *const *states, FILE *out,
                                  tl_error *err);

/* Writes a flame graph: predicted time by call path, as a page that can be searched. */
tl_status tlr_flame_write(const tlr_flame *flame, const tlr_prediction *prediction, FILE *out,
                          tl_error *err);

#endif
