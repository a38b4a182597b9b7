/* replay.h - what commands that replay share with `timeless replay`. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <argp.h>
#include <replayer.h>

extern const struct argp replay_argp;

typedef void replay_taker(void *arg, const tlr_prediction *prediction);

/* `timeless replay`, whose prediction (of the first trace) goes to `take`.  Returns the exit code,
 * or exits on wrong usage. */
int replay_and_take(int argc, char **argv, replay_taker *take, void *arg);

/* Warns of kernels that took no time: a prediction's free_kernels. */
void replay_warn(const char *free_kernels);

#endif
