/* memory_loops.h - the loops by which cores and memory are measured. */
#ifndef TLP_MEMORY_LOOPS_H
#define TLP_MEMORY_LOOPS_H

#include <stddef.h>

enum { LINE_BYTES = 64 };

/* Two doubles: every processor of the architectures that are supported has such registers. */
typedef double tlp_pair __attribute__((vector_size(16)));

typedef struct tlp_line {
    struct tlp_line *next;
    char rest[LINE_BYTES - sizeof(struct tlp_line *)];
} tlp_line;

/* Each loop does a part of its work and returns how much: operations, bytes, loads. x: [8] */
double tlp_arithmetic(tlp_pair *x);
/* About chunk_bytes of a triad on three arrays that take `bytes` together, from *at on. */
double tlp_triad(char *arrays, size_t bytes, size_t chunk_bytes, size_t *at);
double tlp_chase(tlp_line **at, int n_loads);
/* Pins the thread that calls it; 0: it cannot be. */
int tlp_pin_thread(int processor);
/* A working set, and one with a ring through all of its lines, to be freed by munmap; NULL without
 * memory. The thread that calls it has touched all of it. */
void *tlp_make_set(size_t bytes);
tlp_line *tlp_make_ring(size_t bytes, unsigned long seed);

#endif
