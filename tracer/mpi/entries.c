/* entries.c - the MPI functions that the program calls: each jumps to where its slot points.
 *
 * At first a slot points to code that has route.c fill all slots, and goes on to the function.  An
 * entry takes and leaves every register as it is, and the stack: it holds for the arguments of any
 * MPI.
 */
#include "config.h"

#include "mpi/entries.h"

#if defined __x86_64__
#define JUMP(symbol) "jmp *tlt_slot_" symbol "(%rip)\n"
#define FIRST(symbol) "leaq tlt_slot_" symbol "(%rip), %r11\n jmp tlt_entry_first\n"
__asm__(".text\n"
        "tlt_entry_first:\n"
        "pushq %rdi\n pushq %rsi\n pushq %rdx\n pushq %rcx\n"
        "pushq %r8\n pushq %r9\n pushq %rax\n pushq %r11\n"
        "subq $136, %rsp\n"
        "movups %xmm0, (%rsp)\n movups %xmm1, 16(%rsp)\n"
        "movups %xmm2, 32(%rsp)\n movups %xmm3, 48(%rsp)\n"
        "movups %xmm4, 64(%rsp)\n movups %xmm5, 80(%rsp)\n"
        "movups %xmm6, 96(%rsp)\n movups %xmm7, 112(%rsp)\n"
        "movq 200(%rsp), %rdi\n" /* where the program called */
        "call tlt_route\n"
        "movups (%rsp), %xmm0\n movups 16(%rsp), %xmm1\n"
        "movups 32(%rsp), %xmm2\n movups 48(%rsp), %xmm3\n"
        "movups 64(%rsp), %xmm4\n movups 80(%rsp), %xmm5\n"
        "movups 96(%rsp), %xmm6\n movups 112(%rsp), %xmm7\n"
        "addq $136, %rsp\n"
        "popq %r11\n popq %rax\n popq %r9\n popq %r8\n"
        "popq %rcx\n popq %rdx\n popq %rsi\n popq %rdi\n"
        "jmp *(%r11)\n");
#elif defined __aarch64__
#define SLOT_ADDRESS(symbol)                                                                       \
    "adrp x16, tlt_slot_" symbol "\n add x16, x16, :lo12:tlt_slot_" symbol "\n"
#define JUMP(symbol) SLOT_ADDRESS(symbol) "ldr x16, [x16]\n br x16\n"
#define FIRST(symbol) SLOT_ADDRESS(symbol) "b tlt_entry_first\n"
__asm__(".text\n"
        "tlt_entry_first:\n"
        "stp x29, x30, [sp, #-224]!\n mov x29, sp\n"
        "stp x0, x1, [sp, #16]\n stp x2, x3, [sp, #32]\n stp x4, x5, [sp, #48]\n"
        "stp x6, x7, [sp, #64]\n stp x8, x16, [sp, #80]\n"
        "stp q0, q1, [sp, #96]\n stp q2, q3, [sp, #128]\n"
        "stp q4, q5, [sp, #160]\n stp q6, q7, [sp, #192]\n"
        "mov x0, x30\n" /* where the program called */
        "bl tlt_route\n"
        "ldp x0, x1, [sp, #16]\n ldp x2, x3, [sp, #32]\n ldp x4, x5, [sp, #48]\n"
        "ldp x6, x7, [sp, #64]\n ldp x8, x16, [sp, #80]\n"
        "ldp q0, q1, [sp, #96]\n ldp q2, q3, [sp, #128]\n"
        "ldp q4, q5, [sp, #160]\n ldp q6, q7, [sp, #192]\n"
        "ldp x29, x30, [sp], #224\n"
        "ldr x16, [x16]\n br x16\n");
#else
#error "an entry for this processor is missing here: JUMP, FIRST and tlt_entry_first"
#endif

#define ENTRY(symbol)                                                                              \
    __asm__(".text\n .p2align 4\n"                                                                 \
            ".globl " symbol "\n .type " symbol ", %function\n" symbol                             \
            ":\n" JUMP(symbol) ".size " symbol ", . - " symbol "\n"                                \
                               "tlt_first_" symbol                                                 \
                               ":\n" FIRST(symbol) ".data\n .p2align 3\n"                          \
                                                   ".globl tlt_slot_" symbol                       \
                                                   "\n .hidden tlt_slot_" symbol "\n"              \
                                                   ".type tlt_slot_" symbol                        \
                                                   ", %object\n .size tlt_slot_" symbol ", 8\n"    \
                                                   "tlt_slot_" symbol ": .quad tlt_first_" symbol  \
                                                   "\n"                                            \
                                                   ".text\n");

/* clang-format off */
#define TL_CALL(code, name, ...) ENTRY("MPI_" #name) ENTRY("PMPI_" #name)
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...)                                                              \
    ENTRY("MPI_" #name) ENTRY("PMPI_" #name) ENTRY("MPIX_" #name) ENTRY("PMPIX_" #name)
#include "mpi_calls.def"

#define TL_CALL(code, name, ...) LARGE_##name(ENTRY("MPI_" #name "_c") ENTRY("PMPI_" #name "_c"))
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"

#define SLOT(symbol) extern void *tlt_slot_##symbol __attribute__((visibility("hidden")));
#define TL_CALL(code, name, ...) SLOT(MPI_##name) SLOT(PMPI_##name)
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...)                                                              \
    SLOT(MPI_##name) SLOT(PMPI_##name) SLOT(MPIX_##name) SLOT(PMPIX_##name)
#include "mpi_calls.def"
#define TL_CALL(code, name, ...) LARGE_##name(SLOT(MPI_##name##_c) SLOT(PMPI_##name##_c))
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"

const tlt_entry tlt_entries[] = {
#define ROW(name, symbol) {#symbol, &tlt_slot_##symbol, TLT_FN_##name},
#define TL_CALL(code, name, ...) ROW(name, MPI_##name) ROW(name, PMPI_##name)
#define TL_SPECIAL TL_CALL
#define TL_OPAQUE TL_CALL
#define TL_EXTENSION(code, name, ...)                                                              \
    ROW(name, MPI_##name) ROW(name, PMPI_##name) ROW(name, MPIX_##name) ROW(name, PMPIX_##name)
#include "mpi_calls.def"
#define TL_CALL(code, name, ...)                                                                   \
    LARGE_##name(ROW(name##_c, MPI_##name##_c) ROW(name##_c, PMPI_##name##_c))
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
    {NULL, NULL, TLT_N_FUNCTIONS},
};
/* clang-format on */
