/* machine.h - what a measurement was made on and with: the machine, the environment.  Needs libc
 * alone: the program that measures networks says it of every host. */
#ifndef TLP_MACHINE_H
#define TLP_MACHINE_H

#include <stddef.h>
#include <stdio.h>

/* "AMD EPYC": the kind of processor. */
void tlp_cpu_name(char *text, size_t size);

/* Lines "name: value" of this host as it is now: processor, cores, caches, memory, kernel,
 * governor, clock rates, load.  What the system does not tell is left out. */
void tlp_describe_machine(FILE *out);

/* ---- platforms/calibrate/environment.c ---- */

/* Lines "NAME=VALUE" of the variables that libraries for MPI, threads and BLAS and batch systems
 * read, ordered by name.  Values are withheld where the name is a secret's (tl_is_secret), and
 * those of SLURM and of Open MPI's parameters unless they are known to hold none; nothing else of
 * the environment is told. */
void tlp_describe_environment(char *const *environment, FILE *out);
/* The words of a command, a line each; secrets are withheld (tl_public_word). */
void tlp_describe_command(int argc, char *const *argv, FILE *out);

#endif
