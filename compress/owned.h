/* owned.h - definitions that a reader keeps, equal ones of all ranks once. */
#ifndef TL_OWNED_H
#define TL_OWNED_H

#include "reader.h"

/* Adds a chunk of definitions to those of a rank.  `shared`: by hash, those of one chunk that are
 * there already. */
tl_status tl_owned_read(tl_reader *r, tl_map *shared, tl_part *part, const uint8_t *raw,
                        size_t size);

#endif
