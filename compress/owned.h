/* owned.h - the definitions that a reader keeps; equal ones of several ranks are stored once. */
#ifndef TL_OWNED_H
#define TL_OWNED_H

#include "reader.h"

/* Adds a chunk of definitions to those of a rank. `shared` finds the known definitions of one chunk
 * by their hash. */
tl_status tl_owned_read(tl_reader *r, tl_map *shared, tl_part *part, const uint8_t *raw,
                        size_t size);

#endif
