/* payload.h - the bytes of messages on the links, if the options ask for the use of links. */
#ifndef TLR_SMPI_PAYLOAD_H
#define TLR_SMPI_PAYLOAD_H

#include "results/usage.h"

#include <simgrid/link.h>

/* To be called by each rank before the trace begins: from now on its messages count. */
void smpi_payload_join(void);
/* Sets `sent_bytes` of the resources of these links; to -1 if the bytes are unknown. */
void smpi_payload_take(const sg_link_t *links, size_t n, tlr_resource *resources);

#endif
