/* emulator.h - runs the recorded processes in an emulator that counts instructions. */
#ifndef TL_CLI_EMULATOR_H
#define TL_CLI_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>

/* The volume source that needs the emulator. */
#define EMULATOR_VOLUME "exact:qemu"
/* A variable of the emulator, which takes NAME=VALUE for the program alone. */
#define EMULATOR_SET_VARIABLE "QEMU_SET_ENV"

enum { EMULATOR_WORDS = 2 };

typedef struct cli_emulator {
    const char *words[EMULATOR_WORDS + 1]; /* to put before a program; ends in NULL */
    char program[4096], starter[4096], plugin[4096];
} cli_emulator;

/* Finds the files that the emulator needs, given the folder of the tracer; `volume` is "exact" or
 * EMULATOR_VOLUME. NULL, or the reason why it cannot run. */
const char *emulator_find(const char *volume, const char *tracer, cli_emulator *out);

/* Sets the environment variables of the emulator itself; values of the user are kept. */
void emulator_prepare(const cli_emulator *emulator);

/* Sets the environment so that Open MPI starts every rank in the emulator, and so that ranks work
 * there. NULL, or the reason why this is impossible. */
const char *emulator_prepare_launch(const cli_emulator *emulator);

#endif
