/* paths.c - call paths: the callers of an MPI call, up to a depth.
 *
 * The stack is walked by the unwind tables of the program (frames.h), each of which is read once.
 * What a walk finds depends only on the words that it reads from the stack. The result is therefore
 * kept together with these words: if the next call with the same stack pointer finds the same
 * words, it has the same path. In the steady state, a call costs one comparison for each of its
 * callers.
 *
 * A path that reaches an extension module of Python goes on with the lines of Python (python.h).
 *
 * A walk reads only words of the thread's own stack, between the frame of the wrapper and the end
 * of the stack. On another stack (of a signal handler, or one that the program has made), a call
 * has its call site only. */
#include "config.h"

#include "paths.h"

#include "frames.h"
#include "runtime.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8, MAX_DEPTH = 64, DEFAULT_DEPTH = 0 };
/* The frame address of a wrapper is that of the saved frame pointer of its caller; then comes the
 * return address, then the stack of the caller. */
enum { ABOVE_FRAME = 2 * WORD };
enum { N_RULES = 1 << 13, N_WALKS = 1 << 9, MAX_WORDS = 64 };

unsigned tlt_path_depth;

/* Hash table of the frames of return addresses. */
static struct {
    const void *address; /* NULL: empty */
    tlt_frame frame;
} rules[N_RULES];
static size_t n_rules;

/* A walk and its result. */
typedef struct walk {
    const char *stack;   /* of the caller of the wrapper */
    const void *address; /* return address of the wrapper; NULL: empty */
    uint32_t python;     /* the site of the Python line; 0: none */
    uint32_t site, n_words;
    int32_t top; /* from `stack` to the end of the highest word */
    struct {
        int32_t at; /* from `stack` */
        uintptr_t value;
    } words[MAX_WORDS]; /* in the order in which they are read */
} walk;
static walk walks[N_WALKS];

/* A walk in progress. */
typedef struct walker {
    tlt_climb climb; /* first; in the function of the last address */
    const char *low; /* lowest word that may be read */
    void *addresses[MAX_DEPTH + 1];
    size_t n;
    uint32_t root; /* the site that calls the last function; 0: unknown */
    walk *out;
    bool is_long; /* more words than `out` can keep */
} walker;

void tlt_paths_start(void)
{
    memset(rules, 0, sizeof rules);
    memset(walks, 0, sizeof walks);
    n_rules = 0;
    tlt_path_depth = 0;
#ifdef __x86_64__
    const char *wanted = getenv("TIMELESS_CALL_PATHS");
    const unsigned long depth = wanted && *wanted ? strtoul(wanted, NULL, 10) : DEFAULT_DEPTH;
    tlt_path_depth = depth > MAX_DEPTH ? MAX_DEPTH : (unsigned)depth;
#endif
}

/* False if this thread now has another stack than its own. */
static inline bool is_on_own_stack(const char *at)
{
    return at >= tlt_own_stack.begin && at < tlt_own_stack.end;
}

static tlt_frame frame_of(const void *address)
{
    size_t i = (size_t)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15U >> 51);
    while (rules[i].address) {
        if (rules[i].address == address)
            return rules[i].frame;
        i = (i + 1) % N_RULES;
    }
    if (n_rules == N_RULES / 2)
        return (tlt_frame){.kind = TLT_FRAME_UNKNOWN};
    rules[i].frame = tlt_frame_find(address);
    rules[i].address = address;
    n_rules++;
    return rules[i].frame;
}

__attribute__((no_sanitize("address"))) static bool read_word(tlt_climb *climb, const char *at,
                                                              uintptr_t *value)
{
    walker *w = (walker *)climb;
    if (!at || (uintptr_t)at % WORD || at < w->low || at > tlt_own_stack.end - WORD)
        return false;
    *value = *(const uintptr_t *)at;
    walk *out = w->out;
    const ptrdiff_t offset = at - out->stack;
    if (out->n_words == MAX_WORDS || offset > INT32_MAX - WORD) {
        w->is_long = true;
        return true;
    }
    out->words[out->n_words].at = (int32_t)offset;
    out->words[out->n_words++].value = *value;
    if (offset + WORD > out->top)
        out->top = (int32_t)offset + WORD;
    return true;
}

static bool is_outside(tlt_frame frame)
{
    return frame.kind == TLT_FRAME_OUTSIDE || frame.in_c_library;
}

/* From a function to its caller. False: the path ends here. */
static bool step(walker *w)
{
    const tlt_frame frame = frame_of(w->addresses[w->n - 1]);
    void *address = is_outside(frame) ? NULL : tlt_climb_up(&w->climb, frame);
    if (!address || is_outside(frame_of(address)))
        return false;
    if (w->out->python && tlt_in_python(address)) {
        w->root = w->out->python;
        return false;
    }
    w->addresses[w->n++] = address;
    return true;
}

__attribute__((noinline, no_sanitize("address"))) static uint32_t
walk_stack(void *return_address, const void *frame, uint32_t python, walk *out)
{
    const char *stack = (const char *)frame + ABOVE_FRAME;
    tlt_find_own_stack();
    if (!is_on_own_stack(frame) || *(void *const *)(stack - WORD) != return_address)
        return tlt_site(return_address);
    *out = (walk){.stack = stack, .python = python};
    walker w = {.climb = {stack, frame, read_word}, .low = frame, .out = out};
    w.addresses[w.n++] = return_address;
    while (w.n <= tlt_path_depth && step(&w))
        ;
    out->site = tlt_site_path(w.addresses, w.n, w.root);
    if (!w.is_long)
        out->address = return_address;
    return out->site;
}

/* Whether a walk from here would read the same words. The words are compared in the order in which
 * the walk has read them. */
__attribute__((no_sanitize("address"))) static inline bool
is_same(const walk *known, const void *address, const char *stack, uint32_t python)
{
    if (known->address != address || known->stack != stack || known->python != python ||
        stack + known->top > tlt_own_stack.end)
        return false;
    for (uint32_t i = 0; i < known->n_words; i++)
        if (*(const uintptr_t *)(stack + known->words[i].at) != known->words[i].value)
            return false;
    return true;
}

uint32_t tlt_path_site(void *return_address, const void *frame)
{
    const char *stack = (const char *)frame + ABOVE_FRAME;
    const uint32_t python = TLT_UNLIKELY(tlt_has_python) ? tlt_python_site(tlt_path_depth) : 0;
    const uint64_t key = (uint64_t)(uintptr_t)return_address ^ (uint64_t)(uintptr_t)stack << 32;
    const size_t i = (size_t)(key * 0x9e3779b97f4a7c15U >> 55);
    walk *first = &walks[i], *second = &walks[i ^ 1];
    if (TLT_LIKELY(is_on_own_stack(frame))) {
        if (TLT_LIKELY(is_same(first, return_address, stack, python)))
            return first->site;
        if (is_same(second, return_address, stack, python))
            return second->site;
    }
    return walk_stack(return_address, frame, python, first->address ? second : first);
}
