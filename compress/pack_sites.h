/* pack_sites.h - packing: adds the source to call sites that have none yet. */
#ifndef TL_PACK_SITES_H
#define TL_PACK_SITES_H

#include "core/bytes.h"
#include "reader.h"
#include "timeless_convert.h"

typedef struct tl_site_sources {
    const tl_reader *r;
    tl_find_sources *find;
    void *sources_of;
} tl_site_sources;

/* Copies the definitions of a chunk of the rank to `out`, which is emptied first. */
tl_status tl_add_sources(const tl_site_sources *s, uint32_t rank, const tl_input *payload,
                         tl_buffer *out);

#endif
