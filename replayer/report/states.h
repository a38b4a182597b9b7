/* states.h - the states of a replay as a part of the data of a page. */
#ifndef TLR_STATES_H
#define TLR_STATES_H

#include "results/timeline.h"

#include <jansson.h>

/* The member "timeline" of the data, for a prediction with details; NULL without memory.
 *
 * It contains the states of each rank as base64. Each state is a row of numbers: ticks since the
 * state before, ticks that it took, its name, its call site (both indices), bytes, peer + 1. A
 * number is stored in groups of seven bits, lowest first. All groups but the last one have the
 * eighth bit set. If there are too many states, short neighbouring ones are one state. */
json_t *tlr_states_json(const tl_reader *trace, const tlr_prediction *p, const tlr_state *states,
                        size_t n);

#endif
