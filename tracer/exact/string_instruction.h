/* string_instruction.h - recognises the x86 string instructions with a repeat prefix.
 *
 * Emulators execute them once for each iteration and return to the same address. A processor
 * retires one instruction (Intel SDM volume 2, REP/REPE/REPNE: opcodes 6C-6F, A4-A7, AA-AF). */
#ifndef TLT_STRING_INSTRUCTION_H
#define TLT_STRING_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool tlt_is_repeated_string(const uint8_t *code, size_t size)
{
    int repeat = 0;
    size_t i = 0;
    for (; i < size; i++) {
        uint8_t byte = code[i];
        if (byte == 0xf2 || byte == 0xf3)
            repeat = 1;
        else if (byte != 0x66 && byte != 0x67 && byte != 0x2e && byte != 0x36 && byte != 0x3e &&
                 byte != 0x26 && byte != 0x64 && byte != 0x65)
            break;
    }
    if (i < size && (code[i] & 0xf0) == 0x40) /* REX */
        i++;
    if (!repeat || i >= size)
        return 0;
    uint8_t opcode = code[i];
    return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xa4 && opcode <= 0xa7) ||
           (opcode >= 0xaa && opcode <= 0xaf);
}

#endif
