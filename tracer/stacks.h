/* stacks.h - samples of the stack of a thread, taken by a timer.
 *
 * The timer interrupts the thread by a signal for which the program has no handler. The handler
 * takes no lock and no memory, and makes no system call. */
#ifndef TLT_STACKS_H
#define TLT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum { TLT_STACK_LEVELS = 24 };

typedef struct tlt_stack {
    uint32_t weight; /* for how many samples it stands */
    uint32_t n;
    void *addresses[TLT_STACK_LEVELS]; /* as return addresses, from inner to outer functions */
} tlt_stack;

typedef struct tlt_stacks_settings {
    clockid_t clock; /* CLOCK_THREAD_CPUTIME_ID interrupts no system call */
    uint64_t period_ns;
    unsigned depth;          /* number of callers; 0 if the walk is not safe here */
    bool (*is_wanted)(void); /* whether the thread is where samples are wanted */
} tlt_stacks_settings;

/* Begins to sample the calling thread; the settings of the first thread hold for all. Returns NULL,
 * or the reason why there are no samples. */
const char *tlt_stacks_start(const tlt_stacks_settings *settings);
void tlt_stacks_stop(void);
/* Ends the samples of all threads, too; what belongs to others is freed when they stop. */
void tlt_stacks_stop_all(void);

/* The samples of the calling thread since the last call: their number. To be called where none are
 * wanted; *out is valid until some are wanted again, and may be changed. */
size_t tlt_stacks_take(tlt_stack **out);

/* The program takes the signal for itself: no thread is sampled from now on. Returns whether one
 * was. Signal handlers may call it. */
bool tlt_stacks_give_way(int number);
/* In the child of fork(), which has no timers. */
void tlt_stacks_forget(void);

#endif
