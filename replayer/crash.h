/* crash.h - where a process crashed: in SimGrid, or in our own code. */
#ifndef TLR_CRASH_H
#define TLR_CRASH_H

#include <stddef.h>
#include <stdint.h>

/* All zero: no crash.  To be read by another process it must be in memory that both share. */
typedef struct tlr_crash {
    int signal;        /* SIGSEGV, ... */
    int is_in_simgrid; /* otherwise in our code, or in nobody's */
    uintptr_t offset;  /* in the object */
    char object[128];  /* base name of the shared library or program; "" unknown */
} tlr_crash;

/* From now on fills *where when this process gets a signal that ends it for a fault.  A signal that
 * already has a handler (a sanitizer's) is left alone. */
void tlr_crash_watch(tlr_crash *where);

/* "libtimeless-smpi.so+0x1234: Segmentation fault" */
void tlr_crash_text(const tlr_crash *where, char *text, size_t size);

#endif
