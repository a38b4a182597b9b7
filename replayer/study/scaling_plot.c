/* scaling_plot.c - the picture of a study of scaling. */
#include "config.h"

#include "scaling.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>

enum { EFFICIENCY, PARALLEL, BALANCE, SERIALISATION, TRANSFER, COMPUTATION, N_SHARES };
static const char *const share_names[N_SHARES] = {"efficiency",   "parallel efficiency",
                                                  "load balance", "serialisation",
                                                  "transfer",     "computation"};

/* What is drawn of each point: arrays of n_points. */
typedef struct drawn {
    double *ranks, *times, *ideal, *shares[N_SHARES];
    const char **names; /* of the ranks */
    char (*texts)[16];
} drawn;

static void fill(const tlr_scaling *study, size_t i, const drawn *d)
{
    static const tlr_efficiency unknown = {NAN, NAN, NAN, NAN};
    tlr_scaled at = {NAN, NAN, NAN, NULL};
    const tlr_point *point = &study->sweep->points[i];
    const bool is_known = tlr_scaling_at(study, i, &at);
    const tlr_efficiency e = is_known && point->has_efficiency ? point->efficiency : unknown;
    const double shares[N_SHARES] = {at.efficiency,   e.parallel, e.balance,
                                     e.serialisation, e.transfer, at.computation};
    snprintf(d->texts[i], sizeof d->texts[i], "%u", (unsigned)study->n_ranks[i]);
    d->names[i] = d->texts[i];
    d->ranks[i] = study->n_ranks[i];
    d->times[i] = study->is_weak ? point->makespan_s : at.speed_up;
    d->ideal[i] = study->is_weak ? point->makespan_s * at.speed_up : at.speed_up / at.efficiency;
    if (!is_known)
        d->times[i] = NAN;
    for (int k = 0; k < N_SHARES; k++)
        d->shares[k][i] = 100 * shares[k];
}

static tl_status draw(const tlr_scaling *study, const drawn *d, const char *path, tl_error *err)
{
    char title[512];
    const size_t n = study->sweep->n_points;
    const tlg_axis ranks = {.label = "ranks",
                            .unit = "",
                            .is_log = 1,
                            .n_names = n,
                            .names = d->names,
                            .places = d->ranks};
    const tlg_series times[] = {{.name = study->is_weak ? "makespan" : "speed-up",
                                 .look = TLG_LINE,
                                 .number = N_SHARES, /* the legend has the shares, too */
                                 .n = n,
                                 .x = d->ranks,
                                 .y = d->times},
                                {.name = "ideal",
                                 .look = TLG_CURVE,
                                 .number = TLG_BLACK,
                                 .n = n,
                                 .x = d->ranks,
                                 .y = d->ideal}};
    tlg_series shares[N_SHARES];
    for (int k = 0; k < N_SHARES; k++)
        shares[k] = (tlg_series){.name = share_names[k],
                                 .look = TLG_LINE,
                                 .number = k,
                                 .n = n,
                                 .x = d->ranks,
                                 .y = d->shares[k]};
    const tlg_panel panels[] = {{.x = ranks,
                                 .y = {.label = study->is_weak ? "makespan" : "speed-up",
                                       .unit = study->is_weak ? "s" : "",
                                       .is_log = !study->is_weak,
                                       .from_zero = 1},
                                 .n_series = 2,
                                 .series = times},
                                {.x = ranks,
                                 .y = {.label = "share of the ideal", .unit = "%", .from_zero = 1},
                                 .n_series = N_SHARES,
                                 .series = shares}};
    snprintf(title, sizeof title, "%s scaling of %s, %s", study->is_weak ? "weak" : "strong",
             study->program ? study->program : "traces", study->place);
    const tlg_picture picture = {.title = title, .n_panels = 2, .panels = panels};
    return tlg_draw(&picture, path, err);
}

tl_status tlr_scaling_draw(const tlr_scaling *study, const char *path, tl_error *err)
{
    const size_t n = study->sweep->n_points;
    double *room = calloc((3 + N_SHARES) * n, sizeof *room);
    drawn d = {.names = calloc(n, sizeof *d.names), .texts = calloc(n, sizeof *d.texts)};
    tl_status status = room && d.names && d.texts ? TL_OK : tl_no_memory(err, "plot");
    if (status == TL_OK) {
        d.ranks = room;
        d.times = room + n;
        d.ideal = room + 2 * n;
        for (size_t k = 0; k < N_SHARES; k++)
            d.shares[k] = room + (3 + k) * n;
        for (size_t i = 0; i < n; i++)
            fill(study, i, &d);
        status = draw(study, &d, path, err);
    }
    free(room);
    free((void *)d.names);
    free(d.texts);
    return status;
}
