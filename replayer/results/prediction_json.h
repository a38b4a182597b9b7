/* prediction_json.h - a prediction as JSON, for files that contain other data, too. */
#ifndef TLR_PREDICTION_JSON_H
#define TLR_PREDICTION_JSON_H

#include "replayer.h"

#include <jansson.h>

/* A new reference; NULL without memory. To be written with TLR_JSON_EXACT (json_text.h): the same
 * replay gives the same bytes. */
json_t *tlr_prediction_json(const tlr_prediction *prediction);
/* The same of jobs that shared a platform: one object with all of them. */
json_t *tlr_jobs_json(tlr_prediction *const *predictions, size_t n);
/* The JSON of a file that `timeless replay --json` wrote for a single trace, checked as
 * tlr_prediction_read_json checks it. */
tl_status tlr_prediction_load_json(const char *path, json_t **out, tl_error *err);

#endif
