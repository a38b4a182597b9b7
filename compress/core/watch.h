/* watch.h - how many events the process has read and written, for whoever shows progress. */
#ifndef TL_WATCH_H
#define TL_WATCH_H

#include <stdint.h>

/* To be called about once a frame. */
void tl_watch_step(uint64_t n_read, uint64_t n_written);

#endif
