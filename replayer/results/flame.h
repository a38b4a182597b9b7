/* flame.h - predicted time by call path, summed over all ranks: the stacks of a flame graph. */
#ifndef TLR_FLAME_H
#define TLR_FLAME_H

#include "sums.h"

#include <stdbool.h>

/* What a stack ends with. */
typedef enum tlr_flame_kind {
    TLR_FLAME_COMPUTE, /* "compute" */
    TLR_FLAME_CALL,    /* "MPI_Recv (halo.c:10)", or a kernel */
    TLR_FLAME_WAIT,    /* "MPI_Recv (halo.c:10);late sender" */
    TLR_FLAME_N_KINDS
} tlr_flame_kind;

typedef struct tlr_flame {
    tlr_sums stacks[TLR_FLAME_N_KINDS]; /* the name is "main;step;transfer;MPI_Send (halo.c:10)" */
    bool has_call_paths;                /* otherwise a stack is: region, function, call */
} tlr_flame;

/* A call is in the functions of its call path. The part of its time in which it waits for another
 * rank is a frame inside of it. Computation is in the functions that the call paths of the calls
 * before and after it have in common. */
tl_status tlr_flame_make(tlr_timeline *timeline, const tl_reader *trace, size_t job, tlr_flame *out,
                         tl_error *err);

void tlr_flame_free(tlr_flame *flame);

/* Folded stacks, as many tools read them: "a;b;c 1234", in nanoseconds. */
void tlr_flame_write_folded(const tlr_flame *flame, FILE *out);

#endif
