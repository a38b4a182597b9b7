/* messages.h - the messages of the collectives of a trace, for exports: those that the engine would
 * exchange without a platform. */
#ifndef TLR_LOGGOPS_MESSAGES_H
#define TLR_LOGGOPS_MESSAGES_H

#include <timeless_convert.h>

typedef struct tlr_messages tlr_messages;

/* The caller closes it in any case. The trace must stay open. */
tl_status tlr_messages_open(tl_reader *trace, tlr_messages **out, tl_error *err);
void tlr_messages_close(tlr_messages *m);
/* tl_algorithms.steps, for which `context` is a tlr_messages. */
tl_status tlr_messages_of(void *context, uint32_t rank, const tl_event *event,
                          const tl_collective_step **out, size_t *n, tl_error *err);

#endif
