/* details_json.h - the details of a prediction as a part of its JSON. */
#ifndef TLR_DETAILS_JSON_H
#define TLR_DETAILS_JSON_H

#include "details.h"
#include "efficiency.h"

#include <jansson.h>

/* Of a prediction with details. */
json_t *tlr_details_json(const tlr_prediction *prediction);
json_t *tlr_efficiency_json(const tlr_efficiency *efficiency);

#endif
