/* study.h - the studies of timeless study, and what they have in common. */
#ifndef CLI_STUDY_H
#define CLI_STUDY_H

#include "grid.h"

#include <argp.h>

int study_collectives(int argc, char **argv);
int study_hosts(int argc, char **argv);
int study_noise(int argc, char **argv);

/* Makes an axis of "64,4K" or "4..64" or "4..64:2": numbers, where K, M and G are powers of 1024.
 * `option` is for errors. */
tl_status study_numbers(const char *axis, const char *option, const char *text, tlr_axis *out,
                        tl_error *err);
/* The value of the last such option, "--platform="; NULL: there is none. */
const char *study_option(const grid *g, const char *option);
/* Ends the program with this reason if the option is given: the study would overrule it silently.
 */
void study_refuse(struct argp_state *state, const grid *g, const char *option, const char *reason);
/* Makes the sweep of axes that were allocated together (NULL: there was no memory), and takes them
 * over in any case. `status` is that of making them. */
tl_status study_make_sweep(grid *g, tl_status status, tlr_axis *axes, size_t n_axes, tl_error *err);
/* The machine, for people. */
void study_place(const grid *g, char *text, size_t size);
/* Whether a point has a makespan. If there is none, the failures say more than an empty table. */
int study_has_any(const grid *g);

#endif
