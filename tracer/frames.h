/* frames.h - where the caller of a function finds its own return address, from the unwind tables
 * of the program (.eh_frame), which every program for x86-64 contains by default. */
#ifndef TLT_FRAMES_H
#define TLT_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

/* How the frame of a function leads to the one of its caller. The canonical frame address (CFA) is
 * the stack pointer in the caller after the call returns; the return address is 8 bytes below. */
enum tlt_frame_kind {
    TLT_FRAME_UNKNOWN = 0, /* no table, or one of another form: the path ends here */
    TLT_FRAME_OUTSIDE,     /* in no object file */
    TLT_FRAME_SP,          /* CFA = stack pointer + cfa */
    TLT_FRAME_FP,          /* CFA = frame pointer + cfa */
    TLT_FRAME_AT_FP        /* CFA = the word at frame pointer + cfa: a realigned stack */
};

/* Where the frame pointer of the caller is. */
enum tlt_saved_kind {
    TLT_SAVED_SAME = 0, /* in the register, as it was */
    TLT_SAVED_AT_CFA,   /* in the word at CFA + saved */
    TLT_SAVED_AT_FP,    /* in the word at frame pointer + saved */
    TLT_SAVED_UNKNOWN
};

typedef struct tlt_frame {
    uint8_t kind, saved_kind;
    bool in_c_library; /* which calls main, and is called by the program */
    int32_t cfa, saved;
} tlt_frame;

/* The frame of the function that is called at the return address. If tlt_frames_are_safe, signal
 * handlers may call it. */
tlt_frame tlt_frame_find(const void *return_address);
extern const bool tlt_frames_are_safe;

/* A walk from a function to its callers. */
typedef struct tlt_climb {
    const char *stack; /* stack pointer in the function */
    const char *fp_at; /* where its frame pointer is saved; NULL: unknown */
    /* Reads a word. False if it is outside of what may be read. */
    bool (*read)(struct tlt_climb *climb, const char *at, uintptr_t *value);
} tlt_climb;

/* From a function with this frame to its caller: the return address, NULL if it is unknown. */
void *tlt_climb_up(tlt_climb *climb, tlt_frame frame);

/* The stack of this thread; both NULL: unknown. */
typedef struct tlt_stack_range {
    const char *begin, *end;
} tlt_stack_range;
extern __thread tlt_stack_range tlt_own_stack __attribute__((tls_model("initial-exec")));
/* Finds it. No signal handler may call this. */
void tlt_find_own_stack(void);

#endif
