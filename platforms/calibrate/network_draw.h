/* network_draw.h - random numbers of the measuring program, and the sizes of its messages. */
#ifndef TLP_NETWORK_DRAW_H
#define TLP_NETWORK_DRAW_H

#include <stdint.h>

void tlp_draw_begin(uint64_t seed);
uint64_t tlp_draw(void);
double tlp_draw_uniform(void); /* in [0, 1) */

/* "8,1000,65536": half of the messages shall have about these sizes, in bytes. */
void tlp_draw_take_sizes(const char *text);
/* A size of a message, from 1 to max_bytes: near one of the given sizes, or 10^U(0, log10 of the
 * largest) (Cornebize, thesis draft, section 8.2.1). */
int64_t tlp_draw_bytes(int64_t max_bytes);

#endif
