/* replay.h - shared by the commands that replay. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli.h"

#include <results/timeline.h>
#include <scenario.h>

/* Its input is a replay_arguments. */
extern const struct argp replay_argp;

/* For commands that replay many times: the settings of a replay; its input is a tlr_scenario. The
 * help leaves out the options that show a single replay, and the parser explains where they belong.
 */
const struct argp *replay_settings(void);
/* That input; ends the process without memory. */
tlr_scenario replay_scenario(void);

typedef struct replay_arguments replay_arguments;
typedef void replay_taker(void *arg, const tlr_prediction *prediction);
typedef tl_status replay_keeper(const replay_arguments *a, const tlr_prediction *prediction,
                                tl_error *err);

/* What the words of a command ask for. */
struct replay_arguments {
    tlr_scenario scenario;
    tlr_stage stage; /* during replay_run */
    const char *timeline_path;
    tlr_timeline_format timeline_format;
    const char **regions_at; /* functions: n_regions_at of each job */
    size_t n_regions_at;
    int details, quiet;
    const char *chosen; /* ranks and time of --details; NULL: all */
    cli_json json;
    replay_taker *take; /* instead of showing the prediction */
    void *take_arg;
    replay_keeper *keep; /* called with the details of a single trace, before they are shown */
    void *keep_arg;
};

/* To be called before the words are parsed, and at the end in any case. Returns the exit code. */
int replay_begin(replay_arguments *a, int argc);
void replay_end(replay_arguments *a);
/* Replays what was parsed, and shows the prediction. Returns the exit code. */
int replay_run(replay_arguments *a);

/* Warns about kernels that took no time: free_kernels of a prediction. */
void replay_warn(const char *free_kernels);
/* Repeats what timeless fit has written into a skeleton about computation that no law fits. */
void replay_warn_of_laws(const char *program);
/* And about all else that the prediction leaves out. */
void replay_warn_of(const replay_arguments *a, const tlr_prediction *p);

#endif
