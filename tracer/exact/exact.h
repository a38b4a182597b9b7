/* exact.h - how the tracer, inside an emulator, finds the instructions that the emulator counts.
 *
 * The emulator (QEMU with our plugin) keeps a table with a counter for each thread in its own
 * memory. The program that it runs can read this memory, because both are in one address
 * space. The tracer asks once for each thread where the table is and which counter belongs to the
 * thread. Then it reads the counter with plain loads. Without an emulator, or under another one,
 * the question has no effect.
 *
 * A counter contains the instructions that the thread has executed so far. A string instruction
 * with a repeat prefix counts as one. A thread that a recorded thread started, and that does not
 * ask itself, counts for the recorded thread. */
#ifndef TLT_EXACT_H
#define TLT_EXACT_H

#include <stdint.h>

enum { TLT_EXACT_SLOTS = 4096 }; /* threads at a time; any beyond share the last */

typedef struct tlt_exact_slot {
    volatile uint64_t count;
    volatile uint64_t ended;    /* of threads that counted for this one and do not any longer */
    uint64_t repeating;         /* address of the string instruction that the thread is in, or 0 */
    volatile uint32_t owner;    /* the slot for which this one counts: its own index, or another */
    volatile uint32_t recorded; /* has asked */
    uint8_t room[32];           /* a cache line each */
} tlt_exact_slot;

typedef struct tlt_exact_table {
    volatile uint32_t n_slots; /* in use or used before */
    uint8_t room[60];
    tlt_exact_slot slots[TLT_EXACT_SLOTS];
} tlt_exact_table;

/* The question, in the memory of the program. The emulator checks the first two fields. */
typedef struct tlt_exact_ask {
    uint64_t magic;
    uint64_t self;                 /* address of this ask */
    const tlt_exact_table *answer; /* NULL before */
    uint32_t slot;
} tlt_exact_ask;

#define TLT_EXACT_MAGIC UINT64_C(0x74696d656c657373)

/* The question is a system call with a number that no kernel knows; its argument is the address. */
#define TLT_EXACT_SYSCALL 0x74696d65

/* A thread begins in slot `index`. The thread in slot `creator` started it (-1: none did). The slot
 * may have belonged to another thread. */
static inline void tlt_exact_begin(tlt_exact_table *table, uint32_t index, int64_t creator)
{
    tlt_exact_slot *slot = &table->slots[index];
    if (slot->owner != index && index < table->n_slots) {
        table->slots[slot->owner].ended += slot->count;
        slot->count = 0;
    }
    uint32_t owner = creator >= 0 ? table->slots[creator].owner : index;
    slot->owner = table->slots[owner].recorded ? owner : index;
    slot->recorded = 0;
    slot->repeating = 0;
    if (table->n_slots <= index)
        table->n_slots = index + 1;
}

/* The thread in slot `index` asks. From here on it counts for itself, and it takes its earlier
 * count with it. */
static inline void tlt_exact_answer(tlt_exact_table *table, uint32_t index, tlt_exact_ask *ask)
{
    tlt_exact_slot *slot = &table->slots[index];
    slot->owner = index;
    slot->recorded = 1;
    ask->slot = index;
    ask->answer = table;
}

/* The count of the thread in `slot` and of the threads that count for it. */
static inline uint64_t tlt_exact_read(const tlt_exact_table *table, uint32_t slot)
{
    const tlt_exact_slot *own = &table->slots[slot];
    uint64_t sum = own->count + own->ended;
    for (uint32_t i = 0; i < table->n_slots; i++)
        if (table->slots[i].owner == slot && i != slot)
            sum += table->slots[i].count;
    return sum;
}

#endif
