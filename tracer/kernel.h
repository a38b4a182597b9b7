/* kernel.h - one recorded kernel: a wrapper of a numerical routine.
 *
 * The computation of a kernel belongs to no volume, and kernels that it calls are not recorded.
 *
 * Wrappers know only the arguments that they need. An argument in an integer register is a
 * tlt_word. It passes on pointers, 32-bit and 64-bit integers (ILP64 libraries); as a result, it
 * also passes on no value. Sizes are read as 32 bits. */
#ifndef TLT_KERNEL_H
#define TLT_KERNEL_H

#include "runtime.h"
#include "teams.h"
#include "workers.h"

#include <stdbool.h>

typedef intptr_t tlt_word;

/* Vectors with at least this length become events. A call on fewer elements takes less time than an
 * event (tests/bench/kernel_cost.sh). */
enum { TLT_LEAST_VECTOR = 1024 };

/* True if the routine is to be recorded. tlt_leave_kernel must then follow. */
static inline bool tlt_enter_routine(void)
{
    return tlt.kernels != TLT_KERNELS_NONE &&
           (TLT_UNLIKELY(tlt_role == TLT_HELPING)     ? tlt_helper_enter_kernel()
            : TLT_UNLIKELY(tlt_role == TLT_BYSTANDER) ? tlt_worker_enter_kernel()
                                                      : tlt_enter_kernel());
}

/* The same for a routine on vectors of n elements. */
static inline bool tlt_enter_vector(int64_t n)
{
    return (n >= TLT_LEAST_VECTOR || tlt.kernels == TLT_KERNELS_ALL) && tlt_enter_routine();
}

/* The volume of all calls of each kernel, by code; for the replay, where a model lacks the kernel.
 * Changed by whoever may write events. */
enum { TLT_N_KERNEL_CODES = TL_KERNEL_unknown + 1 - TL_KERNEL_dgemm };
extern uint64_t tlt_kernel_volumes[TLT_N_KERNEL_CODES];
/* At the end of a rank: the volumes, as counters. */
void tlt_kernel_volumes_write(tl_writer *writer);

/* Of the kernel that ends. */
static inline uint64_t tlt_kernel_volume(void)
{
    const uint64_t volume = tlt.since_mark();
    return volume > tlt.volume_bias ? volume - tlt.volume_bias : 0;
}

/* No lock is held while the kernel runs, because kernels need no order among the calls of other
 * threads. */
static inline void tlt_leave_kernel(uint16_t code, tlt_place place, uint32_t n_sizes,
                                    const int64_t *sizes)
{
    if (TLT_UNLIKELY(tlt_member.is_in_kernel)) {
        tlt_helper_leave_kernel(code, place.caller, n_sizes, sizes);
        return;
    }
    const uint64_t volume = tlt_kernel_volume();
    if (TLT_UNLIKELY(tlt.shared))
        tlt_lock();
    tlt_kernel_volumes[code - TL_KERNEL_dgemm] += volume;
    tl_event event = {
        .call = code, .site = tlt_site_from(place), .list_len = n_sizes, .list = sizes};
    tlt_put(&event);
    tlt_leave();
}

#define TLT_PARAMS_1(A) (A a1)
#define TLT_PARAMS_3(A, B, C) (A a1, B a2, C a3)
#define TLT_PARAMS_4(A, B, C, D) (A a1, B a2, C a3, D a4)
#define TLT_PARAMS_5(A, B, C, D, E) (A a1, B a2, C a3, D a4, E a5)
#define TLT_PARAMS_6(A, B, C, D, E, F) (A a1, B a2, C a3, D a4, E a5, F a6)
#define TLT_PARAMS_7(A, B, C, D, E, F, G) (A a1, B a2, C a3, D a4, E a5, F a6, G a7)
#define TLT_PARAMS_8(A, B, C, D, E, F, G, H) (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8)
#define TLT_PARAMS_9(A, B, C, D, E, F, G, H, I)                                                    \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9)
#define TLT_PARAMS_10(A, B, C, D, E, F, G, H, I, J)                                                \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10)
#define TLT_PARAMS_11(A, B, C, D, E, F, G, H, I, J, K)                                             \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10, K a11)
#define TLT_PARAMS_12(A, B, C, D, E, F, G, H, I, J, K, L)                                          \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10, K a11, L a12)
#define TLT_PARAMS_13(A, B, C, D, E, F, G, H, I, J, K, L, M)                                       \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10, K a11, L a12, M a13)
#define TLT_PARAMS_14(A, B, C, D, E, F, G, H, I, J, K, L, M, N)                                    \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10, K a11, L a12, M a13, N a14)
#define TLT_PARAMS_15(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O)                                 \
    (A a1, B a2, C a3, D a4, E a5, F a6, G a7, H a8, I a9, J a10, K a11, L a12, M a13, N a14, O a15)

