/* volumes.h - what a trace states about volumes that it does not have as they were, as numbers. */
#ifndef TLR_VOLUMES_H
#define TLR_VOLUMES_H

#include <jansson.h>
#include <timeless_files.h>

/* Statistical volumes (doc/FORMAT.md): a line for people, from the text of tl_run: "900 of 1000
 * bursts ..."; "" for "". */
void tlr_volumes_text(const char *volume_bursts, char *text, size_t size);
/* Adds both texts to an object, and the object "volume_counts" with their numbers. Texts that are
 * empty or NULL are left out. */
void tlr_volumes_json(json_t *root, const char *volume_sample, const char *volume_bursts);

#endif
