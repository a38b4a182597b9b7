/* replay.h - shared by the commands that replay. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include <argp.h>
#include <replayer.h>

extern const struct argp replay_argp;

typedef void replay_taker(void *arg, const tlr_prediction *prediction);

/* Runs `timeless replay`; passes the prediction (of the first trace) to `take`. Returns the exit
 * code, or exits on wrong usage. */
int replay_and_take(int argc, char **argv, replay_taker *take, void *arg);

/* Warns about kernels that took no time: free_kernels of a prediction. */
void replay_warn(const char *free_kernels);

#endif
