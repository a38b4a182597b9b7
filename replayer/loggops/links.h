/* links.h - links that several nodes use, which long messages share.
 *
 * The functions for the simulation itself are in nodes.h. */
#ifndef TLR_LOGGOPS_LINKS_H
#define TLR_LOGGOPS_LINKS_H

#include "folder.h"
#include "replayer.h"
#include "results/usage.h"

/* For runs on these places, which are the caller's; NULL without memory. */
loggops_links *loggops_links_open(const loggops_places *places);
void loggops_links_close(loggops_links *links);
/* Writes what the last simulation waited for into the prediction, whose makespan is known. */
void loggops_links_judge(const loggops_links *links, tlr_prediction *out);
/* The links of the last simulation: how many, and their use. */
size_t loggops_links_count(const loggops_links *links);
void loggops_links_take(const loggops_links *links, tlr_resource *out);

#endif
