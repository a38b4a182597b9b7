/* details_json.h - the details of a prediction as a part of its JSON. */
#ifndef TLR_DETAILS_JSON_H
#define TLR_DETAILS_JSON_H

#include "details.h"

#include <jansson.h>

json_t *tlr_details_json(const tlr_details *details, const tlr_what_if *what_if);

#endif
