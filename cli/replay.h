/* replay.h - shared by the commands that replay. */
#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli.h"
#include "instances.h"

#include <replayer.h>
#include <results/timeline.h>

/* Its input is a replay_arguments. */
extern const struct argp replay_argp;

typedef struct replay_arguments replay_arguments;
typedef void replay_taker(void *arg, const tlr_prediction *prediction);
typedef tl_status replay_keeper(const replay_arguments *a, const tlr_prediction *prediction,
                                tl_error *err);

/* What the words of a command ask for. */
struct replay_arguments {
    const char *platform, *engine, *timeline_path;
    tlr_timeline_format timeline_format;
    size_t n_jobs, n_hostfiles;
    char **traces;
    cli_instance *instances; /* the jobs are these; NULL: they are the traces */
    size_t n_instances;
    char *parameters; /* ",NAME=VALUE,...": of all traces, which must be programs; NULL: none */
    char **programs;  /* the traces with them */
    const char **hostfiles;
    tlr_job *jobs;
    const char **regions_at; /* functions: n_regions_at of each job */
    size_t n_regions_at;
    int details, links, energy, quiet;
    const char *chosen; /* ranks and time of --details; NULL: all */
    const char *price;  /* of --energy */
    cli_json json;
    tlr_options options;
    char **cfg;
    tlr_change *changes;
    replay_taker *take; /* instead of showing the prediction */
    int takes_energy;   /* if the platform states watts */
    void *take_arg;
    replay_keeper *keep; /* called with the details of a single trace, before they are shown */
    void *keep_arg;
};

/* To be called before the words are parsed, and at the end in any case. Returns the exit code. */
int replay_begin(replay_arguments *a, int argc);
void replay_end(replay_arguments *a);
/* Replays what was parsed, and shows the prediction. Returns the exit code. */
int replay_run(replay_arguments *a);

/* Shows the predictions of all jobs. Returns the exit code. */
int replay_show(const replay_arguments *a, tlr_prediction *const *predictions);

/* ---- replay_goal.c ---- */

/* Whether the only trace is a file of GOAL; replays it. */
int replay_is_goal(const replay_arguments *a);
int replay_goal(const replay_arguments *a);

/* Runs `timeless replay`; passes the prediction (of the first trace) to `take`, with_energy: also
 * the energy of the job, if the platform states watts. Returns the exit code, or exits on wrong
 * usage. */
int replay_and_take(int argc, char **argv, int with_energy, replay_taker *take, void *arg);

/* Warns about kernels that took no time: free_kernels of a prediction. */
void replay_warn(const char *free_kernels);
/* And about all else that the prediction leaves out. */
void replay_warn_of(const replay_arguments *a, const tlr_prediction *p);

/* If the file describes instances and is the first trace, they become the jobs: instances.h.
 * Returns 0 if it does not. */
int replay_add_instances(struct argp_state *state, replay_arguments *a, const char *path);

#endif
