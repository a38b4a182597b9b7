/* collectives_plot.c - the picture of a study of collectives. */
#include "config.h"

#include "collectives.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>
#include <string.h>

/* A panel over the bytes or the ranks. Its series: the rule, the algorithms, for each a series of
 * what is missing, and a line of the legend. */
typedef struct panel_data {
    int over;  /* TLR_STUDY_BYTES, TLR_STUDY_RANKS */
    size_t at; /* on the other one of these axes */
    char title[40];
    double *x, *values; /* values: as many of each series */
    tlg_series *series;
} panel_data;

static const tlr_point *point_of(const tlr_study *study, const panel_data *p, size_t i, size_t k)
{
    return p->over == TLR_STUDY_BYTES ? study_point(study, p->at, i, k)
                                      : study_point(study, i, p->at, k);
}

/* A schedule of the user. */
static bool is_own(const char *algorithm)
{
    return strpbrk(algorithm, "./") != NULL;
}

static void fill_algorithm(const tlr_study *study, const panel_data *p, size_t k, const char *rule)
{
    const size_t n_x = study->sweep->axes[p->over].n, n = study->sweep->axes[TLR_STUDY_ALGORITHM].n;
    double *times = p->values + k * n_x, *lost = p->values + (n + k) * n_x;
    const int number = k ? (int)k - 1 : TLG_BLACK;
    for (size_t i = 0; i < n_x; i++) {
        const tlr_point *point = point_of(study, p, i, k);
        size_t n_below = 0;
        for (size_t other = 0; other < k; other++)
            n_below += !tlr_point_has_time(point_of(study, p, i, other));
        times[i] = tlr_point_has_time(point) ? point->makespan_s : NAN;
        lost[i] = tlr_point_has_time(point) ? NAN : (double)n_below;
    }
    p->series[k] = (tlg_series){.name = k ? study_shown_algorithm(study, k) : rule,
                                .look = TLG_LINE,
                                .is_strong = k && is_own(study_algorithm(study, k)),
                                .number = number,
                                .n = n_x,
                                .x = p->x,
                                .y = times};
    p->series[n + k] =
        (tlg_series){.look = TLG_CROSSES, .number = number, .n = n_x, .x = p->x, .y = lost};
}

static bool any_is_lost(const tlr_study *study)
{
    for (size_t i = 0; i < study->sweep->n_points; i++)
        if (!tlr_point_has_time(&study->sweep->points[i]))
            return 1;
    return 0;
}

static tlg_panel fill_panel(const tlr_study *study, panel_data *p, const char *rule)
{
    const tlr_axis *axis = &study->sweep->axes[p->over];
    const size_t n = study->sweep->axes[TLR_STUDY_ALGORITHM].n;
    const bool is_bytes = p->over == TLR_STUDY_BYTES;
    const tlr_axis *other = &study->sweep->axes[is_bytes ? TLR_STUDY_RANKS : TLR_STUDY_BYTES];
    for (size_t i = 0; i < axis->n; i++)
        p->x[i] = study_number(study, p->over, i);
    for (size_t k = 0; k < n; k++)
        fill_algorithm(study, p, k, rule);
    p->series[2 * n] = (tlg_series){.name = any_is_lost(study) ? "not possible, or failed" : NULL,
                                    .look = TLG_CROSSES,
                                    .number = TLG_BLACK};
    snprintf(p->title, sizeof p->title, "%s %s", other->values[p->at], is_bytes ? "ranks" : "B");
    return (tlg_panel){.title = p->title,
                       .x = {.label = is_bytes ? "bytes of the call" : "ranks",
                             .unit = is_bytes ? "B" : "",
                             .is_log = p->x[0] > 0,
                             .n_names = is_bytes ? 0 : axis->n,
                             .names = (const char *const *)axis->values,
                             .places = p->x},
                       .y = {.label = "makespan", .unit = "s", .is_log = 1},
                       .n_series = 2 * n + 1,
                       .series = p->series};
}

static tl_status draw_panels(const tlr_study *study, panel_data *data, size_t n_panels,
                             const char *path, tl_error *err)
{
    char title[300], rule[100];
    tlg_panel *panels = calloc(n_panels + 1, sizeof *panels);
    if (!panels)
        return tl_no_memory(err, "plot");
    snprintf(rule, sizeof rule, "the rule %s", study->rule);
    snprintf(title, sizeof title, "%s, %zu algorithms, %s", study->operation,
             study->sweep->axes[TLR_STUDY_ALGORITHM].n - 1, study->place);
    for (size_t i = 0; i < n_panels; i++)
        panels[i] = fill_panel(study, &data[i], rule);
    const tlg_picture picture = {.title = title,
                                 .n_panels = n_panels,
                                 .panels = panels,
                                 .n_columns = n_panels > 1 ? 2 : 1,
                                 .shares_y = 1,
                                 .height = 480};
    const tl_status status = tlg_draw(&picture, path, err);
    free(panels);
    return status;
}

/* A panel over the bytes for each number of ranks. If the ranks vary, also panels over them: of the
 * fewest and the most bytes. Without several values on its axis, a panel shows no lines. */
static size_t choose_panels(const tlr_study *study, panel_data *out)
{
    const size_t n_ranks = study->sweep->axes[TLR_STUDY_RANKS].n;
    const size_t n_bytes = study->sweep->axes[TLR_STUDY_BYTES].n;
    size_t n = 0;
    for (size_t r = 0; r < n_ranks && (n_bytes > 1 || n_ranks == 1); r++)
        out[n++] = (panel_data){.over = TLR_STUDY_BYTES, .at = r};
    if (n_ranks > 1)
        out[n++] = (panel_data){.over = TLR_STUDY_RANKS, .at = 0};
    if (n_ranks > 1 && n_bytes > 1)
        out[n++] = (panel_data){.over = TLR_STUDY_RANKS, .at = n_bytes - 1};
    return n;
}

tl_status tlr_study_draw(const tlr_study *study, const char *path, tl_error *err)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n = axes[TLR_STUDY_ALGORITHM].n;
    panel_data *data = calloc(axes[TLR_STUDY_RANKS].n + 2, sizeof *data);
    const size_t n_panels = data ? choose_panels(study, data) : 0;
    int good = data != NULL;
    for (size_t i = 0; i < n_panels && good; i++) {
        const size_t n_x = axes[data[i].over].n;
        data[i].x = calloc(n_x, sizeof(double));
        data[i].values = calloc(2 * n * n_x, sizeof(double));
        data[i].series = calloc(2 * n + 1, sizeof(tlg_series));
        good = data[i].x && data[i].values && data[i].series;
    }
    const tl_status status =
        good ? draw_panels(study, data, n_panels, path, err) : tl_no_memory(err, "plot");
    for (size_t i = 0; i < n_panels; i++) {
        free(data[i].x);
        free(data[i].values);
        free(data[i].series);
    }
    free(data);
    return status;
}
