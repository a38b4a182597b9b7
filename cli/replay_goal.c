/* replay_goal.c - timeless replay of schedules of GOAL, as graphs. */
#include "replay.h"

#include "cli.h"

#include <goal_replay.h>
#include <string.h>
#include <timeless_files.h>

int replay_is_goal(const replay_arguments *a)
{
    return a->n_jobs == 1 && tlr_is_goal(a->traces[0]);
}

/* What is given, but has no meaning for GOAL; NULL: nothing. */
static const char *without_meaning(const replay_arguments *a)
{
    const tlr_options *o = &a->options;
    const struct {
        int is_given;
        const char *name;
    } all[] = {{a->platform != NULL, "--platform"},
               {a->timeline_path != NULL, "--timeline"},
               {a->details, "--details, timeless report"},
               {a->links || a->energy, "--links, --energy"},
               {a->n_hostfiles || o->ranks_per_host || o->round_robin, "places on hosts"},
               {o->n_cfg || o->coll_selector, "--cfg, --coll"},
               {o->n_changes, "--set, --scale, --host-speed"},
               {o->model_path != NULL, "--model"},
               {o->n_seeds > 1, "--seeds"},
               {o->network_noise, "--noise network"},
               {o->sampled, "--sample"},
               {o->wildcards_first || o->polls_adaptive, "--wildcards, --polls"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].is_given)
            return all[i].name;
    return NULL;
}

int replay_goal(const replay_arguments *a)
{
    tl_error err;
    tlr_prediction *prediction = NULL;
    tl_status status = TL_OK;
    const char *none = without_meaning(a);
    if (!a->engine || strcmp(a->engine, "loggops") != 0)
        status = tl_fail(&err, TL_ERR_USAGE,
                         "%s: is a schedule of GOAL, which the loggops engine replays; give "
                         "--engine loggops --params, or import it first",
                         tl_printable(a->traces[0]));
    else if (none)
        status = tl_fail(&err, TL_ERR_USAGE,
                         "%s: is a schedule of GOAL, for which %s has no meaning; leave it out, or "
                         "import the file first",
                         tl_printable(a->traces[0]), none);
    else
        status = tlr_replay_goal(a->traces[0], &a->options, &prediction, &err);
    const int code = status == TL_OK ? replay_show(a, &prediction) : cli_fail(&err);
    tlr_prediction_free(prediction);
    return code;
}
