/* emulator.h - runs the recorded processes in an emulator that counts instructions. */
#ifndef TL_CLI_EMULATOR_H
#define TL_CLI_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

enum { EMULATOR_MAX_WORDS = 8 };

/* The emulator for a volume source "exact:...". */
typedef struct cli_emulator {
    const char *volume;                    /* "exact:qemu" */
    const char *words[EMULATOR_MAX_WORDS]; /* to put before a program; ends in NULL */
    const char *set_variable; /* takes NAME=VALUE for the program alone; NULL: the emulator ignores
                                 all that is for the program */
    char program[4096], starter[4096], plugin[4096];
} cli_emulator;

/* The volume sources that need an emulator, in order of preference; NULL after the last. */
const char *emulator_volume(size_t index);

/* Finds the files that the emulator of the source needs, given the folder of the tracer. "exact"
 * takes the first emulator that works. NULL, or the reason why it cannot run. */
const char *emulator_find(const char *volume, const char *tracer, cli_emulator *out);

/* Sets the environment variables of the emulator itself; values of the user are kept. */
void emulator_prepare(const cli_emulator *emulator);

/* Sets the environment so that Open MPI starts every rank in the emulator, and so that ranks work
 * there. NULL, or the reason why this is impossible. */
const char *emulator_prepare_launch(const cli_emulator *emulator);

#endif
