/* crash.h - where a process crashed: in SimGrid, or in our own code. */
#ifndef TLR_CRASH_H
#define TLR_CRASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero means: no crash. If another process reads it, it must be in memory that both share. */
typedef struct tlr_crash {
    int signal;         /* SIGSEGV, ... */
    bool is_in_simgrid; /* otherwise in our code, or in nobody's */
    uintptr_t offset;   /* in the object */
    char object[128];   /* base name of the shared library or program; "" unknown */
} tlr_crash;

/* After this call, a signal that ends the process for a fault fills *where. If a signal already has
 * a handler (a sanitizer's), it is not changed. */
void tlr_crash_watch(tlr_crash *where);

/* "libtimeless-smpi.so+0x1234: Segmentation fault" */
void tlr_crash_text(const tlr_crash *where, char *text, size_t size);

#endif
