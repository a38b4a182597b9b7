/* prediction_json.h - a prediction as JSON, for files that hold more than it. */
#ifndef TLR_PREDICTION_JSON_H
#define TLR_PREDICTION_JSON_H

#include "replayer.h"

#include <jansson.h>

/* The text of a trace or a command line; '?' stands for what is not ASCII where it is no UTF-8,
 * which JSON does not take.  A new reference; NULL: no memory. */
json_t *tlr_json_text(const char *text);

/* A new reference; NULL: no memory. */
json_t *tlr_prediction_json(const tlr_prediction *prediction);

#endif
