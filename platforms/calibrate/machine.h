/* machine.h - the machine and the environment of a measurement. Needs libc only, because the
 * program that measures networks calls it on every host. */
#ifndef TLP_MACHINE_H
#define TLP_MACHINE_H

#include <stddef.h>
#include <stdio.h>

/* "AMD EPYC": the kind of processor. */
void tlp_cpu_name(char *text, size_t size);
/* The present moment, "2026-11-25T22:15:27Z": what a model states as the date of its measurement.
 */
enum { TLP_MOMENT_BYTES = 32 };
void tlp_moment(char text[TLP_MOMENT_BYTES]);

/* The first line of a file of the system, without the line break; 0 if there is none. */
enum { TLP_VALUE_BYTES = 256 };
int tlp_read_value(const char *path, char value[TLP_VALUE_BYTES]);
/* A cache of a processor: its level, type, size and the list of processors that share it. */
typedef struct tlp_cache_text {
    char level[TLP_VALUE_BYTES], type[TLP_VALUE_BYTES], size[TLP_VALUE_BYTES],
        shared[TLP_VALUE_BYTES]; /* "": unknown */
} tlp_cache_text;
/* The one with this index from 0 on; 0: there is none. */
int tlp_read_cache(int processor, int index, tlp_cache_text *out);

/* Lines "name: value" on the present state of this host: processor, cores, caches, memory, kernel,
 * governor, clock rates, load. Values that the system does not give are left out. */
void tlp_describe_machine(FILE *out);

/* ---- platforms/calibrate/environment.c ---- */

/* Lines "NAME=VALUE" of the variables that batch systems and libraries for MPI, threads and BLAS
 * read, ordered by name. A value is withheld if its name suggests a secret (tl_is_secret). Values
 * of SLURM and of Open MPI's parameters are withheld unless they are known to contain no secret.
 * All other variables are left out. */
void tlp_describe_environment(char *const *environment, FILE *out);
/* The words of a command, one in each line; secrets are withheld (tl_public_word). */
void tlp_describe_command(int argc, char *const *argv, FILE *out);

#endif
