/* swaps.h - whether each MPI_Compare_and_swap swapped.
 *
 * Its result is in the program's memory once the access is complete: after a flush, an unlock, a
 * fence or the end of the access epoch.  Until then the event is held back, and all that follow it,
 * so that each event is written once and in its order.  An event whose outcome is not known is
 * written without one:
 *   - when more events follow it than there is room for (TLT_HELD_EVENTS);
 *   - when recording ends before the access is complete, or the call that completes it is not
 *     recorded;
 *   - when another thread has written the call's beginning (threads.h).
 * What is held back is lost if the process is killed.
 */
#ifndef TLT_SWAPS_H
#define TLT_SWAPS_H

#include <stdbool.h>
#include <stddef.h>

#include "timeless.h"

enum { TLT_HELD_EVENTS = 4096, TLT_HELD_ELEMENTS = 8192 };

/* An access that is not complete.  The longest type that MPI lets a program compare and swap has 16
 * bytes: INTEGER*16. */
typedef struct tlt_swap {
    const void *result;
    unsigned char expected[16];
    size_t bytes; /* 0: its outcome is not asked for */
} tlt_swap;

/* Events are held back, or the next one is to be. */
extern bool tlt_swaps_hold;

/* Takes the event if it is held back, and writes what can be written.  False: it is not held. */
bool tlt_swaps_take(const tl_event *event);
/* Writes all that is held back, with the outcomes known so far: the rank's part ends. */
void tlt_swaps_release(void);
/* Before the call, and after it where it succeeded: its outcome is still to come.  Nothing is held
 * back if the event is not written: it is excluded, or another thread has written it before. */
tlt_swap tlt_swaps_expect(const tl_event *event, const void *result, const void *expected);
void tlt_swaps_put(tl_event *event, const tlt_swap *access);
/* Forgets it. */
void tlt_swaps_reset(void);

#endif
