/* scenario.h - what one replay is, as a value: its traces, platform, engine, options and seed.
 *
 * Whoever needs many replays copies the value and changes the copies. Ownership and errors follow
 * timeless.h; the texts that a scenario is given must exist as long as it and its copies, but for
 * those that only change it. */
#ifndef TLR_SCENARIO_H
#define TLR_SCENARIO_H

#include "replayer.h"

#include <stdbool.h>

/* A trace to replay. */
typedef struct tlr_source {
    char *path; /* of a trace, or a program with its parameters */
    double start_s;
} tlr_source;

/* Whether the energy is part of the prediction. */
typedef enum tlr_wanted { TLR_NOT_WANTED, TLR_WANTED_IF_STATED, TLR_WANTED } tlr_wanted;

typedef struct tlr_scenario {
    size_t n_sources;
    tlr_source *sources;
    const char *platform, *engine; /* names; NULL: none, the default */
    size_t n_hostfiles;            /* one for all sources, or one for each */
    const char **hostfiles;
    int links;
    tlr_wanted energy;
    const char *price;   /* of the energy and the hosts; NULL: none */
    char *parameters;    /* ",NAME=VALUE...": of the sources, which must be programs; NULL: none */
    tlr_options options; /* its arrays are these: */
    char **cfg;
    tlr_change *changes;
    tlr_params_change *params_changes;
    uint64_t given; /* settings: a bit for each row of the table in scenario.c */
    char *text;     /* the settings as they were given: " --NAME=VALUE ..." */
} tlr_scenario;

/* A replay of nothing, with the seed 1. */
tl_status tlr_scenario_begin(tlr_scenario *out, tl_error *err);
tl_status tlr_scenario_copy(const tlr_scenario *from, tlr_scenario *out, tl_error *err);
/* Frees what the scenario contains. */
void tlr_scenario_free(tlr_scenario *s);

/* Adds "TRACE" or "TRACE@START". If a file with the whole name exists, it is that file. */
tl_status tlr_scenario_add_source(tlr_scenario *s, const char *text, tl_error *err);
/* Makes the source the only one. */
tl_status tlr_scenario_set_source(tlr_scenario *s, const char *path, tl_error *err);
/* Opens a trace, a program, or a schedule of GOAL as its graph. */
tl_status tlr_source_open(const char *path, tl_reader **out, tl_error *err);
/* "NAME=VALUE" of the programs among the sources. */
tl_status tlr_scenario_add_parameter(tlr_scenario *s, const char *text, tl_error *err);
/* Changes the platform, after the changes before. */
tl_status tlr_scenario_change(tlr_scenario *s, const tlr_change *change, tl_error *err);
/* Changes the parameters of LogGOPS, after the changes before. */
tl_status tlr_scenario_change_params(tlr_scenario *s, tlr_params_change change, tl_error *err);

/* A setting is an option of `timeless replay` that belongs to the replay, not to its output. */
enum { TLR_NO_SETTING, TLR_FLAG, TLR_VALUE };
/* TLR_FLAG: it takes no value, or may. */
int tlr_setting_kind(const char *name);
/* TL_ERR_USAGE: the value is wrong. `value` is NULL for flags. */
tl_status tlr_scenario_set(tlr_scenario *s, const char *name, const char *value, tl_error *err);
/* Whether a setting was given. */
int tlr_scenario_has(const tlr_scenario *s, const char *name);
/* Whether the engine is loggops. */
bool tlr_scenario_is_loggops(const tlr_scenario *s);
/* Gives the programs their parameters. TL_ERR_USAGE: the settings do not fit together, or to the
 * sources. */
tl_status tlr_scenario_finish(tlr_scenario *s, tl_error *err);
/* A scenario whose files are open. */
typedef struct tlr_stage {
    const tlr_scenario *scenario;
    tlr_platform *platform; /* NULL: none */
    tlr_options options;    /* of the scenario; a timeline may be added */
    size_t n_jobs;
    tlr_job *jobs;
    tlr_prediction **predictions; /* [n_jobs], of tlr_stage_replay */
} tlr_stage;

/* Opens the traces and the platform of a finished scenario, which must exist as long as the stage.
 */
tl_status tlr_stage_open(const tlr_scenario *s, tlr_stage *out, tl_error *err);
tl_status tlr_stage_replay(tlr_stage *stage, tl_error *err);
/* Frees also the timeline and the predictions. */
void tlr_stage_close(tlr_stage *stage);

#endif