/* A list of n words. */
#define TLT_WORDS_1 TLT_PARAMS_1(tlt_word)
#define TLT_W3 tlt_word, tlt_word, tlt_word
#define TLT_EXPAND(macro, ...) macro(__VA_ARGS__)
#define TLT_WORDS_3 TLT_EXPAND(TLT_PARAMS_3, TLT_W3)
#define TLT_WORDS_4 TLT_EXPAND(TLT_PARAMS_4, TLT_W3, tlt_word)
#define TLT_WORDS_5 TLT_EXPAND(TLT_PARAMS_5, TLT_W3, tlt_word, tlt_word)
#define TLT_WORDS_6 TLT_EXPAND(TLT_PARAMS_6, TLT_W3, TLT_W3)
#define TLT_WORDS_7 TLT_EXPAND(TLT_PARAMS_7, TLT_W3, TLT_W3, tlt_word)
#define TLT_WORDS_8 TLT_EXPAND(TLT_PARAMS_8, TLT_W3, TLT_W3, tlt_word, tlt_word)
#define TLT_WORDS_9 TLT_EXPAND(TLT_PARAMS_9, TLT_W3, TLT_W3, TLT_W3)
#define TLT_WORDS_10 TLT_EXPAND(TLT_PARAMS_10, TLT_W3, TLT_W3, TLT_W3, tlt_word)
#define TLT_WORDS_11 TLT_EXPAND(TLT_PARAMS_11, TLT_W3, TLT_W3, TLT_W3, tlt_word, tlt_word)
#define TLT_WORDS_12 TLT_EXPAND(TLT_PARAMS_12, TLT_W3, TLT_W3, TLT_W3, TLT_W3)
#define TLT_WORDS_13 TLT_EXPAND(TLT_PARAMS_13, TLT_W3, TLT_W3, TLT_W3, TLT_W3, tlt_word)
#define TLT_WORDS_14 TLT_EXPAND(TLT_PARAMS_14, TLT_W3, TLT_W3, TLT_W3, TLT_W3, tlt_word, tlt_word)
#define TLT_WORDS_15 TLT_EXPAND(TLT_PARAMS_15, TLT_W3, TLT_W3, TLT_W3, TLT_W3, TLT_W3)

#define TLT_ARGS_1 (a1)
#define TLT_ARGS_3 (a1, a2, a3)
#define TLT_ARGS_4 (a1, a2, a3, a4)
#define TLT_ARGS_5 (a1, a2, a3, a4, a5)
#define TLT_ARGS_6 (a1, a2, a3, a4, a5, a6)
#define TLT_ARGS_7 (a1, a2, a3, a4, a5, a6, a7)
#define TLT_ARGS_8 (a1, a2, a3, a4, a5, a6, a7, a8)
#define TLT_ARGS_9 (a1, a2, a3, a4, a5, a6, a7, a8, a9)
#define TLT_ARGS_10 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10)
#define TLT_ARGS_11 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11)
#define TLT_ARGS_12 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12)
#define TLT_ARGS_13 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13)
#define TLT_ARGS_14 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14)
#define TLT_ARGS_15 (a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15)

/* The original routine for the wrapper of `symbol`. */
#define TLT_REAL(symbol)                                                                           \
    static __typeof__(&symbol) real;                                                               \
    if (TLT_UNLIKELY(!real))                                                                       \
    real = (__typeof__(real))tlt_next(#symbol, __builtin_return_address(0))

#endif
